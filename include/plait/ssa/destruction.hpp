// SSA destruction (out-of-SSA translation) of a program: locations of versions, and copies that replace phis.
//
//   plait::program_ssa const ssa(f);
//   plait::program_destruction const out(f, ssa);
//   for (plait::location_copy const& c : out.copies_at_end(block)) …   // c.to, c.from: locations
//
// The result is a side table; ssa/program_rewrite.hpp changes the program itself. Algorithm and bounds are those of
// dense_destruction.hpp. An unchanged form from construction needs no copies: each blob is a location again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/ssa/construction.hpp>
#include <plait/ssa/detail/critical_edges.hpp>
#include <plait/ssa/detail/dense_destruction.hpp>
#include <plait/ssa/program_mutation.hpp>

namespace plait {

namespace detail {
// Returns, by block, the number of the op within it before which copies at its end are inserted.
template <program P>
constexpr std::vector<std::uint32_t> copy_places(P const& p, flow_snapshot<P> const& graph, dense_ssa const& form) {
  static_assert(check_copy_place<P>());
  std::vector<std::uint32_t> places;
  for (std::uint32_t b = 0; b != graph.size(); ++b) {
    auto const ops = static_cast<std::uint32_t>(form.ops(b).size());
    if constexpr (has_copy_place<P>) {
      places.push_back(static_cast<std::uint32_t>(program_traits_of<P>::copy_place(p, graph.node(b))));
      PLAIT_ASSERT(places.back() <= ops, "program_traits<P>::copy_place(p, n) is beyond the ops of n");
    } else {
      places.push_back(ops);
    }
  }
  return places;
}
}  // namespace detail

/// Locations and copies of a program. Refers to the form, which must outlive it. The program is read only.
template <program P>
class program_destruction {
 public:
  using node = node_t<P>;

  constexpr program_destruction() = default;
  /// Computes locations and copies. Throws net_error as dense_destruction does.
  constexpr program_destruction(P const& p, program_ssa<P> const& ssa) { compute(p, ssa); }
  template <class Because = because::it_refers_to_the_ssa_form_so_a_temporary_is_refused>
  program_destruction(P const&, program_ssa<P> const&&) = delete;

  /// Computes locations and copies. `changed` is a transformed ssa.form(), such as after copy propagation, with the
  /// same numbers of values and blocks.
  constexpr void compute(P const& p, program_ssa<P> const& ssa) { compute(p, ssa, ssa.form()); }
  constexpr void compute(P const& p, program_ssa<P> const& ssa, dense_ssa const& changed) {
    std::vector<std::uint32_t> blobs;
    for (value_index v = 0; v != ssa.form().value_count(); ++v) blobs.push_back(ssa.form().blob(v));
    std::vector<std::uint32_t> const places = detail::copy_places(p, ssa.graph(), changed);
    dense_.compute(ssa.graph(), ssa.dominators(), changed, {.copy_places = places, .groups = blobs});
    ssa_ = &ssa;
    blob_.assign(dense_.location_count(), npos);
    for (bool const outside : {false, true})
      for (auto v = static_cast<value_index>(blobs.size()); v-- != 0;)
        if (std::uint32_t const at = dense_.location(v);
            at != npos && (changed.definition(v) == ssa_site() || !outside))
          blob_[at] = blobs[v];
  }

  /// Returns the number of locations, 0 … location_count() - 1. temporary() is another one; npos if no copies need it.
  constexpr std::size_t location_count() const noexcept { return dense_.location_count(); }
  constexpr std::uint32_t temporary() const noexcept { return dense_.temporary(); }
  /// Returns the location of a value; npos for a version that nothing defines or reads.
  constexpr std::uint32_t location(value v) const { return dense_.location(ssa_->form().index(v)); }
  /// Returns the blob of the first version in a location; npos for one that only copies use. Several locations can be
  /// of one blob. The location of a version 0 has its blob.
  constexpr blob_index blob(std::uint32_t location) const { return blob_[location]; }

  /// Returns the copies in order; those at the end of a block go before the op at copy_place(p, n).
  constexpr std::span<location_copy const> copies_at_start(node const& n) const {
    return dense_.copies_at_start(ssa_->graph().reached_number(n));
  }
  constexpr std::span<location_copy const> copies_at_end(node const& n) const {
    return dense_.copies_at_end(ssa_->graph().reached_number(n));
  }
  /// Returns the copies on entry to the program.
  constexpr std::span<location_copy const> copies_outside() const { return dense_.copies_outside(); }
  constexpr std::size_t copy_count() const noexcept { return dense_.copy_count(); }
  constexpr dense_destruction const& dense() const noexcept { return dense_; }

 private:
  program_ssa<P> const* ssa_ = nullptr;
  dense_destruction dense_;
  std::vector<blob_index> blob_;
};

}  // namespace plait
