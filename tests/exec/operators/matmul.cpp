#include <plait/exec/detail/operators/matmul.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/matrix_products.hpp>
#include <support/run_op.hpp>

namespace {

using test::table;

template <class B, class T>
void check_mat_mul(std::int64_t m, std::int64_t n, std::int64_t k, bool trans_a, bool trans_b) {
  plait::shape const a_dims = trans_a ? plait::shape{k, m} : plait::shape{m, k};
  plait::shape const b_dims = trans_b ? plait::shape{n, k} : plait::shape{k, n};
  auto const a = test::random_elements<T>(a_dims, 1);
  auto const b = test::random_elements<T>(b_dims, 2);
  auto const blobs =
      test::run_op<B>(table<B>(),
                      R"(type: "MatMul" input: "a" input: "b" output: "y")" + test::int_argument("trans_a", trans_a) +
                          test::int_argument("trans_b", trans_b),
                      {{"a", test::of<B>(a_dims, a)}, {"b", test::of<B>(b_dims, b)}});
  CHECK(blobs.view("y").dims() == plait::shape{m, n});
  auto const y = blobs.template fetch<T>("y");
  CHECK(test::is_product<T>(m, n, k, trans_a ? test::matrix<T>{a.data(), 1, m} : test::matrix<T>{a.data(), k, 1},
                            trans_b ? test::matrix<T>{b.data(), 1, k} : test::matrix<T>{b.data(), n, 1}, nullptr,
                            y.data()));
}

TEST_CASE_TEMPLATE("MatMul: either operand may be transposed", B, PLAIT_HOST_BACKENDS) {
  for (bool const trans_a : {false, true})
    for (bool const trans_b : {false, true}) {
      check_mat_mul<B, float>(3, 2, 4, trans_a, trans_b);
      check_mat_mul<B, double>(37, 41, 300, trans_a, trans_b);
      check_mat_mul<B, float>(1, 1, 1, trans_a, trans_b);
      check_mat_mul<B, float>(3, 2, 0, trans_a, trans_b);
      check_mat_mul<B, float>(0, 2, 3, trans_a, trans_b);
    }
}

TEST_CASE("MatMul: tensors of several axes multiply, and a third input sets the shape") {
  using B = plait::serial;
  auto const a = test::random_elements<float>({2, 3, 4}, 1);
  auto const b = test::random_elements<float>({2, 2, 5}, 2);
  test::feeds<B> const fed = {{"a", test::of<B>({2, 3, 4}, a)},
                              {"b", test::of<B>({2, 2, 5}, b)},
                              {"like", test::of<B>({3, 2, 5}, std::vector<float>(30))}};
  auto const blobs = test::run_op<B>(table<B>(),
                                     R"(type: "MatMul" input: "a" input: "b" output: "y")" +
                                         test::int_argument("axis_a", 2) + test::int_argument("axis_b", -1),
                                     fed);
  CHECK(blobs.view("y").dims() == plait::shape{6, 5});
  auto const shaped = test::run_op<B>(table<B>(),
                                      R"(type: "MatMul" input: "a" input: "b" input: "like" output: "y")" +
                                          test::int_argument("axis_a", 2) + test::int_argument("axis_b", 2),
                                      fed);
  CHECK(shaped.view("y").dims() == plait::shape{3, 2, 5});
  CHECK(shaped.fetch<float>("y") == blobs.fetch<float>("y"));
  CHECK(test::is_product<float>(6, 5, 4, {a.data(), 4, 1}, {b.data(), 5, 1}, nullptr, blobs.fetch<float>("y").data()));
}

struct batch_case {
  plait::shape a;
  plait::shape b;
  plait::shape y;
  bool broadcast;
};

std::vector<batch_case> const batch_cases = {
    {{2, 3, 4}, {2, 4, 2}, {2, 3, 2}, false},
    {{2, 2, 3, 2}, {2, 2, 2, 3}, {2, 2, 3, 3}, false},
    {{3, 4}, {4, 2}, {3, 2}, false},
    {{0, 3, 4}, {0, 4, 2}, {0, 3, 2}, false},
    {{2, 3, 0}, {2, 0, 2}, {2, 3, 2}, false},
    {{2, 3, 4}, {4, 2}, {2, 3, 2}, true},
    {{3, 4}, {2, 4, 2}, {2, 3, 2}, true},
    {{2, 1, 3, 4}, {5, 4, 2}, {2, 5, 3, 2}, true},
    {{2, 1, 2, 3, 4}, {1, 3, 1, 4, 2}, {2, 3, 2, 3, 2}, true},
    {{6, 1, 3, 4}, {6, 1, 4, 2}, {6, 1, 3, 2}, true},
    {{4}, {2, 4, 3}, {2, 3}, true},
    {{2, 3, 4}, {4}, {2, 3}, true},
    {{4}, {4, 3}, {3}, true},
    {{4}, {4}, {1}, true},
    {{40, 17, 9}, {40, 9, 21}, {40, 17, 21}, false},
};

template <class B, class T>
void check_batch(batch_case const& c, bool trans_a, bool trans_b) {
  auto const swapped = [](plait::shape dims, bool swap) {
    if (!swap || dims.rank() < 2) return dims;
    std::int64_t const last = dims[dims.rank() - 1];
    dims.set(dims.rank() - 1, dims[dims.rank() - 2]);
    dims.set(dims.rank() - 2, last);
    return dims;
  };
  plait::shape const a_dims = swapped(c.a, trans_a);
  plait::shape const b_dims = swapped(c.b, trans_b);
  auto const a = test::random_elements<T>(a_dims, 1);
  auto const b = test::random_elements<T>(b_dims, 2);
  auto const blobs = test::run_op<B>(
      table<B>(),
      R"(type: "BatchMatMul" input: "a" input: "b" output: "y")" + test::int_argument("broadcast", c.broadcast) +
          test::int_argument("trans_a", trans_a) + test::int_argument("trans_b", trans_b),
      {{"a", test::of<B>(a_dims, a)}, {"b", test::of<B>(b_dims, b)}});
  CAPTURE(to_string(c.a));
  CAPTURE(to_string(c.b));
  CHECK(blobs.view("y").dims() == c.y);
  auto const y = blobs.template fetch<T>("y");

  // Products by definition, one for each index of the result's batch axes. Operands' axes of one element have index 0
  // throughout.
  bool const row = c.a.rank() == 1;
  bool const column = c.b.rank() == 1;
  plait::shape a_batch, b_batch, y_batch;
  for (std::size_t i = 0; i + 2 < c.a.rank(); ++i) a_batch.push_back(c.a[i]);
  for (std::size_t i = 0; i + 2 < c.b.rank(); ++i) b_batch.push_back(c.b[i]);
  std::size_t const matrix_axes = row && column ? 1 : std::size_t{!row} + std::size_t{!column};
  for (std::size_t i = 0; i + matrix_axes < c.y.rank(); ++i) y_batch.push_back(c.y[i]);
  std::int64_t const m = row ? 1 : c.a[c.a.rank() - 2];
  std::int64_t const k = c.a[c.a.rank() - 1];
  std::int64_t const n = column ? 1 : c.b[c.b.rank() - 1];
  auto const offset = [](plait::shape const& dims, test::index at) {
    at.erase(at.begin(), at.end() - static_cast<std::ptrdiff_t>(dims.rank()));
    for (std::size_t i = 0; i != dims.rank(); ++i)
      if (dims[i] == 1) at[i] = 0;
    return test::place(dims, at);
  };
  std::size_t number = 0;
  bool right = true;
  for (test::index const& at : test::indices(y_batch)) {
    T const* const one_a = a.data() + offset(a_batch, at) * static_cast<std::size_t>(m * k);
    T const* const one_b = b.data() + offset(b_batch, at) * static_cast<std::size_t>(k * n);
    T const* const one_y = y.data() + number++ * static_cast<std::size_t>(m * n);
    right = right &&
            test::is_product<T>(m, n, k, trans_a && !row ? test::matrix<T>{one_a, 1, m} : test::matrix<T>{one_a, k, 1},
                                trans_b && !column ? test::matrix<T>{one_b, 1, k} : test::matrix<T>{one_b, n, 1},
                                nullptr, one_y);
  }
  CHECK(right);
}

TEST_CASE_TEMPLATE("BatchMatMul: batch axes broadcast as in numpy's matmul", B, PLAIT_HOST_BACKENDS) {
  for (batch_case const& c : batch_cases)
    for (bool const trans_a : {false, true})
      for (bool const trans_b : {false, true}) {
        check_batch<B, float>(c, trans_a, trans_b);
        check_batch<B, double>(c, trans_a, trans_b);
      }
}

TEST_CASE("matmul: operands that do not fit are refused with their shapes") {
  using B = plait::serial;
  test::check_refused(R"(type: "MatMul" input: "a" input: "b" output: "y")", {{3, 4}, {3, 4}},
                      "inputs 0 'a' and 1 'b' are float32 3x4 and float32 3x4, of different inner extents 4 and 3");
  test::check_refused(R"(type: "MatMul" input: "a" input: "b" input: "c" output: "y")", {{3, 4}, {4, 4}, {6}},
                      "12 elements");
  std::string const batch = R"(type: "BatchMatMul" input: "a" input: "b" output: "y")";
  test::check_refused(batch, {{2, 3, 4}, {2, 3, 4}}, "inner extents 4 and 3");
  test::check_refused(batch, {{2, 3, 4}, {4, 2}}, "the argument broadcast is not set");
  test::check_refused(batch, {{4}, {4, 2}}, "at least 2 dimensions");
  test::check_refused(batch + test::int_argument("broadcast", 1), {{2, 3, 4}, {3, 4, 2}}, "do not broadcast");
  test::check_refused(batch + test::int_argument("broadcast", 1), {{}, {4, 2}}, "at least 1 dimensions");
  CHECK(test::error_of<B>(table<B>(), batch,
                          {{"a", test::of<B, float>({1, 1}, {1})}, {"b", test::of<B, double>({1, 1}, {1})}})
            .find("different element types") != std::string::npos);
  CHECK(
      test::error_of<B>(table<B>(), batch,
                        {{"a", test::of<B, std::int32_t>({1, 1}, {1})}, {"b", test::of<B, std::int32_t>({1, 1}, {1})}})
          .find("float32 or float64") != std::string::npos);
}

}  // namespace
