// What a rule for an ONNX operator is given: a node of the model, and a net to add ops to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/interop/onnx/detail/model.hpp>
#include <plait/interop/onnx/detail/tensors.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/netdef/detail/built_op.hpp>
#include <plait/netdef/net_builder.hpp>

namespace plait {

/// What is known of a value of the model while its net is made.
struct onnx_value {
  std::string blob = {};  ///< empty: it is a constant that no op has read yet
  std::optional<tensor_value> constant = {};
  onnx_type type = onnx_type::undefined;
  std::optional<std::vector<std::int64_t>> dims = {};  ///< -1: not known
  /// It depends on something that has been reported: what is not known of it may be, once that is mended.
  bool is_poisoned = false;
  bool may_be_constant = false;  ///< of one that is lost: all that it is made of are constants
  /// The number of a deferred_problem about it, which is reported if something reads it; npos for none.
  std::uint32_t deferred_problem = npos;
};

namespace detail {

class onnx_converter;

/// A node that a rule does not do.
struct onnx_unsupported {
  std::string reason;
};
/// What ends the reason of a node that is refused because of what is not known of its inputs.
inline constexpr std::string_view onnx_must_be_known = "must be known before the model is run";

}  // namespace detail

/// A node while it is converted. Blobs are named by text; operands that the node leaves out are empty.
class onnx_context {
 public:
  using dims_type = std::optional<std::vector<std::int64_t>>;
  using names = std::vector<std::string>;

  onnx_context(detail::onnx_converter& converter, onnx_node const& node, std::int64_t opset)
      : converter_(&converter), node_(&node), opset_(opset) {}

  onnx_node const& node() const noexcept { return *node_; }
  /// The version of the operators of the node's domain.
  std::int64_t opset() const noexcept { return opset_; }
  /// Whether the net is to have gradients.
  bool training() const;

  // ---- inputs
  std::size_t input_count() const noexcept { return node_->inputs.size(); }
  bool has_input(std::size_t i) const { return i < node_->inputs.size() && !node_->inputs[i].empty(); }
  /// The blob, which is made a parameter if it is a constant. Reports a node that lacks the input.
  std::string input(std::size_t i) const;
  /// All up to the last that the node does not leave out.
  names inputs() const;
  onnx_value const& value(std::size_t i) const;
  /// The elements, if the model has them; nullptr otherwise.
  tensor_value const* constant(std::size_t i) const;
  /// The same of integers. Reports an input that is not known before the net is run.
  std::vector<std::int64_t> known_integers(std::size_t i, std::string_view what) const;
  std::optional<double> known_number(std::size_t i) const;
  dims_type const& dims(std::size_t i) const;
  onnx_type type(std::size_t i) const;
  /// Reports an input whose number of axes is not known before the net is run.
  std::size_t rank(std::size_t i) const;
  /// An axis of input i that may count from the end. Reports one that it does not have, and one from the end of a
  /// number of axes that is not known.
  std::size_t axis(std::size_t i, std::int64_t at) const;

  // ---- attributes, of which each reports one of another type
  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t fallback) const;
  float real(std::string_view name, float fallback) const;
  std::string text(std::string_view name, std::string_view fallback) const;
  std::vector<std::int64_t> integers(std::string_view name) const;
  std::vector<float> reals(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  onnx_tensor const* tensor(std::string_view name) const;
  /// Reports a node that lacks it.
  onnx_graph_def const& graph(std::string_view name) const;

  // ---- outputs
  bool wants(std::size_t o) const { return o < node_->outputs.size() && !node_->outputs[o].empty(); }
  /// The name of the blob that the output is to be; a name nobody reads for one that the node leaves out.
  std::string output(std::size_t o) const;
  names outputs() const;
  /// What is known of an output whose blob has been asked for.
  void set_type(std::size_t o, onnx_type type) const;
  void set_dims(std::size_t o, dims_type dims) const;
  /// It is of the type and shape of input i.
  void as_input(std::size_t o, std::size_t i) const;
  /// The output is a constant: it needs no op.
  void set_constant(std::size_t o, tensor_value constant) const;
  /// The output is what input i is.
  void forward(std::size_t o, std::size_t i) const;

  // ---- ops
  /// The net that the ops of the node go to.
  net_builder& net() const;
  /// A new name for a blob of this node.
  std::string temporary(std::string_view ending) const;
  /// A constant as a blob.
  std::string constant_blob(tensor_value constant, std::string_view ending) const;
  /// Adds an op with outputs of given names.
  void add(std::string_view type, names const& inputs, names const& outputs,
           std::vector<net_argument> arguments = {}) const {
    net().op_n(type, inputs, outputs, std::move(arguments));
  }
  /// Adds an op with one output, and names that after the op.
  std::string step(std::string_view type, names const& inputs, std::vector<net_argument> arguments = {}) const {
    std::string made = temporary(type);
    add(type, inputs, {made}, std::move(arguments));
    return made;
  }
  detail::onnx_converter& converter() const noexcept { return *converter_; }

  /// Reports that the node cannot be run, and why. Where the reason is that something "must be known before the model
  /// is run" and what was asked for last and is not known may be once a node before can be run, this is not reported.
  [[noreturn]] void unsupported(std::string reason) const { throw detail::onnx_unsupported{std::move(reason)}; }

 private:
  onnx_attribute const* find(std::string_view name) const {
    for (onnx_attribute const& a : node_->attributes)
      if (a.name == name) return &a;
    return nullptr;
  }
  // Reports one that has a value, but of another type. An empty list has none.
  template <class T>
  onnx_attribute const* find(std::string_view name, T onnx_attribute::*member, char const* type) const {
    onnx_attribute const* const a = find(name);
    if (a != nullptr && a->*member == T() &&
        (a->f || a->i || a->s || a->t || a->g || !a->floats.empty() || !a->ints.empty() || !a->strings.empty()))
      unsupported("attribute '" + a->name + "' is no " + type);
    return a;
  }

  detail::onnx_converter* converter_;
  onnx_node const* node_;
  std::int64_t opset_;
};

/// Adds the ops of a node.
using onnx_rule = std::function<void(onnx_context const&)>;

}  // namespace plait
