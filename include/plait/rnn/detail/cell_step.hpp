// Context of a recurrent cell: the net, name scope and parameters for its ops, and the blobs of one time step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/netdef/detail/trained_model.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/rnn/detail/sequence_lengths.hpp>

namespace plait {

/// Loop-carried state of a cell, 1×N×width. A step reads it as <name>_prev.
struct cell_state {
  static constexpr std::int64_t open_width = -1;  ///< known only at run time: the width of `initial`

  std::string name;
  std::int64_t width;
  /// Full name of the default initial value, used if the layer sets none; absent: zero.
  std::optional<std::string> initial = {};
};

/// Additional input of a step that is concatenated to a state: 1×N×width.
struct extra_input {
  blob_handle blob;
  std::int64_t width;
};

/// Settings that a cell shares with its inner cells.
struct cell_conditions {
  std::optional<std::string> lengths = {};  ///< a blob of N sequence lengths, int32 or int64
  bool drop_states = false;                 ///< zeroes, not keeps, the states of a sequence that has ended
  bool forward_only = false;                ///< there is no backward pass
};

/// State of one step that a cell shares with its inner cells.
struct step_conditions {
  std::string timestep = {};                ///< the blob with the index of the step, an int32
  std::optional<std::int32_t> number = {};  ///< that index if there is no such blob, which is created on demand
  std::vector<std::string> recomputable = {};
  blob_handle active = {};  ///< mask of the rows whose sequence goes on; created on demand
};

/// Net for the ops of a cell, with the scope of its parameters. During its lifetime, blob names passed to `net` as text
/// are in the cell's name scope.
class cell_scope {
 public:
  /// `parameters` is the full name of the parameters' scope; `blobs` is a name scope within the one of `to`, or empty.
  cell_scope(trained_model& model, net_builder& to, cell_conditions const& conditions, std::string parameters,
             std::string_view blobs)
      : net(to), model_(&model), conditions_(&conditions), parameters_(std::move(parameters)) {
    if (!blobs.empty()) guard_ = std::make_unique<guard>(to.scope(blobs));
  }

  net_builder& net;

  /// Returns the parameter <scope>/<name>, as trained_model::parameter.
  blob_handle parameter(std::string_view name, std::vector<std::int64_t> const& shape,
                        parameter_fill const& fill = {}) {
    return outer_blob(model_->parameter(parameter_name(name), shape, fill).name());
  }
  /// Adds a fully connected layer, y = x w' + b on the last axis of x, T×N×inputs or 1×N×inputs, with parameters
  /// <scope>/<name>_w and <name>_b.
  blob_handle fc(blob_handle const& x, std::string_view name, std::int64_t inputs, std::int64_t outputs) {
    auto const w = parameter(std::string(name) + "_w", {outputs, inputs});
    auto const b = parameter(std::string(name) + "_b", {outputs}, parameter_fill::constant(0));
    return net.op("FC", {x, w, b}, name, {{"axis", 2}});
  }
  /// Adds x + v, for a vector v along the last axis of x, as mul_vector adds x v. Without the argument broadcast, the
  /// gradients of Add and Mul assume operands of one shape.
  blob_handle add_vector(blob_operand x, blob_operand v, blob_operands const& name = {}) {
    return net.op("Add", {x, v}, name, {{"broadcast", 1}});
  }
  blob_handle mul_vector(blob_operand x, blob_operand v, blob_operands const& name = {}) {
    return net.op("Mul", {x, v}, name, {{"broadcast", 1}});
  }
  /// Returns a blob of the layer's outer net, captured by the step net if that is a separate one. Throws net_error.
  blob_handle outer_blob(std::string_view full_name) {
    if (!model_->net.visible(full_name))
      throw net_error("plait: a cell captures '" + std::string(full_name) + "', which the outer net lacks", {},
                      std::string(full_name));
    return net.blob_or_input(full_name);
  }

  bool forward_only() const noexcept { return conditions_->forward_only; }
  /// Returns the scope of an inner cell.
  cell_scope within(std::string_view name) { return {*model_, net, *conditions_, parameter_name(name), name}; }

 protected:
  std::string parameter_name(std::string_view name) const {
    if (name.empty()) return parameters_;
    return parameters_.empty() ? std::string(name) : parameters_ + '/' + std::string(name);
  }

  trained_model* model_;
  cell_conditions const* conditions_;

 private:
  using guard = net_builder::scope_guard<std::string>;

  std::string parameters_;
  std::unique_ptr<guard> guard_;
};

/// One time step of a cell: the scope for its ops and the blobs it reads. The net is the step net, or, without a loop,
/// the outer net.
class cell_step : public cell_scope {
 public:
  cell_step(cell_scope&& scope, step_conditions& step, blob_handle x, std::vector<blob_handle> before,
            std::vector<extra_input> more = {})
      : cell_scope(std::move(scope)),
        input(std::move(x)),
        states(std::move(before)),
        extra(std::move(more)),
        step_(&step) {}

  blob_handle input;                ///< this step's slice of the result of prepare()
  std::vector<blob_handle> states;  ///< states of the previous step
  std::vector<extra_input> extra;   ///< additional inputs from an outer cell, concatenated to a state

  /// Returns the sequence lengths; nothing if all sequences have all steps.
  std::optional<blob_handle> lengths() {
    if (!conditions_->lengths) return {};
    return outer_blob(*conditions_->lengths);
  }
  /// Returns the index of the step, one int32.
  blob_handle timestep() {
    if (step_->number) {
      step_->timestep = net.given_tensor({{1}, std::vector<std::int32_t>{*step_->number}}, "timestep").name();
      step_->number.reset();
    }
    return net.blob_or_input(step_->timestep);
  }
  bool drop_states() const noexcept { return conditions_->drop_states; }

  /// Adds a fully connected layer of a state concatenated with the extra inputs: y = (h, extra) w' + b.
  blob_handle state_fc(blob_handle const& h, std::int64_t width, std::string_view name, std::int64_t outputs) {
    if (extra.empty()) return fc(h, name, width, outputs);
    std::vector<blob_handle> parts{h};
    for (extra_input const& more : extra) {
      parts.push_back(more.blob);
      width += more.width;
    }
    return fc(net.concat(parts, 2, std::string(name) + "_input"), name, width, outputs);
  }

  /// Masks a state by the sequence lengths, 1×N×width: `after` if the sequence goes on, else `before`, or zero with
  /// drop_states.
  blob_handle masked(blob_handle const& after, blob_handle const& before, blob_operands const& name = {}) {
    if (!conditions_->lengths) return after;
    auto const rows = [&](blob_handle const& x) { return net.op("Squeeze", x, {}, {{"dims", {0}}}); };
    auto const otherwise = drop_states() ? net.op("ConstantFill", {after}, {}, {{"value", 0.0f}}) : before;
    auto const chosen = net.op("Where", {active(), rows(after), rows(otherwise)}, {}, {{"broadcast_on_rows", 1}});
    return net.op("ExpandDims", {chosen}, name, {{"dims", {0}}});
  }

  /// Marks a blob as recomputable: the backward pass may recompute instead of keep it. Mark all outputs of an op or
  /// none.
  void recomputable(blob_handle const& blob) { step_->recomputable.push_back(blob.name()); }

  /// Returns the step of an inner cell; an empty name denotes the same scope.
  cell_step within(std::string_view name, blob_handle x, std::vector<blob_handle> before,
                   std::vector<extra_input> more = {}) {
    return {cell_scope::within(name), *step_, std::move(x), std::move(before), std::move(more)};
  }
  using cell_scope::within;

 private:
  blob_handle active() {
    if (step_->active == blob_handle()) {
      // Lengths and the step index may have different integer types.
      auto const number = net.op("Cast", timestep(), {}, {{"to", "int64"}});
      step_->active = net.gt(detail::lengths_as_int64(net, *lengths()), number);
    }
    return step_->active;
  }

  step_conditions* step_;
};

}  // namespace plait
