// Conversion rules for fused operators of com.microsoft, which ONNX Runtime's optimiser writes: products and
// convolutions with an epilogue, activations, normalisations of sums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/composition.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/rules/normalizations.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

inline constexpr char const* onnx_microsoft = "com.microsoft";

/// Returns the attributes of a node, for a composition, without those of the names given.
inline std::vector<onnx_attribute> onnx_attributes_but(onnx_context const& c,
                                                       std::initializer_list<std::string_view> names) {
  std::vector<onnx_attribute> made;
  for (onnx_attribute const& a : c.node().attributes)
    if (std::ranges::find(names, a.name) == names.end()) made.push_back(a);
  return made;
}
inline onnx_attribute onnx_real_argument(std::string name, float value) {
  onnx_attribute made;
  made.name = std::move(name);
  made.f = value;
  return made;
}

/// Refuses an output that only training reads.
inline void refuse_output(onnx_context const& c, std::size_t o) {
  if (c.wants(o)) c.unsupported("output " + std::to_string(o));
}

// ---- epilogues
// Writes an activation of x, by its name and parameters, to output 0.
inline void onnx_epilogue(onnx_context const& c, std::string const& x, std::string const& type,
                          std::vector<float> const& parameters) {
  onnx_composition const g(c);
  auto const parameter = [&](std::size_t i, float fallback) {
    return i < parameters.size() ? parameters[i] : fallback;
  };
  if (type.empty()) return g.make(0, "Identity", {x});
  if (type == "Relu" || type == "Sigmoid" || type == "Tanh" || type == "HardSwish") return g.make(0, type, {x});
  if (type == "LeakyRelu") return g.make(0, type, {x}, {onnx_real_argument("alpha", parameter(0, 0.01f))});
  if (type == "HardSigmoid")
    return g.make(0, type, {x},
                  {onnx_real_argument("alpha", parameter(0, 0.2f)), onnx_real_argument("beta", parameter(1, 0.5f))});
  if (type == "Clip" && parameters.size() == 2) {
    auto const bound = [&](std::size_t i) { return g.number(c.type(0), static_cast<double>(parameters[i])); };
    return g.make(0, type, {x, bound(0), bound(1)});
  }
  c.unsupported("the activation '" + type + '\'');
}

// FusedConv: activation(Conv(X, W, B) + Z).
inline void onnx_fused_conv(onnx_context const& c) {
  onnx_composition const g(c);
  onnx_composition::names operands{g.input(0), g.input(1)};
  if (c.has_input(2)) operands.push_back(g.input(2));
  std::string made = g("Conv", std::move(operands), onnx_attributes_but(c, {"activation", "activation_params"}));
  if (c.has_input(3)) made = g("Add", {made, g.input(3)});
  onnx_epilogue(c, made, c.text("activation", ""), c.reals("activation_params"));
}

// FusedGemm: activation(Gemm(A, B, C)).
inline void onnx_fused_gemm(onnx_context const& c) {
  onnx_composition const g(c);
  onnx_composition::names operands{g.input(0), g.input(1)};
  if (c.has_input(2)) operands.push_back(g.input(2));
  std::vector<float> parameters;
  for (char const* name : {"activation_alpha", "activation_beta"})
    if (c.has(name)) parameters.push_back(c.real(name, 0));
  std::string const made =
      g("Gemm", std::move(operands),
        onnx_attributes_but(c, {"activation", "activation_alpha", "activation_beta", "activation_gamma"}));
  onnx_epilogue(c, made, c.text("activation", ""), parameters);
}

// Returns an operand of FusedMatMul with its matrices last: transBatch moves the first axis behind those of the batch.
inline std::string onnx_fused_factor(onnx_context const& c, std::size_t i, char const* transposed, char const* batch) {
  onnx_composition const g(c);
  bool const turns = c.integer(transposed, 0) != 0;
  bool const moves = c.integer(batch, 0) != 0;
  if (!turns && !moves) return g.input(i);
  auto const rank = static_cast<std::int64_t>(c.rank(i));
  if (rank < 2) return g.input(i);
  std::vector<std::int64_t> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (moves) std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (turns) std::swap(order[order.size() - 2], order.back());
  return g.transpose(g.input(i), std::move(order));
}

// FusedMatMul: alpha * A' B', where the factors are transposed.
inline void onnx_fused_mat_mul(onnx_context const& c) {
  onnx_composition const g(c);
  onnx_type const real = onnx_known_float(c, 0);
  std::string const a = onnx_fused_factor(c, 0, "transA", "transBatchA");
  std::string const b = onnx_fused_factor(c, 1, "transB", "transBatchB");
  float const alpha = c.real("alpha", 1);
  if (alpha == 1) return g.make(0, "MatMul", {a, b});
  g.make(0, "Mul", {g("MatMul", {a, b}), g.number(real, static_cast<double>(alpha))});
}

// ---- activations
inline void onnx_biased_gelu(onnx_context const& c, bool fast) {
  onnx_composition const g(c);
  onnx_attribute how;
  how.name = "approximate";
  how.s = fast ? "tanh" : "none";
  g.make(0, "Gelu", {c.has_input(1) ? g("Add", {g.input(0), g.input(1)}) : g.input(0)}, {how});
}

// QuickGelu: x sigmoid(alpha x).
inline void onnx_quick_gelu(onnx_context const& c) {
  onnx_composition const g(c);
  onnx_type const real = onnx_known_float(c, 0);
  std::string const scaled = g("Mul", {g.input(0), g.number(real, static_cast<double>(c.real("alpha", 1.702f)))});
  g.make(0, "Mul", {g.input(0), g("Sigmoid", {scaled})});
}

// ---- normalisations
// SkipLayerNormalization: layer normalisation of the sum of an input, a skip connection and a bias, and this sum.
// SkipSimplifiedLayerNormalization has no beta, and divides by the root of the mean square.
inline void onnx_skip_layer_norm(onnx_context const& c, bool simplified) {
  onnx_composition const g(c);
  for (std::size_t const o : {1U, 2U}) refuse_output(c, o);
  std::size_t const bias = simplified ? 3 : 4;
  std::string sum = g("Add", {g.input(0), g.input(1)});
  if (c.has_input(bias)) sum = g("Add", {sum, g.input(bias)});
  onnx_composition::names operands{sum, g.input(2)};
  if (!simplified && c.has_input(3)) operands.push_back(g.input(3));
  g.make(0, simplified ? "RMSNormalization" : "LayerNormalization", std::move(operands),
         {onnx_real_argument("epsilon", c.real("epsilon", 1e-12f)), onnx_argument("axis", std::int64_t{-1})});
  g.make(3, "Identity", {sum});
}

// EmbedLayerNormalization: layer normalisation of the sum of the embeddings of words, places and segments.
inline void onnx_embed_layer_norm(onnx_context const& c) {
  onnx_composition const g(c);
  std::string const& words = g.input(0);
  std::string sum = g("Gather", {g.input(2), words});
  if (c.has_input(8)) {
    sum = g("Add", {sum, g("Gather", {g.input(3), g.input(8)})});
  } else {
    std::string const count = g.extent(words, 1);
    std::string const places = g("Range", {g.number(onnx_type::int64, 0), count, g.number(onnx_type::int64, 1)});
    sum = g("Add", {sum, g("Gather", {g.input(3), places})});
  }
  if (c.has_input(1)) sum = g("Add", {sum, g("Gather", {g.input(4), g.input(1)})});
  g.make(0, "LayerNormalization", {sum, g.input(5), g.input(6)},
         {onnx_real_argument("epsilon", c.real("epsilon", 1e-12f)), onnx_argument("axis", std::int64_t{-1})});
  if (c.wants(1)) {  // the number of tokens of each sample
    std::string const mask = c.has_input(7) ? g.input(7) : g("Sub", {words, words});
    g.make(1, "Cast", {g.reduce("ReduceSum", mask, {1}, false)}, {onnx_argument("to", onnx_type::int32)});
  }
  g.make(2, "Identity", {sum});
}

}  // namespace detail

inline void add_onnx_fused_rules(onnx_rules& rules) {
  auto const add = [&](char const* type, onnx_rule rule) { rules.set(detail::onnx_microsoft, type, std::move(rule)); };
  add("FusedConv", detail::onnx_fused_conv);
  add("FusedGemm", detail::onnx_fused_gemm);
  add("FusedMatMul", detail::onnx_fused_mat_mul);
  for (char const* type : {"Gelu", "BiasGelu"})
    add(type, [](onnx_context const& c) { detail::onnx_biased_gelu(c, false); });
  add("FastGelu", [](onnx_context const& c) { detail::onnx_biased_gelu(c, true); });
  add("QuickGelu", detail::onnx_quick_gelu);
  add("SkipLayerNormalization", [](onnx_context const& c) { detail::onnx_skip_layer_norm(c, false); });
  add("SkipSimplifiedLayerNormalization", [](onnx_context const& c) { detail::onnx_skip_layer_norm(c, true); });
  add("EmbedLayerNormalization", detail::onnx_embed_layer_norm);
  // ONNX Runtime writes it in ONNX's own domain.
  rules.set("SimplifiedLayerNormalization", [](onnx_context const& c) {
    detail::refuse_output(c, 1);
    detail::onnx_rms_norm(c);
  });
}

}  // namespace plait
