#include <plait/exec/detail/kernels/few_rows_gemm.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/detail/kernels/packed_gemm.hpp>

#include <support/gemm_cases.hpp>
#include <support/some_threads.hpp>

using namespace plait;
using test::instruction_sets;
using test::random_numbers;

TEST_CASE_TEMPLATE("multiply_few_rows: a single row has the bits of a row among others", T, float, double) {
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
          detail::multiply_few_rows<T>(kernel, p, {1, p.a, p.c, p.from == nullptr ? p.c : p.from, p.more},
                                       packed.data(), 0, kernel.panels(n), way > 2);
          several.resize(one.size());
          CHECK(std::memcmp(one.data(), several.data(), one.size() * sizeof(T)) == 0);
          several = before;
          p.c = several.data();
          detail::multiply_packed<serial>(kernel, p, packed.data(), way > 2);
          CHECK(several == one);
          std::vector<T> apart(static_cast<std::size_t>(3 * k));  // strided, as in a column of a matrix
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

TEST_CASE_TEMPLATE("multiply_packed: a single row split over threads has the bits of one thread", T, float, double) {
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

// A team keeps the setup of a product, which the next one must not reuse: all but the matrix differs, one at a time.
TEST_CASE_TEMPLATE("multiply_packed: few rows split over a team have the bits of one thread, whatever ran before", T,
                   float, double) {
  test::some_threads threads;
  std::mt19937 random(8);
  for (instruction_set const set : instruction_sets()) {
    auto const& kernel = detail::tiles_for<T>(set);
    std::ptrdiff_t const n = 520, k = 300, gap = 24;
    auto const numbers = random_numbers<T>(8 * (k + n) * 3, random);
    auto const b = random_numbers<T>(k * n, random);
    std::vector<T> packed(static_cast<std::size_t>(detail::packed_size(kernel, k, n)));
    detail::pack_panels<serial>(kernel, {1, n, k, nullptr, 0, 1, b.data(), n, 1, nullptr, 0, 1, 0}, packed.data());
    using problem = detail::gemm_problem<T>;
    problem const usual{2, n, k, numbers.data(), k, 1, nullptr, 0, 0, nullptr, n, 1, 1};
    std::vector<problem> all(1, usual);
    auto const add = [&](auto const& change) {
      change(all.emplace_back(usual));
      all.push_back(usual);
    };
    T const* const elsewhere = numbers.data() + 4 * k;
    add([](problem& p) { p.m = 1; });
    add([](problem& p) { p.m = 3; });
    add([](problem& p) { p.n = 400; });
    add([](problem& p) { p.k = 256; });
    add([](problem& p) { p.a_row = k + gap; });
    add([](problem& p) { p.m = 1, p.a_row = 1, p.a_column = 2; });
    add([](problem& p) { p.c_row = n + gap; });
    add([](problem& p) { p.beta = 0; });
    add([](problem& p) { p.beta = T(1) / 2; });
    add([&](problem& p) { p.a = numbers.data() + 7; });
    add([&](problem& p) { p.from = elsewhere; });
    add([&](problem& p) { p.from = elsewhere, p.from_row = n; });
    add([&](problem& p) { p.from = elsewhere, p.from_row = n + gap; });
    add([&](problem& p) { p.more = elsewhere, p.more_row = n; });
    add([&](problem& p) { p.more = elsewhere, p.more_row = n + gap; });
    for (std::ptrdiff_t const apart : {2, 3, 2}) {
      problem& p = all.emplace_back(usual);
      p.m = p.a_row = 1;
      p.a_column = apart;
      p.n = 120;  // so few that strided rows are not packed
      p.k = 1000;
    }
    for (std::ptrdiff_t const apart : {std::ptrdiff_t{0}, n, n + gap}) {
      problem& p = all.emplace_back(usual);
      p.from = elsewhere;
      p.from_row = apart;
    }
    std::vector<T> const before = random_numbers<T>(6 * (n + gap), random);
    auto const results = [&]<class B>(B) {
      std::vector<std::vector<T>> made(2 * all.size(), before);
      for (std::size_t i = 0; i != made.size(); ++i) {
        problem p = all[i / 2];
        p.c = made[i].data();
        detail::multiply_packed<B>(kernel, p, packed.data(), i % 2 == 1);
      }
      return made;
    };
    auto const wanted = results(serial{});
    threads.execute([&] {
      detail::spinning_pool<plait::tbb> const team;
      CHECK(results(plait::tbb{}) == wanted);
    });
    CHECK(threads.execute([&] { return results(plait::tbb{}); }) == wanted);
  }
}

// However panels are split, each is multiplied once, with the bits of one thread.
TEST_CASE_TEMPLATE("few_rows_task: chunks of any sizes give the whole product", T, float, double) {
  std::mt19937 random(9);
  for (instruction_set const set : instruction_sets()) {
    auto const& kernel = detail::tiles_for<T>(set);
    for (std::ptrdiff_t const m : {1, 2, 3, 4})
      for (std::ptrdiff_t const n : {1 * kernel.width, 11 * kernel.width - 3, 70 * kernel.width})
        for (std::ptrdiff_t const k : {20, 600}) {
          if (m != 1 && k > kernel.block) continue;
          auto const a = random_numbers<T>(m * k, random), b = random_numbers<T>(k * n, random);
          auto const before = random_numbers<T>(m * n, random);
          std::vector<T> packed(static_cast<std::size_t>(detail::packed_size(kernel, k, n)));
          detail::pack_panels<serial>(kernel, {1, n, k, nullptr, 0, 1, b.data(), n, 1, nullptr, 0, 1, 0},
                                      packed.data());
          auto wanted = before;
          detail::gemm_problem<T> p{m, n, k, a.data(), k, 1, nullptr, 0, 0, wanted.data(), n, 1, 1};
          detail::multiply_packed<serial>(kernel, p, packed.data());
          for (bool const backwards : {false, true}) {
            detail::few_rows_task<T> task;
            task.set(kernel, p, packed.data(), 2, backwards);
            for (std::ptrdiff_t const parts : {1, 2, 3})
              for (std::ptrdiff_t own = parts == 1 ? task.units() : 1; own <= task.units() - (parts - 1); ++own) {
                task.share(parts, own);
                auto made = before;
                for (std::size_t part = 0; part != static_cast<std::size_t>(parts); ++part)
                  task(part, {made.data(), {a.data(), made.data(), nullptr}});
                CAPTURE(m);
                CAPTURE(n);
                CAPTURE(k);
                CAPTURE(backwards);
                CAPTURE(parts);
                CAPTURE(own);
                REQUIRE(made == wanted);
              }
          }
        }
  }
}

// Runs often enough for the load balance to change.
TEST_CASE_TEMPLATE("multiply_packed: repeated products of a team have the same bits each time", T, float, double) {
  test::some_threads threads;
  std::mt19937 random(10);
  auto const& kernel = detail::tiles_for<T>();
  for (std::ptrdiff_t const m : {1, 2, 4})
    for (std::ptrdiff_t const n : {kernel.width, 24 * kernel.width - 5}) {
      std::ptrdiff_t const k = (detail::team_work + m * n - 1) / (m * n);
      if (m != 1 && k > kernel.block) continue;
      auto const a = random_numbers<T>(m * k, random), b = random_numbers<T>(k * n, random);
      std::vector<T> packed(static_cast<std::size_t>(detail::packed_size(kernel, k, n)));
      detail::pack_panels<serial>(kernel, {1, n, k, nullptr, 0, 1, b.data(), n, 1, nullptr, 0, 1, 0}, packed.data());
      std::vector<T> wanted(static_cast<std::size_t>(m * n)), made = wanted;
      detail::gemm_problem<T> p{m, n, k, a.data(), k, 1, nullptr, 0, 0, wanted.data(), n, 1, 0};
      detail::multiply_packed<serial>(kernel, p, packed.data());
      p.c = made.data();
      threads.execute([&] {
        detail::spinning_pool<plait::tbb> const team;
        for (int turn = 0; turn != 2'000; ++turn) {
          std::ranges::fill(made, T(-1));
          detail::multiply_packed<plait::tbb>(kernel, p, packed.data(), turn % 2 == 1);
          REQUIRE(made == wanted);
        }
      });
    }
}
