// Oracle tests of all cells: scalar loops over their formulas, one sequence at a time.
#include <plait/rnn/cells.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/built_layer.hpp>
#include <support/dense_oracle.hpp>

namespace {

using test::affine;
using test::apart;
using test::numbers;
using test::row;
using test::sigmoid;
using test::values;
using test::layer_size::batch, test::layer_size::inputs, test::layer_size::steps;

constexpr std::size_t hidden = 2;
constexpr float bias = 0.7f;

// Computes the states after a step from the input and the previous states.
using formula = std::function<std::vector<numbers>(numbers const& x, std::vector<numbers> const& before)>;

double gate(numbers const& gates, std::size_t which, std::size_t k) { return gates[which * hidden + k]; }
numbers sum(numbers a, numbers const& b) {
  for (std::size_t i = 0; i != a.size(); ++i) a[i] += b.at(i);
  return a;
}

formula basic(std::string const& scope, double (*activation)(double)) {
  return [i2h = affine(scope + "/i2h", hidden, inputs), h2h = affine(scope + "/gates_t", hidden, hidden), activation](
             numbers const& x, std::vector<numbers> const& before) {
    numbers h = sum(i2h(x), h2h(before[0]));
    for (double& y : h) y = activation(y);
    return std::vector<numbers>{h};
  };
}

// Computes h and c from gates in the order input, forget, output, candidate.
std::vector<numbers> lstm_unit(numbers const& gates, numbers const& before) {
  numbers h, c;
  for (std::size_t k = 0; k != hidden; ++k) {
    c.push_back(sigmoid(gate(gates, 1, k) + bias) * before[k] +
                sigmoid(gate(gates, 0, k)) * std::tanh(gate(gates, 3, k)));
    h.push_back(sigmoid(gate(gates, 2, k)) * std::tanh(c[k]));
  }
  return {h, c};
}
numbers normalised(numbers gates) {
  double mean = 0, variance = 0;
  for (double const g : gates) mean += g / static_cast<double>(gates.size());
  for (double const g : gates) variance += (g - mean) * (g - mean) / static_cast<double>(gates.size());
  numbers const scale = values("r/gates_t_norm_scale", 4 * hidden), shift = values("r/gates_t_norm_bias", 4 * hidden);
  for (std::size_t i = 0; i != gates.size(); ++i)
    gates[i] = (gates[i] - mean) / std::sqrt(variance + 1e-4f) * scale[i] + shift[i];
  return gates;
}

formula lstm(std::string const& scope, std::size_t width = inputs) {
  return [i2h = affine(scope + "/i2h", 4 * hidden, width), h2h = affine(scope + "/gates_t", 4 * hidden, hidden)](
             numbers const& x, std::vector<numbers> const& before) {
    return lstm_unit(sum(i2h(x), h2h(before[0])), before[1]);
  };
}
std::vector<numbers> layer_norm_lstm(numbers const& x, std::vector<numbers> const& before) {
  affine const i2h("r/i2h", 4 * hidden, inputs), h2h("r/gates_t", 4 * hidden, hidden);
  return lstm_unit(normalised(sum(i2h(x), h2h(before[0]))), before[1]);
}
formula mi_lstm(bool layer_norm) {
  return [layer_norm](numbers const& x, std::vector<numbers> const& before) {
    affine const of_input("r/i2h", 4 * hidden, inputs), of_state("r/prev_t", 4 * hidden, hidden);
    numbers const p = of_input(x), q = of_state(before[0]);
    auto const vector = [](char const* name) { return values(std::string("r/") + name, 4 * hidden); };
    numbers const alpha = vector("alpha"), beta1 = vector("beta1"), beta2 = vector("beta2"), b = vector("b");
    numbers gates;
    for (std::size_t i = 0; i != p.size(); ++i)
      gates.push_back(alpha[i] * p[i] * q[i] + beta1[i] * q[i] + beta2[i] * p[i] + b[i]);
    return lstm_unit(layer_norm ? normalised(gates) : gates, before[1]);
  };
}
std::vector<numbers> peephole_lstm(numbers const& x, std::vector<numbers> const& before) {
  affine const i2h("r/i2h", 4 * hidden, inputs), h2h("r/gates_t", 4 * hidden, hidden);
  numbers const gates = sum(i2h(x), h2h(before[0]));
  numbers const of_i = values("r/peephole_i", hidden), of_f = values("r/peephole_f", hidden),
                of_o = values("r/peephole_o", hidden);
  numbers h, c;
  for (std::size_t k = 0; k != hidden; ++k) {
    double const old = before[1][k];
    c.push_back(sigmoid(gate(gates, 1, k) + of_f[k] * old + bias) * old +
                sigmoid(gate(gates, 0, k) + of_i[k] * old) * std::tanh(gate(gates, 3, k)));
    h.push_back(sigmoid(gate(gates, 2, k) + of_o[k] * c[k]) * std::tanh(c[k]));
  }
  return {h, c};
}
std::vector<numbers> projected_lstm(numbers const& x, std::vector<numbers> const& before) {
  constexpr std::size_t projected = 3;
  affine const i2h("r/i2h", 4 * hidden, inputs), h2h("r/gates_t", 4 * hidden, projected);
  std::vector<numbers> made = lstm_unit(sum(i2h(x), h2h(before[0])), before[1]);
  numbers const w = values("r/projection_w", projected * hidden);
  numbers h(projected);
  for (std::size_t i = 0; i != projected; ++i)
    for (std::size_t k = 0; k != hidden; ++k) h[i] += w[i * hidden + k] * made[0][k];
  return {h, made[1]};
}

formula gru(std::string const& scope, bool linear_before_reset, std::size_t width = inputs) {
  return [=, i2h = affine(scope + "/i2h", 3 * hidden, width), reset = affine(scope + "/reset_gate_t", hidden, hidden),
          update = affine(scope + "/update_gate_t", hidden, hidden),
          output = affine(scope + "/output_gate_t", hidden, hidden)](numbers const& x,
                                                                     std::vector<numbers> const& before) {
    numbers const p = i2h(x), &h = before[0], of_reset = reset(h), of_update = update(h), whole = output(h);
    numbers open, partly, made;
    for (std::size_t k = 0; k != hidden; ++k) open.push_back(sigmoid(gate(p, 0, k) + of_reset[k]));
    for (std::size_t k = 0; k != hidden; ++k) partly.push_back(open[k] * h[k]);
    numbers const of_part = output(partly);
    for (std::size_t k = 0; k != hidden; ++k) {
      double const u = sigmoid(gate(p, 1, k) + of_update[k]);
      double const o = gate(p, 2, k) + (linear_before_reset ? open[k] * whole[k] : of_part[k]);
      made.push_back(u * h[k] + (1 - u) * std::tanh(o));
    }
    return std::vector<numbers>{made};
  };
}

// Stack of an LSTM, a GRU and a basic cell.
formula stack(bool middle_is_residual) {
  formula const lowest = lstm("r/layer_0"), middle = gru("r/layer_1", false, hidden);
  return [=](numbers const& x, std::vector<numbers> const& before) {
    affine const i2h("r/layer_2/i2h", hidden, hidden), h2h("r/layer_2/gates_t", hidden, hidden);
    std::vector<numbers> made = lowest(x, {before[0], before[1]});
    made.push_back(middle(made[0], {before[2]})[0]);
    numbers h = sum(i2h(middle_is_residual ? sum(made[2], made[0]) : made[2]), h2h(before[3]));
    for (double& y : h) y = std::tanh(y);
    made.push_back(h);
    return made;
  };
}

struct cell_case {
  std::string name;
  plait::any_cell cell;
  formula step;
  std::vector<std::size_t> summed = {0};  // the states that sum to the output
};

std::vector<cell_case> all_cases() {
  using namespace plait;
  auto const stacked = [](std::vector<std::size_t> const& residual) {
    return multi_cell{{lstm_cell{inputs, hidden, bias}, gru_cell{hidden, hidden}, basic_rnn_cell{hidden, hidden}},
                      residual};
  };
  auto const relu = [](double x) { return std::max(x, 0.0); };
  auto const tanh = [](double x) { return std::tanh(x); };
  return {{"basic, tanh", basic_rnn_cell{inputs, hidden}, basic("r", tanh)},
          {"basic, relu", basic_rnn_cell{inputs, hidden, rnn_activation::relu}, basic("r", relu)},
          {"LSTM", lstm_cell{inputs, hidden, bias}, lstm("r")},
          {"layer norm LSTM", layer_norm_lstm_cell{inputs, hidden, bias}, layer_norm_lstm},
          {"MI LSTM", mi_lstm_cell{inputs, hidden, bias}, mi_lstm(false)},
          {"layer norm MI LSTM", mi_lstm_cell{inputs, hidden, bias, true}, mi_lstm(true)},
          {"LSTM with peepholes", peephole_lstm_cell{inputs, hidden, bias}, peephole_lstm},
          {"LSTM with a projection", projected_lstm_cell{inputs, hidden, 3, bias}, projected_lstm},
          {"GRU", gru_cell{inputs, hidden}, gru("r", false)},
          {"GRU, linear before reset", gru_cell{inputs, hidden, true}, gru("r", true)},
          {"stack", stacked({}), stack(false), {3}},
          {"stack, all residual", stacked({0, 1, 2}), stack(true), {3, 2, 0}},
          {"stack, the middle residual", stacked({1}), stack(true), {3}},
          {"stack, the highest residual", stacked({2}), stack(false), {3, 2}}};
}

// Returns the n-th row of an explicit initial state, which is one vector for all rows or one for each.
numbers initial(std::size_t state, std::int64_t width, std::size_t n) {
  std::string const name = "start" + std::to_string(state);
  if (state % 3 == 0) return values(name, width);
  return row(values(name, batch * width), n, static_cast<std::size_t>(width));
}

void check_cell(cell_case const& one, test::layer_variant const& how) {
  auto const widths = one.cell.states();
  test::layer_results const got = test::run_layer(test::layer_of(one.cell), how);
  for (std::size_t n = 0; n != batch; ++n) {
    CAPTURE(n);
    std::vector<numbers> states;
    for (std::size_t s = 0; s != widths.size(); ++s) states.push_back(initial(s, widths[s].width, n));
    std::int64_t const length = how.lengths ? (*how.lengths)[n] : steps;
    for (std::int64_t step = 0; step != steps; ++step) {
      CAPTURE(step);
      bool const goes_on = step < length;
      std::size_t const t = static_cast<std::size_t>(how.layer.reverse && goes_on ? length - 1 - step : step);
      std::size_t const at = t * batch + n;
      if (goes_on)
        states = one.step(row(how.x, at, inputs), states);
      else if (how.layer.drop_states)
        for (numbers& state : states) std::ranges::fill(state, 0.0);
      for (std::size_t s = 0; s != states.size(); ++s)
        CHECK(apart(row(got.all[s], at, states[s].size()), states[s]) < 1e-13);
      numbers output = states[one.summed[0]];
      for (std::size_t i = 1; i != one.summed.size(); ++i) output = sum(output, states[one.summed[i]]);
      CHECK(apart(row(got.output, at, output.size()), output) < 1e-13);
    }
    for (std::size_t s = 0; s != states.size(); ++s)
      CHECK(apart(row(got.last[s], n, states[s].size()), states[s]) < 1e-13);
  }
}

}  // namespace

TEST_CASE("recurrent cell formulas: the test values of all parameters differ") {
  for (char const* const name : {"r/beta2", "r/alpha", "r/layer_1/i2h_w", "start0"})
    CHECK(apart(values("r/beta1", 8), values(name, 8)) > 1e-3);
}

TEST_CASE("recurrent cell formulas: layers equal the scalar loops of the oracle") {
  for (cell_case const& one : all_cases())
    for (bool const reverse : {false, true}) {
      CAPTURE(one.name);
      CAPTURE(reverse);
      test::layer_variant how{.given = true, .layer = {.reverse = reverse, .forward_only = true}};
      check_cell(one, how);
      how.lengths = {3, 0, steps};
      check_cell(one, how);
      how.layer.drop_states = true;
      check_cell(one, how);
    }
}
