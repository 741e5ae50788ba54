// Standard operators: every op type of plait, for the one file of a program that instantiates them (see operators.hpp).
#pragma once

#include <plait/exec/detail/operators/concat_split.hpp>
#include <plait/exec/detail/operators/control_flow.hpp>
#include <plait/exec/detail/operators/convolution.hpp>
#include <plait/exec/detail/operators/convolution_gradients.hpp>
#include <plait/exec/detail/operators/distances.hpp>
#include <plait/exec/detail/operators/distances_gradients.hpp>
#include <plait/exec/detail/operators/do_scopes.hpp>
#include <plait/exec/detail/operators/dropout.hpp>
#include <plait/exec/detail/operators/dropout_gradients.hpp>
#include <plait/exec/detail/operators/elementwise_operators.hpp>
#include <plait/exec/detail/operators/fills.hpp>
#include <plait/exec/detail/operators/fully_connected.hpp>
#include <plait/exec/detail/operators/fully_connected_gradients.hpp>
#include <plait/exec/detail/operators/gather.hpp>
#include <plait/exec/detail/operators/gather_gradients.hpp>
#include <plait/exec/detail/operators/learning_rate.hpp>
#include <plait/exec/detail/operators/lengths.hpp>
#include <plait/exec/detail/operators/losses.hpp>
#include <plait/exec/detail/operators/losses_gradients.hpp>
#include <plait/exec/detail/operators/lstm_gru_units.hpp>
#include <plait/exec/detail/operators/lstm_gru_units_gradients.hpp>
#include <plait/exec/detail/operators/matmul.hpp>
#include <plait/exec/detail/operators/normalization.hpp>
#include <plait/exec/detail/operators/normalization_gradients.hpp>
#include <plait/exec/detail/operators/one_hot.hpp>
#include <plait/exec/detail/operators/one_hot_gradients.hpp>
#include <plait/exec/detail/operators/optimizers.hpp>
#include <plait/exec/detail/operators/pack_sequences.hpp>
#include <plait/exec/detail/operators/pad_image.hpp>
#include <plait/exec/detail/operators/pooling.hpp>
#include <plait/exec/detail/operators/random_fills.hpp>
#include <plait/exec/detail/operators/range.hpp>
#include <plait/exec/detail/operators/ranking.hpp>
#include <plait/exec/detail/operators/ranking_gradients.hpp>
#include <plait/exec/detail/operators/recurrent_links.hpp>
#include <plait/exec/detail/operators/recurrent_network.hpp>
#include <plait/exec/detail/operators/recurrent_network_gradients.hpp>
#include <plait/exec/detail/operators/reductions.hpp>
#include <plait/exec/detail/operators/reductions_gradients.hpp>
#include <plait/exec/detail/operators/reshape.hpp>
#include <plait/exec/detail/operators/scatter.hpp>
#include <plait/exec/detail/operators/segments.hpp>
#include <plait/exec/detail/operators/segments_gradients.hpp>
#include <plait/exec/detail/operators/sequence_mask.hpp>
#include <plait/exec/detail/operators/sets.hpp>
#include <plait/exec/detail/operators/shape_values.hpp>
#include <plait/exec/detail/operators/slice.hpp>
#include <plait/exec/detail/operators/slice_gradients.hpp>
#include <plait/exec/detail/operators/softmax_with_loss.hpp>
#include <plait/exec/detail/operators/softmax_with_loss_gradients.hpp>
#include <plait/exec/detail/operators/sorted_segments.hpp>
#include <plait/exec/detail/operators/sparse_optimizers.hpp>
#include <plait/exec/detail/operators/transpose.hpp>
#include <plait/exec/detail/operators/unsorted_segments.hpp>
#include <plait/exec/detail/operators/views.hpp>
#include <plait/exec/operators.hpp>

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
