// FillExamplesWithIndicator: spreads rows over the places that flags select, with zeros elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/row_list_kernel.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Inverse of BooleanMask. Inputs: rows, and a flag for each row of Y, of bool, int32 or int64.
template <backend B>
class fill_examples_kernel final : public row_list_kernel<B> {
 public:
  explicit fill_examples_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.expect_rank(0, 1);
    c.template expect_type<bool, std::int32_t, std::int64_t>(1);
    c.expect_rank(1, 1, 1);
    this->rows_.clear();
    std::int64_t row = 0;
    auto const list = [&](bool selected) { this->rows_.push_back(selected ? row++ : -1); };
    if (c.type(1) == element_type::boolean)
      for (std::uint8_t const flag : c.flags(1, flags_)) list(flag != 0);
    else
      for (std::int64_t const flag : c.integers(1, integers_)) list(flag != 0);
    c.expect(c.dims(0)[0] == row, 0, "have ", row, " rows, one for each flag that is set");
    shape made = c.dims(0);
    made.set(0, c.dims(1)[0]);
    c.output(0, c.type(0), made);
    this->listed(c, 0, static_cast<std::size_t>(made.size_from(1)));
  }

 private:
  std::vector<std::uint8_t> flags_;
  std::vector<std::int64_t> integers_;
};

/// Adds FillExamplesWithIndicator: any element type.
template <backend B>
void add_fill_examples_operators(operators<B>& table) {
  table.template add<fill_examples_kernel>(
      op_schema("FillExamplesWithIndicator")
          .inputs(2)
          .outputs(1)
          .shape_from(1)
          .checks_first()
          .without_caffe2_schema()
          .describe("Y has the rows of X in order where the second input is not zero, and zeros elsewhere"));
}

}  // namespace plait
