// Learning rate policies (LearningRate), and the iteration counter of training (Iter).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Multiplier of the base rate after a number of iterations, as in Caffe2's LearningRate. One difference: poly stays at
/// zero after max_iter, where the power of a negative number would be arbitrary.
struct learning_rate_policy {
  enum class kind { fixed, alter, step, exp, inv, poly, linear_warmup, constant_warmup, hill };

  kind policy = kind::fixed;
  double gamma = 0;
  double power = 0;
  double start = 0;         ///< the multiplier at the beginning of a warm-up
  double end = 0;           ///< the multiplier that hill does not fall below
  std::int64_t length = 1;  ///< step: between two steps; warm-ups and poly: of the whole; alter: of the first period
  std::int64_t rest = 0;    ///< alter: of the second period
  bool active_first = true;

  PLAIT_HOST_DEVICE double operator()(std::int64_t iteration) const {
    auto const i = static_cast<double>(iteration);
    auto const whole = static_cast<double>(length);
    switch (policy) {
      case kind::fixed:
        break;
      case kind::alter:
        return (iteration % (length + rest) < length) == active_first ? 1 : 0;
      case kind::step: {
        std::int64_t const steps = iteration / length;
        return std::pow(gamma, static_cast<double>(steps));
      }
      case kind::exp:
        return std::pow(gamma, i);
      case kind::inv:
        return std::pow(1 + gamma * i, -power);
      case kind::poly:
        return iteration >= length ? 0 : std::pow(1 - i / whole, power);
      case kind::linear_warmup:
        return iteration >= length ? 1 : start + (1 - start) * i / whole;
      case kind::constant_warmup:
        return iteration >= length ? 1 : start;
      case kind::hill: {
        if (iteration < length) return start + (1 - start) * i / whole;
        double const falling = std::pow(1 + gamma * (i - whole), -power);
        return falling < end ? end : falling;
      }
    }
    return 1;
  }
};

/// Throws shape_error for an unknown policy, and for arguments that Caffe2 refuses with it.
[[nodiscard]] inline learning_rate_policy read_learning_rate_policy(op_arguments const& a) {
  using kind = learning_rate_policy::kind;
  learning_rate_policy made;
  auto const positive = [&](char const* name) {
    float const value = a.real(name);
    if (!(value > 0)) a.fail(name, "must be positive for this policy");
    return static_cast<double>(value);
  };
  auto const not_negative = [&](char const* name) {
    float const value = a.real(name);
    if (!(value >= 0)) a.fail(name, "must not be negative for this policy");
    return static_cast<double>(value);
  };
  auto const count = [&](char const* name, std::int64_t least) {
    std::int64_t const value = a.integer(name);
    if (value < least) a.fail(name, "must be at least " + std::to_string(least) + " for this policy");
    return value;
  };
  std::string const& policy = a.text("policy");
  if (policy == "fixed") {
  } else if (policy == "alter") {
    made.policy = kind::alter;
    made.active_first = a.flag("active_first");
    made.length = count(made.active_first ? "active_period" : "inactive_period", 0);
    made.rest = count(made.active_first ? "inactive_period" : "active_period", 0);
    if (made.length == 0 && made.rest == 0) a.fail("active_period", "and inactive_period must not both be zero");
    if (made.length > std::numeric_limits<std::int64_t>::max() - made.rest)
      a.fail("active_period", "and inactive_period add up to more than an int64 holds");
  } else if (policy == "step") {
    made.policy = kind::step;
    made.length = count("stepsize", 1);
    made.gamma = positive("gamma");
  } else if (policy == "exp") {
    made.policy = kind::exp;
    made.gamma = positive("gamma");
  } else if (policy == "inv") {
    made.policy = kind::inv;
    made.gamma = positive("gamma");
    made.power = positive("power");
  } else if (policy == "poly") {
    made.policy = kind::poly;
    made.power = positive("power");
    made.length = count("max_iter", 1);
  } else if (policy == "linearWarmup") {
    made.policy = kind::linear_warmup;
    made.start = not_negative("start_multiplier");
    made.length = count("num_iter", 0);
  } else if (policy == "constantWarmup") {
    made.policy = kind::constant_warmup;
    made.start = positive("multiplier");
    made.length = count("num_iter", 0);
  } else if (policy == "hill") {
    made.policy = kind::hill;
    made.length = count("num_iter", 0);
    made.start = not_negative("start_multiplier");
    made.gamma = positive("gamma");
    made.power = positive("power");
    made.end = not_negative("end_multiplier");
  } else {
    a.fail("policy",
           "is '" + policy + "', not fixed, alter, step, exp, inv, poly, linearWarmup, constantWarmup or hill");
  }
  return made;
}

/// Kernel of Iter: increments the input; without an input, counts runs, from 1.
template <backend B>
struct iter_kernel final : op_kernel<B> {
  bool counts_itself;
  std::int64_t count = 0;

  explicit iter_kernel(op_arguments const& a) : counts_itself(a.input_count() == 0) {}

  void infer(shape_context& c) override {
    if (counts_itself) return c.output(0, element_type::int64, {1});
    c.expect_type<std::int64_t>(0);
    c.expect(c.dims(0).size() == 1, 0, "be one number");
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    auto* const to = c.template output<std::int64_t>(0);
    if (counts_itself) {
      std::int64_t const next = ++count;
      for_each_index<B>(1, [=] PLAIT_HOST_DEVICE(std::size_t) { *to = next; });
    } else {
      auto const* const from = c.template input<std::int64_t>(0);
      for_each_index<B>(1, [=] PLAIT_HOST_DEVICE(std::size_t) { *to = *from + 1; });
    }
  }
};

/// Kernel of LearningRate: a scalar, base_lr times the policy's multiplier at the iteration.
template <backend B>
struct learning_rate_kernel final : op_kernel<B> {
  float base;
  learning_rate_policy policy;

  explicit learning_rate_kernel(op_arguments const& a)
      : base(a.real("base_lr")), policy(read_learning_rate_policy(a)) {}

  void infer(shape_context& c) override {
    c.expect_type<std::int64_t>(0);
    c.expect(c.dims(0).size() == 1, 0, "be one number");
    c.output(0, element_type::float32, shape());
  }
  void run(op_context<B>& c) override {
    auto const* const iteration = c.template input<std::int64_t>(0);
    auto* const rate = c.template output<float>(0);
    double const at_first = base;
    learning_rate_policy const multiplier = policy;
    for_each_index<B>(
        1, [=] PLAIT_HOST_DEVICE(std::size_t) { *rate = static_cast<float>(at_first * multiplier(*iteration)); });
  }
};

/// Adds Iter, LearningRate.
template <backend B>
void add_learning_rate_operators(operators<B>& table) {
  table.template add<iter_kernel>(op_schema("Iter")
                                      .inputs(0, 1)
                                      .outputs(1)
                                      .updates(0, 0)
                                      .side_effects()
                                      .differs_by_run([](op_arguments const& a) { return a.input_count() == 0; })
                                      .checks_first()
                                      .in_caffe2(detail::caffe2::must_be_in_place<0>)
                                      .describe("iteration: int64 1, counted up by one"));
  table.template add<learning_rate_kernel>(
      op_schema("LearningRate")
          .inputs(1)
          .outputs(1)
          .checks_first()
          .template required_argument<float>("base_lr", "the rate that the policy multiplies")
          .template required_argument<std::string>(
              "policy", "fixed, alter, step, exp, inv, poly, linearWarmup, constantWarmup or hill")
          .argument("active_first", std::int64_t{1}, "alter: whether the first period has the rate, not zero")
          .argument("active_period", std::int64_t{-1}, "alter: iterations with the rate")
          .argument("inactive_period", std::int64_t{-1}, "alter: iterations without")
          .argument("stepsize", std::int64_t{0}, "step: iterations of the same rate")
          .argument("gamma", 0.0f, "step, exp: the base of the power; inv, hill: how fast to fall")
          .argument("power", 0.0f, "inv, poly, hill: the exponent")
          .argument("max_iter", std::int64_t{-1}, "poly: when the rate is zero")
          .argument("num_iter", std::int64_t{0}, "warm-ups, hill: when the rate is the base's")
          .argument("start_multiplier", 0.0f, "linearWarmup, hill: at the beginning")
          .argument("multiplier", 0.5f, "constantWarmup: until num_iter")
          .argument("end_multiplier", 0.0f, "hill: the least")
          .describe("rate: float = base_lr · policy(iteration: int64 1)"));
}

}  // namespace plait

PLAIT_KERNELS_END
