// The rules for ONNX operators that plait comes with.
#pragma once

#include <plait/interop/onnx/detail/rules/control_flow.hpp>
#include <plait/interop/onnx/detail/rules/elements.hpp>
#include <plait/interop/onnx/detail/rules/matrices.hpp>
#include <plait/interop/onnx/detail/rules/recurrent.hpp>
#include <plait/interop/onnx/detail/rules/reductions.hpp>
#include <plait/interop/onnx/detail/rules/selections.hpp>
#include <plait/interop/onnx/detail/rules/shapes.hpp>
#include <plait/interop/onnx/rules.hpp>

namespace plait {

inline onnx_rules const& onnx_rules::standard() {
  static onnx_rules const table = [] {
    onnx_rules made;
    add_onnx_element_rules(made);
    add_onnx_shape_rules(made);
    add_onnx_selection_rules(made);
    add_onnx_reduction_rules(made);
    add_onnx_matrix_rules(made);
    add_onnx_recurrent_rules(made);
    add_onnx_control_flow_rules(made);
    return made;
  }();
  return table;
}

}  // namespace plait
