// Conversion rules for ONNX's operators of linear recurrences: LinearAttention, CausalConvWithState.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/composition.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/rules/normalizations.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

/// Linear attention: a Scan over tokens whose state, a matrix for each head of keys, decays, gets the outer product of
/// key and value, and is multiplied by the queries. With the delta rule the value is what the state lacks.
class onnx_linear_attention {
 public:
  explicit onnx_linear_attention(onnx_context const& c) : c_(c), g_(c), real_(onnx_known_float(c, 0)) {
    heads_ = c.integer("q_num_heads", 0);
    groups_ = c.integer("kv_num_heads", 0);
    if (heads_ < 1 || groups_ < 1 || heads_ % groups_ != 0)
      c.unsupported("q_num_heads must be a multiple of kv_num_heads, and both at least 1");
    std::string const rule = c.text("update_rule", "gated_delta");
    gated_ = rule == "gated" || rule == "gated_delta";
    delta_ = rule == "delta" || rule == "gated_delta";
    if (!gated_ && !delta_ && rule != "linear") c.unsupported("the update_rule is unknown");
    if (gated_ != c.has_input(4)) c.unsupported(gated_ ? "the decay is missing" : "its update_rule has no decay");
    if (delta_ != c.has_input(5)) c.unsupported(delta_ ? "beta is missing" : "its update_rule has no beta");
    for (std::size_t i = 0; i != 6; ++i) {
      if (!c.has_input(i)) continue;
      require_rank(c, i, i == 3 ? 4 : 3, i == 3 ? 4 : 3);
      if (c.type(i) != real_) c.unsupported("operands of different types");
    }
    for (std::size_t i = 0; i != 3; ++i) check_width(i, i == 0 ? heads_ : groups_);
    if (gated_) check_width(4, groups_);
    std::int64_t const betas = delta_ && c.dims(5) ? (*c.dims(5))[2] : 1;
    if (betas >= 0 && betas != 1 && betas != groups_)
      c.unsupported(input_text(c, 5) + " should have 1 or " + std::to_string(groups_) + " numbers for a token");
  }

  void run() const {
    std::string const query = g_("Mul", {steps(0, heads_), scale()});
    std::vector<std::string> inputs{state(), query, steps(1, groups_), steps(2, groups_)};
    std::vector<std::string> names{"state", "query", "key", "value"};
    if (gated_) inputs.push_back(g_("Exp", {steps(4, groups_)}));
    if (gated_) names.push_back("decay");
    if (delta_) inputs.push_back(steps(5, -1));
    if (delta_) names.push_back("beta");
    onnx_attribute body;
    body.name = "body";
    body.g = step(names);
    std::vector<onnx_attribute> arguments{
        std::move(body), onnx_argument("num_scan_inputs", static_cast<std::int64_t>(inputs.size() - 1))};
    auto const made = g_.nodes("Scan", std::move(inputs), 2, std::move(arguments));
    // tokens x batch x groups x heads of a group x features
    std::string const turned = g_.transpose(made[1], {1, 0, 2, 3, 4});
    g_.make(0, "Reshape", {turned, g_.list({0, 0, -1})});
    g_.make(1, "Identity", {made[0]});
  }

 private:
  void check_width(std::size_t i, std::int64_t count) const {
    std::int64_t const width = c_.dims(i) ? (*c_.dims(i))[2] : -1;
    if (width >= 0 && width % count != 0)
      c_.unsupported(input_text(c_, i) + " does not have " + std::to_string(count) + " heads of one size");
  }
  // Returns an input as tokens x batch x heads x features; all numbers of a token are heads for a count of -1.
  std::string steps(std::size_t i, std::int64_t count) const {
    std::string const split =
        count < 0 ? g_.unsqueeze(g_.input(i), {3}) : g_("Reshape", {g_.input(i), g_.list({0, 0, count, -1})});
    return g_.transpose(split, {1, 0, 2, 3});
  }
  std::string scale() const {
    if (float const given = c_.real("scale", 0); given != 0) return g_.number(real_, static_cast<double>(given));
    std::string const size =
        g_("Div", {g_.extent(g_.input(0), 2), g_.constant({{}, std::vector<std::int64_t>{heads_}})});
    return g_("Div", {g_.number(real_, 1), g_("Sqrt", {g_.cast(size, real_)})});
  }
  std::string state() const {
    if (c_.has_input(3)) return g_.input(3);
    auto const width = [&](std::size_t i) { return g_("Div", {g_.extents(g_.input(i), 2, 3), g_.list({groups_})}); };
    std::string const shape = g_.concat({g_.extents(g_.input(0), 0, 1), g_.list({groups_}), width(1), width(2)}, 0);
    return g_("Expand", {g_.number(real_, 0), shape});
  }
  // Returns the graph of one token.
  onnx_graph_def step(std::vector<std::string> const& names) const {
    onnx_graph_def made;
    made.name = "token";
    for (std::string const& name : names) {
      onnx_value_info& info = made.inputs.emplace_back();
      info.name = name;
      info.kind = onnx_value_info::kinds::tensor;
      info.type = real_;
      info.dims = std::vector<std::int64_t>(name == "state" ? 4 : 3, -1);
    }
    auto const list = [&](std::string name, std::vector<std::int64_t> elements) {
      onnx_tensor& tensor = made.initializers.emplace_back();
      tensor.name = std::move(name);
      tensor.type = onnx_type::int64;
      tensor.dims = {static_cast<std::int64_t>(elements.size())};
      tensor.int64s = std::move(elements);
    };
    list("last", {3});
    list("middle", {2});
    list("grouped", {0, groups_, heads_ / groups_, -1});
    auto const add = [&](char const* type, std::vector<std::string> inputs, std::string output) {
      onnx_node& node = made.nodes.emplace_back();
      node.type = type;
      node.inputs = std::move(inputs);
      node.outputs = {std::move(output)};
    };
    std::string before = "state";
    if (gated_) {
      add("Unsqueeze", {"decay", "last"}, "factors");
      add("Mul", {"state", "factors"}, "decayed");
      before = "decayed";
    }
    std::string value = "value";
    if (delta_) {
      add("Unsqueeze", {"key", "middle"}, "row");
      add("MatMul", {"row", before}, "found");
      add("Squeeze", {"found", "middle"}, "retrieved");
      add("Sub", {"value", "retrieved"}, "difference");
      add("Mul", {"beta", "difference"}, "corrected");
      value = "corrected";
    }
    add("Unsqueeze", {"key", "last"}, "column");
    add("Unsqueeze", {value, "middle"}, "written");
    add("Mul", {"column", "written"}, "product");
    add("Add", {before, "product"}, "after");
    add("Reshape", {"query", "grouped"}, "queries");
    add("MatMul", {"queries", "after"}, "read");
    made.outputs.emplace_back().name = "after";
    made.outputs.emplace_back().name = "read";
    return made;
  }

  onnx_context const& c_;
  onnx_composition g_;
  onnx_type real_;
  std::int64_t heads_ = 0;
  std::int64_t groups_ = 0;
  bool gated_ = false;
  bool delta_ = false;
};

// CausalConvWithState: a convolution of each channel by itself, of the last places of the state and the input.
inline void onnx_causal_conv(onnx_context const& c) {
  onnx_composition const g(c);
  onnx_type const real = onnx_known_float(c, 0);
  require_rank(c, 0, 3, 3);
  require_rank(c, 1, 3, 3);
  std::int64_t const channels = c.rank(1) == 3 ? (*c.dims(1))[0] : -1;
  std::int64_t const width = (*c.dims(1))[2];
  if (channels < 0 || width < 0) c.unsupported("the shape of the weight must be known before the model is run");
  require_dims(c, 1, {-1, 1, -1}, "a kernel for each channel");
  require_dims(c, 0, {-1, channels, -1}, "as many channels as the weight has");
  if (channels == 0 || width == 0) c.unsupported(input_text(c, 1) + " has no elements");
  if (c.has_input(3)) require_dims(c, 3, {-1, channels, width - 1}, "the places before the input");
  std::string const activation = c.text("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    c.unsupported("the activation must be none, silu or swish");
  std::string x = g.input(0);
  if (c.has_input(3) || width > 1) {
    std::string const shape = g.concat({g.extents(x, 0, 2), g.list({width - 1})}, 0);
    std::string const before = c.has_input(3) ? g.input(3) : g("Expand", {g.number(real, 0), shape});
    x = g.concat({before, x}, 2);
  }
  std::vector<std::string> inputs{x, g.input(1)};
  if (c.has_input(2)) inputs.push_back(g.input(2));
  std::string made =
      g("Conv", std::move(inputs),
        {onnx_argument("group", channels), onnx_argument("kernel_shape", std::vector<std::int64_t>{width})});
  if (activation != "none") made = g("Mul", {made, g("Sigmoid", {made})});
  g.make(0, "Identity", {made});
  constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
  if (c.wants(1)) g.make(1, "Identity", {g.slice(x, 2, width == 1 ? end : 1 - width, end)});
}

}  // namespace detail

inline void add_onnx_linear_attention_rules(onnx_rules& rules) {
  rules.set("LinearAttention", [](onnx_context const& c) { detail::onnx_linear_attention(c).run(); });
  rules.set("CausalConvWithState", detail::onnx_causal_conv);
}

}  // namespace plait
