// Export rules of plait's own operators.
#pragma once

#include <plait/interop/onnx/detail/export/context.hpp>
#include <plait/interop/onnx/detail/export/rules/control_flow.hpp>
#include <plait/interop/onnx/detail/export/rules/elementwise.hpp>
#include <plait/interop/onnx/detail/export/rules/fills.hpp>
#include <plait/interop/onnx/detail/export/rules/indexing.hpp>
#include <plait/interop/onnx/detail/export/rules/integers.hpp>
#include <plait/interop/onnx/detail/export/rules/matrix.hpp>
#include <plait/interop/onnx/detail/export/rules/normalization.hpp>
#include <plait/interop/onnx/detail/export/rules/recurrent_layers.hpp>
#include <plait/interop/onnx/detail/export/rules/reductions.hpp>
#include <plait/interop/onnx/detail/export/rules/resizing.hpp>
#include <plait/interop/onnx/detail/export/rules/segments.hpp>
#include <plait/interop/onnx/detail/export/rules/shapes.hpp>
#include <plait/interop/onnx/detail/export/rules/windows.hpp>

namespace plait {

inline onnx_export_rules const& onnx_export_rules::standard() {
  static onnx_export_rules const rules = [] {
    onnx_export_rules made;
    add_onnx_elementwise_export(made);
    add_onnx_matrix_export(made);
    add_onnx_windows_export(made);
    add_onnx_normalization_export(made);
    add_onnx_shapes_export(made);
    add_onnx_reductions_export(made);
    add_onnx_indexing_export(made);
    add_onnx_integers_export(made);
    add_onnx_resizing_export(made);
    add_onnx_segments_export(made);
    add_onnx_fills_export(made);
    add_onnx_control_flow_export(made);
    add_onnx_recurrent_export(made);
    return made;
  }();
  return rules;
}

}  // namespace plait
