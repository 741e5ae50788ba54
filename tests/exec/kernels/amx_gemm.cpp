#include <plait/exec/detail/kernels/amx_gemm.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/operators/convolution.hpp>
#include <plait/exec/detail/operators/convolution_gradients.hpp>
#include <plait/exec/detail/operators/fully_connected.hpp>
#include <plait/exec/detail/operators/fully_connected_gradients.hpp>
#include <plait/exec/detail/operators/matmul.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/traits.hpp>

#include <support/gemm_cases.hpp>
#include <support/skip.hpp>

using namespace plait;

namespace {

std::vector<float> random_floats(std::int64_t count, std::mt19937& random) {
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<float> made(static_cast<std::size_t>(count));
  for (float& x : made) x = number(random);
  return made;
}

}  // namespace

TEST_CASE("has_amx: false if PLAIT_INSTRUCTIONS restricts instructions") {
  if (std::getenv("PLAIT_INSTRUCTIONS") != nullptr) CHECK_FALSE(detail::has_amx());
  CHECK((!detail::has_amx() || available_instructions() == instruction_set::avx512));
}

TEST_CASE("bf16x3: AMX tiles are chosen for shapes for which they pay") {
  bool const tiles = detail::has_amx();
  if (!tiles) test::skip("without AMX, matrices are packed in panels only");
  CHECK((detail::parts_of_packed<serial>(16, 64, 64) != nullptr) == tiles);
  CHECK((detail::parts_of_packed<serial>(32, 1024, 512) != nullptr) == tiles);
  CHECK((detail::parts_of_both<serial>(256, 256, 64) != nullptr) == tiles);
  CHECK(detail::parts_of_packed<serial>(15, 64, 64) == nullptr);
  CHECK(detail::parts_of_packed<serial>(31, 1024, 512) == nullptr);
}

TEST_CASE("bf16x3: a packed matrix is multiplied on AMX tiles on request only") {
  std::mt19937 random(13);
  test::gemm_case<float> x({.m = 40, .n = 64, .k = 96}, 0.5f, 2, random);
  auto const product = [&](packed_panels<float, serial> made, bool bf16x3) {
    made.pack(96, 64, x.b.data(), false, 0, 128, bf16x3);
    packed_panels<float, serial> const moved = std::move(made);
    std::vector<float> c(40 * 64, 1.0f);
    moved.multiply(40, x.a.data(), c.data(), 0.5f, 2);
    return c;
  };
  auto const fused = product(packed_panels<float, serial>(available_instructions()), false);
  auto const tiled = product({}, true);
  CHECK(product({}, false) == fused);
  CHECK((tiled == fused) == !detail::has_amx());
  for (std::size_t i = 0; i != tiled.size(); ++i) CHECK(tiled[i] == doctest::Approx(fused[i]).epsilon(1e-5));
}

// Numbers of a row differ by a factor of 10^36. The large ones are multiplied by zeros, so the small ones decide.
TEST_CASE("gemm: small numbers keep their digits beside large ones in a row") {
  constexpr std::int64_t m = 256, n = 256, k = 64;
  std::vector<float> a(m * k, 3e-16f);
  std::vector<float> b(k * n, 1.25f);
  for (std::size_t row = 0; row != m; ++row) a[row * k] = 1e20f;
  for (std::size_t column = 0; column != n; ++column) b[column] = 0;
  auto const wanted = static_cast<float>(double(3e-16f) * 1.25 * (k - 1));
  std::vector<float> c(m * n);
  gemm<serial>({.m = m, .n = n, .k = k}, a.data(), b.data(), c.data());
  for (float const x : c) CHECK(x == doctest::Approx(wanted).epsilon(1e-5));
  packed_matrix<float, serial> packed;
  packed.pack(k, n, b.data(), false, 0, m);
  packed.multiply(m, a.data(), c.data());
  for (float const x : c) CHECK(x == doctest::Approx(wanted).epsilon(1e-5));
}

TEST_CASE("bf16x3: plans multiply on AMX tiles on request only") {
  operators<serial> table;
  add_fully_connected_operators(table);
  add_matmul_operators(table);
  add_fully_connected_gradient_operators(table);
  add_convolution_operators(table);
  add_convolution_gradient_operators(table);
  struct trial {
    char const* text;
    std::vector<std::pair<char const*, shape>> feeds;
  };
  trial const trials[] = {
      {R"(op { type: "FC" input: "x" input: "w" input: "b" output: "y" })",
       {{"x", {256, 128}}, {"w", {256, 128}}, {"b", {256}}}},
      {R"(op { type: "FCTransposed" input: "x" input: "w" input: "b" output: "y" })",
       {{"x", {256, 128}}, {"w", {128, 256}}, {"b", {256}}}},
      {R"(op { type: "MatMul" input: "x" input: "w" output: "y" })", {{"x", {256, 128}}, {"w", {128, 256}}}},
      {R"(op { type: "BatchMatMul" input: "x" input: "w" output: "y" })", {{"x", {2, 256, 128}}, {"w", {2, 128, 256}}}},
      {R"(op { type: "FCGradient" input: "x" input: "w" input: "d" output: "y" output: "db" output: "dx" })",
       {{"x", {256, 128}}, {"w", {256, 128}}, {"d", {256, 256}}}},
      {R"(op { type: "Conv" input: "x" input: "w" output: "y" arg { name: "kernel" i: 1 } })",
       {{"x", {1, 128, 16, 16}}, {"w", {128, 128, 1, 1}}}},
      {R"(op { type: "ConvGradient" input: "x" input: "w" input: "d" output: "y" output: "dx"
               arg { name: "kernel" i: 1 } arg { name: "no_bias" i: 1 } })",
       {{"x", {1, 128, 16, 16}}, {"w", {128, 128, 1, 1}}, {"d", {1, 128, 16, 16}}}},
  };
  for (trial const& t : trials) {
    CAPTURE(t.text);
    netdef const net = read_netdef_text(t.text);
    auto const run = [&](compile_options const& options) {
      std::mt19937 random(5);
      workspace<serial> blobs;
      for (auto const& [name, dims] : t.feeds) blobs.feed(name, random_floats(dims.size(), random), dims);
      auto plan = compile(net, table, blobs, options);
      plan.run();
      return blobs.fetch<float>("y");
    };
    auto const fused = run({});
    auto const tiled = run({.bf16x3 = true});
    REQUIRE(fused.size() == tiled.size());
    CHECK((fused == tiled) == !detail::has_amx());
    for (std::size_t i = 0; i != fused.size(); ++i) CHECK(std::abs(fused[i] - tiled[i]) < 1e-4f);
  }
}
