// Builder of a recurrent layer: the outer-net ops (initial states, reversal, scopes) that all layers share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/netdef/detail/trained_model.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/detail/layer_options.hpp>
#include <plait/rnn/detail/sequence_lengths.hpp>

namespace plait::detail {

/// Returns the name of a state's initial value, without the suffix "_t" of the state's name.
inline std::string initial_name(std::string_view kind, std::string_view state) {
  if (state.ends_with("_t")) state.remove_suffix(2);
  std::size_t const scope = state.rfind('/') + 1;  // 0 where there is none
  return std::string(state.substr(0, scope)) + std::string(kind) + '_' + std::string(state.substr(scope)) + "_state";
}

/// Maximum width of a state, so that sizes derived from it, such as the width of all gates, do not overflow 64 bits.
inline constexpr std::int64_t widest_state = std::int64_t{1} << 40;

/// Builder of the outer net of a layer. The options must outlive it.
class layer_builder {
 public:
  /// Validates the options. Throws net_error.
  layer_builder(trained_model& model, std::string_view name, recurrent_layer_options const& options,
                std::vector<cell_state> states)
      : model_(model), o_(options), name_(name), states_(std::move(states)) {
    if (name_.empty()) fail("it needs a name");
    scope_ = model.net.full_name(name_);
    for (cell_state const& state : states_) {
      for (char const* const all : {"_all", "_masked_all"})
        if (model.net.visible(scoped(state.name + all))) fail("the net has it already");
      if (state.initial)
        (void)model.net.blob(*state.initial);
      else if (state.width < 0 && o_.initial.empty())
        fail("the width of the state '" + state.name + "' is unknown");
      if (state.width == 0 || state.width > widest_state)
        fail("its state '" + state.name + "' has the width " + std::to_string(state.width) +
             ", which should be from 1 to " + std::to_string(widest_state));
    }
    if (states_.empty()) fail("its cell has no state");
    if (!o_.initial.empty() && o_.learn_initial) fail("`initial` and `learn_initial` are both set");
    if (!o_.initial.empty() && o_.initial.size() != states_.size())
      fail("it has " + std::to_string(states_.size()) + " states, but " + std::to_string(o_.initial.size()) +
           " initial values");
    for (std::string const* blob : {&o_.sequence, o_.lengths ? &*o_.lengths : nullptr})
      if (blob != nullptr) (void)model_.net.blob(*blob);
    for (std::string const& blob : o_.initial) (void)model_.net.blob(blob);
    conditions_ = {o_.lengths, o_.drop_states, o_.forward_only};
  }

  std::string const& scope() const noexcept { return scope_; }
  std::string scoped(std::string const& name) const { return scope_ + '/' + name; }
  std::vector<cell_state> const& states() const noexcept { return states_; }

  /// Returns the scope of ops over all time steps.
  cell_scope over_sequence() { return {model_, model_.net, conditions_, parameters(), name_}; }
  /// Returns the scope of one unrolled step, nested in that of over_sequence(): blobs have the scope `blobs`.
  cell_scope over_step(std::string const& blobs) { return {model_, model_.net, conditions_, parameters(), blobs}; }
  /// Returns the scope of the ops of a step net.
  cell_scope in(net_builder& step) { return {model_, step, conditions_, parameters(), scope_}; }

  /// Makes the new states distinct outputs of ops, by copying one that is an external input of the step or the same
  /// blob as another. Throws net_error if the net has a layer with states of these names.
  void make_own(net_builder& step, std::vector<blob_handle>& after) const {
    for (auto at = after.begin(); at != after.end(); ++at) {
      std::string const& name = states_[static_cast<std::size_t>(at - after.begin())].name;
      netdef const& n = step.net();
      bool const is_given = std::ranges::find(n.external_input, n.find(at->name())) != n.external_input.end();
      bool const is_twice = std::find(after.begin(), at, *at) != at;
      if (is_given || is_twice) *at = step.copy(*at, step.visible(scoped(name)) ? blob_operands() : name);
      if (model_.net.visible(at->name() + "_all")) fail("the net has it already");
    }
  }

  /// Returns the sequence in the order of the steps. Call it once, during the lifetime of over_sequence().
  blob_handle sequence() {
    blob_handle x = model_.net.blob(o_.sequence);
    if (!o_.reverse) return x;
    ends_ = clamped_lengths(model_.net, x, o_.lengths);
    return reversed(x, "input_reversed");
  }
  /// Returns all steps of a state in the order of the sequence.
  blob_handle in_order(blob_handle const& all) {
    if (!o_.reverse) return all;
    return model_.net.op("ReversePackedSegs", {all, model_.net.blob(ends_)}, {});
  }

  /// Returns the initial value of each state.
  std::vector<std::string> initial_states(cell_scope& around) {
    std::vector<std::string> made = o_.initial;
    if (!made.empty()) return made;
    // Zeros are an untrained parameter, so that they have the element type of the other parameters.
    parameter_fill fill = parameter_fill::constant(0);
    fill.trained = o_.learn_initial;
    for (cell_state const& state : states_) {
      if (state.initial) {
        made.push_back(*state.initial);
        continue;
      }
      std::string const name = initial_name(fill.trained ? "initial" : "zero", state.name);
      made.push_back(around.parameter(name, {state.width}, fill).name());
    }
    return made;
  }
  /// Returns the initial value of each state as 1×N×width, with the batch size of the step's input x.
  std::vector<blob_handle> initial_rows(cell_scope& around, blob_handle const& x) {
    net_builder& net = model_.net;
    auto const column = net.op("Slice", {x}, {}, {{"starts", {0, 0, 0}}, {"ends", {1, -1, 1}}});
    auto const rows = net.op("Squeeze", {column}, {}, {{"dims", {2}}});
    std::vector<std::string> const given = initial_states(around);
    std::vector<blob_handle> made;
    for (std::size_t i = 0; i != states_.size(); ++i) {
      blob_handle const initial = net.blob(given[i]);
      auto const zeros = states_[i].width < 0 ? rows_like(rows, initial)
                                              : net.op("ConstantFill", {rows}, {},
                                                       {{"extra_shape", {states_[i].width}}, {"value", 0.0f}});
      // Broadcasts over the batch only, as RecurrentNetwork does.
      made.push_back(net.op("Add", {zeros, initial}, {}, {{"broadcast", 1}, {"whole_axes", 1}}));
    }
    return made;
  }

 private:
  // Returns zeros 1×N×width for rows 1×N, where width is the last extent of x.
  blob_handle rows_like(blob_handle const& rows, blob_handle const& x) {
    net_builder& net = model_.net;
    auto const width = net.op("Slice", net.op("Shape", x), {}, {{"starts", {-2}}, {"ends", {-1}}});
    auto const extents = net.concat({net.op("Shape", rows), width}, 0);
    return net.op("ConstantFill", extents, {}, {{"input_as_shape", 1}, {"value", 0.0f}, {"dtype", model_.dtype()}});
  }
  [[noreturn]] void fail(std::string const& why) const {
    throw net_error("plait: recurrent layer '" + name_ + "': " + why);
  }
  std::string parameters() const { return o_.parameters ? *o_.parameters : scope_; }
  blob_handle reversed(blob_handle const& x, blob_operands const& name) {
    return model_.net.op("ReversePackedSegs", {x, model_.net.blob(ends_)}, name);
  }

  trained_model& model_;
  recurrent_layer_options const& o_;
  std::string name_;
  std::string scope_;
  std::vector<cell_state> states_;
  cell_conditions conditions_;
  std::string ends_;  // lengths of the reversed sequences
};

}  // namespace plait::detail
