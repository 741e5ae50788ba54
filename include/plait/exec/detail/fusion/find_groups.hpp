// Fuser: finds the groups of ops that run together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/cost_model.hpp>
#include <plait/exec/detail/fusion/device_group.hpp>
#include <plait/exec/detail/fusion/element_group.hpp>
#include <plait/exec/detail/fusion/epilogue_group.hpp>
#include <plait/exec/detail/fusion/fused_group.hpp>
#include <plait/exec/detail/fusion/row_group.hpp>
#include <plait/exec/detail/plan_passes.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Groups of a plan, ascending by their first op.
template <backend B>
using fused_groups = std::vector<std::unique_ptr<fused_group<B>>>;

/// Finds groups among the ops `first` to `last`, excluded: products with epilogues, then by rows and by elements, each
/// greedy and as long as possible. `at(op)` returns a fusion_candidate; see element_group::finish for `last_use`.
/// `step`: the ops are a time step, where barriers count and operands move with each run; otherwise only large operands
/// are worth a group. Appends to `made`. O(ops + operands of a group²).
template <backend B, class At, class LastUse>
void find_groups(op_index first, op_index last, At const& at, LastUse const& last_use, bool step,
                 plan_passes const& passes, cost_model const& costs, fused_groups<B>& made) {
  auto const begin = static_cast<std::ptrdiff_t>(made.size());
  std::vector<bool> grouped(last - first, false);
  // A group that does not pay may contain one that does: `retries` says whether to look for it.
  auto const search = [&](std::initializer_list<pattern_kind> kinds, auto const& make, auto const& finish,
                          auto const& retries) {
    decltype(make(first)) group;  // used again if it could not take the first op
    for (op_index op = first; op < last;) {
      fusion_candidate<B> const begins = at(op);
      if (grouped[op - first] ||
          std::ranges::none_of(kinds, [&](pattern_kind k) { return begins.find(k) != nullptr; })) {
        ++op;
        continue;
      }
      if (group == nullptr || group->size() != 0) group = make(op);
      group->first = op;
      for (op_index next = op; next != last && !grouped[next - first] && group->take(at(next));) ++next;
      bool const found = finish(*group);
      auto const size = static_cast<op_index>(found || !retries(*group) ? group->size() : 0);
      if (found) {
        std::fill_n(grouped.begin() + (op - first), size, true);
        made.push_back(std::move(group));
      }
      op += std::max<op_index>(size, 1);
    }
  };
  auto const never = [](auto const&) { return false; };
  // In a step, row-parallel groups gain more.
  if constexpr (!B::on_device)
    if (passes.fuse_epilogues && !step)
      search(
          {pattern_kind::epilogue}, [](op_index op) { return std::make_unique<epilogue_group<B>>(op); },
          [](auto& group) { return group.finish(); }, never);
  if (passes.fuse_rows && step)
    search(
        {pattern_kind::rows}, [&](op_index op) { return std::make_unique<row_group<B>>(op, costs); },
        [](auto& group) { return group.finish(); },
        [](auto const& group) { return B::on_device || group.is_undivided(); });
  if constexpr (B::on_device) {
    if (passes.fuse_elements)
      search(
          {pattern_kind::elements, pattern_kind::split, pattern_kind::concatenated},
          [](op_index op) { return std::make_unique<device_group<B>>(op); },
          [&](auto& group) { return group.finish(last_use); }, never);
  } else {
    // In a step, to look at all operands costs more than short groups gain.
    std::size_t const least = step ? 4 : 2;
    if (passes.fuse_elements)
      search(
          {pattern_kind::elements}, [](op_index op) { return std::make_unique<element_group<B>>(op); },
          [&](auto& group) { return group.size() >= least && group.finish(last_use); }, never);
  }
  std::sort(made.begin() + begin, made.end(), [](auto const& a, auto const& b) { return a->first < b->first; });
}

}  // namespace plait
