#include <plait/exec/detail/operators/views.hpp>

#include <vector>

#include <doctest/doctest.h>

#include <support/run_op.hpp>

namespace {

TEST_CASE_TEMPLATE("views: every type and shape passes unchanged", B, PLAIT_HOST_BACKENDS) {
  auto const& table = test::table<B>();
  for (char const* type : {"Copy", "Alias", "AliasWithName", "StopGradient", "NegateGradient", "EnsureDense",
                           "CopyFromCPUInput", "CopyCPUToGPU", "CopyGPUToCPU", "EnsureCPUOutput"}) {
    std::string const op = std::string("type: \"") + type + "\" input: \"x\" output: \"y\"";
    auto const floats = test::run_op<B>(table, op, {{"x", test::of<B, float>({2, 2}, {1, 2, 3, -4})}});
    CHECK(floats.template fetch<float>("y") == std::vector<float>{1, 2, 3, -4});
    CHECK(floats.view("y").dims() == plait::shape{2, 2});
    CHECK_FALSE(floats.view("y").shares_memory(floats.view("x")));
    auto const empty = test::run_op<B>(table, op, {{"x", test::of<B, std::int64_t>({0, 3}, {})}});
    CHECK(empty.view("y").spec() == plait::tensor_spec{plait::element_type::int64, {0, 3}});
  }
}

TEST_CASE_TEMPLATE("CopyOnDeviceLike: ignores its second input, and ZeroGradient has no output", B,
                   PLAIT_HOST_BACKENDS) {
  auto const& table = test::table<B>();
  auto const blobs = test::run_net<B>(
      table, R"(op { type: "CopyOnDeviceLike" input: "x" input: "z" output: "y" }
      op { type: "ZeroGradient" input: "y" })",
      {{"x", test::of<B, float>({3}, {1, 2, 3})}, {"z", plait::tensor<B>::from(std::vector<bool>(), {0})}});
  CHECK(blobs.template fetch<float>("y") == std::vector<float>{1, 2, 3});
  CHECK_FALSE(blobs.view("y").shares_memory(blobs.view("x")));
  auto const wide = test::run_op<B>(table, R"(type: "CopyOnDeviceLike" input: "x" input: "x" output: "y")",
                                    {{"x", test::of<B, std::int64_t>({2, 2}, {1, -2, 9'007'199'254'740'993, 0})}});
  CHECK(wide.template fetch<std::int64_t>("y") == std::vector<std::int64_t>{1, -2, 9'007'199'254'740'993, 0});
  CHECK(wide.view("y").dims() == plait::shape{2, 2});
}

TEST_CASE_TEMPLATE("Free: freed blobs are unset, and an op that reads one is refused", B, PLAIT_HOST_BACKENDS) {
  auto const& table = test::table<B>();
  std::string const made = R"(op { type: "Copy" input: "x" output: "y" } op { type: "Copy" input: "y" output: "z" }
                              op { type: "Free" input: "y" input: "w" output: "y" output: "w" })";
  test::feeds<B> const fed = {{"x", test::of<B, float>({3}, {1, 2, 3})}, {"w", test::of<B, float>({1}, {4})}};
  auto const blobs = test::run_net<B>(table, made, fed);
  CHECK(blobs.template fetch<float>("z") == std::vector<float>{1, 2, 3});
  CHECK_FALSE(blobs.contains("y"));
  CHECK(blobs.template fetch<float>("w") == std::vector<float>{4});  // the caller owns fed blobs
  CHECK_THROWS_WITH_AS(test::run_net<B>(table, made + R"(op { type: "Copy" input: "y" output: "v" })", fed),
                       doctest::Contains("'y' is nothing, not a tensor"), plait::exec_error);
  auto const again = test::run_net<B>(
      table, made + R"(op { type: "Free" input: "y" output: "y" } op { type: "Copy" input: "z" output: "y" })", fed);
  CHECK(again.template fetch<float>("y") == std::vector<float>{1, 2, 3});
  CHECK_THROWS_WITH_AS(test::run_op<B>(table, R"(type: "Free" input: "x" input: "w" output: "x")", fed),
                       doctest::Contains("2 inputs and 1 outputs"), plait::exec_error);
}

TEST_CASE("Free: other blobs reuse the freed memory") {
  using B = plait::serial;
  std::string net = R"(external_output: "y")";
  for (int k = 0; k != 8; ++k) {
    std::string const from = k == 0 ? "x" : "h" + std::to_string(k - 1);
    std::string const to = k == 7 ? "y" : "h" + std::to_string(k);
    net += "op { type: 'Relu' input: '" + from + "' output: '" + to + "' }";
    if (k != 0) net += "op { type: 'Free' input: '" + from + "' output: '" + from + "' }";
  }
  plait::workspace<B> blobs;
  blobs.feed<float>("x", std::vector<float>(1000, 1), {1000});
  auto plan = plait::compile(plait::read_netdef_text(net), test::table<B>(), blobs);
  plan.run();
  CHECK(plan.memory().intermediate <= 2 * 4096);
  CHECK(blobs.fetch<float>("y") == std::vector<float>(1000, 1));
}

}  // namespace
