// Liveness: which blobs are read later on, as they are now.
//
//   plait::liveness const live(f);
//   live.is_live_out(block, name)
//   for (auto const& name : live.live_in(block)) …
//   live.is_live_after(live.op(block, 3), name)
//
// A blob is live at a point if some way from there reads it before it is written. What the program results in is read
// where it ends. Bit vectors (gen_kill.hpp), backward, any way; only blobs that some block reads before it writes them
// have a bit, which in most programs is a small part of them. O(operands) beyond the solver's bounds. Blocks that the
// entry does not reach are not in it; in endless loops that nothing leaves, what they read is live and nothing else.
//
// live_ranges.hpp has the live ranges that follow, and the pressure.
#pragma once

#include <cstddef>
#include <ranges>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/dataflow/detail/dense_liveness.hpp>
#include <plait/ssa/detail/program_snapshot.hpp>

namespace plait {

/// The live blobs of a program, as it was at the last compute(), which keeps the memory of the one before. The program
/// must stay where it is. Asking for a name costs a look-up (program_snapshot::find); ask by number in loops.
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
  /// False for a name that the program does not have.
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
  /// The number of the `place`-th op of a block.
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
