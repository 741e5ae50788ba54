// One-hot encoding of class labels: OneHot, MakeTwoClass.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class I>
struct one_hot_row {
  float* to;
  I const* labels;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    auto const label = static_cast<std::size_t>(labels[row]);
    float* const out = to + row * width;
    for (std::size_t i = first; i < last; ++i) out[i] = i == label ? 1.0f : 0.0f;
  }
};

template <class T>
struct two_class_element {
  T* to;
  T const* from;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    to[2 * i] = T(1) - from[i];
    to[2 * i + 1] = from[i];
  }
};

}  // namespace detail

template <backend B>
struct one_hot_kernel : op_kernel<B> {
  explicit one_hot_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.expect_type<std::int32_t, std::int64_t>(0);
    c.expect_rank(0, 1, 1);
    c.expect_type<std::int32_t, std::int64_t>(1);
    c.expect(c.dims(1).size() == 1, 1, "have one element, the number of classes");
    c.output(0, element_type::float32, {c.dims(0)[0], c.only_integer(1)});
  }
  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(0), [&]<class I>(I) {
      I const* const labels = c.template input<I>(0);
      shape const& made = c.output_spec(0).dims;
      check_indices<B>(labels, c.size(0), made[1]);
      auto const width = static_cast<std::size_t>(made[1]);
      for_each_row_part<B>(c.size(0), width, 1, detail::one_hot_row<I>{c.template output<float>(0), labels, width});
    });
  }
};

template <backend B>
struct make_two_class_kernel : op_kernel<B> {
  explicit make_two_class_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.expect_type<float, double>(0);
    shape made = c.dims(0);
    made.push_back(2);
    c.output(0, c.type(0), made);
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_index<B>(c.size(0), detail::two_class_element<T>{c.template output<T>(0), c.template input<T>(0)});
    });
  }
};

/// OneHot: int32 and int64; MakeTwoClass: float and double.
template <backend B>
void add_one_hot_operators(operators<B>& table) {
  table.template add<one_hot_kernel>(
      op_schema("OneHot").inputs(2).outputs(1).shape_from(1).rows_independent(1).checks_first().describe(
          "row i of Y, a float32, has 1 at index i of X, else 0; the second input says how many columns there are"));
  table.template add<make_two_class_kernel>(op_schema("MakeTwoClass")
                                                .inputs(1)
                                                .outputs(1)
                                                .rows_independent()
                                                .checks_first()
                                                .no_doubles_in_caffe2()
                                                .describe("Y (…×2) = 1 - X and X"));
}

}  // namespace plait

PLAIT_KERNELS_END
