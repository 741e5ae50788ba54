// Global value numbering of a dense_ssa; see value_numbering.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/row_table.hpp>
#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/ssa/detail/dense_ssa.hpp>

namespace plait {

/// Congruence classes of the values of a form. Self-contained. compute() again reuses the memory.
class dense_value_numbering {
 public:
  /// Finds the classes. `kinds` is by op number: npos for ops whose outputs equal no other value. source(op, output)
  /// returns the number of the input that the output copies, or npos.
  template <class Source>
  constexpr void compute(dense_ssa const& form, std::span<std::uint32_t const> kinds, Source source);
  constexpr void compute(dense_ssa const& form, std::span<std::uint32_t const> kinds);

  /// Returns the representative of v's class. Its definition need not dominate that of v.
  constexpr value_index leader(value_index v) const { return leader_[v]; }
  constexpr bool are_equal(value_index a, value_index b) const { return leader_[a] == leader_[b]; }
  constexpr std::size_t pass_count() const noexcept { return passes_; }

  /// Returns, by value, a congruent value whose definition dominates its own, the same one for all congruent values
  /// that it dominates; the value itself if there is none. O(blocks + values).
  constexpr std::vector<value_index> replacements(dense_ssa const& form, dense_dominators const& tree) const;

 private:
  constexpr std::uint32_t first_like_row(std::uint32_t site) {
    std::uint32_t const row = table_.intern(row_);
    if (row == first_.size()) first_.push_back(site);
    return first_[row];
  }
  // Returns true if the pass visits the argument's definition after the phi, which a back edge causes.
  static constexpr bool is_later(dense_ssa const& form, value_index argument, phi_index phi) {
    ssa_site const made = form.definition(argument);
    return made.is_phi() ? made.phi() >= phi : made.is_op() && form.block_of_op(made.op()) >= form.block_of_phi(phi);
  }
  constexpr void visit_phi(dense_ssa const& form, phi_index phi);
  template <class Source>
  constexpr void visit_op(dense_ssa const& form, op_index op, std::uint32_t kind, Source& source);

  std::vector<value_index> leader_;   // npos: not visited yet
  row_table table_;                   // hash table of this pass: a kind and leaders, or a block and leaders
  std::vector<std::uint32_t> first_;  // by row: the first phi or op that computes it
  std::vector<std::uint32_t> row_;
  std::vector<value_index> before_;
  std::vector<op_index> writer_;  // by value: the last op seen to write it
  bool changed_ = false;
  std::size_t passes_ = 0;
};

// Arguments over back edges have leaders of the previous pass. One without leader yet, or congruent to the phi then, is
// optimistically taken to equal the phi.
constexpr void dense_value_numbering::visit_phi(dense_ssa const& form, phi_index phi) {
  value_index const v = form.result(phi);
  row_.assign({npos, form.block_of_phi(phi)});
  value_index common = npos;
  bool is_one = true;
  for (value_index const argument : form.arguments(phi)) {
    value_index const known = leader_[argument];
    row_.push_back(known);
    if (known == npos || (known == leader_[v] && is_later(form, argument, phi))) continue;
    if (common != npos && common != known) is_one = false;
    common = known;
  }
  if (!is_one || common == npos) {
    phi_index const first = first_like_row(phi);
    common = first == phi ? v : leader_[form.result(first)];
  }
  if (std::exchange(leader_[v], common) != common) changed_ = true;
}

template <class Source>
constexpr void dense_value_numbering::visit_op(dense_ssa const& form, op_index op, std::uint32_t kind, Source& source) {
  auto const reads = form.reads(op);
  auto const writes = form.writes(op);
  before_.clear();
  for (value_index const v : writes) {
    before_.push_back(leader_[v]);
    // An op that lists a value in two outputs stores the last of them, so slots cannot be matched with another op's.
    if (std::exchange(writer_[v], op) == op) kind = npos;
  }
  for (value_index const v : writes) writer_[v] = npos;
  op_index first = op;
  if (kind != npos) {
    row_.assign({kind, static_cast<std::uint32_t>(writes.size())});
    for (value_index const v : reads) row_.push_back(leader_[v]);
    first = first_like_row(op);
  }
  for (std::size_t i = 0; i != writes.size(); ++i) {
    std::size_t const input = source(op, i);
    PLAIT_ASSERT(input == npos || input < reads.size(),
                 "value_numbering: source(op, output) returned an input that the op does not have");
    leader_[writes[i]] = input != npos ? leader_[reads[input]]
                         : first != op ? leader_[form.writes(first)[i]]
                                       : writes[i];
  }
  for (std::size_t i = 0; i != writes.size(); ++i)
    if (leader_[writes[i]] != before_[i]) changed_ = true;
}

template <class Source>
constexpr void dense_value_numbering::compute(dense_ssa const& form, std::span<std::uint32_t const> kinds,
                                              Source source) {
  PLAIT_ASSERT(kinds.size() == form.op_count(), "value_numbering: kinds and form have different numbers of ops");
  leader_.assign(form.value_count(), npos);
  writer_.assign(form.value_count(), npos);
  for (value_index v = 0; v != form.value_count(); ++v)
    if (!form.definition(v).is_op() && !form.definition(v).is_phi()) leader_[v] = v;
  passes_ = 0;
  do {
    changed_ = false;
    ++passes_;
    table_.clear();
    first_.clear();
    for (std::uint32_t block = 0; block != form.block_count(); ++block) {
      for (phi_index const phi : form.phis(block)) visit_phi(form, phi);
      for (op_index const op : form.ops(block)) visit_op(form, op, kinds[op], source);
    }
  } while (changed_);
}

constexpr void dense_value_numbering::compute(dense_ssa const& form, std::span<std::uint32_t const> kinds) {
  compute(form, kinds, [](op_index, std::size_t) { return std::size_t{npos}; });
}

// Walks down the dominator tree with the current candidate of each class: the last value found that no candidate before
// it dominated.
constexpr std::vector<value_index> dense_value_numbering::replacements(dense_ssa const& form,
                                                                       dense_dominators const& tree) const {
  std::vector<value_index> found(form.value_count(), npos);
  std::vector<value_index> above(form.value_count(), npos);  // by leader
  auto const visit = [&](value_index v) {
    value_index& known = above[leader_[v]];
    if (known == npos || !tree.dominates(form.block_of_value(known), form.block_of_value(v))) known = v;
    found[v] = known;
  };
  for (value_index v = 0; v != form.value_count(); ++v)
    if (!form.definition(v).is_op() && !form.definition(v).is_phi()) visit(v);
  for (std::uint32_t const block : tree.preorder()) {
    for (phi_index const phi : form.phis(block)) visit(form.result(phi));
    for (op_index const op : form.ops(block))
      for (value_index const v : form.writes(op)) visit(v);
  }
  return found;
}

}  // namespace plait
