// Export rules of indexed access, masks of elements and scans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/context.hpp>
#include <plait/interop/onnx/detail/export/rules/normalization.hpp>
#include <plait/interop/onnx/detail/export/rules/shapes.hpp>

namespace plait {
namespace detail::onnx_out {

inline std::string onnx_cast(onnx_export_context const& c, std::string const& x, onnx_type type) {
  if (c.type_of(x) == type) return x;
  return c.step("Cast", {x}, {onnx_attr("to", static_cast<std::int64_t>(type))});
}
/// Returns a scalar of int64.
inline std::string onnx_int64(onnx_export_context const& c, std::int64_t value) {
  return c.constant(tensor_value{{}, std::vector<std::int64_t>{value}}, "number");
}
inline void onnx_require_opset(onnx_export_context const& c, std::int64_t least, std::string const& what) {
  if (c.opset() < least) c.unsupported(what, "operator-set version " + std::to_string(least) + " or later");
}

/// Returns `count` rows, a list of one element, like those of `rows`.
inline std::string onnx_filled_rows(onnx_export_context const& c, std::string const& count, std::string const& rows,
                                    double value) {
  std::string const rest =
      c.step("Slice", {c.step("Shape", {rows}), c.constant(std::vector<std::int64_t>{1}),
                       c.constant(std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max()})});
  return c.step("ConstantOfShape", {c.step("Concat", {count, rest}, {onnx_attr("axis", 0)})},
                {onnx_attr("value", onnx_filled(c.type_of(rows), {1}, value))});
}
/// Returns one more than the greatest of a list of indices, as a list; 0 if it is empty.
inline std::string onnx_count_of(onnx_export_context const& c, std::string const& indices) {
  std::string const none = c.constant(std::vector<std::int64_t>{-1}, "none");
  std::string const greatest =
      onnx_reduce(c, "ReduceMax", c.step("Concat", {indices, none}, {onnx_attr("axis", 0)}), {0}, true);
  return c.step("Add", {greatest, c.constant(std::vector<std::int64_t>{1}, "one")});
}

/// Returns the attribute of a reduction of ScatterElements or ScatterND, none for assignments.
inline std::vector<onnx_attribute> onnx_combination(onnx_export_context const& c, std::string const& how) {
  if (how == "none") return {};
  onnx_require_opset(c, how == "max" || how == "min" ? 18 : 16, "a scatter that combines elements by '" + how + '\'');
  return {onnx_attr("reduction", how.c_str())};
}
inline std::string onnx_scattered(onnx_export_context const& c, std::string const& data, std::string const& indices,
                                  std::string const& updates, std::string const& how) {
  return c.step("ScatterND", {data, indices, updates}, onnx_combination(c, how));
}

inline void onnx_export_elements(onnx_export_context& c) {
  std::vector<onnx_attribute> with{onnx_attr("axis", c.integer("axis", 0))};
  if (c.type() == "ScatterElements")
    for (onnx_attribute& each : onnx_combination(c, c.text("reduction", "none"))) with.push_back(std::move(each));
  c.give(0, c.type(), c.inputs(), std::move(with));
}
inline void onnx_export_gather_nd(onnx_export_context& c) {
  std::vector<onnx_attribute> with;
  if (std::int64_t const shared = c.integer("batch_dims", 0); shared != 0)
    with.push_back(onnx_attr("batch_dims", shared));
  c.give(0, "GatherND", {c.input(0), onnx_as_int64(c, c.input(1))}, std::move(with));
}
inline void onnx_export_scatter_nd(onnx_export_context& c) {
  c.give(0, "ScatterND", {c.input(0), onnx_as_int64(c, c.input(1)), c.input(2)},
         onnx_combination(c, c.text("reduction", "none")));
}
inline void onnx_export_scatter_assign(onnx_export_context& c) {
  std::string const places = c.step("Unsqueeze", {onnx_as_int64(c, c.input(1)), onnx_axes(c, {-1})});
  c.give(0, "ScatterND", {c.input(0), places, c.input(2)});
}
/// SparseToDense: inputs indices, rows, [a tensor with as many rows as the result].
inline void onnx_export_sparse_to_dense(onnx_export_context& c) {
  std::string const indices = c.reshape(onnx_as_int64(c, c.input(0)), {-1});
  std::string const rows = c.input(1);
  std::string count;
  if (std::int64_t const extent = c.integer("output_first_dim", 0); extent > 0)
    count = c.constant(std::vector<std::int64_t>{extent});
  else if (c.input_count() > 2)
    count = c.step("Gather", {c.step("Shape", {c.input(2)}), c.constant(std::vector<std::int64_t>{0})});
  else
    count = onnx_count_of(c, indices);
  std::string const places = c.step("Unsqueeze", {indices, onnx_axes(c, {1})});
  c.forward(0, onnx_scattered(c, onnx_filled_rows(c, count, rows, 0), places, rows, "add"));
  if (onnx_shape dims = c.dims(rows); dims && !dims->empty()) {
    dims->front() = -1;
    c.set_dims(c.output(0), std::move(dims));
  }
}

/// CumSum, whose axis is an input.
inline void onnx_export_cum_sum(onnx_export_context& c) {
  std::string const axis = c.input_count() > 1 ? c.reshape(c.input(1), {}) : onnx_int64(c, c.integer("axis", 0));
  std::vector<onnx_attribute> with;
  for (char const* name : {"exclusive", "reverse"})
    if (c.integer(name, 0) != 0) with.push_back(onnx_attr(name, 1));
  c.give(0, "CumSum", {c.input(0), axis}, std::move(with));
}
/// CumProd as products of n copies of the axis, each with ones in the place of elements that do not count. O(n) times
/// the memory of the input.
inline void onnx_export_cum_prod(onnx_export_context& c) {
  if (c.input_count() > 1) c.unsupported("an axis that is an input", "the argument axis");
  std::string const x = c.input(0);
  auto const rank = static_cast<std::int64_t>(c.known_rank(x));
  std::int64_t axis = c.integer("axis", 0);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) c.unsupported("its input has no axis " + std::to_string(c.integer("axis", 0)));
  std::string const extent = c.step("Gather", {c.step("Shape", {x}), onnx_int64(c, axis)});
  std::string const places = c.step("Range", {onnx_int64(c, 0), extent, onnx_int64(c, 1)});
  bool const reverse = c.integer("reverse", 0) != 0;
  bool const exclusive = c.integer("exclusive", 0) != 0;
  std::vector<std::int64_t> behind;  // the mask is [place of the result, place, 1, …]
  for (std::int64_t k = axis + 1; k != rank; ++k) behind.push_back(k - axis);
  auto const spread = [&](bool result) {
    std::vector<std::int64_t> axes = behind;
    for (std::int64_t& each : axes) ++each;
    axes.insert(axes.begin(), result ? 1 : 0);
    return c.step("Unsqueeze", {places, onnx_axes(c, std::move(axes))});
  };
  std::string const type = std::string(reverse ? "Greater" : "Less") + (exclusive ? "" : "OrEqual");
  std::string const counts = c.step(type, {spread(false), spread(true)});
  std::string const copies = c.step("Unsqueeze", {x, onnx_axes(c, {axis})});
  std::string const factors = c.step("Where", {counts, copies, c.number(1, x)});
  c.forward(0, onnx_reduce(c, "ReduceProd", factors, {axis + 1}, false));
  c.set_dims(c.output(0), c.dims(x));
}

inline void onnx_export_trilu(onnx_export_context& c) {
  onnx_require_opset(c, 14, "triangles of matrices");
  std::string const diagonal =
      c.input_count() > 1 ? c.reshape(onnx_as_int64(c, c.input(1)), {}) : onnx_int64(c, c.integer("k", 0));
  c.give(0, "Trilu", {c.input(0), diagonal}, {onnx_attr("upper", c.integer("upper", 1) != 0 ? 1 : 0)});
}

inline void onnx_export_non_max_suppression(onnx_export_context& c) {
  std::vector<std::string> operands;
  for (std::size_t i = 0; i != c.input_count(); ++i)
    operands.push_back(i == 2 ? onnx_as_int64(c, c.input(i)) : c.input(i));
  c.give(0, "NonMaxSuppression", operands, {onnx_attr("center_point_box", c.integer("center_point_box", 0))});
}

inline void onnx_export_boolean_mask(onnx_export_context& c) {
  c.give(0, "Compress", {c.input(0), c.input(1)}, {onnx_attr("axis", 0)});
  if (c.output_count() > 1)
    c.give(1, "Reshape", {c.step("NonZero", {c.input(1)}), c.constant(std::vector<std::int64_t>{-1}, "shape")});
}
inline void onnx_export_unique(onnx_export_context& c) {
  // ONNX Runtime has it for int64, not for int32.
  std::string const x = onnx_as_int64(c, c.input(0));
  std::string const elements = c.temporary("elements");
  std::string const places = c.temporary("places");
  c.add("Unique", {x}, {elements, "", places});
  c.give(0, "Cast", {elements}, {onnx_attr("to", static_cast<std::int64_t>(c.type_of(c.input(0))))});
  if (c.output_count() < 2) return;
  c.exporter().types().set(places, onnx_type::int64, std::vector<std::int64_t>{-1});
  std::string const narrow = onnx_cast(c, places, onnx_type::int32);
  c.give(1, "Reshape", {narrow, c.shape_of(x)});
}

}  // namespace detail::onnx_out

inline void add_onnx_indexing_export(onnx_export_rules& rules) {
  rules.set("GatherElements", detail::onnx_out::onnx_export_elements);
  rules.set("ScatterElements", detail::onnx_out::onnx_export_elements);
  rules.set("GatherND", detail::onnx_out::onnx_export_gather_nd);
  rules.set("ScatterND", detail::onnx_out::onnx_export_scatter_nd);
  rules.set("ScatterAssign", detail::onnx_out::onnx_export_scatter_assign);
  rules.set("SparseToDense", detail::onnx_out::onnx_export_sparse_to_dense);
  rules.set("CumSum", detail::onnx_out::onnx_export_cum_sum);
  rules.set("CumProd", detail::onnx_out::onnx_export_cum_prod);
  rules.set("Trilu", detail::onnx_out::onnx_export_trilu);
  rules.set("NonMaxSuppression", detail::onnx_out::onnx_export_non_max_suppression);
  rules.set("BooleanMask", detail::onnx_out::onnx_export_boolean_mask);
  rules.set("Unique", detail::onnx_out::onnx_export_unique);
}

}  // namespace plait
