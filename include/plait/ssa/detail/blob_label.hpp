// Label of a blob for messages: its name, or its number.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include <plait/ssa/versioning.hpp>

namespace plait {

/// Returns the name of a blob, "#7" where names have no text.
template <net N>
[[nodiscard]] std::string blob_label(ssa_form<N> const& ssa, blob_index b) {
  if constexpr (std::is_convertible_v<typename ssa_form<N>::key_type const&, std::string_view>)
    return std::string(std::string_view(ssa.name(b)));
  else
    return '#' + std::to_string(b);
}

}  // namespace plait
