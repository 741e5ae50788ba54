#include <plait/exec/detail/operators/optimizers.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/check_close.hpp>
#include <support/run_op.hpp>

namespace {

using numbers = std::vector<double>;

template <class T>
std::vector<T> random(std::size_t count, unsigned seed, double low, double high) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> from(low, high);
  std::vector<T> made(count);
  for (T& x : made) x = static_cast<T>(from(engine));
  return made;
}

// Definition of an optimiser: inputs by name, in the order of the op; those that the outputs replace; and a function
// from the inputs' values at element i to the outputs' values there.
struct method {
  std::string type;
  std::string arguments;
  std::vector<std::string> inputs;
  std::vector<std::string> replaced;
  std::function<numbers(numbers const&)> step;
};

double const rate = 0.0625;
int const iteration = 3;

std::vector<method> const methods = {
    {"MomentumSGD",
     "",
     {"g", "m", "lr"},
     {"g", "m"},
     [](numbers const& x) {
       return numbers{rate * x[0], rate * x[0]};
     }},
    {"MomentumSGD",
     R"(arg { name: "momentum" f: 0.75 } arg { name: "nesterov" i: 1 })",
     {"g", "m", "lr"},
     {"g", "m"},
     [](numbers const& x) {
       double const m = 0.75 * x[1] + rate * x[0];
       return numbers{1.75 * m - 0.75 * x[1], m};
     }},
    {"MomentumSGDUpdate",
     R"(arg { name: "momentum" f: 0.75 })",
     {"g", "m", "lr", "p"},
     {"g", "m", "p"},
     [](numbers const& x) {
       double const m = 0.75 * x[1] + rate * x[0];
       return numbers{m, m, x[3] - m};
     }},
    {"MomentumSGDUpdate",
     R"(arg { name: "momentum" f: 0.75 } arg { name: "nesterov" i: 1 })",
     {"g", "m", "lr", "p"},
     {"g", "m", "p"},
     [](numbers const& x) {
       double const m = 0.75 * x[1] + rate * x[0];
       double const s = 1.75 * m - 0.75 * x[1];
       return numbers{s, m, x[3] - s};
     }},
    {"Adagrad",
     "",
     {"p", "s", "g", "lr"},
     {"p", "s"},
     [](numbers const& x) {
       double const s = x[1] + x[2] * x[2];
       return numbers{x[0] + rate * x[2] / (std::sqrt(s) + double(1e-5f)), s};
     }},
    {"Adagrad",
     R"(arg { name: "decay" f: 0.5 } arg { name: "epsilon" f: 0.125 })",
     {"p", "s", "g", "lr"},
     {"p", "s"},
     [](numbers const& x) {
       double const s = 0.5 * x[1] + x[2] * x[2];
       return numbers{x[0] + rate * x[2] / (std::sqrt(s) + 0.125), s};
     }},
    {"Adagrad",
     R"(arg { name: "weight_decay" f: 0.25 })",
     {"p", "s", "g", "lr"},
     {"p", "s"},
     [](numbers const& x) {
       double const g = x[2] + 0.25 * x[0];
       double const s = x[1] + g * g;
       return numbers{x[0] + rate * g / (std::sqrt(s) + double(1e-5f)), s};
     }},
    {"Adam",
     "",
     {"p", "m", "s", "g", "lr", "iter"},
     {"p", "m", "s"},
     [](numbers const& x) {
       double const b1 = double(0.9f), b2 = double(0.999f);
       double const m = b1 * x[1] + (1 - b1) * x[3];
       double const v = b2 * x[2] + (1 - b2) * x[3] * x[3];
       double const c = std::sqrt(1 - std::pow(b2, iteration + 1)) / (1 - std::pow(b1, iteration + 1));
       return numbers{x[0] + rate * c * m / (std::sqrt(v) + double(1e-5f)), m, v};
     }},
    {"Adam",
     R"(arg { name: "beta1" f: 0.5 } arg { name: "beta2" f: 0.75 } arg { name: "epsilon" f: 0.125 })",
     {"p", "m", "s", "g", "lr", "iter"},
     {"p", "m", "s", "direction"},
     [](numbers const& x) {
       double const m = 0.5 * x[1] + 0.5 * x[3];
       double const v = 0.75 * x[2] + 0.25 * x[3] * x[3];
       double const c = std::sqrt(1 - std::pow(0.75, iteration + 1)) / (1 - std::pow(0.5, iteration + 1));
       double const d = c * m / (std::sqrt(v) + 0.125);
       return numbers{x[0] + rate * d, m, v, d};
     }},
    {"RmsProp",
     "",
     {"g", "s", "m", "lr"},
     {"g", "s", "m"},
     [](numbers const& x) {
       double const s = x[1] + (1 - double(0.9f)) * (x[0] * x[0] - x[1]);
       double const m = rate * x[0] / std::sqrt(double(1e-5f) + s);
       return numbers{m, s, m};
     }},
    {"RmsProp",
     R"(arg { name: "decay" f: 0.5 } arg { name: "momentum" f: 0.25 } arg { name: "epsilon" f: 0.5 })",
     {"g", "s", "m", "lr"},
     {"g", "s", "m"},
     [](numbers const& x) {
       double const s = x[1] + 0.5 * (x[0] * x[0] - x[1]);
       double const m = 0.25 * x[2] + rate * x[0] / std::sqrt(0.5 + s);
       return numbers{m, s, m};
     }},
};

template <class B, class T>
test::feeds<B> feeds_of(method const& m, plait::shape const& dims, bool float_rate) {
  test::feeds<B> fed;
  unsigned seed = 0;
  for (std::string const& name : m.inputs) {
    ++seed;
    if (name == "lr" && float_rate)
      fed.emplace_back(name, test::of<B, float>({}, {float(rate)}));
    else if (name == "lr")
      fed.emplace_back(name, test::of<B, T>({1}, {T(rate)}));
    else if (name == "iter")
      fed.emplace_back(name, test::of<B, std::int64_t>({1}, {iteration}));
    else
      fed.emplace_back(name, test::of<B>(dims, random<T>(static_cast<std::size_t>(dims.size()), seed,
                                                         name == "s" ? 0.0 : -2.0, 2.0)));
  }
  return fed;
}

std::string op_of(method const& m, std::string const& suffix) {
  std::string op = "type: \"" + m.type + "\" " + m.arguments;
  for (std::string const& name : m.inputs) op += " input: \"" + name + '"';
  for (std::string const& name : m.replaced) op += " output: \"" + name + suffix + '"';
  return op;
}

template <class B, class T>
void check(plait::operators<B> const& table, method const& m, plait::shape const& dims, bool in_place,
           bool float_rate) {
  auto const fed = feeds_of<B, T>(m, dims, float_rate);
  std::string const suffix = in_place ? "" : "_new";
  auto const blobs = test::run_op<B>(table, op_of(m, suffix), fed);
  std::vector<std::vector<T>> before;
  for (auto const& [name, value] : fed)
    before.push_back(value.type() == plait::element_type_of<T> ? value.template values<T>() : std::vector<T>());
  CAPTURE(m.type);
  CAPTURE(m.arguments);
  for (std::size_t o = 0; o != m.replaced.size(); ++o) {
    auto const got = blobs.template fetch<T>(m.replaced[o] + suffix);
    CHECK(blobs.view(m.replaced[o] + suffix).dims() == dims);
    REQUIRE(got.size() == static_cast<std::size_t>(dims.size()));
    double most = 0;
    for (std::size_t i = 0; i != got.size(); ++i) {
      numbers at;
      for (auto const& values : before) at.push_back(values.size() == got.size() ? double(values[i]) : 0);
      double const wanted = m.step(at)[o];
      most = test::larger_error(most, std::abs(double(got[i]) - wanted) / (1 + std::abs(wanted)));
    }
    CHECK(most <= 6 * double(std::numeric_limits<T>::epsilon()));
  }
  if (!in_place)
    for (std::size_t i = 0; i != fed.size(); ++i)
      if (!before[i].empty()) CHECK(blobs.template fetch<T>(fed[i].first) == before[i]);
}

TEST_CASE_TEMPLATE("optimizers: results equal their definition", B, PLAIT_HOST_BACKENDS) {
  auto const& table = test::table<B>();
  for (method const& m : methods)
    for (plait::shape const& dims : {plait::shape{2, 3}, plait::shape{}, plait::shape{0, 4}, plait::shape{301, 67}})
      for (bool const in_place : {false, true}) {
        check<B, float>(table, m, dims, in_place, true);
        check<B, double>(table, m, dims, in_place, in_place);
      }
}

TEST_CASE_TEMPLATE("optimizers: host backends give the same bits", B, PLAIT_PARALLEL_BACKENDS) {
  auto const& one = test::table<plait::serial>();
  auto const& other = test::table<B>();
  for (method const& m : methods) {
    auto const wanted = test::run_op(one, op_of(m, "_new"), feeds_of<plait::serial, float>(m, {301, 167}, true));
    auto const got = test::run_op(other, op_of(m, "_new"), feeds_of<B, float>(m, {301, 167}, true));
    for (std::string const& name : m.replaced)
      CHECK(test::agree<B>(got.template fetch<float>(name + "_new"), wanted.template fetch<float>(name + "_new")));
  }
}

TEST_CASE("Adagrad: optional outputs are the rate and the step of each element") {
  using B = plait::serial;
  auto const& table = test::table<B>();
  auto const blobs = test::run_op<B>(
      table,
      R"(type: "Adagrad" input: "p" input: "s" input: "g" input: "lr" output: "p" output: "s" output: "rate"
         output: "step" arg { name: "epsilon" f: 1 })",
      {{"p", test::of<B, double>({2}, {1, 2})},
       {"s", test::of<B, double>({2}, {0, 7})},
       {"g", test::of<B, double>({2}, {1, 3})},
       {"lr", test::of<B, double>({1}, {2})}});
  CHECK(blobs.fetch<double>("rate") == std::vector<double>{1, 0.4});
  CHECK(blobs.fetch<double>("step")[0] == 1);
  CHECK(blobs.fetch<double>("step")[1] == doctest::Approx(1.2).epsilon(1e-15));
  CHECK(blobs.fetch<double>("p")[0] == 2);
}

TEST_CASE("optimizers: operands that do not fit are refused, and nothing is written") {
  using B = plait::serial;
  auto const& table = test::table<B>();
  for (method const& m : methods) {
    std::vector<std::pair<std::string, plait::tensor<B>>> wrong = {{"g", test::of<B>({7}, std::vector<float>(7))},
                                                                   {"g", test::of<B>({6}, std::vector<double>(6))},
                                                                   {"lr", test::of<B, float>({2}, {1, 2})},
                                                                   {"lr", test::of<B, double>({1}, {1})},
                                                                   {"lr", test::of<B, std::int32_t>({1}, {1})}};
    if (m.type == "Adam") {
      wrong.emplace_back("iter", test::of<B, std::int32_t>({1}, {1}));
      wrong.emplace_back("iter", test::of<B, std::int64_t>({2}, {1, 2}));
    }
    for (auto const& [name, value] : wrong) {
      plait::workspace<B> blobs;
      auto const fed = feeds_of<B, float>(m, {2, 3}, true);
      for (auto const& [given, tensor] : fed) blobs.feed(given, tensor.clone());
      blobs.feed(name, value);
      auto plan = plait::compile(plait::read_netdef_text("op { " + op_of(m, "") + " }"), table, blobs);
      try {
        plan.run();
        FAIL("not refused");
      } catch (plait::exec_error const& e) {
        CHECK(e.type == m.type);
        CHECK_MESSAGE(std::string(e.what()).find("input") != std::string::npos, e.what());
      }
      for (auto const& [given, tensor] : fed)
        if (given != name && tensor.type() == plait::element_type::float32)
          CHECK(blobs.fetch<float>(given) == tensor.values<float>());
    }
  }
}

}  // namespace
