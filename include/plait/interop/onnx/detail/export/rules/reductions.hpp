// Export rules of reductions and of operators that select elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/context.hpp>
#include <plait/interop/onnx/detail/export/rules/normalization.hpp>
#include <plait/interop/onnx/detail/export/rules/shapes.hpp>

namespace plait {
namespace detail::onnx_out {

inline void onnx_export_reduce(onnx_export_context& c) {
  c.forward(0, onnx_reduce(c, c.type(), c.input(0), c.integers("axes"), c.integer("keepdims", 1) != 0));
}

/// ReduceFrontSum, ReduceBackMean and their like.
inline void onnx_export_reduce_side(onnx_export_context& c) {
  if (c.input_count() > 1) c.unsupported("lengths of rows", "a mask and a reduction of all elements");
  bool const front = c.type().starts_with("ReduceFront");
  std::string const kind = "Reduce" + c.type().substr(front ? 11 : 10);
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
  std::string const k = c.constant(std::vector<std::int64_t>{c.integer("k", 0)}, "k");
  std::string const values = c.output(0);
  c.add("TopK", {c.input(0), k}, {values, c.output(1)}, {onnx_attr("axis", axis)});
}

inline void onnx_export_gather(onnx_export_context& c) {
  if (c.integer("match_outer", 0) != 0) c.unsupported("lists of indices for each place of the outer axes");
  std::int64_t const axis = c.type() == "BatchGather" ? 1 : c.integer("axis", 0);
  c.give(0, "Gather", {c.input(0), c.input(1)}, {onnx_attr("axis", axis)});
}

inline void onnx_export_one_hot(onnx_export_context& c) {
  std::string const values = c.constant(tensor_value{{2}, std::vector<float>{0, 1}}, "values");
  c.give(0, "OneHot", {c.input(0), onnx_as_int64(c, c.reshape(c.input(1), {})), values});
}

inline void onnx_export_accuracy(onnx_export_context& c) {
  if (c.integer("top_k", 1) != 1) c.unsupported("Accuracy among several classes", "top_k of 1");
  std::string const best = c.step("ArgMax", {c.input(0)}, {onnx_attr("axis", 1), onnx_attr("keepdims", 0)});
  std::string const labels = onnx_as_int64(c, c.reshape(c.input(1), {-1}));
  std::string const right = c.step("Cast", {c.step("Equal", {best, labels})},
                                   {onnx_attr("to", static_cast<std::int64_t>(onnx_type::float32))});
  c.forward(0, onnx_reduce(c, "ReduceMean", right, {}, false));
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
  for (char const* type : {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2"})
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
}

}  // namespace plait
