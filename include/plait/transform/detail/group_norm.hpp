// Group normalisation: replaces the ATen ops of PyTorch's exporter by Caffe2's GroupNorm.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <plait/net/detail/arguments.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Replaces every ATen op whose argument `operator` is "group_norm" by a GroupNorm: `num_groups` becomes `group`, and
/// `operator` and a `cudnn_enabled` that is not 0 are removed (detectron2's group_norm_replace_aten_with_caffe2).
/// Returns the ops changed. Throws net_error, changing nothing, if an op has another `group` already. O(ops).
template <class N>
  requires retypable_net<N> && argument_readable_net<N> && argument_mutable_net<N>
std::vector<op_index> replace_group_norm(N& n) {
  using traits = detail::net_traits_of<N>;
  struct change {
    op_index op;
    std::optional<std::int64_t> groups;
    bool drops_cudnn;
  };
  std::vector<change> changes;
  op_index index = 0;
  for (auto&& op : plait::ops(static_cast<N const&>(n))) {
    if (op_type(n, op) == "ATen" && traits::string_argument(n, op, "operator") == "group_norm") {
      std::optional<std::int64_t> const groups = traits::int_argument(n, op, "num_groups");
      if (groups) check_argument(n, op, index, {"group", *groups});
      changes.push_back({index, groups, traits::int_argument(n, op, "cudnn_enabled").value_or(0) != 0});
    }
    ++index;
  }

  std::vector<op_index> done;
  auto next = changes.begin();
  index = 0;
  for (auto&& op : traits::ops(n)) {
    if (next == changes.end()) break;
    if (index++ != next->op) continue;
    traits::erase_argument(n, op, "operator");
    if (next->drops_cudnn) traits::erase_argument(n, op, "cudnn_enabled");
    if (next->groups) {
      traits::erase_argument(n, op, "num_groups");
      traits::set_argument(n, op, {"group", *next->groups});
    }
    traits::set_type(n, op, "GroupNorm");
    done.push_back(next->op);
    ++next;
  }
  return done;
}

}  // namespace plait
