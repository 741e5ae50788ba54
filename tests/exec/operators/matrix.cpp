#include <plait/exec/detail/operators/matrix.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/kernels/convert.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using test::table;

template <class T>
std::vector<T> random(plait::shape const& dims, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> from(-1, 1);
  std::vector<T> made(static_cast<std::size_t>(dims.size()));
  for (T& x : made) x = static_cast<T>(from(engine));
  return made;
}

std::string flag(char const* name, std::int64_t value) {
  return std::string(" arg { name: \"") + name + "\" i: " + std::to_string(value) + " }";
}

// A matrix in memory: element (i, j) at i * row + j * column.
template <class T>
struct matrix {
  T const* data;
  std::int64_t row;
  std::int64_t column;
  double operator()(std::int64_t i, std::int64_t j) const { return static_cast<double>(data[i * row + j * column]); }
};

// Whether y is a product, plus b for each column if there is one: each element within the rounding of a sum of k + 1.
template <class T>
bool is_product(std::int64_t m, std::int64_t n, std::int64_t k, matrix<T> a, matrix<T> b, T const* bias, T const* y) {
  for (std::int64_t i = 0; i != m; ++i)
    for (std::int64_t j = 0; j != n; ++j) {
      double sum = bias == nullptr ? 0 : double(bias[j]);
      double size = std::abs(sum);
      for (std::int64_t p = 0; p != k; ++p) {
        sum += a(i, p) * b(p, j);
        size += std::abs(a(i, p) * b(p, j));
      }
      double const bound = double(std::numeric_limits<T>::epsilon()) * (double(k) + 2) * size;
      if (!(std::abs(double(y[i * n + j]) - sum) <= bound)) return false;
    }
  return true;
}

struct fc_case {
  plait::shape x;
  plait::shape w;
  plait::shape transposed_w;
  std::int64_t axis;
  std::int64_t axis_w;
  plait::shape y;
};

std::vector<fc_case> const fc_cases = {
    {{3, 4}, {5, 4}, {4, 5}, 1, 1, {3, 5}},           {{2, 3, 4}, {5, 12}, {12, 5}, 1, 1, {2, 5}},
    {{2, 3, 4}, {5, 4}, {4, 5}, 2, 1, {2, 3, 5}},     {{2, 3, 4}, {5, 4}, {4, 5}, -1, -1, {2, 3, 5}},
    {{3, 4}, {5, 2, 2}, {4, 5, 1}, 1, 1, {3, 5}},     {{4}, {5, 4}, {4, 5}, 0, 1, {5}},
    {{0, 4}, {5, 4}, {4, 5}, 1, 1, {0, 5}},           {{3, 4}, {0, 4}, {4, 0}, 1, 1, {3, 0}},
    {{3, 0}, {5, 0}, {0, 5}, 1, 1, {3, 5}},           {{70, 129}, {65, 129}, {129, 65}, 1, 1, {70, 65}},
    {{700, 33}, {20, 33}, {33, 20}, 1, 1, {700, 20}},
};

template <class B, class T>
void check_fc(fc_case const& f, bool transposed) {
  plait::shape const& w_dims = transposed ? f.transposed_w : f.w;
  if (transposed && f.w.rank() == 2 && f.axis_w != 1 && f.axis_w != -1) return;
  auto const x = random<T>(f.x, 1);
  auto const w = random<T>(w_dims, 2);
  std::int64_t const n = f.y[f.y.rank() - 1];
  auto const b = random<T>({n}, 3);
  auto const blobs = test::run_op<B>(
      table<B>(),
      std::string("type: \"") + (transposed ? "FCTransposed" : "FC") +
          R"(" input: "x" input: "w" input: "b" output: "y")" + flag("axis", f.axis) + flag("axis_w", f.axis_w),
      {{"x", test::of<B>(f.x, x)}, {"w", test::of<B>(w_dims, w)}, {"b", test::of<B>({n}, b)}});
  CAPTURE(to_string(f.x));
  CAPTURE(to_string(w_dims));
  CHECK(blobs.view("y").dims() == f.y);
  std::int64_t const m = f.y.size_to(f.y.rank() - 1);
  std::int64_t const k = f.x.size_from(f.y.rank() - 1);
  matrix<T> const weights = transposed ? matrix<T>{w.data(), n, 1} : matrix<T>{w.data(), 1, k};
  auto const y = blobs.template fetch<T>("y");
  CHECK(is_product<T>(m, n, k, {x.data(), k, 1}, weights, b.data(), y.data()));
}

TEST_CASE_TEMPLATE("matrix: FC and FCTransposed are products with a bias", B, PLAIT_HOST_BACKENDS) {
  for (fc_case const& f : fc_cases)
    for (bool const transposed : {false, true}) {
      check_fc<B, float>(f, transposed);
      check_fc<B, double>(f, transposed);
    }
}

template <class B, class T>
void check_mat_mul(std::int64_t m, std::int64_t n, std::int64_t k, bool trans_a, bool trans_b) {
  plait::shape const a_dims = trans_a ? plait::shape{k, m} : plait::shape{m, k};
  plait::shape const b_dims = trans_b ? plait::shape{n, k} : plait::shape{k, n};
  auto const a = random<T>(a_dims, 1);
  auto const b = random<T>(b_dims, 2);
  auto const blobs = test::run_op<B>(
      table<B>(),
      R"(type: "MatMul" input: "a" input: "b" output: "y")" + flag("trans_a", trans_a) + flag("trans_b", trans_b),
      {{"a", test::of<B>(a_dims, a)}, {"b", test::of<B>(b_dims, b)}});
  CHECK(blobs.view("y").dims() == plait::shape{m, n});
  auto const y = blobs.template fetch<T>("y");
  CHECK(is_product<T>(m, n, k, trans_a ? matrix<T>{a.data(), 1, m} : matrix<T>{a.data(), k, 1},
                      trans_b ? matrix<T>{b.data(), 1, k} : matrix<T>{b.data(), n, 1}, nullptr, y.data()));
}

TEST_CASE_TEMPLATE("matrix: MatMul with each operand as it is or transposed", B, PLAIT_HOST_BACKENDS) {
  for (bool const trans_a : {false, true})
    for (bool const trans_b : {false, true}) {
      check_mat_mul<B, float>(3, 2, 4, trans_a, trans_b);
      check_mat_mul<B, double>(37, 41, 300, trans_a, trans_b);
      check_mat_mul<B, float>(1, 1, 1, trans_a, trans_b);
      check_mat_mul<B, float>(3, 2, 0, trans_a, trans_b);
      check_mat_mul<B, float>(0, 2, 3, trans_a, trans_b);
    }
}

TEST_CASE("matrix: MatMul of tensors of several axes, into a shape that is given") {
  using B = plait::serial;
  auto const a = random<float>({2, 3, 4}, 1);
  auto const b = random<float>({2, 2, 5}, 2);
  test::feeds<B> const fed = {{"a", test::of<B>({2, 3, 4}, a)},
                              {"b", test::of<B>({2, 2, 5}, b)},
                              {"like", test::of<B>({3, 2, 5}, std::vector<float>(30))}};
  auto const blobs = test::run_op<B>(
      table<B>(), R"(type: "MatMul" input: "a" input: "b" output: "y")" + flag("axis_a", 2) + flag("axis_b", -1), fed);
  CHECK(blobs.view("y").dims() == plait::shape{6, 5});
  auto const shaped = test::run_op<B>(
      table<B>(),
      R"(type: "MatMul" input: "a" input: "b" input: "like" output: "y")" + flag("axis_a", 2) + flag("axis_b", 2), fed);
  CHECK(shaped.view("y").dims() == plait::shape{3, 2, 5});
  CHECK(shaped.fetch<float>("y") == blobs.fetch<float>("y"));
  CHECK(is_product<float>(6, 5, 4, {a.data(), 4, 1}, {b.data(), 5, 1}, nullptr, blobs.fetch<float>("y").data()));
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
  auto const a = random<T>(a_dims, 1);
  auto const b = random<T>(b_dims, 2);
  auto const blobs =
      test::run_op<B>(table<B>(),
                      R"(type: "BatchMatMul" input: "a" input: "b" output: "y")" + flag("broadcast", c.broadcast) +
                          flag("trans_a", trans_a) + flag("trans_b", trans_b),
                      {{"a", test::of<B>(a_dims, a)}, {"b", test::of<B>(b_dims, b)}});
  CAPTURE(to_string(c.a));
  CAPTURE(to_string(c.b));
  CHECK(blobs.view("y").dims() == c.y);
  auto const y = blobs.template fetch<T>("y");

  // Matrices with their batch axes, by definition: each index of the result's batch, with the operands' axes of one
  // element standing still.
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
    right =
        right && is_product<T>(m, n, k, trans_a && !row ? matrix<T>{one_a, 1, m} : matrix<T>{one_a, k, 1},
                               trans_b && !column ? matrix<T>{one_b, 1, k} : matrix<T>{one_b, n, 1}, nullptr, one_y);
  }
  CHECK(right);
}

TEST_CASE_TEMPLATE("matrix: BatchMatMul, with broadcast as numpy's matmul", B, PLAIT_HOST_BACKENDS) {
  for (batch_case const& c : batch_cases)
    for (bool const trans_a : {false, true})
      for (bool const trans_b : {false, true}) {
        check_batch<B, float>(c, trans_a, trans_b);
        check_batch<B, double>(c, trans_a, trans_b);
      }
}

// Libraries of devices add in an order of their own.
TEST_CASE_TEMPLATE("matrix: the same bits on every backend of the host", B, PLAIT_PARALLEL_BACKENDS) {
  plait::shape const x = {150, 300};
  auto const run = [&]<class C>(C) {
    return test::run_op<C>(
               table<C>(), R"(type: "FC" input: "x" input: "x" input: "b" output: "y")",
               {{"x", test::of<C>(x, random<float>(x, 1))}, {"b", test::of<C>({150}, random<float>({150}, 2))}})
        .template fetch<float>("y");
  };
  auto const got = run(B());
  auto const wanted = run(plait::serial());
  if (!B::on_device) CHECK(got == wanted);
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i != got.size(); ++i) CHECK(std::abs(got[i] - wanted[i]) < 1e-4f);
}

TEST_CASE("matrix: operands that do not fit are refused with their shapes") {
  using B = plait::serial;
  auto const refused = [](std::string const& op, std::vector<plait::shape> const& dims, std::string const& fact) {
    test::feeds<B> fed;
    for (std::size_t i = 0; i != dims.size(); ++i)
      fed.emplace_back(std::string(1, char('a' + i)), test::of<B>(dims[i], random<float>(dims[i], 1)));
    std::string const error = test::error_of(table<B>(), op, fed);
    CHECK_MESSAGE(error.find(fact) != std::string::npos, error);
  };
  std::string const fc = R"(type: "FC" input: "a" input: "b" input: "c" output: "y")";
  refused(
      fc, {{3, 4}, {5, 3}, {5}},
      "input 0 'a' is float32 3x4, which should have rows of 3 elements from axis 1, as input 1 'b' is float32 5x3");
  refused(fc, {{3, 4}, {5, 4}, {4}}, "5 elements, one a unit");
  refused(fc, {{3, 4}, {5, 4}, {5, 1}}, "input 2");
  refused(fc, {{4}, {5, 4}, {5}}, "no axis 1");
  refused(fc + flag("axis", -3), {{3, 4}, {5, 4}, {5}}, "no axis -3");
  refused(R"(type: "FC" input: "a" input: "b" output: "y")", {{3, 4}, {5, 4}}, "2 inputs where there should be 3");
  refused(R"(type: "MatMul" input: "a" input: "b" output: "y")", {{3, 4}, {3, 4}},
          "inputs 0 'a' and 1 'b' are float32 3x4 and float32 3x4, of different inner extents 4 and 3");
  refused(R"(type: "MatMul" input: "a" input: "b" input: "c" output: "y")", {{3, 4}, {4, 4}, {6}}, "12 elements");
  std::string const batch = R"(type: "BatchMatMul" input: "a" input: "b" output: "y")";
  refused(batch, {{2, 3, 4}, {2, 3, 4}}, "inner extents 4 and 3");
  refused(batch, {{2, 3, 4}, {4, 2}}, "the argument broadcast is not set");
  refused(batch, {{4}, {4, 2}}, "at least 2 dimensions");
  refused(batch + flag("broadcast", 1), {{2, 3, 4}, {3, 4, 2}}, "do not broadcast");
  refused(batch + flag("broadcast", 1), {{}, {4, 2}}, "at least 1 dimensions");
  CHECK(test::error_of<B>(table<B>(), batch,
                          {{"a", test::of<B, float>({1, 1}, {1})}, {"b", test::of<B, double>({1, 1}, {1})}})
            .find("different element types") != std::string::npos);
  CHECK(
      test::error_of<B>(table<B>(), batch,
                        {{"a", test::of<B, std::int32_t>({1, 1}, {1})}, {"b", test::of<B, std::int32_t>({1, 1}, {1})}})
          .find("float32 or float64") != std::string::npos);
}

// Products of 16-bit numbers: the sums are made in float, and rounded once.
template <class B, class T>
void check_narrow_products(double epsilon) {
  constexpr std::int64_t batch = 2, m = 5, n = 7, k = 300;
  auto const narrow = [](plait::shape const& dims, unsigned seed) {
    std::vector<T> made;
    for (float const x : random<float>(dims, seed)) made.push_back(plait::convert<T>(x));
    return made;
  };
  auto const wide = [](T x) { return double(plait::convert<float>(x)); };
  auto const a = narrow({batch, m, k}, 1);
  auto const b = narrow({batch, n, k}, 2);  // n rows, as FC and trans_b have it
  auto const bias = narrow({n}, 3);
  std::vector<T> turned(b.size());  // k rows
  for (std::int64_t j = 0; j != n; ++j)
    for (std::int64_t p = 0; p != k; ++p)
      turned[static_cast<std::size_t>(p * n + j)] = b[static_cast<std::size_t>(j * k + p)];

  auto const check = [&](std::string const& op, std::int64_t count, test::feeds<B> const& fed, bool biased) {
    CAPTURE(op);
    auto const y = test::run_op<B>(table<B>(), op + " output: 'y'", fed).template fetch<T>("y");
    REQUIRE(y.size() == static_cast<std::size_t>(count * m * n));
    for (std::int64_t q = 0; q != count; ++q)
      for (std::int64_t i = 0; i != m; ++i)
        for (std::int64_t j = 0; j != n; ++j) {
          double sum = biased ? wide(bias[static_cast<std::size_t>(j)]) : 0;
          double size = std::abs(sum);
          for (std::int64_t p = 0; p != k; ++p) {
            double const product = wide(a[static_cast<std::size_t>((q * m + i) * k + p)]) *
                                   wide(b[static_cast<std::size_t>((q * n + j) * k + p)]);
            sum += product;
            size += std::abs(product);
          }
          double const bound = epsilon * std::abs(sum) + 0x1p-18 * size;
          CHECK(std::abs(wide(y[static_cast<std::size_t>((q * m + i) * n + j)]) - sum) <= bound);
        }
  };
  auto const part = [](std::vector<T> const& all, std::int64_t count) {
    return std::vector<T>(all.begin(), all.begin() + count);
  };
  auto const x = test::of<B>({m, k}, part(a, m * k));
  auto const w = test::of<B>({n, k}, part(b, n * k));
  auto const columns = test::of<B>({k, n}, part(turned, k * n));
  auto const c = test::of<B>({n}, bias);
  check("type: 'FC' input: 'x' input: 'w' input: 'c'", 1, {{"x", x}, {"w", w}, {"c", c}}, true);
  check("type: 'FCTransposed' input: 'x' input: 'w' input: 'c'", 1, {{"x", x}, {"w", columns}, {"c", c}}, true);
  check("type: 'MatMul' input: 'x' input: 'w'", 1, {{"x", x}, {"w", columns}}, false);
  check("type: 'MatMul' input: 'x' input: 'w'" + flag("trans_b", 1), 1, {{"x", x}, {"w", w}}, false);
  check("type: 'BatchMatMul' input: 'x' input: 'w'" + flag("trans_b", 1), batch,
        {{"x", test::of<B>({batch, m, k}, a)}, {"w", test::of<B>({batch, n, k}, b)}}, false);
}

TEST_CASE_TEMPLATE("products of 16-bit numbers, which devices have and the host refuses", B, PLAIT_HOST_BACKENDS) {
  if constexpr (B::on_device) {
    check_narrow_products<B, plait::float16>(0x1p-11);
    check_narrow_products<B, plait::bfloat16>(0x1p-8);
  } else {
    auto const one = test::of<B>({1, 1}, std::vector<plait::float16>{{0x3c00}});
    CHECK(test::has(test::error_of<B>(table<B>(), "type: 'MatMul' input: 'x' input: 'x' output: 'y'", {{"x", one}}),
                    "should hold float32 or float64"));
  }
}

}  // namespace
