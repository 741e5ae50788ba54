// What is promised must be there: a check of a net's external outputs, for transforms that a missing one would mislead.
#pragma once

#include <string>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/ssa/detail/blob_label.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

namespace detail {
/// Throws net_error where an external output is neither written nor given.
template <net N>
void require_written_outputs(ssa_form<N> const& ssa) {
  if (ssa.unwritten_outputs().empty()) return;
  std::string const blob = blob_label(ssa, ssa.unwritten_outputs().front());
  raise(
      net_error("plait: external output '" + blob + "' is neither written by an op nor an input of the net", {}, blob));
}
}  // namespace detail

}  // namespace plait
