// Builders of RecurrentNetwork ops and their gradients as text, and test cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <support/control_nets.hpp>
#include <support/run_op.hpp>

namespace test {

using numbers_list = std::vector<std::int64_t>;

inline std::string strings_arg(std::string const& name, names const& values) {
  std::string text = "arg { name: \"" + name + '"';
  for (std::string const& value : values) text += " strings: \"" + value + '"';
  return text + " } ";
}
inline std::string ints_arg(std::string const& name, numbers_list const& values) {
  std::string text = "arg { name: \"" + name + '"';
  for (std::int64_t const value : values) text += " ints: " + std::to_string(value);
  return text + " } ";
}
inline std::string text_arg(std::string const& name, std::string const& value) {
  return "arg { name: \"" + name + "\" s: \"" + value + "\" } ";
}
/// Returns a net as a string argument.
inline std::string net_text_arg(std::string const& name, std::string const& ops) {
  std::string text;
  for (char const letter : ops) {
    if (letter == '"') text += '\\';
    text += letter == '\n' ? ' ' : letter;
  }
  return "arg { name: \"" + name + "\" s: \"" + text + "\" } ";
}

struct links {
  names internal;
  names external;
  numbers_list offset;
  numbers_list window = {};

  std::string text(std::string const& prefix) const {
    return strings_arg(prefix + "_internal", internal) + strings_arg(prefix + "_external", external) +
           ints_arg(prefix + "_offset", offset) + (window.empty() ? "" : ints_arg(prefix + "_window", window));
  }
};

/// The description of one recurrence. Outputs are its aliases, then "ws".
struct recurrence {
  names inputs;
  names states;
  numbers_list initial;
  names alias_src;
  names alias_dst;
  numbers_list alias_offset;
  links forward;
  std::string step;  ///< text of its ops
  links backward = {};
  std::string backward_step = {};
  numbers_list outputs_with_grads = {};
  numbers_list param = {};
  names param_grads = {};
  names recompute = {};
  bool trains = false;
  bool as_text = false;
  bool no_backward_step = false;
  numbers_list sequences = {0};
  std::string more = {};  ///< text of further arguments

  std::string arguments() const {
    auto const net = as_text ? net_text_arg : net_arg;
    std::string text = strings_arg("recurrent_states", states) + ints_arg("initial_recurrent_state_ids", initial) +
                       strings_arg("alias_src", alias_src) + strings_arg("alias_dst", alias_dst) +
                       ints_arg("alias_offset", alias_offset) + forward.text("link") + net("step_net", step) + more;
    if (!trains) return text;
    if (!no_backward_step) text += net("backward_step_net", backward_step);
    if (sequences != numbers_list{0}) text += ints_arg("sequences", sequences);
    return text + backward.text("backward_link") + ints_arg("outputs_with_grads", outputs_with_grads) +
           ints_arg("param", param) + strings_arg("param_grads", param_grads) +
           strings_arg("recompute_blobs_on_backward", recompute);
  }
  std::string op() const {
    names outputs = alias_dst;
    outputs.push_back("ws");
    return op_text("RecurrentNetwork", inputs, outputs, arguments());
  }
  /// Returns the gradient op; gradients are named <name>_grad.
  std::string gradient_op() const {
    names reads;
    for (std::int64_t const output : outputs_with_grads)
      reads.push_back(alias_dst[static_cast<std::size_t>(output)] + "_grad");
    reads.insert(reads.end(), inputs.begin(), inputs.end());
    reads.insert(reads.end(), alias_dst.begin(), alias_dst.end());
    reads.push_back("ws");
    names writes;
    for (std::int64_t const input : sequences) writes.push_back(inputs[static_cast<std::size_t>(input)] + "_grad");
    for (std::int64_t const input : param) writes.push_back(inputs[static_cast<std::size_t>(input)] + "_grad");
    for (std::int64_t const input : initial) writes.push_back(inputs[static_cast<std::size_t>(input)] + "_grad");
    return op_text("RecurrentNetworkGradient", reads, writes, arguments());
  }
};

/// Returns the cell h = tanh(x + h w' + b): inputs x, h0, w, b; outputs all, last.
inline recurrence simple_cell() {
  std::string const axis = "arg { name: \"axis\" i: 2 }";
  recurrence r{{"x", "h0", "w", "b"},
               {"hs"},
               {1},
               {"hs", "hs"},
               {"all", "last"},
               {1, -1},
               {{"h_prev", "h", "x_t"}, {"hs", "hs", "x"}, {0, 1, 0}},
               op_text("FC", {"h_prev", "w", "b"}, {"s"}, axis) + op_text("Sum", {"s", "x_t"}, {"s"}) +
                   op_text("Tanh", {"s"}, {"h"})};
  r.backward = {{"h_grad", "h_prev_grad", "s_grad"}, {"hs_grad", "hs_grad", "x_grad"}, {1, 0, 0}};
  r.backward_step = op_text("TanhGradient", {"h", "h_grad"}, {"s_grad"}) +
                    op_text("FCGradient", {"h_prev", "w", "s_grad"}, {"w_grad", "b_grad", "h_prev_grad"}, axis);
  r.outputs_with_grads = {0, 1};
  r.param = {2, 3};
  r.param_grads = {"w_grad", "b_grad"};
  return r;
}

/// y = the sum of k + 1 times position k of a window; and its gradient.
template <class B>
struct fold_kernel : plait::op_kernel<B> {
  explicit fold_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override {
    c.expect_type<double>(0);
    plait::shape dims = c.dims(0);
    dims.set(0, 1);
    c.output(0, c.type(0), dims);
  }
  void run(plait::op_context<B>& c) override {
    double const* x = c.template input<double>(0);
    double* y = c.template output<double>(0);
    std::size_t const step = c.output_size(0);
    for (std::size_t i = 0; i != step; ++i) y[i] = 0;
    for (std::size_t i = 0; i != c.size(0); ++i) y[i % step] += static_cast<double>(i / step + 1) * x[i];
  }
};
template <class B>
struct fold_gradient_kernel : plait::op_kernel<B> {
  explicit fold_gradient_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<B>& c) override {
    double const* dy = c.template input<double>(1);
    double* dx = c.template output<double>(0);
    for (std::size_t i = 0; i != c.size(0); ++i) dx[i] = static_cast<double>(i / c.size(1) + 1) * dy[i % c.size(1)];
  }
};

template <class B>
plait::operators<B> const& recurrent_operators() {
  static plait::operators<B> const all = [] {
    using plait::op_schema;
    plait::operators<B> made = table<B>();
    made.template add<fold_kernel>(op_schema("Fold").inputs(1).outputs(1).checks_first());
    made.template add<fold_gradient_kernel>(op_schema("FoldGradient").inputs(2).outputs(1).checks_first());
    return made;
  }();
  return all;
}

/// Returns numbers between -1 and 1 that depend on `seed` only.
template <class T = double>
std::vector<T> some_numbers(std::size_t count, std::uint64_t seed) {
  std::vector<T> made;
  for (std::size_t i = 0; i != count; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    made.push_back(static_cast<T>(static_cast<double>(seed >> 11) / 4503599627370496.0 - 1));
  }
  return made;
}
template <class T, class B>
void feed_some(plait::workspace<B>& blobs, std::string const& name, plait::shape const& dims, std::uint64_t seed) {
  blobs.feed(name, some_numbers<T>(static_cast<std::size_t>(dims.size()), seed), dims);
}

}  // namespace test
