// The gradient of SpatialBN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/operators/batch_norm.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Contribution of an element to the gradients of scale and bias.
template <class T>
struct batch_norm_parameter_part {
  struct element {
    T const* x;
    T const* dy;
    T middle;
    T inverse;
    PLAIT_HOST_DEVICE two_sums<T> operator()(std::size_t i) const {
      return {dy[i] * ((x[i] - middle) * inverse), dy[i]};
    }
  };
  T const* x;
  T const* dy;
  T const* mean;
  T const* inverse;
  PLAIT_HOST_DEVICE element at(std::size_t channel) const { return {x, dy, mean[channel], inverse[channel]}; }
};

template <class T>
struct batch_norm_dx_by_given {
  struct element {
    T const* dy;
    T* dx;
    T factor;
    PLAIT_HOST_DEVICE void operator()(std::size_t i) const { dx[i] = dy[i] * factor; }
  };
  T const* dy;
  T* dx;
  T const* scale;
  T const* inverse;
  PLAIT_HOST_DEVICE element at(std::size_t channel) const { return {dy, dx, scale[channel] * inverse[channel]}; }
};

// Subtracts from dY its mean and its component along the normalised x.
template <class T>
struct batch_norm_dx_by_own {
  struct element {
    T const* x;
    T const* dy;
    T* dx;
    T middle;
    T inverse;
    T factor;
    T mean_of_dy;
    T along;
    PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
      dx[i] = (dy[i] - mean_of_dy - (x[i] - middle) * inverse * along) * factor;
    }
  };
  T const* x;
  T const* dy;
  T* dx;
  T const* mean;
  T const* inverse;
  T const* scale;
  T const* dscale;
  T const* dbias;
  T count;
  PLAIT_HOST_DEVICE element at(std::size_t channel) const {
    T const by = inverse[channel];
    return {x, dy, dx, mean[channel], by, scale[channel] * by, dbias[channel] / count, dscale[channel] / count};
  }
};

}  // namespace detail

/// Kernel of SpatialBNGradient: X, scale, dY, mean and 1 / sqrt(variance + epsilon), or the variance with is_test, to
/// the gradients of X, scale and bias. With is_test mean and variance are constants, else functions of X.
template <backend B>
class spatial_bn_gradient_kernel final : public op_kernel<B> {
 public:
  explicit spatial_bn_gradient_kernel(op_arguments const& a)
      : epsilon_(a.real("epsilon")), test_(a.flag("is_test")), last_(detail::channels_are_last(a)) {}
  void infer(shape_context& c) override {
    x_ = detail::channel_places_of(c, last_);
    c.expect_same_type(0, 2);
    c.expect_same_dims(0, 2);
    for (std::size_t const i : {1U, 3U, 4U}) detail::expect_channel_numbers(c, i, x_, last_);
    c.output(0, c.type(0), c.dims(0));
    c.output(1, c.type(0), c.dims(1));
    c.output(2, c.type(0), c.dims(1));
    c.scratch((x_.channels + two_channel_partials(x_)) * size_of(c.type(0)));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const x = c.template input<T>(0);
      T const* const scale = c.template input<T>(1);
      T const* const dy = c.template input<T>(2);
      T const* const mean = c.template input<T>(3);
      T const* inverse = c.template input<T>(4);
      T* const scratch = static_cast<T*>(c.scratch());
      T* const dx = c.template output<T>(0);
      T* const dscale = c.template output<T>(1);
      T* const dbias = c.template output<T>(2);
      if (test_) {
        for_each_index<B>(x_.channels, detail::inverse_deviation<T>{inverse, scratch, static_cast<T>(epsilon_)});
        inverse = scratch;
      }
      // The parameters' gradients come first, since dX may overwrite dY or X.
      two_channel_sums<B>(x_, detail::batch_norm_parameter_part<T>{x, dy, mean, inverse}, dscale, dbias,
                          scratch + x_.channels);
      if (test_)
        for_each_in_channels<B>(x_, detail::batch_norm_dx_by_given<T>{dy, dx, scale, inverse});
      else
        for_each_in_channels<B>(x_, detail::batch_norm_dx_by_own<T>{x, dy, dx, mean, inverse, scale, dscale, dbias,
                                                                    static_cast<T>(x_.count())});
    });
  }

 private:
  float epsilon_;
  bool test_;
  bool last_;
  channel_places x_;
};

template <backend B>
void add_batch_norm_gradient_operator(operators<B>& table) {
  table.template add<spatial_bn_gradient_kernel<B>>(
      op_schema("SpatialBNGradient")
          .inputs(5)
          .outputs(3)
          .in_place(0, 0)
          .in_place(2, 0)
          .argument("is_test", std::int64_t{0}, "1: mean and variance were given, not those of X")
          .argument("epsilon", 1e-5f, "added to the variance; without is_test the fifth input has it")
          .argument("momentum", 0.9f, "of no effect: what SpatialBN was given")
          .argument("order", std::string("NCHW"), "where the channels are: NCHW or NHWC")
          .checks_first()
          .in_caffe2(detail::caffe2::least_rank_of_first<3>)
          // Caffe2 reads the variance as the inverse deviation, and mean and variance as those of the batch.
          .ignored_in_caffe2("is_test")
          .no_doubles_in_caffe2()
          .describe("dX, dscale, dbias by channel [C] from X, scale, dY, mean, inverse = 1 / sqrt(variance + epsilon) "
                    "(with is_test the variance): with N = (X - mean) * inverse, dbias = the sum of dY, dscale = that "
                    "of dY N; dX = (dY - the mean of dY - N (that of dY N)) * scale * inverse, with is_test dY * scale "
                    "* inverse"));
}

}  // namespace plait

PLAIT_KERNELS_END
