#include <plait/exec/detail/operators/gather_ranges_to_dense.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::has;
using test::of;
using test::table;

std::string const op = "type: 'GatherRangesToDense' input: 'x' input: 'r' output: 'a' output: 'b' ";
std::string const lengths = "arg { name: 'lengths' ints: 4 ints: 2 } ";
std::vector<std::int64_t> const ranges = {2, 4, 0, 2, 0, 0, 6, 2};

template <class B, class T, class I>
void check_ranges() {
  auto const gathered = [](std::string const& keys) {
    return test::run_op<B>(table<B>(), op + keys + lengths,
                           {{"x", test::counted<B, T>({8}, T(1))},
                            {"r", of<B>({2, 2, 2}, std::vector<I>(ranges.begin(), ranges.end()))},
                            {"k", of<B, std::int64_t>({8}, {0, 1, 3, 3, 3, 1, 0, 0})}});
  };
  auto const plain = gathered("");
  CHECK(plain.view("a").dims() == shape{2, 4});
  CHECK(plain.template fetch<T>("a") == std::vector<T>{3, 4, 5, 6, 0, 0, 0, 0});
  CHECK(plain.template fetch<T>("b") == std::vector<T>{1, 2, 7, 8});
  auto const sorted = gathered("input: 'k' ");
  CHECK(sorted.template fetch<T>("a") == std::vector<T>{6, 3, 4, 5, 0, 0, 0, 0});
  CHECK(sorted.template fetch<T>("b") == std::vector<T>{1, 2, 7, 8});
}

TEST_CASE_TEMPLATE("GatherRangesToDense: a matrix for each feature", B, PLAIT_HOST_BACKENDS) {
  check_ranges<B, float, std::int32_t>();
  check_ranges<B, std::int64_t, std::int64_t>();
  check_ranges<B, std::uint8_t, std::int32_t>();
  auto const none = test::run_op<B>(table<B>(), op + lengths,
                                    {{"x", test::counted<B, float>({8})}, {"r", of<B, std::int32_t>({0, 2, 2}, {})}});
  CHECK(none.view("a").dims() == shape{0, 4});
}

TEST_CASE("GatherRangesToDense: ranges that do not fit are zeros or refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& arguments, std::vector<std::int64_t> const& given) {
    return test::error_of<B>(table<B>(), op + arguments,
                             {{"x", test::counted<B, float>({8})}, {"r", of<B>({2, 2, 2}, given)}});
  };
  std::string const few = lengths + "arg { name: 'min_observation' i: 1 } ";
  CHECK(refusal(lengths, {0, 3, 0, 2, 0, 4, 0, 0}).empty());
  CHECK(has(refusal(few, {0, 3, 0, 2, 0, 4, 0, 0}), "1 ranges of feature 0 have another length than 4"));
  CHECK(refusal(few + "arg { name: 'max_mismatched_ratio' f: 0.5 }", {0, 3, 0, 2, 0, 4, 0, 0}).empty());
  CHECK(has(refusal(few + "arg { name: 'max_empty_ratio' f: 0.4 }", ranges), "1 ranges of feature 0 are empty"));
  CHECK(has(refusal(lengths, {5, 4, 0, 2, 0, 4, 0, 0}), "the range of 4 from 5 on is not within 8 elements"));
  CHECK(has(refusal(lengths, {-1, 4, 0, 2, 0, 4, 0, 0}), "the range of 4 from -1 on"));
  CHECK(has(refusal("arg { name: 'lengths' ints: 4 }", ranges), "has 1 elements, where there are 2 outputs"));
  CHECK(has(refusal("arg { name: 'lengths' ints: 4 ints: 0 }", ranges), "'lengths' must be positive"));
  CHECK(has(refusal(lengths + "arg { name: 'min_observation' i: 0 }", ranges), "'min_observation' must be positive"));
}

}  // namespace
