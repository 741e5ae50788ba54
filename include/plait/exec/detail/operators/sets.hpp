// Unique and BooleanMask: deduplication of elements, and selection of rows by flags.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/pack_sequences.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Unique: O(n + u log u) for u distinct elements, on the host for every backend, as u determines shapes.
template <backend B>
class unique_kernel : public op_kernel<B> {
 public:
  explicit unique_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.expect_type<std::int32_t, std::int64_t>(0);
    c.expect_rank(0, 1);
    c.integers(0, elements_);
    place_of_.clear();
    wide_.clear();
    for (std::int64_t const element : elements_)
      if (place_of_.try_emplace(element).second) wide_.push_back(element);
    std::ranges::sort(wide_);
    if (c.type(0) == element_type::int32) {
      narrow_.clear();
      for (std::int64_t const element : wide_) narrow_.push_back(static_cast<std::int32_t>(element));
    }
    c.output(0, c.type(0), {static_cast<std::int64_t>(wide_.size())});
    if (c.output_count() == 1) return;
    std::int32_t place = 0;
    for (std::int64_t const element : wide_) place_of_[element] = place++;
    places_.clear();
    for (std::int64_t const element : elements_) places_.push_back(place_of_.find(element)->second);
    c.output(1, element_type::int32, c.dims(0));
  }
  void run(op_context<B>& c) override {
    void const* const from = c.type(0) == element_type::int64 ? static_cast<void const*>(wide_.data()) : narrow_.data();
    B::copy_from_host(c.raw_output(0), from, c.output_spec(0).bytes());
    if (c.output_count() == 2) B::copy_from_host(c.raw_output(1), places_.data(), c.output_spec(1).bytes());
  }

 private:
  std::vector<std::int64_t> elements_;
  boost::unordered_flat_map<std::int64_t, std::int32_t> place_of_;  // of distinct elements, which are often few
  std::vector<std::int64_t> wide_;
  std::vector<std::int32_t> narrow_;
  std::vector<std::int32_t> places_;
};

template <backend B>
class boolean_mask_kernel : public row_list_kernel<B> {
 public:
  explicit boolean_mask_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.expect_rank(0, 1);
    c.expect_type<bool>(1);
    c.expect(c.dims(1) == shape{c.dims(0)[0]}, 1, "say of each of ", c.dims(0)[0], " rows whether it stays");
    this->rows_.clear();
    std::int64_t row = 0;
    for (std::uint8_t const stays : c.flags(1, flags_)) {
      if (stays != 0) this->rows_.push_back(row);
      ++row;
    }
    shape made = c.dims(0);
    made.set(0, static_cast<std::int64_t>(this->rows_.size()));
    c.output(0, c.type(0), made);
    if (c.output_count() == 2) c.output(1, element_type::int64, {made[0]});
    this->listed(c, 0, static_cast<std::size_t>(made.size_from(1)));
  }
  void run(op_context<B>& c) override {
    this->move(c, 0);
    if (c.output_count() == 2) B::copy_from_host(c.raw_output(1), this->rows_.data(), c.output_spec(1).bytes());
  }

 private:
  std::vector<std::uint8_t> flags_;
};

/// Unique: int32 and int64; BooleanMask: any element type.
template <backend B>
void add_set_operators(operators<B>& table) {
  table.template add<unique_kernel>(
      op_schema("Unique")
          .inputs(1)
          .outputs(1, 2)
          .shape_from(0)
          .checks_first()
          .in_caffe2(detail::caffe2::rank_of_first<1>)
          .describe(
              "the elements of a vector, ascending and each once; the second output has the place of each element "
              "in the first, int32"));
  table.template add<boolean_mask_kernel>(
      op_schema("BooleanMask")
          .inputs(2)
          .outputs(1, 2)
          .shape_from(1)
          .checks_first()
          .describe("the rows of X for which the second input is true; the second output has their numbers, int64"));
}

}  // namespace plait
