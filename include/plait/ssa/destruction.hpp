// Takes a program out of SSA form, as a side table: where each version of a blob lives, and what is to be copied at the
// starts and ends of blocks in place of phis.
//
//   plait::program_ssa const ssa(f);
//   plait::program_destruction const out(f, ssa);
//   for (plait::location_copy const& c : out.copies_at_end(block)) …   // c.to, c.from: locations
//
// How, and at what cost, stands in dense_destruction.hpp; ssa/program_rewrite.hpp changes the program itself. A form
// that came from construction and was not changed needs no copies: each blob is its own location again.
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
// By block: before which op copies at its end stand.
template <program P>
constexpr std::vector<std::uint32_t> copy_places(P const& p, flow_snapshot<P> const& graph, dense_ssa const& form) {
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

/// Locations and copies for a program that is only read. It refers to the form, which must outlive it.
template <program P>
class program_destruction {
 public:
  using node = node_t<P>;

  constexpr program_destruction() = default;
  /// Throws net_error as dense_destruction does.
  constexpr program_destruction(P const& p, program_ssa<P> const& ssa) { compute(p, ssa); }
  template <class Because = because::it_refers_to_the_ssa_form_so_a_temporary_is_refused>
  program_destruction(P const&, program_ssa<P> const&&) = delete;

  /// `changed` is the form if it is no longer that of `ssa`, such as after copies were propagated; its values and
  /// blocks have the same numbers.
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

  /// Locations are 0 … location_count() - 1; temporary() is another one, npos if no copies need it.
  constexpr std::size_t location_count() const noexcept { return dense_.location_count(); }
  constexpr std::uint32_t temporary() const noexcept { return dense_.temporary(); }
  /// npos for a version that nothing defines or reads.
  constexpr std::uint32_t location(value v) const { return dense_.location(ssa_->form().index(v)); }
  /// The blob of the first version that lives in a location; npos for one that only copies use. Several locations may
  /// be of one blob. A version 0 lives in one that says its blob.
  constexpr blob_index blob(std::uint32_t location) const { return blob_[location]; }

  /// In order; at the end of a block they stand before the op at copy_place(p, n).
  constexpr std::span<location_copy const> copies_at_start(node const& n) const {
    return dense_.copies_at_start(ssa_->graph().reached_number(n));
  }
  constexpr std::span<location_copy const> copies_at_end(node const& n) const {
    return dense_.copies_at_end(ssa_->graph().reached_number(n));
  }
  /// When control enters the program.
  constexpr std::span<location_copy const> copies_outside() const { return dense_.copies_outside(); }
  constexpr std::size_t copy_count() const noexcept { return dense_.copy_count(); }
  constexpr dense_destruction const& dense() const noexcept { return dense_; }

 private:
  program_ssa<P> const* ssa_ = nullptr;
  dense_destruction dense_;
  std::vector<blob_index> blob_;
};

}  // namespace plait
