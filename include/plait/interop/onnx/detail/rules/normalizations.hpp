// Conversion rules for ONNX's normalisations that are compositions: InstanceNormalization, GroupNormalization,
// RMSNormalization, MeanVarianceNormalization, LpNormalization of p = 1, LRN, BatchNormalization in training mode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/interop/onnx/detail/composition.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

inline onnx_type onnx_known_float(onnx_context const& c, std::size_t i) {
  require_type(c, i, onnx_floats);
  if (c.type(i) == onnx_type::undefined) c.unsupported("the type of its inputs must be known before the model is run");
  return c.type(i);
}

// Returns (x - mean) / sqrt(variance + epsilon) of each row of a tensor of three axes.
inline std::string onnx_standardized(onnx_context const& c, std::string const& x, float epsilon) {
  onnx_composition const g(c);
  std::string const middle = g("Sub", {x, g.reduce("ReduceMean", x, {2}, true)});
  std::string const variance = g.reduce("ReduceMean", g("Mul", {middle, middle}), {2}, true);
  std::string const added = g("Add", {variance, g.number(c.type(0), static_cast<double>(epsilon))});
  return g("Div", {middle, g("Sqrt", {added})});
}

// Normalises groups of channels of N x C x ...; the scale and the bias are by channel, or, before version 21, by group.
inline void onnx_group_norm(onnx_context const& c, std::int64_t groups, bool by_group) {
  onnx_composition const g(c);
  static_cast<void>(onnx_known_float(c, 0));
  require_rank(c, 0, 2);
  std::int64_t const channels = c.dims(0) ? (*c.dims(0))[1] : -1;
  for (std::size_t const i : {1U, 2U}) {
    require_dims(c, i, {by_group ? groups : channels},
                 by_group ? "a number for each group" : "a number for each channel");
    require_rank(c, i, 1, 1);
  }
  std::string const shape = g("Shape", {g.input(0)});
  auto const affine = [&](std::string const& x) {
    std::string const scaled = g("Mul", {x, g.unsqueeze(g.input(1), {1})});
    return g("Add", {scaled, g.unsqueeze(g.input(2), {1})});
  };
  std::string const rows = g.list({0, groups, -1});  // 0: all channels
  std::string made = onnx_standardized(c, g("Reshape", {g.input(0), rows}), c.real("epsilon", 1e-5f));
  if (!by_group && groups != 0) made = g("Reshape", {made, g.concat({g.extents(g.input(0), 0, 2), g.list({-1})}, 0)});
  g.make(0, "Reshape", {affine(made), shape});
}

// RMSNormalization. ResizeLike refuses a scale that broadcasts beyond the input.
inline void onnx_rms_norm(onnx_context const& c) {
  onnx_composition const g(c);
  onnx_type const real = onnx_known_float(c, 0);
  std::int64_t const stash = c.integer("stash_type", 1);
  if (stash != 1 && stash != static_cast<std::int64_t>(real)) c.unsupported("a stash_type other than float32");
  if (c.type(1) != real) c.unsupported("a scale of another type than the input");
  std::int64_t const axis = c.integer("axis", -1);
  std::vector<std::int64_t> axes{-1};
  if (axis != -1) {
    auto const rank = static_cast<std::int64_t>(c.rank(0));
    axes.clear();
    for (auto a = static_cast<std::int64_t>(c.axis(0, axis)); a != rank; ++a) axes.push_back(a);
  } else if (c.dims(0)) {
    static_cast<void>(c.axis(0, axis));
  }
  require_broadcasts_to(c, 1, c.dims(0));
  std::string const& x = g.input(0);
  std::string const square = g.reduce("ReduceMean", g("Mul", {x, x}), axes, true);
  std::string const root =
      g("Sqrt", {g("Add", {square, g.number(real, static_cast<double>(c.real("epsilon", 1e-5f)))})});
  std::string const made = g("Mul", {g("Div", {x, root}), g.input(1)});
  if (is_known(c.dims(0)) && g.dims(made) == c.dims(0)) return g.make(0, "Identity", {made});
  c.add("ResizeLike", {c.converter().blob(made), c.input(0)}, {c.output(0)});
  c.as_input(0, 0);
}

inline void onnx_mean_variance_norm(onnx_context const& c) {
  onnx_composition const g(c);
  onnx_type const real = onnx_known_float(c, 0);
  std::vector<std::int64_t> axes = c.has("axes") ? c.integers("axes") : std::vector<std::int64_t>{0, 2, 3};
  if (axes.empty()) c.unsupported("the list of axes is empty");
  if (c.dims(0)) axes = axes_of(c, axes, c.rank(0), true);
  std::string const middle = g("Sub", {g.input(0), g.reduce("ReduceMean", g.input(0), axes, true)});
  std::string const deviation = g("Sqrt", {g.reduce("ReduceMean", g("Mul", {middle, middle}), axes, true)});
  g.make(0, "Div", {middle, g("Add", {deviation, g.number(real, 1e-9)})});
}

// LpNormalization with p = 1: 0 for vectors of zeros.
inline void onnx_l1_norm(onnx_context const& c) {
  onnx_composition const g(c);
  onnx_type const real = onnx_known_float(c, 0);
  std::int64_t const axis = c.integer("axis", -1);
  if (c.dims(0)) static_cast<void>(c.axis(0, axis));
  std::string const sum = g.reduce("ReduceSum", g("Abs", {g.input(0)}), {axis}, true);
  std::string const zero = g.number(real, 0);
  g.make(0, "Where", {g("Equal", {sum, zero}), zero, g("Div", {g.input(0), sum})});
}

// LRN: its windows are those of plait's op, also of an even number of channels.
inline void onnx_lrn(onnx_context const& c) {
  require_type(c, 0, onnx_floats);
  std::int64_t const size = c.integer("size", 0);
  if (size < 1) c.unsupported("the size must be at least 1, where it is " + std::to_string(size));
  require_rank(c, 0, 4, 4);
  c.add("LRN", {input_of_rank(c, 0, 4)}, {c.output(0), c.temporary("scale")},
        {{"size", size},
         {"alpha", c.real("alpha", 1e-4f)},
         {"beta", c.real("beta", 0.75f)},
         {"bias", c.real("bias", 1)}});
  c.as_input(0, 0);
}

// BatchNormalization in training mode, since version 14: by the moments of the batch, which move the running ones.
inline void onnx_batch_norm_training(onnx_context const& c) {
  onnx_composition const g(c);
  onnx_type const real = onnx_known_float(c, 0);
  std::string const rows = g("Reshape", {g.input(0), g.list({0, 0, -1})});
  std::string const mean = g.reduce("ReduceMean", rows, {0, 2}, true);
  std::string const middle = g("Sub", {rows, mean});
  std::string const variance = g.reduce("ReduceMean", g("Mul", {middle, middle}), {0, 2}, true);
  std::string const added = g("Add", {variance, g.number(real, static_cast<double>(c.real("epsilon", 1e-5f)))});
  std::string const norm = g("Div", {middle, g("Sqrt", {added})});
  std::string const scaled = g("Mul", {norm, g.unsqueeze(g.input(1), {1})});
  g.make(0, "Reshape", {g("Add", {scaled, g.unsqueeze(g.input(2), {1})}), g("Shape", {g.input(0)})});
  float const momentum = c.real("momentum", 0.9f);
  auto const moved = [&](std::size_t o, std::size_t i, std::string const& moment) {
    if (!c.wants(o)) return;
    std::string const own = g("Reshape", {moment, g.list({-1})});
    std::string const kept = g("Mul", {g.input(i), g.number(real, static_cast<double>(momentum))});
    g.make(o, "Add", {kept, g("Mul", {own, g.number(real, static_cast<double>(1 - momentum))})});
  };
  moved(1, 3, mean);
  moved(2, 4, variance);
}

}  // namespace detail

inline void add_onnx_normalization_rules(onnx_rules& rules) {
  rules.set("InstanceNormalization", [](onnx_context const& c) { detail::onnx_group_norm(c, 0, false); });
  rules.set("GroupNormalization", [](onnx_context const& c) {
    std::int64_t const groups = c.integer("num_groups", 0);
    if (groups < 1) c.unsupported("num_groups must be at least 1");
    std::int64_t const channels = c.rank(0) > 1 ? (*c.dims(0))[1] : 0;
    if (channels < 0) c.unsupported("the number of channels must be known before the model is run");
    if (channels % groups != 0)
      c.unsupported(std::to_string(channels) + " channels in " + std::to_string(groups) + " groups");
    if (c.integer("stash_type", 1) != 1) c.unsupported("a stash_type other than float32");
    detail::onnx_group_norm(c, groups, c.opset() < 21);
  });
  rules.set("RMSNormalization", detail::onnx_rms_norm);
  rules.set("MeanVarianceNormalization", detail::onnx_mean_variance_norm);
  rules.set("LRN", detail::onnx_lrn);
}

}  // namespace plait
