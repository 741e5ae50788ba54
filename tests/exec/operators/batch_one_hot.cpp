#include <plait/exec/detail/operators/batch_one_hot.hpp>

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

template <class B, class T>
std::vector<T> encoded(std::vector<T> const& x, std::int64_t rows, std::vector<std::int32_t> const& sizes,
                       std::vector<T> const& values) {
  auto const columns = static_cast<std::int64_t>(sizes.size());
  auto const blobs = test::run_op<B>(table<B>(), "type: 'BatchOneHot' input: 'x' input: 'l' input: 'v' output: 'y'",
                                     {{"x", of<B>({rows, columns}, x)},
                                      {"l", of<B>({columns}, sizes)},
                                      {"v", of<B>({static_cast<std::int64_t>(values.size())}, values)}});
  CHECK(blobs.view("y").dims() == shape{rows, static_cast<std::int64_t>(values.size())});
  return blobs.template fetch<T>("y");
}

TEST_CASE_TEMPLATE("BatchOneHot: each column has a dictionary", B, PLAIT_HOST_BACKENDS) {
  auto const check = []<class T>(T) {
    CHECK(encoded<B, T>({2, 3, 4, 1, 2, 5}, 3, {2, 3}, {2, 4, 1, 3, 5}) ==
          std::vector<T>{1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1});
    CHECK(encoded<B, T>({2, 3, 7}, 1, {0, 2, 0}, {3, 3}) == std::vector<T>{1, 1});
    CHECK(encoded<B, T>({2, 3, 7}, 1, {0, 1, 1}, {3, 3}) == std::vector<T>{1, 0});
    CHECK(encoded<B, T>({2, 3}, 2, {0}, {}).empty());
    CHECK(encoded<B, T>({}, 0, {1}, {5}).empty());
  };
  check(std::int32_t());
  check(std::int64_t());
}

TEST_CASE("BatchOneHot: operands that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::vector<std::int32_t> const& sizes, plait::tensor<B> const& values) {
    return test::error_of<B>(table<B>(), "type: 'BatchOneHot' input: 'x' input: 'l' input: 'v' output: 'y'",
                             {{"x", test::counted<B, std::int32_t>({2, 2})},
                              {"l", of<B>({static_cast<std::int64_t>(sizes.size())}, sizes)},
                              {"v", values.clone()}});
  };
  auto const three = test::counted<B, std::int32_t>({3});
  CHECK(has(refusal({3}, three), "have a size for each of 2 columns"));
  CHECK(has(refusal({1, 1}, three), "add up to 2 where there are 3"));
  CHECK(has(refusal({4, -1}, three), "length 4 at place 0"));
  CHECK(has(refusal({1, 2}, test::counted<B, std::int64_t>({3})), "of different element types"));
}

}  // namespace
