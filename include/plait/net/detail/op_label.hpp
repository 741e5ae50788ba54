// Label of an op in messages.
#pragma once

#include <cstddef>
#include <string>

#include <plait/net/net_traits.hpp>

namespace plait {

/// Returns "op 3 (FC)", or "op 3" where ops have no type. Linear in the position: for messages, not for loops.
template <net N>
[[nodiscard]] std::string op_label(N const& n, std::size_t index) {
  std::string label = "op " + std::to_string(index);
  if constexpr (typed_net<N>) {
    std::size_t at = 0;
    for (auto&& op : plait::ops(n))
      if (at++ == index) return label + " (" + std::string(op_type(n, op)) + ')';
  }
  return label;
}

}  // namespace plait
