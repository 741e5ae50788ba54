// Recurrent layers of static cells, compared with the layers of nets and with differences.
#include <plait/exec/static_cells.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/core/errors.hpp>
#include <plait/exec/tensor.hpp>
#include <plait/rnn/cells.hpp>
#include <support/built_layer.hpp>
#include <support/check_close.hpp>
#include <support/run_op.hpp>

namespace {

using test::apart;
using test::numbers;
using test::values;

// ---- cells

constexpr auto elman = plait::static_cell([](auto gate, auto) { return tanh(gate); });
constexpr auto lstm = plait::static_cell([](auto i, auto f, auto o, auto g, auto, auto c, plait::scalar forget_bias) {
  auto next = sigmoid(f + forget_bias) * c + sigmoid(i) * tanh(g);
  return plait::cell_results{sigmoid(o) * tanh(next), next};
});
constexpr auto peephole =
    plait::static_cell([](auto i, auto f, auto o, auto g, auto, auto c, plait::per_column of_i, plait::per_column of_f,
                          plait::per_column of_o, plait::scalar forget_bias) {
      auto next = sigmoid(f + of_f * c + forget_bias) * c + sigmoid(i + of_i * c) * tanh(g);
      return plait::cell_results{sigmoid(o + of_o * next) * tanh(next), next};
    });
// With the reset gate after the product.
constexpr auto gru = plait::static_cell([](auto xr, auto xu, auto xo, auto hr, auto hu, auto ho, auto h) {
  auto kept = sigmoid(xu + hu);
  return kept * h + (1 - kept) * tanh(xo + sigmoid(xr + hr) * ho);
});
// A reduction of rows.
constexpr auto normalised = plait::static_cell([](auto gate, auto h) {
  auto centred = gate - mean(gate);
  return 0.5 * h + tanh(centred * rsqrt(mean(square(centred)) + 0.125));
});

constexpr float bias = 0.75f;
constexpr std::int64_t hidden = 2;

// ---- a layer, and the same layer of a net

template <class B, class Layer>
struct subject {
  Layer layer;
  plait::any_cell cell;
  std::vector<std::string> parameters;  ///< names in the net, in the order of the layer
  bool adds_biases = true;              ///< sums the biases of both products
};

template <class B>
auto lstm_subject() {
  using layer = plait::rnn<B, lstm, double>;
  plait::rnn_extents const extents{test::layer_size::steps, test::layer_size::batch, test::layer_size::inputs, hidden};
  return subject<B, layer>{layer(extents, {double{bias}}),
                           plait::lstm_cell{test::layer_size::inputs, hidden, bias},
                           {"r/i2h_w", "r/gates_t_w", "r/i2h_b"}};
}
template <class B>
auto peephole_subject() {
  using layer = plait::rnn<B, peephole, double>;
  plait::rnn_extents const extents{test::layer_size::steps, test::layer_size::batch, test::layer_size::inputs, hidden};
  return subject<B, layer>{layer(extents, {double{bias}}),
                           plait::peephole_lstm_cell{test::layer_size::inputs, hidden, bias},
                           {"r/i2h_w", "r/gates_t_w", "r/i2h_b", "r/peephole_i", "r/peephole_f", "r/peephole_o"}};
}
template <class B>
auto gru_subject() {
  using layer = plait::rnn<B, gru, double, plait::rnn_gates::separate>;
  plait::rnn_extents const extents{test::layer_size::steps, test::layer_size::batch, test::layer_size::inputs, hidden};
  return subject<B, layer>{layer(extents),
                           plait::gru_cell{test::layer_size::inputs, hidden, true},
                           {"r/i2h_w", "r/reset_gate_t_w", "r/update_gate_t_w", "r/output_gate_t_w", "r/i2h_b",
                            "r/reset_gate_t_b", "r/update_gate_t_b", "r/output_gate_t_b"},
                           false};
}

numbers joined(std::vector<std::string> const& names, auto const& of) {
  numbers all;
  for (std::string const& name : names) {
    numbers const one = of(name);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

template <class B>
plait::tensor<B> on(numbers const& host) {
  return plait::tensor<B>::from(host, {static_cast<std::int64_t>(host.size())});
}
template <class B>
numbers from(double const* memory, std::size_t count) {
  numbers made(count);
  B::synchronize();
  B::copy_to_host(made.data(), memory, count * sizeof(double));
  return made;
}

template <class B, class Layer>
void compare(subject<B, Layer>& one, std::vector<std::int64_t> const& lengths) {
  using namespace test::layer_size;
  test::layer_variant how;
  how.given = true;
  if (!lengths.empty()) how.lengths = lengths;
  test::layer_results const wanted = test::run_layer(test::layer_of(one.cell), how);

  Layer& layer = one.layer;
  auto const count_of = [&](std::string const& name) {
    return static_cast<std::int64_t>(wanted.gradients.at(name).size());
  };
  numbers parameters = joined(one.parameters, [&](std::string const& name) { return values(name, count_of(name)); });
  if (one.adds_biases) {
    std::size_t const at = layer.input_weights().size() + layer.recurrent_weights().size();
    numbers const more = values("r/gates_t_b", count_of("r/gates_t_b"));
    for (std::size_t i = 0; i != more.size(); ++i) parameters[at + i] += more[i];
  }
  layer.load(parameters);

  std::vector<plait::tensor<B>> initial;
  std::vector<plait::tensor<B>> seeds;
  std::array<double const*, Layer::states> starts;
  std::array<double const*, Layer::states> ends;
  constexpr std::size_t rows = batch;
  for (std::size_t s = 0; s != Layer::states; ++s) {
    std::string const name = "start" + std::to_string(s);
    numbers start = values(name, s == 0 ? hidden : batch * hidden);
    for (std::size_t row = 1; s == 0 && row != rows; ++row)
      start.insert(start.end(), start.begin(), start.begin() + hidden);
    initial.push_back(on<B>(start));
    starts[s] = initial.back().template data<double>();
    seeds.push_back(on<B>(values("seed" + std::to_string(s + 1), batch * hidden)));
    ends[s] = seeds.back().template data<double>();
  }
  auto const x = on<B>(how.x);
  auto const dy = on<B>(values("seed0", steps * batch * hidden));
  auto dx = on<B>(how.x);
  std::vector<std::int32_t> narrow(lengths.begin(), lengths.end());
  narrow.resize(rows);
  auto const limits = plait::tensor<B>::from(narrow, {batch});
  for (int run : {1, 2}) {  // the same twice
    CAPTURE(run);
    layer.forward(x.template data<double>(), starts, lengths.empty() ? nullptr : limits.template data<std::int32_t>());
    CHECK(apart(from<B>(layer.outputs(), steps * batch * hidden), wanted.output) < 1e-13);
    for (std::size_t s = 0; s != Layer::states; ++s)
      CHECK(apart(from<B>(layer.state_after(s, steps), batch * hidden), wanted.last.at(s)) < 1e-13);
    layer.backward(dy.template data<double>(), dx.template data<double>(), ends);
    CHECK(apart(from<B>(layer.gradients().data(), layer.gradients().size()),
                joined(one.parameters, [&](std::string const& name) { return wanted.gradients.at(name); })) < 1e-12);
    CHECK(apart(dx.template values<double>(), wanted.gradients.at("x")) < 1e-12);
    for (std::size_t s = 0; s != Layer::states; ++s) {
      numbers got = from<B>(layer.initial_gradient(s), batch * hidden);
      if (s == 0) {  // one vector for all rows
        for (std::size_t i = hidden; i != got.size(); ++i) got[i % hidden] += got[i];
        got.resize(hidden);
      }
      CHECK(apart(got, wanted.gradients.at("start" + std::to_string(s))) < 1e-12);
    }
  }
}

TEST_CASE_TEMPLATE("rnn: agrees with the layer of a net, forward and backward", B, PLAIT_HOST_BACKENDS) {
  auto const check = [](auto made) {
    compare(made, {});
    compare(made, {4, 2, 1});
  };
  SUBCASE("peephole LSTM") { check(peephole_subject<B>()); }
  SUBCASE("GRU") { check(gru_subject<B>()); }
}

TEST_CASE("rnn: has the bits of the layer of a net if the sums have one order") {
  using namespace test::layer_size;
  using B = plait::serial;
  auto one = lstm_subject<B>();
  test::built_layer net(test::layer_of(one.cell), {});
  net.blobs.feed("r/gates_t_b", on<B>(numbers(4 * hidden)));
  for (char const* const state : {"r/initial_hidden_state", "r/initial_cell_state"})
    net.blobs.feed(state, on<B>(numbers(hidden)));
  plait::compile(net.model.net.net(), plait::standard_operators<B>(), net.blobs).run();

  one.layer.load(joined(one.parameters, [&](std::string const& name) { return net.blobs.fetch<double>(name); }));
  auto const x = on<B>(net.how.x);
  one.layer.forward(x.data<double>());
  CHECK(from<B>(one.layer.outputs(), steps * batch * hidden) == net.blobs.fetch<double>(net.ys[0]));
  one.layer.infer(x.data<double>());
  CHECK(from<B>(one.layer.outputs(), steps * batch * hidden) == net.blobs.fetch<double>(net.ys[0]));
}

// Returns the largest difference between the gradients of a layer and differences, relative to 1.
template <class Layer>
double distance_to_differences(Layer& layer) {
  auto const size = [](std::int64_t extent) { return static_cast<std::size_t>(extent); };
  std::size_t const outputs = size(layer.steps() * layer.batch() * layer.hidden());
  std::string const name = "differences";
  numbers all = values(name, static_cast<std::int64_t>(layer.parameters().size()));
  layer.load(all);
  numbers const x = values(name + "x", layer.steps() * layer.batch() * layer.inputs());
  numbers const weights = values(name + "y", static_cast<std::int64_t>(outputs));
  std::vector<std::int32_t> const lengths = {3, 1};
  auto const loss = [&](numbers const& input) {
    layer.forward(input.data(), {}, lengths.data());
    double sum = 0;
    for (std::size_t i = 0; i != outputs; ++i) sum += weights[i] * layer.outputs()[i];
    return sum;
  };
  loss(x);
  numbers dx(x.size());
  layer.backward(weights.data(), dx.data());
  numbers const gradients(layer.gradients().begin(), layer.gradients().end());
  double most = 0;
  auto const compare = [&](double& at, double wanted, auto const& value) {
    double const was = at;
    constexpr double step = 1e-5;
    at = was + step;
    double const above = value();
    at = was - step;
    double const below = value();
    at = was;
    most = test::larger_error(most, std::abs((above - below) / (2 * step) - wanted));
  };
  numbers moved = x;
  for (std::size_t i = 0; i != x.size(); ++i) compare(moved[i], dx[i], [&] { return loss(moved); });
  for (std::size_t i = 0; i != all.size(); ++i)
    compare(all[i], gradients[i], [&] {
      layer.load(all);
      return loss(x);
    });
  return most;
}

TEST_CASE("rnn: gradients agree with differences in double") {
  plait::rnn_extents const extents{.steps = 3, .batch = 2, .inputs = 2, .hidden = 3};
  using B = plait::serial;
  plait::rnn<B, normalised, double> layer(extents);
  CHECK(distance_to_differences(layer) < 1e-9);
}

TEST_CASE("rnn: refuses extents that are unknown or contradict those of the type, and too few parameters") {
  using B = plait::serial;
  using layer = plait::rnn<B, elman, float, plait::rnn_gates::summed, plait::rnn_extents{.hidden = 4}>;
  CHECK(layer({.steps = 1, .batch = 1, .inputs = 1}).hidden() == 4);
  CHECK_THROWS_WITH_AS(layer({.steps = 1, .batch = 1}),
                       "plait: the extent 'inputs' of an rnn is -1, which should be positive", plait::shape_error);
  CHECK_THROWS_WITH_AS(layer({.steps = 1, .batch = 1, .inputs = 1, .hidden = 5}),
                       "plait: the extent 'hidden' of an rnn is 5, which should be 4", plait::shape_error);
  // Products of extents that do not fit into 64 bits.
  std::int64_t const huge = std::int64_t{1} << 40;
  CHECK_THROWS_AS(layer({.steps = huge, .batch = huge, .inputs = 1}), plait::shape_error);
  CHECK_THROWS_AS(layer({.steps = 1, .batch = 1, .inputs = std::int64_t{1} << 61}), plait::shape_error);
  layer one({.steps = 1, .batch = 1, .inputs = 1});
  std::vector<float> const few(3);
  CHECK_THROWS_WITH_AS(one.load(few), "plait: an rnn has 24 parameters, not 3", plait::shape_error);
}

}  // namespace
