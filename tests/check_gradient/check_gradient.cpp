// check_gradient: detection of wrong rules and kinks, and refused arguments.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/caffe2_operators.hpp>

#include <support/gradient_cases.hpp>

namespace {

plait::workspace<plait::serial> given(std::vector<std::pair<std::string, test::tensor64>> const& values) {
  plait::workspace<plait::serial> blobs;
  for (auto const& [name, value] : values) blobs.feed(name, value);
  return blobs;
}

TEST_CASE("check_gradient: finds the elements where a rule is wrong") {
  plait::gradient_rules rules = plait::gradient_rules::standard();
  rules.set("Sqr", [](plait::gradient_context& c) {  // lacks the factor 2
    c.op("Mul", {c.output_gradient(0), c.input(0)}, {c.input_gradient(0)});
  });
  auto const blobs = given({{"x", test::doubles({0.5, 0, -3}, {3})}});
  auto const check = plait::check_gradient(test::tiny_net("Sqr x > y"), {"y"}, {"x"}, blobs, rules,
                                           plait::standard_operators<plait::serial>());
  CHECK(!check.ok());
  CHECK(check.checked == 3);
  REQUIRE(check.off.size() == 2);  // at 0 both are 0
  CHECK(check.off[0].blob == "x");
  CHECK(check.off[0].index == 0);
  CHECK(check.off[1].index == 2);
  CHECK(check.off[1].numeric == doctest::Approx(2 * check.off[1].analytic));
  CHECK(check.text().find("x[2]") != std::string::npos);
  for (auto const& e : check.off) CHECK(!e.kink);
}

TEST_CASE("check_gradient: marks kinks") {
  auto const blobs = given({{"x", test::doubles({0, 0.5, 3e-6, -6e-6, -0.5}, {5})}});
  auto const check = plait::check_gradient(test::tiny_net("Relu x > y"), {"y"}, {"x"}, blobs);
  CHECK(!check.ok());
  REQUIRE(check.off.size() == 3);
  for (auto const& e : check.off) {
    CHECK((e.index == 0 || e.index == 2 || e.index == 3));
    CHECK(e.kink);
  }
  CHECK(check.text().find("at a kink") != std::string::npos);
}

TEST_CASE("check_gradient: is accurate for functions of large curvature") {
  auto const blobs = given({{"x", test::doubles({0.1, 0.37, -0.9}, {3})}});
  plait::netdef net = test::tiny_net("Scale x > s; Sin s > y");
  net.op[0].arg.push_back(plait::make_argument(net, {"scale", 1000.0f}));
  auto const check = plait::check_gradient(net, {"y"}, {"x"}, blobs);
  CAPTURE(check.text());
  CHECK(check.ok());
}

TEST_CASE("check_gradient: converts floats to double and treats a missing gradient as zero") {
  plait::workspace<plait::serial> blobs;
  blobs.feed("x", std::vector<float>{0.5f, -1}, {2});
  blobs.feed("z", std::vector<float>{0.5f, -1}, {2});
  CHECK(plait::check_gradient(test::tiny_net("Tanh x > y; Sin z > v"), {"y"}, {"x", "z"}, blobs).ok());
  CHECK(blobs.view("x").type() == plait::element_type::float32);  // is unchanged
}

TEST_CASE("caffe2_gradient_rules: match caffe2_operators, both of which ignore the axis of Gather") {
  auto const net = test::tiny_net("Gather x i > y [axis 1]");
  auto const blobs = given({{"x", test::random_tensor({3, 3}, 1)}, {"i", test::int32s({2, 0}, {2})}});
  auto const old = plait::caffe2_operators<plait::serial>();
  auto const& standard = plait::standard_operators<plait::serial>();
  CHECK(plait::check_gradient(net, {"y"}, {"x"}, blobs, plait::caffe2_gradient_rules(), old).ok());
  CHECK(plait::check_gradient(net, {"y"}, {"x"}, blobs, plait::gradient_rules::standard(), standard).ok());
}

TEST_CASE("check_gradient: checks at most most_elements") {
  auto const blobs = given({{"x", test::random_tensor({10, 10}, 1)}});
  auto const check = plait::check_gradient(test::tiny_net("Tanh x > y"), {"y"}, {"x"}, blobs, {.most_elements = 7});
  CHECK(check.ok());
  CHECK(check.checked == 7);
}

TEST_CASE("check_gradient: refuses integer, unknown and duplicate blobs") {
  auto const net = test::tiny_net("Gather x i > y");
  auto const blobs = given({{"x", test::random_tensor({3, 2}, 1)}, {"i", test::int32s({2, 0}, {2})}});
  CHECK_THROWS_AS((void)plait::check_gradient(net, {"y"}, {"i"}, blobs), plait::net_error);
  CHECK_THROWS_AS((void)plait::check_gradient(net, {"y"}, {"w"}, blobs), plait::net_error);
  CHECK_THROWS_AS((void)plait::check_gradient(net, {"y", "y"}, {"x"}, blobs), plait::net_error);
  CHECK(plait::check_gradient(net, {"y"}, {"x"}, blobs).ok());
}

}  // namespace
