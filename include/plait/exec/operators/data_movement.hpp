// Operators that move data, and their gradients: reshape, transpose, slice, concat, gather, scatter, segments,
// sequences.
#pragma once

#include <plait/exec/detail/operators/concat_split.hpp>
#include <plait/exec/detail/operators/gather.hpp>
#include <plait/exec/detail/operators/gather_gradients.hpp>
#include <plait/exec/detail/operators/lengths.hpp>
#include <plait/exec/detail/operators/one_hot.hpp>
#include <plait/exec/detail/operators/one_hot_gradients.hpp>
#include <plait/exec/detail/operators/pack_sequences.hpp>
#include <plait/exec/detail/operators/range.hpp>
#include <plait/exec/detail/operators/reshape.hpp>
#include <plait/exec/detail/operators/scatter.hpp>
#include <plait/exec/detail/operators/segments.hpp>
#include <plait/exec/detail/operators/segments_gradients.hpp>
#include <plait/exec/detail/operators/sequence_mask.hpp>
#include <plait/exec/detail/operators/sets.hpp>
#include <plait/exec/detail/operators/shape_values.hpp>
#include <plait/exec/detail/operators/slice.hpp>
#include <plait/exec/detail/operators/slice_gradients.hpp>
#include <plait/exec/detail/operators/sorted_segments.hpp>
#include <plait/exec/detail/operators/transpose.hpp>
#include <plait/exec/detail/operators/unsorted_segments.hpp>
#include <plait/exec/detail/operators/views.hpp>
