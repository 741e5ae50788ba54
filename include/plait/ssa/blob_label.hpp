// How messages name a blob.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include <plait/core/errors.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// The name of a blob; "#7" where names have no text.
template <net N>
[[nodiscard]] std::string blob_label(ssa_form<N> const& ssa, blob_index b) {
  if constexpr (std::is_convertible_v<typename ssa_form<N>::key_type const&, std::string_view>)
    return std::string(std::string_view(ssa.name(b)));
  else
    return '#' + std::to_string(b);
}

namespace detail {
/// Throws net_error where an external output is neither written nor given.
template <net N>
void require_written_outputs(ssa_form<N> const& ssa) {
  if (ssa.unwritten_outputs().empty()) return;
  std::string const blob = blob_label(ssa, ssa.unwritten_outputs().front());
  throw net_error("plait: external output '" + blob + "' is neither written by an op nor an input of the net", {},
                  blob);
}
}  // namespace detail

}  // namespace plait
