// Partial order of the ops of a plan: dependences through storages and control inputs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <utility>
#include <vector>

#include <plait/core/detail/bit_matrix.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/plan_layout.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Returns, by op, the ops that must wait for it, ascending and without repeats. O(operands).
[[nodiscard]] inline csr<op_index> memory_dependencies(plan_layout const& layout, csr<op_index> const& controls) {
  auto const ops = static_cast<op_index>(layout.op_count());
  std::vector<op_index> writer(layout.storage_count(), npos);
  std::vector<std::vector<op_index>> readers(layout.storage_count());
  csr<op_index> waits_for;
  std::vector<op_index> row;
  op_index replacing = 0;  // the last op so far that replaces fed memory, which waits for all before it
  for (op_index op = 0; op != ops; ++op) {
    row.assign(controls[op].begin(), controls[op].end());
    if (layout.replaces_given(op))
      for (op_index const before : std::views::iota(std::exchange(replacing, op), op)) row.push_back(before);
    for (auto v : layout.reads(op))
      if (op_index const w = writer[layout.storage_of(v)]; w != npos) row.push_back(w);
    auto const wait_as_writer = [&](plan_layout::value_number v) {
      auto const s = layout.storage_of(v);
      if (writer[s] != npos) row.push_back(writer[s]);
      row.insert(row.end(), readers[s].begin(), readers[s].end());
    };
    auto const write = [&](plan_layout::value_number v) {
      writer[layout.storage_of(v)] = op;
      readers[layout.storage_of(v)].clear();
    };
    for (auto v : layout.writes(op)) wait_as_writer(v);
    if (auto const v = layout.ordered_by(op); v != npos) wait_as_writer(v);
    for (auto v : layout.reads(op)) readers[layout.storage_of(v)].push_back(op);
    for (auto v : layout.writes(op)) write(v);
    if (auto const v = layout.ordered_by(op); v != npos) write(v);
    std::ranges::sort(row);
    row.erase(std::ranges::unique(row).begin(), row.end());
    for (op_index const other : row)
      if (other != op) waits_for.push(other);
    waits_for.end_row();
  }
  csr<op_index> followers;
  transpose(waits_for, followers);
  return followers;
}

/// Transitive closure of memory_dependencies. O(ops * dependences / 64), and ops^2 / 8 bytes.
class op_order {
 public:
  /// Plans with more ops have no order: the closure would take more than 8 MB.
  static constexpr std::size_t most_ops = 8192;

  op_order() = default;
  explicit op_order(csr<op_index> const& followers) {
    std::size_t const ops = followers.size();
    if (ops > most_ops) return;
    before_.reset(ops, ops);
    for (op_index op = 0; op != ops; ++op)
      for (op_index const follower : followers[op]) {
        auto const to = before_.words(follower);
        auto const from = std::as_const(before_).words(op);
        for (std::size_t w = 0; w != to.size(); ++w) to[w] |= from[w];
        before_.insert(follower, op);
      }
  }

  bool empty() const noexcept { return before_.size() == 0; }
  /// Returns true if `a` always ends before `b` begins.
  bool precedes(op_index a, op_index b) const { return before_.contains(b, a); }

 private:
  bit_matrix before_;  // by op
};

}  // namespace plait
