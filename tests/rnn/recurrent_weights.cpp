// Weight layouts of PyTorch, ONNX and Caffe2; the reference cases of kind module run them.
#include <plait/rnn/detail/recurrent_weights.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/trained_model.hpp>
#include <plait/rnn/detail/lstm_gates.hpp>
#include <plait/rnn/recurrent_layers.hpp>
#include <plait/rnn/weights.hpp>

namespace {

using plait::tensor_value;

// Returns a tensor of consecutive numbers, start + 1, start + 2, …
template <class T = float>
tensor_value counted(std::vector<std::int64_t> const& shape, int start = 0) {
  std::vector<T> made(*plait::element_count(shape));
  for (T& element : made) element = static_cast<T>(++start);
  return {shape, made};
}

tensor_value const& value_of(std::vector<plait::parameter> const& all, std::string const& name) {
  for (auto const& p : all)
    if (p.name == name) return p.value;
  FAIL(name);
  return all.front().value;
}
std::vector<float> floats(tensor_value const& t) { return std::get<std::vector<float>>(t.data); }

template <class Cell>
plait::torch_weights torch(Cell const& cell, std::int64_t gates, std::int64_t recurrent) {
  plait::torch_weights made{counted({gates * cell.hidden, cell.inputs}),
                            counted({gates * cell.hidden, recurrent}, 100)};
  made.bias_ih = counted({gates * cell.hidden}, 200);
  made.bias_hh = counted({gates * cell.hidden}, 300);
  return made;
}

bool same(plait::torch_weights const& a, plait::torch_weights const& b) {
  return a.weight_ih == b.weight_ih && a.weight_hh == b.weight_hh && a.bias_ih == b.bias_ih && a.bias_hh == b.bias_hh &&
         a.weight_hr == b.weight_hr;
}
bool same(plait::onnx_weights const& a, plait::onnx_weights const& b) {
  return a.w == b.w && a.r == b.r && a.b == b.b && a.p == b.p;
}

// Checks that weights survive the conversion to a layer's parameters and back, and that these fit the layer.
template <class Cell>
void check_torch(Cell const& cell, plait::torch_weights const& given) {
  plait::trained_model model;
  model.net.external_input("x");
  (void)plait::add_recurrent_layer(model, "layer", cell, {.sequence = "x"});
  auto const parameters = plait::to_parameters(cell, "layer", plait::from_torch(cell, given));
  CHECK(parameters.size() == model.parameters().size());
  for (auto const& p : parameters) CHECK_NOTHROW(model.set(p));
  CHECK(same(plait::to_torch(cell, plait::from_parameters(cell, "layer", parameters)), given));
}
template <class Cell>
void check_onnx(Cell const& cell, plait::onnx_weights const& given) {
  plait::trained_model model;
  model.net.external_input("x");
  (void)plait::add_recurrent_layer(model, "layer", cell, {.sequence = "x"});
  std::vector<plait::recurrent_weights> directions;
  for (std::size_t d = 0; d != static_cast<std::size_t>(given.w.shape[0]); ++d) {
    auto const parameters = plait::to_parameters(cell, "layer", plait::from_onnx(cell, given, d));
    CHECK(parameters.size() == model.parameters().size());
    for (auto const& p : parameters) CHECK_NOTHROW(model.set(p));
    directions.push_back(plait::from_parameters(cell, "layer", parameters));
  }
  CHECK(same(plait::to_onnx(cell, directions), given));
}

template <class Function>
std::string refused(Function function) {
  try {
    function();
  } catch (plait::net_error const& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST_CASE("lstm_gates: weights split by gate and concatenated are unchanged") {
  plait::lstm_cell const cell{3, 2};
  plait::lstm_gates input, state;
  for (int g = 0; g != 4; ++g) {
    auto const at = static_cast<std::size_t>(g);
    input.weights[at] = counted({2, 3}, 6 * g);
    input.biases[at] = counted({2}, 100 + 2 * g);
    state.weights[at] = counted({4}, 200 + 4 * g);  // flat, as Caffe2 returns them
    state.biases[at] = counted({2, 1}, 300 + 2 * g);
  }
  auto const w = plait::from_lstm_gates(cell, input, state);
  CHECK(w.input == counted({8, 3}));
  CHECK(w.recurrent == counted({8, 2}, 200));
  CHECK(*w.input_bias == counted({8}, 100));
  CHECK(*w.recurrent_bias == counted({8}, 300));
  auto const [of_input, of_state] = plait::to_lstm_gates(cell, w);
  CHECK(of_input.weights == input.weights);
  CHECK(of_input.biases == input.biases);
  CHECK(floats(of_state.weights[3]) == floats(state.weights[3]));
  CHECK(of_state.biases[2] == counted({2}, 304));

  input.weights[1] = counted({2, 2});
  CHECK_THROWS_WITH_AS((void)plait::from_lstm_gates(cell, input, state),
                       "plait: recurrent weights: 'weights of the input's forget_gate' is 4 elements, and should be as "
                       "many as 2×3 has",
                       plait::net_error);
}

}  // namespace

TEST_CASE("torch_weights: conversion to parameters and back is the identity for every cell") {
  plait::lstm_cell const lstm{3, 2};
  check_torch(lstm, torch(lstm, 4, 2));
  plait::gru_cell const gru{3, 2, true};
  check_torch(gru, torch(gru, 3, 2));
  plait::basic_rnn_cell const basic{3, 2};
  check_torch(basic, torch(basic, 1, 2));
  plait::projected_lstm_cell const projected{3, 2, 1};
  auto weights = torch(projected, 4, 1);
  weights.weight_hr = counted({1, 2}, 400);
  check_torch(projected, weights);
}

TEST_CASE("torch_weights: gates are reordered to plait's order") {
  plait::lstm_cell const lstm{1, 1};
  auto const p = plait::to_parameters(lstm, "l", plait::from_torch(lstm, torch(lstm, 4, 1)));
  CHECK(floats(value_of(p, "l/i2h_w")) == std::vector<float>{1, 2, 4, 3});  // i, f, g, o
  CHECK(floats(value_of(p, "l/gates_t_b")) == std::vector<float>{301, 302, 304, 303});
  plait::gru_cell const gru{1, 1, true};
  auto const q = plait::to_parameters(gru, "g", plait::from_torch(gru, torch(gru, 3, 1)));
  CHECK(floats(value_of(q, "g/update_gate_t_w")) == std::vector<float>{102});
}

TEST_CASE("onnx_weights: conversion to parameters and back is the identity for every cell") {
  auto const given = [](std::int64_t gates, std::int64_t inputs, std::int64_t hidden) {
    return plait::onnx_weights{counted({2, gates * hidden, inputs}), counted({2, gates * hidden, hidden}, 100),
                               counted({2, 2 * gates * hidden}, 200)};
  };
  check_onnx(plait::lstm_cell{3, 2}, given(4, 3, 2));
  check_onnx(plait::gru_cell{3, 2}, given(3, 3, 2));
  check_onnx(plait::basic_rnn_cell{3, 2}, given(1, 3, 2));
  auto with_peepholes = given(4, 3, 2);
  with_peepholes.p = counted({2, 6}, 300);
  check_onnx(plait::peephole_lstm_cell{3, 2}, with_peepholes);
}

TEST_CASE("onnx_weights: gates are reordered to plait's order, in either direction") {
  plait::peephole_lstm_cell const lstm{1, 1};
  plait::onnx_weights const given{counted({2, 4, 1}), counted({2, 4, 1}, 100), counted({2, 8}, 200),
                                  counted({2, 3}, 300)};
  auto const p = plait::to_parameters(lstm, "l", plait::from_onnx(lstm, given, 1));
  CHECK(floats(value_of(p, "l/i2h_w")) == std::vector<float>{5, 7, 6, 8});  // i, o, f, c
  CHECK(floats(value_of(p, "l/gates_t_b")) == std::vector<float>{213, 215, 214, 216});
  CHECK(floats(value_of(p, "l/peephole_f")) == std::vector<float>{306});  // i, o, f
  plait::gru_cell const gru{1, 1};
  auto const q = plait::to_parameters(
      gru, "g", plait::from_onnx(gru, {counted({1, 3, 1}), counted({1, 3, 1}, 100), counted({1, 6}, 200)}));
  CHECK(floats(value_of(q, "g/i2h_w")) == std::vector<float>{2, 1, 3});  // z, r, h
}

TEST_CASE("recurrent_weights: absent biases are zero") {
  plait::lstm_cell const lstm{3, 2};
  plait::torch_weights const given{counted({8, 3}), counted({8, 2})};
  auto const p = plait::to_parameters(lstm, "l", plait::from_torch(lstm, given));
  CHECK(floats(value_of(p, "l/i2h_b")) == std::vector<float>(8));
  plait::onnx_weights const other{counted<double>({1, 8, 3}), counted<double>({1, 8, 2})};
  auto const q = plait::to_parameters(lstm, "l", plait::from_onnx(lstm, other));
  CHECK(value_of(q, "l/gates_t_b") == tensor_value{{8}, std::vector<double>(8)});
}

TEST_CASE("torch_weights: named_weights and torch_weights_of use PyTorch's names") {
  plait::lstm_cell const lstm{3, 2};
  auto const given = torch(lstm, 4, 2);
  auto const named = plait::named_weights(given, 1, true, "rnn.");
  REQUIRE(named.size() == 4);
  CHECK(named[0].name == "rnn.weight_ih_l1_reverse");
  CHECK(named[3].name == "rnn.bias_hh_l1_reverse");
  CHECK(same(plait::torch_weights_of(named, 1, true, "rnn."), given));
  CHECK_THROWS_AS((void)plait::torch_weights_of(named, 1, false, "rnn."), plait::net_error);
}

TEST_CASE("recurrent_weights: weights that do not fit the cell are refused by name") {
  plait::lstm_cell const lstm{3, 2};
  auto const good = plait::from_torch(lstm, torch(lstm, 4, 2));
  auto const problem = [&](plait::recurrent_weights const& w) {
    return refused([&] { (void)plait::to_parameters(lstm, "l", w); });
  };
  CHECK(problem(good) == "accepted");
  auto bad = good;
  bad.input = counted({8, 4});
  CHECK(problem(bad) == "plait: recurrent weights: 'input' is 8×4, and should be 8×3");
  bad = good;
  bad.recurrent = counted<double>({8, 2});
  CHECK(problem(bad) == "plait: recurrent weights: 'recurrent' is float64, and should be float32 as the others are");
  bad = good;
  bad.recurrent_bias->shape = {4};
  CHECK(problem(bad) == "plait: recurrent weights: 'recurrent bias' is 4, and should be 8");
  bad = good;
  bad.input = {{8, 3}, std::vector<float>(5)};
  CHECK(problem(bad) == "plait: recurrent weights: 'input' is 5 elements, and should be as many as 8×3 has");
  bad = good;
  bad.input = {{8, 3}, std::vector<std::int32_t>(24)};
  CHECK(problem(bad) == "plait: recurrent weights: 'input' is int32, and should be float32 or float64");
  bad = good;
  bad.peepholes = counted({6});
  CHECK(problem(bad) == "plait: recurrent weights: peepholes are set for a cell without any");
  CHECK(refused([&] {
          (void)plait::to_parameters(plait::projected_lstm_cell{3, 2, 2}, "l", good);
        }) == "plait: recurrent weights: weights of the projection are missing");

  plait::torch_weights rows = torch(lstm, 4, 2);
  rows.weight_ih = counted({7, 3});
  CHECK(refused([&] { (void)plait::from_torch(lstm, rows); }).find("'weight_ih' is 7×3") != std::string::npos);
  rows.weight_ih = {{}, std::vector<float>(1)};
  CHECK(refused([&] { (void)plait::from_torch(lstm, rows); }).find("'weight_ih' is a scalar") != std::string::npos);
  plait::gru_cell const other{3, 2, false};
  CHECK(refused([&] { (void)plait::from_torch(other, torch(other, 3, 2)); }) != "accepted");
  plait::lstm_cell biased = lstm;
  biased.forget_bias = 1;
  CHECK(refused([&] { (void)plait::from_torch(biased, torch(lstm, 4, 2)); }).find("forget bias") != std::string::npos);
  CHECK(refused([&] { (void)plait::to_torch(biased, good); }).find("forget bias") != std::string::npos);
  CHECK(refused([&] { (void)plait::to_onnx(biased, {&good, 1}); }).find("forget bias") != std::string::npos);
  plait::onnx_weights const one{counted({1, 8, 3}), counted({1, 8, 2})};
  CHECK(refused([&] { (void)plait::from_onnx(lstm, one, 1); }).find("no direction 1") != std::string::npos);
  CHECK(refused([&] { (void)plait::to_onnx(lstm, {}); }) != "accepted");
  CHECK(refused([&] { (void)plait::from_parameters(lstm, "l", {}); }) ==
        "plait: recurrent weights: there is no 'l/gates_t_w'");
}
