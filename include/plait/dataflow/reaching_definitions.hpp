// Reaching definitions: the ops that may have written the blob that an op reads.
//
//   plait::reaching_definitions const reaching(f);
//   for (plait::op_index writer : reaching.of_input(reaching.op(block, 3), 0)) …
//
// A write reaches a point if some path leads there without another write of the blob. A bit-vector problem
// (gen_kill.hpp), forward, union over all paths; only upward-exposed blobs have bits, one for each block that writes
// them and one for the definition on entry. The facts of a blob are adjacent, so that a block kills them by the word.
// O(operands + writing blocks × facts of a blob / 64) beyond the solver's bounds. Blocks that the entry does not reach
// are not in the result. SSA form (ssa/construction.hpp) holds the same information, with one definition per read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/dataflow/detail/dense_reaching_definitions.hpp>
#include <plait/ssa/detail/program_snapshot.hpp>

namespace plait {

/// Definitions that reach the reads of a program, as of the last compute(), which reuses the memory. Refers to the
/// program, which must not move. Ops are numbers; npos is the definition on entry to the program, whether the program
/// declares the blob as external input or not.
template <program P>
class reaching_definitions {
 public:
  using node = node_t<P>;

  constexpr reaching_definitions() = default;
  constexpr explicit reaching_definitions(P const& p) { compute(p); }
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused>
  reaching_definitions(P const&&) = delete;

  constexpr void compute(P const& p) {
    snapshot_.compute(p);
    reaching_.compute(snapshot_.graph(), snapshot_.code());
  }
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused>
  void compute(P const&&) = delete;

  constexpr program_snapshot<P> const& snapshot() const noexcept { return snapshot_; }
  constexpr dense_reaching_definitions const& dense() const noexcept { return reaching_; }

  /// Returns the number of the `place`-th op of a block.
  constexpr op_index op(node const& block, std::size_t place) const { return snapshot_.op(block, place); }

  /// Returns the definitions that reach the `slot`-th input of an op, ascending, the one on entry first.
  constexpr std::vector<op_index> of_input(op_index op, std::size_t slot) const {
    auto const reads = snapshot_.code().reads(op);
    PLAIT_ASSERT(slot < reads.size(), "reaching_definitions: no such input");
    std::vector<op_index> found;
    reaching_.visit_before(snapshot_.code(), op, reads[slot], [&](op_index writer) { found.push_back(writer); });
    return found;
  }
  /// Returns the definitions that reach the `slot`-th result of a program that ends in this block.
  constexpr std::vector<op_index> of_result(node const& block, std::size_t slot) const {
    std::uint32_t const b = snapshot_.graph().reached_number(block);
    auto const results = snapshot_.code().results(b);
    PLAIT_ASSERT(slot < results.size(), "reaching_definitions: no such result");
    std::vector<op_index> found;
    reaching_.visit_end(snapshot_.code(), b, results[slot], [&](op_index writer) { found.push_back(writer); });
    return found;
  }

 private:
  program_snapshot<P> snapshot_;
  dense_reaching_definitions reaching_;
};

}  // namespace plait
