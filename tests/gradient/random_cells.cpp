// Random cells: their gradients agree with differences, and simplification does not change a result. Cells are traced,
// differentiated and simplified as at compile time, but at run time, so that there can be many.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/gradient/static_cell.hpp>

namespace {

constexpr std::size_t width = 3;  // of a row
using row = std::vector<double>;  // an element of a value for each column

double number_of(plait::traced_op const& op, std::size_t output, std::vector<double> const& x) {
  std::string_view const f = op.info().name;
  if (f == "Add") return x[0] + x[1];
  if (f == "Sub") return x[0] - x[1];
  if (f == "Mul") return x[0] * x[1];
  if (f == "Div") return x[0] / x[1];
  if (f == "Negative") return -x[0];
  if (f == "Scale") return op.number(0) * x[0];
  if (f == "Sqr") return x[0] * x[0];
  if (f == "Sqrt") return std::sqrt(x[0]);
  if (f == "Exp") return std::exp(x[0]);
  if (f == "Sigmoid") return 1 / (1 + std::exp(-x[0]));
  if (f == "SigmoidGradient") return x[1] * x[0] * (1 - x[0]);
  if (f == "Tanh") return std::tanh(x[0]);
  if (f == "TanhGradient") return x[1] * (1 - x[0] * x[0]);
  if (f == "Softplus") return std::log1p(std::exp(x[0]));
  if (f == "SoftplusGradient") return -std::expm1(-x[0]) * x[1];
  if (f == "DivGradient") return output == 0 ? x[2] / x[0] : -(x[2] / x[0] * x[1]);
  if (f == "Max") return std::max(x[0], x[1]);
  if (f == "MaxGradient") return x[2 + output] == x[0] ? x[1] : 0;
  if (f == "LT") return x[0] < x[1] ? 1 : 0;
  if (f == "Not") return 1 - x[0];
  if (f == "Where") return x[0] != 0 ? x[1] : x[2];
  if (f == "ReduceBackSumGradient") return x[0];
  if (f == "ReduceBackMeanGradient") return x[0] / static_cast<double>(width);
  FAIL("no such function: ", f);
  return 0;
}

// Returns the values of the outputs.
std::vector<row> run(plait::traced_code const& code, std::vector<row> values) {
  for (plait::traced_op const& op : code.ops)
    for (std::size_t o = 0; o != op.output_count; ++o) {
      row made(width, op.info().kind == plait::cell_op_class::fill ? op.number(0) : 0);
      if (op.info().kind == plait::cell_op_class::reduced) {
        double sum = 0;
        for (double const x : values[op.inputs[0]]) sum += x;
        made.assign(width, op.info().name == "ReduceBackMean" ? sum / static_cast<double>(width) : sum);
      } else if (op.info().kind != plait::cell_op_class::fill) {
        for (std::size_t i = 0; i != width; ++i) {
          std::vector<double> x;
          for (std::size_t k = 0; k != op.input_count; ++k) x.push_back(values[op.inputs[k]][i]);
          made[i] = number_of(op, o, x);
        }
      }
      values.push_back(std::move(made));
    }
  std::vector<row> results;
  for (std::uint16_t const v : code.outputs) results.push_back(values[v]);
  return results;
}

// Traces `ops` random functions of four inputs; input 1 is one number for each row.
plait::traced_code random_cell(std::mt19937& random, std::size_t ops) {
  plait::traced_code code;
  std::vector<plait::cell_value> values;
  for (std::size_t i = 0; i != 4; ++i)
    values.emplace_back(code, code.add_input(i == 1 ? plait::cell_rows : plait::cell_elements));
  auto const any = [&] { return values[random() % values.size()]; };
  for (std::size_t n = 0; n != ops; ++n) {
    plait::cell_value const a = any();
    plait::cell_value const b = any();
    bool const has_columns = (code.axes[a.value_in(code)] & plait::cell_columns) != 0;
    switch (random() % 14) {
      case 0:
        values.push_back(a + b);
        break;
      case 1:
        values.push_back(a - 1 * b);
        break;
      case 2:
        values.push_back(tanh(a) * b);
        break;
      case 3:
        values.push_back(a / (2 + square(b)));
        break;
      case 4:
        values.push_back(sigmoid(a));
        break;
      case 5:
        values.push_back(tanh(a));
        break;
      case 6:
        values.push_back(exp(tanh(a)));
        break;
      case 7:
        values.push_back(softplus(a));
        break;
      case 8:
        values.push_back(sqrt(1 + square(a)));
        break;
      case 9:
        values.push_back(max(a, b + 0.125));  // without ties, where both get the gradient
        break;
      case 10:
        values.push_back(select(!(a < b), a, 0.25 * b));
        break;
      case 11:
        values.push_back(has_columns ? sum(tanh(a)) : -a);
        break;
      case 12:
        values.push_back(has_columns ? a - mean(a) : a * 0.5);
        break;
      default:
        values.push_back(1 - a);
    }
  }
  code.add_output(values.back().value_in(code));
  code.add_output(values[values.size() - 2].value_in(code));
  return code;
}

TEST_CASE("static_cell: gradients of random cells agree with differences, and saved values change none") {
  std::mt19937 random(61);
  std::size_t kinks = 0;
  for (std::size_t n = 0; n != 400; ++n) {
    CAPTURE(n);
    plait::traced_code const traced = random_cell(random, 2 + n % 12);
    plait::traced_code const cell = plait::detail::simplified_code(traced);
    CHECK(cell.ops.size() <= traced.ops.size());
    plait::traced_code const both = plait::detail::cell_backward_pass()(cell);
    plait::saving_code const gradient = plait::detail::with_saved_values(cell, both, plait::cell_saves::by_cost);
    plait::traced_code forward = cell;
    for (std::uint16_t const v : gradient.saved) forward.add_output(v);

    std::uniform_real_distribution<double> number(-1.5, 1.5);
    auto const any_row = [&](std::uint8_t axes) {
      row made(width, number(random));
      if ((axes & plait::cell_columns) != 0)
        for (double& x : made) x = number(random);
      return made;
    };
    std::vector<row> inputs;
    std::vector<row> seeds;
    for (std::size_t i = 0; i != cell.input_count; ++i) inputs.push_back(any_row(cell.axes[i]));
    for (std::uint8_t const axes : cell.output_axes) seeds.push_back(any_row(axes));
    std::vector<row> const results = run(forward, inputs);
    CHECK(run(traced, inputs) == std::vector<row>(results.begin(), results.begin() + 2));

    std::vector<row> with_seeds = inputs;
    with_seeds.insert(with_seeds.end(), seeds.begin(), seeds.end());
    std::vector<row> with_saved = inputs;
    with_saved.insert(with_saved.end(), results.begin() + 2, results.end());
    with_saved.insert(with_saved.end(), seeds.begin(), seeds.end());
    std::vector<row> const gradients = run(gradient.code, with_saved);
    CHECK(gradients == run(both, with_seeds));

    auto const loss = [&](std::size_t input, std::size_t column, double by) {
      std::vector<row> moved = inputs;
      bool const is_row = cell.axes[input] == plait::cell_rows;
      for (std::size_t i = 0; i != width; ++i)
        if (is_row || i == column) moved[input][i] += by;
      std::vector<row> const y = run(cell, moved);
      double sum = 0;
      for (std::size_t o = 0; o != 2; ++o)
        for (std::size_t i = 0; i != (cell.output_axes[o] == plait::cell_rows ? 1 : width); ++i)
          sum += y[o][i] * seeds[o][i];
      return sum;
    };
    for (std::size_t i = 0; i != cell.input_count; ++i)
      for (std::size_t column = 0; column != (cell.axes[i] == plait::cell_rows ? 1 : width); ++column) {
        constexpr double step = 1e-5;
        double const middle = loss(i, column, 0);
        double const up = (loss(i, column, step) - middle) / step;
        double const down = (middle - loss(i, column, -step)) / step;
        double const scale = std::max({1.0, std::abs(up), std::abs(down)});
        if (std::abs(up - down) > 1e-2 * scale) {
          ++kinks;
          continue;
        }
        CAPTURE(i);
        CAPTURE(column);
        CHECK(std::abs((up + down) / 2 - gradients[i][column]) <= 1e-5 * scale);
      }
  }
  CHECK(kinks < 40);
}

}  // namespace
