// Conversion rules for ONNX's operators of object detection and sampling: NonMaxSuppression, RoiAlign, GridSample.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/composition.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/rules/normalizations.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

// NonMaxSuppression: an op of plait, whose operands are those of ONNX up to the last; those omitted are 0.
inline void onnx_non_max_suppression(onnx_context const& c) {
  for (std::size_t const i : {0U, 1U}) require_rank(c, i, 3, 3);
  require_dims(c, 0, {-1, -1, 4}, "4 numbers for each box");
  if (c.dims(0) && c.dims(1)) require_dims(c, 1, {(*c.dims(0))[0], -1, (*c.dims(0))[1]}, "a score for each box");
  std::vector<std::string> operands{c.input(0), c.input(1)};
  std::size_t count = c.input_count();
  while (count > 2 && !c.has_input(count - 1)) --count;
  for (std::size_t i = 2; i != count; ++i) {
    onnx_type const type = i == 2 ? onnx_type::int64 : onnx_type::float32;
    if (c.has_input(i)) require_scalar(c, i);
    operands.push_back(c.has_input(i) ? c.input(i) : c.constant_blob(onnx_filled(type, {1}, 0), "none"));
  }
  c.add("NonMaxSuppression", operands, {c.output(0)}, {{"center_point_box", c.integer("center_point_box", 0)}});
  c.set_type(0, onnx_type::int64);
  c.set_dims(0, std::vector<std::int64_t>{-1, 3});
}

// RoiAlign: plait's op has the image as the first column of a region. Corners were those of pixels before version 16.
inline void onnx_roi_align(onnx_context const& c) {
  onnx_composition const g(c);
  onnx_type const real = onnx_known_float(c, 0);
  if (c.text("mode", "avg") != "avg") c.unsupported("the mode " + c.text("mode", "avg"));
  std::string const mode =
      c.text("coordinate_transformation_mode", c.opset() < 16 ? "output_half_pixel" : "half_pixel");
  if (mode != "half_pixel" && mode != "output_half_pixel") c.unsupported("coordinates of " + mode);
  require_rank(c, 0, 4, 4);
  require_dims(c, 1, {-1, 4}, "4 numbers for each region");
  auto const positive = [&](char const* name) {
    std::int64_t const n = c.integer(name, 1);
    if (n < 1) c.unsupported(std::string(name) + " is " + std::to_string(n));
    return n;
  };
  std::int64_t const height = positive("output_height");
  std::int64_t const width = positive("output_width");
  std::int64_t const samples = c.integer("sampling_ratio", 0);
  if (samples < 0) c.unsupported("a sampling_ratio below 0");
  std::string const regions = g.concat({g.cast(g.unsqueeze(g.input(2), {1}), real), g.input(1)}, 1);
  c.add("RoIAlign", {c.input(0), c.converter().blob(regions)}, {c.output(0)},
        {{"spatial_scale", c.real("spatial_scale", 1)},
         {"pooled_h", height},
         {"pooled_w", width},
         {"sampling_ratio", samples},
         {"aligned", mode == "half_pixel" ? 1 : 0}});
  c.set_type(0, real);
  auto const extent = [&](std::size_t i, std::size_t axis) { return c.dims(i) ? (*c.dims(i))[axis] : -1; };
  c.set_dims(0, std::vector<std::int64_t>{extent(1, 0), extent(0, 1), height, width});
}

/// GridSample of images N x C x H x W at places of a grid N x H' x W' x 2, which are -1 to 1 along an axis: a sum of
/// gathered elements, weighted by the distances of their places.
class onnx_grid_sample {
 public:
  explicit onnx_grid_sample(onnx_context const& c) : c_(c), g_(c), real_(onnx_known_float(c, 0)) {
    require_rank(c, 0, 4, 4);
    if (c.rank(0) != 4) c.unsupported("images of other than two axes");
    require_dims(c, 1, {-1, -1, -1, 2}, "a place for each element of the output");
    mode_ = c.text("mode", c.opset() < 20 ? "bilinear" : "linear");
    if (mode_ == "bilinear") mode_ = "linear";
    if (mode_ != "linear" && mode_ != "nearest") c.unsupported("the mode " + mode_);
    padding_ = c.text("padding_mode", "zeros");
    if (padding_ != "zeros" && padding_ != "border" && padding_ != "reflection")
      c.unsupported("the padding_mode " + padding_);
    aligned_ = c.integer("align_corners", 0) != 0;
  }

  void run() {
    std::string const& x = g_.input(0);
    std::string const places = g_("Reshape", {g_.input(1), g_.list({0, -1, 2})});  // N x H'W' x 2
    for (std::int64_t axis = 0; axis != 2; ++axis) {                               // x, then y
      std::string const at = g_("Squeeze", {g_.slice(places, 2, axis, axis + 1), g_.list({2})});
      extents_[axis] = g_.cast(g_.extent(x, 3 - axis), real_);
      positions_[axis] = position(at, extents_[axis]);
    }
    flat_ = g_("Reshape", {x, g_.list({0, 0, -1})});
    std::string made;
    if (mode_ == "nearest") {
      made = element(g_("Round", {positions_[0]}), g_("Round", {positions_[1]}), {});
    } else {
      std::string const one = number(1);
      std::string low[2];
      std::string high[2];
      std::string weight[2];
      for (std::size_t axis = 0; axis != 2; ++axis) {
        low[axis] = g_("Floor", {positions_[axis]});
        high[axis] = g_("Add", {low[axis], one});
        weight[axis] = g_("Sub", {positions_[axis], low[axis]});
      }
      for (bool const right : {false, true})
        for (bool const below : {false, true}) {
          auto const side = [&](std::size_t axis, bool far) {
            return far ? weight[axis] : g_("Sub", {one, weight[axis]});
          };
          std::string const term =
              element(right ? high[0] : low[0], below ? high[1] : low[1], g_("Mul", {side(0, right), side(1, below)}));
          made = made.empty() ? term : g_("Add", {made, term});
        }
    }
    g_.make(0, "Reshape", {made, g_.concat({g_.extents(x, 0, 2), g_.extents(g_.input(1), 1, 3)}, 0)});
  }

 private:
  std::string number(double value) const { return g_.number(real_, value); }
  // Returns the places, in pixels, of numbers from -1 to 1, moved into the image unless it is padded by zeros.
  std::string position(std::string const& at, std::string const& extent) const {
    std::string const last = g_("Sub", {extent, number(1)});
    std::string const half = g_("Mul", {g_("Add", {at, number(1)}), number(0.5)});
    std::string made = aligned_ ? g_("Mul", {half, last}) : g_("Sub", {g_("Mul", {half, extent}), number(0.5)});
    if (padding_ == "zeros") return made;
    if (padding_ == "reflection") {
      // A wave of period 2 span about `low`.
      std::string const low = number(aligned_ ? 0 : -0.5);
      std::string const span = aligned_ ? last : extent;
      std::string const away = g_("Abs", {g_("Sub", {made, low})});
      std::string const safe = g_("Max", {span, number(1e-6)});  // one pixel, aligned: all places are it
      std::string const turns = g_("Floor", {g_("Div", {away, safe})});
      std::string const rest = g_("Sub", {away, g_("Mul", {turns, safe})});
      std::string const odd =
          g_("Sub", {turns, g_("Mul", {g_("Floor", {g_("Mul", {turns, number(0.5)})}), number(2)})});
      std::string const back = g_("Sub", {span, rest});
      made = g_("Add", {g_("Where", {g_("Greater", {odd, number(0.5)}), back, rest}), low});
    }
    return g_("Min", {g_("Max", {made, number(0)}), last});
  }
  // Returns the elements at columns and rows of N x H'W', times `weight` if it is not empty, and 0 outside the image.
  std::string element(std::string const& column, std::string const& row, std::string weight) const {
    std::string inside;
    std::string clipped[2];
    for (std::size_t axis = 0; axis != 2; ++axis) {
      std::string const& at = axis == 0 ? column : row;
      std::string const last = g_("Sub", {extents_[axis], number(1)});
      clipped[axis] = g_("Min", {g_("Max", {at, number(0)}), last});
      std::string const here = g_("Equal", {clipped[axis], at});
      inside = inside.empty() ? here : g_("And", {inside, here});
    }
    std::string const width = g_.extent(g_.input(0), 3);
    std::string const index =
        g_("Add", {g_("Mul", {g_.cast(clipped[1], onnx_type::int64), width}), g_.cast(clipped[0], onnx_type::int64)});
    std::string const shape = g_.concat({g_.extents(flat_, 0, 2), g_.extents(index, 1, 2)}, 0);
    std::string const indices = g_("Expand", {g_.unsqueeze(index, {1}), shape});
    std::string const found = g_("GatherElements", {flat_, indices}, {onnx_argument("axis", std::int64_t{2})});
    std::string const mask = g_.cast(inside, real_);
    weight = weight.empty() ? mask : g_("Mul", {weight, mask});
    return g_("Mul", {found, g_.unsqueeze(weight, {1})});
  }

  onnx_context const& c_;
  onnx_composition g_;
  onnx_type real_;
  std::string mode_;
  std::string padding_;
  bool aligned_ = false;
  std::string extents_[2];
  std::string positions_[2];
  std::string flat_;
};

}  // namespace detail

inline void add_onnx_detection_rules(onnx_rules& rules) {
  rules.set("NonMaxSuppression", detail::onnx_non_max_suppression);
  rules.set("RoiAlign", detail::onnx_roi_align);
  rules.set("GridSample", [](onnx_context const& c) { detail::onnx_grid_sample(c).run(); });
}

}  // namespace plait
