// Element-wise update steps of the optimisers, and the scalars that they read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include <plait/exec/detail/kernels/square_root.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Scalar in an input or in scratch memory: read once on the host, by each thread on a device.
template <class T>
struct host_number {
  T value;
  PLAIT_HOST_DEVICE T operator()() const { return value; }
};
template <class T>
struct device_number {
  void const* at;
  bool is_double;
  PLAIT_HOST_DEVICE T operator()() const {
    return is_double ? static_cast<T>(*static_cast<double const*>(at)) : static_cast<T>(*static_cast<float const*>(at));
  }
};
template <backend B, class T>
using number_at = std::conditional_t<B::on_device, device_number<T>, host_number<T>>;

template <class T, backend B>
number_at<B, T> read_number(void const* at, element_type type) {
  device_number<T> const there{at, type == element_type::float64};
  if constexpr (B::on_device)
    return there;
  else
    return {there()};
}
template <class T, backend B>
number_at<B, T> read_number(op_context<B> const& c, std::size_t input) {
  return read_number<T, B>(c.raw_input(input), c.type(input));
}

/// Throws shape_error unless input 0 is float or double, and the others have its type and as many elements.
inline void expect_like_first(shape_context const& c, std::initializer_list<std::size_t> others) {
  c.expect_type<float, double>(0);
  for (std::size_t const i : others) {
    c.expect_same_type(0, i);
    c.expect(c.dims(i).size() == c.dims(0).size(), i, "have as many elements as input 0, ", c.input(0));
  }
}
/// Throws shape_error unless input i is one number, of float or of the type of input 0.
inline void expect_number(shape_context const& c, std::size_t i) {
  if (c.type(i) != element_type::float32) c.expect_same_type(0, i);
  c.expect(c.dims(i).size() == 1, i, "be one number");
}
inline void pass_on_types(shape_context& c, std::size_t count) {
  for (std::size_t i = 0; i != count; ++i) c.output(i, c.type(i), c.dims(i));
}

template <class T, class Number>
struct momentum_step {
  T const* gradient;
  T const* momentum_before;
  T const* parameter_before;  ///< nullptr: absent
  T* step;
  T* momentum_after;
  T* parameter;
  Number rate;
  T momentum;
  bool nesterov;

  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    T const before = momentum_before[i];
    T const after = momentum * before + rate() * gradient[i];
    T const change = nesterov ? (T(1) + momentum) * after - momentum * before : after;
    momentum_after[i] = after;
    step[i] = change;
    if (parameter != nullptr) parameter[i] = parameter_before[i] - change;
  }
};

/// Runs a step that divides by a square root in two phases, begin(i), which returns the radicand, and end(i, root):
/// compilers do not vectorise a loop that contains std::sqrt.
template <class T, class Step>
struct rooted_loop {
  Step step;
  void operator()(std::size_t first, std::size_t last) const {
    constexpr std::size_t most = 512;
    Step const own = step;  // a local copy: members would be reloaded after each store
    T roots[most];
    for (; first < last; first += std::min(most, last - first)) {
      std::size_t const count = std::min(most, last - first);
      PLAIT_INDEPENDENT
      for (std::size_t i = 0; i < count; ++i) roots[i] = own.begin(first + i);
      square_root_loop<T>{roots, roots}(0, count);
      PLAIT_INDEPENDENT
      for (std::size_t i = 0; i < count; ++i) own.end(first + i, roots[i]);
    }
  }
};
template <class Step>
struct rooted_element {
  Step step;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { step.end(i, std::sqrt(step.begin(i))); }
};
template <backend B, class T, class Step>
void for_each_rooted(std::size_t count, Step const& step) {
  if constexpr (B::on_device)
    for_each_index<B>(count, rooted_element<Step>{step});
  else
    for_each_tile<B>(count, tile_size, rooted_loop<T, Step>{step});
}

/// Returns the gradient with L2 weight decay: of the loss plus `decay` / 2 times the sum of the squared parameters.
/// With decay 0, infinite parameters have no effect.
template <class T>
PLAIT_ALWAYS_INLINE inline PLAIT_HOST_DEVICE T decayed_gradient(T gradient, T parameter, T decay) {
  return decay == T(0) ? gradient : gradient + decay * parameter;
}

template <class T, class Number>
struct adagrad_step {
  T const* parameter_before;
  T const* squares_before;
  T const* gradient;
  T* parameter;
  T* squares;
  T* effective_rate;  ///< nullptr, as update: not an output
  T* update;
  Number rate;
  T epsilon;
  T decay;
  T weight_decay;

  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE T begin(std::size_t i) const {
    T const g = decayed_gradient(gradient[i], parameter_before[i], weight_decay);
    T const sum = decay * squares_before[i] + g * g;
    squares[i] = sum;
    return sum;
  }
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void end(std::size_t i, T root) const {
    T const own_rate = rate() / (root + epsilon);
    T const change = own_rate * decayed_gradient(gradient[i], parameter_before[i], weight_decay);
    parameter[i] = parameter_before[i] + change;
    if (effective_rate != nullptr) effective_rate[i] = own_rate;
    if (update != nullptr) update[i] = change;
  }
};

/// Writes sqrt(1 - beta2^t) / (1 - beta1^t), the bias correction of Adam's rate for moments that start at zero, with t
/// = iteration + 1.
template <backend B>
void write_adam_correction(double* correction, std::int64_t const* iteration, double beta1, double beta2) {
  for_each_index<B>(1, [=] PLAIT_HOST_DEVICE(std::size_t) {
    auto const t = static_cast<double>(*iteration + 1);
    *correction = std::sqrt(1 - std::pow(beta2, t)) / (1 - std::pow(beta1, t));
  });
}

template <class T, class Number>
struct adam_step {
  T const* parameter_before;
  T const* mean_before;
  T const* squares_before;
  T const* gradient;
  T* parameter;
  T* mean;
  T* squares;
  T* direction;  ///< nullptr: not an output
  Number rate;
  Number correction;
  T beta1;
  T beta2;
  T epsilon;

  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE T begin(std::size_t i) const {
    T const v = beta2 * squares_before[i] + (T(1) - beta2) * gradient[i] * gradient[i];
    squares[i] = v;
    return v;
  }
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void end(std::size_t i, T root) const {
    T const m = beta1 * mean_before[i] + (T(1) - beta1) * gradient[i];
    T const towards = correction() * m / (root + epsilon);
    mean[i] = m;
    parameter[i] = parameter_before[i] + rate() * towards;
    if (direction != nullptr) direction[i] = towards;
  }
};

template <class T, class Number>
struct rms_prop_step {
  T const* gradient;
  T const* squares_before;
  T const* momentum_before;
  T* step;
  T* squares;
  T* momentum_after;
  Number rate;
  T decay;
  T momentum;
  T epsilon;

  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE T begin(std::size_t i) const {
    T const before = squares_before[i];
    T const mean = before + (T(1) - decay) * (gradient[i] * gradient[i] - before);
    squares[i] = mean;
    return epsilon + mean;
  }
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void end(std::size_t i, T root) const {
    T const change = momentum * momentum_before[i] + rate() * gradient[i] / root;
    momentum_after[i] = change;
    step[i] = change;
  }
};

}  // namespace detail

}  // namespace plait

PLAIT_KERNELS_END
