// Ops on the def-use paths between two values of a net.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/ssa/versioning.hpp>

namespace plait {

/// Finds the ops on the paths from one value to another: those that depend on the first and on which the second
/// depends. One object answers many queries on a net and allocates O(ops) once. A query costs what `target` depends on
/// among the ops after the first reader of `source`: detectron2 enumerates all simple paths instead, in a window of
/// fifteen ops on either side that wraps round to the end of the list near the start of a net.
template <net N>
class path_finder {
 public:
  /// `ssa` must outlive the finder.
  explicit path_finder(ssa_form<N> const& ssa) : ssa_(&ssa), state_(ssa.op_count(), unseen) {}

  /// Returns the ops on paths from `source` to `target` in order, valid until the next query; empty if they are the
  /// same value or there is no path. Both must be values of the net.
  std::vector<op_index> const& operator()(value source, value target) {
    found_.clear();
    auto const readers = ssa_->consumers(source);
    if (readers.empty() || source == target) return found_;
    first_ = readers.front().op;
    pursue(target);
    for (std::size_t next = 0; next != found_.size(); ++next)
      for (value v : ssa_->reads(found_[next])) pursue(v);
    std::ranges::sort(found_);

    // A path leads through ops in op order, so one sweep over what `target` needs finds what depends on `source`.
    for (op_index op : found_)
      for (value v : ssa_->reads(op))
        if (v == source || depends(v)) state_[op] = dependent;
    for (op_index op : found_) {
      if (state_[op] == dependent) on_path_.push_back(op);
      state_[op] = unseen;
    }
    found_.swap(on_path_);
    on_path_.clear();
    return found_;
  }

 private:
  enum mark : std::uint8_t { unseen, needed, dependent };

  void pursue(value v) {
    op_index const by = ssa_->producing_op(v);
    if (by == npos || by < first_ || state_[by] != unseen) return;
    state_[by] = needed;
    found_.push_back(by);
  }
  bool depends(value v) const {
    op_index const by = ssa_->producing_op(v);
    return by != npos && state_[by] == dependent;
  }

  ssa_form<N> const* ssa_;
  std::vector<mark> state_;  // by op; all unseen between queries
  std::vector<op_index> found_;
  std::vector<op_index> on_path_;
  op_index first_ = 0;
};

/// Answers one query; see path_finder for many.
template <net N>
[[nodiscard]] std::vector<op_index> ops_between(ssa_form<N> const& ssa, value source, value target) {
  return path_finder<N>(ssa)(source, target);
}

}  // namespace plait
