// Range: arithmetic progressions.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct range_element {
  T* to;
  T start;
  T step;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    if constexpr (std::is_integral_v<T>) {
      using bits = std::make_unsigned_t<T>;  // intermediate overflow wraps around
      to[i] = static_cast<T>(static_cast<bits>(start) + static_cast<bits>(i) * static_cast<bits>(step));
    } else {
      to[i] = start + static_cast<T>(i) * step;
    }
  }
};

/// Returns the number of elements from start up to stop, excluded, as in NumPy; 0 if step leads away from stop.
template <class T>
std::int64_t range_length(T start, T stop, T step) {
  if constexpr (std::is_integral_v<T>) {
    if (step > 0 ? start >= stop : start <= stop) return 0;
    // The distance of two 64-bit integers fits an unsigned one.
    std::uint64_t const distance = step > 0 ? static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start)
                                            : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stop);
    std::uint64_t const stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
    std::uint64_t const length = distance / stride + (distance % stride != 0 ? 1 : 0);
    if (length > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      shape_context::fail("the range has more elements than memory can hold");
    return static_cast<std::int64_t>(length);
  } else {
    T const length = std::ceil((stop - start) / step);
    if (!(length < T(9e18))) shape_context::fail("the range has no end, or more elements than memory can hold");
    return length > 0 ? static_cast<std::int64_t>(length) : 0;
  }
}

}  // namespace detail

/// Inputs: stop; start and stop; start, stop and step; one element each.
template <backend B>
struct range_kernel : op_kernel<B> {
  explicit range_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.expect_type<float, double, std::int32_t, std::int64_t>(0);
    for (std::size_t i = 0; i != c.input_count(); ++i) c.expect_same_type(0, i);
    visit_type<float, double, std::int32_t, std::int64_t>(c.type(0), [&]<class T>(T) {
      auto const element = [&](std::size_t i) { return c.template only<T>(i); };
      T const start = c.input_count() == 1 ? T(0) : element(0);
      T const stop = element(c.input_count() == 1 ? 0 : 1);
      T const step = c.input_count() == 3 ? element(2) : T(1);
      if (step == T(0)) c.fail("the step of a range must not be 0");
      std::get<detail::range_element<T>>(made) = {nullptr, start, step};
      c.output(0, c.type(0), {detail::range_length(start, stop, step)});
    });
  }
  void run(op_context<B>& c) override {
    visit_type<float, double, std::int32_t, std::int64_t>(c.type(0), [&]<class T>(T) {
      auto element = std::get<detail::range_element<T>>(made);
      element.to = c.template output<T>(0);
      for_each_index<B>(c.output_size(0), element);
    });
  }

  std::tuple<detail::range_element<float>, detail::range_element<double>, detail::range_element<std::int32_t>,
             detail::range_element<std::int64_t>>
      made = {};
};

/// Range: float, double, int32, int64.
template <backend B>
void add_range_operators(operators<B>& table) {
  table.template add<range_kernel>(
      op_schema("Range")
          .inputs(1, 3)
          .outputs(1)
          .shape_from(0)
          .shape_from(1)
          .shape_from(2)
          .checks_first()
          .in_caffe2(detail::caffe2::rank_of_first<0>)
          .describe("start, start + step, … before stop: inputs are stop; start and stop; or start, stop and step"));
}

}  // namespace plait

PLAIT_KERNELS_END
