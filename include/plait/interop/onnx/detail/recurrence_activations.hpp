// Activation functions of ONNX's RNN, GRU and LSTM, as ops of a step net.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/context.hpp>
#include <plait/interop/onnx/detail/values.hpp>
#include <plait/netdef/net_builder.hpp>

namespace plait::detail {

struct onnx_activation {
  std::string name;  ///< in lower case
  float alpha = 0;
  float beta = 0;
};

/// Returns the activation functions of all directions, one direction after the other; `defaults` for each direction if
/// the node lists none. Functions with alpha or beta consume the node's lists in order, and then use their defaults.
inline std::vector<onnx_activation> onnx_activations(onnx_context const& c, std::vector<std::string> const& defaults,
                                                     std::size_t directions) {
  struct known {
    char const* name;
    int parameters;  // alpha, or alpha and beta
    float alpha;
    float beta;
  };
  static constexpr known all[] = {{"affine", 2, 1, 0},        {"relu", 0, 0, 0},
                                  {"leakyrelu", 1, 0.01f, 0}, {"thresholdedrelu", 1, 1, 0},
                                  {"tanh", 0, 0, 0},          {"scaledtanh", 2, 1, 1},
                                  {"sigmoid", 0, 0, 0},       {"elu", 1, 1, 0},
                                  {"softsign", 0, 0, 0},      {"hardsigmoid", 2, 0.2f, 0.5f},
                                  {"softplus", 0, 0, 0}};
  std::vector<std::string> names = c.texts("activations");
  if (names.empty())
    for (std::size_t d = 0; d != directions; ++d) names.insert(names.end(), defaults.begin(), defaults.end());
  if (names.size() != defaults.size() * directions)
    c.unsupported("it must have " + std::to_string(defaults.size() * directions) + " activations");
  std::vector<float> const alphas = c.reals("activation_alpha");
  std::vector<float> const betas = c.reals("activation_beta");
  std::size_t next_alpha = 0;
  std::size_t next_beta = 0;
  std::vector<onnx_activation> made;
  for (std::string name : names) {
    std::ranges::transform(name, name.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    auto const found = std::ranges::find_if(all, [&](known const& each) { return name == each.name; });
    if (found == std::end(all)) c.unsupported("the activation '" + name + '\'');
    onnx_activation a{std::move(name), found->alpha, found->beta};
    if (found->parameters > 0 && next_alpha < alphas.size()) a.alpha = alphas[next_alpha++];
    if (found->parameters > 1 && next_beta < betas.size()) a.beta = betas[next_beta++];
    made.push_back(std::move(a));
  }
  return made;
}

/// Adds the ops of f(x) to a step net; `number` returns a scalar blob that the step can read.
inline blob_handle onnx_activate(net_builder& step, onnx_activation const& f, blob_handle const& x,
                                 std::function<blob_handle(double)> const& number) {
  if (f.name == "relu") return step.relu(x);
  if (f.name == "tanh") return step.tanh(x);
  if (f.name == "sigmoid") return step.sigmoid(x);
  if (f.name == "softsign") return step.op("Softsign", x);
  if (f.name == "softplus") return step.op("Softplus", x);
  if (f.name == "leakyrelu") return step.op("LeakyRelu", x, {}, {{"alpha", f.alpha}});
  if (f.name == "elu") return step.op("Elu", x, {}, {{"alpha", f.alpha}});
  if (f.name == "scaledtanh") return step.scale(step.tanh(step.scale(x, f.beta)), f.alpha);
  if (f.name == "thresholdedrelu") return step.op("ThresholdedRelu", x, {}, {{"alpha", f.alpha}});
  if (f.name == "hardsigmoid") return step.op("HardSigmoid", x, {}, {{"alpha", f.alpha}, {"beta", f.beta}});
  return step.op("Add", {step.scale(x, f.alpha), number(f.beta)}, {}, {{"broadcast", 1}});  // affine
}

}  // namespace plait::detail
