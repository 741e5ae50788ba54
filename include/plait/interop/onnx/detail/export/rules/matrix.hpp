// Export rules of matrix products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/context.hpp>

namespace plait {
namespace detail::onnx_out {

/// Returns a value as a matrix: axes before `axis` become rows, the others columns.
inline std::string onnx_matrix(onnx_export_context const& c, std::string const& value, std::int64_t axis) {
  auto const rank = c.rank(value);
  if (rank == 2U && (axis == 1 || axis == -1)) return value;
  return c.step("Flatten", {value}, {onnx_attr("axis", axis)});
}

/// Returns a shape as a list: the extents of `value` before `axis`, then `more`.
inline std::string onnx_leading_shape(onnx_export_context const& c, std::string const& value, std::int64_t axis,
                                      std::int64_t more) {
  auto const number = [&](std::int64_t each) { return c.constant(std::vector<std::int64_t>{each}); };
  std::string const leading = c.step("Slice", {c.step("Shape", {value}), number(0), number(axis)});
  return c.step("Concat", {leading, number(more)}, {onnx_attr("axis", 0)});
}

/// Returns what is known about the shape that onnx_leading_shape() computes.
inline onnx_shape onnx_leading_dims(onnx_export_context const& c, std::string const& value, std::int64_t axis,
                                    std::int64_t more) {
  auto const rank = c.rank(value);
  if (axis < 0 && rank) axis += static_cast<std::int64_t>(*rank);
  if (axis < 0 || (rank && axis > static_cast<std::int64_t>(*rank))) return std::nullopt;
  std::vector<std::int64_t> made(static_cast<std::size_t>(axis), -1);
  for (std::size_t i = 0; rank && i != made.size(); ++i) made[i] = (*c.dims(value))[i];
  made.push_back(more);
  return made;
}

inline void onnx_export_fc(onnx_export_context& c) {
  std::string const x = c.input(0);
  bool const transposed = c.type() == "FCTransposed";
  std::int64_t const axis = c.integer("axis", 1);
  std::string const w = onnx_matrix(c, c.input(1), c.integer("axis_w", 1));
  std::vector<onnx_attribute> with;
  if (!transposed) with.push_back(onnx_attr("transB", 1));
  auto const rank = c.rank(x);
  // A bias of another shape than [N] broadcasts, too, if it is flat.
  std::string const bias = c.rank(c.input(2)) == 1U ? c.input(2) : c.reshape(c.input(2), {-1});
  if (axis == 1) return c.give(0, "Gemm", {onnx_matrix(c, x, 1), w, bias}, std::move(with));
  std::int64_t const last = rank ? static_cast<std::int64_t>(*rank) - 1 : -2;
  if (axis == -1 || axis == last) {
    std::string const columns = transposed ? w : c.transpose(w, {1, 0});
    return c.give(0, "Add", {c.step("MatMul", {x, columns}), bias});
  }
  std::string const product = c.step("Gemm", {onnx_matrix(c, x, axis), w, bias}, std::move(with));
  auto const extents = c.known_dims(w);
  std::int64_t const units = extents ? (*extents)[transposed ? 1 : 0] : -1;
  c.give(0, "Reshape", {product, onnx_leading_shape(c, x, axis, units)});
  c.set_dims(c.output(0), onnx_leading_dims(c, x, axis, units));
}

inline void onnx_export_mat_mul(onnx_export_context& c) {
  std::string const a = onnx_matrix(c, c.input(0), c.integer("axis_a", 1));
  std::string const b = onnx_matrix(c, c.input(1), c.integer("axis_b", 1));
  std::vector<onnx_attribute> with;
  if (c.integer("trans_a", 0) != 0) with.push_back(onnx_attr("transA", 1));
  if (c.integer("trans_b", 0) != 0) with.push_back(onnx_attr("transB", 1));
  std::string const type = with.empty() ? "MatMul" : "Gemm";
  if (c.input_count() < 3) return c.give(0, type, {a, b}, std::move(with));
  c.give(0, "Reshape", {c.step(type, {a, b}, std::move(with)), c.shape_of(c.input(2))});
}

inline void onnx_export_batch_mat_mul(onnx_export_context& c) {
  auto const operand = [&](std::size_t i, char const* flag) {
    std::string const x = c.input(i);
    if (c.integer(flag, 0) == 0) return x;
    std::size_t const rank = c.known_rank(x);
    if (rank < 2) return x;
    std::vector<std::int64_t> perm(rank);
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[rank - 1], perm[rank - 2]);
    return c.transpose(x, std::move(perm));
  };
  std::string const a = operand(0, "trans_a");
  c.give(0, "MatMul", {a, operand(1, "trans_b")});
}

/// Distances of rows: both operands as matrices.
inline void onnx_export_rows(onnx_export_context& c) {
  std::string const x = onnx_matrix(c, c.input(0), 1);
  std::string const y = onnx_matrix(c, c.input(1), 1);
  auto const sum = [&](std::string const& of) {
    return c.step("ReduceSum", {of, c.constant(std::vector<std::int64_t>{1}, "axes")}, {onnx_attr("keepdims", 0)});
  };
  if (c.type() == "L1Distance") return c.forward(0, sum(c.step("Abs", {c.step("Sub", {x, y})})));
  if (c.type() == "DotProduct") return c.forward(0, sum(c.step("Mul", {x, y})));
  if (c.type() == "SquaredL2Distance") {
    std::string const d = c.step("Sub", {x, y});
    return c.give(0, "Mul", {sum(c.step("Mul", {d, d})), c.number(0.5, x)});
  }
  auto const norm = [&](std::string const& of) {
    return c.step("Max", {c.step("Sqrt", {sum(c.step("Mul", {of, of}))}), c.number(1e-6, of)});
  };
  std::string const lengths = c.step("Mul", {norm(x), norm(y)});
  c.give(0, "Div", {sum(c.step("Mul", {x, y})), lengths});
}

/// DotProductWithPadding: the shorter rows are padded or repeated to the width of the others.
inline void onnx_export_padded_product(onnx_export_context& c) {
  std::string rows[] = {onnx_matrix(c, c.input(0), 1), onnx_matrix(c, c.input(1), 1)};
  std::int64_t widths[2] = {-1, -1};
  for (std::size_t const i : {0U, 1U})
    if (auto const& dims = c.dims(rows[i]); dims && dims->size() == 2) widths[i] = dims->back();
  if (widths[0] < 0 || widths[1] < 0)
    c.unsupported("the widths of its rows are unknown", "list the shapes of inputs in the options");
  std::size_t const narrow = widths[0] < widths[1] ? 0 : 1;
  std::int64_t const most = widths[1 - narrow];
  if (widths[0] != widths[1] && c.integer("replicate", 0) != 0) {
    if (widths[narrow] == 0 || most % widths[narrow] != 0) c.unsupported("its rows do not fit into each other");
    rows[narrow] = c.step("Tile", {rows[narrow], c.constant(std::vector<std::int64_t>{1, most / widths[narrow]})});
  } else if (widths[0] != widths[1]) {
    std::vector<std::int64_t> const pads{0, 0, 0, most - widths[narrow]};
    rows[narrow] = c.step("Pad", {rows[narrow], c.constant(pads), c.number(c.real("pad_value", 0), rows[narrow])});
  }
  std::string const axes = c.constant(std::vector<std::int64_t>{1}, "axes");
  c.give(0, "ReduceSum", {c.step("Mul", {rows[0], rows[1]}), axes}, {onnx_attr("keepdims", 0)});
}

inline void onnx_export_elementwise_linear(onnx_export_context& c) {
  std::string const x = c.input(0);
  std::string const rows = onnx_matrix(c, x, c.integer("axis", 1));
  std::string const scaled = c.step("Mul", {rows, c.reshape(c.input(1), {-1})});
  c.give(0, "Reshape", {c.step("Add", {scaled, c.reshape(c.input(2), {-1})}), c.shape_of(x)});
  c.set_dims(c.output(0), c.dims(x));
}

}  // namespace detail::onnx_out

inline void add_onnx_matrix_export(onnx_export_rules& rules) {
  rules.set("FC", detail::onnx_out::onnx_export_fc);
  rules.set("FCTransposed", detail::onnx_out::onnx_export_fc);
  rules.set("MatMulInteger", [](onnx_export_context& c) { c.give(0, "MatMulInteger", c.inputs()); });
  rules.set("MatMul", detail::onnx_out::onnx_export_mat_mul);
  rules.set("BatchMatMul", detail::onnx_out::onnx_export_batch_mat_mul);
  for (char const* type : {"L1Distance", "DotProduct", "SquaredL2Distance", "CosineSimilarity"})
    rules.set(type, detail::onnx_out::onnx_export_rows);
  rules.set("DotProductWithPadding", detail::onnx_out::onnx_export_padded_product);
  rules.set("ElementwiseLinear", detail::onnx_out::onnx_export_elementwise_linear);
}

}  // namespace plait
