// Tensors of views like std::mdspan (C++23, or Kokkos' reference implementation), without a copy.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <plait/exec/element_type.hpp>
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
  for (std::size_t axis = 0; axis != V::rank(); ++axis) {
    dims.push_back(static_cast<std::int64_t>(view.extent(axis)));
    steps[axis] = static_cast<std::int64_t>(view.stride(axis));
  }
  return tensor<B>::adopt(view.data_handle(), {element_type_of<typename V::element_type>, dims}, steps,
                          std::move(owner));
}

}  // namespace plait
