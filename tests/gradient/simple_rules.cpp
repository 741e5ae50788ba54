#include <plait/gradient/detail/rules/simple_rules.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/traits.hpp>

namespace {

std::vector<std::string> outputs_of_fc_gradient(std::vector<std::string> only) {
  plait::netdef n;
  n.add_op("FC", {"x", "w", "b"}, {"y"});
  auto const made = plait::backward_pass(n, {"y"}, plait::gradient_rules::standard(), {.only = std::move(only)});
  std::vector<std::string> names;
  for (plait::op_def const& op : made.net.op)
    if (made.net.text(op.type) == "FCGradient")
      for (plait::symbol const blob : op.output) names.emplace_back(made.net.text(blob));
  return names;
}

TEST_CASE("simple_rules: an optional gradient is omitted unless requested (FC data)") {
  using names = std::vector<std::string>;
  CHECK(outputs_of_fc_gradient({"w", "b"}) == names{"w_grad", "b_grad"});
  CHECK(outputs_of_fc_gradient({"w", "x"}) == names{"w_grad", "b_grad", "x_grad"});
  CHECK(outputs_of_fc_gradient({}) == names{"w_grad", "b_grad", "x_grad"});
}

}  // namespace
