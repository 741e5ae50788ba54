// Conversion between tensor values and tensors of a backend, into workspaces and out of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/blob.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/mdspan.hpp>
#include <plait/exec/detail/quantised_blob.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/tensor.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/net/detail/parameter.hpp>

namespace plait {

/// Returns a tensor of the backend. Throws shape_error for a type that the runtime lacks, for a value whose number of
/// elements does not match its shape, and for a quantised one, which is not a tensor of numbers (see feed).
template <backend B>
[[nodiscard]] tensor<B> to_tensor(tensor_value const& value) {
  if (value.quantised) throw shape_error("plait: a quantised tensor is no tensor of numbers");
  return std::visit(
      [&]<class T>(std::vector<T> const& elements) -> tensor<B> {
        if constexpr (element<T>)
          return tensor<B>::from(elements, shape(value.shape));
        else
          throw shape_error("plait: the runtime has no tensors of " + std::string(to_string(value.type())));
      },
      value.data);
}

/// Returns a copy of a tensor on the host. Throws shape_error for a type that tensor_value lacks.
template <backend B>
[[nodiscard]] tensor_value to_value(tensor<B> const& t) {
  tensor_value made{{t.dims().begin(), t.dims().end()}, {}};
  bool const known = visit_type<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, bool,
                                std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(
      t.type(), [&]<class T>(T) { made.data = t.template values<T>(); });
  if (!known) throw shape_error("plait: there are no values of " + std::string(to_string(t.type())));
  return made;
}

/// Sets each parameter's blob to its tensor, or a quantised_blob. Throws what to_tensor and quantised_blob throw; then
/// no blob has changed.
template <backend B, std::ranges::forward_range Parameters>
  requires std::convertible_to<std::ranges::range_reference_t<Parameters const&>, parameter const&>
void feed(workspace<B>& blobs, Parameters const& parameters) {
  std::vector<blob<B>> made;
  made.reserve(static_cast<std::size_t>(std::ranges::distance(parameters)));
  for (parameter const& each : parameters)
    if (each.value.quantised)
      made.push_back({{}, std::make_shared<quantised_blob>(each.value), true});
    else
      made.push_back({to_tensor<B>(each.value), nullptr, true});
  auto next = made.begin();
  for (parameter const& each : parameters) blobs.get(each.name) = std::move(*next++);
}

/// Returns the values of blobs as parameters, to be fed again or for init_net_from_parameters. Throws net_error naming
/// a blob that does not exist or holds neither a tensor nor a quantised one, and what to_value throws.
template <backend B, std::ranges::input_range Names = std::initializer_list<std::string_view>>
  requires std::convertible_to<std::ranges::range_reference_t<Names const&>, std::string_view>
[[nodiscard]] std::vector<parameter> fetch(workspace<B> const& blobs, Names const& names) {
  std::vector<parameter> made;
  for (std::string_view const name : names) {
    blob<B> const* const found = blobs.find(name);
    auto const quantised = found == nullptr ? nullptr : std::dynamic_pointer_cast<quantised_blob>(found->object);
    made.push_back({std::string(name), quantised != nullptr ? quantised->value() : to_value(blobs.view(name))});
  }
  return made;
}

}  // namespace plait
