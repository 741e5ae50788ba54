// Reshaping ops: views if the output may alias the input, copies otherwise.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/upload_scalars.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/views.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {

/// Returns `wanted` with each 0 replaced by the extent of `from`, and one -1 by the remaining extent. If `from` is
/// empty but the result would not be, 0 stays 0. Throws shape_error unless it has as many elements as `from`.
inline shape reshaped(shape const& from, std::vector<std::int64_t> const& wanted) {
  std::size_t open = wanted.size();
  shape made;
  for (std::size_t axis = 0; axis != wanted.size(); ++axis) {
    std::int64_t extent = wanted[axis];
    if (extent == -1) {
      if (open != wanted.size()) shape_context::fail("a shape can have one -1 only");
      open = axis;
      extent = 1;
    } else if (extent == 0 && axis < from.rank()) {
      extent = from[axis];
    } else if (extent == 0 && from.size() != 0) {
      shape_context::fail("the shape has a 0 for axis " + std::to_string(axis) + ", which " + to_string(from) +
                          " does not have");
    } else if (extent < -1) {
      shape_context::fail("a shape cannot have " + std::to_string(extent));
    }
    made.push_back(extent);
  }
  if (open != wanted.size()) {
    if (made.size() == 0 || from.size() % made.size() != 0)
      shape_context::fail(std::to_string(from.size()) +
                          " elements leave no extent for the -1 of a shape whose others " + "multiply to " +
                          std::to_string(made.size()));
    made.set(open, from.size() / made.size());
  } else if (from.size() == 0 && made.size() != 0) {
    made = shape(wanted);
  }
  if (made.size() != from.size())
    shape_context::fail("the elements of " + to_string(from) + " do not make " + to_string(made));
  return made;
}

/// Axes that an argument lists, of a tensor that has them: the input of Squeeze, the output of ExpandDims.
class listed_axes {
 public:
  listed_axes() = default;
  listed_axes(op_arguments const& a, std::string_view name) : axes_(a.integers(name)) {
    std::ranges::sort(axes_);
    axes_.erase(std::ranges::unique(axes_).begin(), axes_.end());
    if (axes_.empty()) a.fail(name, "lists no axis");
  }
  bool empty() const noexcept { return axes_.empty(); }
  std::size_t size() const noexcept { return axes_.size(); }
  /// Returns the axes of a tensor of `rank` axes, ascending; negative ones count from the end. Throws shape_error for
  /// one that is out of range, or listed in both ways.
  std::vector<std::size_t> of(std::size_t rank) const {
    std::vector<std::size_t> made;
    for (std::int64_t const axis : axes_) {
      std::int64_t const at = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
      if (at < 0 || at >= static_cast<std::int64_t>(rank))
        shape_context::fail("axis " + std::to_string(axis) + " is out of range for " + std::to_string(rank) + " axes");
      made.push_back(static_cast<std::size_t>(at));
    }
    std::ranges::sort(made);
    if (std::ranges::adjacent_find(made) != made.end()) shape_context::fail("an axis is listed twice");
    return made;
  }

 private:
  std::vector<std::int64_t> axes_;
};

inline op_schema reshape_schema(std::string_view type) {
  return op_schema(type).inputs(1).outputs(1).views(0, 0).in_place(0, 0).checks_first();
}

}  // namespace detail

/// Reshape: the shape is an argument or the second input, int32 or int64; the second output is the old shape, of that
/// type (int64 for the argument).
template <backend B>
struct reshape_kernel : view_kernel<B> {
  explicit reshape_kernel(op_arguments const& a) {
    if (a.input_count() == 2) {
      if (a.has("shape")) a.fail("shape", "is given besides the input that says the shape");
    } else {
      if (!a.has("shape")) a.fail("shape", "is missing, and there is no second input");
      wanted = a.integers("shape");
    }
  }
  void infer(shape_context& c) override {
    auto before_type = element_type::int64;
    if (c.input_count() == 2) {
      before_type = c.expect_type<std::int32_t, std::int64_t>(1);
      c.expect_rank(1, 1, 1);
      c.integers(1, wanted);
    }
    c.output(0, c.type(0), detail::reshaped(c.dims(0), wanted));
    std::ranges::copy(c.dims(0), before.begin());
    std::ranges::copy(c.dims(0), narrow_before.begin());
    if (c.output_count() == 2) {
      if (before_type == element_type::int32)
        for (std::int64_t const extent : c.dims(0))
          if (extent != static_cast<std::int32_t>(extent))
            c.fail("an extent of " + std::to_string(extent) + " does not fit an int32");
      c.output(1, before_type, {static_cast<std::int64_t>(c.dims(0).rank())});
      c.elements_of_output(1, c.dims(0));
    }
  }
  void run(op_context<B>& c) override {
    view_kernel<B>::run(c);
    if (c.output_count() != 2) return;
    std::size_t const rank = c.output_size(1);
    if (c.output_spec(1).type == element_type::int64)
      upload_scalars<B>(c.template output<std::int64_t>(1), before.data(), rank);
    else
      upload_scalars<B>(c.template output<std::int32_t>(1), narrow_before.data(), rank);
  }

  std::vector<std::int64_t> wanted;
  std::array<std::int64_t, shape::max_rank> before = {};
  std::array<std::int32_t, shape::max_rank> narrow_before = {};
};

template <backend B>
struct resize_like_kernel : view_kernel<B> {
  explicit resize_like_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    if (c.dims(0).size() != c.dims(1).size()) c.fail(c.pair_text(0, 1) + ", of different numbers of elements");
    c.output(0, c.type(0), c.dims(1));
  }
};

template <backend B>
struct flatten_kernel : view_kernel<B> {
  explicit flatten_kernel(op_arguments const& a) : at(a.integer("axis")) {}
  void infer(shape_context& c) override {
    std::size_t const axis = c.axis(0, at, true);
    c.output(0, c.type(0), {c.dims(0).size_to(axis), c.dims(0).size_from(axis)});
  }
  std::int64_t at;
};

template <backend B>
struct flatten_to_vec_kernel : view_kernel<B> {
  explicit flatten_to_vec_kernel(op_arguments const&) {}
  void infer(shape_context& c) override { c.output(0, c.type(0), {c.dims(0).size()}); }
};

template <backend B>
struct expand_dims_kernel : view_kernel<B> {
  explicit expand_dims_kernel(op_arguments const& a) : axes(a, "dims") {}
  void infer(shape_context& c) override {
    shape made = c.dims(0);
    for (std::size_t const axis : axes.of(made.rank() + axes.size())) made.insert(axis, 1);
    c.output(0, c.type(0), made);
  }
  detail::listed_axes axes;
};

template <backend B>
struct squeeze_kernel : view_kernel<B> {
  explicit squeeze_kernel(op_arguments const& a) {
    if (a.has("dims")) axes = detail::listed_axes(a, "dims");
  }
  void infer(shape_context& c) override {
    shape made = c.dims(0);
    if (axes.empty()) {
      for (std::size_t axis = made.rank(); axis-- != 0;)
        if (made[axis] == 1) made.erase(axis);
    } else {
      for (std::size_t const axis : axes.of(made.rank()) | std::views::reverse) {
        c.expect(made[axis] == 1, 0, "have an extent of 1 in axis ", axis, " to lose it");
        made.erase(axis);
      }
    }
    c.output(0, c.type(0), made);
  }
  detail::listed_axes axes;
};

template <backend B>
struct merge_dim_kernel : view_kernel<B> {
  explicit merge_dim_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    c.expect_rank(0, 2);
    shape made = c.dims(0);
    made.erase(0);
    made.set(0, c.dims(0).size_to(2));
    c.output(0, c.type(0), made);
  }
};

template <backend B>
struct prepend_dim_kernel : view_kernel<B> {
  explicit prepend_dim_kernel(op_arguments const& a) : extent(a.integer("dim_size")) {
    if (extent <= 0) a.fail("dim_size", "must be above zero");
  }
  void infer(shape_context& c) override {
    c.expect_rank(0, 1, shape::max_rank - 1);
    c.expect(c.dims(0)[0] % extent == 0, 0, "have a first extent that ", extent, " divides");
    shape made = c.dims(0);
    made.set(0, made[0] / extent);
    made.insert(0, extent);
    c.output(0, c.type(0), made);
  }
  std::int64_t extent;
};

namespace detail::caffe2 {

/// Restriction of ExpandDims and Squeeze.
inline shape_check axes_from_front(op_arguments const& a) {
  if (!a.has("dims")) a.fail("dims", "is missing");
  for (std::int64_t const axis : a.integers("dims"))
    if (axis < 0) a.fail("dims", "has a negative axis");
  return {};
}

/// Restriction of Flatten.
inline shape_check flatten(op_arguments const& a) {
  if (a.integer("axis") < 0) a.fail("axis", "is " + std::to_string(a.integer("axis")) + ", below 0");
  return {};
}

}  // namespace detail::caffe2

/// Reshape, ResizeLike, Flatten, FlattenToVec, ExpandDims, Squeeze, MergeDim, PrependDim: any element type.
template <backend B>
void add_reshape_operators(operators<B>& table) {
  table.template add<reshape_kernel>(
      detail::reshape_schema("Reshape")
          .inputs(1, 2)
          .outputs(1, 2)
          .shape_from(1)
          .argument("shape", std::vector<std::int64_t>(),
                    "extents, unless they are the second input; 0 keeps X's, -1 is what is left")
          .in_caffe2(detail::caffe2::outputs<2>)
          .describe("Y = X in another shape; the second output is X's shape before"));
  table.template add<resize_like_kernel>(detail::reshape_schema("ResizeLike")
                                             .inputs(2)
                                             .describe("Y = X in the shape of the second input, of as many elements"));
  table.template add<flatten_kernel>(
      detail::reshape_schema("Flatten")
          .argument("axis", std::int64_t{1}, "the first axis of the columns")
          .in_caffe2(detail::caffe2::flatten)
          .describe("Y = X as a matrix: axes before `axis` become rows, others columns"));
  table.template add<flatten_to_vec_kernel>(detail::reshape_schema("FlattenToVec")
                                                .in_caffe2(detail::caffe2::least_rank_of_first<1>)
                                                .describe("Y = X as a vector of all its elements"));
  table.template add<expand_dims_kernel>(
      detail::reshape_schema("ExpandDims")
          .required_argument<std::vector<std::int64_t>>("dims", "axes of Y that are new, of extent 1")
          .in_caffe2(detail::caffe2::axes_from_front)
          .describe("Y = X with axes of extent 1 put in"));
  table.template add<squeeze_kernel>(detail::reshape_schema("Squeeze")
                                         .argument("dims", std::vector<std::int64_t>(),
                                                   "axes of X, of extent 1, that Y does not have; all if not given")
                                         .in_caffe2(detail::caffe2::axes_from_front)
                                         .describe("Y = X without axes of extent 1"));
  table.template add<merge_dim_kernel>(detail::reshape_schema("MergeDim").describe("Y (A·B×…) = X (A×B×…)"));
  table.template add<prepend_dim_kernel>(detail::reshape_schema("PrependDim")
                                             .required_argument<std::int64_t>("dim_size", "the new first extent")
                                             .describe("Y (dim_size×A/dim_size×…) = X (A×…)"));
}

}  // namespace plait
