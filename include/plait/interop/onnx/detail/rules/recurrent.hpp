// Conversion rules for ONNX's RNN, GRU and LSTM: one RecurrentNetwork op with a step net per direction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/dynamic_quantisation.hpp>
#include <plait/interop/onnx/detail/recurrence_activations.hpp>
#include <plait/interop/onnx/detail/recurrence_shapes.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/values.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/rnn/recurrent_net.hpp>

namespace plait {
namespace detail {

/// Weights of one direction: a constant, which conversion slices and reorders, or a blob, which ops do.
struct onnx_direction_weights {
  std::optional<tensor_value> constant;
  std::string blob;
};

/// Converter of one recurrent node.
class onnx_recurrence {
 public:
  enum class kinds : std::uint8_t { rnn, gru, lstm };

  /// With `quantises`, x and h are quantised dynamically where weights multiply them; for LSTM only.
  onnx_recurrence(onnx_context const& c, kinds kind, bool quantises = false)
      : c_(c),
        kind_(kind),
        quantises_(quantises),
        blocks_(kind == kinds::rnn   ? 1
                : kind == kinds::gru ? 3
                                     : 4) {
    std::string const named = c.text("direction", "forward");
    if (named != "forward" && named != "reverse" && named != "bidirectional")
      c.unsupported("the direction '" + named + '\'');
    if (named != "reverse") reversed_.push_back(false);
    if (named != "forward") reversed_.push_back(true);
    batch_first_ = c.integer("layout", 0) != 0;
    hidden_ = onnx_hidden_size(c, blocks_);
    shapes_ = {static_cast<std::int64_t>(reversed_.size()), blocks_ * hidden_, hidden_};
    check_recurrence_shapes(c, shapes_, batch_first_);
    std::vector<std::string> const defaults = kind == kinds::rnn ? std::vector<std::string>{"Tanh"}
                                              : kind == kinds::gru
                                                  ? std::vector<std::string>{"Sigmoid", "Tanh"}
                                                  : std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"};
    functions_ = onnx_activations(c, defaults, reversed_.size());
    per_direction_ = defaults.size();
    clip_ = c.real("clip", 0);
    if (c.has("clip") && !(clip_ > 0)) c.unsupported("a clip that is not above 0");
    couples_ = c.integer("input_forget", 0) != 0;
    linear_first_ = c.integer("linear_before_reset", 0) != 0;
  }

  void run() {
    sequence_ = input_of_rank(c_, 0, 3);
    if (batch_first_) sequence_ = c_.step("Transpose", {sequence_}, {{"axes", {1, 0, 2}}});
    if (quantises_)
      sequence_ = onnx_quantise_and_back(
          sequence_, [&](tensor_value value) { return c_.constant_blob(std::move(value), "number"); },
          [&](char const* type, names const& inputs, std::vector<net_argument> arguments) {
            return c_.step(type, inputs, std::move(arguments));
          });
    if (c_.has_input(4)) lengths_ = checked_lengths();
    if (reversed_.back()) ends_ = lengths_.empty() ? whole_lengths() : lengths_;
    for (std::size_t d = 0; d != reversed_.size(); ++d) add_direction(d);
    give_sequences();
    give_last(1, last_hidden_);
    if (kind_ == kinds::lstm) give_last(2, last_cell_);
  }

 private:
  using names = std::vector<std::string>;

  // ---- parameters
  // Returns the weights of a direction: a slice of the first axis.
  onnx_direction_weights weights(std::size_t i, std::size_t d) const {
    auto const at = static_cast<std::int64_t>(d);
    if (tensor_value const* const whole = c_.constant(i)) {
      if (whole->shape.empty() || whole->shape[0] != static_cast<std::int64_t>(reversed_.size()))
        c_.unsupported("input " + std::to_string(i) + " must have " + std::to_string(reversed_.size()) + " directions");
      tensor_value part = slice_rows(*whole, at, at + 1);
      part.shape.erase(part.shape.begin());
      return {std::move(part), {}};
    }
    std::string part = c_.input(i);
    if (!is_known(c_.dims(i))) part = of_shape(part, shape_of_weights(i));
    if (reversed_.size() != 1) part = c_.step("Slice", {part}, {{"starts", {at}}, {"ends", {at + 1}}});
    return {std::nullopt, c_.step("Squeeze", {part}, {{"dims", {0}}})};
  }
  // Returns a blob with the shape of input i; the input width, if unknown, comes from the sequence.
  std::string shape_of_weights(std::size_t i) const {
    std::vector<std::int64_t> extents = shapes_.of_weights(i);
    if (extents.back() >= 0) return c_.constant_blob(onnx_list(std::move(extents)), "weights_shape");
    extents.pop_back();
    return joined({c_.constant_blob(onnx_list(std::move(extents)), "weights_shape"), sequence_extent(2)});
  }
  // Returns a blob with the shape of states: directions, batch, hidden units.
  std::string shape_of_states() const {
    return joined({c_.constant_blob(onnx_list({shapes_.directions}), "directions"), sequence_extent(1),
                   c_.constant_blob(onnx_list({hidden_}), "units")});
  }
  std::string sequence_extent(std::int64_t axis) const {
    return c_.step("Slice", {c_.step("Shape", {sequence_})}, {{"starts", {axis}}, {"ends", {axis + 1}}});
  }
  std::string joined(names const& lists) const {
    std::string made = c_.temporary("shape");
    c_.add("Concat", lists, {made, c_.temporary("extents")}, {{"axis", 0}});
    return made;
  }
  // Returns x with its shape checked at run time: Sum refuses x unless it has that shape.
  std::string of_shape(std::string const& x, std::string const& shape) const {
    std::string const none =
        c_.step("ConstantFill", {shape},
                {{"input_as_shape", 1}, {"value", 0.0f}, {"dtype", require_runtime_type(c_, c_.type(0))}});
    return c_.step("Sum", {x, none});
  }
  onnx_direction_weights zeros(std::int64_t count) const { return {onnx_filled(c_.type(0), {count}, 0), {}}; }
  /// Returns the gates [first, last): blocks of hidden_ rows each.
  onnx_direction_weights blocks(onnx_direction_weights const& from, std::int64_t first, std::int64_t last) const {
    first *= hidden_;
    last *= hidden_;
    if (from.constant) {
      if (from.constant->shape.empty() || from.constant->shape[0] < last)
        c_.unsupported("its parameters are not of " + std::to_string(hidden_) + " hidden units");
      return {slice_rows(*from.constant, first, last), {}};
    }
    return {std::nullopt, c_.step("Slice", {from.blob}, {{"starts", {first}}, {"ends", {last}}})};
  }
  onnx_direction_weights reordered(onnx_direction_weights const& from, std::vector<std::int64_t> const& order) const {
    names parts;
    onnx_direction_weights made;
    for (std::int64_t const block : order) {
      onnx_direction_weights const part = blocks(from, block, block + 1);
      if (!part.constant) {
        parts.push_back(part.blob);
      } else if (!made.constant) {
        made = part;
      } else {
        made.constant->shape[0] += part.constant->shape[0];
        std::visit(
            [&]<class T>(std::vector<T>& to) {
              auto const& more = std::get<std::vector<T>>(part.constant->data);
              to.insert(to.end(), more.begin(), more.end());
            },
            made.constant->data);
      }
    }
    if (!parts.empty()) {
      made.blob = c_.temporary("reordered");
      c_.add("Concat", parts, {made.blob, c_.temporary("extents")}, {{"axis", 0}});
    }
    return made;
  }
  std::string blob(onnx_direction_weights const& from, char const* ending) const {
    return from.constant ? c_.constant_blob(*from.constant, ending) : from.blob;
  }

  // ---- sequences
  // Returns lengths for the whole batch, each the number of steps.
  std::string whole_lengths() const {
    std::string const steps = sequence_extent(0);
    std::string const zero =
        c_.step("ConstantFill", {sequence_extent(1)}, {{"input_as_shape", 1}, {"value", 0}, {"dtype", 10}});
    return c_.step("Add", {zero, steps});
  }
  // Returns the lengths with a range check at run time: Gather refuses an index beyond 0 … steps.
  std::string checked_lengths() const {
    std::string const count = c_.step("Add", {sequence_extent(0), c_.constant_blob(onnx_list({1}), "one")});
    std::string const possible = c_.step("Range", {c_.step("Cast", {count}, {{"to", 2}})});
    return c_.step("Gather", {possible, c_.input(4)});
  }
  std::string turned(std::string const& x, std::size_t d) const {
    return reversed_[d] ? c_.step("ReversePackedSegs", {x, ends_}) : x;
  }
  // Returns a mask by step and sequence: true until the sequence ends.
  std::string active_steps() const {
    std::string const steps = sequence_extent(0);
    std::string const step = c_.step("ExpandDims", {c_.step("Range", {steps})}, {{"dims", {1}}});
    std::string const lengths = c_.step("Cast", {lengths_}, {{"to", 10}});
    return c_.step("FlattenToVec", {c_.step("LT", {step, lengths})});
  }
  // Returns x with zeros in the steps after the end of a sequence.
  std::string masked(std::string const& x) {
    if (lengths_.empty()) return x;
    if (active_.empty()) active_ = active_steps();
    std::string const rows = c_.step("Flatten", {x}, {{"axis", 2}});
    std::string const zeros = c_.step("ConstantFill", {rows}, {{"value", 0.0f}});
    std::string const chosen = c_.step("Where", {active_, rows, zeros}, {{"broadcast_on_rows", 1}});
    return c_.step("ResizeLike", {chosen, x});
  }
  std::string initial(std::size_t i, std::size_t d) const {
    if (!c_.has_input(i)) return c_.constant_blob(onnx_filled(c_.type(0), {hidden_}, 0), "initial");
    std::string state = c_.input(i);
    if (batch_first_) state = c_.step("Transpose", {state}, {{"axes", {1, 0, 2}}});
    bool const has_batch = is_known(c_.dims(i)) && c_.dims(0) && (*c_.dims(0))[batch_first_ ? 0 : 1] >= 0;
    if (!has_batch) state = of_shape(state, shape_of_states());
    auto const at = static_cast<std::int64_t>(d);
    return reversed_.size() == 1 ? state : c_.step("Slice", {state}, {{"starts", {at}}, {"ends", {at + 1}}});
  }

  // ---- one direction
  // Step net under construction, which captures outer blobs on demand.
  struct step_net {
    net_builder net;
    onnx_context const& c;
    bool quantises;

    step_net(onnx_context const& context, std::string const& name, bool quantised)
        : net(name), c(context), quantises(quantised) {}
    blob_handle take(std::string const& outer) {
      return net.visible(outer) ? net.blob(outer) : net.external_input(outer);
    }
    blob_handle number(double value) { return take(c.constant_blob(onnx_filled(c.type(0), {}, value), "number")); }
    blob_handle product(blob_handle const& x, std::string const& w, std::string const& b) {
      blob_handle const weights = take(w);
      return net.op("FC", {quantises ? quantised(x) : x, weights, take(b)}, {}, {{"axis", 2}});
    }
    blob_handle quantised(blob_handle const& x) {
      return net.blob(onnx_quantise_and_back(
          x.name(), [&](tensor_value value) { return take(c.constant_blob(std::move(value), "number")).name(); },
          [&](char const* type, names const& inputs, std::vector<net_argument> arguments) {
            std::vector<blob_handle> operands;
            for (std::string const& each : inputs) operands.push_back(net.blob(each));
            return net.op(type, operands, {}, std::move(arguments)).name();
          }));
    }
  };

  struct direction {
    std::string input;          // input contribution to all gates, for all steps
    onnx_direction_weights r;   // recurrent weights
    onnx_direction_weights rb;  // recurrent biases
    std::string h;              // names of the states in the step net, before and after the step
    std::string h_new;
    std::string cell;
    std::string cell_new;
    std::string timestep;
  };

  void add_direction(std::size_t d) {
    onnx_converter& names_of = c_.converter();
    bool const fast = kind_ == kinds::lstm && is_plain_lstm(d);
    onnx_direction_weights w = weights(1, d);
    direction p;
    p.r = weights(2, d);
    onnx_direction_weights wb = zeros(blocks_ * hidden_);
    p.rb = wb;
    if (c_.has_input(3)) {
      onnx_direction_weights const both = weights(3, d);
      wb = blocks(both, 0, blocks_);
      p.rb = blocks(both, blocks_, 2 * blocks_);
    }
    if (fast)  // LSTMUnit orders gates i, f, o, g; ONNX i, o, f, g
      for (onnx_direction_weights* each : {&w, &p.r, &wb, &p.rb}) *each = reordered(*each, {0, 2, 1, 3});
    p.input = c_.step("FC", {turned(sequence_, d), blob(w, "w"), blob(wb, "wb")}, {{"axis", 2}});
    std::string const base = c_.temporary("step");
    p.h = names_of.claim_state(base + "/h_prev");
    p.h_new = names_of.claim_state(base + "/h");
    p.cell = names_of.claim_state(base + "/c_prev");
    p.cell_new = names_of.claim_state(base + "/c");
    p.timestep = names_of.claim(base + "/timestep");

    step_net step(c_, base, quantises_);
    std::string const x = names_of.claim(base + "/x");
    blob_handle const gates = step.net.external_input(x);
    blob_handle const h = step.net.external_input(p.h);
    std::vector<recurrent_state> states{{p.h, p.h_new, initial(5, d)}};
    if (kind_ == kinds::lstm) states.push_back({p.cell, p.cell_new, initial(6, d)});
    std::optional<blob_handle> const c_prev =
        kind_ == kinds::lstm ? std::optional(step.net.external_input(p.cell)) : std::nullopt;
    if (!lengths_.empty() || fast) step.net.external_input(p.timestep);
    if (kind_ == kinds::rnn) keep(step, p, p.h, p.h_new, rnn_step(step, p, d, gates, h));
    if (kind_ == kinds::gru) keep(step, p, p.h, p.h_new, gru_step(step, p, d, gates, h));
    if (fast)
      plain_lstm_step(step, p, gates, h, *c_prev);
    else if (kind_ == kinds::lstm)
      lstm_step(step, p, d, gates, h, *c_prev);
    recurrent_net_options options;
    options.cell = step.net;
    options.inputs = {{x, p.input}};
    options.states = std::move(states);
    options.timestep = p.timestep;
    options.scope = base;
    options.forward_only = !c_.training();
    options.outputs_with_grads.clear();
    if (c_.wants(0)) options.outputs_with_grads.push_back(0);
    if (c_.wants(1)) options.outputs_with_grads.push_back(1);
    if (kind_ == kinds::lstm && c_.wants(2)) options.outputs_with_grads.push_back(3);
    auto const made = recurrent_net(c_.net(), options);
    if (c_.wants(0)) sequences_.push_back(masked(turned(made.all(p.h_new), d)));
    last_hidden_.push_back(made.last(p.h_new));
    if (kind_ == kinds::lstm) last_cell_.push_back(made.last(p.cell_new));
  }

  // ---- ops of a step
  onnx_activation const& function(std::size_t d, std::size_t which) const {
    return functions_[d * per_direction_ + which];
  }
  blob_handle activate(step_net& s, std::size_t d, std::size_t which, blob_handle const& x) const {
    blob_handle const bounded = clip_ > 0 ? s.net.clip(x, -clip_, clip_) : x;
    return onnx_activate(s.net, function(d, which), bounded, [&](double value) { return s.number(value); });
  }
  std::vector<blob_handle> gates_of(step_net& s, blob_handle const& all) const {
    return s.net.split(all, static_cast<std::size_t>(blocks_), 2);
  }

  // Returns the name of a state after the step for the op that makes it, unless it is masked.
  blob_operands unmasked(std::string const& after) const { return lengths_.empty() ? after : blob_operands(); }
  // Writes a state after the step; masked, so that a sequence that has ended keeps its state.
  void keep(step_net& s, direction const& p, std::string const& before, std::string const& after,
            blob_handle const& made) const {
    if (made.name() == after) return;
    if (lengths_.empty()) {
      s.net.copy(made, after);
      return;
    }
    blob_handle const lengths = s.take(lengths_);
    auto const active = s.net.lt(s.net.blob(p.timestep), lengths);
    auto const rows = [&](blob_handle const& x) { return s.net.op("Squeeze", x, {}, {{"dims", {0}}}); };
    blob_handle const a = rows(made);
    auto const chosen = s.net.op("Where", {active, a, rows(s.net.blob(before))}, {}, {{"broadcast_on_rows", 1}});
    s.net.op("ExpandDims", chosen, after, {{"dims", {0}}});
  }

  blob_handle rnn_step(step_net& s, direction const& p, std::size_t d, blob_handle const& x,
                       blob_handle const& h) const {
    auto const recurrent = s.product(h, blob(p.r, "r"), blob(p.rb, "rb"));
    return activate(s, d, 0, s.net.sum({recurrent, x}));
  }

  // GRU step with gates in the order z, r, h. The new state is z h + (1 - z) g.
  blob_handle gru_step(step_net& s, direction const& p, std::size_t d, blob_handle const& x,
                       blob_handle const& h) const {
    auto const from_x = gates_of(s, x);
    std::vector<blob_handle> from_h;
    if (linear_first_) {
      from_h = gates_of(s, s.product(h, blob(p.r, "r"), blob(p.rb, "rb")));
    } else {
      auto const both = s.product(h, blob(blocks(p.r, 0, 2), "r"), blob(blocks(p.rb, 0, 2), "rb"));
      from_h = s.net.split(both, 2, 2);
    }
    auto const z = activate(s, d, 0, s.net.sum({from_x[0], from_h[0]}));
    auto const r = activate(s, d, 0, s.net.sum({from_x[1], from_h[1]}));
    auto const candidate =
        linear_first_ ? s.net.mul(r, from_h[2])
                      : s.product(s.net.mul(r, h), blob(blocks(p.r, 2, 3), "r_h"), blob(blocks(p.rb, 2, 3), "rb_h"));
    auto const g = activate(s, d, 1, s.net.sum({from_x[2], candidate}));
    return s.net.add(g, s.net.mul(z, s.net.sub(h, g)), unmasked(p.h_new));
  }

  // LSTM step with gates in the order i, o, f, g.
  void lstm_step(step_net& s, direction const& p, std::size_t d, blob_handle const& x, blob_handle const& h,
                 blob_handle const& c) const {
    auto const all = s.net.sum({s.product(h, blob(p.r, "r"), blob(p.rb, "rb")), x});
    auto const gate = gates_of(s, all);
    std::optional<onnx_direction_weights> const peepholes =
        c_.has_input(7) ? std::optional(weights(7, d)) : std::nullopt;
    auto const peeped = [&](blob_handle const& to, std::int64_t which, blob_handle const& state) {
      if (!peepholes) return to;
      blob_handle const weight = s.take(blob(blocks(*peepholes, which, which + 1), "p"));
      return s.net.add(to, s.net.op("Mul", {state, weight}, {}, {{"broadcast", 1}}));
    };
    auto const i = activate(s, d, 0, peeped(gate[0], 0, c));
    auto const g = activate(s, d, 1, gate[3]);
    blob_handle c_new;
    if (couples_) {  // f = 1 - i
      c_new = s.net.add(c, s.net.mul(i, s.net.sub(g, c)), unmasked(p.cell_new));
    } else {
      auto const f = activate(s, d, 0, peeped(gate[2], 2, c));
      c_new = s.net.add(s.net.mul(f, c), s.net.mul(i, g), unmasked(p.cell_new));
    }
    auto const o = activate(s, d, 0, peeped(gate[1], 1, c_new));
    auto const bounded = onnx_activate(s.net, function(d, 2), c_new, [&](double value) { return s.number(value); });
    keep(s, p, p.h, p.h_new, s.net.mul(o, bounded, unmasked(p.h_new)));
    keep(s, p, p.cell, p.cell_new, c_new);
  }

  bool is_plain_lstm(std::size_t d) const {
    return clip_ <= 0 && !couples_ && !c_.has_input(7) && function(d, 0).name == "sigmoid" &&
           function(d, 1).name == "tanh" && function(d, 2).name == "tanh";
  }
  // LSTM step as one LSTMUnit op, with gates in the order i, f, o, g.
  void plain_lstm_step(step_net& s, direction const& p, blob_handle const& x, blob_handle const& h,
                       blob_handle const& c) const {
    auto const recurrent = s.product(h, blob(p.r, "r"), blob(p.rb, "rb"));
    auto const gates = s.net.sum({recurrent, x}, recurrent);
    names inputs{h.name(), c.name(), gates.name()};
    std::vector<net_argument> arguments;
    if (lengths_.empty())
      arguments.emplace_back("sequence_lengths", 0);
    else
      inputs.push_back(s.take(lengths_).name());
    inputs.push_back(p.timestep);
    s.net.op_n("LSTMUnit", inputs, names{p.h_new, p.cell_new}, std::move(arguments));
  }

  // ---- outputs
  void give_sequences() const {
    if (!c_.wants(0)) return;
    auto const count = static_cast<std::int64_t>(reversed_.size());
    std::string made = batch_first_ ? c_.temporary("y") : c_.output(0);
    if (sequences_.size() == 1)
      c_.add("ExpandDims", sequences_, {made}, {{"dims", {1}}});
    else
      c_.add("Concat", sequences_, {made, c_.temporary("extents")}, {{"axis", 1}, {"add_axis", 1}});
    if (batch_first_) c_.add("Transpose", {made}, {c_.output(0)}, {{"axes", {2, 0, 1, 3}}});
    c_.set_type(0, c_.type(0));
    auto const extent = [&](std::size_t axis) {
      return c_.dims(0) && c_.dims(0)->size() == 3 ? (*c_.dims(0))[axis] : -1;
    };
    c_.set_dims(0, batch_first_ ? std::vector<std::int64_t>{extent(0), extent(1), count, hidden_}
                                : std::vector<std::int64_t>{extent(0), count, extent(1), hidden_});
  }
  void give_last(std::size_t o, names const& states) const {
    if (!c_.wants(o)) return;
    auto const count = static_cast<std::int64_t>(reversed_.size());
    std::string const made = batch_first_ ? c_.temporary("last") : c_.output(o);
    if (states.size() == 1)
      c_.add("Copy", states, {made});
    else
      c_.add("Concat", states, {made, c_.temporary("extents")}, {{"axis", 0}});
    if (batch_first_) c_.add("Transpose", {made}, {c_.output(o)}, {{"axes", {1, 0, 2}}});
    c_.set_type(o, c_.type(0));
    std::int64_t const rows = c_.dims(0) && c_.dims(0)->size() == 3 ? (*c_.dims(0))[batch_first_ ? 0 : 1] : -1;
    c_.set_dims(o, batch_first_ ? std::vector<std::int64_t>{rows, count, hidden_}
                                : std::vector<std::int64_t>{count, rows, hidden_});
  }

  onnx_context const& c_;
  kinds kind_;
  bool quantises_;
  std::int64_t blocks_;  // number of gates, of hidden_ rows each
  std::vector<bool> reversed_;
  bool batch_first_ = false;
  std::int64_t hidden_ = 0;
  onnx_recurrence_shapes shapes_;
  std::vector<onnx_activation> functions_;
  std::size_t per_direction_ = 1;
  float clip_ = 0;
  bool couples_ = false;
  bool linear_first_ = false;
  std::string sequence_;
  std::string lengths_;  // empty: all sequences have all steps
  std::string ends_;     // lengths for the reverse direction: never empty if there is one
  std::string active_;   // mask by step and sequence, created on demand
  names sequences_;
  names last_hidden_;
  names last_cell_;
};

}  // namespace detail

inline void add_onnx_recurrent_rules(onnx_rules& rules) {
  using kinds = detail::onnx_recurrence::kinds;
  rules.set("RNN", [](onnx_context const& c) { detail::onnx_recurrence(c, kinds::rnn).run(); });
  rules.set("GRU", [](onnx_context const& c) { detail::onnx_recurrence(c, kinds::gru).run(); });
  rules.set("LSTM", [](onnx_context const& c) { detail::onnx_recurrence(c, kinds::lstm).run(); });
}

}  // namespace plait
