#include <plait/exec/detail/kernels/simple_function.hpp>

#include <doctest/doctest.h>

using plait::exchanged;
using plait::simple_function;
using plait::takes_two;

// straight_line.cpp tests the functions themselves.
static_assert(takes_two(simple_function::divide_into) && !takes_two(simple_function::negate));
static_assert(exchanged(simple_function::add) == simple_function::add);
static_assert(exchanged(simple_function::multiply) == simple_function::multiply);
static_assert(exchanged(simple_function::subtract) == simple_function::subtract_from);
static_assert(exchanged(simple_function::divide_into) == simple_function::divide);
static_assert(exchanged(simple_function::relu) == simple_function::relu);

TEST_CASE("exchanged: exchanging the operands twice changes nothing") {
  for (auto f = simple_function::none; f <= simple_function::relu;
       f = static_cast<simple_function>(static_cast<unsigned char>(f) + 1))
    CHECK(exchanged(exchanged(f)) == f);
}
