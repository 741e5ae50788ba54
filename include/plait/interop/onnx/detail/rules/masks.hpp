// Conversion rules for ONNX operators on masks and diagonals: NonZero, Compress, EyeLike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/interop/onnx/detail/composition.hpp>
#include <plait/interop/onnx/detail/values.hpp>
#include <plait/interop/onnx/rules.hpp>

namespace plait {
namespace detail {

inline std::string onnx_counted(onnx_composition const& g, std::string const& count) {
  return g("Range", {g.number(onnx_type::int64, 0), count, g.number(onnx_type::int64, 1)});
}
// Returns the places at which a list of booleans is true.
inline std::string onnx_true_places(onnx_composition const& g, std::string const& mask) {
  return g.op("BooleanMask", {onnx_counted(g, g("Size", {mask})), mask}, {}, onnx_type::int64,
              std::vector<std::int64_t>{-1});
}

// NonZero: the coordinates of each place of the flattened tensor are quotients by the strides of the axes.
inline void onnx_non_zero(onnx_context const& c) {
  onnx_composition const g(c);
  require_type(c, 0, onnx_host_types);
  if (c.type(0) == onnx_type::undefined) c.unsupported("the type of its input must be known before the model is run");
  std::size_t const rank = c.rank(0);
  if (rank == 0) c.unsupported(input_text(c, 0) + " should have at least 1 axes");
  std::string const flags = c.type(0) == onnx_type::boolean ? g.input(0) : g.cast(g.input(0), onnx_type::boolean);
  std::string rest = onnx_true_places(g, g("Reshape", {flags, g.unsqueeze(g("Size", {flags}), {0})}));
  std::vector<std::string> rows(rank);
  for (std::size_t a = rank; a-- != 1;) {
    // At least 1: a tensor without elements has no coordinates to divide, but a division by zero is refused.
    std::string const extent =
        g("Max", {g.extent(g.input(0), static_cast<std::int64_t>(a)), g.number(onnx_type::int64, 1)});
    std::string const before = g("Div", {rest, extent});
    rows[a] = g.unsqueeze(g("Sub", {rest, g("Mul", {before, extent})}), {0});
    rest = before;
  }
  rows[0] = g.unsqueeze(rest, {0});
  g.make(0, "Concat", rows, {onnx_argument("axis", std::int64_t{0})});
}

// Compress: Gather refuses a place beyond the axis that is to be kept.
inline void onnx_compress(onnx_context const& c) {
  onnx_composition const g(c);
  require_rank(c, 1, 1, 1);
  std::string const places = onnx_true_places(g, g.input(1));
  if (c.has("axis")) {
    if (c.dims(0)) static_cast<void>(c.axis(0, c.integer("axis", 0)));
    return g.make(0, "Gather", {g.input(0), places}, {onnx_argument("axis", c.integer("axis", 0))});
  }
  std::string const flat = g("Reshape", {g.input(0), g.unsqueeze(g("Size", {g.input(0)}), {0})});
  g.make(0, "Gather", {flat, places});
}

inline void onnx_eye_like(onnx_context const& c) {
  onnx_composition const g(c);
  require_rank(c, 0, 2, 2);
  auto const to = c.has("dtype") ? static_cast<onnx_type>(c.integer("dtype", 1)) : c.type(0);
  static_cast<void>(require_runtime_type(c, to));
  std::string const shift = g.constant({{}, std::vector<std::int64_t>{c.integer("k", 0)}});
  std::string const rows = g.unsqueeze(onnx_counted(g, g.extent(g.input(0), 0)), {1});
  std::string const columns = onnx_counted(g, g.extent(g.input(0), 1));
  g.make(0, "Cast", {g("Equal", {g("Add", {rows, shift}), columns})}, {onnx_argument("to", to)});
}

}  // namespace detail

inline void add_onnx_mask_rules(onnx_rules& rules) {
  rules.set("NonZero", detail::onnx_non_zero);
  rules.set("Compress", detail::onnx_compress);
  rules.set("EyeLike", detail::onnx_eye_like);
}

}  // namespace plait
