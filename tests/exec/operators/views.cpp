#include <plait/exec/operators/views.hpp>

#include <vector>

#include <doctest/doctest.h>

#include <support/run_op.hpp>

namespace {

TEST_CASE_TEMPLATE("views: every type and shape comes out as it went in", B, PLAIT_HOST_BACKENDS) {
  auto const& table = test::table<B>();
  for (char const* type : {"Copy", "Alias", "StopGradient", "NegateGradient", "EnsureDense", "CopyFromCPUInput"}) {
    std::string const op = std::string("type: \"") + type + "\" input: \"x\" output: \"y\"";
    auto const floats = test::run_op<B>(table, op, {{"x", test::of<B, float>({2, 2}, {1, 2, 3, -4})}});
    CHECK(floats.template fetch<float>("y") == std::vector<float>{1, 2, 3, -4});
    CHECK(floats.view("y").dims() == plait::shape{2, 2});
    CHECK_FALSE(floats.view("y").shares_memory(floats.view("x")));
    auto const empty = test::run_op<B>(table, op, {{"x", test::of<B, std::int64_t>({0, 3}, {})}});
    CHECK(empty.view("y").spec() == plait::tensor_spec{plait::element_type::int64, {0, 3}});
  }
}

TEST_CASE_TEMPLATE("CopyOnDeviceLike does not look at what its second input is; ZeroGradient makes nothing", B,
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

}  // namespace
