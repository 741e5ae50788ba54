// Reaching definitions of a dense_program, by number; see reaching_definitions.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/dataflow/gen_kill.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/net/detail/blob_table.hpp>
#include <plait/ssa/detail/dense_program.hpp>

namespace plait {

/// Definitions that reach each block, of upward-exposed blobs. Self-contained: queries about ops take the program as an
/// argument. compute() again reuses the memory.
class dense_reaching_definitions {
 public:
  constexpr dense_reaching_definitions() = default;
  constexpr dense_reaching_definitions(dense_graph const& g, dense_program const& p) { compute(g, p); }
  constexpr void compute(dense_graph const& g, dense_program const& p);

  /// Returns true if the blob is upward-exposed: some block reads it before it writes it, or it is a program result
  /// that the last block does not write.
  constexpr bool is_exposed(blob_index b) const { return first_[b] != first_[b + 1]; }

  /// Calls visit(op) for each op whose write of an exposed blob reaches the start of a block, in block order. npos,
  /// which comes first, is the definition on entry to the program.
  template <class Visit>
  constexpr void visit_in(std::uint32_t block, blob_index b, Visit visit) const {
    PLAIT_ASSERT(is_exposed(b), "reaching_definitions: no block reads this blob before it writes it");
    for (std::uint32_t fact = first_[b]; fact != first_[b + 1]; ++fact)
      if (solver_.before(block).contains(fact)) visit(definitions_[fact]);
  }
  /// Calls visit(op) for each definition that reaches the point before an op, or the end of a block. Precondition: the
  /// blob is exposed or written before that point in the block. O(preceding ops of the block + definitions of the
  /// blob).
  template <class Visit>
  constexpr void visit_before(dense_program const& p, op_index op, blob_index b, Visit visit) const {
    visit_from(p, p.block(op), op, b, visit);
  }
  template <class Visit>
  constexpr void visit_end(dense_program const& p, std::uint32_t block, blob_index b, Visit visit) const {
    visit_from(p, block, p.first_op(block + 1), b, visit);
  }

 private:
  template <class Visit>
  constexpr void visit_from(dense_program const& p, std::uint32_t block, op_index op, blob_index b,
                            Visit& visit) const {
    while (op-- != p.first_op(block))
      if (std::ranges::find(p.writes(op), b) != p.writes(op).end()) return visit(op);
    visit_in(block, b, visit);
  }
  constexpr void number_definitions(dense_program const& p);

  gen_kill_solver<flow_direction::forward, join_kind::any> solver_;
  std::vector<std::uint32_t> first_;  // by blob, and one more: its facts, the first of which is the definition on entry
  std::vector<op_index> definitions_;   // by fact
  std::vector<std::uint32_t> written_;  // by blob: the last block seen to write it
  std::vector<op_index> last_;          // by blob: the last op seen to write it
};

// Numbers the facts: for an exposed blob, one for the definition on entry and one for each block that writes it.
constexpr void dense_reaching_definitions::number_definitions(dense_program const& p) {
  first_.assign(p.blob_count() + 1, 0);
  written_.assign(p.blob_count(), npos);
  auto const expose = [this](std::uint32_t block, blob_index b) {
    if (written_[b] != block) first_[b] = 1;
  };
  for (std::uint32_t block = 0; block != p.block_count(); ++block) {
    for (op_index const op : p.ops(block)) {
      for (blob_index const b : p.reads(op)) expose(block, b);
      for (blob_index const b : p.writes(op)) written_[b] = block;
    }
    for (blob_index const b : p.results(block)) expose(block, b);
  }
  written_.assign(p.blob_count(), npos);
  for (std::uint32_t block = 0; block != p.block_count(); ++block)
    for (op_index const op : p.ops(block))
      for (blob_index const b : p.writes(op))
        if (std::exchange(written_[b], block) != block && first_[b] != 0) ++first_[b];
  std::uint32_t total = 0;
  for (std::uint32_t& first : first_) total += std::exchange(first, total);
  definitions_.assign(total, npos);
}

constexpr void dense_reaching_definitions::compute(dense_graph const& g, dense_program const& p) {
  PLAIT_ASSERT(g.size() == p.block_count(), "reaching_definitions: graph and program have different numbers of blocks");
  number_definitions(p);
  solver_.reset(g.size(), definitions_.size());
  last_.assign(p.blob_count(), npos);
  written_.assign(first_.begin(), first_.end() - 1);  // by blob: the last fact assigned
  for (std::uint32_t block = 0; block != p.block_count(); ++block) {
    for (op_index const op : p.ops(block))
      for (blob_index const b : p.writes(op)) last_[b] = op;
    for (op_index const op : p.ops(block))
      for (blob_index const b : p.writes(op)) {
        if (!is_exposed(b) || last_[b] != op || definitions_[written_[b]] == op) continue;
        std::uint32_t const fact = ++written_[b];
        definitions_[fact] = op;
        solver_.gen.insert(block, fact);
        solver_.kill.insert_range(block, first_[b], first_[b + 1]);
      }
  }
  solver_.solve(g, [&](std::uint32_t, bit_matrix_row row) {
    for (blob_index b = 0; b != p.blob_count(); ++b)
      if (is_exposed(b)) row.insert(first_[b]);
  });
}

}  // namespace plait
