// Gather: rows selected by int32 or int64 indices, whose range is checked before anything is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/move_rows.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Index map to the listed rows of each block of `bound` rows in turn; the list advances by `stride` per block.
/// Negative indices count from the end of a block.
template <class I>
struct listed_row_of_block {
  I const* list;
  std::size_t stride;
  std::size_t count;
  std::int64_t bound;
  PLAIT_HOST_DEVICE std::int64_t operator()(std::size_t row) const {
    std::size_t const block = row / count;
    auto const at = static_cast<std::int64_t>(list[block * stride + row - block * count]);
    return (static_cast<std::int64_t>(block) + (at < 0 ? 1 : 0)) * bound + at;
  }
};

/// Axis of input 0 whose places input 1 lists: one list for all places of the axes before it; or, matched, a list for
/// each of them, whose first axes are these axes.
struct gathered_axis {
  std::size_t blocks = 1;  ///< places of the axes before it
  std::int64_t bound = 0;
  std::size_t width = 0;  ///< elements of a place
  std::size_t count = 0;  ///< places listed for a block
  std::size_t stride = 0;
  shape gathered = {};

  gathered_axis() = default;
  gathered_axis(shape_context const& c, std::int64_t at, bool matched) {
    c.expect_type<std::int32_t, std::int64_t>(1);
    shape const& from = c.dims(0);
    shape const& list = c.dims(1);
    std::size_t const axis = c.axis(0, at);
    std::size_t const shared = matched ? axis : 0;
    c.expect_rank(1, shared);
    blocks = static_cast<std::size_t>(from.size_to(axis));
    bound = from[axis];
    width = static_cast<std::size_t>(from.size_from(axis + 1));
    count = static_cast<std::size_t>(list.size_from(shared));
    stride = matched ? count : 0;
    for (std::size_t before = 0; before != axis; ++before) gathered.push_back(from[before]);
    for (std::size_t before = 0; before != shared; ++before)
      c.expect(list[before] == from[before], 1, "have the extents of ", c.input(0), " before axis ", axis);
    for (std::size_t own = shared; own != list.rank(); ++own) gathered.push_back(list[own]);
    for (std::size_t after = axis + 1; after != from.rank(); ++after) gathered.push_back(from[after]);
  }
};

/// Y = places of an axis of input 0 that input 1 lists.
template <backend B>
struct gather_kernel : op_kernel<B> {
  explicit gather_kernel(op_arguments const& a) : gather_kernel(a, a.integer("axis")) {}
  gather_kernel(op_arguments const& a, std::int64_t along)
      : axis(along), matched(a.flag("match_outer")), wraps(a.flag("wrap_indices")) {}

  void infer(shape_context& c) override {
    at = gathered_axis(c, axis, matched);
    c.output(0, c.type(0), at.gathered);
  }

  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(1), [&]<class I>(I) {
      I const* const list = c.template input<I>(1);
      check_indices<B>(list, c.size(1), at.bound, wraps ? -at.bound : 0);
      if (c.output_size(0) == 0) return;
      visit_word(c.type(0), [&]<class T>(T) {
        T* const to = static_cast<T*>(c.raw_output(0));
        T const* const from = static_cast<T const*>(c.raw_input(0));
        if (at.blocks == 1 && !wraps)
          move_rows<B>(to, from, at.count, at.width, listed_row<I>{list});
        else
          move_rows<B>(to, from, at.blocks * at.count, at.width,
                       listed_row_of_block<I>{list, at.stride, at.count, at.bound});
      });
    });
  }

  std::int64_t axis;
  bool matched;
  bool wraps;
  gathered_axis at;
};

template <backend B>
struct batch_gather_kernel final : gather_kernel<B> {
  explicit batch_gather_kernel(op_arguments const& a) : gather_kernel<B>(a, 1) {}
};

inline op_schema& describe_gather(op_schema& made) {
  return made
      .argument("match_outer", std::int64_t{0},
                "the indices' axes before the axis are X's: each place of these has a list of its own")
      .argument("wrap_indices", std::int64_t{0}, "negative indices count from the end")
      .ignored_in_caffe2("match_outer")
      .ignored_in_caffe2("wrap_indices");
}

}  // namespace detail

/// Adds Gather, BatchGather: any element type. Arguments are those of later versions of Caffe2, except that negative
/// indices need `wrap_indices`.
template <backend B>
void add_gather_operators(operators<B>& table) {
  auto gather = op_schema("Gather")
                    .inputs(2)
                    .outputs(1)
                    .checks_first()
                    .argument("axis", std::int64_t{0}, "of X; counted from the end if negative")
                    .ignored_in_caffe2("axis")
                    .describe(
                        "Y (X's axes before the axis × indices' axes × X's after it) = the places of the axis "
                        "that the second input lists");
  table.template add<detail::gather_kernel<B>>(detail::describe_gather(gather));
  auto batches = op_schema("BatchGather")
                     .inputs(2)
                     .outputs(1)
                     .checks_first()
                     .describe(
                         "Y (X's first axis × indices' axes × X's others) = the places of X's second axis that "
                         "the second input lists");
  table.template add<detail::batch_gather_kernel<B>>(detail::describe_gather(batches));
}

}  // namespace plait

PLAIT_KERNELS_END
