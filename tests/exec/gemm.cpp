#include <plait/exec/detail/gemm.hpp>

#include <cstring>
#include <new>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

#include <support/gemm_cases.hpp>

using namespace plait;

namespace {

// Backend with two threads, so that the parallel path runs on every machine.
struct two_threads : omp {
  static unsigned concurrency() { return 2; }
  static auto policy() {
    omp_set_num_threads(2);
    return omp::policy();
  }
};

struct without_memory : two_threads {
  static void* allocate(std::size_t) { throw std::bad_alloc(); }
};

// Library that counts its products.
template <backend B>
struct counting_gemm : own_gemm<B> {
  static inline int calls = 0;
  template <class T>
  static void multiply(gemm_shape const& s, gemm_batch const& batch, T const* a, T const* b, T* c, T alpha, T beta) {
    ++calls;
    CHECK(s.lda != 0);
    own_gemm<B>::multiply(s, batch, a, b, c, alpha, beta);
  }
};
struct counting : serial {
  using gemm_library = counting_gemm<serial>;
};

template <class T>
bool same_bits(std::vector<T> const& x, std::vector<T> const& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

}  // namespace

TEST_CASE_TEMPLATE("gemm: computes c = alpha * op(a) * op(b) + beta * c", T, float, double) {
  std::mt19937 random(1);
  for (bool const ta : {false, true})
    for (bool const tb : {false, true})
      for (std::int64_t const gap : {0, 3})
        for (std::int64_t const m : {1, 6, 33}) {
          gemm_shape s{.m = m, .n = 37, .k = 21, .transpose_a = ta, .transpose_b = tb};
          if (gap != 0) {
            s.lda = (ta ? s.m : s.k) + gap;
            s.ldb = (tb ? s.k : s.n) + gap;
            s.ldc = s.n + gap;
          }
          PLAIT_INFO_GEMM(s);
          for (auto const& [alpha, beta] : {std::pair<T, T>(1, 0), {T(0.5), 1}, {-1, 2}}) {
            test::gemm_case<T> x(s, alpha, beta, random);
            std::vector<T> const before = x.c;
            gemm<serial>(s, x.a.data(), x.b.data(), x.result(), alpha, beta);
            std::vector<T> after = std::exchange(x.c, before);
            x.check(after);
          }
        }
}

TEST_CASE("gemm: extents and factors may be zero") {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> const a(6, nan);
  std::vector<float> c{1, 2, 3, 4};
  gemm<serial>({.m = 2, .n = 2, .k = 0}, a.data(), a.data(), c.data(), 1, 2);
  CHECK(c == std::vector<float>{2, 4, 6, 8});
  gemm<serial>({.m = 2, .n = 2, .k = 3}, a.data(), a.data(), c.data(), 0, 0.5);
  CHECK(c == std::vector<float>{1, 2, 3, 4});
  gemm<serial>({.m = 0, .n = 2, .k = 3}, a.data(), a.data(), c.data());
  gemm<serial>({.m = 2, .n = 0, .k = 3}, a.data(), a.data(), c.data());
  CHECK(c == std::vector<float>{1, 2, 3, 4});
  gemm<serial>({.m = 0, .n = 0, .k = 0}, a.data(), a.data(), c.data(), 1, 0);
  c.assign(4, nan);
  gemm<serial>({.m = 2, .n = 1, .k = 0, .ldc = 2}, a.data(), a.data(), c.data());
  CHECK(c[0] == 0);
  CHECK(std::isnan(c[1]));
  CHECK(c[2] == 0);
  c.assign(4, nan);
  gemm<serial>({.m = 2, .n = 2, .k = 3}, a.data(), a.data(), c.data(), 0);
  CHECK(c == std::vector<float>(4, 0.F));
  // NaN times zero stays NaN.
  gemm<serial>({.m = 2, .n = 2, .k = 3}, a.data(), std::vector<float>(6, 0.F).data(), c.data());
  CHECK(std::all_of(c.begin(), c.end(), [](float x) { return std::isnan(x); }));
}

TEST_CASE("gemm: invalid shapes are refused") {
  std::vector<float> x(100);
  CHECK_THROWS_AS(gemm<serial>({.m = -1, .n = 2, .k = 2}, x.data(), x.data(), x.data()), precondition_error);
  CHECK_THROWS_AS(gemm<serial>({.m = 2, .n = 2, .k = 3, .lda = 2}, x.data(), x.data(), x.data()), precondition_error);
  CHECK_THROWS_AS(gemm<serial>({.m = 2, .n = 2, .k = 3, .transpose_b = true, .ldb = 2}, x.data(), x.data(), x.data()),
                  precondition_error);
  CHECK_THROWS_AS(gemm<serial>({.m = 2, .n = 2, .k = 3, .ldc = 1}, x.data(), x.data(), x.data()), precondition_error);
  CHECK_THROWS_AS(gemm_batched<serial>({.m = 2, .n = 2, .k = 3}, {.count = 2}, x.data(), x.data(), x.data()),
                  precondition_error);
}

TEST_CASE_TEMPLATE("gemm_batched: batches have the bits of single products", T, float, double) {
  std::mt19937 random(2);
  std::uniform_real_distribution<T> number(-1, 1);
  auto const numbers = [&](std::int64_t count) {
    std::vector<T> made(static_cast<std::size_t>(count));
    for (T& x : made) x = number(random);
    return made;
  };
  for (std::int64_t const k : {3, 300})  // the second is large enough for threads
    for (bool const repeat_a : {false, true})
      for (bool const repeat_b : {false, true}) {
        gemm_shape const s{.m = 9, .n = 130, .k = k, .transpose_b = repeat_a};
        gemm_batch const batch{7, repeat_a ? 0 : 9 * k + 2, repeat_b ? 0 : 130 * k, 9 * 130 + 5};
        std::vector<T> const a = numbers(7 * (9 * k + 2));
        std::vector<T> const b = numbers(7 * 130 * k);
        std::vector<T> const c = numbers(7 * (9 * 130 + 5));
        std::vector<T> expected = c;
        for (std::int64_t i = 0; i != 7; ++i)
          gemm<serial>(s, a.data() + i * batch.stride_a, b.data() + i * batch.stride_b,
                       expected.data() + i * batch.stride_c, T(2), T(-1));
        auto const run = [&]<backend B>(B) {
          std::vector<T> got = c;
          gemm_batched<B>(s, batch, a.data(), b.data(), got.data(), T(2), T(-1));
          return got;
        };
        CHECK(same_bits(run(serial()), expected));
        CHECK(same_bits(run(omp()), expected));
        CHECK(same_bits(run(plait::tbb()), expected));
        CHECK(same_bits(run(two_threads()), expected));
      }
  std::vector<T> c(4, T(5));
  gemm_batched<serial, T>({.m = 2, .n = 2, .k = 2}, {.count = 0}, nullptr, nullptr, c.data());
  CHECK(c == std::vector<T>(4, T(5)));
}

TEST_CASE("gemm: throws memory_error if threads cannot allocate packing buffers") {
  std::vector<float> const a(100 * 400, 1.F);
  std::vector<float> const b(400 * 600, 1.F);
  std::vector<float> c(100 * 600);
  CHECK_THROWS_AS(gemm<without_memory>({.m = 100, .n = 600, .k = 400}, a.data(), b.data(), c.data()),
                  plait::memory_error);
}

TEST_CASE_TEMPLATE("gemm: serial, omp and tbb give the same bits", T, float, double) {
  std::mt19937 random(3);
  for (auto const& size : {std::array<std::int64_t, 3>{1, 3000, 300},
                           {4, 700, 1030},
                           {33, 257, 130},
                           {200, 100, 40},
                           {29, 300, 600},
                           {16, 2100, 64},
                           {300, 9, 400},
                           {930, 70, 40},
                           {3, 3, 3}})
    for (bool const ta : {false, true})
      for (bool const tb : {false, true}) {
        gemm_shape const s{.m = size[0], .n = size[1], .k = size[2], .transpose_a = ta, .transpose_b = tb};
        PLAIT_INFO_GEMM(s);
        test::gemm_case<T> x(s, 1, 0, random);
        auto const run = [&]<backend B>(B) {
          std::vector<T> c(static_cast<std::size_t>(s.m * s.n));
          gemm<B>(s, x.a.data(), x.b.data(), c.data(), T(0.7));
          return c;
        };
        std::vector<T> const expected = run(serial());
        CHECK(same_bits(run(omp()), expected));
        CHECK(same_bits(run(plait::tbb()), expected));
        CHECK(same_bits(run(two_threads()), expected));
        if (ta) continue;
        auto const run_packed = [&]<backend B>(B) {
          packed_matrix<T, B> packed;
          packed.pack(s.k, s.n, x.b.data(), tb);
          std::vector<T> c(static_cast<std::size_t>(s.m * s.n));
          for (int i = 0; i != 2; ++i) packed.multiply(s.m, x.a.data(), c.data(), T(0.7));
          return c;
        };
        std::vector<T> const expected_packed = run_packed(serial());
        CHECK(same_bits(run_packed(omp()), expected_packed));
        CHECK(same_bits(run_packed(plait::tbb()), expected_packed));
        CHECK(same_bits(run_packed(two_threads()), expected_packed));
      }
}

TEST_CASE("gemm: a backend may supply its own library") {
  std::vector<float> const x{1, 2, 3, 4};
  std::vector<float> c(4);
  gemm<counting>({.m = 2, .n = 2, .k = 2}, x.data(), x.data(), c.data());
  CHECK(c == std::vector<float>{7, 10, 15, 22});
  CHECK(counting_gemm<serial>::calls == 1);
  gemm<serial>({.m = 2, .n = 2, .k = 2}, x.data(), x.data(), c.data());
  CHECK(counting_gemm<serial>::calls == 1);
}
