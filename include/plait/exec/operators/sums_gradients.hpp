// Gradients of the ops of any number of tensors of one shape. That of Sum is dY itself, for each.
#pragma once

#include <cstddef>
#include <string_view>

#include <plait/exec/kernels/map.hpp>
#include <plait/exec/kernels/map_several.hpp>
#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/op_schema.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/operators/sums.hpp>

namespace plait {

namespace functions {

/// dY where an operand is the greatest (least) of all, each of them if there are several; NaN is as it was chosen.
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

}  // namespace functions

namespace detail {

/// Calls run(k) for each output, last for the one that stands where dY does.
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

/// MaxGradient, MinGradient, MeanGradient.
template <backend B>
void add_sum_gradient_operators(operators<B>& table) {
  auto const in_place = [](op_schema made, std::size_t dy) {
    for (std::size_t k = 0; k != fold_in_place; ++k) made.in_place(dy, k);
    return made.outputs(1, npos).rows_independent().checks_first();
  };
  auto const chosen = [&](std::string_view type) { return in_place(op_schema(type).inputs(3, npos), 1); };
  table.template add<chosen_gradient_kernel>(
      chosen("MaxGradient").describe("dX… = dY, or 0 where X is not Y, from Y, dY, X…"));
  table.template add<chosen_gradient_kernel>(
      chosen("MinGradient").describe("dX… = dY, or 0 where X is not Y, from Y, dY, X…"));
  table.template add<mean_gradient_kernel>(
      in_place(op_schema("MeanGradient").inputs(1), 0).describe("dX… = dY / the number of outputs"));
}

}  // namespace plait
