// Operators of linear algebra and images, and their gradients: FC, MatMul, Conv, pooling, resizing, object detection,
// distances of rows.
#pragma once

#include <plait/exec/detail/operators/box_transform.hpp>
#include <plait/exec/detail/operators/box_with_nms_limit.hpp>
#include <plait/exec/detail/operators/convolution.hpp>
#include <plait/exec/detail/operators/convolution_gradients.hpp>
#include <plait/exec/detail/operators/convolution_relu.hpp>
#include <plait/exec/detail/operators/convolution_transpose.hpp>
#include <plait/exec/detail/operators/distances.hpp>
#include <plait/exec/detail/operators/distances_gradients.hpp>
#include <plait/exec/detail/operators/fpn_proposals.hpp>
#include <plait/exec/detail/operators/fully_connected.hpp>
#include <plait/exec/detail/operators/fully_connected_gradients.hpp>
#include <plait/exec/detail/operators/generate_proposals.hpp>
#include <plait/exec/detail/operators/integer_products.hpp>
#include <plait/exec/detail/operators/matmul.hpp>
#include <plait/exec/detail/operators/non_max_suppression.hpp>
#include <plait/exec/detail/operators/pad_image.hpp>
#include <plait/exec/detail/operators/pooling.hpp>
#include <plait/exec/detail/operators/resize.hpp>
#include <plait/exec/detail/operators/resize_nearest.hpp>
#include <plait/exec/detail/operators/roi_align.hpp>
#include <plait/exec/detail/operators/roi_align_gradient.hpp>
#include <plait/exec/detail/operators/roi_align_rotated.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Adds all linear algebra operators.
template <backend B>
void add_linear_algebra(operators<B>& table) {
  add_box_limit_operators(table);
  add_box_transform_operators(table);
  add_convolution_gradient_operators(table);
  add_convolution_operators(table);
  add_convolution_relu_operators(table);
  add_distance_gradient_operators(table);
  add_distance_operators(table);
  add_fpn_proposal_operators(table);
  add_fully_connected_gradient_operators(table);
  add_fully_connected_operators(table);
  add_integer_product_operators(table);
  add_matmul_operators(table);
  add_non_max_suppression_operators(table);
  add_pad_image_operators(table);
  add_pooling_operators(table);
  add_proposal_operators(table);
  add_resize_nearest_operators(table);
  add_resize_operators(table);
  add_roi_align_gradient_operators(table);
  add_roi_align_operators(table);
  add_rotated_roi_align_operators(table);
  add_transposed_convolution_operators(table);
}

}  // namespace plait
