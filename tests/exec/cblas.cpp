#include <plait/exec/backends/cblas/cblas.hpp>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/operators/fully_connected.hpp>
#include <plait/exec/detail/operators/matmul.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>

#include <support/gemm_cases.hpp>

using namespace plait;

using blas = with_cblas<serial>;

TEST_CASE_TEMPLATE("with_cblas: gemm computes c = alpha * op(a) * op(b) + beta * c", T, float, double) {
  std::mt19937 random(4);
  for (bool const ta : {false, true})
    for (bool const tb : {false, true})
      for (std::int64_t const m : {0, 1, 5, 40})
        for (std::int64_t const k : {0, 1, 70})
          for (std::int64_t const gap : {0, 2}) {
            gemm_shape s{.m = m, .n = 31, .k = k, .transpose_a = ta, .transpose_b = tb};
            s.lda = (ta ? s.m : s.k) + gap;
            s.ldb = (tb ? s.k : s.n) + gap;
            s.ldc = s.n + gap;
            PLAIT_INFO_GEMM(s);
            for (auto const& [alpha, beta] : {std::pair<T, T>(1, 0), {T(0.5), 1}, {-1, 2}, {0, 0}, {0, 3}}) {
              test::gemm_case<T> x(s, alpha, beta, random);
              std::vector<T> const before = x.c;
              gemm<blas>(s, x.a.data(), x.b.data(), x.result(), alpha, beta);
              std::vector<T> after = std::exchange(x.c, before);
              x.check(after);
            }
          }
}

TEST_CASE("with_cblas: batches and packed matrices are multiplied, and gemm_traits selects the BLAS") {
  std::vector<double> const x{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<double> c(8);
  gemm_batched<blas>({.m = 2, .n = 2, .k = 2}, {2, 4, 0, 4}, x.data(), x.data(), c.data());
  CHECK(c == std::vector<double>{7, 10, 15, 22, 23, 34, 31, 46});
  packed_matrix<double, blas> packed;
  packed.pack(2, 2, x.data());
  packed.multiply(2, x.data(), c.data());
  CHECK(c[3] == 22);
  CHECK(std::is_base_of_v<cblas_gemm<serial>, gemm_traits<blas>>);
  CHECK(std::is_base_of_v<own_gemm<serial>, gemm_traits<serial>>);
}

TEST_CASE("with_cblas: a plan computes FC and MatMul on the backend") {
  operators<blas> table;
  add_fully_connected_operators(table);
  add_matmul_operators(table);
  auto const net = read_netdef_text(R"(
    op { type: "FC" input: "x" input: "w" input: "b" output: "y" }
    op { type: "MatMul" input: "y" input: "x" output: "z" arg { name: "trans_a" i: 1 } }
    external_output: "y" external_output: "z")");
  workspace<blas> blobs;
  blobs.feed<float>("x", {1, 2, 3, 4, 5, 6}, {2, 3});
  blobs.feed<float>("w", {1, 0, -1, 2, 1, 0}, {2, 3});
  blobs.feed<float>("b", {10, 20}, {2});
  compile(net, table, blobs).run();
  CHECK(blobs.fetch<float>("y") == std::vector<float>{8, 24, 8, 33});
  CHECK(blobs.fetch<float>("z") == std::vector<float>{40, 56, 72, 156, 213, 270});
}
