// ElementwiseLinear, IsNaN, ReplaceNaN, NanCheck, EnforceFinite and Where: affine scaling, checks and selection of
// elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/map.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/map_kernel.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace functions {

template <class T>
struct choose_element {
  plait::detail::vector_element<bool> const* condition;
  T const* a;
  T const* b;
  T* out;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    T const x = a[i];  // both loads are unconditional, so that the loop vectorises
    T const y = b[i];
    out[i] = condition[i] ? x : y;
  }
};

template <class T>
struct choose_row {
  plait::detail::vector_element<bool> const* condition;
  T const* a;
  T const* b;
  T* out;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T const* const from = (condition[row] ? a : b) + row * width;
    T* const to = out + row * width;
    for (std::size_t i = first; i < last; ++i) to[i] = from[i];
  }
};

template <class T>
struct scale_row {
  T const* x;
  T const* w;
  T const* b;
  T* out;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T const* const from = x + row * width;
    T const *const factor = w, *const offset = b;
    T* const to = out + row * width;
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) to[i] = from[i] * factor[i] + offset[i];
  }
};

template <class T>
struct is_nan {
  PLAIT_HOST_DEVICE constexpr std::uint8_t operator()(T x) const { return static_cast<std::uint8_t>(x != x); }
};

template <class T>
struct replace_nan {
  T value;
  explicit replace_nan(op_arguments const& a) : value(static_cast<T>(a.real("value"))) {}
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return x != x ? value : x; }
};

/// Returns true if an element is infinite or NaN.
template <class T>
struct is_not_finite {
  T const* x;
  PLAIT_HOST_DEVICE bool operator()(std::size_t i) const {
    return !(math::detail::magnitude(x[i]) <= std::numeric_limits<T>::max());
  }
};

}  // namespace functions

/// Where: a condition for each element, or with broadcast_on_rows for each index of the first axis.
template <backend B>
class where_kernel : public op_kernel<B> {
 public:
  explicit where_kernel(op_arguments const& a) : rows_(a.flag("broadcast_on_rows")) {}
  void infer(shape_context& c) override {
    c.template expect_type<bool>(0);
    c.expect_same_type(1, 2);
    c.expect_same_dims(1, 2);
    if (rows_) {
      c.expect_rank(0, 1, 1);
      c.expect_rank(1, 1);
      c.expect(c.dims(0)[0] == c.dims(1)[0], 0, "have an element for each row of input 1, ", c.dims(1));
    } else {
      c.expect_same_dims(0, 1);
    }
    c.output(0, c.type(1), c.dims(1));
  }
  void run(op_context<B>& c) override {
    // Only the size of an element matters.
    switch (size_of(c.type(1))) {
      case 1:
        return choose<std::uint8_t>(c);
      case 2:
        return choose<std::uint16_t>(c);
      case 4:
        return choose<std::uint32_t>(c);
      default:
        return choose<std::uint64_t>(c);
    }
  }

 private:
  template <class T>
  void choose(op_context<B>& c) const {
    auto const* const condition = static_cast<detail::vector_element<bool> const*>(c.raw_input(0));
    auto const* const a = static_cast<T const*>(c.raw_input(1));
    auto const* const b = static_cast<T const*>(c.raw_input(2));
    auto* const out = static_cast<T*>(c.raw_output(0));
    if (!rows_) return for_each_index<B>(c.size(1), functions::choose_element<T>{condition, a, b, out});
    std::size_t const rows = c.size(0);
    std::size_t const width = rows == 0 ? 0 : c.size(1) / rows;
    for_each_row_part<B>(rows, width, 1, functions::choose_row<T>{condition, a, b, out, width});
  }

  bool rows_;
};

namespace detail {

/// Returns the width of the rows of input x, which begin at an axis. Input w has an element for each column.
inline std::int64_t linear_width(shape_context const& c, std::size_t x, std::int64_t axis) {
  c.expect_type<float, double>(x);
  return c.dims(x).size_from(c.axis(x, axis, true));
}
inline void expect_linear_factors(shape_context const& c, std::size_t x, std::size_t w, std::int64_t width) {
  c.expect_same_type(x, w);
  c.expect_rank(w, 1, 1);
  c.expect(c.dims(w)[0] == width, w, "have ", width, " elements, as the rows of input ", x);
}

}  // namespace detail

/// ElementwiseLinear: X as a matrix, each row multiplied by w, element-wise, and added to b.
template <backend B>
class elementwise_linear_kernel : public op_kernel<B> {
 public:
  explicit elementwise_linear_kernel(op_arguments const& a) : axis_(a.integer("axis")) {}
  void infer(shape_context& c) override {
    std::int64_t const width = detail::linear_width(c, 0, axis_);
    for (std::size_t i = 1; i != 3; ++i) detail::expect_linear_factors(c, 0, i, width);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      std::size_t const width = c.size(1);
      if (width == 0) return;
      for_each_row_part<B>(c.size(0) / width, width, 1,
                           functions::scale_row<T>{c.template input<T>(0), c.template input<T>(1),
                                                   c.template input<T>(2), c.template output<T>(0), width});
    });
  }

 private:
  std::int64_t axis_;
};

/// NanCheck and EnforceFinite: throws unless all elements of the first input are finite; outputs it, if there is an
/// output.
template <backend B>
class nan_check_kernel : public op_kernel<B> {
 public:
  explicit nan_check_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    name_ = c.input_name(0);
    if (c.output_count() != 0) c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      std::size_t const found = find_index<B>(c.size(0), functions::is_not_finite<T>{c.template input<T>(0)});
      if (found != c.size(0))
        c.fail("element " + std::to_string(found) + " of input 0 '" + name_ + "' is infinite or no number");
    });
    if (c.output_count() != 0 && c.raw_output(0) != c.raw_input(0))
      B::copy(c.raw_output(0), c.raw_input(0), c.output_spec(0).bytes());
  }

 private:
  std::string name_;
};

/// Where, ElementwiseLinear, IsNaN, ReplaceNaN, NanCheck, EnforceFinite.
template <backend B>
void add_selection_operators(operators<B>& table) {
  table.template add<where_kernel>(
      op_schema("Where")
          .inputs(3)
          .outputs(1)
          .in_place(1, 0)
          .in_place(2, 0)
          .rows_independent()
          .checks_first()
          .argument("broadcast_on_rows", std::int64_t{0}, "1: an element of C for each place of A's first axis")
          .describe("Y = A where C, else B"));
  table.template add<elementwise_linear_kernel>(op_schema("ElementwiseLinear")
                                                    .inputs(3)
                                                    .outputs(1)
                                                    .in_place(0, 0)
                                                    .rows_independent(&rows_before_axis)
                                                    .checks_first()
                                                    .argument("axis", std::int64_t{1}, "the first axis of a row of X")
                                                    .no_doubles_in_caffe2()
                                                    .describe("Y = X w + b, w and b for each place of a row of X"));
  table.template add<map_kernel<B, functions::is_nan, float, double>>(
      op_schema("IsNaN").inputs(1).outputs(1).rows_independent().checks_first().without_caffe2_schema().describe(
          "Y = 1 where X is NaN, else 0"));
  table.template add<map_kernel<B, functions::replace_nan, float, double>>(
      map_schema("ReplaceNaN")
          .argument("value", 0.0f, "what replaces NaN")
          .describe("Y = value where X is NaN, else X"));
  table.template add<nan_check_kernel>(op_schema("EnforceFinite")
                                           .inputs(1)
                                           .outputs(0, 1)
                                           .in_place(0, 0)
                                           .side_effects()
                                           .checks_first()
                                           .in_caffe2(detail::caffe2::outputs<0>)
                                           .describe("X must be finite[; Y = X]"));
  table.template add<nan_check_kernel>(op_schema("NanCheck")
                                           .inputs(1, npos)
                                           .outputs(1)
                                           .in_place(0, 0)
                                           .side_effects()
                                           .checks_first()
                                           .no_doubles_in_caffe2()
                                           .describe("Y = X, which must be finite"));
}

}  // namespace plait

PLAIT_KERNELS_END
