// Rows chosen by lists of indices, int32 or int64. Indices that are out of range are found before anything is written.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/exec/kernels/index_checks.hpp>
#include <plait/exec/kernels/move_rows.hpp>
#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/op_schema.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/shape.hpp>

namespace plait {

namespace detail {

/// The rows of a list, from each block of `bound` rows in turn.
template <class I>
struct listed_row_of_block {
  I const* list;
  std::size_t count;
  std::size_t bound;
  PLAIT_HOST_DEVICE std::int64_t operator()(std::size_t row) const {
    std::size_t const block = row / count;
    return static_cast<std::int64_t>(block * bound) + static_cast<std::int64_t>(list[row - block * count]);
  }
};

/// The shape of places of an axis of input 0 that input 1 lists.
inline shape gathered_shape(shape_context const& c, std::size_t axis) {
  c.expect_rank(0, axis + 1);
  c.expect_type<std::int32_t, std::int64_t>(1);
  shape made;
  for (std::size_t before = 0; before != axis; ++before) made.push_back(c.dims(0)[before]);
  for (std::int64_t const extent : c.dims(1)) made.push_back(extent);
  for (std::size_t after = axis + 1; after != c.dims(0).rank(); ++after) made.push_back(c.dims(0)[after]);
  return made;
}

/// Y = places of axis `axis` of input 0 that input 1 lists.
template <backend B, std::size_t Axis>
struct gather_kernel : op_kernel<B> {
  explicit gather_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.output(0, c.type(0), gathered_shape(c, Axis));
    blocks = static_cast<std::size_t>(c.dims(0).size_to(Axis));
    bound = c.dims(0)[Axis];
    width = static_cast<std::size_t>(c.dims(0).size_from(Axis + 1));
  }

  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(1), [&]<class I>(I) {
      I const* const list = c.template input<I>(1);
      std::size_t const count = c.size(1);
      check_indices<B>(list, count, bound);
      if (c.output_size(0) == 0) return;
      visit_word(c.type(0), [&]<class T>(T) {
        T* const to = static_cast<T*>(c.raw_output(0));
        T const* const from = static_cast<T const*>(c.raw_input(0));
        if (blocks == 1)
          move_rows<B>(to, from, count, width, listed_row<I>{list});
        else
          move_rows<B>(to, from, blocks * count, width,
                       listed_row_of_block<I>{list, count, static_cast<std::size_t>(bound)});
      });
    });
  }

  std::size_t blocks = 1;
  std::int64_t bound = 0;
  std::size_t width = 0;
};

template <class B>
using gather_rows = gather_kernel<B, 0>;
template <class B>
using gather_columns = gather_kernel<B, 1>;

}  // namespace detail

/// Gather, BatchGather: any element type.
template <backend B>
void add_gather_operators(operators<B>& table) {
  table.template add<detail::gather_rows<B>>(op_schema("Gather").inputs(2).outputs(1).checks_first().describe(
      "Y (indices' axes × X's but the first) = the places of X's first axis that the second input lists"));
  table.template add<detail::gather_columns<B>>(
      op_schema("BatchGather")
          .inputs(2)
          .outputs(1)
          .rows_independent(1)
          .checks_first()
          .describe("Y (X's first axis × indices' axes × X's others) = the places of X's second axis that the second "
                    "input lists"));
}

}  // namespace plait
