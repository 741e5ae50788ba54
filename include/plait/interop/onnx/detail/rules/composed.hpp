// Conversion rules for ONNX operators that are compositions of others: DepthToSpace, SpaceToDepth, LpPool, activations,
// integer powers, AffineGrid, window functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/composition.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/rules/elementwise.hpp>
#include <plait/interop/onnx/detail/rules/normalizations.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

// ---- blocks of pixels
inline std::int64_t onnx_block_size(onnx_context const& c) {
  require_rank(c, 0, 4, 4);
  std::int64_t const size = c.integer("blocksize", 0);
  if (size < 1 || size > std::int64_t{1} << 20) c.unsupported("a blocksize of " + std::to_string(size));
  return size;
}
// Returns true if the places of a block are the outer index of a channel.
inline bool onnx_depth_first(onnx_context const& c) {
  std::string const mode = c.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") c.unsupported("the mode must be DCR or CRD");
  return mode == "DCR";
}
inline void onnx_depth_to_space(onnx_context const& c) {
  onnx_composition const g(c);
  std::int64_t const b = onnx_block_size(c);
  if (c.dims(0) && (*c.dims(0))[1] >= 0 && (*c.dims(0))[1] % (b * b) != 0)
    c.unsupported(input_text(c, 0) + " has no blocks of " + std::to_string(b * b) + " channels");
  std::string const& x = g.input(0);
  bool const depth_first = onnx_depth_first(c);
  std::string const head =
      g.list(depth_first ? std::vector<std::int64_t>{0, b, b, -1} : std::vector<std::int64_t>{0, -1, b, b});
  std::string const parts = g("Reshape", {x, g.concat({head, g.extents(x, 2, 4)}, 0)});
  std::string const turned = g.transpose(
      parts, depth_first ? std::vector<std::int64_t>{0, 3, 4, 1, 5, 2} : std::vector<std::int64_t>{0, 1, 4, 2, 5, 3});
  std::string const size = g("Mul", {g.extents(x, 2, 4), g.list({b})});
  g.make(0, "Reshape", {turned, g.concat({g.list({0, -1}), size}, 0)});
}
inline void onnx_space_to_depth(onnx_context const& c) {
  onnx_composition const g(c);
  std::int64_t const b = onnx_block_size(c);
  for (std::size_t const axis : {2U, 3U})
    if (c.dims(0) && (*c.dims(0))[axis] >= 0 && (*c.dims(0))[axis] % b != 0)
      c.unsupported(input_text(c, 0) + " has no blocks of " + std::to_string(b));
  std::string const& x = g.input(0);
  auto const blocks = [&](std::int64_t axis) { return g("Div", {g.extents(x, axis, axis + 1), g.list({b})}); };
  std::string const shape = g.concat({g.extents(x, 0, 2), blocks(2), g.list({b}), blocks(3), g.list({b})}, 0);
  std::string const turned =
      g.transpose(g("Reshape", {x, shape}), onnx_depth_first(c) ? std::vector<std::int64_t>{0, 3, 5, 1, 2, 4}
                                                                : std::vector<std::int64_t>{0, 1, 3, 5, 2, 4});
  g.make(0, "Reshape", {turned, g.concat({g.list({0, -1}), blocks(2), blocks(3)}, 0)});
}

// ---- pooling by a norm
// Returns |x|^p, or x^(1/p) of numbers that are not negative.
inline std::string onnx_power(onnx_context const& c, std::string const& x, std::int64_t p, bool inverse) {
  onnx_composition const g(c);
  if (inverse) {
    if (p == 1) return x;
    if (p == 2) return g("Sqrt", {x});
    return g("Pow", {x, g.number(c.type(0), 1.0 / static_cast<double>(p))});
  }
  if (p == 1) return g("Abs", {x});
  if (p == 2) return g("Mul", {x, x});
  return g("Pow", {g("Abs", {x}), g.number(c.type(0), static_cast<double>(p))});
}
inline std::int64_t onnx_norm_order(onnx_context const& c) {
  if (c.opset() < 2) c.unsupported(c.node().type + " before version 2 of the operators");
  std::int64_t const p = c.integer("p", 2);
  if (p < 1) c.unsupported("a norm of order " + std::to_string(p));
  return p;
}
// LpPool: means of a window whose padding counts, times its size.
inline void onnx_lp_pool(onnx_context const& c) {
  onnx_composition const g(c);
  onnx_type const real = onnx_known_float(c, 0);
  std::int64_t const p = onnx_norm_order(c);
  if (c.integer("ceil_mode", 0) != 0) c.unsupported("windows that end behind the padding (ceil_mode)");
  std::vector<onnx_attribute> arguments{onnx_argument("count_include_pad", 1)};
  for (onnx_attribute const& a : c.node().attributes)
    if (a.name != "p" && a.name != "ceil_mode") arguments.push_back(a);
  double size = 1;
  for (std::int64_t const extent : c.integers("kernel_shape")) size *= static_cast<double>(extent);
  std::string const means = g("AveragePool", {onnx_power(c, g.input(0), p, false)}, std::move(arguments));
  g.make(0, "Identity", {onnx_power(c, g("Mul", {means, g.number(real, size)}), p, true)});
}
inline void onnx_global_lp_pool(onnx_context const& c) {
  onnx_composition const g(c);
  static_cast<void>(onnx_known_float(c, 0));
  std::int64_t const p = onnx_norm_order(c);
  std::vector<std::int64_t> axes;
  for (std::size_t a = 2; a < c.rank(0); ++a) axes.push_back(static_cast<std::int64_t>(a));
  if (axes.empty()) c.unsupported(input_text(c, 0) + " has no places to reduce");
  std::string const sum = g.reduce("ReduceSum", onnx_power(c, g.input(0), p, false), axes, true);
  g.make(0, "Identity", {onnx_power(c, sum, p, true)});
}

// ---- element-wise
inline std::string onnx_swish_of(onnx_context const& c) {
  onnx_composition const g(c);
  onnx_type const real = onnx_known_float(c, 0);
  float const alpha = c.real("alpha", 1);
  std::string const& x = g.input(0);
  std::string const gate = alpha == 1 ? x : g("Mul", {x, g.number(real, static_cast<double>(alpha))});
  return g("Mul", {x, g("Sigmoid", {gate})});
}
inline void onnx_swiglu(onnx_context const& c) {
  onnx_composition const g(c);
  if (c.dims(0)) require_dims(c, 1, *c.dims(0), "as input 0 is");
  std::string const gate = onnx_swish_of(c);
  std::string const made = g("Mul", {gate, g.input(1)});
  if (known_alike(c.dims(0), c.dims(1))) return g.make(0, "Identity", {made});
  // A sum of a node's inputs checks that their shapes are equal.
  g.op("Sum", {g.input(0), g.input(1)}, {}, c.type(0), c.dims(0));
  g.make(0, "Identity", {made});
}

// Pow of integers, by squaring: wraps as products do. Exponents are 0 to 63: Gather refuses others.
inline void onnx_integer_pow(onnx_context const& c) {
  onnx_composition const g(c);
  if (c.opset() < 7) c.unsupported("Pow of integers before version 7 of the operators");
  require_type(c, 1, {onnx_type::int32, onnx_type::int64});
  onnx_type const index = c.type(1);
  if (index == onnx_type::undefined) c.unsupported("the type of the exponent must be known before the model is run");
  std::int64_t most = 63;
  if (c.constant(1) != nullptr) {
    most = 0;
    for (std::int64_t const each : c.known_integers(1, "the exponent")) {
      if (each < 0 || each > 63) c.unsupported("an exponent of integers should be 0 to 63");
      most = std::max(most, each);
    }
  }
  std::vector<std::int64_t> all(64);
  std::iota(all.begin(), all.end(), std::int64_t{0});
  std::string rest = c.constant(1) != nullptr
                         ? g("Cast", {g.input(1)}, {onnx_argument("to", onnx_type::int64)})
                         : g.op("Gather", {g.list(all), g.input(1)}, {}, onnx_type::int64, c.dims(1));
  std::string base = g.input(0);
  std::string made = g.number(c.type(0), 1);
  std::string const two = g.number(onnx_type::int64, 2);
  std::string const one = g.number(onnx_type::int64, 1);
  for (; most != 0; most /= 2) {
    std::string const half = g("Div", {rest, two});
    std::string const is_odd = g("Equal", {g("Sub", {rest, g("Mul", {half, two})}), one});
    made = g("Where", {is_odd, g("Mul", {made, base}), made});
    rest = half;
    if (most > 1) base = g("Mul", {base, base});
  }
  // Equal broadcasts to the exponents' shape, also where all of them are 0.
  std::string const zero = g("Sub", {g.input(0), g.input(0)});
  std::string const shaped = g("Add", {made, zero});
  std::string const ones = g.cast(g("Equal", {g.input(1), g.input(1)}), c.type(0));
  g.make(0, "Mul", {shaped, ones});
}

// ---- grids and windows
// Returns `count` places that are evenly spaced from -1 to 1: centres of cells, or with `corners` their ends.
inline std::string onnx_grid_places(onnx_composition const& g, onnx_type real, std::string const& count, bool corners) {
  std::string const steps = g("Range", {g.number(onnx_type::int64, 0), count, g.number(onnx_type::int64, 1)});
  std::string const two = g.number(real, 2);
  std::string const one = g.number(real, 1);
  std::string const at = g("Mul", {g.cast(steps, real), two});
  std::string const cells = g.cast(count, real);
  if (corners) return g("Sub", {g("Div", {at, g("Sub", {cells, one})}), one});
  return g("Sub", {g("Div", {g("Add", {at, one}), cells}), one});
}
inline void onnx_affine_grid(onnx_context const& c) {
  onnx_composition const g(c);
  onnx_type const real = onnx_known_float(c, 0);
  if (!c.dims(1) || c.dims(1)->size() != 1 || c.dims(1)->front() < 0)
    c.unsupported("the number of extents must be known before the model is run");
  std::int64_t const places = c.dims(1)->front() - 2;
  if (places != 2 && places != 3) c.unsupported(input_text(c, 1) + " should have 4 or 5 extents");
  require_dims(c, 0, {-1, places, places + 1}, "an affine matrix for each image");
  bool const corners = c.integer("align_corners", 0) != 0;
  std::string const shape = g.slice(g.input(1), 0, 2, places + 2);
  if (corners)
    if (tensor_value const* const size = c.constant(1))
      if (auto const* const extents = std::get_if<std::vector<std::int64_t>>(&size->data))
        for (std::int64_t k = 2; k != places + 2; ++k)
          if ((*extents)[static_cast<std::size_t>(k)] < 2) c.unsupported("align_corners with an extent below 2");
  // Homogeneous positions as rows x, y, [z,] 1.
  std::vector<std::string> rows;
  for (std::int64_t a = places; a-- != 0;) {
    std::string const count = g("Squeeze", {g.slice(shape, 0, a, a + 1)});
    std::vector<std::int64_t> column(static_cast<std::size_t>(places), 1);
    column[static_cast<std::size_t>(a)] = -1;
    std::string const along = g("Reshape", {onnx_grid_places(g, real, count, corners), g.list(column)});
    rows.push_back(g("Reshape", {g("Expand", {along, shape}), g.list({1, -1})}));
  }
  rows.push_back(g("Expand", {g.number(real, 1), g("Shape", {rows.front()})}));
  std::string const made = g.transpose(g("MatMul", {g.input(0), g.concat(rows, 0)}), {0, 2, 1});
  g.make(0, "Reshape", {made, g.concat({g.extents(g.input(0), 0, 1), shape, g.list({places})}, 0)});
}
// Window functions: sums of cosines of multiples of 2 pi n / N.
inline void onnx_window(onnx_context const& c, std::vector<double> const& factors) {
  onnx_composition const g(c);
  auto const to = static_cast<onnx_type>(c.integer("output_datatype", 1));
  static_cast<void>(require_runtime_type(c, to));
  require_scalar(c, 0, true);
  constexpr onnx_type real = onnx_type::float64;
  std::string const count = g.cast(g("Reshape", {g.input(0), g.list({})}), onnx_type::int64);
  std::string const one = g.number(onnx_type::int64, 1);
  std::string const period = c.integer("periodic", 1) != 0 ? count : g("Sub", {count, one});
  std::string const steps = g("Range", {g.number(onnx_type::int64, 0), count, one});
  std::string const turns = g("Div", {g.cast(steps, real), g.cast(period, real)});
  std::string made = g.number(real, factors[0]);
  for (std::size_t k = 1; k != factors.size(); ++k) {
    double const angle = 2 * std::numbers::pi * static_cast<double>(k);
    std::string const wave = g("Cos", {g("Mul", {turns, g.number(real, angle)})});
    made = g("Add", {made, g("Mul", {wave, g.number(real, factors[k])})});
  }
  g.make(0, "Cast", {made}, {onnx_argument("to", to)});
}

}  // namespace detail

inline void add_onnx_composed_rules(onnx_rules& rules) {
  using detail::onnx_composition;
  rules.set("DepthToSpace", detail::onnx_depth_to_space);
  rules.set("SpaceToDepth", detail::onnx_space_to_depth);
  rules.set("LpPool", detail::onnx_lp_pool);
  rules.set("GlobalLpPool", detail::onnx_global_lp_pool);
  rules.set("Mish", [](onnx_context const& c) {
    onnx_composition const g(c);
    detail::require_type(c, 0, detail::onnx_floats);
    g.make(0, "Mul", {g.input(0), g("Tanh", {g("Softplus", {g.input(0)})})});
  });
  rules.set("Swish",
            [](onnx_context const& c) { onnx_composition(c).make(0, "Identity", {detail::onnx_swish_of(c)}); });
  rules.set("SwiGLU", detail::onnx_swiglu);
  rules.set("Pow", [](onnx_context const& c) {
    if (detail::is_integer(c.type(0))) return detail::onnx_integer_pow(c);
    detail::onnx_pow(c);
  });
  rules.set("AffineGrid", detail::onnx_affine_grid);
  rules.set("HannWindow", [](onnx_context const& c) { detail::onnx_window(c, {0.5, -0.5}); });
  rules.set("HammingWindow", [](onnx_context const& c) { detail::onnx_window(c, {25.0 / 46, -21.0 / 46}); });
  rules.set("BlackmanWindow", [](onnx_context const& c) { detail::onnx_window(c, {0.42, -0.5, 0.08}); });
}

}  // namespace plait
