#include <plait/exec/detail/operators/learning_rate.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/run_op.hpp>

namespace {

struct policy {
  std::string name;
  std::string arguments;
  std::function<double(double)> multiplier;
};

std::string number(char const* name, double value) {
  return std::string(" arg { name: \"") + name + "\" f: " + std::to_string(value) + " }";
}
std::string count(char const* name, int value) {
  return std::string(" arg { name: \"") + name + "\" i: " + std::to_string(value) + " }";
}

std::vector<policy> const policies = {
    {"fixed", "", [](double) { return 1.0; }},
    {"step", count("stepsize", 3) + number("gamma", 0.5), [](double i) { return std::pow(0.5, std::floor(i / 3)); }},
    {"exp", number("gamma", 0.75), [](double i) { return std::pow(0.75, i); }},
    {"inv", number("gamma", 0.125) + number("power", 0.75), [](double i) { return std::pow(1 + i / 8, -0.75); }},
    {"poly", number("power", 2) + count("max_iter", 20), [](double i) { return i < 20 ? std::pow(1 - i / 20, 2) : 0; }},
    {"alter", count("active_period", 2) + count("inactive_period", 3),
     [](double i) { return std::fmod(i, 5) < 2 ? 1.0 : 0.0; }},
    {"alter", count("active_first", 0) + count("active_period", 2) + count("inactive_period", 3),
     [](double i) { return std::fmod(i, 5) < 3 ? 0.0 : 1.0; }},
    {"linearWarmup", number("start_multiplier", 0.25) + count("num_iter", 10),
     [](double i) { return i < 10 ? 0.25 + 0.75 * i / 10 : 1; }},
    {"linearWarmup", count("num_iter", 10), [](double i) { return i < 10 ? i / 10 : 1; }},
    {"constantWarmup", count("num_iter", 4), [](double i) { return i < 4 ? 0.5 : 1; }},
    {"constantWarmup", number("multiplier", 0.25) + count("num_iter", 4), [](double i) { return i < 4 ? 0.25 : 1; }},
    {"hill",
     number("start_multiplier", 0.25) + count("num_iter", 5) + number("gamma", 0.5) + number("power", 1) +
         number("end_multiplier", 0.2),
     [](double i) { return i < 5 ? 0.25 + 0.75 * i / 5 : std::max(double(0.2f), 1 / (1 + 0.5 * (i - 5))); }},
};

std::string op_of(std::string const& name, std::string const& arguments) {
  return R"(type: "LearningRate" input: "iter" output: "lr" arg { name: "policy" s: ")" + name + "\" }" +
         number("base_lr", 0.375) + arguments;
}

TEST_CASE_TEMPLATE("LearningRate: each policy follows its definition at every iteration", B, PLAIT_HOST_BACKENDS) {
  auto const& table = test::table<B>();
  for (policy const& p : policies) {
    plait::workspace<B> blobs;
    blobs.feed("iter", test::of<B, std::int64_t>({1}, {0}));
    auto plan = plait::compile(plait::read_netdef_text("op { " + op_of(p.name, p.arguments) + " }" +
                                                       R"(op { type: "Iter" input: "iter" output: "iter" })"),
                               table, blobs);
    for (int i = 0; i != 30; ++i) {
      plan.run();
      CAPTURE(p.name);
      CAPTURE(i);
      CHECK(blobs.view("lr").dims() == plait::shape());
      double const wanted = 0.375 * p.multiplier(i);
      CHECK(std::abs(double(blobs.template fetch<float>("lr")[0]) - wanted) <= 1e-7 * wanted);
      CHECK(blobs.template fetch<std::int64_t>("iter") == std::vector<std::int64_t>{i + 1});
    }
  }
}

TEST_CASE_TEMPLATE("Iter: counts by itself without an input", B, PLAIT_HOST_BACKENDS) {
  auto const& table = test::table<B>();
  plait::workspace<B> blobs;
  auto plan = plait::compile(plait::read_netdef_text(R"(op { type: "Iter" output: "iter" })"), table, blobs);
  for (std::int64_t i = 1; i != 4; ++i) {
    plan.run();
    CHECK(blobs.template fetch<std::int64_t>("iter") == std::vector<std::int64_t>{i});
  }
}

TEST_CASE("LearningRate: arguments that do not fit the policy are refused by name") {
  using B = plait::serial;
  auto const& table = test::table<B>();
  auto const refused = [&](std::string const& op, std::string const& fact) {
    plait::workspace<B> blobs;
    blobs.feed("iter", test::of<B, std::int64_t>({1}, {3}));
    try {
      auto plan = plait::compile(plait::read_netdef_text("op { " + op + " }"), table, blobs);
      FAIL("not refused: " << op);
    } catch (plait::exec_error const& e) {
      CHECK(e.type == "LearningRate");
      CHECK_MESSAGE(std::string(e.what()).find(fact) != std::string::npos, e.what());
    }
  };
  std::string const begin = R"(type: "LearningRate" input: "iter" output: "lr" )";
  refused(begin + number("base_lr", 1), "'policy' is missing");
  refused(begin + R"(arg { name: "policy" s: "fixed" })", "'base_lr' is missing");
  refused(op_of("cosine", ""), "'policy' is 'cosine'");
  refused(op_of("step", number("gamma", 0.5)), "'stepsize'");
  refused(op_of("step", count("stepsize", 2)), "'gamma'");
  refused(op_of("inv", number("gamma", 0.5)), "'power'");
  refused(op_of("poly", number("power", 0.5)), "'max_iter'");
  refused(op_of("alter", count("active_period", 2)), "'inactive_period'");
  refused(op_of("alter", count("active_period", 0) + count("inactive_period", 0)), "both be zero");
  refused(op_of("linearWarmup", number("start_multiplier", -1) + count("num_iter", 2)), "'start_multiplier'");
  refused(op_of("constantWarmup", count("num_iter", -2)), "'num_iter'");
  refused(op_of("hill", number("end_multiplier", -1) + policies.back().arguments), "'end_multiplier'");
}

TEST_CASE("LearningRate, Iter: inputs that are no iteration are refused") {
  using B = plait::serial;
  auto const& table = test::table<B>();
  std::string const iter = R"(type: "Iter" input: "iter" output: "iter")";
  for (std::string const& op : {op_of("fixed", ""), iter}) {
    CHECK_THROWS_AS(test::run_op<B>(table, op, {{"iter", test::of<B, std::int64_t>({2}, {3, 4})}}), plait::exec_error);
    CHECK_THROWS_AS(test::run_op<B>(table, op, {{"iter", test::of<B, std::int32_t>({1}, {3})}}), plait::exec_error);
  }
}

}  // namespace
