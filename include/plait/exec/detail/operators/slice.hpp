// Slice and Tile: a range of an axis, and repetition along an axis.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <plait/exec/detail/kernels/move_rows.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/detail/shape_context.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Slice of a tensor along one axis: `outer` chunks of `width` elements, at distance `pitch` in the whole, the first at
/// `offset`.
///
/// Bounds of the first axes, or of all, are arguments or inputs of int32 or int64; inputs take precedence. Negative
/// bounds count from one past the end, so that an end of -1 is the extent; larger bounds are clamped to the extent. As
/// in Caffe2, only one axis can be sliced.
struct slice_place {
  /// Reads the arguments of an op that has `least` inputs besides the bounds.
  slice_place(op_arguments const& a, std::size_t least) : starts(a.integers("starts")), ends(a.integers("ends")) {
    if (a.input_count() == least + 1) shape_context::fail("there is an input of starts and none of ends");
    if (a.input_count() == least && (!a.has("starts") || !a.has("ends")))
      a.fail(a.has("starts") ? "ends" : "starts", "is missing");
  }

  /// Returns the shape of the slice of input 0; bounds are inputs 1 and 2 if `listed`.
  shape infer(shape_context const& c, bool listed) {
    if (listed) {
      for (std::size_t const i : {1U, 2U}) {
        c.expect_type<std::int32_t, std::int64_t>(i);
        c.expect_rank(i, 1, 1);
      }
      c.integers(1, starts);
      c.integers(2, ends);
    }
    if (starts.size() != ends.size() || starts.size() > c.dims(0).rank())
      c.fail(std::to_string(starts.size()) + " starts and " + std::to_string(ends.size()) + " ends are given for " +
             to_string(c.input(0)));
    shape part = c.dims(0);
    std::size_t cut = part.rank();
    std::int64_t first = 0;
    for (std::size_t axis = 0; axis != starts.size(); ++axis) {
      std::int64_t const extent = c.dims(0)[axis];
      auto const bound = [&](std::int64_t at) { return std::min(at < 0 ? at + extent + 1 : at, extent); };
      std::int64_t const start = extent == 0 ? 0 : bound(starts[axis]);
      std::int64_t const end = extent == 0 ? 0 : bound(ends[axis]);
      if (start < 0 || end < start)
        c.fail("input 0 is " + to_string(c.input(0)) + " and has no places from " + std::to_string(starts[axis]) +
               " to " + std::to_string(ends[axis]) + " in axis " + std::to_string(axis));
      if (start == 0 && end == extent) continue;
      if (cut != part.rank() && c.dims(0).size() != 0)
        c.fail("axes " + std::to_string(cut) + " and " + std::to_string(axis) + " are both sliced, which can be one");
      cut = axis;
      first = start;
      part.set(axis, end - start);
    }
    bool const whole = cut == part.rank();
    outer = whole ? 1 : static_cast<std::size_t>(part.size_to(cut));
    width = static_cast<std::size_t>(whole ? part.size() : part.size_from(cut));
    pitch = static_cast<std::size_t>(whole ? part.size() : c.dims(0).size_from(cut));
    offset = static_cast<std::size_t>(whole ? 0 : first * part.size_from(cut + 1));
    return part;
  }

  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  std::size_t outer = 1;
  std::size_t width = 0;
  std::size_t pitch = 0;
  std::size_t offset = 0;
};

}  // namespace detail

template <backend B>
struct slice_kernel : op_kernel<B> {
  explicit slice_kernel(op_arguments const& a) : place(a, 1) {}

  void infer(shape_context& c) override { c.output(0, c.type(0), place.infer(c, c.input_count() == 3)); }

  void run(op_context<B>& c) override {
    if (c.output_size(0) == 0) return;
    visit_word(c.type(0), [&]<class T>(T) {
      copy_pitched<B>(static_cast<T*>(c.raw_output(0)), place.width,
                      static_cast<T const*>(c.raw_input(0)) + place.offset, place.pitch, place.outer, place.width);
    });
  }

  detail::slice_place place;
};

namespace detail {
/// Maps an output row to its source: each source row is repeated `tiles` times before the next one.
struct repeated_row {
  std::size_t tiles;
  PLAIT_HOST_DEVICE std::int64_t operator()(std::size_t row) const { return static_cast<std::int64_t>(row / tiles); }
};
}  // namespace detail

/// Tile: the second and third input, integers of one element, replace the arguments.
template <backend B>
struct tile_kernel : op_kernel<B> {
  explicit tile_kernel(op_arguments const& a) : tiles(a.integer("tiles")), at(a.integer("axis")) {}

  void infer(shape_context& c) override {
    for (std::size_t i = 1; i != c.input_count(); ++i) (i == 1 ? tiles : at) = c.only_integer(i);
    if (tiles < 0) c.fail("it is to be tiled " + std::to_string(tiles) + " times");
    std::size_t const axis = c.axis(0, at);
    shape made = c.dims(0);
    if (tiles > 1 && made[axis] > std::numeric_limits<std::int64_t>::max() / tiles)
      c.fail(to_string(c.input(0)) + " has no place in memory " + std::to_string(tiles) + " times");
    made.set(axis, made[axis] * tiles);
    c.output(0, c.type(0), made);
    width = static_cast<std::size_t>(c.dims(0).size_from(axis));
    rows = made.size() == 0 ? 0 : static_cast<std::size_t>(c.dims(0).size_to(axis) * tiles);
  }

  void run(op_context<B>& c) override {
    if (c.output_size(0) == 0) return;
    visit_word(c.type(0), [&]<class T>(T) {
      move_rows<B>(static_cast<T*>(c.raw_output(0)), static_cast<T const*>(c.raw_input(0)), rows, width,
                   detail::repeated_row{static_cast<std::size_t>(tiles)});
    });
  }

  std::int64_t tiles;
  std::int64_t at;
  std::size_t width = 0;
  std::size_t rows = 0;
};

namespace detail::caffe2 {

/// Restriction of Tile.
inline shape_check tile(op_arguments const& a) {
  if (a.input_count() < 2 && !a.has("tiles")) a.fail("tiles", "is missing, and there is no second input");
  if (a.input_count() < 3 && !a.has("axis")) a.fail("axis", "is missing, and there is no third input");
  return [](shape_context const& c) {
    for (std::size_t i = 1; i < c.input_count(); ++i) c.expect(c.dims(i) == shape{1}, i, "have the shape 1");
  };
}

}  // namespace detail::caffe2

/// Slice, Tile: any element type.
template <backend B>
void add_slice_operators(operators<B>& table) {
  table.template add<slice_kernel>(
      op_schema("Slice")
          .inputs(1, 3)
          .outputs(1)
          .shape_from(1)
          .shape_from(2)
          .checks_first()
          .argument("starts", std::vector<std::int64_t>(), "the first place of each axis, unless an input says it")
          .argument("ends", std::vector<std::int64_t>(), "the place after the last of each axis; -1 is the extent")
          .describe("Y = the places of X from starts up to ends, of one axis"));
  table.template add<tile_kernel>(
      op_schema("Tile")
          .inputs(1, 3)
          .outputs(1)
          .shape_from(1)
          .shape_from(2)
          .checks_first()
          .argument("tiles", std::int64_t{1}, "how many times, unless the second input says it")
          .argument("axis", std::int64_t{0}, "the axis, unless the third input says it; from the end if negative")
          .in_caffe2(detail::caffe2::tile)
          .describe("Y = X several times, one after the other along an axis"));
}

}  // namespace plait

PLAIT_KERNELS_END
