// Block rows of stacked gate weights: slicing, concatenation and permutation along the first axis.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <plait/core/detail/element_type.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/parameter.hpp>

namespace plait::detail {

/// Returns a shape as text, such as "2×3".
inline std::string extents_text(std::vector<std::int64_t> const& shape) {
  std::string made;
  for (std::int64_t const extent : shape) made += (made.empty() ? "" : "×") + std::to_string(extent);
  return made.empty() ? "a scalar" : made;
}

/// Throws net_error unless a tensor has that shape and type, is float32 or float64, and fills its shape.
inline void expect_weight(tensor_value const& t, std::string const& name, std::vector<std::int64_t> const& shape,
                          element_type type) {
  auto const fail = [&](std::string const& is, std::string const& should) {
    throw net_error("plait: recurrent weights: '" + name + "' is " + is + ", and should be " + should, {}, name);
  };
  if (t.shape != shape) fail(extents_text(t.shape), extents_text(shape));
  if (t.type() != element_type::float32 && t.type() != element_type::float64)
    fail(std::string(to_string(t.type())), "float32 or float64");
  if (t.type() != type) fail(std::string(to_string(t.type())), std::string(to_string(type)) + " as the others are");
  if (!is_well_formed(t)) fail(std::to_string(t.size()) + " elements", "as many as " + extents_text(shape) + " has");
}

inline tensor_value zero_weights(std::vector<std::int64_t> shape, element_type type) {
  std::size_t const count = element_count(shape).value_or(0);
  if (type == element_type::float64) return {std::move(shape), std::vector<double>(count)};
  return {std::move(shape), std::vector<float>(count)};
}

/// Returns the i-th of `count` equal blocks along the first axis, whose extent must be a multiple of `count`.
inline tensor_value block_of_rows(tensor_value const& t, std::size_t i, std::size_t count) {
  tensor_value made = t;
  made.shape[0] /= static_cast<std::int64_t>(count);
  std::visit(
      [&]<class T>(std::vector<T>& elements) {
        std::size_t const size = elements.size() / count;
        elements = {elements.begin() + static_cast<std::ptrdiff_t>(i * size),
                    elements.begin() + static_cast<std::ptrdiff_t>((i + 1) * size)};
      },
      made.data);
  return made;
}

/// Concatenates tensors along the first axis. Throws net_error if they differ in type or in another axis.
inline tensor_value concat_rows(std::span<tensor_value const> parts) {
  tensor_value made = parts.front();
  for (tensor_value const& part : parts.subspan(1)) {
    bool same = part.data.index() == made.data.index() && part.shape.size() == made.shape.size() && !part.shape.empty();
    same = same && std::equal(part.shape.begin() + 1, part.shape.end(), made.shape.begin() + 1);
    if (!same)
      throw net_error("plait: recurrent weights: " + extents_text(part.shape) + " cannot be concatenated to " +
                      extents_text(made.shape));
    made.shape[0] += part.shape[0];
    std::visit(
        [&]<class T>(std::vector<T>& elements) {
          auto const& more = std::get<std::vector<T>>(part.data);
          elements.insert(elements.end(), more.begin(), more.end());
        },
        made.data);
  }
  return made;
}

/// Permutes equal blocks of the first axis: block k of the result is block order[k]. Throws net_error if the extent is
/// not a multiple of the number of blocks.
inline tensor_value reordered_rows(tensor_value const& t, std::span<std::size_t const> order, std::string const& name) {
  if (t.shape.empty() || t.shape[0] % static_cast<std::int64_t>(order.size()) != 0 || !is_well_formed(t))
    throw net_error("plait: recurrent weights: '" + name + "' is " + extents_text(t.shape) + " with " +
                        std::to_string(t.size()) + " elements, which are not the rows of " +
                        std::to_string(order.size()) + " gates",
                    {}, name);
  std::vector<tensor_value> parts;
  for (std::size_t const from : order) parts.push_back(block_of_rows(t, from, order.size()));
  return concat_rows(parts);
}

}  // namespace plait::detail
