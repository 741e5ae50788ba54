// Random fills: uniform, Gaussian, Xavier and MSRA initialisation.
//
// The numbers that an op draws depend on its argument `seed`, on the value that it writes, that is the name of its
// output and how often the net has written that blob before (random_stream_of), and on how often the op has run. Thus
// two fills of one net differ though neither has a seed, a recompiled plan draws the same numbers, every backend draws
// the same bits, and adding an op to a net does not affect the others.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/fills.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/random.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Random streams of one op, a new one for each run.
class random_source {
 public:
  explicit random_source(op_arguments const& a) : first_{static_cast<std::uint64_t>(a.integer("seed")), a.stream()} {}

  template <backend B>
  random_stream of_run(op_context<B> const& c) const noexcept {
    return {first_.seed, first_.stream + c.run_number()};
  }

  static op_schema& describe(op_schema& schema) {
    return schema.side_effects().differs_by_run().argument("seed", std::int64_t{0},
                                                           "a different one gives different numbers");
  }

 private:
  random_stream first_;
};

/// Base of fills of float or double elements, as argument dtype selects.
template <backend B>
class random_fill_kernel : public op_kernel<B> {
 public:
  explicit random_fill_kernel(op_arguments const& a) : dims_(a), type_(read_element_type(a, "dtype")), source_(a) {
    if (type_ != element_type::float32 && type_ != element_type::float64)
      a.fail("dtype", "is " + std::string(to_string(type_)) + ", not FLOAT or DOUBLE");
  }
  void infer(shape_context& c) override { c.output(0, type_, dims_(c)); }

 protected:
  void uniform(op_context<B>& c, double low, double high) {
    random_stream const from = source_.of_run(c);
    visit_type<float, double>(type_, [&]<class T>(T) {
      fill_uniform<B>(from, static_cast<T>(low), static_cast<T>(high), c.template output<T>(0), c.output_size(0));
    });
  }
  void normal(op_context<B>& c, double mean, double deviation) {
    random_stream const from = source_.of_run(c);
    visit_type<float, double>(type_, [&]<class T>(T) {
      fill_normal<B>(from, static_cast<T>(mean), static_cast<T>(deviation), c.template output<T>(0), c.output_size(0));
    });
  }

 private:
  fill_shape dims_;
  element_type type_;
  random_source source_;
};

/// UniformFill: from min up to max, which are arguments or two further inputs of one float each.
template <backend B>
class uniform_fill_kernel final : public random_fill_kernel<B> {
 public:
  explicit uniform_fill_kernel(op_arguments const& a)
      : random_fill_kernel<B>(a), min_(a.real("min")), max_(a.real("max")), given_(a.input_count() == 3) {
    if (a.input_count() == 2) a.fail("max", "is missing: an input for min needs one for max");
    for (char const* name : {"min", "max"})
      if (given_ && a.has(name)) a.fail(name, "is given twice, as an input too");
    if (!(min_ < max_)) a.fail("max", "must be above min");
    if (!spans_a_float(min_, max_)) a.fail("max", "is too far above min");
  }
  void infer(shape_context& c) override {
    for (std::size_t i = 1; i < c.input_count(); ++i) {
      c.template expect_type<float>(i);
      c.expect(c.dims(i).size() == 1, i, "be one number");
    }
    random_fill_kernel<B>::infer(c);
  }
  void run(op_context<B>& c) override {
    float low = min_;
    float high = max_;
    if (given_) {
      B::copy_to_host(&low, c.raw_input(1), sizeof low);
      B::copy_to_host(&high, c.raw_input(2), sizeof high);
      if (!(low < high)) c.fail("max, input 2, must be above min, input 1");
      if (!spans_a_float(low, high)) c.fail("max, input 2, is too far above min, input 1");
    }
    this->uniform(c, low, high);
  }

 private:
  static bool spans_a_float(float low, float high) {
    return static_cast<double>(high) - static_cast<double>(low) <=
           static_cast<double>(std::numeric_limits<float>::max());
  }

  float min_;
  float max_;
  bool given_;
};

template <backend B>
class gaussian_fill_kernel final : public random_fill_kernel<B> {
 public:
  explicit gaussian_fill_kernel(op_arguments const& a)
      : random_fill_kernel<B>(a), mean_(a.real("mean")), deviation_(a.real("std")) {
    if (!(deviation_ >= 0)) a.fail("std", "must not be negative");
  }
  void run(op_context<B>& c) override { this->normal(c, mean_, deviation_); }

 private:
  float mean_;
  float deviation_;
};

/// XavierFill: uniform from -s to s, s = sqrt(3 / fan-in); the fan-in is the number of elements per index of axis 0. X.
/// Glorot and Y. Bengio, AISTATS 2010, without the fan-out, as in Caffe2.
template <backend B>
struct xavier_fill_kernel final : random_fill_kernel<B> {
  using random_fill_kernel<B>::random_fill_kernel;
  void infer(shape_context& c) override {
    random_fill_kernel<B>::infer(c);
    if (c.output(0).dims.rank() < 1) c.fail("a scalar has no first axis, whose places are units");
  }
  void run(op_context<B>& c) override {
    shape const& dims = c.output_spec(0).dims;
    if (dims.size() == 0) return;
    double const scale = std::sqrt(3 / static_cast<double>(dims.size_from(1)));
    this->uniform(c, -scale, scale);
  }
};

/// MSRAFill: normal with mean 0 and variance 2 / fan-out; the fan-out is the number of elements per index of axis 1. K.
/// He, X. Zhang, S. Ren and J. Sun, ICCV 2015, by the fan-out, as in Caffe2.
template <backend B>
struct msra_fill_kernel final : random_fill_kernel<B> {
  using random_fill_kernel<B>::random_fill_kernel;
  void infer(shape_context& c) override {
    random_fill_kernel<B>::infer(c);
    if (c.output(0).dims.rank() < 2) c.fail("a tensor of " + to_string(c.output(0).dims) + " has no second axis");
  }
  void run(op_context<B>& c) override {
    shape const& dims = c.output_spec(0).dims;
    if (dims.size() == 0) return;
    std::int64_t const fan_out = dims.size() / dims[1];
    this->normal(c, 0, std::sqrt(2 / static_cast<double>(fan_out)));
  }
};

namespace detail {
struct random_integer {
  random_stream from;
  std::int64_t low;
  std::uint64_t count;
  std::int32_t* out;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    out[i] = static_cast<std::int32_t>(low + static_cast<std::int64_t>(from.below(count, i)));
  }
};
}  // namespace detail

/// UniformIntFill: int32 from min to max, both included.
template <backend B>
class uniform_int_fill_kernel final : public op_kernel<B> {
 public:
  explicit uniform_int_fill_kernel(op_arguments const& a)
      : dims_(a), source_(a), min_(bound(a, "min")), max_(bound(a, "max")) {
    if (min_ > max_) a.fail("max", "must not be below min");
  }
  void infer(shape_context& c) override { c.output(0, element_type::int32, dims_(c)); }
  void run(op_context<B>& c) override {
    for_each_index<B>(c.output_size(0),
                      detail::random_integer{source_.of_run(c), min_, static_cast<std::uint64_t>(max_ - min_ + 1),
                                             c.template output<std::int32_t>(0)});
  }

 private:
  static std::int64_t bound(op_arguments const& a, std::string_view name) {
    return detail::element_argument<std::int32_t>(a, name, a.integer(name));
  }

  fill_shape dims_;
  random_source source_;
  std::int64_t min_;
  std::int64_t max_;
};

/// UniformFill, UniformIntFill, GaussianFill, XavierFill, MSRAFill.
template <backend B>
void add_random_fill_operators(operators<B>& table) {
  auto const schema = [](std::string_view type, std::size_t most_inputs = 1) {
    op_schema made = fill_shape::schema(type, most_inputs);
    return random_source::describe(made);
  };
  auto const real = [&](std::string_view type, std::size_t most_inputs = 1) {
    return schema(type, most_inputs).argument("dtype", std::int64_t{1}, "1: float, 13: double");
  };
  table.template add<uniform_fill_kernel>(real("UniformFill", 3)
                                              .argument("min", 0.0f, "the least")
                                              .argument("max", 1.0f, "what none reaches but by rounding")
                                              .describe("Y: shape, or as X: …, uniform from min to max; inputs X, min: "
                                                        "1, max: 1 in place of the arguments"));
  table.template add<uniform_int_fill_kernel>(schema("UniformIntFill")
                                                  .argument("min", std::int64_t{0}, "the least")
                                                  .argument("max", std::int64_t{1}, "the greatest")
                                                  .describe("Y: int32 of shape, or as X: …, uniform from min to max"));
  table.template add<gaussian_fill_kernel>(real("GaussianFill")
                                               .argument("mean", 0.0f, "the mean")
                                               .argument("std", 1.0f, "the standard deviation")
                                               .describe("Y: shape, or as X: …, normally distributed"));
  table.template add<xavier_fill_kernel>(
      real("XavierFill").describe("Y: N×…, or as X: …, uniform with variance 1 / (size / N)"));
  table.template add<msra_fill_kernel>(
      real("MSRAFill").describe("Y: N×C×…, or as X: …, normal with variance 2 / (size / C)"));
}

}  // namespace plait

PLAIT_KERNELS_END
