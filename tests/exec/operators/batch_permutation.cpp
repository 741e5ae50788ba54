#include <plait/exec/detail/operators/batch_permutation.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;

std::string const forward = "type: 'BatchPermutation' input: 'x' input: 'i' output: 'y'";
std::string const backward = "type: 'BatchPermutationGradient' input: 'i' input: 'x' output: 'y'";

template <class B, class T>
std::vector<T> run(std::string const& op, shape const& dims, std::vector<std::int32_t> const& order) {
  auto const blobs =
      test::run_op<B>(test::table<B>(), op,
                      {{"x", test::counted<B, T>(dims)},
                       {"i", test::of<B, std::int32_t>({static_cast<std::int64_t>(order.size())}, order)}});
  CHECK(blobs.view("y").dims() == dims);
  return blobs.template fetch<T>("y");
}

TEST_CASE_TEMPLATE("BatchPermutation: rows in the listed order, and the gradient restores them", B,
                   PLAIT_HOST_BACKENDS) {
  CHECK(run<B, float>(forward, {3, 2}, {2, 0, 1}) == std::vector<float>{4, 5, 0, 1, 2, 3});
  CHECK(run<B, float>(backward, {3, 2}, {2, 0, 1}) == std::vector<float>{2, 3, 4, 5, 0, 1});
  CHECK(run<B, std::int64_t>(forward, {3, 1, 1}, {1, 1, 2}) == std::vector<std::int64_t>{1, 1, 2});
  CHECK(run<B, double>(backward, {3, 1}, {1, 1, 2}) == std::vector<double>{0, 1, 2});
  CHECK(run<B, float>(forward, {0, 2}, {}).empty());
  CHECK(run<B, float>(backward, {0, 2}, {}).empty());
  CHECK(run<B, float>(backward, {2, 0}, {1, 0}).empty());
}

TEST_CASE("BatchPermutation: indices are checked") {
  using B = plait::serial;
  auto const refusal = [](std::string const& op, std::vector<std::int32_t> const& order) {
    return test::error_of<B>(test::table<B>(), op,
                             {{"x", test::counted<B, float>({3, 2})},
                              {"i", test::of<B, std::int32_t>({static_cast<std::int64_t>(order.size())}, order)}});
  };
  for (std::string const& op : {forward, backward}) {
    CHECK(test::has(refusal(op, {0, 1, 3}), "index 3 at place 2"));
    CHECK(test::has(refusal(op, {0, -1, 2}), "index -1 at place 1"));
    CHECK(test::has(refusal(op, {0, 1}), "have an index for each row"));
  }
}

}  // namespace
