#include <plait/exec/detail/operators/batch_sparse.hpp>

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

template <class B, class T, class I>
void check_lists() {
  auto const blobs = test::run_net<B>(table<B>(), R"(
      op { type: "BatchSparseToDense" input: "l" input: "i" input: "v" output: "y"
           arg { name: "dense_last_dim" i: 6 } arg { name: "default_value" f: -1 } }
      op { type: "BatchSparseToDense" input: "l" input: "i" input: "v" input: "y" output: "z" }
      op { type: "BatchDenseToSparse" input: "l" input: "i" input: "y" output: "back" })",
                                      {{"l", of<B, I>({4}, {2, 0, 3, 1})},
                                       {"i", of<B, I>({6}, {1, 0, 2, 3, 4, 5})},
                                       {"v", of<B, T>({6}, {6, 7, 8, 9, 10, 11})}});
  CHECK(blobs.view("y").dims() == shape{4, 6});
  CHECK(blobs.template fetch<T>("y") ==
        std::vector<T>{7, 6, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 8, 9, 10, -1, -1, -1, -1, -1, -1, 11});
  CHECK(blobs.template fetch<T>("z") ==
        std::vector<T>{7, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 9, 10, 0, 0, 0, 0, 0, 0, 11});
  CHECK(blobs.template fetch<T>("back") == std::vector<T>{6, 7, 8, 9, 10, 11});
}

TEST_CASE_TEMPLATE("BatchSparseToDense, BatchDenseToSparse: rows are lists of columns", B, PLAIT_HOST_BACKENDS) {
  check_lists<B, float, std::int64_t>();
  check_lists<B, double, std::int32_t>();
}

TEST_CASE_TEMPLATE("BatchSparseToDense: the last of several values counts; lists may be empty", B,
                   PLAIT_HOST_BACKENDS) {
  auto const dense = [](std::vector<std::int64_t> const& lengths, std::vector<std::int64_t> const& columns,
                        std::vector<float> const& values) {
    auto const blobs = test::run_op<B>(table<B>(),
                                       "type: 'BatchSparseToDense' input: 'l' input: 'i' input: 'v' output: 'y' arg { "
                                       "name: 'dense_last_dim' i: 2 }",
                                       {{"l", of<B>({static_cast<std::int64_t>(lengths.size())}, lengths)},
                                        {"i", of<B>({static_cast<std::int64_t>(columns.size())}, columns)},
                                        {"v", of<B>({static_cast<std::int64_t>(values.size())}, values)}});
    CHECK(blobs.view("y").dims() == shape{static_cast<std::int64_t>(lengths.size()), 2});
    return blobs.template fetch<float>("y");
  };
  CHECK(dense({3, 1}, {1, 1, 1, 0}, {5, 6, 7, 8}) == std::vector<float>{0, 7, 8, 0});
  CHECK(dense({0, 0}, {}, {}) == std::vector<float>{0, 0, 0, 0});
  CHECK(dense({}, {}, {}).empty());
}

TEST_CASE("BatchSparseToDense, BatchDenseToSparse: operands that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& op, std::vector<std::int64_t> const& lengths,
                          std::vector<std::int64_t> const& columns, std::string const& arguments = "") {
    return test::error_of<B>(table<B>(), op + " output: 'y' " + arguments,
                             {{"l", of<B>({static_cast<std::int64_t>(lengths.size())}, lengths)},
                              {"i", of<B>({static_cast<std::int64_t>(columns.size())}, columns)},
                              {"v", test::counted<B, float>({3})},
                              {"m", test::counted<B, float>({2, 3})}});
  };
  auto const columns = [](std::string const& count) { return "arg { name: 'dense_last_dim' i: " + count + " }"; };
  std::string const dense = "type: 'BatchSparseToDense' input: 'l' input: 'i' input: 'v'";
  CHECK(has(refusal(dense, {1, 2}, {0, 1, 2}, columns("2")), "index 2 at place 2"));
  CHECK(has(refusal(dense, {1, 2}, {0, -1, 1}, columns("2")), "index -1 at place 1"));
  CHECK(has(refusal(dense, {1, 3}, {0, 1, 1}, columns("2")), "length 3 at place 1"));
  CHECK(has(refusal(dense, {1, 1}, {0, 1, 1}, columns("2")), "add up to 2"));
  CHECK(has(refusal(dense, {1, 1}, {0, 1}, columns("2")), "have a value for each of 2 indices"));
  CHECK(has(refusal(dense, {3}, {0, 1, 1}), "'dense_last_dim' is needed"));
  CHECK(has(refusal(dense, {3}, {0, 1, 1}, columns("0")), "'dense_last_dim' must be positive"));
  CHECK(has(refusal(dense + " input: 'm'", {3}, {0, 1, 1}, columns("2")), "have 2 columns, as 'dense_last_dim' says"));
  std::string const sparse = "type: 'BatchDenseToSparse' input: 'l' input: 'i' input: 'm'";
  CHECK(refusal(sparse, {1, 2}, {0, 1, 2}).empty());
  CHECK(has(refusal(sparse, {1, 2}, {0, 1, 3}), "index 3 at place 2"));
  CHECK(has(refusal(sparse, {3}, {0, 1, 2}), "have 1 rows, one for each length"));
}

}  // namespace
