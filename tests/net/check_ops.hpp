// Check of the ops of a net, with their arguments.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

#include <net/test_nets.hpp>

#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace test {

/// Compares types, operands and devices, and the expected arguments; others only where ops have no more of them.
template <class N>
void check_ops(N const& net, std::vector<plait::op_spec> const& expected) {
  auto bare = expected;
  for (auto& op : bare) op.arguments.clear();
  auto const found = describe(net).ops;
  CHECK(found == bare);
  if (found.size() != expected.size()) return;
  std::size_t i = 0;
  for (auto&& op : plait::ops(net)) {
    for (auto const& argument : expected[i].arguments) {
      INFO(expected[i].type << ' ' << argument.name);
      CHECK(plait::net_traits<N>::argument(net, op, argument.name) == argument.value);
    }
    ++i;
  }
  if constexpr (std::is_same_v<N, edit_net>) CHECK(net.ops == expected);
}

}  // namespace test
