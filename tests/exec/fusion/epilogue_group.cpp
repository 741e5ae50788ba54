// Epilogue groups: products with epilogues have the bits of separate ops on every path, and form only if no other op
// reads the result of the product.
#include <plait/exec/detail/fusion/epilogue_group.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/schedule.hpp>
#include <support/run_op.hpp>
#include <support/some_threads.hpp>

namespace {

using plait::group_kind;

template <class T>
std::vector<T> numbers(std::int64_t count, std::size_t from) {
  std::vector<T> made(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i != made.size(); ++i) made[i] = static_cast<T>((i + from) * 37 % 211) / 64 - T(1.5);
  return made;
}

/// Product op with inputs x, w and perhaps b, and result p.
struct product {
  std::string op;
  std::vector<std::pair<std::string, plait::shape>> inputs;
  plait::shape result;
};

product fully_connected(std::int64_t m, std::int64_t k, std::int64_t n) {
  return {R"(op { type: "FC" input: "x" input: "w" input: "b" output: "p" })",
          {{"x", {m, k}}, {"w", {n, k}}, {"b", {n}}},
          {m, n}};
}
product matrix_product(std::int64_t m, std::int64_t k, std::int64_t n) {
  return {R"(op { type: "MatMul" input: "x" input: "w" output: "p" })", {{"x", {m, k}}, {"w", {k, n}}}, {m, n}};
}
product batch_by_one_matrix(std::int64_t m, std::int64_t k, std::int64_t n) {
  return {R"(op { type: "BatchMatMul" input: "x" input: "w" output: "p" arg { name: "broadcast" i: 1 } })",
          {{"x", {2, 3, m, k}}, {"w", {k, n}}},
          {2, 3, m, n}};
}
product convolution(std::int64_t channels, std::int64_t units, std::int64_t size, bool last, std::int64_t groups) {
  auto const with = [&](std::int64_t first, std::int64_t c, std::int64_t s) {
    return last ? plait::shape{first, s, s, c} : plait::shape{first, c, s, s};
  };
  return {R"(op { type: "Conv" input: "x" input: "w" input: "b" output: "p" arg { name: "kernel" i: 3 }
                 arg { name: "pad" i: 1 } arg { name: "order" s: ")" +
              std::string(last ? "NHWC" : "NCHW") + R"(" } arg { name: "group" i: )" + std::to_string(groups) + " } }",
          {{"x", with(2, channels, size)}, {"w", with(units, channels / groups, 3)}, {"b", {units}}},
          with(2, units, size)};
}

std::string const sum = R"(op { type: "Add" input: "p" input: "r" output: "s" })";
std::string function_of(std::string const& type, std::string const& input) {
  return "op { type: '" + type + "' input: '" + input + "' output: 'y' } external_output: 'y'";
}

/// Returns y, and appends the kinds of the plan's groups.
template <class B, class T>
std::vector<T> run(product const& p, std::string const& rest, plait::compile_options const& options,
                   std::vector<group_kind>& kinds) {
  plait::workspace<B> blobs;
  std::size_t seed = 0;
  for (auto const& [name, dims] : p.inputs) blobs.template feed<T>(name, numbers<T>(dims.size(), ++seed), dims);
  blobs.template feed<T>("r", numbers<T>(p.result.size(), 99), p.result);
  auto plan = plait::compile(plait::read_netdef_text(p.op + rest), test::table<B>(), blobs, options);
  plan.run();
  plan.run();
  for (plait::schedule::group const& g : plan.schedule().groups) kinds.push_back(g.kind);
  return blobs.template fetch<T>("y");
}

template <class B, class T>
void check_one(product const& p) {
  for (std::string const& rest :
       {function_of("Relu", "p"), sum + function_of("Relu", "s"), sum + function_of("Sigmoid", "s")})
    for (std::vector<std::string> const& constants : {std::vector<std::string>{}, std::vector<std::string>{"w"}}) {
      CAPTURE(p.op);
      CAPTURE(to_string(p.result));
      CAPTURE(rest);
      CAPTURE(constants.size());
      std::vector<group_kind> kinds, alone_kinds;
      auto const fused = run<B, T>(p, rest, {.constants = constants}, kinds);
      CHECK(kinds.front() == group_kind::epilogue);
      plait::plan_passes alone;
      alone.fuse_epilogues = false;
      CHECK(fused == run<B, T>(p, rest, {.constants = constants, .passes = alone}, alone_kinds));
      CHECK(alone_kinds.front() == group_kind::alone);
    }
}

std::vector<product> products() {
  std::vector<product> made;
  for (std::int64_t const m : {1, 3, 16, 17, 64, 300})
    for (auto const& [k, n] : {std::pair{1, 1}, std::pair{5, 40}, std::pair{200, 33}, std::pair{1100, 96}}) {
      made.push_back(fully_connected(m, k, n));
      made.push_back(matrix_product(m, k, n));
    }
  for (std::int64_t const m : {1, 5, 40}) made.push_back(batch_by_one_matrix(m, 200, 33));
  for (bool const last : {false, true})
    for (std::int64_t const groups : {1, 2}) made.push_back(convolution(6, 8, 20, last, groups));
  return made;
}

TEST_CASE_TEMPLATE("epilogue_group: sums and functions of products have the bits of separate ops", T, float, double) {
  test::some_threads threads;
  for (product const& p : products()) {
    check_one<plait::serial, T>(p);
    threads.execute([&] { check_one<plait::tbb, T>(p); });
  }
}

TEST_CASE("epilogue_group: Relu keeps NaN and the sign of zero") {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  auto const result = [&](bool fuses) {
    plait::workspace<plait::serial> blobs;
    blobs.feed("x", std::vector<float>{1, nan, -0.0f, -3}, {4, 1});
    blobs.feed("w", std::vector<float>{1}, {1, 1});
    plait::plan_passes passes;
    passes.fuse_epilogues = fuses;
    auto plan = plait::compile(plait::read_netdef_text(R"(op { type: "MatMul" input: "x" input: "w" output: "p" }
                                   op { type: "Relu" input: "p" output: "y" } external_output: "y")"),
                               test::table<plait::serial>(), blobs, {.passes = passes});
    plan.run();
    CHECK((plan.schedule().groups.front().kind == group_kind::epilogue) == fuses);
    return blobs.fetch<float>("y");
  };
  auto const fused = result(true);
  auto const alone = result(false);
  REQUIRE(fused.size() == alone.size());
  for (std::size_t i = 0; i != fused.size(); ++i)
    CHECK(std::bit_cast<std::uint32_t>(fused[i]) == std::bit_cast<std::uint32_t>(alone[i]));
}

TEST_CASE("epilogue_group: ops whose input another op reads, and other functions than Relu, run alone") {
  product const p = fully_connected(8, 16, 24);
  auto const first = [&](std::string const& rest) {
    std::vector<group_kind> kinds;
    run<plait::serial, float>(p, rest, {}, kinds);
    return kinds.front();
  };
  CHECK(first(function_of("Relu", "p")) == group_kind::epilogue);
  CHECK(first(function_of("Sigmoid", "p")) == group_kind::alone);
  CHECK(first(function_of("Relu", "p") + " external_output: 'p'") == group_kind::alone);
  CHECK(first(R"(op { type: "Relu" input: "p" output: "z" } op { type: "Add" input: "z" input: "p" output: "y" }
                 external_output: "y")") == group_kind::alone);
  CHECK(first(R"(op { type: "Cast" input: "p" output: "i" arg { name: "to" s: "int32" } }
                 op { type: "Cast" input: "i" output: "y" arg { name: "to" s: "float" } } external_output: "y")") ==
        group_kind::alone);
  // The value is its own addend.
  CHECK(first(R"(op { type: "Add" input: "p" input: "p" output: "y" } external_output: "y")") == group_kind::alone);
  // The sum is in the memory of the addend.
  CHECK(first(R"(op { type: "Add" input: "p" input: "r" output: "r" } op { type: "Relu" input: "r" output: "y" }
                 external_output: "y")") == group_kind::alone);
}

TEST_CASE("epilogue_group: a failure is reported for the product, and the addend may come from any layer before") {
  plait::workspace<plait::serial> blobs;
  blobs.feed("x", numbers<float>(8 * 16, 1), {8, 16});
  blobs.feed("w", numbers<float>(16 * 16, 2), {16, 16});
  blobs.feed("b", numbers<float>(16, 3), {16});
  auto plan = plait::compile(plait::read_netdef_text(R"(
      op { type: "FC" input: "x" input: "w" input: "b" output: "h" } op { type: "Relu" input: "h" output: "h" }
      op { type: "FC" input: "h" input: "w" input: "b" output: "g" } op { type: "Add" input: "g" input: "h" output: "s" }
      op { type: "Relu" input: "s" output: "y" } external_output: "y")"),
                             test::table<plait::serial>(), blobs);
  plan.run();
  auto const groups = plan.schedule().groups;
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].count == 2);
  CHECK(groups[1].count == 3);
  blobs.feed("b", numbers<float>(15, 3), {15});
  try {
    plan.run();
    FAIL("a bias of another length was accepted");
  } catch (plait::exec_error const& e) {
    CHECK(e.op == 0);
    CHECK(e.type == "FC");
  }
}

}  // namespace
