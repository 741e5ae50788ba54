#include <plait/exec/detail/operators/lstm_gru_units_gradients.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using test::table;

struct batch {
  std::int64_t rows;
  std::int64_t width;
  std::int32_t timestep;
  std::vector<std::int64_t> lengths;  // empty: none
  bool wide;
  bool drop;
  float bias;
};

std::vector<batch> const batches = {
    {1, 1, 0, {}, false, false, 0},        {3, 5, 1, {}, false, false, 1.5f},
    {3, 4, 2, {4, 2, 0}, false, false, 0}, {3, 4, 2, {3, 2, 1}, true, false, 0.5f},
    {3, 4, 2, {2, 3, 1}, false, true, -1}, {3, 4, 2, {9, 1, 2}, true, true, 0},
    {0, 4, 0, {}, false, false, 0},        {2, 0, 0, {1, 0}, false, false, 0},
    {70, 130, 5, {}, false, false, 0.5f},
};

std::string arguments(batch const& b, bool lstm) {
  std::string made;
  if (b.lengths.empty()) made += " arg { name: 'sequence_lengths' i: 0 }";
  if (b.drop) made += " arg { name: 'drop_states' i: 1 }";
  if (lstm) made += " arg { name: 'forget_bias' f: " + std::to_string(b.bias) + " }";
  return made;
}

test::feeds<plait::serial> feeds_of(batch const& b, bool lstm) {
  using B = plait::serial;
  test::feeds<B> fed = {{"h", test::random_tensor({1, b.rows, b.width}, 1)},
                        {"g", test::random_tensor({1, b.rows, (lstm ? 4 : 3) * b.width}, 2, -4, 4)},
                        {"t", test::of<B, std::int32_t>({1}, {b.timestep})}};
  if (lstm) fed.emplace_back("c", test::random_tensor({1, b.rows, b.width}, 3));
  if (b.wide) fed.emplace_back("l", test::of<B>({b.rows}, b.lengths));
  if (!b.wide && !b.lengths.empty())
    fed.emplace_back("l", test::of<B>({b.rows}, std::vector<std::int32_t>(b.lengths.begin(), b.lengths.end())));
  return fed;
}

test::gradient_case lstm(batch const& b) {
  std::string const inputs =
      "input: 'h' input: 'c' input: 'g' " + std::string(b.lengths.empty() ? "" : "input: 'l' ") + "input: 't' ";
  return {.forward = "type: 'LSTMUnit' " + inputs + "output: 'h1' output: 'c1'" + arguments(b, true),
          .gradient = "type: 'LSTMUnitGradient' " + inputs +
                      "input: 'h1' input: 'c1' input: 'h1_grad' input: 'c1_grad' "
                      "output: 'h_grad' output: 'c_grad' output: 'g_grad'" +
                      arguments(b, true),
          .fed = feeds_of(b, true),
          .float_tolerance = 2e-6};
}

test::gradient_case gru(batch const& b) {
  std::string const inputs =
      "input: 'h' input: 'g' " + std::string(b.lengths.empty() ? "" : "input: 'l' ") + "input: 't' ";
  return {.forward = "type: 'GRUUnit' " + inputs + "output: 'h1'" + arguments(b, false),
          .gradient = "type: 'GRUUnitGradient' " + inputs +
                      "input: 'h1' input: 'h1_grad' output: 'h_grad' output: 'g_grad'" + arguments(b, false),
          .fed = feeds_of(b, false),
          .float_tolerance = 2e-6};
}

TEST_CASE_TEMPLATE("LSTMUnitGradient, GRUUnitGradient: agree with differences, also in place", B, PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  for (batch const& b : batches) {
    test::check_gradient_of_op(mine, reference, lstm(b));
    test::check_gradient_of_op(mine, reference, gru(b));
  }
}

TEST_CASE("LSTMUnitGradient, GRUUnitGradient: ended rows pass their gradient on, or drop it with drop_states") {
  auto const operators = table<plait::serial>();
  for (bool const drop : {false, true}) {
    batch const b = {3, 2, 2, {3, 2, 0}, false, drop, 0};
    test::gradient_case made = lstm(b);
    made.fed.emplace_back("h1_grad", test::of<plait::serial, double>({1, 3, 2}, {1, 2, 3, 4, 5, 6}));
    made.fed.emplace_back("c1_grad", test::of<plait::serial, double>({1, 3, 2}, {7, 8, 9, 10, 11, 12}));
    auto const of_lstm = test::check_gradient_of_op(operators, operators, made);
    using reals = std::vector<double>;
    CHECK(of_lstm.fetch<double>("h_grad") == (drop ? reals(6) : reals{0, 0, 3, 4, 5, 6}));
    auto const cells = of_lstm.fetch<double>("c_grad");
    CHECK(reals(cells.begin() + 2, cells.end()) == (drop ? reals(4) : reals{9, 10, 11, 12}));
    auto const gates = of_lstm.fetch<double>("g_grad");
    CHECK(reals(gates.begin() + 8, gates.end()) == reals(16));
    CHECK(gates[0] != 0);

    made = gru(b);
    made.fed.emplace_back("h1_grad", test::of<plait::serial, double>({1, 3, 2}, {1, 2, 3, 4, 5, 6}));
    auto const of_gru = test::check_gradient_of_op(operators, operators, made);
    auto const hidden = of_gru.fetch<double>("h_grad");
    CHECK(reals(hidden.begin() + 2, hidden.end()) == (drop ? reals(4) : reals{3, 4, 5, 6}));
    auto const gru_gates = of_gru.fetch<double>("g_grad");
    CHECK(reals(gru_gates.begin(), gru_gates.begin() + 2) == reals(2));  // the reset gate
    CHECK(reals(gru_gates.begin() + 6, gru_gates.end()) == reals(12));
    CHECK(gru_gates[2] != 0);
  }
}

TEST_CASE("LSTMUnitGradient: the gradient of saturated gates is 0, and nothing overflows") {
  using B = plait::serial;
  auto const blobs = test::run_op<B>(
      table<B>(),
      "type: 'LSTMUnitGradient' input: 'h' input: 'c' input: 'g' input: 't' input: 'h1' input: 'c1' input: 'dh' "
      "input: 'dc' output: 'h_grad' output: 'c_grad' output: 'g_grad' arg { name: 'sequence_lengths' i: 0 }",
      {{"h", test::of<B, float>({2}, {0, 0})},
       {"c", test::of<B, float>({2}, {30, -30})},
       {"g", test::of<B, float>({8}, {1e4f, -1e4f, 1e4f, -1e4f, 1e4f, -1e4f, 1e4f, -1e4f})},
       {"t", test::of<B, std::int32_t>({}, {7})},
       {"h1", test::of<B, float>({2}, {1, 0})},
       {"c1", test::of<B, float>({2}, {31, 0})},
       {"dh", test::of<B, float>({2}, {2, 3})},
       {"dc", test::of<B, float>({2}, {5, 7})}});
  CHECK(blobs.fetch<float>("h_grad") == std::vector<float>{0, 0});
  CHECK(blobs.fetch<float>("c_grad") == std::vector<float>{5, 0});
  for (float const gradient : blobs.fetch<float>("g_grad")) CHECK(std::abs(gradient) == 0);
}

TEST_CASE("LSTMUnitGradient, GRUUnitGradient: operands that do not fit are refused") {
  using B = plait::serial;
  auto const operators = table<B>();
  batch const b = {2, 3, 0, {4, 4}, false, false, 0};
  auto const refused = [&](std::string const& name, plait::tensor<B> const& value) {
    test::feeds<B> fed;
    for (auto const& [fed_name, tensor] : feeds_of(b, true)) fed.emplace_back(fed_name, tensor);
    for (char const* state : {"h1", "c1", "h1_grad", "c1_grad"})
      fed.emplace_back(state, test::random_tensor({1, 2, 3}, 4));
    for (auto& [fed_name, tensor] : fed)
      if (fed_name == name) tensor = value;
    return test::error_of(operators, lstm(b).gradient, fed);
  };
  CHECK(refused("", {}).empty());
  CHECK(test::has(refused("h1_grad", test::random_tensor({1, 3, 2}, 1)), "LSTMUnitGradient: "));
  CHECK(test::has(refused("h1_grad", test::random_tensor({1, 3, 2}, 1)), " and 7 'h1_grad' are "));
  CHECK(test::has(refused("c1", test::of<B>({1, 2, 3}, std::vector<float>(6))), "different element types"));
  CHECK(test::has(refused("g", test::random_tensor({1, 2, 9}, 1)), "4 gates"));
  CHECK(test::has(refused("t", test::of<B, std::int32_t>({2}, {1, 2})), "be one number"));
  CHECK(test::has(refused("l", test::of<B, double>({2}, {1, 2})), "should hold int32 or int64"));
  batch without = b;
  without.lengths.clear();
  CHECK(
      test::has(test::error_of<B>(operators, lstm(b).gradient + arguments(without, false), {}), "one input too many"));
}

}  // namespace
