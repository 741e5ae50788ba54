// Base class that marks graph views: small values that other views may copy.
#pragma once

#include <concepts>
#include <type_traits>

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

struct graph_view_base {};

template <class G>
concept graph_view = std::derived_from<std::remove_cvref_t<G>, graph_view_base>;

}  // namespace plait::detail
