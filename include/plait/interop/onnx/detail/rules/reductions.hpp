// Conversion rules for ONNX's reductions and normalisations: Reduce*, ArgMax, Softmax, layer and batch normalisation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/rules/elementwise.hpp>
#include <plait/interop/onnx/detail/rules/extents.hpp>
#include <plait/interop/onnx/detail/rules/normalizations.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

// Returns true if the axes of a reduction are known only at run time.
inline bool has_axes_at_run_time(onnx_context const& c) {
  return !c.has("axes") && c.has_input(1) && c.constant(1) == nullptr && !c.converter().declared_elements(c, 1);
}

/// Axes of a reduction, as its arguments and further operands.
struct onnx_reduced_axes {
  std::vector<net_argument> arguments;
  std::vector<std::string> list = {};  ///< the blob that lists the axes, if they are known only at run time

  std::vector<std::string> operands(std::string const& x) const {
    std::vector<std::string> made{x};
    made.insert(made.end(), list.begin(), list.end());
    return made;
  }
};

// Returns the axes of a reduction; nothing if it reduces none.
inline std::optional<onnx_reduced_axes> reduced_axes(onnx_context const& c) {
  if (has_axes_at_run_time(c)) {
    require_rank(c, 1, 1, 1);
    return onnx_reduced_axes{{{"keepdims", c.integer("keepdims", 1)},
                              {"noop_with_empty_axes", c.integer("noop_with_empty_axes", 0) != 0 ? 1 : 0}},
                             {c.input(1)}};
  }
  auto axes = list_attribute_or_input(c, "axes", 1);
  if (axes && c.dims(0)) axes = axes_of(c, *axes, c.rank(0), false);
  if (axes) {  // a repeated axis is reduced once
    std::ranges::sort(*axes);
    axes->erase(std::ranges::unique(*axes).begin(), axes->end());
  }
  onnx_reduced_axes made{{{"keepdims", c.integer("keepdims", 1)}}};
  if (axes && !axes->empty())
    made.arguments.emplace_back("axes", *axes);
  else if (c.integer("noop_with_empty_axes", 0) != 0)
    return std::nullopt;
  return made;
}

// Sets the output's type and shape.
inline void set_reduced(onnx_context const& c) {
  c.set_type(0, c.type(0));
  if (!c.dims(0)) return;
  if (has_axes_at_run_time(c)) {
    std::size_t const rank = c.dims(0)->size();
    if (c.integer("keepdims", 1) != 0) return c.set_dims(0, std::vector<std::int64_t>(rank, -1));
    if (!c.dims(1) || c.dims(1)->front() < 1 || c.dims(1)->front() > static_cast<std::int64_t>(rank)) return;
    return c.set_dims(0, std::vector<std::int64_t>(rank - static_cast<std::size_t>(c.dims(1)->front()), -1));
  }
  auto const axes = list_attribute_or_input(c, "axes", 1);
  std::vector<bool> reduced(c.dims(0)->size(), !axes || axes->empty());
  if (axes)
    for (std::int64_t const axis : from_front(*axes, reduced.size()))
      if (axis >= 0 && axis < static_cast<std::int64_t>(reduced.size())) reduced[static_cast<std::size_t>(axis)] = true;
  bool const keep = c.integer("keepdims", 1) != 0;
  std::vector<std::int64_t> dims;
  for (std::size_t axis = 0; axis != reduced.size(); ++axis)
    if (!reduced[axis])
      dims.push_back((*c.dims(0))[axis]);
    else if (keep)
      dims.push_back(1);
  c.set_dims(0, std::move(dims));
}

inline bool may_be_empty(onnx_dims const& dims) {
  return !dims || std::ranges::any_of(*dims, [](std::int64_t extent) { return extent < 1; });
}
// Writes maxima, or minima if `greatest`, that a wider type has computed: those of no elements become the least, or the
// greatest, number of the type of input 0.
inline void bound_reduced(onnx_context const& c, std::string const& wide, bool greatest, std::string const& made) {
  double limit = greatest ? 1 : 0;  // of bool
  if (c.type(0) != onnx_type::boolean)
    std::visit(
        [&]<class T>(std::vector<T> const& elements) {
          if constexpr (std::is_arithmetic_v<T>) limit = static_cast<double>(elements[0]);
        },
        onnx_limit(c.type(0), greatest).data);
  onnx_type const type = onnx_widened_type(c.type(0));
  std::vector<std::string> operands{wide, c.constant_blob(onnx_filled(type, {}, limit), "limit")};
  onnx_broadcast_operands(c, operands, type);
  c.add(greatest ? "Min" : "Max", operands, {made});
}

/// Converts a reduction. `before` and `after` are unary ops on its elements and its results; `alone` is the op that
/// replaces it if it reduces no axis, so that each element is its own sum. nullptr: none.
inline void onnx_reduce(onnx_context const& c, char const* type, onnx_types types, char const* before = nullptr,
                        char const* after = nullptr, char const* alone = nullptr) {
  require_type(c, 0, types);
  auto const axes = reduced_axes(c);
  if (!axes) {
    if (alone == nullptr) return c.forward(0, 0);
    onnx_narrowed(c, [&](std::string const& made) { c.add(alone, {onnx_widened(c, 0)}, {made}); });
    return c.as_input(0, 0);
  }
  onnx_narrowed(c, [&](std::string const& made) {
    std::string x = onnx_widened(c, 0);
    if (before != nullptr) x = c.step(before, {x});
    bool const least = std::string_view(type) == "ReduceMax";
    if (after == nullptr && onnx_widened_type(c.type(0)) != c.type(0) && may_be_empty(c.dims(0)) &&
        (least || std::string_view(type) == "ReduceMin")) {
      bound_reduced(c, c.step(type, axes->operands(x), axes->arguments), !least, made);
    } else if (after == nullptr) {
      c.add(type, axes->operands(x), {made}, axes->arguments);
    } else {
      c.add(after, {c.step(type, axes->operands(x), axes->arguments)}, {made});
    }
  });
  set_reduced(c);
}

// ReduceLogSumExp by the max trick, log(sum(exp(x))) = log(sum(exp(x - m))) + m for the greatest element m, so that exp
// does not overflow. An infinite m is replaced by the greatest finite number, which is Clip's default bound.
inline void onnx_reduce_log_sum_exp(onnx_context const& c) {
  require_type(c, 0, onnx_floats);
  auto const axes = reduced_axes(c);
  if (!axes) return c.forward(0, 0);
  auto const reduced = [&](char const* type, std::string const& x, std::vector<net_argument> const& arguments) {
    return c.step(type, axes->operands(x), arguments);
  };
  std::vector<net_argument> kept = axes->arguments;
  kept.front() = net_argument("keepdims", 1);
  std::string const most = c.step("Clip", {reduced("ReduceMax", c.input(0), kept)});
  std::string const powers = c.step("Exp", {c.step("Sub", {c.input(0), most})});
  std::string const logs = c.step("Log", {reduced("ReduceSum", powers, axes->arguments)});
  c.add("Add", {logs, c.step("Clip", {reduced("ReduceMax", c.input(0), axes->arguments)})}, {c.output(0)});
  set_reduced(c);
}

inline void onnx_arg_min_max(onnx_context const& c, char const* type) {
  require_type(c, 0, onnx_numbers_and_bytes);
  std::int64_t const axis = c.integer("axis", 0);
  std::int64_t const keep = c.integer("keepdims", 1);
  onnx_dims dims = c.dims(0);
  if (dims) {
    std::size_t const at = c.axis(0, axis);
    if ((*dims)[at] == 0) c.unsupported(input_text(c, 0) + " has no elements along axis " + std::to_string(axis));
    (*dims)[at] = 1;
    if (keep == 0) dims->erase(dims->begin() + static_cast<std::ptrdiff_t>(at));
  }
  std::string x = onnx_widened(c, 0);
  if (c.integer("select_last_index", 0) == 0) {
    c.add(type, {x}, {c.output(0)}, {{"axis", axis}, {"keepdims", keep}});
  } else {  // the first of equals in the reversed order
    std::string const down = onnx_scalar(c, -1, "down");
    std::string const last = c.step("Add", {onnx_extent(c, x, axis), down});
    x = c.step("Gather", {x, c.step("Range", {last, down, down})}, {{"axis", axis}});
    c.add("Sub", {last, c.step(type, {x}, {{"axis", axis}, {"keepdims", keep}})}, {c.output(0)});
  }
  c.set_type(0, onnx_type::int64);
  c.set_dims(0, std::move(dims));
}

// Softmax: before version 13 over all axes from `axis` on, as columns of a matrix; since then over `axis` alone.
inline void onnx_softmax(onnx_context const& c, char const* type) {
  require_type(c, 0, onnx_floats);
  bool const old = c.opset() < 13;
  std::int64_t const axis = c.integer("axis", old ? 1 : -1);
  if (c.dims(0)) static_cast<void>(c.axis(0, axis));
  if (old || axis == -1) {
    c.add(type, {c.input(0)}, {c.output(0)}, {{"axis", axis}});
  } else {
    std::size_t const rank = c.rank(0);
    std::size_t const at = c.axis(0, axis);
    std::vector<std::int64_t> swapped(rank);
    for (std::size_t a = 0; a != rank; ++a) swapped[a] = static_cast<std::int64_t>(a);
    std::swap(swapped[at], swapped.back());
    std::string const turned = c.step("Transpose", {c.input(0)}, {{"axes", swapped}});
    std::string const made = c.step(type, {turned}, {{"axis", -1}});
    c.add("Transpose", {made}, {c.output(0)}, {{"axes", swapped}});
  }
  c.as_input(0, 0);
}

inline void onnx_layer_norm(onnx_context const& c) {
  require_type(c, 0, onnx_floats);
  std::int64_t const axis = c.integer("axis", -1);
  if (c.integer("stash_type", 1) != 1) c.unsupported("a stash_type other than float32");
  if (c.dims(0)) {
    auto const first = c.dims(0)->begin() + static_cast<std::ptrdiff_t>(c.axis(0, axis));
    onnx_dims const normalised = std::vector<std::int64_t>(first, c.dims(0)->end());
    for (std::size_t const i : {1U, 2U})
      if (c.has_input(i)) require_broadcasts_to(c, i, normalised);
  }
  std::string const norm = c.temporary("norm");
  std::string const mean = c.temporary("mean");
  std::string const deviation = c.temporary("deviation");
  c.add("LayerNorm", {c.input(0)}, {norm, mean, deviation}, {{"axis", axis}, {"epsilon", c.real("epsilon", 1e-5f)}});
  std::string made = c.step("Mul", {norm, c.input(1)});
  if (c.has_input(2)) made = c.step("Add", {made, c.input(2)});
  c.add("ResizeLike", {made, c.input(0)}, {c.output(0)});  // refuses a scale that broadcasts beyond the input
  c.as_input(0, 0);
  if (!c.wants(1) && !c.wants(2)) return;
  // ONNX's mean and deviation have extent 1 in all normalised axes; LayerNorm keeps one of these axes.
  std::size_t const rank = c.rank(0);
  std::vector<std::int64_t> more;
  for (std::size_t a = c.axis(0, axis) + 1; a < rank; ++a) more.push_back(static_cast<std::int64_t>(a));
  auto const whole = [&](std::string const& x) {
    return more.empty() ? x : c.step("ExpandDims", {x}, {{"dims", more}});
  };
  if (c.wants(1)) c.add("Copy", {whole(mean)}, {c.output(1)});
  if (c.wants(2)) {
    std::string const one = c.constant_blob(onnx_filled(c.type(0), {}, 1), "one");
    c.add("Div", {one, whole(deviation)}, {c.output(2)});
  }
}

inline void onnx_batch_norm(onnx_context const& c) {
  require_type(c, 0, onnx_floats);
  for (std::size_t i = 1; i != 5; ++i) {
    if (c.type(i) != onnx_type::undefined && c.type(0) != onnx_type::undefined && c.type(i) != c.type(0))
      c.unsupported("input '" + c.node().inputs[i] + "' is " + to_string(c.type(i)) + ", where the images are " +
                    to_string(c.type(0)));
    std::int64_t const channels = c.dims(0) && c.dims(0)->size() > 1 ? (*c.dims(0))[1] : -1;
    require_dims(c, i, {channels}, "a number for each channel");
  }
  bool const trains = c.opset() < 7 ? c.integer("is_test", 0) == 0 : c.integer("training_mode", 0) != 0;
  if (trains && c.opset() >= 14) return onnx_batch_norm_training(c);
  bool more = false;
  for (std::size_t o = 1; o < c.node().outputs.size(); ++o) more = more || c.wants(o);
  if (trains || more) c.unsupported("it must not be in training mode");
  if (c.opset() < 9 && c.integer("spatial", 1) == 0) c.unsupported("statistics for each place");
  c.add("SpatialBN", c.inputs(), {c.output(0)}, {{"is_test", 1}, {"epsilon", c.real("epsilon", 1e-5f)}});
  c.as_input(0, 0);
}

}  // namespace detail

inline void add_onnx_reduction_rules(onnx_rules& rules) {
  using detail::onnx_floats;
  using detail::onnx_numbers;
  detail::onnx_types const wide = onnx_numbers | detail::onnx_types{onnx_type::uint32, onnx_type::uint64};
  rules.set("ReduceSum", [wide](onnx_context const& c) { detail::onnx_reduce(c, "ReduceSum", wide); });
  rules.set("ReduceProd", [](onnx_context const& c) { detail::onnx_reduce(c, "ReduceProd", onnx_numbers); });
  rules.set("ReduceMean", [](onnx_context const& c) { detail::onnx_reduce(c, "ReduceMean", onnx_floats); });
  for (char const* type : {"ReduceMax", "ReduceMin"})
    rules.set(type, [type](onnx_context const& c) { detail::onnx_reduce(c, type, detail::onnx_host_types); });
  rules.set("ReduceL1",
            [](onnx_context const& c) { detail::onnx_reduce(c, "ReduceL1", onnx_numbers, nullptr, nullptr, "Abs"); });
  rules.set("ReduceL2",
            [](onnx_context const& c) { detail::onnx_reduce(c, "ReduceL2", onnx_floats, nullptr, nullptr, "Abs"); });
  rules.set("ReduceSumSquare",
            [wide](onnx_context const& c) { detail::onnx_reduce(c, "ReduceSum", wide, "Sqr", nullptr, "Sqr"); });
  rules.set("ReduceLogSum",
            [](onnx_context const& c) { detail::onnx_reduce(c, "ReduceSum", onnx_floats, nullptr, "Log", "Log"); });
  rules.set("ReduceLogSumExp", detail::onnx_reduce_log_sum_exp);
  for (char const* type : {"ArgMax", "ArgMin"})
    rules.set(type, [type](onnx_context const& c) { detail::onnx_arg_min_max(c, type); });
  for (char const* type : {"Softmax", "LogSoftmax"})
    rules.set(type, [type](onnx_context const& c) { detail::onnx_softmax(c, type); });
  rules.set("LayerNormalization", detail::onnx_layer_norm);
  rules.set("BatchNormalization", detail::onnx_batch_norm);
  rules.set("LpNormalization", [](onnx_context const& c) {
    detail::require_type(c, 0, onnx_floats);
    if (c.integer("p", 2) == 1) return detail::onnx_l1_norm(c);
    if (c.integer("p", 2) != 2) c.unsupported("p must be 1 or 2");
    if (c.dims(0)) static_cast<void>(c.axis(0, c.integer("axis", -1)));
    c.add("Normalize", {c.input(0)}, {c.output(0)}, {{"axis", c.integer("axis", -1)}});
    c.as_input(0, 0);
  });
}

}  // namespace plait
