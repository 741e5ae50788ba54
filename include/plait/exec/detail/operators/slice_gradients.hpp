// Gradients of Slice and Tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/exec/detail/kernels/move_rows.hpp>
#include <plait/exec/detail/kernels/reduce_axes.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/slice.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Writes a chunk of a slice to its row of the whole, with zeros around it.
template <class T>
struct padded_run {
  T* to;
  T const* from;
  std::size_t pitch;
  std::size_t width;
  std::size_t offset;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T* const out = to + row * pitch;
    T const* const in = from + row * width;
    std::size_t const begin = clamped(offset, first, last);
    std::size_t const end = clamped(offset + width, begin, last);
    for (std::size_t i = first; i < begin; ++i) out[i] = T(0);
    std::size_t const shift = offset;
    PLAIT_INDEPENDENT
    for (std::size_t i = begin; i < end; ++i) out[i] = in[i - shift];
    for (std::size_t i = end; i < last; ++i) out[i] = T(0);
  }
  PLAIT_HOST_DEVICE static std::size_t clamped(std::size_t at, std::size_t least, std::size_t most) {
    return at < least ? least : at > most ? most : at;
  }
};

}  // namespace detail

/// SliceGradient: dX = dY in the slice, 0 elsewhere; inputs X, [starts, ends], dY.
template <backend B>
struct slice_gradient_kernel : op_kernel<B> {
  explicit slice_gradient_kernel(op_arguments const& a) : place(a, 2) {}

  void infer(shape_context& c) override {
    std::size_t const dy = c.input_count() - 1;
    shape const part = place.infer(c, c.input_count() == 4);
    c.expect_same_type(0, dy);
    c.expect(c.dims(dy) == part, dy, "be ", part, ", as the part is");
    c.output(0, c.type(0), c.dims(0));
  }

  void run(op_context<B>& c) override {
    if (c.output_size(0) == 0) return;
    visit_word(c.type(0), [&]<class T>(T) {
      for_each_row_part<B>(place.outer, place.pitch, 1,
                           detail::padded_run<T>{static_cast<T*>(c.raw_output(0)),
                                                 static_cast<T const*>(c.raw_input(c.input_count() - 1)), place.pitch,
                                                 place.width, place.offset});
    });
  }

  detail::slice_place place;
};

/// TileGradient: dX = the sum of the tiles of dY; inputs dY, [tiles, axis].
template <backend B>
struct tile_gradient_kernel : op_kernel<B> {
  explicit tile_gradient_kernel(op_arguments const& a) : tiles(a.integer("tiles")), at(a.integer("axis")) {}

  void infer(shape_context& c) override {
    element_type const type = c.expect_type<float, double>(0);
    for (std::size_t i = 1; i != c.input_count(); ++i) (i == 1 ? tiles : at) = c.only_integer(i);
    if (tiles < 1) c.fail("what was tiled " + std::to_string(tiles) + " times has no gradient");
    std::size_t const axis = c.axis(0, at);
    shape made = c.dims(0);
    c.expect(made[axis] % tiles == 0, 0, "be ", tiles, " tiles along axis ", axis);
    made.set(axis, made[axis] / tiles);
    c.output(0, type, made);
    axes = reduction_axes({made.size_to(axis), tiles, made.size_from(axis)}, {false, true, false}, size_of(type));
    c.scratch(axes.scratch() * size_of(type));
  }

  void run(op_context<B>& c) override {
    if (c.output_size(0) == 0) return;
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      reduce_axes<B, sum_reduction>(axes, c.template input<T>(0), as_it_is{}, c.template output<T>(0),
                                    static_cast<T*>(c.scratch()));
    });
  }

  std::int64_t tiles;
  std::int64_t at;
  reduction_axes axes;
};

/// SliceGradient: any element type; TileGradient: float and double.
template <backend B>
void add_slice_gradient_operators(operators<B>& table) {
  table.template add<slice_gradient_kernel>(
      op_schema("SliceGradient")
          .inputs(2, 4)
          .outputs(1)
          .shape_from(1)
          .shape_from(2)
          .shape_from_where([](op_arguments const& a) { return a.input_count() == 4; })
          .checks_first()
          .argument("starts", std::vector<std::int64_t>(), "the first place of each axis, unless an input says it")
          .argument("ends", std::vector<std::int64_t>(), "the place after the last of each axis; -1 is the extent")
          .describe("dX = dY at the places of X from starts up to ends, 0 elsewhere (inputs X, [starts, ends], dY)"));
  table.template add<tile_gradient_kernel>(
      op_schema("TileGradient")
          .inputs(1, 3)
          .outputs(1)
          .shape_from(1)
          .shape_from(2)
          .checks_first()
          .argument("tiles", std::int64_t{1}, "how many times, unless the second input says it")
          .argument("axis", std::int64_t{0}, "the axis, unless the third input says it; from the end if negative")
          .describe("dX = the sum of the tiles that dY is made of along the axis (inputs dY, [tiles, axis])"));
}

}  // namespace plait

PLAIT_KERNELS_END
