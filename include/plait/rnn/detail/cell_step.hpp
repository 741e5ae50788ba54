// What a recurrent cell is given to add its ops with: a net, a name scope, parameters, and the blobs of one step.
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
#include <plait/netdef/detail/trained_net.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/rnn/detail/sequence_lengths.hpp>

namespace plait {

/// What a cell carries from one step to the next: 1×N×width. A step finds it as <name>_prev.
struct cell_state {
  static constexpr std::int64_t open_width = -1;  ///< known only when the net runs, and then that of `initial`

  std::string name;
  std::int64_t width;
  /// The full name of the blob that it is before the first step, where the layer is given none; absent: zero.
  std::optional<std::string> initial = {};
};

/// A blob that a step reads beside the states: 1×N×width.
struct extra_input {
  blob_handle blob;
  std::int64_t width;
};

/// What holds for a cell and all cells inside it.
struct cell_conditions {
  std::optional<std::string> lengths = {};  ///< a blob of N lengths, int32 or int64: where each sequence ends
  bool drop_states = false;                 ///< what is carried on is zero, not kept, where a sequence has ended
  bool forward_only = false;                ///< there will be no backward pass
};

/// What holds for one step of a cell and of all cells inside it, and what they share.
struct step_conditions {
  std::string timestep = {};                ///< the blob with the number of the step, an int32
  std::optional<std::int32_t> number = {};  ///< that number, where no such blob is there: it is made when asked for
  std::vector<std::string> recomputable = {};
  blob_handle active = {};  ///< which rows take part; made when asked for
};

/// A net that a cell adds ops to, and where its parameters come from. While it lives, blobs that are given to `net` as
/// text are in the cell's name scope.
class cell_scope {
 public:
  /// `parameters` is the full name of the scope of parameters; `blobs` is a name scope within the one that `to` has, or
  /// empty.
  cell_scope(trained_model& model, net_builder& to, cell_conditions const& conditions, std::string parameters,
             std::string_view blobs)
      : net(to), model_(&model), conditions_(&conditions), parameters_(std::move(parameters)) {
    if (!blobs.empty()) guard_ = std::make_unique<guard>(to.scope(blobs));
  }

  net_builder& net;

  /// The parameter <scope>/<name>, as trained_model::parameter.
  blob_handle parameter(std::string_view name, std::vector<std::int64_t> const& shape,
                        parameter_fill const& fill = {}) {
    return outer_blob(model_->parameter(parameter_name(name), shape, fill).name());
  }
  /// y = x w' + b on the last axis of x, T×N×inputs or 1×N×inputs, with parameters <scope>/<name>_w and <name>_b.
  blob_handle fc(blob_handle const& x, std::string_view name, std::int64_t inputs, std::int64_t outputs) {
    auto const w = parameter(std::string(name) + "_w", {outputs, inputs});
    auto const b = parameter(std::string(name) + "_b", {outputs}, parameter_fill::constant(0));
    return net.op("FC", {x, w, b}, name, {{"axis", 2}});
  }
  /// x + v and x v, for a vector v along the last axis of x. Add and Mul alone take their operands to be of one shape
  /// where they are differentiated.
  blob_handle add_vector(blob_operand x, blob_operand v, blob_operands const& name = {}) {
    return net.op("Add", {x, v}, name, {{"broadcast", 1}});
  }
  blob_handle mul_vector(blob_operand x, blob_operand v, blob_operands const& name = {}) {
    return net.op("Mul", {x, v}, name, {{"broadcast", 1}});
  }
  /// A blob of the net that the layer stands in, for ops here.
  blob_handle outer_blob(std::string_view full_name) {
    if (!model_->net.visible(full_name))
      throw net_error("plait: a cell takes '" + std::string(full_name) + "' from around, where there is none", {},
                      std::string(full_name));
    return net.blob_or_input(full_name);
  }

  bool forward_only() const noexcept { return conditions_->forward_only; }
  /// For a cell inside this one.
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

/// One step of a cell: what it reads, in a net that is that of the step alone, or holds more.
class cell_step : public cell_scope {
 public:
  cell_step(cell_scope&& scope, step_conditions& step, blob_handle x, std::vector<blob_handle> before,
            std::vector<extra_input> more = {})
      : cell_scope(std::move(scope)),
        input(std::move(x)),
        states(std::move(before)),
        extra(std::move(more)),
        step_(&step) {}

  blob_handle input;                ///< what prepare() made, of this step
  std::vector<blob_handle> states;  ///< as the step before left them
  std::vector<extra_input> extra;   ///< what a cell around hands in, to be seen beside the state

  /// Where each sequence ends; nothing: all are as long as the whole.
  std::optional<blob_handle> lengths() {
    if (!conditions_->lengths) return {};
    return outer_blob(*conditions_->lengths);
  }
  /// The number of the step, one int32.
  blob_handle timestep() {
    if (step_->number) {
      step_->timestep = net.given_tensor({{1}, std::vector<std::int32_t>{*step_->number}}, "timestep").name();
      step_->number.reset();
    }
    return net.blob_or_input(step_->timestep);
  }
  bool drop_states() const noexcept { return conditions_->drop_states; }

  /// y = (h, extra inputs) w' + b: fc of a state and whatever a cell around hands in.
  blob_handle state_fc(blob_handle const& h, std::int64_t width, std::string_view name, std::int64_t outputs) {
    if (extra.empty()) return fc(h, name, width, outputs);
    std::vector<blob_handle> parts{h};
    for (extra_input const& more : extra) {
      parts.push_back(more.blob);
      width += more.width;
    }
    return fc(net.concat(parts, 2, std::string(name) + "_input"), name, width, outputs);
  }

  /// `after` where the sequence goes on, else `before`, or zero with drop_states: 1×N×width.
  blob_handle masked(blob_handle const& after, blob_handle const& before, blob_operands const& name = {}) {
    if (!conditions_->lengths) return after;
    auto const rows = [&](blob_handle const& x) { return net.op("Squeeze", x, {}, {{"dims", {0}}}); };
    auto const otherwise = drop_states() ? net.op("ConstantFill", {after}, {}, {{"value", 0.0f}}) : before;
    auto const chosen = net.op("Where", {active(), rows(after), rows(otherwise)}, {}, {{"broadcast_on_rows", 1}});
    return net.op("ExpandDims", {chosen}, name, {{"dims", {0}}});
  }

  /// Says that the backward pass may make a blob again instead of keeping it: of each op all outputs, or none.
  void recomputable(blob_handle const& blob) { step_->recomputable.push_back(blob.name()); }

  /// For a step of a cell inside this one. An empty name: in the same scope.
  cell_step within(std::string_view name, blob_handle x, std::vector<blob_handle> before,
                   std::vector<extra_input> more = {}) {
    return {cell_scope::within(name), *step_, std::move(x), std::move(before), std::move(more)};
  }
  using cell_scope::within;

 private:
  blob_handle active() {
    if (step_->active == blob_handle()) {
      // Either may be of the other type.
      auto const number = net.op("Cast", timestep(), {}, {{"to", "int64"}});
      step_->active = net.gt(detail::lengths_as_int64(net, *lengths()), number);
    }
    return step_->active;
  }

  step_conditions* step_;
};

}  // namespace plait
