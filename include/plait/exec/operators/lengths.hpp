// Ops on lists of lengths: how rows fall into segments that follow each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <plait/exec/kernels/index_checks.hpp>
#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/op_schema.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/operators/packing.hpp>
#include <plait/exec/shape.hpp>

namespace plait {

/// Number and length of segments that are all as long; none of no length if there are none.
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

/// A list of integers that lengths make: infer makes it, of the lengths' type.
template <backend B>
class integer_list_kernel : public op_kernel<B> {
 public:
  void infer(shape_context& c) final {
    std::vector<std::int64_t> const lengths = read_lengths(c, 0);
    std::int64_t total = 0;
    for (std::int64_t const length : lengths) total += length;
    shape const dims = {total};
    wide_.clear();
    narrow_.clear();
    if (c.type(0) == element_type::int64)
      fill(lengths, wide_, static_cast<std::size_t>(total));
    else
      fill(lengths, narrow_, static_cast<std::size_t>(total));
    c.output(0, c.type(0), dims);
  }
  void run(op_context<B>& c) final {
    void const* const from = c.type(0) == element_type::int64 ? static_cast<void const*>(wide_.data()) : narrow_.data();
    B::copy_from_host(c.raw_output(0), from, c.output_spec(0).bytes());
  }

 protected:
  /// The element of a place in a segment.
  virtual std::int64_t element_at(std::int64_t segment, std::int64_t place) const = 0;

 private:
  template <class I>
  void fill(std::vector<std::int64_t> const& lengths, std::vector<I>& list, std::size_t total) const {
    list.reserve(total);
    for (std::size_t segment = 0; segment != lengths.size(); ++segment)
      for (std::int64_t place = 0; place != lengths[segment]; ++place)
        list.push_back(static_cast<I>(element_at(static_cast<std::int64_t>(segment), place)));
  }

  std::vector<std::int64_t> wide_;
  std::vector<std::int32_t> narrow_;
};

}  // namespace detail

template <backend B>
struct lengths_to_segment_ids_kernel : detail::integer_list_kernel<B> {
  explicit lengths_to_segment_ids_kernel(op_arguments const&) {}
  std::int64_t element_at(std::int64_t segment, std::int64_t) const override { return segment; }
};

template <backend B>
struct lengths_range_fill_kernel : detail::integer_list_kernel<B> {
  explicit lengths_range_fill_kernel(op_arguments const&) {}
  std::int64_t element_at(std::int64_t, std::int64_t place) const override { return place; }
};

template <backend B>
class lengths_tile_kernel : public row_list_kernel<B> {
 public:
  explicit lengths_tile_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    std::vector<std::int64_t> const lengths = detail::read_lengths(c, 1);
    c.expect_rank(0, 1);
    c.expect(c.dims(0)[0] == c.dims(1)[0], 0, "have " + std::to_string(c.dims(1)[0]) + " rows, one for each length");
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

/// Inputs: rows, the lengths of their segments, and which segments to take.
template <backend B>
class lengths_gather_kernel : public row_list_kernel<B> {
 public:
  explicit lengths_gather_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    std::vector<std::int64_t> const lengths = detail::read_lengths(c, 1);
    detail::expect_total(c, lengths, 0);
    c.expect_type<std::int32_t, std::int64_t>(2);
    std::vector<std::int64_t> first(1, 0);
    for (std::int64_t const length : lengths) first.push_back(first.back() + length);
    this->rows_.clear();
    for (std::int64_t const segment : c.integers(2)) {
      if (segment < 0 || segment >= static_cast<std::int64_t>(lengths.size()))
        c.fail("there is no segment " + std::to_string(segment) + " among " + std::to_string(lengths.size()));
      auto const at = static_cast<std::size_t>(segment);
      for (std::int64_t row = first[at]; row != first[at + 1]; ++row) this->rows_.push_back(row);
    }
    shape made = c.dims(0);
    made.set(0, static_cast<std::int64_t>(this->rows_.size()));
    c.output(0, c.type(0), made);
    this->listed(c, 0, static_cast<std::size_t>(made.size_from(1)));
  }
};

/// LengthsToShape, LengthsToSegmentIds, LengthsRangeFill: int32 and int64; LengthsTile, LengthsGather: any element
/// type.
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
          .describe("Y = the segments of X, whose lengths the second input lists, that the third input chooses"));
}

}  // namespace plait
