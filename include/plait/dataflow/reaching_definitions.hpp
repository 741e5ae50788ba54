// Reaching definitions: which ops may have written what an op reads.
//
//   plait::reaching_definitions const reaching(f);
//   for (plait::op_index writer : reaching.of_input(reaching.op(block, 3), 0)) …
//
// A write of a blob reaches a point if some way leads there on which the blob is not written again. Bit vectors
// (gen_kill.hpp), forward, any way; only blobs that some block reads before it writes them have bits, one for each
// block that writes them and one for what enters the program. A fact of a blob is beside the others of it, so that a
// block takes out all of them by the word. O(operands + writing blocks × facts of a blob / 64) beyond the solver's
// bounds. Blocks that the entry does not reach are not in it. SSA form (ssa/construction.hpp) says the same with one
// definition for every read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/dataflow/detail/dense_reaching_definitions.hpp>
#include <plait/ssa/detail/program_snapshot.hpp>

namespace plait {

/// The definitions that reach the reads of a program, as it was at the last compute(), which keeps the memory of the
/// one before. The program must stay where it is. Ops are known by number; npos is none of them, but stands for what
/// enters the program, whether it declares to be given it or not.
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

  /// The number of the `place`-th op of a block.
  constexpr op_index op(node const& block, std::size_t place) const { return snapshot_.op(block, place); }

  /// The ops one of which wrote the `slot`-th input of an op, ascending, what enters the program first.
  constexpr std::vector<op_index> of_input(op_index op, std::size_t slot) const {
    auto const reads = snapshot_.code().reads(op);
    PLAIT_ASSERT(slot < reads.size(), "reaching_definitions: no such input");
    std::vector<op_index> found;
    reaching_.visit_before(snapshot_.code(), op, reads[slot], [&](op_index writer) { found.push_back(writer); });
    return found;
  }
  /// The same for the `slot`-th result of a program that ends in this block.
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
