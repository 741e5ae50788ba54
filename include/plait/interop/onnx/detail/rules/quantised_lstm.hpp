// Conversion rule for com.microsoft.DynamicQuantizeLSTM, which quantize_dynamic of ONNX Runtime writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/rules/recurrent.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

// Returns the constant weights (W - zero point) * scale of a DynamicQuantizeLSTM as those of an LSTM: W has its last
// two axes exchanged, and a scale for each direction or for each direction and row of gates.
inline tensor_value onnx_lstm_weights(onnx_context const& c, std::size_t i, std::size_t scale) {
  require_type(c, i, {onnx_type::int8, onnx_type::uint8});
  tensor_value const* const w = c.constant(i);
  tensor_value const* const s = c.constant(scale);
  tensor_value const* const z = c.constant(scale + 1);
  if (w == nullptr || s == nullptr || z == nullptr)
    c.unsupported("the weights, their scales and zero points " + std::string(onnx_must_be_known));
  auto const* const scales = std::get_if<std::vector<float>>(&s->data);
  if (scales == nullptr) c.unsupported("the scales of the weights are not float32");
  std::vector<std::int64_t> const& shape = w->shape;
  if (shape.size() != 3) c.unsupported(input_text(c, i) + " should have 3 axes");
  bool const by_row = s->shape.size() == 2;
  std::vector<std::int64_t> const wanted =
      by_row ? std::vector<std::int64_t>{shape[0], shape[2]} : std::vector<std::int64_t>{shape[0]};
  if (s->shape != wanted || z->shape != wanted || z->type() != w->type())
    c.unsupported("the scales and zero points of " + input_text(c, i) + " should be " + dims_text(wanted));
  std::vector<float> made(w->size());
  std::visit(
      [&]<class T>(std::vector<T> const& elements) {
        if constexpr (std::is_integral_v<T>) {
          auto const& zeros = std::get<std::vector<T>>(z->data);
          auto const width = static_cast<std::size_t>(shape[1]);
          auto const rows = static_cast<std::size_t>(shape[2]);
          for (std::size_t at = 0; at != elements.size(); ++at) {
            std::size_t const d = at / (width * rows);
            std::size_t const column = at / rows % width;
            std::size_t const row = at % rows;
            std::size_t const k = by_row ? d * rows + row : d;
            int const less = static_cast<int>(elements[at]) - static_cast<int>(zeros[k]);
            made[(d * rows + row) * width + column] = static_cast<float>(less) * (*scales)[k];
          }
        }
      },
      w->data);
  return {{shape[0], shape[2], shape[1]}, std::move(made)};
}

// com.microsoft.DynamicQuantizeLSTM: an LSTM whose weights are dequantised when the model is read, and whose x and h
// are rounded, in float, to what 8 bits hold of them. Products are those of the integers but for rounding.
inline void onnx_dynamic_quantize_lstm(onnx_context const& c) {
  require_type(c, 0, {onnx_type::float32});
  onnx_node lstm = c.node();
  lstm.type = "LSTM";
  lstm.domain.clear();
  while (lstm.inputs.size() > 8) lstm.inputs.pop_back();
  for (std::size_t const i : {1U, 2U}) {
    onnx_value weights;
    weights.constant = onnx_lstm_weights(c, i, i == 1 ? 8 : 10);
    weights.type = onnx_type::float32;
    weights.dims = weights.constant->shape;
    lstm.inputs[i] = c.temporary(i == 1 ? "w" : "r");
    c.converter().set(lstm.inputs[i], std::move(weights));
  }
  onnx_recurrence(onnx_context(c.converter(), lstm, 14), onnx_recurrence::kinds::lstm, true).run();
}

}  // namespace detail

inline void add_onnx_quantised_lstm_rules(onnx_rules& rules) {
  rules.set("com.microsoft", "DynamicQuantizeLSTM", detail::onnx_dynamic_quantize_lstm);
}

}  // namespace plait
