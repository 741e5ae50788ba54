// StridedSlice and its gradient: ranges of several axes, with steps of either sign.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/kernels/strided_copy.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/detail/shape_context.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/net/detail/slice_range.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Slice of several axes, as in ONNX: see slice_places. Bounds, axes and steps are inputs of int32 or int64, or else
/// arguments.
class strided_place {
 public:
  /// Reads the arguments of an op that has `least` inputs besides the bounds.
  strided_place(op_arguments const& a, std::size_t least)
      : starts_(a.integers("starts")),
        ends_(a.integers("ends")),
        axes_(a.integers("axes")),
        steps_(a.integers("steps")) {
    if (a.input_count() == least + 1) shape_context::fail("there is an input of starts and none of ends");
    if (a.input_count() == least && (!a.has("starts") || !a.has("ends")))
      a.fail(a.has("starts") ? "ends" : "starts", "is missing");
  }

  /// Returns the shape of the slice of input `x`; bounds, axes and steps are the inputs from `first` on.
  shape infer(shape_context const& c, std::size_t x, std::size_t first) {
    std::vector<std::int64_t>* const lists[] = {&starts_, &ends_, &axes_, &steps_};
    for (std::size_t i = first; i < c.input_count(); ++i) {
      c.expect_type<std::int32_t, std::int64_t>(i);
      c.expect_rank(i, 1, 1);
      c.integers(i, *lists[i - first]);
    }
    shape part = c.dims(x);
    std::size_t const count = starts_.size();
    if (ends_.size() != count || (!axes_.empty() && axes_.size() != count) ||
        (!steps_.empty() && steps_.size() != count) || count > part.rank())
      c.fail(std::to_string(count) + " starts, " + std::to_string(ends_.size()) + " ends, " +
             std::to_string(axes_.size()) + " axes and " + std::to_string(steps_.size()) + " steps are given for " +
             to_string(c.input(x)));
    distance = row_major(part);
    offset = 0;
    std::array<bool, shape::max_rank> seen = {};
    for (std::size_t k = 0; k != count; ++k) {
      std::size_t const axis = axes_.empty() ? k : c.axis(x, axes_[k]);
      if (seen[axis]) c.fail("axis " + std::to_string(axis) + " is sliced twice");
      seen[axis] = true;
      std::int64_t const step = steps_.empty() ? 1 : steps_[k];
      if (step == 0) c.fail("the step of axis " + std::to_string(axis) + " is 0");
      slice_range const range = slice_places(starts_[k], ends_[k], step, part[axis]);
      part.set(axis, range.count);
      if (range.count != 0) offset += range.first * distance[axis];
      if (range.count > 1) distance[axis] *= step;  // else the step may exceed all extents
    }
    return part;
  }

  strides distance = {};    ///< between neighbours of the slice, in elements of the whole
  std::int64_t offset = 0;  ///< of its first element

 private:
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> ends_;
  std::vector<std::int64_t> axes_;
  std::vector<std::int64_t> steps_;
};

}  // namespace detail

/// StridedSlice: inputs X, [starts, ends], [axes], [steps].
template <backend B>
class strided_slice_kernel final : public op_kernel<B> {
 public:
  explicit strided_slice_kernel(op_arguments const& a) : place_(a, 1) {}
  void infer(shape_context& c) override { c.output(0, c.type(0), place_.infer(c, 0, 1)); }
  void run(op_context<B>& c) override {
    if (c.output_size(0) == 0) return;
    visit_word(c.type(0), [&]<class T>(T) {
      copy_strided<B>(static_cast<T*>(c.raw_output(0)), static_cast<T const*>(c.raw_input(0)) + place_.offset,
                      c.output_spec(0).dims, place_.distance);
    });
  }

 private:
  detail::strided_place place_;
};

/// StridedSliceGradient: dX = dY in the slice, 0 elsewhere; inputs dY, X, and the others of StridedSlice.
template <backend B>
class strided_slice_gradient_kernel final : public op_kernel<B> {
 public:
  explicit strided_slice_gradient_kernel(op_arguments const& a) : place_(a, 2) {}
  void infer(shape_context& c) override {
    c.expect_type<float, double>(0);
    c.expect_same_type(0, 1);
    shape const part = place_.infer(c, 1, 2);
    c.expect(c.dims(0) == part, 0, "be ", part, ", as the slice is");
    c.output(0, c.type(1), c.dims(1));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      fill<B>(c.template output<T>(0), c.output_size(0), T(0));
      copy_to_strided<B>(c.template output<T>(0) + place_.offset, place_.distance, c.template input<T>(0), c.dims(0));
    });
  }

 private:
  detail::strided_place place_;
};

/// StridedSlice: any element type; StridedSliceGradient: float and double.
template <backend B>
void add_strided_slice_operators(operators<B>& table) {
  auto const schema = [](std::string_view type, std::size_t least) {
    op_schema made(type);
    made.inputs(least, least + 4)
        .outputs(1)
        .checks_first()
        .argument("starts", std::vector<std::int64_t>(), "the first place in each axis, unless an input lists them")
        .argument("ends", std::vector<std::int64_t>(), "the place after the last in each axis")
        .argument("axes", std::vector<std::int64_t>(), "the axes that are sliced; the first ones if empty")
        .argument("steps", std::vector<std::int64_t>(), "from one place to the next; 1 if empty")
        .without_caffe2_schema();
    for (std::size_t i = least; i != least + 4; ++i) made.shape_from(i);
    return made;
  };
  table.template add<strided_slice_kernel>(schema("StridedSlice", 1)
                                               .describe("Y = every step-th place of axes of X, from starts up to ends "
                                                         "(inputs X, [starts, ends], [axes], [steps])"));
  table.template add<strided_slice_gradient_kernel>(
      schema("StridedSliceGradient", 2).describe("dX of StridedSlice (inputs dY, X, and those of StridedSlice)"));
}

}  // namespace plait

PLAIT_KERNELS_END
