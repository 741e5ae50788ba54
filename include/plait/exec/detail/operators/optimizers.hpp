// Dense optimisers: update steps of parameters and of their momentum or second moments, in place.
//
// As in Caffe2, Adagrad and Adam add rate times step to the parameter (their rates are negative), MomentumSGDUpdate
// subtracts, and MomentumSGD and RmsProp return the step in place of the gradient. Parameters are float or double; the
// rate is one number of float or of the parameters' type.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/optimizer_steps.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// m' = momentum m + rate g; step = m', with nesterov (1 + momentum) m' - momentum m; parameter' = parameter - step.
template <backend B>
struct momentum_sgd_kernel final : op_kernel<B> {
  float momentum;
  bool nesterov;
  bool has_parameter;

  explicit momentum_sgd_kernel(op_arguments const& a)
      : momentum(a.real("momentum")), nesterov(a.flag("nesterov")), has_parameter(a.input_count() == 4) {}

  void infer(shape_context& c) override {
    detail::expect_like_first(c, {1});
    if (has_parameter) detail::expect_like_first(c, {3});
    detail::expect_number(c, 2);
    detail::pass_on_types(c, 2);
    if (has_parameter) c.output(2, c.type(3), c.dims(3));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_index<B>(c.size(0), detail::momentum_step<T, detail::number_at<B, T>>{
                                       c.template input<T>(0), c.template input<T>(1),
                                       has_parameter ? c.template input<T>(3) : nullptr, c.template output<T>(0),
                                       c.template output<T>(1), has_parameter ? c.template output<T>(2) : nullptr,
                                       detail::read_number<T>(c, 2), static_cast<T>(momentum), nesterov});
    });
  }
};

/// With g the gradient + weight_decay parameter: h' = decay h + g²; parameter' = parameter +
/// rate g / (sqrt(h') + epsilon).
template <backend B>
struct adagrad_kernel final : op_kernel<B> {
  float epsilon;
  float decay;
  float weight_decay;

  explicit adagrad_kernel(op_arguments const& a)
      : epsilon(a.real("epsilon")), decay(a.real("decay")), weight_decay(a.real("weight_decay")) {}

  void infer(shape_context& c) override {
    detail::expect_like_first(c, {1, 2});
    detail::expect_number(c, 3);
    detail::pass_on_types(c, 2);
    for (std::size_t i = 2; i != c.output_count(); ++i) c.output(i, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      detail::for_each_rooted<B, T>(
          c.size(0),
          detail::adagrad_step<T, detail::number_at<B, T>>{
              c.template input<T>(0), c.template input<T>(1), c.template input<T>(2), c.template output<T>(0),
              c.template output<T>(1), c.output_count() > 2 ? c.template output<T>(2) : nullptr,
              c.output_count() > 3 ? c.template output<T>(3) : nullptr, detail::read_number<T>(c, 3),
              static_cast<T>(epsilon), static_cast<T>(decay), static_cast<T>(weight_decay)});
    });
  }
};

/// m' = beta1 m + (1 - beta1) g; v' = beta2 v + (1 - beta2) g²; with t = iteration + 1, parameter' = parameter +
/// rate sqrt(1 - beta2^t) / (1 - beta1^t) m' / (sqrt(v') + epsilon).
template <backend B>
struct adam_kernel final : op_kernel<B> {
  float beta1;
  float beta2;
  float epsilon;

  explicit adam_kernel(op_arguments const& a)
      : beta1(a.real("beta1")), beta2(a.real("beta2")), epsilon(a.real("epsilon")) {}

  void infer(shape_context& c) override {
    detail::expect_like_first(c, {1, 2, 3});
    detail::expect_number(c, 4);
    c.template expect_type<std::int64_t>(5);
    c.expect(c.dims(5).size() == 1, 5, "be one number");
    detail::pass_on_types(c, 3);
    if (c.output_count() == 4) c.output(3, c.type(0), c.dims(0));
    c.scratch(sizeof(double));
  }
  void run(op_context<B>& c) override {
    auto* const correction = static_cast<double*>(c.scratch());
    detail::write_adam_correction<B>(correction, c.template input<std::int64_t>(5), beta1, beta2);
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      detail::for_each_rooted<B, T>(
          c.size(0), detail::adam_step<T, detail::number_at<B, T>>{
                         c.template input<T>(0), c.template input<T>(1), c.template input<T>(2), c.template input<T>(3),
                         c.template output<T>(0), c.template output<T>(1), c.template output<T>(2),
                         c.output_count() == 4 ? c.template output<T>(3) : nullptr, detail::read_number<T>(c, 4),
                         detail::read_number<T, B>(correction, element_type::float64), static_cast<T>(beta1),
                         static_cast<T>(beta2), static_cast<T>(epsilon)});
    });
  }
};

/// s' = s + (1 - decay) (g² - s); m' = momentum m + rate g / sqrt(epsilon + s'); step = m'.
template <backend B>
struct rms_prop_kernel final : op_kernel<B> {
  float decay;
  float momentum;
  float epsilon;

  explicit rms_prop_kernel(op_arguments const& a)
      : decay(a.real("decay")), momentum(a.real("momentum")), epsilon(a.real("epsilon")) {}

  void infer(shape_context& c) override {
    detail::expect_like_first(c, {1, 2});
    detail::expect_number(c, 3);
    detail::pass_on_types(c, 3);
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      detail::for_each_rooted<B, T>(
          c.size(0),
          detail::rms_prop_step<T, detail::number_at<B, T>>{
              c.template input<T>(0), c.template input<T>(1), c.template input<T>(2), c.template output<T>(0),
              c.template output<T>(1), c.template output<T>(2), detail::read_number<T>(c, 3), static_cast<T>(decay),
              static_cast<T>(momentum), static_cast<T>(epsilon)});
    });
  }
};

/// MomentumSGD, MomentumSGDUpdate, Adagrad, Adam, RmsProp.
template <backend B>
void add_optimizer_operators(operators<B>& table) {
  auto const schema = [](std::string_view type, std::size_t changed) {
    auto made = op_schema(type).checks_first().no_doubles_in_caffe2();
    for (std::size_t i = 0; i != changed; ++i) made.in_place(i, i);
    return made;
  };
  auto const momentum = [](op_schema made) {
    return made.argument("momentum", 0.0f, "how much of the step before is taken again")
        .argument("nesterov", std::int64_t{0}, "step as from where momentum alone would lead");
  };
  table.template add<momentum_sgd_kernel>(
      momentum(schema("MomentumSGD", 2)).inputs(3).outputs(2).describe("step, M' from gradient: …, M: …, rate: 1"));
  table.template add<momentum_sgd_kernel>(
      momentum(schema("MomentumSGDUpdate", 2))
          .inputs(4)
          .outputs(3)
          .in_place(3, 2)
          .describe("step, M', P' = P - step from gradient: …, M: …, rate: 1, P: …"));
  table.template add<adagrad_kernel>(
      schema("Adagrad", 2)
          .inputs(4)
          .outputs(2, 4)
          .argument("epsilon", 1e-5f, "keeps the divisor from zero")
          .argument("decay", 1.0f, "how much of the sum of squares is kept")
          .argument("weight_decay", 0.0f, "times P, is added to the gradient")
          .ignored_in_caffe2("weight_decay")
          .describe("P', H'[, rate of each, step] from P: …, H: sum of squares, gradient: …, rate: 1"));
  table.template add<adam_kernel>(
      schema("Adam", 3)
          .inputs(6)
          .outputs(3, 4)
          .argument("beta1", 0.9f, "how much of the mean is kept")
          .argument("beta2", 0.999f, "how much of the mean square is kept")
          .argument("epsilon", 1e-5f, "keeps the divisor from zero")
          .describe("P', M', V'[, direction] from P: …, M: mean, V: mean square, gradient: …, rate: 1, iteration: "
                    "int64 1"));
  table.template add<rms_prop_kernel>(
      schema("RmsProp", 3)
          .inputs(4)
          .outputs(3)
          .argument("decay", 0.9f, "how much of the mean square is kept")
          .argument("momentum", 0.0f, "how much of the step before is taken again")
          .argument("epsilon", 1e-5f, "keeps the divisor from zero")
          .describe("step, S', M' from gradient: …, S: mean square, M: momentum, rate: 1"));
}

}  // namespace plait

PLAIT_KERNELS_END
