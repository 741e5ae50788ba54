// Recognition of LSTM, GRU and simple recurrent cells in step nets, on the values of their SSA form.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/interop/onnx/detail/export/context.hpp>
#include <plait/interop/onnx/detail/export/rules/recurrent_network.hpp>

namespace plait::detail::onnx_out {

/// Preactivation of a gate, or of all gates at once: a place of a sequence, plus a product with the hidden state.
struct onnx_gate {
  std::size_t sequence = 0;  ///< index in the recurrence
  std::size_t piece = 0;     ///< which of the equal pieces of the sequence's last axis
  std::size_t pieces = 1;
  std::size_t factor = 0;  ///< expression that is multiplied
  std::string weights;     ///< blobs of the product
  std::string bias;
};

/// A recognised cell.
struct onnx_cell {
  std::string type;                 ///< LSTM, GRU or RNN
  std::vector<onnx_gate> gates;     ///< one for all, or in ONNX's order
  std::vector<std::size_t> order;   ///< for each of ONNX's gates its piece; of one gate with several pieces
  std::size_t hidden = 0;           ///< index of the state
  std::optional<std::size_t> cell;  ///< index of the state
  std::string activation = "Tanh";
  std::string lengths = {};  ///< blob; empty: all steps run
  bool drops = false;        ///< states are 0 behind the end of a sequence
  bool linear_before_reset = false;
  float forget_bias = 0;
};

/// Matcher of cells over the expressions of a step net. An expression is the output of an op, a blob around the step
/// net, the previous place of a state, the place of a sequence, or the number of the step. Copies are seen through.
class onnx_cell_matcher {
 public:
  explicit onnx_cell_matcher(onnx_recurrence const& r) : r_(r) {
    for (std::size_t s = 0; s != r.states.size(); ++s)
      for (std::string const& blob : r.states[s].previous) define(blob, {kinds::previous, "", s});
    for (std::size_t s = 0; s != r.sequences.size(); ++s)
      for (std::string const& blob : r.sequences[s].blobs) define(blob, {kinds::slice, "", s});
    define(r.timestep, {kinds::time, "", 0});
    for (onnx_source_op const& op : r.step->net->ops) add(op);
  }

  std::optional<onnx_cell> match() {
    if (r_.states.size() == 2) {
      for (std::size_t hidden : {std::size_t{0}, std::size_t{1}})
        for (auto try_one : {&onnx_cell_matcher::lstm_unit, &onnx_cell_matcher::lstm_equations})
          if (auto found = (this->*try_one)(hidden, 1 - hidden)) return found;
    } else if (r_.states.size() == 1) {
      if (auto found = gru_unit()) return found;
      return rnn();
    }
    return std::nullopt;
  }

 private:
  enum class kinds { outer, previous, slice, time, op };
  struct expression {
    kinds kind;
    std::string blob;       ///< outer
    std::size_t index = 0;  ///< state, sequence, or output of the op
    onnx_source_op const* op = nullptr;
    std::vector<std::size_t> in = {};
  };

  void define(std::string const& blob, expression made) {
    here_[blob] = all_.size();
    all_.push_back(std::move(made));
  }
  std::size_t find(std::string const& blob) {
    if (auto const found = here_.find(blob); found != here_.end()) return found->second;
    define(blob, {kinds::outer, blob});
    return here_.at(blob);
  }
  void add(onnx_source_op const& op) {
    std::vector<std::size_t> in;
    for (std::string const& blob : op.inputs) in.push_back(find(blob));
    constexpr std::string_view copies[] = {"Copy",        "Alias",        "StopGradient", "CopyFromCPUInput",
                                           "EnsureDense", "CopyCPUToGPU", "CopyGPUToCPU"};
    bool const copied = std::ranges::find(copies, op.type) != std::end(copies) && in.size() == 1;
    for (std::size_t o = 0; o != op.outputs.size(); ++o) {
      if (copied)
        here_[op.outputs[o]] = in[0];
      else
        define(op.outputs[o], {kinds::op, "", o, &op, in});
    }
  }

  // ---- arguments and forms of expressions
  static std::int64_t integer(onnx_source_op const& op, char const* name, std::int64_t fallback) {
    auto const found = op.argument(name);
    auto const* value = found ? std::get_if<std::int64_t>(&*found) : nullptr;
    return value != nullptr ? *value : fallback;
  }
  static float real(onnx_source_op const& op, char const* name) {
    auto const found = op.argument(name);
    auto const* value = found ? std::get_if<float>(&*found) : nullptr;
    auto const* whole = found ? std::get_if<std::int64_t>(&*found) : nullptr;
    return value != nullptr ? *value : whole != nullptr ? static_cast<float>(*whole) : 0;
  }
  bool is(std::size_t e, std::string_view type, std::size_t inputs) const {
    return all_[e].kind == kinds::op && all_[e].op->type == type && all_[e].in.size() == inputs;
  }
  bool is_sum(std::size_t e) const {
    return is(e, "Sum", 2) || (is(e, "Add", 2) && integer(*all_[e].op, "broadcast", 0) == 0);
  }
  bool is_product(std::size_t e) const { return is(e, "Mul", 2) && integer(*all_[e].op, "broadcast", 0) == 0; }
  bool is_previous(std::size_t e, std::size_t state) const {
    return all_[e].kind == kinds::previous && all_[e].index == state;
  }
  static bool is_last_axis(std::int64_t axis) { return axis == 2 || axis == -1; }
  std::size_t next(std::size_t state) { return find(r_.states[state].next); }

  // Returns the operand of a product beside one that `accepts`.
  template <class Accepts>
  std::optional<std::size_t> other_factor(std::size_t e, Accepts const& accepts) const {
    if (!is_product(e)) return std::nullopt;
    for (std::size_t const k : {0U, 1U})
      if (accepts(all_[e].in[k])) return all_[e].in[1 - k];
    return std::nullopt;
  }

  // Matches a place of a sequence, or one of the equal pieces of it.
  bool match_slice(std::size_t e, onnx_gate& gate) const {
    if (all_[e].kind == kinds::slice) {
      gate.sequence = all_[e].index;
      return true;
    }
    if (!is(e, "Split", 1) || !is_last_axis(integer(*all_[e].op, "axis", 1)) || all_[e].op->argument("split") ||
        integer(*all_[e].op, "add_axis", 0) != 0 || all_[all_[e].in[0]].kind != kinds::slice)
      return false;
    gate.sequence = all_[all_[e].in[0]].index;
    gate.piece = all_[e].index;
    gate.pieces = all_[e].op->outputs.size();
    return true;
  }
  bool match_product(std::size_t e, onnx_gate& gate) const {
    if (!is(e, "FC", 3) || integer(*all_[e].op, "axis", 1) != 2 || integer(*all_[e].op, "axis_w", 1) != 1) return false;
    expression const& w = all_[all_[e].in[1]];
    expression const& b = all_[all_[e].in[2]];
    if (w.kind != kinds::outer || b.kind != kinds::outer) return false;
    gate.factor = all_[e].in[0];
    gate.weights = w.blob;
    gate.bias = b.blob;
    return true;
  }
  std::optional<onnx_gate> gate(std::size_t e) const {
    if (!is_sum(e)) return std::nullopt;
    for (std::size_t const k : {0U, 1U}) {
      onnx_gate made;
      if (match_slice(all_[e].in[k], made) && match_product(all_[e].in[1 - k], made)) return made;
    }
    return std::nullopt;
  }

  // Matches the operands of a unit behind the gates: lengths, if it has any, and the number of the step.
  bool match_lengths(expression const& unit, std::size_t gates, onnx_cell& cell) const {
    bool const has = integer(*unit.op, "sequence_lengths", 1) != 0;
    if (unit.in.size() != gates + (has ? 3 : 2) || all_[unit.in.back()].kind != kinds::time) return false;
    cell.drops = integer(*unit.op, "drop_states", 0) != 0;
    if (!has) return true;
    expression const& lengths = all_[unit.in[gates + 1]];
    cell.lengths = lengths.blob;
    return lengths.kind == kinds::outer;
  }

  std::optional<onnx_cell> lstm_unit(std::size_t hidden, std::size_t cell) {
    expression const h = all_[next(hidden)];
    expression const c = all_[next(cell)];
    if (h.kind != kinds::op || h.op->type != "LSTMUnit" || h.op != c.op || h.index != 0 || c.index != 1 ||
        h.in.size() < 4 || !is_previous(h.in[0], hidden) || !is_previous(h.in[1], cell))
      return std::nullopt;
    onnx_cell made{"LSTM", {}, {0, 2, 1, 3}, hidden, cell};
    auto const gates = gate(h.in[2]);
    if (!gates || gates->pieces != 1 || !is_previous(gates->factor, hidden) || !match_lengths(h, 2, made))
      return std::nullopt;
    made.gates = {*gates};
    made.forget_bias = real(*h.op, "forget_bias");
    return made;
  }

  // An LSTM as its equations: H = σ(o) tanh C, C = σ(f) C' + σ(i) tanh(g), whose gates are pieces of one sum.
  std::optional<onnx_cell> lstm_equations(std::size_t hidden, std::size_t cell) {
    std::size_t const h = next(hidden);
    std::size_t const c = next(cell);
    auto const o = other_factor(h, [&](std::size_t e) { return is(e, "Tanh", 1) && all_[e].in[0] == c; });
    if (!o || !is_sum(c)) return std::nullopt;
    for (std::size_t const k : {0U, 1U}) {
      auto const f = other_factor(all_[c].in[k], [&](std::size_t e) { return is_previous(e, cell); });
      auto const i = other_factor(all_[c].in[1 - k], [&](std::size_t e) { return is(e, "Tanh", 1); });
      if (!f || !i) continue;
      auto const g = other_factor(all_[c].in[1 - k], [&](std::size_t e) { return e == *i; });
      if (!g || !is(*o, "Sigmoid", 1) || !is(*f, "Sigmoid", 1) || !is(*i, "Sigmoid", 1)) continue;
      onnx_cell made{"LSTM", {}, {}, hidden, cell};
      std::size_t const roles[] = {all_[*i].in[0], all_[*o].in[0], all_[*f].in[0], all_[*g].in[0]};
      for (std::size_t const role : roles) {
        expression const& piece = all_[role];
        if (!is(role, "Split", 1) || piece.op != all_[roles[0]].op || piece.op->outputs.size() != 4 ||
            !is_last_axis(integer(*piece.op, "axis", 1)) || piece.op->argument("split"))
          return std::nullopt;
        if (std::ranges::find(made.order, piece.index) != made.order.end()) return std::nullopt;
        made.order.push_back(piece.index);
      }
      auto const gates = gate(all_[roles[0]].in[0]);
      if (!gates || gates->pieces != 1 || !is_previous(gates->factor, hidden)) return std::nullopt;
      made.gates = {*gates};
      return made;
    }
    return std::nullopt;
  }

  std::optional<onnx_cell> gru_unit() {
    expression const h = all_[next(0)];
    if (h.kind != kinds::op || h.op->type != "GRUUnit" || h.in.size() < 3 || !is_previous(h.in[0], 0))
      return std::nullopt;
    onnx_cell made{"GRU", {}, {}, 0, std::nullopt};
    expression const& joined = all_[h.in[1]];
    if (!is(h.in[1], "Concat", 3) || joined.index != 0 || !is_last_axis(integer(*joined.op, "axis", 1)) ||
        !match_lengths(h, 1, made))
      return std::nullopt;
    auto const update = gate(joined.in[1]);
    if (!update || !is_previous(update->factor, 0)) return std::nullopt;
    // The output gate has the reset gate applied to its state, or to the product with its state.
    std::size_t const out = joined.in[2];
    std::optional<std::size_t> reset;
    auto output = gate(out);
    auto const is_state = [&](std::size_t e) { return is_previous(e, 0); };
    if (output) {
      reset = other_factor(output->factor, is_state);
    } else if (is_sum(out)) {
      for (std::size_t const k : {0U, 1U}) {
        onnx_gate one;
        if (!match_slice(all_[out].in[k], one)) continue;
        reset = other_factor(all_[out].in[1 - k],
                             [&](std::size_t e) { return match_product(e, one) && is_state(one.factor); });
        if (reset) output = one;
      }
      made.linear_before_reset = true;
    }
    if (!output || !reset || !is(*reset, "Sigmoid", 1)) return std::nullopt;
    auto const first = gate(all_[*reset].in[0]);
    if (!first || !is_previous(first->factor, 0)) return std::nullopt;
    made.gates = {*update, *first, *output};
    return made;
  }

  std::optional<onnx_cell> rnn() {
    onnx_cell made{"RNN", {}, {0}, 0, std::nullopt};
    std::size_t h = next(0);
    if (auto const running = match_masks(h, made)) h = *running;
    expression const& e = all_[h];
    if (e.kind != kinds::op || e.in.size() != 1) return std::nullopt;
    for (char const* type : {"Tanh", "Relu", "Sigmoid"})
      if (e.op->type == type) {
        made.activation = type;
        auto const one = gate(e.in[0]);
        if (!one || one->pieces != 1 || !is_previous(one->factor, 0)) return std::nullopt;
        made.gates = {*one};
        return made;
      }
    return std::nullopt;
  }
  // Sees through conversions to int64: casts, and the sum with a remainder of 1 that refuses other types.
  std::size_t integer_of(std::size_t e) const {
    for (;;) {
      if (is(e, "Cast", 1) && is_integer_cast(*all_[e].op))
        e = all_[e].in[0];
      else if (is_sum(e) && is(all_[e].in[1], "Mod", 1) && all_[all_[e].in[1]].in[0] == all_[e].in[0] &&
               integer(*all_[all_[e].in[1]].op, "divisor", 0) == 1)
        e = all_[e].in[0];
      else
        return e;
    }
  }
  static bool is_integer_cast(onnx_source_op const& op) {
    auto const to = op.argument("to");
    auto const* text = to ? std::get_if<std::string>(&*to) : nullptr;
    auto const* number = to ? std::get_if<std::int64_t>(&*to) : nullptr;
    return (text != nullptr && (*text == "int64" || *text == "int32")) ||
           (number != nullptr && (*number == 10 || *number == 2));
  }

  // Matches lengths > step ? H : H', or 0 in place of H', and returns H.
  std::optional<std::size_t> match_where(std::size_t e, onnx_cell& cell) const {
    auto const is_first_axis = [&](std::size_t at, char const* type) {
      if (!is(at, type, 1)) return false;
      auto const dims = all_[at].op->argument("dims");
      auto const* list = dims ? std::get_if<std::vector<std::int64_t>>(&*dims) : nullptr;
      return list != nullptr && *list == std::vector<std::int64_t>{0};
    };
    if (!is_first_axis(e, "ExpandDims") || !is(all_[e].in[0], "Where", 3)) return std::nullopt;
    expression const& chosen = all_[all_[e].in[0]];
    if (integer(*chosen.op, "broadcast_on_rows", 0) != 1 || !is(chosen.in[0], "GT", 2) ||
        !is_first_axis(chosen.in[1], "Squeeze") || !is_first_axis(chosen.in[2], "Squeeze"))
      return std::nullopt;
    expression const& lengths = all_[integer_of(all_[chosen.in[0]].in[0])];
    if (lengths.kind != kinds::outer || all_[integer_of(all_[chosen.in[0]].in[1])].kind != kinds::time)
      return std::nullopt;
    std::size_t const made = all_[chosen.in[1]].in[0];
    std::size_t const otherwise = all_[chosen.in[2]].in[0];
    cell.drops = is(otherwise, "ConstantFill", 1) && real(*all_[otherwise].op, "value") == 0;
    if (!cell.drops && !is_previous(otherwise, 0)) return std::nullopt;
    cell.lengths = lengths.blob;
    return made;
  }

  // Matches H · (lengths > step) + H' · (lengths ≤ step), and returns H.
  std::optional<std::size_t> match_masks(std::size_t e, onnx_cell& cell) const {
    if (auto const found = match_where(e, cell)) return found;
    if (!is_sum(e)) return std::nullopt;
    auto const mask = [&](std::size_t product, char const* type) -> std::optional<std::string> {
      if (!is(product, "Mul", 2) || integer(*all_[product].op, "axis", -1) != 1 || !is(all_[product].in[1], "Cast", 1))
        return std::nullopt;
      std::size_t const compared = all_[all_[product].in[1]].in[0];
      if (!is(compared, type, 2)) return std::nullopt;
      expression const& lengths = all_[all_[compared].in[0]];
      if (lengths.kind != kinds::outer || all_[all_[compared].in[1]].kind != kinds::time) return std::nullopt;
      return lengths.blob;
    };
    for (std::size_t const k : {0U, 1U}) {
      auto const runs = mask(all_[e].in[k], "GT");
      auto const ended = mask(all_[e].in[1 - k], "LE");
      if (!runs || runs != ended || !is_previous(all_[all_[e].in[1 - k]].in[0], 0)) continue;
      cell.lengths = *runs;
      return all_[all_[e].in[k]].in[0];
    }
    return std::nullopt;
  }

  onnx_recurrence const& r_;
  std::vector<expression> all_;
  boost::unordered_flat_map<std::string, std::size_t> here_;  // current expressions of blobs
};

}  // namespace plait::detail::onnx_out
