// Tensors of views like std::mdspan (C++23, or Kokkos' reference implementation), and such views of tensors, without a
// copy.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <plait/core/errors.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/tensor.hpp>

namespace plait {

/// What std::mdspan with a strided layout offers: pointer, extents and strides, in elements.
template <class V>
concept strided_view = requires(V const& v, std::size_t axis) {
  { v.data_handle() } -> std::convertible_to<typename V::element_type*>;
  { V::rank() } -> std::convertible_to<std::size_t>;
  { v.extent(axis) } -> std::convertible_to<std::int64_t>;
  { v.stride(axis) } -> std::convertible_to<std::int64_t>;
} && element<std::remove_const_t<typename V::element_type>>;

/// A tensor in the view's memory, which must be memory of the backend and outlive it unless `owner` keeps it alive. Of
/// elements that may change only: a tensor can be written. Throws shape_error for more than 8 dimensions.
template <backend B, strided_view V>
  requires(!std::is_const_v<typename V::element_type>)
[[nodiscard]] tensor<B> borrow_view(V const& view, std::shared_ptr<void> owner = nullptr) {
  shape dims;
  strides steps = {};
  if constexpr (V::rank() != 0) {  // a std::mdspan without axes has no stride to ask for
    for (std::size_t axis = 0; axis != V::rank(); ++axis) {
      dims.push_back(static_cast<std::int64_t>(view.extent(axis)));
      steps[axis] = static_cast<std::int64_t>(view.stride(axis));
    }
  }
  return tensor<B>::adopt(view.data_handle(), {element_type_of<typename V::element_type>, dims}, steps,
                          std::move(owner));
}

namespace detail {
template <class V>
using numbers_of_axes = std::array<typename V::index_type, V::rank()>;
template <class V>
concept made_with_strides =
    std::constructible_from<typename V::mapping_type, typename V::extents_type, numbers_of_axes<V> const&>;
}  // namespace detail

/// What std::mdspan offers to be made of a pointer and a mapping, of extents alone or of extents and strides.
template <class V>
concept made_of_mapping =
    element<std::remove_const_t<typename V::element_type>> &&
    requires(std::size_t axis) {
      { V::static_extent(axis) } -> std::convertible_to<std::size_t>;
    } && std::constructible_from<typename V::extents_type, detail::numbers_of_axes<V> const&> &&
    (detail::made_with_strides<V> || std::constructible_from<typename V::mapping_type, typename V::extents_type>)&&std::
        constructible_from<V, typename V::element_type*, typename V::mapping_type>;

namespace detail {
template <class V, backend B>
typename V::mapping_type mapping_of(tensor<B> const& t) {
  using index = typename V::index_type;
  auto const refusal = [&](std::string const& why) {
    return shape_error("plait: no such view of a tensor of " + to_string(t.spec()) + ": " + why);
  };
  if (t.rank() != V::rank()) throw refusal("it has " + std::to_string(V::rank()) + " axes");
  numbers_of_axes<V> extents = {};
  numbers_of_axes<V> steps = {};
  auto const is_apart = [&](std::size_t axis) { return t.size() != 0 && t.dims()[axis] > 1; };
  for (std::size_t axis = 0; axis != V::rank(); ++axis) {
    std::int64_t const step = is_apart(axis) ? t.strides()[axis] : 1;
    std::size_t const fixed = V::static_extent(axis);
    if (fixed != static_cast<std::size_t>(-1) && !std::cmp_equal(fixed, t.dims()[axis]))
      throw refusal("its axis " + std::to_string(axis) + " has " + std::to_string(fixed) + " places");
    if (!std::in_range<index>(t.dims()[axis]) || !std::in_range<index>(step) || step < 1)
      throw refusal("it has no index for axis " + std::to_string(axis));
    extents[axis] = static_cast<index>(t.dims()[axis]);
    steps[axis] = static_cast<index>(step);
  }
  using extents_type = typename V::extents_type;
  using mapping_type = typename V::mapping_type;
  if constexpr (made_with_strides<V>) {
    return mapping_type(extents_type(extents), steps);
  } else {
    mapping_type const made{extents_type(extents)};
    if constexpr (V::rank() != 0)
      for (std::size_t axis = 0; axis != V::rank(); ++axis)
        if (is_apart(axis) && !std::cmp_equal(made.stride(axis), steps[axis]))
          throw refusal("axis " + std::to_string(axis) + " has other strides");
    return made;
  }
}
}  // namespace detail

/// The tensor's elements as a std::mdspan or the like, valid as long as its memory, which is the backend's. Throws
/// shape_error for elements of another type, another number of axes, other extents than V has fixed, and strides that
/// its layout does not have.
template <made_of_mapping V, backend B>
[[nodiscard]] V view_as(tensor<B>& t) {
  auto* const data = t.template data<std::remove_const_t<typename V::element_type>>();
  return V(data, detail::mapping_of<V>(t));
}
template <made_of_mapping V, backend B>
  requires std::is_const_v<typename V::element_type>
[[nodiscard]] V view_as(tensor<B> const& t) {
  auto* const data = t.template data<std::remove_const_t<typename V::element_type>>();
  return V(data, detail::mapping_of<V>(t));
}

}  // namespace plait
