// Global value numbering by number, see value_numbering.hpp.
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

/// The classes of equal values of a form. A value of its own; computing again keeps the memory.
class dense_value_numbering {
 public:
  /// `kinds` by op number: npos for ops whose outputs equal nothing else. source(op, output) tells which input an
  /// output is a copy of; npos: of none.
  template <class Source>
  constexpr void compute(dense_ssa const& form, std::span<std::uint32_t const> kinds, Source source);
  constexpr void compute(dense_ssa const& form, std::span<std::uint32_t const> kinds);

  /// One of the values that equal v, the same for all of them. Its definition need not dominate that of v.
  constexpr value_index leader(value_index v) const { return leader_[v]; }
  constexpr bool are_equal(value_index a, value_index b) const { return leader_[a] == leader_[b]; }
  constexpr std::size_t pass_count() const noexcept { return passes_; }

  /// By value: of the values that equal it, one that is made before it on every way to it, and the same for all it is
  /// made before; the value itself if there is none. O(blocks + values).
  constexpr std::vector<value_index> replacements(dense_ssa const& form, dense_dominators const& tree) const;

 private:
  constexpr std::uint32_t first_like_row(std::uint32_t site) {
    std::uint32_t const row = table_.intern(row_);
    if (row == first_.size()) first_.push_back(site);
    return first_[row];
  }
  // Whether the pass comes to an argument of a phi after the phi.
  static constexpr bool is_later(dense_ssa const& form, value_index argument, phi_index phi) {
    ssa_site const made = form.definition(argument);
    return made.is_phi() ? made.phi() >= phi : made.is_op() && form.block_of_op(made.op()) >= form.block_of_phi(phi);
  }
  constexpr void visit_phi(dense_ssa const& form, phi_index phi);
  template <class Source>
  constexpr void visit_op(dense_ssa const& form, op_index op, std::uint32_t kind, Source& source);

  std::vector<value_index> leader_;   // npos: not looked at yet
  row_table table_;                   // what was computed in this pass: a kind and leaders, or a block and leaders
  std::vector<std::uint32_t> first_;  // by row: the phi or op that was the first to compute it
  std::vector<std::uint32_t> row_;
  std::vector<value_index> before_;
  std::vector<op_index> writer_;  // by value: the last op found to write it
  bool changed_ = false;
  std::size_t passes_ = 0;
};

// What comes over back edges is of the pass before. Nothing yet, or what equalled the phi then, is taken to be the phi.
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
    // One value in two outputs holds but the last: which output it equals elsewhere is not its place among them.
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
    PLAIT_ASSERT(input == npos || input < reads.size(), "value_numbering: a copy of an input that is not there");
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
  PLAIT_ASSERT(kinds.size() == form.op_count(), "value_numbering: kinds of another program");
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

// Down the dominator tree; the last of a class that was found without one above it is above all it dominates.
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
