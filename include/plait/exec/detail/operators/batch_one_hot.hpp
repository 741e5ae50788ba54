// BatchOneHot: one-hot encoding of each column of a matrix, by a dictionary of values for each column.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/segments.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct dictionary_row {
  T* to;
  T const* from;
  T const* values;
  std::int64_t const* offsets;  // of the dictionaries of columns
  std::size_t columns;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    std::size_t column = 0;
    for (std::size_t end = columns; column + 1 < end;) {
      std::size_t const middle = column + (end - column) / 2;
      if (static_cast<std::size_t>(offsets[middle]) <= first)
        column = middle;
      else
        end = middle;
    }
    T const* const in = from + row * columns;
    T* const out = to + row * width;
    for (std::size_t i = first; i < last; ++i) {
      while (static_cast<std::size_t>(offsets[column + 1]) <= i) ++column;
      out[i] = in[column] == values[i] ? T(1) : T(0);
    }
  }
};

}  // namespace detail

/// Inputs: a matrix, whose rows are all axes but the first, the sizes of the dictionaries of its columns, and the
/// dictionaries.
template <backend B>
class batch_one_hot_kernel final : public op_kernel<B> {
 public:
  explicit batch_one_hot_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.template expect_type<std::int32_t, std::int64_t>(0);
    c.expect_rank(0, 1);
    std::int64_t const columns = c.dims(0).size_from(1);
    c.template expect_type<std::int32_t, std::int64_t>(1);
    c.expect(c.dims(1) == shape{columns}, 1, "have a size for each of ", columns, " columns");
    c.expect_same_type(0, 2);
    c.expect_rank(2, 1, 1);
    c.output(0, c.type(0), {c.dims(0)[0], c.dims(2)[0]});
    c.scratch((static_cast<std::size_t>(columns) + 1) * sizeof(std::int64_t));
  }
  void run(op_context<B>& c) override {
    auto* const offsets = static_cast<std::int64_t*>(c.scratch());
    visit_type<std::int32_t, std::int64_t>(
        c.type(1), [&]<class I>(I) { segment_offsets<B>(offsets, c.template input<I>(1), c.size(1), c.dims(2)[0]); });
    auto const width = static_cast<std::size_t>(c.dims(2)[0]);
    visit_type<std::int32_t, std::int64_t>(c.type(0), [&]<class T>(T) {
      for_each_row_part<B>(static_cast<std::size_t>(c.dims(0)[0]), width, 1,
                           detail::dictionary_row<T>{c.template output<T>(0), c.template input<T>(0),
                                                     c.template input<T>(2), offsets, c.size(1), width});
    });
  }
};

/// Adds BatchOneHot: int32 and int64.
template <backend B>
void add_batch_one_hot_operators(operators<B>& table) {
  table.template add<batch_one_hot_kernel>(
      op_schema("BatchOneHot")
          .inputs(3)
          .outputs(1)
          .rows_independent(1)
          .checks_first()
          .describe("Y (rows×values), of X's type, has 1 where a value of the dictionary of a column of X is the "
                    "element of the row, else 0 (inputs X, sizes of the dictionaries, all their values)"));
}

}  // namespace plait

PLAIT_KERNELS_END
