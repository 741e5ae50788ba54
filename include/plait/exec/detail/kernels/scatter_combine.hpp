// Combining functions of scatters that a mode selects at run time.
#pragma once

#include <cstdint>
#include <string>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape_context.hpp>

namespace plait {

/// How an update is combined with the element that it is scattered to.
enum class scatter_mode : std::uint8_t { assign, add, mul, max, min };

namespace detail {

/// Reads the argument `reduction`: none, add, mul, max or min.
inline scatter_mode read_scatter_mode(op_arguments const& a) {
  std::string const& name = a.text("reduction");
  if (name == "none") return scatter_mode::assign;
  if (name == "add") return scatter_mode::add;
  if (name == "mul") return scatter_mode::mul;
  if (name == "max") return scatter_mode::max;
  if (name == "min") return scatter_mode::min;
  a.fail("reduction", "is '" + name + "', which should be none, add, mul, max or min");
}

/// Adds the argument `reduction` to a schema.
inline op_schema& describe_scatter_mode(op_schema& made) {
  return made.argument(
      "reduction", std::string("none"),
      "how an update is combined with the element: none (the last update stays), add, mul, max or min");
}

/// Assignment, for elements that are words of any type.
struct assign_update {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T, T update) const {
    return update;
  }
};
/// Reduction by a mode; extremes propagate NaN, integers wrap.
struct combine_update {
  scatter_mode mode;
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T old, T update) const {
    switch (mode) {
      case scatter_mode::add:
        return sum_reduction::combine(old, update);
      case scatter_mode::mul:
        return product_reduction::combine(old, update);
      case scatter_mode::max:
        return max_reduction::combine(old, update);
      case scatter_mode::min:
        return min_reduction::combine(old, update);
      case scatter_mode::assign:
        break;
    }
    return update;
  }
};

/// Throws shape_error unless a mode combines elements of the type of input 0.
inline void expect_combinable(shape_context const& c, scatter_mode mode) {
  if (mode != scatter_mode::assign) c.expect_type<float, double, std::int32_t, std::int64_t, std::uint8_t>(0);
}
/// Calls f(T(), combine) with a type of the elements' size, or with their type if the mode combines them.
template <class F>
void visit_combine(element_type type, scatter_mode mode, F const& f) {
  if (mode == scatter_mode::assign)
    visit_word(type, [&]<class T>(T word) { f(word, assign_update{}); });
  else
    visit_type<float, double, std::int32_t, std::int64_t, std::uint8_t>(
        type, [&]<class T>(T value) { f(value, combine_update{mode}); });
}

}  // namespace detail

}  // namespace plait
