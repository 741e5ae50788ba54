// Export of a recognised cell as ONNX's LSTM, GRU or RNN.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/context.hpp>
#include <plait/interop/onnx/detail/export/rules/recurrent_cells.hpp>
#include <plait/interop/onnx/detail/export/rules/recurrent_network.hpp>

namespace plait::detail::onnx_out {

/// Writer of one layer.
class onnx_layer_writer {
 public:
  onnx_layer_writer(onnx_export_context& c, onnx_recurrence const& r, onnx_cell const& cell)
      : c_(c),
        r_(r),
        cell_(cell),
        count_(cell.type == "LSTM"  ? 4
               : cell.type == "GRU" ? 3
                                    : 1) {}

  /// Returns false, and defines nothing, if ONNX's operator lacks an output that is used, or an extent is unknown.
  bool write() {
    for (onnx_recurrence::alias const& each : r_.aliases)
      if (each.state == cell_.cell && each.offset != -1 && c_.op().used[each.output]) return false;
    std::size_t const sequence = cell_.gates.front().sequence;
    for (onnx_gate const& each : cell_.gates)
      if (each.sequence != sequence) return false;
    auto const weights = c_.dims(c_.value_of(cell_.gates.front().weights));
    if (!weights || weights->size() != 2 || weights->back() < 1) return false;
    hidden_ = weights->back();
    std::string const projected = r_.sequences[sequence].value;
    std::optional<projection> const before = producer(projected);
    std::string const x = before ? before->input : projected;

    std::vector<std::string> inputs{x, before ? rows(before->weights) : identity(x), recurrent_weights(),
                                    biases(before)};
    std::string lengths;
    if (!cell_.lengths.empty()) {
      lengths = c_.value_of(cell_.lengths);
      if (c_.type_of(lengths) != onnx_type::int32)
        lengths = c_.step("Cast", {lengths}, {onnx_attr("to", static_cast<std::int64_t>(onnx_type::int32))});
    }
    if (!lengths.empty()) lengths = clamped(lengths, x);
    inputs.push_back(lengths);
    inputs.push_back(r_.states[cell_.hidden].initial);
    if (cell_.cell) inputs.push_back(r_.states[*cell_.cell].initial);
    std::vector<std::string> outputs{c_.temporary("all"), c_.temporary("last")};
    if (cell_.cell) outputs.push_back(c_.temporary("last_cell"));
    std::vector<onnx_attribute> with{onnx_attr("hidden_size", hidden_)};
    if (cell_.type == "RNN") with.push_back(onnx_attr("activations", std::vector<std::string>{cell_.activation}));
    if (cell_.linear_before_reset) with.push_back(onnx_attr("linear_before_reset", 1));
    c_.add(cell_.type, std::move(inputs), outputs, std::move(with));
    give(x, lengths, outputs);
    return true;
  }

 private:
  struct projection {
    std::string input;
    std::string weights;
    std::string bias;
  };

  // Returns x, w and b if a value is x·w' + b in the graph: then the layer computes it.
  std::optional<projection> producer(std::string const& value) const {
    auto const node = [&](std::string const& name, std::string_view type) -> onnx_node const* {
      for (onnx_node const& each : c_.exporter().graph().nodes)
        if (each.type == type && each.outputs.front() == name) return &each;
      return nullptr;
    };
    onnx_node const* const sum = node(value, "Add");
    onnx_node const* const product = sum != nullptr ? node(sum->inputs[0], "MatMul") : nullptr;
    onnx_node const* const transposed = product != nullptr ? node(product->inputs[1], "Transpose") : nullptr;
    if (transposed == nullptr || c_.rank(product->inputs[0]) != 3U || c_.rank(transposed->inputs[0]) != 2U ||
        c_.rank(sum->inputs[1]) != 1U)
      return std::nullopt;
    return projection{product->inputs[0], transposed->inputs[0], sum->inputs[1]};
  }

  // For each gate of ONNX its piece of the sequence, of the projection's weights and of its bias.
  std::vector<std::size_t> input_order() const {
    if (cell_.gates.size() == 1) return cell_.order;
    std::vector<std::size_t> made;
    for (onnx_gate const& each : cell_.gates) made.push_back(each.piece);
    return made;
  }
  // Returns the pieces of a value's first axis in another order.
  std::string reordered(std::string const& value, std::vector<std::size_t> const& order) const {
    if (std::ranges::is_sorted(order)) return value;
    std::vector<std::string> pieces;
    for (std::size_t k = 0; k != count_; ++k) pieces.push_back(c_.temporary("piece"));
    std::vector<onnx_attribute> with{onnx_attr("axis", 0)};
    if (c_.opset() >= 18) with.push_back(onnx_attr("num_outputs", static_cast<std::int64_t>(count_)));
    c_.add("Split", {value}, pieces, std::move(with));
    std::vector<std::string> joined;
    for (std::size_t const k : order) joined.push_back(pieces[k]);
    return c_.step("Concat", std::move(joined), {onnx_attr("axis", 0)});
  }
  std::string as_layer(std::string const& value) const { return c_.step("Unsqueeze", {value, onnx_axes(c_, {0})}); }
  std::string rows(std::string const& weights) const { return as_layer(reordered(weights, input_order())); }

  // Weights with which a layer takes a sequence that was multiplied before, gate by gate.
  std::string identity(std::string const& x) const {
    auto const size = static_cast<std::size_t>(hidden_);
    std::size_t const width = count_ * size;
    tensor_value made =
        onnx_filled(c_.type_of(x), {1, static_cast<std::int64_t>(width), static_cast<std::int64_t>(width)}, 0);
    std::vector<std::size_t> const order = input_order();
    std::visit(
        [&]<class T>(std::vector<T>& elements) {
          if constexpr (!std::is_same_v<T, std::string>)
            for (std::size_t k = 0; k != count_; ++k)
              for (std::size_t i = 0; i != size; ++i)
                elements[(k * size + i) * width + order[k] * size + i] = static_cast<T>(1);
        },
        made.data);
    return c_.constant(std::move(made), "identity");
  }

  std::string recurrent_weights() const {
    if (cell_.gates.size() == 1) return as_layer(reordered(c_.value_of(cell_.gates.front().weights), cell_.order));
    std::vector<std::string> parts;
    for (onnx_gate const& each : cell_.gates) parts.push_back(c_.value_of(each.weights));
    return as_layer(c_.step("Concat", std::move(parts), {onnx_attr("axis", 0)}));
  }
  std::string biases(std::optional<projection> const& before) const {
    std::string own;
    if (cell_.gates.size() == 1) {
      own = reordered(c_.value_of(cell_.gates.front().bias), cell_.order);
    } else {
      std::vector<std::string> parts;
      for (onnx_gate const& each : cell_.gates) parts.push_back(c_.value_of(each.bias));
      own = c_.step("Concat", std::move(parts), {onnx_attr("axis", 0)});
    }
    auto const size = static_cast<std::size_t>(hidden_);
    std::string input;
    if (before) {
      input = reordered(before->bias, input_order());
    } else {
      auto const width = static_cast<std::int64_t>(count_ * size);
      input = c_.constant(onnx_filled(c_.type_of(own), {width}, 0), "zeros");
    }
    if (cell_.forget_bias != 0) {
      tensor_value more = onnx_filled(c_.type_of(own), {static_cast<std::int64_t>(4 * size)}, 0);
      std::visit(
          [&]<class T>(std::vector<T>& elements) {
            if constexpr (!std::is_same_v<T, std::string>)
              for (std::size_t i = 2 * size; i != 3 * size; ++i) elements[i] = static_cast<T>(cell_.forget_bias);
          },
          more.data);
      input = c_.step("Add", {input, c_.constant(std::move(more), "forget_bias")});
    }
    return as_layer(c_.step("Concat", {input, own}, {onnx_attr("axis", 0)}));
  }

  std::string steps_of(std::string const& x) const {
    std::string const zero = c_.constant(tensor_value{{}, std::vector<std::int64_t>{0}}, "number");
    return c_.step("Cast", {c_.step("Gather", {c_.step("Shape", {x}), zero})},
                   {onnx_attr("to", static_cast<std::int64_t>(onnx_type::int32))});
  }
  std::string whole(std::int32_t value) const {
    return c_.constant(tensor_value{{}, std::vector<std::int32_t>{value}}, "number");
  }
  // ONNX's operators refuse lengths below 0 and above the number of steps.
  std::string clamped(std::string const& lengths, std::string const& x) const {
    return c_.step("Max", {c_.step("Min", {lengths, steps_of(x)}), whole(0)});
  }

  // Defines the op's outputs. Behind the end of a sequence ONNX's Y is 0, and its last states are those of the end.
  void give(std::string const& x, std::string const& lengths, std::vector<std::string> const& outputs) {
    onnx_type const type = c_.type_of(x);
    auto const known = [&](std::string const& value, bool all) {
      auto const& dims = c_.dims(x);
      c_.exporter().types().set(value, type,
                                std::vector<std::int64_t>{all ? (dims ? dims->front() : -1) : 1,
                                                          dims && dims->size() > 1 ? (*dims)[1] : -1, hidden_});
    };
    std::string all = c_.step("Squeeze", {outputs[0], onnx_axes(c_, {1})});
    known(all, true);
    std::vector<std::string> last(outputs.begin() + 1, outputs.end());
    for (std::string const& each : last) known(each, false);
    if (!lengths.empty()) {
      auto const as_column = [&](std::string const& rows) { return c_.step("Unsqueeze", {rows, onnx_axes(c_, {-1})}); };
      std::string const steps = steps_of(x);
      auto const set = [&](std::string& value, std::string const& where, std::string const& other, bool is_all) {
        value = c_.step("Where", {where, value, other});
        known(value, is_all);
      };
      if (cell_.drops) {
        std::string const runs = as_column(c_.step("Equal", {lengths, steps}));
        for (std::string& each : last) set(each, runs, c_.number(0, x), false);
      } else {
        // A sequence of no steps keeps its initial state.
        std::string const runs = as_column(c_.step("Greater", {lengths, whole(0)}));
        std::size_t const states[] = {cell_.hidden, cell_.cell.value_or(0)};
        for (std::size_t k = 0; k != last.size(); ++k) set(last[k], runs, r_.states[states[k]].initial, false);
        std::string const time = c_.step("Range", {whole(0), steps, whole(1)});
        std::string const running = c_.step("Less", {as_column(time), lengths});
        set(all, as_column(running), last[0], true);
      }
    }
    onnx_give_states(c_, r_, cell_.hidden, all, last[0]);
    if (!cell_.cell) return;
    for (onnx_recurrence::alias const& each : r_.aliases)
      if (each.state == *cell_.cell && each.offset == -1) c_.forward(each.output, last[1]);
  }

  onnx_export_context& c_;
  onnx_recurrence const& r_;
  onnx_cell const& cell_;
  std::size_t count_;
  std::int64_t hidden_ = 0;
};

inline void onnx_export_recurrent_network(onnx_export_context& c) {
  onnx_recurrence const r = onnx_recurrence_reader(c).read();
  // The last output is the workspaces of the steps, for the gradient operator.
  if (!c.op().outputs.empty() &&
      std::ranges::none_of(r.aliases, [&](auto const& each) { return each.output + 1 == c.op().outputs.size(); }))
    c.exporter().set_scope(c.output(c.op().outputs.size() - 1));
  bool const has_windows = std::ranges::any_of(r.states, [](auto const& each) { return each.places != 1; });
  if (!has_windows)
    if (auto const cell = onnx_cell_matcher(r).match(); cell && onnx_layer_writer(c, r, *cell).write()) return;
  onnx_export_scan(c, r);
}

}  // namespace plait::detail::onnx_out

namespace plait {

inline void add_onnx_recurrent_export(onnx_export_rules& rules) {
  rules.set("RecurrentNetwork", detail::onnx_out::onnx_export_recurrent_network);
  rules.set("LSTMUnit", detail::onnx_out::onnx_export_lstm_unit);
  rules.set("GRUUnit", detail::onnx_out::onnx_export_gru_unit);
}

}  // namespace plait
