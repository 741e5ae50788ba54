// Liveness of blobs: those that some path from a point reads before it writes them.
//
//   plait::liveness const live(f);
//   live.is_live_out(block, name)
//   for (auto const& name : live.live_in(block)) …
//   live.is_live_after(live.op(block, 3), name)
//
// A bit-vector problem (gen_kill.hpp), backward, union over all paths; only upward-exposed blobs have a bit, in most
// programs a small fraction. O(operands) beyond the solver's bounds. Program results are read where the program ends.
// Blocks that the entry does not reach are not in the result; in endless loops without exit only what they read is
// live.
//
// live_ranges.hpp derives live ranges and the register pressure.
#pragma once

#include <cstddef>
#include <ranges>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/dataflow/detail/dense_liveness.hpp>
#include <plait/ssa/detail/program_snapshot.hpp>

namespace plait {

/// Live blobs of a program, as of the last compute(), which reuses the memory. Refers to the program, which must not
/// move. A query by name costs a look-up (program_snapshot::find); query by number in loops.
template <program P>
class liveness {
 public:
  using node = node_t<P>;
  using key_type = program_key_t<P>;

  constexpr liveness() = default;
  constexpr explicit liveness(P const& p) { compute(p); }
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused>
  liveness(P const&&) = delete;

  constexpr void compute(P const& p) {
    snapshot_.compute(p);
    live_.compute(snapshot_.graph(), snapshot_.code());
  }
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused>
  void compute(P const&&) = delete;

  constexpr program_snapshot<P> const& snapshot() const noexcept { return snapshot_; }
  constexpr dense_liveness const& dense() const noexcept { return live_; }

  // ---- blocks; precondition: the entry reaches them
  constexpr auto live_in(node const& block) const {
    return names(live_.live_in(snapshot_.graph().reached_number(block)));
  }
  constexpr auto live_out(node const& block) const {
    return names(live_.live_out(snapshot_.graph().reached_number(block)));
  }
  /// Returns true if the blob is live; false for a name that the program does not have.
  template <class Key>
  constexpr bool is_live_in(node const& block, Key const& name) const {
    blob_index const b = snapshot_.find(name);
    return b != npos && live_.is_live_in(snapshot_.graph().reached_number(block), b);
  }
  template <class Key>
  constexpr bool is_live_out(node const& block, Key const& name) const {
    blob_index const b = snapshot_.find(name);
    return b != npos && live_.is_live_out(snapshot_.graph().reached_number(block), b);
  }

  // ---- ops; O(ops from there to the end of the block)
  /// Returns the number of the `place`-th op of a block.
  constexpr op_index op(node const& block, std::size_t place) const { return snapshot_.op(block, place); }
  template <class Key>
  constexpr bool is_live_before(op_index op, Key const& name) const {
    blob_index const b = snapshot_.find(name);
    return b != npos && live_.is_live_before(snapshot_.code(), op, b);
  }
  template <class Key>
  constexpr bool is_live_after(op_index op, Key const& name) const {
    blob_index const b = snapshot_.find(name);
    return b != npos && live_.is_live_after(snapshot_.code(), op, b);
  }

 private:
  template <class Blobs>
  constexpr auto names(Blobs blobs) const {
    return std::views::transform(blobs, [this](blob_index b) { return snapshot_.name(b); });
  }

  program_snapshot<P> snapshot_;
  dense_liveness live_;
};

}  // namespace plait
