// Context of an ONNX conversion rule: the node to convert, its operands, and the net to add ops to.
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

/// Knowledge about a value of the model during conversion: blob, constant, type and shape.
struct onnx_value {
  std::string blob = {};  ///< empty: a constant that no op has read yet
  std::optional<tensor_value> constant = {};
  onnx_type type = onnx_type::undefined;               ///< never a float of 16 bits: these are computed as float32
  std::optional<std::vector<std::int64_t>> dims = {};  ///< -1: an unknown extent
  /// True if `dims` depends on what the model declares of its inputs, which may be larger when the net runs.
  bool is_declared = false;
  /// The elements of a small tensor of integers with known extents, as far as they follow from declared extents.
  std::optional<std::vector<std::optional<std::int64_t>>> known_elements = {};
  net_builder const* checked_in = nullptr;  ///< the net that last got an op that checks the known elements
  /// True if it depends on a reported problem: what is unknown about it may become known once that is fixed.
  bool is_poisoned = false;
  bool may_be_constant = false;  ///< true if it is poisoned and all its operands are constants
  /// The index of a problem that is reported only if something reads the value; npos for none.
  std::uint32_t deferred_problem = npos;
};

namespace detail {

class onnx_converter;

/// Maximum rank of a tensor of the runtime.
inline constexpr std::size_t max_rank = 8;

/// Thrown by a rule for a node that it does not support.
struct onnx_unsupported {
  std::string reason;
};
/// End of the reason of a node that is refused because something about its inputs is unknown.
inline constexpr std::string_view onnx_must_be_known = "must be known before the model is run";

}  // namespace detail

/// The node that a rule converts. Blobs are referred to by name; omitted operands have an empty name.
class onnx_context {
 public:
  using dims_type = std::optional<std::vector<std::int64_t>>;
  using names = std::vector<std::string>;

  onnx_context(detail::onnx_converter& converter, onnx_node const& node, std::int64_t opset)
      : converter_(&converter), node_(&node), opset_(opset) {}

  onnx_node const& node() const noexcept { return *node_; }
  /// Returns the operator-set version of the node's domain.
  std::int64_t opset() const noexcept { return opset_; }
  /// Returns true if the net needs gradients.
  bool training() const;

  // ---- inputs
  std::size_t input_count() const noexcept { return node_->inputs.size(); }
  bool has_input(std::size_t i) const { return i < node_->inputs.size() && !node_->inputs[i].empty(); }
  /// Returns the blob of an input; a constant becomes a parameter. Reports a node that lacks the input.
  std::string input(std::size_t i) const;
  /// Returns the blobs of all inputs up to the last one that is not omitted.
  names inputs() const;
  onnx_value const& value(std::size_t i) const;
  /// Returns the value of an input that is a constant, else nullptr.
  tensor_value const* constant(std::size_t i) const;
  /// Returns the elements of a constant integer input, called `what` in messages. Of an input whose elements follow
  /// from declared extents, returns these, and adds an op that refuses others at run time. Reports any other input.
  std::vector<std::int64_t> known_integers(std::size_t i, std::string_view what) const;
  std::optional<double> known_number(std::size_t i) const;
  /// Returns the elements of an input that lists extents as a shape, with -1 for unknown and negative ones; nothing if
  /// their number is unknown or above the maximum rank.
  dims_type listed_dims(std::size_t i) const;
  dims_type const& dims(std::size_t i) const;
  onnx_type type(std::size_t i) const;
  /// Returns the rank of an input. Reports an input whose rank is unknown before the net runs.
  std::size_t rank(std::size_t i) const;
  /// Normalises a possibly negative axis of input i. Reports an axis out of range, and a negative one if the rank is
  /// unknown.
  std::size_t axis(std::size_t i, std::int64_t at) const;

  // ---- attributes; each getter reports an attribute of another type
  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t fallback) const;
  float real(std::string_view name, float fallback) const;
  std::string text(std::string_view name, std::string_view fallback) const;
  std::vector<std::int64_t> integers(std::string_view name) const;
  std::vector<float> reals(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  onnx_tensor const* tensor(std::string_view name) const;
  /// Returns a subgraph. Reports a node that lacks it.
  onnx_graph_def const& graph(std::string_view name) const;

  // ---- outputs
  bool wants(std::size_t o) const { return o < node_->outputs.size() && !node_->outputs[o].empty(); }
  /// Defines an output and returns its blob; for an omitted output, the name of an unused blob.
  std::string output(std::size_t o) const;
  names outputs() const;
  /// Records the type, or the shape, of an output that output() has defined. What is unknown stays as declared; floats
  /// of 16 bits are computed as float32.
  void set_type(std::size_t o, onnx_type type) const;
  void set_dims(std::size_t o, dims_type dims) const;
  /// Records that an output has the type and shape of input i.
  void as_input(std::size_t o, std::size_t i) const;
  /// Defines an output as a constant, without an op.
  void set_constant(std::size_t o, tensor_value constant) const;
  /// Defines an output as equal to input i: a constant, or a copy.
  void forward(std::size_t o, std::size_t i) const;

  // ---- ops
  /// Returns the net that receives the node's ops.
  net_builder& net() const;
  /// Returns a new name for an intermediate blob of this node.
  std::string temporary(std::string_view ending) const;
  /// Returns a new parameter with a constant value.
  std::string constant_blob(tensor_value constant, std::string_view ending) const;
  /// Adds an op with named outputs.
  void add(std::string_view type, names const& inputs, names const& outputs,
           std::vector<net_argument> arguments = {}) const {
    net().op_n(type, inputs, outputs, std::move(arguments));
  }
  /// Adds an op with one output and returns the output, named after the op.
  std::string step(std::string_view type, names const& inputs, std::vector<net_argument> arguments = {}) const {
    std::string made = temporary(type);
    add(type, inputs, {made}, std::move(arguments));
    return made;
  }
  detail::onnx_converter& converter() const noexcept { return *converter_; }

  /// Reports that the node cannot be run, and why. A reason that contains "must be known before the model is run" is
  /// dropped if the last unknown queried is poisoned: it may become known once an earlier node is fixed.
  [[noreturn]] void unsupported(std::string reason) const { throw detail::onnx_unsupported{std::move(reason)}; }

 private:
  onnx_attribute const* find(std::string_view name) const {
    for (onnx_attribute const& a : node_->attributes)
      if (a.name == name) return &a;
    return nullptr;
  }
  // Reports an attribute that has a value of another type. An empty list counts as no value.
  template <class T>
  onnx_attribute const* find(std::string_view name, T onnx_attribute::*member, char const* type) const {
    onnx_attribute const* const a = find(name);
    if (a != nullptr && a->*member == T() &&
        (a->f || a->i || a->s || a->t || a->g || !a->floats.empty() || !a->ints.empty() || !a->strings.empty()))
      unsupported("attribute '" + a->name + "' is not " + type);
    return a;
  }

  detail::onnx_converter* converter_;
  onnx_node const* node_;
  std::int64_t opset_;
};

/// Conversion rule: adds the ops of a node to the context's net.
using onnx_rule = std::function<void(onnx_context const&)>;

}  // namespace plait
