// Check that each external output of a net is written or an input, for transforms that require it.
#pragma once

#include <string>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/ssa/detail/blob_label.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

namespace detail {
/// Throws net_error if an external output is neither written nor an input.
template <net N>
void require_written_outputs(ssa_form<N> const& ssa) {
  if (ssa.unwritten_outputs().empty()) return;
  std::string const blob = blob_label(ssa, ssa.unwritten_outputs().front());
  raise(
      net_error("plait: external output '" + blob + "' is neither written by an op nor an input of the net", {}, blob));
}
}  // namespace detail

}  // namespace plait
