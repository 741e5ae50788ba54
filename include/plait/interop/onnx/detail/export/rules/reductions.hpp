// Export rules of reductions and of operators that select elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/context.hpp>
#include <plait/interop/onnx/detail/export/rules/indexing.hpp>
#include <plait/interop/onnx/detail/export/rules/normalization.hpp>
#include <plait/interop/onnx/detail/export/rules/shapes.hpp>

namespace plait {
namespace detail::onnx_out {

inline void onnx_export_reduce(onnx_export_context& c) {
  bool const none_if_empty = c.integer("noop_with_empty_axes", 0) != 0;
  if (c.input_count() > 1) {
    if (c.type() != "ReduceSum") onnx_require_opset(c, 18, "axes that are an input");
    std::vector<onnx_attribute> with{onnx_attr("keepdims", c.integer("keepdims", 1) != 0 ? 1 : 0)};
    if (none_if_empty) with.push_back(onnx_attr("noop_with_empty_axes", 1));
    return c.give(0, c.type(), {c.input(0), onnx_as_int64(c, c.input(1))}, std::move(with));
  }
  if (none_if_empty && c.integers("axes").empty()) {
    bool const has_sign = c.type() != "ReduceL1" && c.type() != "ReduceL2";
    return c.give(0, has_sign ? "Identity" : "Abs", {c.input(0)});
  }
  c.forward(0, onnx_reduce(c, c.type(), c.input(0), c.integers("axes"), c.integer("keepdims", 1) != 0));
}

/// Reductions of the first elements of each column, or row, as many as a second input says.
inline void onnx_reduce_prefixes(onnx_export_context& c, std::string const& kind, bool front) {
  std::string const x = c.input(0);
  std::string const all = c.step("Flatten", {x}, {onnx_attr("axis", front ? 1 : -1)});
  std::string const extent = c.step("Gather", {c.step("Shape", {all}), onnx_int64(c, front ? 0 : 1)});
  std::int64_t const across = front ? 0 : 1;  // the axis of the lengths in front of which the places come
  std::string const places =
      c.step("Unsqueeze", {c.step("Range", {onnx_int64(c, 0), extent, onnx_int64(c, 1)}), onnx_axes(c, {1 - across})});
  std::string const lengths = c.reshape(onnx_as_int64(c, c.input(1)), {-1});
  std::string const counts = c.step("Less", {places, c.step("Unsqueeze", {lengths, onnx_axes(c, {across})})});
  bool const greatest = kind == "ReduceMax";
  onnx_type const type = c.type_of(x);
  double const filler = !greatest                  ? 0
                        : type == onnx_type::int32 ? static_cast<double>(std::numeric_limits<std::int32_t>::min())
                        : type == onnx_type::int64 ? static_cast<double>(std::numeric_limits<std::int64_t>::min())
                                                   : -std::numeric_limits<double>::infinity();
  std::string const masked = c.step("Where", {counts, all, c.number(filler, x)});
  std::string made = onnx_reduce(c, greatest ? kind : "ReduceSum", masked, {across}, false);
  if (kind != "ReduceSum") {
    std::string const one = c.number(1, lengths);
    if (greatest)
      made = c.step("Where", {c.step("Less", {lengths, one}), c.number(0, x), made});
    else
      made = c.step("Div", {made, onnx_cast(c, c.step("Max", {lengths, one}), type)});
  }
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  auto const number = [&](std::int64_t each) { return c.constant(std::vector<std::int64_t>{each}); };
  c.give(0, "Reshape",
         {made, c.step("Slice", {c.step("Shape", {x}), number(front ? 1 : 0), number(front ? last : -1)})});
  auto const rank = c.rank(x);
  if (rank && *rank > 0) c.set_dims(c.output(0), std::vector<std::int64_t>(*rank - 1, -1));
}

/// ReduceFrontSum, ReduceBackMean and their like.
inline void onnx_export_reduce_side(onnx_export_context& c) {
  bool const front = c.type().starts_with("ReduceFront");
  std::string const kind = "Reduce" + c.type().substr(front ? 11 : 10);
  if (c.input_count() > 1) return onnx_reduce_prefixes(c, kind, front);
  std::vector<std::int64_t> axes;
  for (std::int64_t k = 0; k < c.integer("num_reduce_dim", 1); ++k) axes.push_back(front ? k : -1 - k);
  if (axes.empty()) return c.forward(0, c.input(0));
  c.forward(0, onnx_reduce(c, kind, c.input(0), std::move(axes), false));
}

inline void onnx_export_sum_elements(onnx_export_context& c) {
  std::string const x = c.input(0);
  bool const squares = c.type() == "SumSqrElements";
  bool const mean = c.type() == "AveragedLoss" || c.integer("average", 0) != 0;
  c.forward(0, onnx_reduce(c, mean ? "ReduceMean" : "ReduceSum", squares ? c.step("Mul", {x, x}) : x, {}, false));
}

inline void onnx_export_top_k(onnx_export_context& c) {
  std::int64_t const axis = c.integer("axis", -1);
  std::string const k = c.input_count() > 1 ? onnx_as_int64(c, c.reshape(c.input(1), {1}))
                                            : c.constant(std::vector<std::int64_t>{c.integer("k", 0)}, "k");
  std::string const values = c.output(0);
  std::string const x = c.input(0);
  std::string const places = c.output(1);
  c.add("TopK", {x, k}, {values, places}, {onnx_attr("axis", axis)});
  if (c.output_count() < 3) return;
  std::string const all = c.step("Range", {onnx_int64(c, 0), c.step("Size", {x}), onnx_int64(c, 1)});
  std::string const flat =
      c.step("GatherElements", {c.step("Reshape", {all, c.shape_of(x)}), places}, {onnx_attr("axis", axis)});
  c.give(2, "Reshape", {flat, c.constant(std::vector<std::int64_t>{-1}, "shape")});
}

inline void onnx_export_gather(onnx_export_context& c) {
  std::int64_t axis = c.type() == "BatchGather" ? 1 : c.integer("axis", 0);
  if (c.integer("match_outer", 0) != 0) {
    if (axis < 0) axis += static_cast<std::int64_t>(c.known_rank(c.input(0)));
    std::string const places = c.step("Unsqueeze", {onnx_as_int64(c, c.input(1)), onnx_axes(c, {-1})});
    return c.give(0, "GatherND", {c.input(0), places}, {onnx_attr("batch_dims", axis)});
  }
  c.give(0, "Gather", {c.input(0), c.input(1)}, {onnx_attr("axis", axis)});
}

inline void onnx_export_one_hot(onnx_export_context& c) {
  std::string const values = c.constant(tensor_value{{2}, std::vector<float>{0, 1}}, "values");
  c.give(0, "OneHot", {c.input(0), onnx_as_int64(c, c.reshape(c.input(1), {})), values});
}

inline void onnx_export_accuracy(onnx_export_context& c) {
  std::int64_t const top = c.integer("top_k", 1);
  std::string const x = c.input(0);
  std::string is_right;
  if (top == 1) {
    std::string const best = c.step("ArgMax", {x}, {onnx_attr("axis", 1), onnx_attr("keepdims", 0)});
    is_right = c.step("Equal", {best, onnx_as_int64(c, c.reshape(c.input(1), {-1}))});
  } else {  // classes ahead of the label: greater ones, and equal ones before it
    std::string const label = onnx_label_column(c, c.input(1));
    std::string const own = c.step("GatherElements", {x, label}, {onnx_attr("axis", 1)});
    std::string const classes = c.step("Gather", {c.step("Shape", {x}), onnx_int64(c, 1)});
    std::string const places = c.step("Range", {onnx_int64(c, 0), classes, onnx_int64(c, 1)});
    std::string const equal = c.step("And", {c.step("Equal", {x, own}), c.step("Less", {places, label})});
    std::string const ahead = c.step("Or", {c.step("Greater", {x, own}), equal});
    is_right = c.step(
        "Less", {onnx_reduce(c, "ReduceSum", onnx_cast(c, ahead, onnx_type::int64), {1}, false), onnx_int64(c, top)});
  }
  c.forward(0, onnx_reduce(c, "ReduceMean", onnx_cast(c, is_right, onnx_type::float32), {}, false));
}

/// SumReduceLike: the sum over the axes along which B is repeated to the shape of A.
inline void onnx_export_sum_reduce_like(onnx_export_context& c) {
  std::string const a = c.input(0);
  std::string const b = c.input(1);
  auto const outer = static_cast<std::int64_t>(c.known_rank(a));
  auto const inner = static_cast<std::int64_t>(c.known_rank(b));
  std::int64_t first = onnx_broadcast_axis(c);
  if (first < 0 || element_count(c.known_dims(b).value_or(std::vector<std::int64_t>())) == std::size_t{1})
    first = outer - inner;
  if (first < 0 || first + inner > outer)
    c.unsupported("the shape of its second input does not broadcast to its first");
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 0; axis != outer; ++axis) {
    bool const shared = axis >= first && axis < first + inner;
    std::int64_t const extent = shared ? (*c.dims(b))[static_cast<std::size_t>(axis - first)] : 1;
    if (extent < 0 && (*c.dims(a))[static_cast<std::size_t>(axis)] != 1)
      c.unsupported("the extents of '" + b + "' are unknown", "list the shapes of inputs in the options");
    if (extent == 1) axes.push_back(axis);
  }
  std::string const sums = axes.empty() ? a : onnx_reduce(c, "ReduceSum", a, axes, true);
  c.give(0, "Reshape", {sums, c.shape_of(b)});
  c.set_dims(c.output(0), c.dims(b));
}

inline void onnx_export_range(onnx_export_context& c) {
  auto const scalar = [&](std::size_t i) { return c.reshape(c.input(i), {}); };
  std::string const first = scalar(0);
  if (c.input_count() == 1) return c.give(0, "Range", {c.number(0, first), first, c.number(1, first)});
  std::string const stop = scalar(1);
  c.give(0, "Range", {first, stop, c.input_count() > 2 ? scalar(2) : c.number(1, first)});
}

}  // namespace detail::onnx_out

inline void add_onnx_reductions_export(onnx_export_rules& rules) {
  using context = onnx_export_context;
  for (char const* type : {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceProd"})
    rules.set(type, detail::onnx_out::onnx_export_reduce);
  for (char const* side : {"ReduceFront", "ReduceBack"})
    for (char const* kind : {"Sum", "Mean", "Max"})
      rules.set(std::string(side) + kind, detail::onnx_out::onnx_export_reduce_side);
  for (char const* type : {"AveragedLoss", "SumElements", "SumElementsInt", "SumSqrElements"})
    rules.set(type, detail::onnx_out::onnx_export_sum_elements);
  rules.set("ReduceTailSum", [](context& c) {
    c.forward(
        0, detail::onnx_out::onnx_reduce(c, "ReduceSum", detail::onnx_out::onnx_matrix(c, c.input(0), 1), {1}, false));
  });
  rules.set("RowwiseMax",
            [](context& c) { c.forward(0, detail::onnx_out::onnx_reduce(c, "ReduceMax", c.input(0), {-1}, false)); });
  rules.set("ColwiseMax",
            [](context& c) { c.forward(0, detail::onnx_out::onnx_reduce(c, "ReduceMax", c.input(0), {-2}, false)); });
  for (char const* type : {"ArgMax", "ArgMin"})
    rules.set(type, [](context& c) {
      c.give(0, c.type(), {c.input(0)},
             {detail::onnx_out::onnx_attr("axis", c.integer("axis", -1)),
              detail::onnx_out::onnx_attr("keepdims", c.integer("keepdims", 1))});
    });
  rules.set("TopK", detail::onnx_out::onnx_export_top_k);
  rules.set("Gather", detail::onnx_out::onnx_export_gather);
  rules.set("BatchGather", detail::onnx_out::onnx_export_gather);
  rules.set("OneHot", detail::onnx_out::onnx_export_one_hot);
  rules.set("Accuracy", detail::onnx_out::onnx_export_accuracy);
  rules.set("Range", detail::onnx_out::onnx_export_range);
  rules.set("SumReduceLike", detail::onnx_out::onnx_export_sum_reduce_like);
}

}  // namespace plait
