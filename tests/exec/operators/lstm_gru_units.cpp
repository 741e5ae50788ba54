#include <plait/exec/detail/operators/lstm_gru_units.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/check_close.hpp>
#include <support/run_op.hpp>

namespace {

struct batch {
  std::int64_t rows;
  std::int64_t width;
  std::int32_t timestep;
  std::vector<std::int32_t> lengths;  // empty: none
  bool drop;
  float bias;
};

std::vector<batch> const batches = {
    {1, 1, 0, {}, false, 0},        {3, 5, 1, {}, false, 1.5f}, {3, 4, 2, {4, 2, 0}, false, 0},
    {3, 4, 2, {3, 2, 1}, true, -1}, {0, 4, 0, {}, false, 0},    {2, 0, 0, {1, 0}, false, 0},
    {70, 130, 5, {}, false, 0.5f},
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

template <class T>
std::vector<T> random(std::int64_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> numbers(-6, 6);
  std::vector<T> made(static_cast<std::size_t>(count));
  for (T& x : made) x = static_cast<T>(numbers(engine));
  return made;
}

std::string arguments(batch const& b, bool lstm) {
  std::string made;
  if (b.lengths.empty()) made += R"( arg { name: "sequence_lengths" i: 0 })";
  if (b.drop) made += R"( arg { name: "drop_states" i: 1 })";
  if (lstm) made += " arg { name: \"forget_bias\" f: " + std::to_string(b.bias) + " }";
  return made;
}

bool active(batch const& b, std::size_t row) { return b.lengths.empty() || b.timestep < b.lengths[row]; }

// Returns the largest |got - wanted| / (1 + |wanted|), in units of T's epsilon.
template <class T>
double distance(std::vector<T> const& got, std::vector<double> const& wanted) {
  REQUIRE(got.size() == wanted.size());
  double most = 0;
  for (std::size_t i = 0; i != got.size(); ++i)
    most = test::larger_error(most, std::abs(double(got[i]) - wanted[i]) / (1 + std::abs(wanted[i])));
  return most / double(std::numeric_limits<T>::epsilon());
}

template <class B, class T>
test::feeds<B> feeds_of(batch const& b, std::int64_t gates) {
  test::feeds<B> fed = {{"h", test::of<B, T>({1, b.rows, b.width}, random<T>(b.rows * b.width, 1))},
                        {"c", test::of<B, T>({1, b.rows, b.width}, random<T>(b.rows * b.width, 2))},
                        {"g", test::of<B, T>({1, b.rows, gates * b.width}, random<T>(b.rows * gates * b.width, 3))},
                        {"t", test::of<B, std::int32_t>({1}, {b.timestep})}};
  if (!b.lengths.empty()) fed.emplace_back("l", test::of<B>({b.rows}, b.lengths));
  return fed;
}

template <class B, class T>
void check_lstm(plait::operators<B> const& table, batch const& b, bool in_place) {
  auto const h = random<T>(b.rows * b.width, 1);
  auto const c = random<T>(b.rows * b.width, 2);
  auto const g = random<T>(b.rows * 4 * b.width, 3);
  std::vector<double> wanted_h, wanted_c;
  auto const width = static_cast<std::size_t>(b.width);
  for (std::size_t i = 0; i != h.size(); ++i) {
    std::size_t const row = i / width;
    T const* const gates = g.data() + row * 4 * width + i % width;
    if (active(b, row)) {
      double const state = sigmoid(double(gates[width]) + double(b.bias)) * double(c[i]) +
                           sigmoid(double(gates[0])) * std::tanh(double(gates[3 * width]));
      wanted_c.push_back(state);
      wanted_h.push_back(sigmoid(double(gates[2 * width])) * std::tanh(state));
    } else {
      wanted_c.push_back(b.drop ? 0 : double(c[i]));
      wanted_h.push_back(b.drop ? 0 : double(h[i]));
    }
  }
  std::string const lengths = b.lengths.empty() ? "" : R"(input: "l" )";
  std::string const outputs = in_place ? R"(output: "h" output: "c")" : R"(output: "h1" output: "c1")";
  auto const blobs = test::run_op<B>(table,
                                     R"(type: "LSTMUnit" input: "h" input: "c" input: "g" )" + lengths +
                                         R"(input: "t" )" + outputs + arguments(b, true),
                                     feeds_of<B, T>(b, 4));
  CHECK(distance(blobs.template fetch<T>(in_place ? "h" : "h1"), wanted_h) < 4);
  CHECK(distance(blobs.template fetch<T>(in_place ? "c" : "c1"), wanted_c) < 8);
  CHECK(blobs.view(in_place ? "h" : "h1").dims() == plait::shape{1, b.rows, b.width});
}

template <class B, class T>
void check_gru(plait::operators<B> const& table, batch const& b, bool in_place) {
  auto const h = random<T>(b.rows * b.width, 1);
  auto const g = random<T>(b.rows * 3 * b.width, 3);
  std::vector<double> wanted;
  auto const width = static_cast<std::size_t>(b.width);
  for (std::size_t i = 0; i != h.size(); ++i) {
    std::size_t const row = i / width;
    T const* const gates = g.data() + row * 3 * width + i % width;
    double const u = active(b, row) ? sigmoid(double(gates[width])) : 0;
    if (active(b, row))
      wanted.push_back(u * double(h[i]) + (1 - u) * std::tanh(double(gates[2 * width])));
    else
      wanted.push_back(b.drop ? 0 : double(h[i]));
  }
  std::string const lengths = b.lengths.empty() ? "" : R"(input: "l" )";
  auto const blobs = test::run_op<B>(table,
                                     R"(type: "GRUUnit" input: "h" input: "g" )" + lengths + R"(input: "t" output: ")" +
                                         (in_place ? "h" : "h1") + '"' + arguments(b, false),
                                     feeds_of<B, T>(b, 3));
  CHECK(distance(blobs.template fetch<T>(in_place ? "h" : "h1"), wanted) < 8);
}

TEST_CASE_TEMPLATE("LSTMUnit, GRUUnit: results equal their definition", B, PLAIT_HOST_BACKENDS) {
  auto const& table = test::table<B>();
  for (batch const& b : batches)
    for (bool const in_place : {false, true}) {
      check_lstm<B, float>(table, b, in_place);
      check_lstm<B, double>(table, b, in_place);
      check_gru<B, float>(table, b, in_place);
      check_gru<B, double>(table, b, in_place);
    }
}

TEST_CASE_TEMPLATE("LSTMUnit: all backends give the same bits", B, PLAIT_PARALLEL_BACKENDS) {
  auto const& one = test::table<plait::serial>();
  auto const& other = test::table<B>();
  std::string const op = R"(type: "LSTMUnit" input: "h" input: "c" input: "g" input: "t" output: "h1" output: "c1")" +
                         arguments(batches.back(), true);
  auto const wanted = test::run_op(one, op, feeds_of<plait::serial, float>(batches.back(), 4));
  auto const got = test::run_op(other, op, feeds_of<B, float>(batches.back(), 4));
  CHECK(got.template fetch<float>("h1") == wanted.fetch<float>("h1"));
  CHECK(got.template fetch<float>("c1") == wanted.fetch<float>("c1"));
}

TEST_CASE("LSTMUnit: lengths may be int64") {
  using B = plait::serial;
  auto const& table = test::table<B>();
  batch const b = {3, 4, 2, {4, 2, 3}, false, 0};
  auto wide = feeds_of<B, float>(b, 4);
  for (auto& [name, value] : wide)
    if (name == "l") value = test::of<B, std::int64_t>({3}, {std::int64_t{1} << 40, 2, 3});
  std::string const op =
      R"(type: "LSTMUnit" input: "h" input: "c" input: "g" input: "l" input: "t" output: "h1" output: "c1")";
  auto const wanted = test::run_op<B>(table, op, feeds_of<B, float>(b, 4));
  auto const got = test::run_op<B>(table, op, wide);
  CHECK(got.fetch<float>("h1") == wanted.fetch<float>("h1"));
  CHECK(got.fetch<float>("c1") == wanted.fetch<float>("c1"));
}

TEST_CASE("LSTMUnit: large gates saturate, and states may have other ranks") {
  auto const& table = test::table<plait::serial>();
  auto const blobs = test::run_op<plait::serial>(
      table,
      R"(type: "LSTMUnit" input: "h" input: "c" input: "g" input: "t" output: "h1" output: "c1"
         arg { name: "sequence_lengths" i: 0 })",
      {{"h", test::of<plait::serial, double>({2}, {0, 0})},
       {"c", test::of<plait::serial, double>({2}, {30, -30})},
       {"g", test::of<plait::serial, double>({8}, {1e4, -1e4, 1e4, -1e4, 1e4, -1e4, 1e4, -1e4})},
       {"t", test::of<plait::serial, std::int32_t>({}, {7})}});
  CHECK(blobs.fetch<double>("c1") == std::vector<double>{31, 0});
  CHECK(blobs.fetch<double>("h1")[0] == 1);
  CHECK(std::abs(blobs.fetch<double>("h1")[1]) == 0);
}

TEST_CASE("LSTMUnit: operands that do not fit are refused, and nothing is written") {
  using B = plait::serial;
  auto const& table = test::table<B>();
  batch const b = {2, 3, 0, {4, 4}, false, 0};
  auto const refused = [&](std::string const& op, std::string const& name, plait::tensor<B> const& value,
                           std::string const& fact) {
    plait::workspace<B> blobs;
    for (auto const& [fed, tensor] : feeds_of<B, float>(b, 4)) blobs.feed(fed, tensor);
    if (!name.empty()) blobs.feed(name, value);
    try {
      auto plan = plait::compile(plait::read_netdef_text("op { " + op + " }"), table, blobs);
      plan.run();
      FAIL("not refused");
    } catch (plait::exec_error const& e) {
      CHECK(e.type == "LSTMUnit");
      CHECK(std::string(e.what()).find(fact) != std::string::npos);
      CHECK_FALSE(blobs.contains("h1"));
    }
  };
  std::string const op =
      R"(type: "LSTMUnit" input: "h" input: "c" input: "g" input: "l" input: "t" output: "h1" output: "c1")";
  refused(op, "g", test::of<B>({1, 2, 9}, std::vector<float>(18)), "input 2 'g' is float32 1x2x9");
  refused(op, "g", test::of<B>({1, 3, 12}, std::vector<float>(36)), "4 gates");
  refused(op, "g", test::of<B>({1, 2, 12}, std::vector<double>(24)), "different element types");
  refused(op, "c", test::of<B>({1, 3, 2}, std::vector<float>(6)), "different shapes");
  refused(op, "l", test::of<B, std::int32_t>({3}, {1, 2, 3}), "a length for each of 2 rows");
  refused(op, "l", test::of<B, float>({2}, {1, 2}), "should hold int32 or int64");
  refused(op, "t", test::of<B, std::int32_t>({2}, {1, 2}), "be one number");
  refused(op, "h", test::of<B, float>({}, {1}), "at least 1");
  refused(op + R"( arg { name: "sequence_lengths" i: 0 })", "", {}, "one input too many");
  refused(R"(type: "LSTMUnit" input: "h" input: "c" input: "g" input: "t" output: "h1" output: "c1")", "", {},
          "sequence_lengths");
}

}  // namespace
