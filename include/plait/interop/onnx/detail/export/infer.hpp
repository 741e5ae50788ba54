// Shape inference over the ONNX nodes that export emits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/value_types.hpp>
#include <plait/interop/onnx/detail/model.hpp>

namespace plait::detail::onnx_out {

/// Returns the shape to which two shapes broadcast, as far as it is known.
inline onnx_shape onnx_broadcast_shape(onnx_shape const& a, onnx_shape const& b) {
  if (!a || !b) return std::nullopt;
  std::vector<std::int64_t> made(std::max(a->size(), b->size()));
  for (std::size_t i = 0; i != made.size(); ++i) {
    std::int64_t const x = i < a->size() ? (*a)[a->size() - 1 - i] : 1;
    std::int64_t const y = i < b->size() ? (*b)[b->size() - 1 - i] : 1;
    std::int64_t const either = std::max(x, y);
    made[made.size() - 1 - i] = x == y || y == 1 ? x : x == 1 ? y : x == -1 || y == -1 ? (either > 1 ? either : -1) : x;
  }
  return made;
}

/// Inference of one node. What it does not know becomes a value of the first input's type and of unknown rank.
class onnx_inference {
 public:
  onnx_inference(onnx_node const& node, onnx_value_types& types, std::int64_t opset)
      : node_(node), types_(types), opset_(opset) {}

  void run() {
    onnx_type const first = node_.inputs.empty() ? onnx_type::float32 : types_.type(node_.inputs.front());
    for (std::string const& name : node_.outputs)
      if (!name.empty()) types_.set(name, first, std::nullopt);
    std::string_view const type = node_.type;
    constexpr std::string_view comparisons[] = {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"};
    constexpr std::string_view binaries[] = {"Add", "Sub", "Mul",   "Div",        "Pow",       "And",       "Or",
                                             "Xor", "Mod", "PRelu", "BitwiseAnd", "BitwiseOr", "BitwiseXor"};
    constexpr std::string_view variadic[] = {"Sum", "Mean", "Max", "Min"};
    auto const among = [&](auto const& list) { return std::ranges::find(list, type) != std::end(list); };
    if (among(comparisons))
      give(onnx_broadcast_shape(dims(0), dims(1)), onnx_type::boolean);
    else if (among(binaries))
      give(onnx_broadcast_shape(dims(0), dims(1)));
    else if (among(variadic))
      variadic_shape();
    else if (type == "Where")
      give(onnx_broadcast_shape(dims(0), onnx_broadcast_shape(dims(1), dims(2))), types_.type(node_.inputs[1]));
    else if (type == "Gemm")
      gemm();
    else if (type == "MatMul")
      mat_mul();
    else if (type == "Conv" || type == "MaxPool" || type == "AveragePool")
      windows();
    else if (type == "ConvTranspose")
      ranked_like_input();
    else if (type == "GlobalAveragePool" || type == "GlobalMaxPool")
      global_pool();
    else if (!more(type) && !selections(type))
      give(is_shape_preserving(type) ? dims(0) : onnx_shape());
  }

 private:
  static bool is_shape_preserving(std::string_view type) {
    constexpr std::string_view list[] = {"Relu",
                                         "Sigmoid",
                                         "Tanh",
                                         "Exp",
                                         "Log",
                                         "Sqrt",
                                         "Abs",
                                         "Neg",
                                         "Sign",
                                         "Ceil",
                                         "Sin",
                                         "Floor",
                                         "Cos",
                                         "Tan",
                                         "Asin",
                                         "Acos",
                                         "Atan",
                                         "Sinh",
                                         "Cosh",
                                         "Asinh",
                                         "Acosh",
                                         "Atanh",
                                         "CumSum",
                                         "Trilu",
                                         "ScatterElements",
                                         "ScatterND",
                                         "Erf",
                                         "Softplus",
                                         "Softsign",
                                         "Not",
                                         "Reciprocal",
                                         "Elu",
                                         "Selu",
                                         "LeakyRelu",
                                         "ThresholdedRelu",
                                         "HardSigmoid",
                                         "Clip",
                                         "Softmax",
                                         "LogSoftmax",
                                         "Identity",
                                         "BatchNormalization",
                                         "LRN",
                                         "InstanceNormalization",
                                         "LayerNormalization",
                                         "ReverseSequence"};
    return std::ranges::find(list, type) != std::end(list);
  }
  onnx_shape const& dims(std::size_t i) const { return types_.dims(node_.inputs.at(i)); }
  std::optional<std::vector<std::int64_t>> const& list(std::size_t i) const {
    return types_.integers(node_.inputs.at(i));
  }
  std::int64_t integer(std::string_view name, std::int64_t fallback) const {
    for (onnx_attribute const& a : node_.attributes)
      if (a.name == name && a.i) return *a.i;
    return fallback;
  }
  std::vector<std::int64_t> integers(std::string_view name) const {
    for (onnx_attribute const& a : node_.attributes)
      if (a.name == name) return a.ints;
    return {};
  }
  void give(onnx_shape shape, std::optional<onnx_type> type = {}) {
    if (node_.outputs.empty() || node_.outputs[0].empty()) return;
    types_.set(node_.outputs[0], type.value_or(types_.type(node_.outputs[0])), std::move(shape));
  }
  static std::int64_t known_axis(std::int64_t axis, std::size_t rank) {
    std::int64_t const made = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
    return std::clamp<std::int64_t>(made, 0, static_cast<std::int64_t>(rank));
  }
  static std::int64_t product(std::vector<std::int64_t> const& d, std::size_t from, std::size_t to) {
    std::int64_t made = 1;
    for (std::size_t i = from; i != to; ++i) made = d[i] < 0 || made < 0 ? -1 : made * d[i];
    return made;
  }

  void variadic_shape() {
    onnx_shape made = dims(0);
    for (std::size_t i = 1; i < node_.inputs.size(); ++i) made = onnx_broadcast_shape(made, dims(i));
    give(std::move(made));
  }
  void gemm() {
    auto const extent = [&](std::size_t i, std::size_t axis) {
      return dims(i) && dims(i)->size() == 2 ? (*dims(i))[axis] : -1;
    };
    give(std::vector<std::int64_t>{extent(0, integer("transA", 0) != 0 ? 1 : 0),
                                   extent(1, integer("transB", 0) != 0 ? 0 : 1)});
  }
  void mat_mul() {
    if (!dims(0) || !dims(1) || dims(0)->empty() || dims(1)->empty()) return;
    // A vector is a matrix of one row, or of one column, whose axis the result does not have.
    bool const rows = dims(0)->size() > 1;
    bool const columns = dims(1)->size() > 1;
    auto const outer = [](onnx_shape const& d) {
      return std::vector<std::int64_t>(d->begin(), d->end() - (d->size() > 1 ? 2 : 1));
    };
    auto made = onnx_broadcast_shape(outer(dims(0)), outer(dims(1)));
    if (rows) made->push_back((*dims(0))[dims(0)->size() - 2]);
    if (columns) made->push_back(dims(1)->back());
    give(std::move(made));
  }
  void windows() {
    bool const weighted = node_.type == "Conv";
    std::vector<std::int64_t> kernel = integers("kernel_shape");
    if (kernel.empty() && weighted && dims(1) && dims(1)->size() > 2)
      kernel.assign(dims(1)->begin() + 2, dims(1)->end());
    if (kernel.empty()) return ranked_like_input();
    std::vector<std::int64_t> made{dims(0) && !dims(0)->empty() ? dims(0)->front() : -1,
                                   weighted ? (dims(1) && !dims(1)->empty() ? dims(1)->front() : -1)
                                            : (dims(0) && dims(0)->size() > 1 ? (*dims(0))[1] : -1)};
    auto const at = [](std::vector<std::int64_t> const& l, std::size_t i, std::int64_t other) {
      return i < l.size() ? l[i] : other;
    };
    auto const strides = integers("strides");
    auto const dilations = integers("dilations");
    auto const pads = integers("pads");
    bool automatic = false;
    for (onnx_attribute const& a : node_.attributes) automatic = automatic || a.name == "auto_pad";
    for (std::size_t i = 0; i != kernel.size(); ++i) {
      std::int64_t const extent = dims(0) && dims(0)->size() == kernel.size() + 2 ? (*dims(0))[i + 2] : -1;
      std::int64_t const stride = at(strides, i, 1);
      std::int64_t const room =
          extent + at(pads, i, 0) + at(pads, i + kernel.size(), 0) - (at(dilations, i, 1) * (kernel[i] - 1) + 1);
      bool const known = extent >= 0 && kernel[i] >= 0 && integer("ceil_mode", 0) == 0;
      made.push_back(!known ? -1 : automatic ? (extent + stride - 1) / stride : room < 0 ? -1 : room / stride + 1);
    }
    give(std::move(made));
  }
  void ranked_like_input() {
    if (dims(0)) give(std::vector<std::int64_t>(dims(0)->size(), -1));
  }
  void global_pool() {
    if (!dims(0)) return;
    std::vector<std::int64_t> made = *dims(0);
    for (std::size_t i = 2; i < made.size(); ++i) made[i] = 1;
    give(std::move(made));
  }

  bool more(std::string_view type) {
    if (type == "Constant") {
      for (onnx_attribute const& a : node_.attributes)
        if (a.t) give(a.t->dims, a.t->type);
    } else if (type == "ConstantOfShape") {
      onnx_type fill = onnx_type::float32;
      for (onnx_attribute const& a : node_.attributes)
        if (a.t) fill = a.t->type;
      give(list(0) ? onnx_shape(*list(0)) : ranked(length(0)), fill);
    } else if (type == "Cast") {
      give(dims(0), static_cast<onnx_type>(integer("to", 1)));
    } else if (type == "IsNaN") {
      give(dims(0), onnx_type::boolean);
    } else if (type == "ConvInteger" || type == "MatMulInteger") {
      give(onnx_shape(), onnx_type::int32);
    } else if (type == "QuantizeLinear") {
      give(dims(0), types_.type(node_.inputs[2]));
    } else if (type == "DequantizeLinear") {
      give(dims(0), types_.type(node_.inputs[1]));
    } else if (type == "Flatten") {
      std::vector<std::int64_t> made{-1, -1};
      if (dims(0)) {
        auto const axis = static_cast<std::size_t>(known_axis(integer("axis", 1), dims(0)->size()));
        made = {product(*dims(0), 0, axis), product(*dims(0), axis, dims(0)->size())};
      }
      give(std::move(made));
    } else if (type == "Reshape") {
      reshape();
    } else if (type == "Transpose") {
      if (!dims(0)) return true;
      std::vector<std::int64_t> const perm = integers("perm");
      std::vector<std::int64_t> made(dims(0)->rbegin(), dims(0)->rend());
      for (std::size_t i = 0; i != perm.size() && perm.size() == made.size(); ++i)
        made[i] = (*dims(0))[static_cast<std::size_t>(std::clamp<std::int64_t>(perm[i], 0, std::ssize(made) - 1))];
      give(std::move(made));
    } else if (type == "Shape") {
      bool const whole = integer("start", 0) == 0 && integer("end", -1) == -1;
      give(std::vector<std::int64_t>{whole && dims(0) ? std::ssize(*dims(0)) : -1}, onnx_type::int64);
      if (whole && dims(0) && std::ranges::all_of(*dims(0), [](auto d) { return d >= 0; }))
        types_.set_integers(node_.outputs[0], *dims(0));
    } else if (type == "Size") {
      give(std::vector<std::int64_t>(), onnx_type::int64);
    } else if (type == "Squeeze" || type == "Unsqueeze") {
      axes_changed(type == "Squeeze");
    } else if (type.starts_with("Reduce") || type == "ArgMax" || type == "ArgMin") {
      reduced(type);
    } else {
      return false;
    }
    return true;
  }
  static onnx_shape ranked(std::optional<std::int64_t> rank) {
    if (!rank || *rank < 0) return std::nullopt;
    return std::vector<std::int64_t>(static_cast<std::size_t>(*rank), -1);
  }
  // Returns the extent of a list.
  std::optional<std::int64_t> length(std::size_t i) const {
    if (!dims(i) || dims(i)->size() != 1 || dims(i)->front() < 0) return std::nullopt;
    return dims(i)->front();
  }
  void reshape() {
    auto const& shape = list(1);
    if (!shape) return give(ranked(length(1)));
    std::vector<std::int64_t> made = *shape;
    for (std::size_t i = 0; i != made.size(); ++i)
      if (made[i] == 0) made[i] = dims(0) && i < dims(0)->size() ? (*dims(0))[i] : -1;
    std::int64_t const all = dims(0) ? product(*dims(0), 0, dims(0)->size()) : -1;
    if (std::ranges::count(made, -1) == 1 && std::ranges::count(*shape, -1) == 1 && all > 0) {
      std::int64_t others = 1;
      for (std::int64_t const each : made) others *= each == -1 ? 1 : each;
      for (std::int64_t& each : made)
        if (each == -1 && others > 0 && all % others == 0) each = all / others;
    }
    give(std::move(made));
  }
  void axes_changed(bool removes) {
    if (removes && dims(0) && node_.inputs.size() == 1 &&
        std::ranges::all_of(*dims(0), [](auto d) { return d >= 0; })) {
      std::vector<std::int64_t> made = *dims(0);
      std::erase(made, std::int64_t{1});
      return give(std::move(made));
    }
    if (!dims(0) || node_.inputs.size() < 2 || !list(1)) return;
    std::size_t const rank = removes ? dims(0)->size() : dims(0)->size() + list(1)->size();
    std::vector<bool> at(rank);
    for (std::int64_t const axis : *list(1))
      if (known_axis(axis, rank) < std::ssize(at)) at[static_cast<std::size_t>(known_axis(axis, rank))] = true;
    std::vector<std::int64_t> made;
    auto next = dims(0)->begin();
    for (std::size_t i = 0; i != rank; ++i) {
      if (removes && !at[i]) made.push_back((*dims(0))[i]);
      if (!removes) made.push_back(at[i] ? 1 : next == dims(0)->end() ? -1 : *next++);
    }
    give(std::move(made));
  }
  void reduced(std::string_view type) {
    bool const arg = type.starts_with("Arg");
    std::optional<onnx_type> const made_type = arg ? std::optional(onnx_type::int64) : std::nullopt;
    bool const keeps = integer("keepdims", 1) != 0;
    std::vector<std::int64_t> axes = integers("axes");
    if (arg) axes = {integer("axis", 0)};
    bool const listed = node_.inputs.size() > 1 && !node_.inputs[1].empty();
    if (listed && list(1)) axes = *list(1);
    if (axes.empty() && !keeps && !(listed && !list(1))) return give(std::vector<std::int64_t>(), made_type);
    if (!dims(0)) return give(std::nullopt, made_type);
    std::vector<bool> at(dims(0)->size(), axes.empty());
    for (std::int64_t const axis : axes)
      if (known_axis(axis, at.size()) < std::ssize(at))
        at[static_cast<std::size_t>(known_axis(axis, at.size()))] = true;
    std::vector<std::int64_t> made;
    for (std::size_t i = 0; i != at.size(); ++i)
      if (!at[i] || keeps) made.push_back(at[i] ? 1 : (*dims(0))[i]);
    give(std::move(made), made_type);
  }

  // Defined in infer_selections.hpp.
  bool selections(std::string_view type);
  void slice();

  onnx_node const& node_;
  onnx_value_types& types_;
  std::int64_t opset_;
};

inline void infer_onnx(onnx_node const& node, onnx_value_types& types, std::int64_t opset) {
  onnx_inference(node, types, opset).run();
}

}  // namespace plait::detail::onnx_out

#include <plait/interop/onnx/detail/export/infer_selections.hpp>
