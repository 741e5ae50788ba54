// Segment lengths: conversion to ids, ranges, offsets and weights of consecutive segments and back, tiling, gathering.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/pack_sequences.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/detail/shape_context.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Kernel of LengthsToShape: number and common length of segments, {0, 0} if there are none.
template <backend B>
struct lengths_to_shape_kernel : op_kernel<B> {
  explicit lengths_to_shape_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.expect_type<std::int32_t, std::int64_t>(0);
    c.expect_rank(0, 1, 1);
    c.output(0, c.type(0), {2});
  }
  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(0), [&]<class I>(I) {
      I const* const lengths = c.template input<I>(0);
      std::size_t const count = c.size(0);
      I made[2] = {static_cast<I>(count), 0};
      if (count != 0) B::copy_to_host(&made[1], lengths, sizeof(I));
      if (made[1] < 0) c.fail("length 0 is negative");
      std::size_t const other = find_index<B>(count, differs<I>{lengths, made[1]});
      if (other != count) c.fail("length " + std::to_string(other) + " is another than the first");
      B::copy_from_host(c.raw_output(0), made, sizeof(made));
    });
  }

  template <class I>
  struct differs {
    I const* list;
    I value;
    PLAIT_HOST_DEVICE bool operator()(std::size_t i) const { return list[i] != value; }
  };
};

namespace detail {

/// Base of ops that compute integers in infer, from those of input 0 and from shapes; of input 0's type, or int32.
template <backend B>
class integer_list_kernel : public op_kernel<B> {
 public:
  void infer(shape_context& c) final {
    made_.clear();
    shape const dims = make(c, made_);
    element_type const type = always_narrow() ? element_type::int32 : c.type(0);
    narrow_.clear();
    if (type == element_type::int32)
      for (std::int64_t const x : made_) {
        if (x != static_cast<std::int32_t>(x)) c.fail(std::to_string(x) + " does not fit an int32");
        narrow_.push_back(static_cast<std::int32_t>(x));
      }
    c.output(0, type, dims);
  }
  void run(op_context<B>& c) final {
    auto const& spec = c.output_spec(0);
    void const* const from = spec.type == element_type::int64 ? static_cast<void const*>(made_.data()) : narrow_.data();
    B::copy_from_host(c.raw_output(0), from, spec.bytes());
  }

 protected:
  /// Appends the integers and returns their shape.
  virtual shape make(shape_context& c, std::vector<std::int64_t>& list) = 0;
  virtual bool always_narrow() const { return false; }

  std::vector<std::int64_t> read_;  ///< for the integers that make reads

 private:
  std::vector<std::int64_t> made_;
  std::vector<std::int32_t> narrow_;
};

/// Reserves memory for the sum of the lengths: a length that is far too large fails before memory is full.
template <class List>
std::vector<std::int64_t> const& reserve_sum(shape_context& c, std::vector<std::int64_t> const& lengths, List& list) {
  auto const sum = static_cast<std::size_t>(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}));
  if (sum > list.max_size()) c.fail("the lengths add up to more than memory has");
  list.reserve(sum);
  return lengths;
}

inline shape vector_shape(std::vector<std::int64_t> const& list) { return {static_cast<std::int64_t>(list.size())}; }

/// Sets `sizes` to the number of rows of each segment, from the segment ids of rows in input 0, which must ascend and
/// are read into `list`. There are as many segments as input 1 has rows, or without it just enough.
inline void read_segment_sizes(shape_context& c, std::vector<std::int64_t>& list, std::vector<std::int64_t>& sizes) {
  c.expect_type<std::int32_t, std::int64_t>(0);
  c.expect_rank(0, 1, 2);
  c.expect(c.dims(0).rank() == 1 || c.dims(0)[0] == 1 || c.dims(0)[1] == 1, 0, "be a list");
  sizes.clear();
  if (c.input_count() == 2) {
    c.expect_rank(1, 1);
    sizes.assign(static_cast<std::size_t>(c.dims(1)[0]), 0);
  }
  std::int64_t const end = c.input_count() == 2 ? c.dims(1)[0] : std::numeric_limits<std::int32_t>::max();
  std::int64_t before = 0;
  for (std::int64_t const segment : c.integers(0, list)) {
    if (segment < before)
      c.fail("segment " + std::to_string(segment) + " follows segment " + std::to_string(before) +
             "; numbers of segments must ascend from 0 or above");
    if (segment >= end) c.fail("there is no segment " + std::to_string(segment) + " among " + std::to_string(end));
    if (static_cast<std::size_t>(segment) >= sizes.size()) sizes.resize(static_cast<std::size_t>(segment) + 1, 0);
    ++sizes[static_cast<std::size_t>(segment)];
    before = segment;
  }
}

}  // namespace detail

template <backend B>
struct lengths_to_segment_ids_kernel : detail::integer_list_kernel<B> {
  explicit lengths_to_segment_ids_kernel(op_arguments const&) {}
  shape make(shape_context& c, std::vector<std::int64_t>& list) override {
    std::int64_t segment = 0;
    for (std::int64_t const length : detail::reserve_sum(c, detail::read_lengths(c, 0, this->read_), list))
      list.insert(list.end(), static_cast<std::size_t>(length), segment++);
    return detail::vector_shape(list);
  }
};

/// LengthsToWeights: 1 / length^power for each row of a segment.
template <backend B>
class lengths_to_weights_kernel : public op_kernel<B> {
 public:
  explicit lengths_to_weights_kernel(op_arguments const& a) : power_(static_cast<double>(a.real("power"))) {}
  void infer(shape_context& c) override {
    weights_.clear();
    for (std::int64_t const length : detail::reserve_sum(c, detail::read_lengths(c, 0, lengths_), weights_))
      weights_.insert(weights_.end(), static_cast<std::size_t>(length),
                      static_cast<float>(1 / std::pow(static_cast<double>(length), power_)));
    c.output(0, element_type::float32, {static_cast<std::int64_t>(weights_.size())});
  }
  void run(op_context<B>& c) override { B::copy_from_host(c.raw_output(0), weights_.data(), c.output_spec(0).bytes()); }

 private:
  double power_;
  std::vector<std::int64_t> lengths_;
  std::vector<float> weights_;
};

template <backend B>
struct lengths_range_fill_kernel : detail::integer_list_kernel<B> {
  explicit lengths_range_fill_kernel(op_arguments const&) {}
  shape make(shape_context& c, std::vector<std::int64_t>& list) override {
    for (std::int64_t const length : detail::reserve_sum(c, detail::read_lengths(c, 0, this->read_), list))
      for (std::int64_t place = 0; place != length; ++place) list.push_back(place);
    return detail::vector_shape(list);
  }
};

template <backend B>
struct lengths_to_ranges_kernel : detail::integer_list_kernel<B> {
  explicit lengths_to_ranges_kernel(op_arguments const&) {}
  shape make(shape_context& c, std::vector<std::int64_t>& list) override {
    std::int64_t first = 0;
    for (std::int64_t const length : detail::read_lengths(c, 0, this->read_)) {
      list.insert(list.end(), {first, length});
      first += length;
    }
    return {c.dims(0)[0], 2};
  }
};

template <backend B>
struct lengths_to_offsets_kernel : detail::integer_list_kernel<B> {
  explicit lengths_to_offsets_kernel(op_arguments const& a) : with_end(a.flag("include_last_offset")) {}
  shape make(shape_context& c, std::vector<std::int64_t>& list) override {
    list.push_back(0);
    for (std::int64_t const length : detail::read_lengths(c, 0, this->read_)) list.push_back(list.back() + length);
    if (!with_end) list.pop_back();
    return detail::vector_shape(list);
  }
  bool with_end;
};

template <backend B>
struct segment_ids_to_lengths_kernel : detail::integer_list_kernel<B> {
  explicit segment_ids_to_lengths_kernel(op_arguments const&) {}
  bool always_narrow() const override { return true; }
  shape make(shape_context& c, std::vector<std::int64_t>& list) override {
    detail::read_segment_sizes(c, this->read_, list);
    return detail::vector_shape(list);
  }
};

/// Segments after the last non-empty one begin at 0, as in Caffe2.
template <backend B>
struct segment_ids_to_ranges_kernel : detail::integer_list_kernel<B> {
  explicit segment_ids_to_ranges_kernel(op_arguments const&) {}
  bool always_narrow() const override { return true; }
  shape make(shape_context& c, std::vector<std::int64_t>& list) override {
    detail::read_segment_sizes(c, this->read_, sizes);
    std::int64_t const rows = c.dims(0).size();
    std::int64_t first = 0;
    for (std::int64_t const size : sizes) {
      list.insert(list.end(), {first == rows ? 0 : first, size});
      first += size;
    }
    return {static_cast<std::int64_t>(sizes.size()), 2};
  }
  std::vector<std::int64_t> sizes;
};

template <backend B>
class lengths_tile_kernel : public row_list_kernel<B> {
 public:
  explicit lengths_tile_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    std::vector<std::int64_t> const& lengths = detail::read_lengths(c, 1, this->lengths_);
    c.expect_rank(0, 1);
    c.expect(c.dims(0)[0] == c.dims(1)[0], 0, "have ", c.dims(1)[0], " rows, one for each length");
    std::int64_t total = 0;
    for (std::int64_t const length : lengths) total += length;
    shape made = c.dims(0);
    made.set(0, total);
    this->rows_.clear();
    this->rows_.reserve(static_cast<std::size_t>(total));
    for (std::size_t row = 0; row != lengths.size(); ++row)
      this->rows_.insert(this->rows_.end(), static_cast<std::size_t>(lengths[row]), static_cast<std::int64_t>(row));
    c.output(0, c.type(0), made);
    this->listed(c, 0, static_cast<std::size_t>(made.size_from(1)));
  }
};

/// Kernel of LengthsGather. Inputs: rows, the lengths of their segments, the numbers of the segments to gather.
template <backend B>
class lengths_gather_kernel : public row_list_kernel<B> {
 public:
  explicit lengths_gather_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    std::vector<std::int64_t> const& lengths = detail::read_lengths(c, 1, this->lengths_);
    detail::expect_total(c, lengths, 0);
    c.expect_type<std::int32_t, std::int64_t>(2);
    first_.assign(1, 0);
    for (std::int64_t const length : lengths) first_.push_back(first_.back() + length);
    this->rows_.clear();
    for (std::int64_t const segment : c.integers(2, segments_)) {
      if (segment < 0 || segment >= static_cast<std::int64_t>(lengths.size()))
        c.fail("there is no segment " + std::to_string(segment) + " among " + std::to_string(lengths.size()));
      auto const at = static_cast<std::size_t>(segment);
      for (std::int64_t row = first_[at]; row != first_[at + 1]; ++row) this->rows_.push_back(row);
    }
    shape made = c.dims(0);
    made.set(0, static_cast<std::int64_t>(this->rows_.size()));
    c.output(0, c.type(0), made);
    this->listed(c, 0, static_cast<std::size_t>(made.size_from(1)));
  }

 private:
  std::vector<std::int64_t> first_;  // first rows of segments, and the end of the last
  std::vector<std::int64_t> segments_;
};

namespace detail::caffe2 {

/// Checks Caffe2's restriction of LengthsGather.
inline shape_check lengths_gather(op_arguments const&) {
  return [](shape_context const& c) { c.expect_rank(2, 1, 1); };
}

}  // namespace detail::caffe2

/// Adds LengthsToShape, LengthsToSegmentIds, LengthsToRanges, LengthsToOffsets, LengthsToWeights, LengthsRangeFill,
/// SegmentIdsToLengths, SegmentIdsToRanges: int32 and int64; LengthsTile, LengthsGather: any element type.
template <backend B>
void add_lengths_operators(operators<B>& table) {
  table.template add<lengths_to_shape_kernel>(
      op_schema("LengthsToShape")
          .inputs(1)
          .outputs(1)
          .checks_first()
          .describe("how many lengths there are and what they are, all being the same"));
  table.template add<lengths_to_segment_ids_kernel>(op_schema("LengthsToSegmentIds")
                                                        .inputs(1)
                                                        .outputs(1)
                                                        .shape_from(0)
                                                        .checks_first()
                                                        .describe("the numbers of segments, each length times: 2 0 1 "
                                                                  "becomes 0 0 2"));
  table.template add<lengths_to_weights_kernel>(
      op_schema("LengthsToWeights")
          .inputs(1)
          .outputs(1)
          .shape_from(0)
          .checks_first()
          .argument("power", 0.5f, "of the length")
          .describe("weights of the rows of segments, 1 / length^power, float32: with power 1, 2 0 4 becomes 0.5 0.5 "
                    "0.25 0.25 0.25 0.25"));
  table.template add<lengths_to_ranges_kernel>(
      op_schema("LengthsToRanges")
          .inputs(1)
          .outputs(1)
          .shape_from(0)
          .checks_first()
          .describe("where each segment begins and how long it is: 2 0 3 becomes (0 2) (2 0) (2 3)"));
  table.template add<lengths_to_offsets_kernel>(
      op_schema("LengthsToOffsets")
          .inputs(1)
          .outputs(1)
          .shape_from(0)
          .checks_first()
          .argument("include_last_offset", std::int64_t{0}, "1: where the last one ends, too")
          .without_caffe2_schema()
          .describe("where each segment begins: 2 0 3 becomes 0 2 2"));
  table.template add<segment_ids_to_lengths_kernel>(
      op_schema("SegmentIdsToLengths")
          .inputs(1, 2)
          .outputs(1)
          .shape_from(0)
          .checks_first()
          .describe("how long segments are, of rows whose segments' numbers ascend: 0 0 2 becomes 2 0 1; as many as "
                    "the second input has rows, or just enough; int32"));
  table.template add<segment_ids_to_ranges_kernel>(
      op_schema("SegmentIdsToRanges")
          .inputs(1, 2)
          .outputs(1)
          .shape_from(0)
          .checks_first()
          .in_caffe2(detail::caffe2::rank_of_first<1>)
          .describe("where segments begin and how long they are, of rows whose segments' numbers ascend: 0 0 2 becomes "
                    "(0 2) (2 0) (2 1); as many as the second input has rows, or just enough; int32"));
  table.template add<lengths_range_fill_kernel>(
      op_schema("LengthsRangeFill")
          .inputs(1)
          .outputs(1)
          .shape_from(0)
          .checks_first()
          .describe("the places in each segment, one after the other: 2 0 3 becomes 0 1 0 1 2"));
  table.template add<lengths_tile_kernel>(op_schema("LengthsTile")
                                              .inputs(2)
                                              .outputs(1)
                                              .shape_from(1)
                                              .checks_first()
                                              .describe("Y = row i of X as often as the second input says for i"));
  table.template add<lengths_gather_kernel>(
      op_schema("LengthsGather")
          .inputs(3)
          .outputs(1)
          .shape_from(1)
          .shape_from(2)
          .checks_first()
          .in_caffe2(detail::caffe2::lengths_gather)
          .describe("Y = the segments of X, whose lengths the second input lists, that the third input chooses"));
}

}  // namespace plait

PLAIT_KERNELS_END
