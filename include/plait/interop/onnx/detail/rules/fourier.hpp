// Conversion rules for ONNX's Fourier transforms, DFT and STFT: products with the matrix of roots of unity.
#pragma once

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
#include <plait/interop/onnx/detail/rules/normalizations.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

/// Fourier transform of rows of `length` numbers, each of which is real or a pair of a real and an imaginary part.
struct onnx_fourier {
  std::int64_t length = 0;
  bool is_complex = false;
  bool one_sided = false;  ///< only the first length / 2 + 1 results
  bool inverse = false;

  static constexpr std::int64_t most_elements = std::int64_t{1} << 24;  ///< maximum size of the matrix

  std::int64_t bins() const { return one_sided ? length / 2 + 1 : length; }
  /// Returns the matrix whose product with a row is the transform: results are pairs.
  tensor_value matrix(onnx_type real) const {
    std::int64_t const parts = is_complex ? 2 : 1;
    std::vector<double> made;
    for (std::int64_t n = 0; n != length; ++n)
      for (std::int64_t part = 0; part != parts; ++part)
        for (std::int64_t k = 0; k != bins(); ++k) {
          double const turn = static_cast<double>(n * k % length) / static_cast<double>(length);
          double const angle = (inverse ? 2 : -2) * std::numbers::pi * turn;
          double const scale = inverse ? 1 / static_cast<double>(length) : 1;
          double const cosine = std::cos(angle) * scale;
          double const sine = std::sin(angle) * scale;
          made.push_back(part == 0 ? cosine : -sine);
          made.push_back(part == 0 ? sine : cosine);
        }
    std::vector<std::int64_t> dims{length * parts, bins() * 2};
    if (real == onnx_type::float64) return {std::move(dims), std::move(made)};
    return {std::move(dims), std::vector<float>(made.begin(), made.end())};
  }
  /// Returns the transforms of the rows of x, whose last axis has a row; they have the axes bins and 2.
  std::string of(onnx_context const& c, std::string const& x, std::size_t rank) const {
    onnx_composition const g(c);
    if (length < 1 || length * (is_complex ? 2 : 1) > most_elements / (2 * bins()))
      c.unsupported("a transform of " + std::to_string(length) + " numbers");
    std::string const flat = g("MatMul", {x, g.constant(matrix(c.type(0)))});
    return g("Reshape",
             {flat, g.concat({g.extents(x, 0, static_cast<std::int64_t>(rank) - 1), g.list({bins(), 2})}, 0)});
  }
};

/// Returns true if the last axis of input 0 holds a real and an imaginary part, not one number.
inline bool onnx_is_complex(onnx_context const& c) {
  std::int64_t const parts = c.dims(0)->back();
  if (parts < 0) c.unsupported("the extent of the last axis " + std::string(onnx_must_be_known));
  if (parts != 1 && parts != 2) c.unsupported(input_text(c, 0) + " should have 1 or 2 numbers along the last axis");
  return parts == 2;
}
/// Returns an input that is one known integer.
inline std::int64_t onnx_known_one(onnx_context const& c, std::size_t i, char const* what) {
  require_scalar(c, i);
  auto const known = c.known_integers(i, what);
  if (known.size() != 1) c.unsupported(std::string(what) + " should be one number");
  return known[0];
}

// DFT along an axis, of as many elements as it has or as are asked for: others are cut off, or are 0.
inline void onnx_dft(onnx_context const& c) {
  onnx_composition const g(c);
  onnx_type const real = onnx_known_float(c, 0);
  std::size_t const rank = c.rank(0);
  require_rank(c, 0, 2, max_rank);
  onnx_fourier transform;
  transform.is_complex = onnx_is_complex(c);
  transform.inverse = c.integer("inverse", 0) != 0;
  transform.one_sided = c.integer("onesided", 0) != 0;
  if (transform.one_sided && (transform.inverse || transform.is_complex))
    c.unsupported("onesided with complex numbers or an inverse transform");
  std::int64_t listed = c.integer("axis", 1);
  if (c.opset() >= 20) listed = c.has_input(2) ? onnx_known_one(c, 2, "the axis") : -2;
  std::size_t const axis = c.axis(0, listed);
  if (axis + 1 == rank) c.unsupported("the last axis has the parts of a number, and is not transformed");
  // The axis is moved in front of the last one.
  std::vector<std::int64_t> order(rank);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(axis));
  order.insert(order.end() - 1, static_cast<std::int64_t>(axis));
  bool const moves = axis + 2 != rank;
  std::string x = moves ? g.transpose(g.input(0), order) : g.input(0);
  std::int64_t const own = (*c.dims(0))[axis];
  transform.length = c.has_input(1) ? onnx_known_one(c, 1, "the length") : own;
  if (transform.length < 0) c.unsupported("the length of a transform " + std::string(onnx_must_be_known));
  auto const at = static_cast<std::int64_t>(rank) - 2;
  if (transform.length > own || own < 0) {
    std::vector<std::int64_t> pads(2 * rank);
    pads[rank + rank - 2] = own < 0 ? transform.length : transform.length - own;
    x = g("Pad", {x, g.list(std::move(pads)), g.number(real, 0)});
  }
  if (transform.length != own) x = g.slice(x, at, 0, transform.length);
  std::string const rows = g("Reshape", {x, g.concat({g.extents(x, 0, at), g.list({-1})}, 0)});
  std::string made = transform.of(c, rows, rank - 1);
  if (moves) {
    std::vector<std::int64_t> back(rank);
    for (std::size_t a = 0; a != rank; ++a) back[static_cast<std::size_t>(order[a])] = static_cast<std::int64_t>(a);
    made = g.transpose(made, std::move(back));
  }
  g.make(0, "Identity", {made});
}

// STFT: transforms of windows of a signal B x L or B x L x 1, each `step` elements after the one before.
inline void onnx_stft(onnx_context const& c) {
  onnx_composition const g(c);
  static_cast<void>(onnx_known_float(c, 0));
  std::size_t const rank = c.rank(0);
  require_rank(c, 0, 2, 3);
  onnx_fourier transform;
  transform.is_complex = rank == 3 && onnx_is_complex(c);
  transform.one_sided = c.integer("onesided", 1) != 0;
  if (transform.one_sided && transform.is_complex) c.unsupported("onesided with complex numbers");
  std::int64_t const step = onnx_known_one(c, 1, "the step of frames");
  if (step < 1) c.unsupported("a step of frames of " + std::to_string(step));
  bool const has_window = c.has_input(2);
  if (has_window) require_rank(c, 2, 1, 1);
  if (!has_window && !c.has_input(3)) c.unsupported("neither a window nor the length of frames");
  transform.length = c.has_input(3) ? onnx_known_one(c, 3, "the length of frames")
                     : c.dims(2)    ? c.dims(2)->front()
                                    : -1;
  if (transform.length < 0) c.unsupported("the length of frames " + std::string(onnx_must_be_known));
  if (has_window) require_dims(c, 2, {transform.length}, "a factor for each element of a frame");
  onnx_type const index = onnx_type::int64;
  auto const range = [&](std::string const& count) {
    return g("Range", {g.number(index, 0), count, g.number(index, 1)});
  };
  auto const whole = [&](std::int64_t value) { return g.constant({{}, std::vector<std::int64_t>{value}}); };
  std::string const& x = g.input(0);
  std::string const rest = g("Sub", {g.extent(x, 1), whole(transform.length)});
  std::string const frames = g("Add", {g("Div", {rest, whole(step)}), whole(1)});
  std::string const starts = g("Mul", {range(frames), whole(step)});
  std::string const places = g("Add", {g.unsqueeze(starts, {1}), range(whole(transform.length))});
  std::string taken =
      g("Gather", {x, places}, {onnx_argument("axis", std::int64_t{1})});  // B x frames x length (x parts)
  if (has_window) taken = g("Mul", {taken, rank == 3 ? g.unsqueeze(g.input(2), {1}) : g.input(2)});
  if (rank == 3) taken = g("Reshape", {taken, g.list({0, 0, -1})});
  g.make(0, "Identity", {transform.of(c, taken, 3)});
}

}  // namespace detail

inline void add_onnx_fourier_rules(onnx_rules& rules) {
  rules.set("DFT", detail::onnx_dft);
  rules.set("STFT", detail::onnx_stft);
}

}  // namespace plait
