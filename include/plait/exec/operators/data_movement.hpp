// Operators that move data, and their gradients: reshape, transpose, slice, concat, gather, scatter, segments,
// sequences.
#pragma once

#include <plait/exec/detail/operators/batch_one_hot.hpp>
#include <plait/exec/detail/operators/batch_permutation.hpp>
#include <plait/exec/detail/operators/batch_sparse.hpp>
#include <plait/exec/detail/operators/channel_shuffle.hpp>
#include <plait/exec/detail/operators/concat_split.hpp>
#include <plait/exec/detail/operators/fill_examples.hpp>
#include <plait/exec/detail/operators/gather.hpp>
#include <plait/exec/detail/operators/gather_elements.hpp>
#include <plait/exec/detail/operators/gather_gradients.hpp>
#include <plait/exec/detail/operators/gather_nd.hpp>
#include <plait/exec/detail/operators/gather_ranges.hpp>
#include <plait/exec/detail/operators/gather_ranges_to_dense.hpp>
#include <plait/exec/detail/operators/lengths.hpp>
#include <plait/exec/detail/operators/numbered_segments_gradients.hpp>
#include <plait/exec/detail/operators/one_hot.hpp>
#include <plait/exec/detail/operators/one_hot_gradients.hpp>
#include <plait/exec/detail/operators/pack_sequences.hpp>
#include <plait/exec/detail/operators/pad.hpp>
#include <plait/exec/detail/operators/padding.hpp>
#include <plait/exec/detail/operators/print.hpp>
#include <plait/exec/detail/operators/quantized_segments.hpp>
#include <plait/exec/detail/operators/range.hpp>
#include <plait/exec/detail/operators/reshape.hpp>
#include <plait/exec/detail/operators/rowwise_quantization.hpp>
#include <plait/exec/detail/operators/scatter.hpp>
#include <plait/exec/detail/operators/segments.hpp>
#include <plait/exec/detail/operators/segments_gradients.hpp>
#include <plait/exec/detail/operators/sequence_mask.hpp>
#include <plait/exec/detail/operators/sets.hpp>
#include <plait/exec/detail/operators/shape_values.hpp>
#include <plait/exec/detail/operators/slice.hpp>
#include <plait/exec/detail/operators/slice_gradients.hpp>
#include <plait/exec/detail/operators/sorted_segments.hpp>
#include <plait/exec/detail/operators/sparse_label_split.hpp>
#include <plait/exec/detail/operators/sparse_to_dense_mask.hpp>
#include <plait/exec/detail/operators/strided_slice.hpp>
#include <plait/exec/detail/operators/transpose.hpp>
#include <plait/exec/detail/operators/triangle.hpp>
#include <plait/exec/detail/operators/unsorted_segments.hpp>
#include <plait/exec/detail/operators/views.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Adds all operators that move data.
template <backend B>
void add_data_movement(operators<B>& table) {
  add_batch_permutation_operators(table);
  add_batch_one_hot_operators(table);
  add_batch_sparse_operators(table);
  add_channel_shuffle_operators(table);
  add_concat_split_operators(table);
  add_fill_examples_operators(table);
  add_gather_elements_operators(table);
  add_gather_gradient_operators(table);
  add_gather_nd_operators(table);
  add_gather_operators(table);
  add_gather_ranges_operators(table);
  add_gather_ranges_to_dense_operators(table);
  add_lengths_operators(table);
  add_numbered_segment_gradient_operators(table);
  add_one_hot_gradient_operators(table);
  add_one_hot_operators(table);
  add_packing_operators(table);
  add_pad_operators(table);
  add_padding_operators(table);
  add_print_operator(table);
  add_quantized_segment_operators(table);
  add_range_operators(table);
  add_reshape_operators(table);
  add_rowwise_quantization_operators(table);
  add_scatter_operators(table);
  add_segment_gradient_operators(table);
  add_segment_operators(table);
  add_sequence_mask_operators(table);
  add_set_operators(table);
  add_shape_value_operators(table);
  add_slice_gradient_operators(table);
  add_slice_operators(table);
  add_sorted_segment_operators(table);
  add_sparse_label_split_operators(table);
  add_sparse_to_dense_mask_operators(table);
  add_strided_slice_operators(table);
  add_transpose_operators(table);
  add_triangle_operators(table);
  add_unsorted_segment_operators(table);
  add_view_operators(table);
}

}  // namespace plait
