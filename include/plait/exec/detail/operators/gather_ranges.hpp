// GatherRanges: concatenation of slices of a vector, by lists of their starts and lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/row_list_kernel.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Inputs: a vector, and ranges (examples×ranges×2), each a start and a length.
template <backend B>
class gather_ranges_kernel final : public row_list_kernel<B> {
 public:
  explicit gather_ranges_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.expect_rank(0, 1, 1);
    c.template expect_type<std::int32_t, std::int64_t>(1);
    c.expect_rank(1, 3, 3);
    c.expect(c.dims(1)[2] == 2, 1, "have a start and a length for each range");
    c.expect(c.dims(1)[1] > 0, 1, "have a range for each example at least");
    std::int64_t const size = c.dims(0)[0];
    auto const per_example = static_cast<std::size_t>(2 * c.dims(1)[1]);
    c.integers(1, ranges_);
    this->rows_.clear();
    counts_.clear();
    for (std::size_t i = 0; i != ranges_.size(); i += 2) {
      if (i % per_example == 0) counts_.push_back(0);
      std::int64_t const start = ranges_[i];
      std::int64_t const length = ranges_[i + 1];
      if (length == 0) continue;
      if (start < 0 || length < 0 || start > size || length > size - start)
        c.fail("the range of " + std::to_string(length) + " from " + std::to_string(start) + " on is not within " +
               std::to_string(size) + " elements");
      for (std::int64_t at = start; at != start + length; ++at) this->rows_.push_back(at);
      if (length > std::numeric_limits<std::int32_t>::max() - counts_.back())
        c.fail("the ranges of an example have more elements than an int32 can count");
      counts_.back() += static_cast<std::int32_t>(length);
    }
    c.output(0, c.type(0), {static_cast<std::int64_t>(this->rows_.size())});
    c.output(1, element_type::int32, {c.dims(1)[0]});
    this->listed(c, 0, 1);
  }
  void run(op_context<B>& c) override {
    this->move(c, 0);
    B::copy_from_host(c.raw_output(1), counts_.data(), c.output_spec(1).bytes());
  }

 private:
  std::vector<std::int64_t> ranges_;
  std::vector<std::int32_t> counts_;
};

/// Adds GatherRanges: any element type.
template <backend B>
void add_gather_ranges_operators(operators<B>& table) {
  table.template add<gather_ranges_kernel>(
      op_schema("GatherRanges")
          .inputs(2)
          .outputs(2)
          .shape_from(1)
          .checks_first()
          .describe("Y = the ranges of the vector X one after the other, and how many elements of each example, int32 "
                    "(inputs X, ranges: examples×ranges×2, each a start and a length)"));
}

}  // namespace plait
