#include <plait/exec/kernels/row_gemm.hpp>

#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/kernels/packed_gemm.hpp>
#include <plait/exec/serial.hpp>
#include <plait/exec/tbb.hpp>

#include <support/gemm_cases.hpp>
#include <support/some_threads.hpp>

using namespace plait;
using test::instruction_sets;
using test::random_numbers;

TEST_CASE_TEMPLATE("a single row has the bits of a row among others", T, float, double) {
  std::mt19937 random(5);
  auto const numbers = [&](std::ptrdiff_t count) { return random_numbers<T>(count, random); };
  for (instruction_set const set : instruction_sets()) {
    auto const& kernel = detail::tiles_for<T>(set);
    std::ptrdiff_t const width = kernel.width;
    for (std::ptrdiff_t const n : {std::ptrdiff_t(1), width, 3 * width + 5, 4 * width, 9 * width + 1})
      for (std::ptrdiff_t const k : {1, 40, 513, 1100})
        for (int const way : {0, 1, 2, 3, 4, 5}) {
          CAPTURE(n);
          CAPTURE(k);
          CAPTURE(way);
          auto const b = numbers(k * n), a = numbers(k), from = numbers(n), more = numbers(n), before = numbers(n);
          std::vector<T> packed(static_cast<std::size_t>(detail::packed_size(kernel, k, n)));
          detail::pack_panels<serial>(kernel, {1, n, k, nullptr, 0, 1, b.data(), n, 1, nullptr, 0, 1, 0},
                                      packed.data());
          std::vector<T> one = before, several = before, rows = a;
          several.insert(several.end(), before.begin(), before.end());
          rows.insert(rows.end(), a.begin(), a.end());
          detail::gemm_problem<T> p{2, n, k, rows.data(), k, 1, nullptr, 0, 0, several.data(), n, 1, T(way) / 2};
          if (way % 3 == 1) p.from = from.data();
          if (way % 2 == 1) p.more = more.data();
          detail::multiply_packed<serial>(kernel, p, packed.data());
          p.m = 1;
          p.c = one.data();
          detail::multiply_row(kernel, p, packed.data(), way > 2);
          several.resize(one.size());
          CHECK(std::memcmp(one.data(), several.data(), one.size() * sizeof(T)) == 0);
          several = before;
          p.c = several.data();
          detail::multiply_packed<serial>(kernel, p, packed.data(), way > 2);
          CHECK(several == one);
          std::vector<T> apart(static_cast<std::size_t>(3 * k));  // as in a column of a matrix
          for (std::size_t l = 0; l != a.size(); ++l) apart[3 * l] = a[l];
          p.a = apart.data();
          p.a_row = 1;
          p.a_column = 3;
          several = before;
          detail::multiply_packed<serial>(kernel, p, packed.data(), way > 2);
          CHECK(several == one);
        }
  }
}

TEST_CASE_TEMPLATE("a single row that threads share has the bits of one that they do not", T, float, double) {
  test::some_threads threads;
  REQUIRE(threads.execute([] { return plait::tbb::concurrency(); }) > 1);
  std::mt19937 random(6);
  auto const numbers = [&](std::ptrdiff_t count) { return random_numbers<T>(count, random); };
  for (instruction_set const set : instruction_sets()) {
    auto const& kernel = detail::tiles_for<T>(set);
    for (std::ptrdiff_t const n : {72 * kernel.width, 69 * kernel.width + 3, 67 * kernel.width - 1})
      for (std::ptrdiff_t const k : {1000, 1100}) {
        REQUIRE(n * k >= detail::parallel_work);
        auto const b = numbers(k * n), a = numbers(k), from = numbers(n), more = numbers(n), before = numbers(n);
        std::vector<T> packed(static_cast<std::size_t>(detail::packed_size(kernel, k, n)));
        detail::pack_panels<serial>(kernel, {1, n, k, nullptr, 0, 1, b.data(), n, 1, nullptr, 0, 1, 0}, packed.data());
        for (int const way : {0, 1, 2, 3}) {
          CAPTURE(n);
          CAPTURE(k);
          CAPTURE(way);
          std::vector<T> one = before, several = before;
          detail::gemm_problem<T> p{1, n, k, a.data(), k, 1, nullptr, 0, 0, one.data(), n, 1, T(way) / 2};
          if (way % 2 == 1) p.from = from.data();
          if (way > 1) p.more = more.data();
          detail::multiply_packed<serial>(kernel, p, packed.data());
          p.c = several.data();
          threads.execute([&] { detail::multiply_packed<plait::tbb>(kernel, p, packed.data(), way > 1); });
          CHECK(several == one);
        }
      }
  }
}
