// Export rules of normalisations and of softmax.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/context.hpp>
#include <plait/interop/onnx/detail/export/rules/elementwise.hpp>
#include <plait/interop/onnx/detail/export/rules/matrix.hpp>
#include <plait/interop/onnx/detail/export/rules/windows.hpp>

namespace plait {
namespace detail::onnx_out {

inline std::string onnx_axes(onnx_export_context const& c, std::vector<std::int64_t> axes) {
  return c.constant(std::move(axes), "axes");
}
/// Adds a reduction, whose axes are an input or, before operator set 18, an attribute.
inline std::string onnx_reduce(onnx_export_context const& c, std::string const& type, std::string const& x,
                               std::vector<std::int64_t> axes, bool keeps) {
  std::vector<std::string> inputs{x};
  std::vector<onnx_attribute> with{onnx_attr("keepdims", keeps ? 1 : 0)};
  if (!axes.empty()) {
    if (type == "ReduceSum" || c.opset() >= 18)
      inputs.push_back(onnx_axes(c, std::move(axes)));
    else
      with.push_back(onnx_attr("axes", std::move(axes)));
  }
  return c.step(type, std::move(inputs), std::move(with));
}

/// Adds Softmax or LogSoftmax of rows that begin at an axis; ONNX's is of one axis.
inline std::string onnx_softmax(onnx_export_context const& c, std::string const& type, std::string const& x,
                                std::int64_t axis) {
  auto const rank = c.rank(x);
  if (axis == -1 || (rank && axis == static_cast<std::int64_t>(*rank) - 1))
    return c.step(type, {x}, {onnx_attr("axis", -1)});
  std::string const rows = c.step(type, {onnx_matrix(c, x, axis)}, {onnx_attr("axis", -1)});
  if (rank == 2U) return rows;
  std::string const made = c.step("Reshape", {rows, c.shape_of(x)});
  c.set_dims(made, c.dims(x));
  return made;
}

inline void onnx_export_softmax(onnx_export_context& c) {
  c.forward(0, onnx_softmax(c, c.type(), c.input(0), c.integer("axis", 1)));
}

inline void onnx_export_spatial_bn(onnx_export_context& c) {
  if (c.integer("is_test", 0) == 0)
    c.unsupported("computes mean and variance of the batch, as in training", "set is_test to 1");
  std::vector<std::string> inputs = c.inputs();
  if (inputs.size() != 5) c.unsupported("it has other than 5 inputs");
  inputs[0] = onnx_images(c, inputs[0]);
  onnx_give_images(c, "BatchNormalization", std::move(inputs), {onnx_attr("epsilon", c.real("epsilon", 1e-5F))});
}

inline void onnx_export_lrn(onnx_export_context& c) {
  std::string const x = onnx_images(c, c.input(0));
  onnx_give_images(c, "LRN", {x},
                   {onnx_attr("size", c.integer("size", 0)), onnx_attr("alpha", c.real("alpha", 0)),
                    onnx_attr("beta", c.real("beta", 0)), onnx_attr("bias", c.real("bias", 1))});
}

inline void onnx_export_instance_norm(onnx_export_context& c) {
  std::vector<std::string> inputs{onnx_images(c, c.input(0)), c.input(1), c.input(2)};
  onnx_give_images(c, "InstanceNormalization", std::move(inputs), {onnx_attr("epsilon", c.real("epsilon", 1e-5F))});
}

/// GroupNorm as InstanceNormalization over groups, since ONNX's own operator is not in all operator sets.
inline void onnx_export_group_norm(onnx_export_context& c) {
  std::string const x = onnx_images(c, c.input(0));
  std::int64_t const group = c.integer("group", 32);
  constexpr std::int64_t most_groups = std::int64_t{1} << 24;
  if (group < 1 || group > most_groups) c.unsupported("it has " + std::to_string(group) + " groups");
  auto const per_group = [&](double value) { return c.constant(onnx_filled(c.type_of(x), {group}, value), "group"); };
  float const epsilon = c.real("epsilon", c.real("eps", 1e-5F));
  std::string const groups = c.step("InstanceNormalization", {c.reshape(x, {0, group, -1}), per_group(1), per_group(0)},
                                    {onnx_attr("epsilon", epsilon)});
  std::string const normal = c.step("Reshape", {groups, c.shape_of(x)});
  c.set_dims(normal, c.dims(x));
  std::string const scaled = c.step("Mul", {normal, onnx_aligned(c, c.input(1), 1, x)});
  onnx_give_images(c, "Add", {scaled, onnx_aligned(c, c.input(2), 1, x)}, {});
  if (c.output_count() < 2) return;
  std::string const elements = c.reshape(x, {0, group, -1});
  std::string const mean = onnx_reduce(c, "ReduceMean", elements, {2}, true);
  std::string const centred = c.step("Sub", {elements, mean});
  std::string const variance = onnx_reduce(c, "ReduceMean", c.step("Mul", {centred, centred}), {2}, false);
  c.give(1, "Squeeze", {mean, onnx_axes(c, {2})});
  if (c.output_count() > 2)
    c.give(2, "Reciprocal", {c.step("Sqrt", {c.step("Add", {variance, c.number(epsilon, x)})})});
}

inline void onnx_export_layer_norm(onnx_export_context& c) {
  std::string const x = c.input(0);
  std::int64_t const axis = c.integer("axis", 1);
  bool const affine = c.integer("elementwise_affine", c.output_count() == 1 && c.input_count() == 3 ? 1 : 0) != 0;
  std::string const rows = onnx_matrix(c, x, axis);
  std::string const mean = onnx_reduce(c, "ReduceMean", rows, {1}, true);
  std::string const centred = c.step("Sub", {rows, mean});
  std::string const variance = onnx_reduce(c, "ReduceMean", c.step("Mul", {centred, centred}), {1}, true);
  std::string const deviation = c.step("Sqrt", {c.step("Add", {variance, c.number(c.real("epsilon", 1e-5F), x)})});
  std::string normal = c.step("Div", {centred, deviation});
  if (affine) {
    std::string const scaled = c.step("Mul", {normal, c.reshape(c.input(1), {-1})});
    normal = c.step("Add", {scaled, c.reshape(c.input(2), {-1})});
  }
  c.give(0, "Reshape", {normal, c.shape_of(x)});
  c.set_dims(c.output(0), c.dims(x));
  for (std::size_t const o : {1U, 2U}) {
    if (o >= c.output_count()) break;
    c.give(o, "Reshape", {o == 1 ? mean : deviation, onnx_leading_shape(c, x, axis, 1)});
    c.set_dims(c.output(o), onnx_leading_dims(c, x, axis, 1));
  }
}

inline void onnx_export_normalize(onnx_export_context& c) {
  std::string const x = c.input(0);
  std::int64_t const axis = c.integer("axis", -1);
  if (c.type() == "Normalize") {
    std::string const norm = onnx_reduce(c, "ReduceL2", x, {axis}, true);
    return c.give(0, "Div", {x, c.step("Max", {norm, c.number(1e-12, x)})});
  }
  std::string const norm = onnx_reduce(c, "ReduceL1", x, {axis}, true);
  std::string const none = c.step("Equal", {norm, c.number(0, x)});
  c.give(0, "Div", {x, c.step("Where", {none, c.number(1, x), norm})});
}

// ---- losses

/// Returns labels as a column of int64.
inline std::string onnx_label_column(onnx_export_context const& c, std::string const& labels) {
  return c.step("Cast", {c.reshape(labels, {-1, 1})}, {onnx_attr("to", static_cast<std::int64_t>(onnx_type::int64))});
}

inline void onnx_export_softmax_with_loss(onnx_export_context& c) {
  std::string const x = c.input(0);
  std::int64_t const axis = c.integer("axis", 1);
  c.forward(0, onnx_softmax(c, "Softmax", x, axis));
  if (c.output_count() < 2) return;
  std::string const logs = c.step("LogSoftmax", {onnx_matrix(c, x, axis)}, {onnx_attr("axis", -1)});
  std::string each;
  if (c.integer("label_prob", 0) != 0)
    each = onnx_reduce(c, "ReduceSum", c.step("Mul", {logs, onnx_matrix(c, c.input(1), axis)}), {1}, true);
  else
    each = c.step("GatherElements", {logs, onnx_label_column(c, c.input(1))}, {onnx_attr("axis", 1)});
  std::string const scale = c.number(-static_cast<double>(c.real("scale", 1)), x);
  if (c.input_count() < 3) return c.give(1, "Mul", {onnx_reduce(c, "ReduceMean", each, {}, false), scale});
  std::string const weights = c.reshape(c.input(2), {-1, 1});
  std::string const weighted = c.step("Mul", {each, weights});
  if (c.integer("average_by_batch_size", 0) != 0)
    return c.give(1, "Mul", {onnx_reduce(c, "ReduceMean", weighted, {}, false), scale});
  std::string const sum = onnx_reduce(c, "ReduceSum", weighted, {}, false);
  std::string const all = onnx_reduce(c, "ReduceSum", weights, {}, false);
  std::string const zero = c.number(0, x);
  std::string const none = c.step("Equal", {all, zero});
  std::string const mean = c.step("Div", {sum, c.step("Where", {none, c.number(1, x), all})});
  c.give(1, "Where", {none, zero, c.step("Mul", {mean, scale})});
}

inline void onnx_export_cross_entropy(onnx_export_context& c) {
  std::string const x = onnx_matrix(c, c.input(0), 1);
  std::string const least = c.number(1e-20, x);
  if (c.type() == "LabelCrossEntropy") {
    std::string const each = c.step("GatherElements", {x, onnx_label_column(c, c.input(1))}, {onnx_attr("axis", 1)});
    std::string const logs = c.step("Neg", {c.step("Log", {c.step("Max", {each, least})})});
    return c.give(0, "Reshape", {logs, c.constant(std::vector<std::int64_t>{-1})});
  }
  std::string const logs = c.step("Neg", {c.step("Log", {c.step("Max", {x, least})})});
  c.forward(0, onnx_reduce(c, "ReduceSum", c.step("Mul", {logs, onnx_matrix(c, c.input(1), 1)}), {1}, false));
}

}  // namespace detail::onnx_out

inline void add_onnx_normalization_export(onnx_export_rules& rules) {
  rules.set("Softmax", detail::onnx_out::onnx_export_softmax);
  rules.set("LogSoftmax", detail::onnx_out::onnx_export_softmax);
  rules.set("SpatialBN", detail::onnx_out::onnx_export_spatial_bn);
  rules.set("LRN", detail::onnx_out::onnx_export_lrn);
  rules.set("InstanceNorm", detail::onnx_out::onnx_export_instance_norm);
  rules.set("GroupNorm", detail::onnx_out::onnx_export_group_norm);
  rules.set("LayerNorm", detail::onnx_out::onnx_export_layer_norm);
  rules.set("Normalize", detail::onnx_out::onnx_export_normalize);
  rules.set("NormalizeL1", detail::onnx_out::onnx_export_normalize);
  rules.set("SoftmaxWithLoss", detail::onnx_out::onnx_export_softmax_with_loss);
  rules.set("LabelCrossEntropy", detail::onnx_out::onnx_export_cross_entropy);
  rules.set("CrossEntropy", detail::onnx_out::onnx_export_cross_entropy);
}

}  // namespace plait
