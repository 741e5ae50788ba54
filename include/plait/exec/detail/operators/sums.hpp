// N-ary element-wise ops (Sum, Max, Min, Mean, WeightedSum), and SumReduceLike, the adjoint of broadcasting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/map.hpp>
#include <plait/exec/detail/kernels/reduce_axes.hpp>
#include <plait/exec/detail/kernels/weighted_sum.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>
#include <plait/exec/detail/operators/broadcast_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace functions {

/// Maximum of two numbers; NaN if either is NaN.
struct maximum {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return a < b || b != b ? b : a;
  }
};
struct minimum {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return b < a || b != b ? b : a;
  }
};

/// Folds a few elements and divides by a number, with the same bits as fold.
template <class F, class T>
struct folded {
  T divisor;
  template <class... Ts>
  PLAIT_HOST_DEVICE constexpr T operator()(T x, Ts... more) const {
    ((x = F()(x, more)), ...);
    return divisor == T(1) ? x : x / divisor;
  }
};

}  // namespace functions

/// Y = F(… F(X0, X1) …), divided by the number of inputs if Mean.
template <backend B, class F, bool Mean, element... Ts>
struct fold_kernel : op_kernel<B> {
  explicit fold_kernel(op_arguments const& a) : operands(a.input_count()) {}
  void infer(shape_context& c) override {
    c.template expect_type<Ts...>(0);
    for (std::size_t i = 1; i != c.input_count(); ++i) {
      c.expect_same_type(0, i);
      c.expect_same_dims(0, i);
    }
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<Ts...>(c.type(0), [&]<class T>(T) {
      operand<T> const of{&c, [](void const* context, std::size_t k) {
                            return static_cast<op_context<B> const*>(context)->raw_input(k);
                          }};
      fold<B, F>(operands, of, c.template output<T>(0), c.size(0), divisor<T>());
    });
  }
  void patterns(op_context<B> const& c, std::vector<op_pattern<B>>& to) const override {
    bool const is_sum = std::is_same_v<F, functions::add> && !Mean && c.input_count() == 2;
    function_of_elements<B> made;
    visit_type<Ts...>(c.type(0), [&]<class T>(T) {
      if constexpr (B::on_device) {
        if (operands == 1) made = device_function::of<B, T>(functions::folded<F, T>{divisor<T>()});
        if (operands == 2) made = device_function::of<B, T, T>(functions::folded<F, T>{divisor<T>()});
        if (operands == 3) made = device_function::of<B, T, T, T>(functions::folded<F, T>{divisor<T>()});
        if (operands == 4) made = device_function::of<B, T, T, T, T>(functions::folded<F, T>{divisor<T>()});
      } else {
        made = {&some<T>, this};
        if (operands == 2 && !Mean) made.template is<F, T>();
      }
    });
    add_elements(made, c.size(0) * c.input_count() / 2, to, is_sum);
  }

  // One type for both lists of operands, so that the loop is instantiated once.
  template <class T>
  struct operand {
    void const* list;
    void const* (*at)(void const* list, std::size_t k);
    T const* operator()(std::size_t k) const { return static_cast<T const*>(at(list, k)); }
  };
  template <class T>
  T divisor() const {
    return Mean ? static_cast<T>(operands) : T(1);
  }
  template <class T>
  static void some(void const* self, void* const* at, std::size_t count) {
    auto const& k = *static_cast<fold_kernel const*>(self);
    operand<T> const of{
        at, [](void const* list, std::size_t i) -> void const* { return static_cast<void* const*>(list)[i]; }};
    fold_some<F, T>(k.operands, of, static_cast<T*>(at[k.operands]), count, k.template divisor<T>());
  }

  std::size_t operands;
};

/// WeightedSum: pairs of a tensor and a weight.
template <backend B>
struct weighted_sum_kernel : op_kernel<B> {
  explicit weighted_sum_kernel(op_arguments const& a) {
    if (a.input_count() % 2 != 0) shape_context::fail("a tensor has no weight: inputs should come in pairs");
  }
  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    for (std::size_t i = 0; i != c.input_count(); ++i) {
      c.expect_same_type(0, i);
      if (i % 2 == 0)
        c.expect_same_dims(0, i);
      else
        c.expect(c.dims(i).size() == 1, i, "have one element, as a weight");
    }
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      weighted_sum<B>(c.input_count() / 2, operand<T>{&c}, c.template output<T>(0), c.size(0));
    });
  }

  template <class T>
  struct operand {
    op_context<B> const* context;
    T const* operator()(std::size_t k) const { return context->template input<T>(2 * k); }
    T const* weight(std::size_t k) const { return context->template input<T>(2 * k + 1); }
  };
};

/// SumReduceLike: sums A over the axes along which B would be broadcast.
template <backend B>
class sum_reduce_like_kernel : public op_kernel<B> {
 public:
  explicit sum_reduce_like_kernel(op_arguments const& a)
      : broadcast_(a, a.flag("broadcast") || a.integer("axis") != -1 || !a.text("axis_str").empty()) {}
  void infer(shape_context& c) override {
    c.template expect_type<float, double, std::int32_t, std::int64_t>(0);
    shape const& from = c.dims(0);
    shape right;
    if (c.dims(1).size() != 1) {
      auto const shapes = broadcast_.match(from, c.dims(1));
      c.expect(shapes.result == from, 0, "have a shape that ", c.dims(1), " is repeated to");
      right = shapes.right;
    }
    axes_ = reduction_axes(from, repeated_axes(from, right), size_of(c.type(0)));
    c.scratch(axes_.scratch() * size_of(c.type(0)));
    c.output(0, c.type(0), c.dims(1));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double, std::int32_t, std::int64_t>(c.type(0), [&]<class T>(T) {
      reduce_axes<B, sum_reduction>(axes_, c.template input<T>(0), as_it_is(), c.template output<T>(0),
                                    static_cast<T*>(c.scratch()));
    });
  }

 private:
  broadcast_arguments broadcast_;
  reduction_axes axes_;
};

namespace detail {

/// Returns the schema of an n-ary op on tensors of one shape, which may run in place of the first ones.
inline op_schema fold_schema(std::string_view type) {
  op_schema made = op_schema(type).inputs(1, npos).outputs(1).rows_independent().checks_first();
  for (std::size_t i = 0; i != fold_in_place; ++i) made.in_place(i, 0);
  return made;
}

}  // namespace detail

/// Replaces Sum in a table by Caffe2's, for float32 and int32 only.
template <backend B>
void add_caffe2_sum_operator(operators<B>& table) {
  table.template add<fold_kernel<B, functions::add, false, float, std::int32_t>>(
      detail::fold_schema("Sum").describe("Y = the sum of the inputs, of one shape; float32 or int32"));
}

/// Sum, Max, Min, Mean, WeightedSum, SumReduceLike.
template <backend B>
void add_sum_operators(operators<B>& table) {
  using std::int32_t;
  using std::int64_t;
  table.template add<fold_kernel<B, functions::add, false, float, double, int32_t, int64_t>>(
      detail::fold_schema("Sum").describe("Y = the sum of the inputs, of one shape"));
  table.template add<fold_kernel<B, functions::maximum, false, float, double, int32_t, int64_t>>(
      detail::fold_schema("Max").describe("Y = the greatest of the inputs' elements at each place"));
  table.template add<fold_kernel<B, functions::minimum, false, float, double, int32_t, int64_t>>(
      detail::fold_schema("Min").describe("Y = the least of the inputs' elements at each place"));
  table.template add<fold_kernel<B, functions::add, true, float, double>>(
      detail::fold_schema("Mean")
          .in_caffe2(detail::caffe2::type_of_first<float>)
          .describe("Y = the mean of the inputs, of one shape"));

  op_schema weighted = op_schema("WeightedSum").inputs(2, npos).outputs(1).checks_first().no_doubles_in_caffe2();
  for (std::size_t k = 0; k != weighted_sum_in_place; ++k) weighted.in_place(2 * k, 0);
  table.template add<weighted_sum_kernel>(weighted.describe("Y = X0 w0 + X1 w1 + …, each w of one element"));

  op_schema reduce = op_schema("SumReduceLike").inputs(2).outputs(1).checks_first();
  table.template add<sum_reduce_like_kernel>(
      broadcast_arguments::describe(reduce).describe("C = A summed to the shape of B, that could be repeated to A's"));
}

}  // namespace plait

PLAIT_KERNELS_END
