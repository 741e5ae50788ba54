// Conversion rules for ONNX's losses by class label: NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss.
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

// Loss of log-probabilities N x C x ... by labels N x ... that are classes or ignore_index. The picked element is a sum
// over classes in which all others are 0.
inline void onnx_label_loss(onnx_context const& c, std::string const& logs) {
  onnx_composition const g(c);
  std::string const reduction = c.text("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    c.unsupported("the reduction must be none, sum or mean");
  onnx_type const real = c.type(0);
  onnx_type const index = c.type(1);
  if (real == onnx_type::undefined || !is_integer(index))
    c.unsupported("the types of its inputs must be known before the model is run");
  std::size_t const rank = c.rank(0);
  require_rank(c, 0, 2);
  std::vector<std::int64_t> labels_dims = *c.dims(0);
  std::int64_t const classes = labels_dims[1];
  labels_dims.erase(labels_dims.begin() + 1);
  require_dims(c, 1, labels_dims, "a label for each place");
  if (!c.dims(1)) static_cast<void>(c.rank(1));
  if (c.has_input(2)) require_dims(c, 2, {classes}, "a weight for each class");

  std::string const zero = g.number(real, 0);
  std::string const none = g.number(index, 0);
  std::string labels = g.input(1);
  std::string ignored;
  if (c.has("ignore_index")) {
    std::int64_t const at = c.integer("ignore_index", 0);
    if (index == onnx_type::int32 && at != static_cast<std::int32_t>(at)) c.unsupported("ignore_index is no int32");
    tensor_value const element = index == onnx_type::int64
                                     ? tensor_value{{}, std::vector<std::int64_t>{at}}
                                     : tensor_value{{}, std::vector<std::int32_t>{static_cast<std::int32_t>(at)}};
    ignored = g("Equal", {labels, g.constant(element)});
    labels = g("Where", {ignored, none, labels});
  }
  std::string const count = g.extents(logs, 1, 2);
  std::string const weights =
      c.has_input(2) ? g("Reshape", {g.input(2), count})
                     : g.cast(g("Expand", {g.constant(onnx_filled(onnx_type::int32, {1}, 1)), count}), real);
  // Gather refuses labels that are no classes.
  std::string weight = g.op("Gather", {weights, labels}, {}, real, labels_dims);
  if (!ignored.empty()) weight = g("Where", {ignored, zero, weight});

  std::vector<std::int64_t> column(rank - 1, 1);
  column[0] = -1;
  std::string const all =
      g.cast(g("Range", {g.number(onnx_type::int64, 0), g.extent(logs, 1), g.number(onnx_type::int64, 1)}), index);
  std::string const chosen = g("Equal", {g.unsqueeze(labels, {1}), g("Reshape", {all, g.list(column)})});
  // plait's Where does not broadcast: it refuses labels of another shape.
  std::string const zeros =
      g.op("ConstantFill", {logs}, {{"value", 0.0f}, {"dtype", require_runtime_type(c, real)}}, real, g.dims(logs));
  std::string const terms = g.op("Where", {chosen, logs, zeros}, {}, real, g.dims(logs));
  std::string const picked = g.reduce("ReduceSum", terms, {1}, false);
  std::string loss = g("Neg", {g("Mul", {picked, weight})});
  if (!ignored.empty()) loss = g("Where", {ignored, zero, loss});
  if (reduction == "none") return g.make(0, "Identity", {loss});
  std::vector<onnx_attribute> const over_all{onnx_argument("keepdims", 0)};
  if (reduction == "sum") return g.make(0, "ReduceSum", {loss}, over_all);
  g.make(0, "Div", {g("ReduceSum", {loss}, over_all), g("ReduceSum", {weight}, over_all)});
}

}  // namespace detail

inline void add_onnx_loss_rules(onnx_rules& rules) {
  rules.set("NegativeLogLikelihoodLoss", [](onnx_context const& c) {
    detail::require_type(c, 0, detail::onnx_floats);
    detail::onnx_label_loss(c, detail::onnx_composition(c).input(0));
  });
  rules.set("SoftmaxCrossEntropyLoss", [](onnx_context const& c) {
    detail::require_type(c, 0, detail::onnx_floats);
    detail::require_rank(c, 0, 2);
    detail::onnx_composition const g(c);
    std::string const logs = g("LogSoftmax", {g.input(0)}, {detail::onnx_argument("axis", std::int64_t{1})});
    detail::onnx_label_loss(c, logs);
    g.make(1, "Identity", {logs});
  });
}

}  // namespace plait
