// Gradients of the n-ary ops Max, Min, Mean and WeightedSum. The gradient of Sum is dY itself, for each input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plait/exec/detail/kernels/map.hpp>
#include <plait/exec/detail/kernels/map_several.hpp>
#include <plait/exec/detail/kernels/reduce.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/sums.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace functions {

/// Returns dY if an operand is the maximum (minimum), for each if there are several, or is NaN; else 0.
template <class T>
struct chosen_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T y, T dy, T x) const {
    return static_cast<bool>((x == y) | (x != x)) ? dy : T(0);
  }
};

template <class T>
struct divide_by {
  T divisor;
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const { return x / divisor; }
};

template <class T>
struct times_weight {
  T const* weight;
  PLAIT_HOST_DEVICE T operator()(T x) const { return x * *weight; }
};

template <class T>
struct product_at {
  T const* a;
  T const* b;
  PLAIT_HOST_DEVICE T operator()(std::size_t, std::size_t i) const { return a[i] * b[i]; }
};

}  // namespace functions

namespace detail {

/// Calls run(k) for each output, last for the one that aliases dY.
template <backend B, class Run>
void for_each_gradient(op_context<B> const& c, std::size_t dy, Run const& run) {
  std::size_t const outputs = c.output_count();
  std::size_t last = 0;
  while (last != outputs && c.raw_output(last) != c.raw_input(dy)) ++last;
  for (std::size_t k = 0; k != outputs; ++k)
    if (k != last) run(k);
  if (last != outputs) run(last);
}

}  // namespace detail

/// MaxGradient, MinGradient.
template <backend B>
struct chosen_gradient_kernel : op_kernel<B> {
  explicit chosen_gradient_kernel(op_arguments const& a) {
    if (a.input_count() != a.output_count() + 2)
      shape_context::fail("there should be as many outputs as inputs after the second");
  }
  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    for (std::size_t i = 1; i != c.input_count(); ++i) {
      c.expect_same_type(0, i);
      c.expect_same_dims(0, i);
    }
    for (std::size_t k = 0; k != c.output_count(); ++k) c.output(k, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      detail::for_each_gradient(c, 1, [&](std::size_t k) {
        map_several<B, functions::chosen_gradient<T>, T, 3>(
            {c.template input<T>(0), c.template input<T>(1), c.template input<T>(k + 2)}, c.template output<T>(k),
            c.size(0));
      });
    });
  }
};

/// MeanGradient.
template <backend B>
struct mean_gradient_kernel : op_kernel<B> {
  explicit mean_gradient_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    for (std::size_t k = 0; k != c.output_count(); ++k) c.output(k, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      functions::divide_by<T> const share{static_cast<T>(c.output_count())};
      detail::for_each_gradient(
          c, 0, [&](std::size_t k) { map<B>(c.template input<T>(0), c.template output<T>(k), c.size(0), share); });
    });
  }
};

/// WeightedSumGradient: inputs dY and those of WeightedSum; outputs the gradients of the tensors and, with grad_on_w,
/// of the weights.
template <backend B>
class weighted_sum_gradient_kernel : public op_kernel<B> {
 public:
  explicit weighted_sum_gradient_kernel(op_arguments const& a) : pairs_(a.input_count() / 2) {
    if (a.input_count() % 2 == 0) shape_context::fail("a tensor has no weight: inputs after dY should come in pairs");
    std::size_t const outputs = a.flag("grad_on_w") ? 2 * pairs_ : pairs_;
    if (a.output_count() != outputs)
      shape_context::fail("there should be " + std::to_string(outputs) + " outputs, as many as gradients");
  }
  void infer(shape_context& c) override {
    element_type const type = c.template expect_type<float, double>(0);
    for (std::size_t i = 1; i != c.input_count(); ++i) {
      c.expect_same_type(0, i);
      if (i % 2 == 1)
        c.expect_same_dims(0, i);
      else
        c.expect(c.dims(i).size() == 1, i, "have one element, as a weight");
    }
    for (std::size_t k = 0; k != pairs_; ++k) c.output(k, type, c.dims(0));
    if (c.output_count() == pairs_) return;
    for (std::size_t k = 0; k != pairs_; ++k) c.output(pairs_ + k, type, c.dims(weight(k)));
    c.scratch(row_partials(1, static_cast<std::size_t>(c.dims(0).size())) * size_of(type));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const dy = c.template input<T>(0);
      for (std::size_t k = 0; k != pairs_; ++k)
        map<B>(dy, c.template output<T>(k), c.size(0), functions::times_weight<T>{c.template input<T>(weight(k))});
      for (std::size_t k = pairs_; k != c.output_count(); ++k)
        reduce_rows<B, sum_reduction>(1, c.size(0),
                                      functions::product_at<T>{dy, c.template input<T>(weight(k - pairs_) - 1)},
                                      c.template output<T>(k), static_cast<T*>(c.scratch()));
    });
  }

 private:
  static std::size_t weight(std::size_t k) { return 2 * k + 2; }

  std::size_t pairs_;
};

/// MaxGradient, MinGradient, MeanGradient, WeightedSumGradient.
template <backend B>
void add_sum_gradient_operators(operators<B>& table) {
  auto const in_place = [](op_schema made, std::size_t dy) {
    for (std::size_t k = 0; k != fold_in_place; ++k) made.in_place(dy, k);
    return made.outputs(1, npos).rows_independent().checks_first().no_doubles_in_caffe2();
  };
  auto const chosen = [&](std::string_view type) { return in_place(op_schema(type).inputs(3, npos), 1); };
  table.template add<chosen_gradient_kernel>(
      chosen("MaxGradient").describe("dX… = dY, or 0 where X is not Y, from Y, dY, X…"));
  table.template add<chosen_gradient_kernel>(
      chosen("MinGradient").describe("dX… = dY, or 0 where X is not Y, from Y, dY, X…"));
  table.template add<mean_gradient_kernel>(
      in_place(op_schema("MeanGradient").inputs(1), 0).describe("dX… = dY / the number of outputs"));
  table.template add<weighted_sum_gradient_kernel>(
      op_schema("WeightedSumGradient")
          .inputs(3, npos)
          .outputs(1, npos)
          .checks_first()
          .argument("grad_on_w", std::int64_t{0}, "1: also dw… = the sum of dY X, after all dX")
          .describe("dX… = dY w, from dY, X0, w0, X1, w1, …"));
}

}  // namespace plait

PLAIT_KERNELS_END
