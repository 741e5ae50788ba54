// What the groups of ops that a plan runs together have in common: where they begin and end.
#pragma once

#include <algorithm>
#include <iterator>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/row_sums.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Op of a plan that may join a fusion group, with its patterns; `kernel` is nullptr if it may not.
template <backend B>
struct group_candidate {
  op_kernel<B>* kernel = nullptr;
  op_context<B>* context = nullptr;
  std::span<op_pattern<B> const> patterns = {};
  row_sums<B>* sums = nullptr;  ///< if they are accumulated

  /// Returns the first pattern of a kind; nullptr if there is none.
  op_pattern<B> const* find(pattern_kind kind) const {
    auto const at = std::ranges::find(patterns, kind, &op_pattern<B>::kind);
    return at == patterns.end() ? nullptr : &*at;
  }
};

/// Ops after one another, in groups that have none in common. A Group has the number of its `first` op, and `members`,
/// one for each; take(candidate) makes the next op a member, or returns false.
///
/// Groups are looked for anew in each run of a recurrence: those that are gone are used again, with what they have
/// allocated. A Group is made without arguments, and begins once more with begin(first op, …).
template <class Group>
class op_groups {
 public:
  void clear() {
    while (!groups_.empty()) {  // so that the first is made first again, and finds as much room as it needs
      put_back(std::move(groups_.back()));
      groups_.pop_back();
    }
  }

  /// Whether an op is in a group. O(log groups).
  bool contains(op_index op) const {
    auto const after = std::ranges::upper_bound(groups_, op, {}, &Group::first);
    return after != groups_.begin() && op - std::prev(after)->first < std::prev(after)->members.size();
  }
  /// The first op of each group, in order: a view.
  auto firsts() const { return groups_ | std::views::transform(&Group::first); }
  /// Number of ops of the group that begins with `op`, which one does. O(log groups).
  std::size_t size_of_group(op_index op) const {
    return std::ranges::lower_bound(groups_, op, {}, &Group::first)->members.size();
  }

 protected:
  /// A group that takes what there is to begin with.
  template <class... About>
  Group make(op_index first, About... about) {
    Group made;
    if (!spare_.empty()) {
      made = std::move(spare_.back());
      spare_.pop_back();
    }
    made.begin(first, about...);
    return made;
  }
  /// One that is not added.
  void put_back(Group g) { spare_.push_back(std::move(g)); }
  /// Has a group take ops from its first on, as far as it does. Returns the one behind the last of them, or behind the
  /// first if there is none.
  template <class At>
  static op_index fill(Group& made, op_index ops, At const& at) {
    op_index op = made.first;
    while (op != ops && made.take(at(op))) ++op;
    return std::max(op, made.first + 1);
  }
  /// Each after all that were added before.
  void add(Group made) {
    PLAIT_ASSERT(!made.members.empty() && !contains(made.first), "op_groups: a group that begins in another");
    groups_.push_back(std::move(made));
  }
  std::vector<Group> const& groups() const noexcept { return groups_; }
  Group& only() { return groups_.front(); }
  /// The group that begins with `op`, which one does. O(log groups).
  Group& at(op_index op) { return *std::ranges::lower_bound(groups_, op, {}, &Group::first); }

 private:
  std::vector<Group> groups_;
  std::vector<Group> spare_;
};

/// Groups that note where their operands are before they run: a Group has find_operands() and run(op), too.
template <class Group>
class op_chains : public op_groups<Group> {
 public:
  /// Runs the group that begins with `op`, which is left at its last. Throws what a kernel throws, and leaves it there.
  void run(op_index& op) {
    this->at(op).find_operands();
    this->at(op).run(op);
  }
  /// The same if no operand has moved since.
  void run_again(op_index& op) { this->at(op).run(op); }
};

}  // namespace plait
