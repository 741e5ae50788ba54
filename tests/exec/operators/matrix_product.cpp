#include <plait/exec/detail/operators/matrix_product.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/kernels/convert.hpp>
#include <support/matrix_products.hpp>
#include <support/run_op.hpp>

namespace {

using test::table;

// Checks products of 16-bit numbers: sums are accumulated in float and rounded once.
template <class B, class T>
void check_narrow_products(double epsilon) {
  constexpr std::int64_t batch = 2, m = 5, n = 7, k = 300;
  auto const narrow = [](plait::shape const& dims, unsigned seed) {
    std::vector<T> made;
    for (float const x : test::random_elements<float>(dims, seed)) made.push_back(plait::convert<T>(x));
    return made;
  };
  auto const wide = [](T x) { return double(plait::convert<float>(x)); };
  auto const a = narrow({batch, m, k}, 1);
  auto const b = narrow({batch, n, k}, 2);  // n rows, the layout of FC and trans_b
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
  check("type: 'MatMul' input: 'x' input: 'w'" + test::int_argument("trans_b", 1), 1, {{"x", x}, {"w", w}}, false);
  check("type: 'BatchMatMul' input: 'x' input: 'w'" + test::int_argument("trans_b", 1), batch,
        {{"x", test::of<B>({batch, m, k}, a)}, {"w", test::of<B>({batch, n, k}, b)}}, false);
}

TEST_CASE_TEMPLATE("matrix product: 16-bit products run on devices and are refused on the host", B,
                   PLAIT_HOST_BACKENDS) {
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
