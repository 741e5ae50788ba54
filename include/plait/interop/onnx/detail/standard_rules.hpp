// Standard conversion rules for ONNX operators: all that plait comes with.
#pragma once

#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/rules/attention.hpp>
#include <plait/interop/onnx/detail/rules/composed.hpp>
#include <plait/interop/onnx/detail/rules/control_flow.hpp>
#include <plait/interop/onnx/detail/rules/detection.hpp>
#include <plait/interop/onnx/detail/rules/einsum.hpp>
#include <plait/interop/onnx/detail/rules/elementwise.hpp>
#include <plait/interop/onnx/detail/rules/fourier.hpp>
#include <plait/interop/onnx/detail/rules/fused.hpp>
#include <plait/interop/onnx/detail/rules/indexing.hpp>
#include <plait/interop/onnx/detail/rules/linear_attention.hpp>
#include <plait/interop/onnx/detail/rules/losses.hpp>
#include <plait/interop/onnx/detail/rules/matmul_and_conv.hpp>
#include <plait/interop/onnx/detail/rules/normalizations.hpp>
#include <plait/interop/onnx/detail/rules/numeric.hpp>
#include <plait/interop/onnx/detail/rules/quantisation.hpp>
#include <plait/interop/onnx/detail/rules/quantised_fused.hpp>
#include <plait/interop/onnx/detail/rules/quantised_lstm.hpp>
#include <plait/interop/onnx/detail/rules/recurrent.hpp>
#include <plait/interop/onnx/detail/rules/reductions.hpp>
#include <plait/interop/onnx/detail/rules/resizing.hpp>
#include <plait/interop/onnx/detail/rules/selections.hpp>
#include <plait/interop/onnx/detail/rules/shapes.hpp>

namespace plait {

namespace detail {

// A template, so that programs can link the instantiation of plait::runtime (extern_templates.hpp).
template <class Rules>
Rules const& standard_onnx_rules() {
  static Rules const table = [] {
    Rules made;
    add_onnx_elementwise_rules(made);
    add_onnx_shape_rules(made);
    add_onnx_resizing_rules(made);
    add_onnx_selection_rules(made);
    add_onnx_reduction_rules(made);
    add_onnx_matmul_and_conv_rules(made);
    add_onnx_quantisation_rules(made);
    add_onnx_quantised_lstm_rules(made);
    add_onnx_recurrent_rules(made);
    add_onnx_control_flow_rules(made);
    add_onnx_indexing_rules(made);
    add_onnx_numeric_rules(made);
    add_onnx_einsum_rules(made);
    add_onnx_loss_rules(made);
    add_onnx_attention_rules(made);
    add_onnx_normalization_rules(made);
    add_onnx_composed_rules(made);
    add_onnx_linear_attention_rules(made);
    add_onnx_detection_rules(made);
    add_onnx_fourier_rules(made);
    add_onnx_fused_rules(made);
    add_onnx_quantised_fused_rules(made);
    return made;
  }();
  return table;
}

}  // namespace detail

inline onnx_rules const& onnx_rules::standard() { return detail::standard_onnx_rules<onnx_rules>(); }

}  // namespace plait
