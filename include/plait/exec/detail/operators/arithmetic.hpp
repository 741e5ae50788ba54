// Element-wise arithmetic, comparison and logic ops, with broadcasting.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/simple_function.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/binary_kernel.hpp>
#include <plait/exec/detail/operators/broadcast_arguments.hpp>
#include <plait/exec/detail/operators/map_kernel.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/detail/shape_context.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/net/detail/operand_pair.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Scalar functions for kernels of any backend. Integer arithmetic is modulo 2^bits.
namespace functions {

namespace detail {
template <class T, class F>
PLAIT_HOST_DEVICE constexpr T modulo(T a, T b, F f) {
  using wide = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
  return static_cast<T>(f(static_cast<wide>(a), static_cast<wide>(b)));
}
}  // namespace detail

struct add {
  static constexpr auto simple = simple_function::add;
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T a, T b) const {
    if constexpr (std::integral<T>)
      return detail::modulo(a, b, [](auto x, auto y) { return x + y; });
    else
      return a + b;
  }
};
struct subtract {
  static constexpr auto simple = simple_function::subtract;
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T a, T b) const {
    if constexpr (std::integral<T>)
      return detail::modulo(a, b, [](auto x, auto y) { return x - y; });
    else
      return a - b;
  }
};
struct multiply {
  static constexpr auto simple = simple_function::multiply;
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T a, T b) const {
    if constexpr (std::integral<T>)
      return detail::modulo(a, b, [](auto x, auto y) { return x * y; });
    else
      return a * b;
  }
};
/// Integer quotients round towards zero; b must not be zero.
struct divide {
  static constexpr auto simple = simple_function::divide;
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T a, T b) const {
    if constexpr (std::integral<T>)
      return b == T(-1) ? subtract()(T(0), a) : a / b;  // the quotient of the least number by -1 overflows
    else
      return a / b;
  }
};

struct less {
  template <class T>
  PLAIT_HOST_DEVICE constexpr bool operator()(T a, T b) const {
    return a < b;
  }
};
struct less_equal {
  template <class T>
  PLAIT_HOST_DEVICE constexpr bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct greater {
  template <class T>
  PLAIT_HOST_DEVICE constexpr bool operator()(T a, T b) const {
    return a > b;
  }
};
struct greater_equal {
  template <class T>
  PLAIT_HOST_DEVICE constexpr bool operator()(T a, T b) const {
    return a >= b;
  }
};
struct equal {
  template <class T>
  PLAIT_HOST_DEVICE constexpr bool operator()(T a, T b) const {
    return a == b;
  }
};
struct not_equal {
  template <class T>
  PLAIT_HOST_DEVICE constexpr bool operator()(T a, T b) const {
    return a != b;
  }
};

// Without the branches of && and ||.
struct logical_and {
  PLAIT_HOST_DEVICE constexpr bool operator()(bool a, bool b) const { return (a & b) != 0; }
};
struct logical_or {
  PLAIT_HOST_DEVICE constexpr bool operator()(bool a, bool b) const { return (a | b) != 0; }
};
template <class>
struct logical_not {
  PLAIT_HOST_DEVICE constexpr bool operator()(bool a) const { return !a; }
};

template <class T>
struct is_zero_at {
  T const* x;
  PLAIT_HOST_DEVICE constexpr bool operator()(std::size_t i) const { return x[i] == 0; }
};

}  // namespace functions

/// Kernel of Div. run() throws shape_error if an integer divisor is zero.
template <backend B>
class divide_kernel : public binary_kernel<B, functions::divide, float, double, std::int32_t, std::int64_t> {
  using base = binary_kernel<B, functions::divide, float, double, std::int32_t, std::int64_t>;

 public:
  using base::base;
  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(1), [&]<class T>(T) {
      if (find_index<B>(c.size(1), functions::is_zero_at<T>{c.template input<T>(1)}) != c.size(1))
        c.fail("an integer is divided by zero");
    });
    base::run(c);
  }
  void patterns(op_context<B> const& c, std::vector<op_pattern<B>>& to) const override {
    if (!checks(c)) base::patterns(c, to);
  }

 private:
  static bool checks(op_context<B> const& c) {
    return c.type(1) == element_type::int32 || c.type(1) == element_type::int64;
  }
};

namespace detail {

inline op_schema binary_schema(std::string_view type, std::string_view text) {
  op_schema made(type);
  return broadcast_arguments::describe(
      made.inputs(2).outputs(1).rows_independent(&broadcast_arguments::rows_independent).checks_first().describe(text));
}

namespace caffe2 {

/// Checks Caffe2's restrictions of broadcast=1: input 1, without extents of 1 at either end, has the extents of the
/// axes of input 0 that it is aligned to (no broadcast along axes between), and the output does not have its name.
inline shape_check legacy_broadcast(op_arguments const& a) {
  if (!a.flag("broadcast")) return {};
  if (std::ranges::find(a.in_place(), operand_pair{1, 0}) != a.in_place().end())
    shape_context::fail("the output has the name of input 1, which is only for ops that do not broadcast");
  return [places = broadcast_arguments(a)](shape_context const& c) {
    shape const& whole = c.dims(0);
    shape const b = places.match(whole, c.dims(1)).right;
    std::size_t first = 0;
    while (first != b.rank() && b[first] == 1) ++first;
    std::size_t last = b.rank();
    while (last != first && b[last - 1] == 1) --last;
    for (std::size_t axis = first; axis != last; ++axis)
      c.expect(b[axis] == whole[axis + whole.rank() - b.rank()], 1, "not be repeated along axes between others");
  };
}

}  // namespace caffe2

/// Like binary_schema, for op types that Caffe2 had with its legacy broadcast.
inline op_schema legacy_binary_schema(std::string_view type, std::string_view text) {
  return binary_schema(type, text).in_caffe2(caffe2::legacy_broadcast);
}

/// Adds LT, LE, GT, GE for the types Ts to a table.
template <backend B, class... Ts>
void fill_order_comparisons(operators<B>& table) {
  table.template add<binary_kernel<B, functions::less, Ts...>>(legacy_binary_schema("LT", "C = A < B"));
  table.template add<binary_kernel<B, functions::less_equal, Ts...>>(legacy_binary_schema("LE", "C = A ≤ B"));
  table.template add<binary_kernel<B, functions::greater, Ts...>>(legacy_binary_schema("GT", "C = A > B"));
  table.template add<binary_kernel<B, functions::greater_equal, Ts...>>(legacy_binary_schema("GE", "C = A ≥ B"));
}

}  // namespace detail

/// Replaces the comparisons in a table by Caffe2's: LT, LE, GT and GE of numbers, EQ of int32, int64 and bool.
template <backend B>
void add_caffe2_comparison_operators(operators<B>& table) {
  detail::fill_order_comparisons<B, float, double, std::int32_t, std::int64_t>(table);
  table.template add<binary_kernel<B, functions::equal, std::int32_t, std::int64_t, bool>>(
      detail::legacy_binary_schema("EQ", "C = A is B, of int32, int64 and bool"));
}

/// Adds Add, Sub, Mul, Div; LT, LE, GT, GE, EQ, NE; And, Or, Xor, Not.
template <backend B>
void add_arithmetic_operators(operators<B>& table) {
  using std::int32_t;
  using std::int64_t;
  auto const schema = detail::legacy_binary_schema;
  // An operand with the type and as many bytes as the result is not broadcast.
  auto const in_place = [&](std::string_view type, std::string_view text) {
    return schema(type, text).in_place(0, 0).in_place(1, 0);
  };
  table.template add<binary_kernel<B, functions::add, float, double, int32_t, int64_t>>(
      in_place("Add", "C = A + B").ignored_in_caffe2("whole_axes"));
  table.template add<binary_kernel<B, functions::subtract, float, double, int32_t, int64_t>>(
      in_place("Sub", "C = A - B"));
  table.template add<binary_kernel<B, functions::multiply, float, double, int32_t, int64_t>>(
      in_place("Mul", "C = A B"));
  table.template add<divide_kernel>(in_place("Div", "C = A / B, towards zero for integers"));

  detail::fill_order_comparisons<B, float, double, int32_t, int64_t, bool, std::uint8_t>(table);
  table.template add<binary_kernel<B, functions::equal, float, double, int32_t, int64_t, bool, std::uint8_t>>(
      schema("EQ", "C = A is B"));
  table.template add<binary_kernel<B, functions::not_equal, float, double, int32_t, int64_t, bool, std::uint8_t>>(
      detail::binary_schema("NE", "C = A is not B"));

  table.template add<binary_kernel<B, functions::logical_and, bool>>(in_place("And", "C = A and B"));
  table.template add<binary_kernel<B, functions::logical_or, bool>>(in_place("Or", "C = A or B"));
  table.template add<binary_kernel<B, functions::not_equal, bool>>(in_place("Xor", "C = A or B, not both"));
  table.template add<map_kernel<B, functions::logical_not, bool>>(map_schema("Not").describe("Y = not X"));
}

}  // namespace plait

PLAIT_KERNELS_END
