// Second-order gradient checks by finite differences.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/net_builder.hpp>

#include <support/gradient_cases.hpp>

namespace test {

/// Checks the gradients of the sum of the squares of the gradients of `of`. The net ends in a scalar called loss.
inline void check_second(std::string const& forward, std::vector<std::string> const& of,
                         std::vector<std::pair<std::string, tensor64>> const& given,
                         std::vector<std::string> const& inputs) {
  CAPTURE(forward);
  plait::netdef net = tiny_net(forward);
  auto const grads = plait::add_gradient_ops(net, {"loss"}, plait::gradient_rules::standard());
  std::vector<std::string> parts;
  for (std::string const& blob : of) {
    CAPTURE(blob);
    REQUIRE(grads.contains(blob));
    parts.push_back("square_of_" + blob);
    net.add_op("SumSqrElements", {grads.at(blob).values}, {parts.back()});
  }
  plait::op_def& sum = net.add_op("Sum", {}, {"y"});
  for (std::string const& part : parts) sum.input.push_back(net.intern(part));

  plait::workspace<plait::serial> blobs;
  for (auto const& [name, value] : given) blobs.feed(name, value);
  // Rules of several ops (Pow) overwrite blobs: values that the second pass needs are copied.
  auto const check = plait::check_gradient(
      net, {"y"}, inputs, blobs, {.gradients = {.overwritten = plait::overwritten_values::copy}, .tolerance = 1e-5});
  CAPTURE(check.text());
  CHECK(check.ok());
}

}  // namespace test
