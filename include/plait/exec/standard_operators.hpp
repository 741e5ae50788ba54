// Standard operators: every op type of plait, for the one file of a program that instantiates them (see operators.hpp).
#pragma once

#include <plait/exec/operators.hpp>
#include <plait/exec/operators/control_flow.hpp>
#include <plait/exec/operators/data_movement.hpp>
#include <plait/exec/operators/elementwise.hpp>
#include <plait/exec/operators/fills.hpp>
#include <plait/exec/operators/linear_algebra.hpp>
#include <plait/exec/operators/recurrence.hpp>
#include <plait/exec/operators/reductions.hpp>
#include <plait/exec/operators/training.hpp>

namespace plait {

template <backend B>
operators<B> const& standard_operators() {
  static operators<B> const table = [] {
    operators<B> made;
    add_concat_split_operators(made);
    add_control_flow_operators(made);
    add_convolution_operators(made);
    add_convolution_gradient_operators(made);
    add_distance_operators(made);
    add_distance_gradient_operators(made);
    add_dropout_operators(made);
    add_dropout_gradient_operators(made);
    add_elementwise_operators(made);
    add_fill_operators(made);
    add_gather_operators(made);
    add_gather_gradient_operators(made);
    add_learning_rate_operators(made);
    add_lengths_operators(made);
    add_loss_operators(made);
    add_loss_gradient_operators(made);
    add_fully_connected_operators(made);
    add_matmul_operators(made);
    add_fully_connected_gradient_operators(made);
    add_normalization_operators(made);
    add_normalization_gradient_operators(made);
    add_one_hot_operators(made);
    add_one_hot_gradient_operators(made);
    add_optimizer_operators(made);
    add_packing_operators(made);
    add_pad_image_operators(made);
    add_pooling_operators(made);
    add_random_fill_operators(made);
    add_range_operators(made);
    add_ranking_operators(made);
    add_ranking_gradient_operators(made);
    add_recurrent_link_operators(made);
    add_recurrent_network_operators(made);
    add_recurrent_network_gradient_operators(made);
    add_reduction_operators(made);
    add_reduction_gradient_operators(made);
    add_reshape_operators(made);
    add_scatter_operators(made);
    add_scope_operators(made);
    add_segment_operators(made);
    add_segment_gradient_operators(made);
    add_sequence_mask_operators(made);
    add_set_operators(made);
    add_shape_value_operators(made);
    add_slice_operators(made);
    add_slice_gradient_operators(made);
    add_softmax_with_loss_operators(made);
    add_softmax_with_loss_gradient_operators(made);
    add_sorted_segment_operators(made);
    add_sparse_optimizer_operators(made);
    add_transpose_operators(made);
    add_unit_operators(made);
    add_unit_gradient_operators(made);
    add_unsorted_segment_operators(made);
    add_view_operators(made);
    return made;
  }();
  return table;
}

}  // namespace plait
