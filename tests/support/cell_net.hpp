// Run-time nets of static cells, as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <plait/net/detail/traced_net.hpp>

namespace test {

/// Returns the ops of a cell as a net in text format: inputs x0, x1, …; value n is the blob vn. Operands that are not
/// of elements, other than those of reductions, are first repeated for all elements.
inline std::string net_of_cell(plait::traced_net const& net) {
  plait::traced_code const code = net.code();
  auto const name = [&](std::size_t v) { return (v < code.input_count ? "x" : "v") + std::to_string(v); };
  std::size_t shaping = 0;
  while (net.input_axes(shaping) != plait::cell_elements) ++shaping;
  std::string text;
  auto const op = [&](std::string const& type, std::vector<std::string> const& inputs,
                      std::vector<std::string> const& outputs, std::string const& arguments = "") {
    text += "op { type: \"" + type + "\" ";
    for (std::string const& in : inputs) text += "input: \"" + in + "\" ";
    for (std::string const& out : outputs) text += "output: \"" + out + "\" ";
    text += arguments + "}\n";
  };
  auto const real = [](std::string const& key, double value) {
    char number[32];
    std::snprintf(number, sizeof number, "%.9g", value);
    return "arg { name: \"" + key + "\" f: " + number + " } ";
  };
  std::size_t made = 0;
  auto const whole = [&](std::size_t v, std::string const& like) {
    if (code.axes[v] == plait::cell_elements) return name(v);
    std::string const to = "w" + std::to_string(made++);
    if (code.axes[v] == plait::cell_constant && v >= code.input_count) {
      for (plait::traced_op const& fill : code.ops)
        if (fill.output == v) op("ConstantFill", {like}, {to}, real("value", fill.number(0)));
      return to;
    }
    op("ConstantFill", {like}, {to + "_ones"}, real("value", 1));
    op("Mul", {to + "_ones", name(v)}, {to},
       "arg { name: \"broadcast\" i: 1 } " +
           std::string(code.axes[v] == plait::cell_rows ? "arg { name: \"axis\" i: 0 } " : ""));
    return to;
  };
  for (plait::traced_op const& o : code.ops) {
    if (o.info().kind == plait::cell_op_class::fill) continue;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::string arguments;
    for (std::size_t k = 0; k != 2; ++k)
      if (!o.info().arguments[k].empty()) arguments += real(std::string(o.info().arguments[k]), o.number(k));
    bool const repeats =
        o.info().kind == plait::cell_op_class::reduced || o.info().kind == plait::cell_op_class::repeated;
    std::string like = name(shaping);
    if (code.axes[o.output] == plait::cell_rows)
      for (std::size_t k = 0; k != o.input_count; ++k)
        if (code.axes[o.inputs[k]] == plait::cell_rows) like = name(o.inputs[k]);
    for (std::size_t k = 0; k != o.input_count; ++k)
      inputs.push_back(repeats || code.axes[o.inputs[k]] == code.axes[o.output] ? name(o.inputs[k])
                                                                                : whole(o.inputs[k], like));
    for (std::size_t k = 0; k != o.output_count; ++k) outputs.push_back(name(o.output + k));
    op(std::string(o.info().name), inputs, outputs, arguments);
  }
  return text;
}

}  // namespace test
