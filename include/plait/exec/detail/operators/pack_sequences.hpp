// Packing of variable-length sequences: conversion between concatenated and padded batches, and reversal.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/move_rows.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/row_list_kernel.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/detail/shape_context.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Reads the lengths in input i, a vector of int32 or int64, into `lengths`. Throws shape_error if one is negative, or
/// if their sum overflows.
inline std::vector<std::int64_t> const& read_lengths(shape_context& c, std::size_t i,
                                                     std::vector<std::int64_t>& lengths) {
  c.expect_type<std::int32_t, std::int64_t>(i);
  c.expect_rank(i, 1, 1);
  c.integers(i, lengths);
  std::int64_t sum = 0;
  for (std::int64_t const length : lengths) {
    if (length < 0) c.fail("input " + std::to_string(i) + " has the negative length " + std::to_string(length));
    if (length > std::numeric_limits<std::int64_t>::max() - sum) c.fail("lengths add up to more than there can be");
    sum += length;
  }
  return lengths;
}

inline std::int64_t longest(std::vector<std::int64_t> const& lengths) {
  return lengths.empty() ? 0 : *std::ranges::max_element(lengths);
}

inline void expect_total(shape_context& c, std::vector<std::int64_t> const& lengths, std::size_t data) {
  c.expect_rank(data, 1);
  std::int64_t const total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  c.expect(c.dims(data)[0] == total, data, "have ", total, " rows, as the lengths add up to");
}

inline std::int64_t read_max_length(op_arguments const& a) {
  std::int64_t const most = a.integer("max_length");
  if (most < -1) a.fail("max_length", "must not be negative");
  return most;
}

}  // namespace detail

/// PackSegments: pads concatenated sequences (inputs lengths, rows) to sequences × steps.
template <backend B>
class pack_segments_kernel : public row_list_kernel<B> {
 public:
  explicit pack_segments_kernel(op_arguments const& a)
      : most_(detail::read_max_length(a)),
        below_(a.flag("pad_minf")),
        masked_(a.flag("return_presence_mask") && a.output_count() == 2) {
    if (a.output_count() == 2 && !a.flag("return_presence_mask"))
      a.fail("return_presence_mask", "is needed for a second output");
  }

  void infer(shape_context& c) override {
    if (below_) c.expect_type<float, double>(1);
    std::vector<std::int64_t>& lengths = this->lengths_;
    detail::read_lengths(c, 0, lengths);
    std::int64_t steps = most_ >= 0 ? most_ : detail::longest(lengths);
    if (c.input_count() == 3) {
      c.expect_rank(2, 2);
      steps = c.dims(2)[1];
      if (most_ >= 0) c.expect(steps == most_, 2, "have ", most_, " steps, as 'max_length' says");
      for (std::int64_t& length : lengths) length = std::min(length, steps);
    }
    detail::expect_total(c, lengths, 1);
    shape made = c.dims(1);
    made.set(0, steps);
    made.insert(0, static_cast<std::int64_t>(lengths.size()));
    c.output(0, c.type(1), made);
    if (masked_) c.output(1, element_type::boolean, {made[0], steps});
    filler_ = !below_ ? 0
              : c.type(1) == element_type::float32
                  ? std::bit_cast<std::uint32_t>(-std::numeric_limits<float>::infinity())
                  : std::bit_cast<std::uint64_t>(-std::numeric_limits<double>::infinity());
    this->rows_.clear();
    this->rows_.reserve(static_cast<std::size_t>(made.size_to(2)));
    std::int64_t row = 0;
    for (std::int64_t const length : lengths) {
      for (std::int64_t step = 0; step != steps; ++step) this->rows_.push_back(step < length ? row + step : -1);
      row += length;
    }
    if (masked_) {
      mask_.assign(this->rows_.size(), 0);
      std::ranges::transform(this->rows_, mask_.begin(), [](std::int64_t from) -> std::uint8_t { return from >= 0; });
    }
    this->listed(c, 1, static_cast<std::size_t>(c.dims(1).size_from(1)));
  }
  void run(op_context<B>& c) override {
    this->move(c, filler_);
    if (masked_) B::copy_from_host(c.raw_output(1), mask_.data(), mask_.size());
  }

 private:
  std::int64_t most_;
  bool below_;
  bool masked_;
  std::uint64_t filler_ = 0;
  std::vector<std::uint8_t> mask_;
};

/// UnpackSegments: concatenates padded sequences (inputs lengths, sequences × steps).
template <backend B>
class unpack_segments_kernel : public row_list_kernel<B> {
 public:
  explicit unpack_segments_kernel(op_arguments const& a) : most_(detail::read_max_length(a)) {}

  void infer(shape_context& c) override {
    std::vector<std::int64_t> const& lengths = detail::read_lengths(c, 0, this->lengths_);
    c.expect_rank(1, 2);
    c.expect(c.dims(1)[0] == c.dims(0)[0], 1, "have ", c.dims(0)[0], " sequences");
    std::int64_t const steps = c.dims(1)[1];
    bool const cut = c.input_count() == 3;
    if (most_ >= 0) c.expect(steps == most_, 1, "have ", most_, " steps, as 'max_length' says");
    if (cut) detail::expect_total(c, lengths, 2);
    this->rows_.clear();
    std::int64_t first = 0;
    for (std::int64_t const length : lengths) {
      if (length > steps && most_ < 0 && !cut)
        c.expect(false, 1, "have steps enough for a sequence of length ", length);
      for (std::int64_t step = 0; step != std::min(length, steps); ++step) this->rows_.push_back(first + step);
      if (cut)
        this->rows_.resize(this->rows_.size() + static_cast<std::size_t>(std::max<std::int64_t>(length - steps, 0)),
                           -1);
      first += steps;
    }
    shape made = c.dims(1);
    made.erase(0);
    made.set(0, static_cast<std::int64_t>(this->rows_.size()));
    c.output(0, c.type(1), made);
    this->listed(c, 1, static_cast<std::size_t>(made.size_from(1)));
  }

 private:
  std::int64_t most_;
};

/// PackRNNSequence: pads concatenated sequences (inputs rows, lengths) to steps × sequences.
template <backend B>
class pack_rnn_sequence_kernel : public row_list_kernel<B> {
 public:
  explicit pack_rnn_sequence_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    std::vector<std::int64_t> const& lengths = detail::read_lengths(c, 1, this->lengths_);
    detail::expect_total(c, lengths, 0);
    std::int64_t steps = detail::longest(lengths);
    if (c.input_count() == 3) {
      c.expect_rank(2, 1);
      c.expect(c.dims(2)[0] >= steps, 2, "have steps enough for a sequence of length ", steps);
      steps = c.dims(2)[0];
    }
    shape made = c.dims(0);
    made.set(0, static_cast<std::int64_t>(lengths.size()));
    made.insert(0, steps);
    c.output(0, c.type(0), made);
    std::size_t const batch = lengths.size();
    this->rows_.assign(static_cast<std::size_t>(steps) * batch, -1);
    std::int64_t row = 0;
    for (std::size_t b = 0; b != batch; ++b)
      for (std::size_t step = 0; step != static_cast<std::size_t>(lengths[b]); ++step)
        this->rows_[step * batch + b] = row++;
    this->listed(c, 0, static_cast<std::size_t>(c.dims(0).size_from(1)));
  }
};

/// UnpackRNNSequence: concatenates padded sequences (inputs steps × sequences, lengths).
template <backend B>
class unpack_rnn_sequence_kernel : public row_list_kernel<B> {
 public:
  explicit unpack_rnn_sequence_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    std::vector<std::int64_t> const& lengths = detail::read_lengths(c, 1, this->lengths_);
    c.expect_rank(0, 2);
    auto const batch = static_cast<std::int64_t>(lengths.size());
    c.expect(c.dims(0)[1] == batch, 0, "have ", batch, " sequences");
    this->rows_.clear();
    for (std::int64_t b = 0; b != batch; ++b) {
      std::int64_t const length = lengths[static_cast<std::size_t>(b)];
      if (length > c.dims(0)[0]) c.expect(false, 0, "have steps enough for a sequence of length ", length);
      for (std::int64_t step = 0; step != length; ++step) this->rows_.push_back(step * batch + b);
    }
    shape made = c.dims(0);
    made.erase(0);
    made.set(0, static_cast<std::int64_t>(this->rows_.size()));
    c.output(0, c.type(0), made);
    this->listed(c, 0, static_cast<std::size_t>(made.size_from(1)));
  }
};

namespace detail {

/// Maps an output row to its source when sequences are reversed; padding stays in place.
template <class I>
struct reversed_step {
  I const* lengths;
  std::size_t batch;
  PLAIT_HOST_DEVICE std::int64_t operator()(std::size_t row) const {
    std::size_t const step = row / batch;
    std::size_t const sequence = row - step * batch;
    auto const length = static_cast<std::size_t>(lengths[sequence]);
    return static_cast<std::int64_t>(step < length ? (length - 1 - step) * batch + sequence : row);
  }
};

}  // namespace detail

template <backend B>
struct reverse_packed_segs_kernel : op_kernel<B> {
  explicit reverse_packed_segs_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.expect_rank(0, 2);
    c.expect_type<std::int32_t, std::int64_t>(1);
    c.expect(c.dims(1) == shape{c.dims(0)[1]}, 1, "list the lengths of ", c.dims(0)[1], " sequences");
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(1), [&]<class I>(I) {
      I const* const lengths = c.template input<I>(1);
      check_indices<B>(lengths, c.size(1), c.dims(0)[0] + 1);
      if (c.size(0) == 0) return;
      visit_word(c.type(0), [&]<class T>(T) {
        auto const batch = static_cast<std::size_t>(c.dims(0)[1]);
        move_rows<B>(static_cast<T*>(c.raw_output(0)), static_cast<T const*>(c.raw_input(0)),
                     static_cast<std::size_t>(c.dims(0)[0]) * batch, static_cast<std::size_t>(c.dims(0).size_from(2)),
                     detail::reversed_step<I>{lengths, batch});
      });
    });
  }
};

namespace detail::caffe2 {

/// Restriction of PackSegments.
inline shape_check pack_segments(op_arguments const& a) {
  if (a.flag("return_presence_mask") && a.output_count() < 2) shape_context::fail("there is no output for the mask");
  return inputs_up_to<2>(a);
}
/// Restriction of PackRNNSequence.
inline shape_check pack_rnn_sequence(op_arguments const& a) {
  inputs_up_to<2>(a);
  return least_rank_of_first<2>(a);
}

}  // namespace detail::caffe2

/// PackSegments, UnpackSegments, PackRNNSequence, UnpackRNNSequence, ReversePackedSegs: any element type.
template <backend B>
void add_packing_operators(operators<B>& table) {
  table.template add<pack_segments_kernel>(
      op_schema("PackSegments")
          .inputs(2, 3)
          .outputs(1, 2)
          .shape_from(0)
          .checks_first()
          .argument("max_length", std::int64_t{-1}, "how many steps, longer sequences being cut; -1: the longest")
          .argument("pad_minf", std::int64_t{0}, "pads with minus infinity instead of 0")
          .argument("return_presence_mask", std::int64_t{0}, "the second output says what is no padding")
          .in_caffe2(detail::caffe2::pack_segments)
          .ignored_in_caffe2("max_length")
          .no_doubles_in_caffe2()
          .describe(
              "Y (sequences×steps×…) = the sequences in X (rows×…), whose lengths the first input lists, padded, to "
              "the steps of a third input, if there is one, which are also the most that a length counts for"));
  table.template add<unpack_segments_kernel>(
      op_schema("UnpackSegments")
          .inputs(2, 3)
          .outputs(1)
          .shape_from(0)
          .checks_first()
          .argument("max_length", std::int64_t{-1}, "how many steps X has, longer sequences having been cut")
          .in_caffe2(detail::caffe2::inputs_up_to<2>)
          .ignored_in_caffe2("max_length")
          .no_doubles_in_caffe2()
          .describe(
              "Y (rows×…) = the sequences in X (sequences×steps×…), whose lengths the first input lists, in a row; "
              "with a third input, whose shape Y gets, zeros for what had been cut"));
  table.template add<pack_rnn_sequence_kernel>(
      op_schema("PackRNNSequence")
          .inputs(2, 3)
          .outputs(1)
          .shape_from(1)
          .checks_first()
          .in_caffe2(detail::caffe2::pack_rnn_sequence)
          .describe(
              "Y (steps×sequences×…) = the sequences in X (rows×…), whose lengths the second input lists, padded, to "
              "the steps of a third input, if there is one"));
  table.template add<unpack_rnn_sequence_kernel>(
      op_schema("UnpackRNNSequence")
          .inputs(2)
          .outputs(1)
          .shape_from(1)
          .checks_first()
          .in_caffe2(detail::caffe2::least_rank_of_first<3>)
          .describe("Y (rows×…) = the sequences in X (steps×sequences×…), whose lengths the second input lists"));
  table.template add<reverse_packed_segs_kernel>(
      op_schema("ReversePackedSegs")
          .inputs(2)
          .outputs(1)
          .checks_first()
          .in_caffe2(detail::caffe2::rank_of_first<3>)
          .describe(
              "Y = X (steps×sequences×…) with each sequence, whose lengths the second input lists, back to front"));
}

}  // namespace plait

PLAIT_KERNELS_END
