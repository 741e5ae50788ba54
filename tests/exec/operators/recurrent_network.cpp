#include <plait/exec/detail/operators/recurrent_network.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/plan.hpp>
#include <support/check_close.hpp>
#include <support/recurrent_nets.hpp>

namespace {

using test::op_text;
using test::recurrence;
using test::recurrent_operators;

template <class B>
plait::plan<B> plan_of(std::string const& text, plait::workspace<B>& blobs, std::vector<std::string> fetch = {}) {
  return plait::compile(plait::read_netdef_text(text), recurrent_operators<B>(), blobs, {.fetch = std::move(fetch)});
}

/// Feeds the inputs of test::simple_cell for three steps.
template <class T, class B>
void feed_simple(plait::workspace<B>& blobs) {
  test::feed_some<T>(blobs, "x", {3, 2, 2}, 1);
  test::feed_some<T>(blobs, "h0", {1, 2, 2}, 2);
  test::feed_some<T>(blobs, "w", {2, 2}, 3);
  test::feed_some<T>(blobs, "b", {2}, 4);
}

recurrence lstm_cell() {
  std::string const axis = "arg { name: \"axis\" i: 2 }";
  return {{"x", "h0", "c0", "w", "b", "lens"},
          {"hs", "cs"},
          {1, 2},
          {"hs", "hs", "cs", "cs"},
          {"h_all", "h_last", "c_all", "c_last"},
          {1, -1, 1, -1},
          {{"h_prev", "h", "c_prev", "c", "x_t"}, {"hs", "hs", "cs", "cs", "x"}, {0, 1, 0, 1, 0}},
          op_text("FC", {"h_prev", "w", "b"}, {"g"}, axis) + op_text("Sum", {"g", "x_t"}, {"g"}) +
              op_text("LSTMUnit", {"h_prev", "c_prev", "g", "lens", "timestep"}, {"h", "c"})};
}

struct lstm_oracle {
  std::vector<double> h_all = {};
  std::vector<double> c_all = {};

  template <class T>
  lstm_oracle(std::size_t steps, std::size_t n, std::size_t d, std::vector<T> const& x, std::vector<T> h0,
              std::vector<T> c0, std::vector<T> const& w, std::vector<T> const& b, std::vector<int> const& lens) {
    std::vector<double> h(h0.begin(), h0.end());
    std::vector<double> c(c0.begin(), c0.end());
    auto const sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
    for (std::size_t t = 0; t != steps; ++t) {
      std::vector<double> const before = h;
      for (std::size_t row = 0; row != n; ++row)
        for (std::size_t k = 0; static_cast<int>(t) < lens[row] && k != d; ++k) {
          double gate[4];
          for (std::size_t g = 0; g != 4; ++g) {
            gate[g] = x[((t * n + row) * 4 + g) * d + k] + b[g * d + k];
            for (std::size_t j = 0; j != d; ++j) gate[g] += w[(g * d + k) * d + j] * before[row * d + j];
          }
          double& cell = c[row * d + k];
          cell = sigmoid(gate[1]) * cell + sigmoid(gate[0]) * std::tanh(gate[3]);
          h[row * d + k] = sigmoid(gate[2]) * std::tanh(cell);
        }
      h_all.insert(h_all.end(), h.begin(), h.end());
      c_all.insert(c_all.end(), c.begin(), c.end());
    }
  }
};

template <class T, class B>
void check_lstm(plait::plan<B>& plan, plait::workspace<B>& blobs, std::int64_t steps, std::int64_t n, std::int64_t d,
                std::uint64_t seed, double tolerance) {
  CAPTURE(steps);
  CAPTURE(n);
  test::feed_some<T>(blobs, "x", {steps, n, 4 * d}, seed);
  test::feed_some<T>(blobs, "h0", {1, n, d}, seed + 1);
  test::feed_some<T>(blobs, "c0", {n, d}, seed + 2);
  test::feed_some<T>(blobs, "w", {4 * d, d}, seed + 3);
  test::feed_some<T>(blobs, "b", {4 * d}, seed + 4);
  std::vector<std::int32_t> lens;
  for (std::int64_t row = 0; row != n; ++row) lens.push_back(static_cast<std::int32_t>((row * 3 + 1) % (steps + 1)));
  blobs.feed("lens", lens, {n});
  auto const of = [&](char const* name) { return blobs.template fetch<T>(name); };
  lstm_oracle const expected(static_cast<std::size_t>(steps), static_cast<std::size_t>(n), static_cast<std::size_t>(d),
                             of("x"), of("h0"), of("c0"), of("w"), of("b"), lens);
  plan.run();
  auto const compare = [&](char const* name, std::vector<double> const& wanted, plait::shape const& dims) {
    CAPTURE(name);
    CHECK(blobs.view(name).dims() == dims);
    auto const got = of(name);
    REQUIRE(got.size() == wanted.size());
    double worst = 0;
    for (std::size_t i = 0; i != got.size(); ++i) worst = test::larger_error(worst, std::abs(got[i] - wanted[i]));
    CHECK(worst <= tolerance);
  };
  auto const last = [&](std::vector<double> const& all, char const* initial) {
    auto const given = of(initial);
    if (steps == 0) return std::vector<double>(given.begin(), given.end());
    return std::vector<double>(all.end() - n * d, all.end());
  };
  compare("h_all", expected.h_all, {steps, n, d});
  compare("c_all", expected.c_all, {steps, n, d});
  compare("h_last", last(expected.h_all, "h0"), {1, n, d});
  compare("c_last", last(expected.c_all, "c0"), {1, n, d});
}

TEST_CASE_TEMPLATE("RecurrentNetwork: an LSTM follows its equations, run after run with other shapes", B,
                   PLAIT_HOST_BACKENDS) {
  recurrence r = lstm_cell();
  SUBCASE("forward only") {}
  SUBCASE("values kept for a gradient") {
    r.trains = true;
    r.backward_step = op_text("Copy", {"h"}, {"unused"});
    r.recompute = {"g"};
  }
  SUBCASE("step net as text") { r.as_text = true; }
  plait::workspace<B> blobs;
  bool const all = r.recompute.empty();
  auto plan = plan_of<B>(
      r.op(), blobs,
      all ? std::vector<std::string>{} : std::vector<std::string>{"h_all", "h_last", "c_all", "c_last", "ws"});
  std::uint64_t seed = 1;
  for (std::int64_t const steps : {5, 3, 0, 1, 1, 9, 9})
    for (std::int64_t const n : {2, 0, 3}) check_lstm<double>(plan, blobs, steps, n, 3, ++seed, 1e-14);
  for (std::int64_t const steps : {4, 6}) check_lstm<float>(plan, blobs, steps, 3, 8, ++seed, 1e-6);
}

TEST_CASE("RecurrentNetwork: outputs are views of the states, and an initial row is broadcast") {
  using B = plait::serial;
  recurrence r = test::simple_cell();
  for (bool const trains : {false, true}) {
    r.trains = trains;
    plait::workspace<B> blobs;
    auto plan = plan_of<B>(r.op(), blobs);
    for (std::int64_t const steps : {7, 4}) {
      test::feed_some<float>(blobs, "x", {steps, 2, 3}, 1);
      test::feed_some<float>(blobs, "h0", {3}, 2);
      test::feed_some<float>(blobs, "w", {3, 3}, 3);
      test::feed_some<float>(blobs, "b", {3}, 4);
      plan.run();
      CHECK(blobs.view("all").shares_memory(blobs.view("last")));
      auto const all = blobs.fetch<float>("all");
      CHECK(blobs.fetch<float>("last") == std::vector<float>(all.end() - 6, all.end()));
      auto const kept = std::dynamic_pointer_cast<plait::step_values<B>>(blobs.find("ws")->object);
      REQUIRE(kept != nullptr);
      CHECK(kept->length == static_cast<std::size_t>(steps));
      // Steps write the state directly to the sequence.
      if (trains)
        for (std::int64_t t = 0; t != steps; ++t)
          CHECK(kept->at("h", static_cast<std::size_t>(t)).value.raw() == blobs.view("all").slice(0, t, t + 1).raw());
      // The initial row is broadcast to the batch.
      auto const first = kept->states[0].slice(0, 0, 1).values<float>();
      auto const given = blobs.fetch<float>("h0");
      for (std::size_t i = 0; i != 6; ++i) CHECK(first[i] == given[i % 3]);
    }
  }
}

TEST_CASE("RecurrentNetwork: kept step values of another net do not shadow outer blobs") {
  using B = plait::serial;
  recurrence first = test::simple_cell();
  first.step += op_text("Sqr", {"x_t"}, {"a"});
  first.more = test::int_arg("keep_steps", 1);
  recurrence second = test::simple_cell();
  second.step = op_text("Add", {"h_prev", "a"}, {"h"}, test::int_arg("broadcast", 1));
  plait::workspace<B> blobs;
  feed_simple<float>(blobs);
  blobs.feed<float>("a", {1, 2}, {2});
  plan_of<B>(first.op(), blobs).run();
  plan_of<B>(second.op(), blobs).run();
  auto const h0 = blobs.fetch<float>("h0");
  auto const all = blobs.fetch<float>("all");
  REQUIRE(all.size() == 12);
  for (std::size_t i = 0; i != 4; ++i) CHECK(all[i] == h0[i] + (i % 2 == 0 ? 1.0F : 2.0F));
}

TEST_CASE("RecurrentNetwork: an op that changes an output in place preserves the other and kept step values") {
  auto const recurrence = test::simple_cell().op();
  auto const in_if = op_text("If", {"yes"}, {"all", "last", "ws"}, test::net_arg("then_net", recurrence));
  plait::workspace<plait::serial> plain;
  feed_simple<float>(plain);
  plan_of(recurrence, plain).run();
  auto const all = plain.fetch<float>("all");
  for (auto const& around : {recurrence, in_if})
    for (auto const* type : {"Negative", "Alias"})
      for (auto const* changed : {"last", "all"}) {
        CAPTURE(around);
        CAPTURE(type);
        CAPTURE(changed);
        plait::workspace<plait::serial> blobs;
        feed_simple<float>(blobs);
        blobs.feed("yes", std::vector<bool>{true}, {1});
        auto plan = plan_of(around + op_text(type, {changed}, {"v"}) + op_text("Sqr", {"v"}, {"v"}) +
                                op_text("Negative", {changed}, {changed}),
                            blobs);
        for (int run = 0; run != 2; ++run) {
          plan.run();
          bool const is_last = std::string_view(changed) == "last";
          auto const other = blobs.fetch<float>(is_last ? "all" : "last");
          auto const negated = blobs.fetch<float>(changed);
          REQUIRE(negated.size() == (is_last ? 4 : 12));
          for (std::size_t i = 0; i != 4; ++i) {
            CHECK(other[other.size() - 1 - i] == all[11 - i]);
            CHECK(negated[negated.size() - 1 - i] == -all[11 - i]);
            CHECK(blobs.fetch<float>("v").end()[-1 - static_cast<std::ptrdiff_t>(i)] == all[11 - i] * all[11 - i]);
          }
        }
      }
}

TEST_CASE("RecurrentNetwork: memory that a tensor still references is not overwritten") {
  using B = plait::serial;
  recurrence const r = test::simple_cell();
  plait::workspace<B> blobs;
  feed_simple<float>(blobs);
  auto plan = plan_of<B>(r.op(), blobs);
  plan.run();
  void const* const first = blobs.view("all").raw();
  plan.run();
  CHECK(blobs.view("all").raw() == first);
  auto const before = blobs.fetch<float>("all");
  plait::tensor<B> const held = blobs.view("all");
  blobs.feed("h0", blobs.view("last"));  // the next run starts from the last state, without a copy
  plan.run();
  CHECK(held.values<float>() == before);
  plait::workspace<B> other;
  for (char const* name : {"x", "w", "b"}) other.feed(name, blobs.view(name));
  other.feed("h0", held.slice(0, 2, 3));
  auto again = plan_of<B>(r.op(), other);
  again.run();
  CHECK(blobs.fetch<float>("all") == other.fetch<float>("all"));
}

TEST_CASE("RecurrentNetwork: windows cover previous steps of inputs and states") {
  using B = plait::serial;
  // s = fold of x at t and t + 1, plus fold of the previous two states; x_long has one step more than `time`.
  recurrence const r{
      {"time", "x_long", "h0"},
      {"hs"},
      {2},
      {"hs", "hs"},
      {"all", "tail"},
      {2, -3},
      {{"win", "past", "h"}, {"x_long", "hs", "hs"}, {0, 0, 2}, {2, 2, 1}},
      op_text("Fold", {"win"}, {"f"}) + op_text("Fold", {"past"}, {"p"}) + op_text("Sum", {"f", "p"}, {"h"})};
  plait::workspace<B> blobs;
  test::feed_some<double>(blobs, "time", {4, 1, 1}, 1);
  test::feed_some<double>(blobs, "x_long", {5, 1, 2}, 2);
  test::feed_some<double>(blobs, "h0", {2, 1, 2}, 3);
  auto plan = plan_of<B>(r.op(), blobs);
  plan.run();
  auto const x = blobs.fetch<double>("x_long");
  auto h = blobs.fetch<double>("h0");
  for (std::size_t i = 0; i != 8; ++i) h.push_back(x[i] + 2 * x[i + 2] + (h[i] + 2 * h[i + 2]));
  auto const got = blobs.fetch<double>("all");
  REQUIRE(got.size() == 8);
  for (std::size_t i = 0; i != 8; ++i) CHECK(got[i] == doctest::Approx(h[i + 4]).epsilon(1e-14));
  CHECK(blobs.view("tail").dims() == plait::shape{3, 1, 2});
}

TEST_CASE("RecurrentNetwork: a window may end in a value of the same step") {
  using B = plait::serial;
  recurrence const r{{"x", "before"},
                     {"xs", "ys"},
                     {1, 1},
                     {"ys"},
                     {"y"},
                     {1},
                     {{"x_t", "copy", "win", "out"}, {"x", "xs", "xs", "ys"}, {0, 1, 0, 1}, {1, 1, 2, 1}},
                     op_text("Tanh", {"x_t"}, {"copy"}) + op_text("Fold", {"win"}, {"out"})};
  plait::workspace<B> blobs;
  test::feed_some<double>(blobs, "x", {3, 1, 2}, 2);
  test::feed_some<double>(blobs, "before", {1, 1, 2}, 3);
  auto plan = plan_of<B>(r.op(), blobs);
  for (int round = 0; round != 2; ++round) {
    plan.run();
    auto xs = blobs.fetch<double>("before");
    for (double const v : blobs.fetch<double>("x")) xs.push_back(std::tanh(v));
    auto const got = blobs.fetch<double>("y");
    for (std::size_t i = 0; i != 6; ++i) CHECK(got[i] == doctest::Approx(xs[i] + 2 * xs[i + 2]).epsilon(1e-14));
  }
}

TEST_CASE("RecurrentNetwork: a blob read by name may alias an output of the previous run") {
  using B = plait::serial;
  recurrence r = test::simple_cell();
  r.step = op_text("FC", {"h_prev", "w", "b"}, {"s"}, "arg { name: \"axis\" i: 2 }") +
           op_text("Sum", {"s", "x_t", "prev"}, {"s"}) + op_text("Tanh", {"s"}, {"h"});
  for (std::int64_t const keeps : {0, 1})
    for (char const* const from : {"all", "last"}) {
      r.more = test::int_arg("keep_steps", keeps);
      std::vector<double> wanted;
      for (bool const cloned : {true, false}) {
        plait::workspace<B> blobs;
        feed_simple<double>(blobs);
        test::feed_some<double>(blobs, "prev", {1, 2, 2}, 9);
        auto plan = plan_of<B>(r.op(), blobs);
        plan.run();
        for (int round = 0; round != 3; ++round) {
          plait::tensor<B> prev = blobs.view(from).slice(0, 0, 1);
          blobs.feed("prev", cloned ? prev.clone() : std::move(prev));
          plan.run();
        }
        if (cloned) wanted = blobs.fetch<double>("all");
        CHECK(blobs.fetch<double>("all") == wanted);
      }
    }
}

TEST_CASE("RecurrentNetwork: a step that changes a blob of two places in place preserves the first place") {
  using B = plait::serial;
  recurrence r = test::simple_cell();
  r.inputs = {"x", "h0"};
  r.alias_offset = {0, -1};
  r.step = op_text("Sum", {"h", "x_t"}, {"h"});
  for (test::numbers_list const& places : {test::numbers_list{0, 1, 0}, test::numbers_list{1, 0, 0}})
    for (std::int64_t const keeps : {0, 1}) {
      r.forward = {{"h", "h", "x_t"}, {"hs", "hs", "x"}, places};
      r.more = test::int_arg("keep_steps", keeps);
      plait::workspace<B> blobs;
      blobs.feed<double>("x", {1, 1, 1, 1}, {4, 1, 1});
      blobs.feed<double>("h0", {10}, {1, 1, 1});
      auto plan = plan_of<B>(r.op(), blobs);
      for (int round = 0; round != 2; ++round) {
        plan.run();
        CHECK(blobs.fetch<double>("all") == std::vector<double>{10, 11, 12, 13, 14});
      }
    }
}

TEST_CASE("RecurrentNetwork: weights whose rows steps write are read up to date") {
  using B = plait::serial;
  recurrence r = test::simple_cell();
  r.forward = {{"h_prev", "h", "x_t", "row"}, {"hs", "hs", "x", "w"}, {0, 1, 0, 0}};
  r.step += op_text("ReduceFrontSum", {"h"}, {"row"}, test::int_arg("num_reduce_dim", 2));
  std::size_t const d = 16, n = 2;
  plait::workspace<B> blobs;
  test::feed_some<double>(blobs, "x", {16, 2, 16}, 1);
  test::feed_some<double>(blobs, "h0", {1, 2, 16}, 2);
  test::feed_some<double>(blobs, "w", {16, 16}, 3);
  test::feed_some<double>(blobs, "b", {16}, 4);
  auto w = blobs.fetch<double>("w");
  auto h = blobs.fetch<double>("h0");
  auto const x = blobs.fetch<double>("x");
  auto const b = blobs.fetch<double>("b");
  plan_of<B>(r.op(), blobs).run();
  for (std::size_t step = 0; step != d; ++step) {
    std::vector<double> made(n * d);
    for (std::size_t i = 0; i != n * d; ++i) {
      made[i] = b[i % d] + x[step * n * d + i];
      for (std::size_t j = 0; j != d; ++j) made[i] += h[i / d * d + j] * w[i % d * d + j];
      made[i] = std::tanh(made[i]);
    }
    h = made;
    for (std::size_t k = 0; k != d; ++k) w[step * d + k] = h[k] + h[d + k];
  }
  auto const last = blobs.fetch<double>("last");
  for (std::size_t i = 0; i != h.size(); ++i) CHECK(last[i] == doctest::Approx(h[i]).epsilon(1e-12));
}

TEST_CASE("RecurrentNetwork: a failed run rolls back inputs that steps write") {
  using B = plait::serial;
  recurrence r = test::simple_cell();
  r.inputs.insert(r.inputs.end(), {"sink", "ids", "data"});
  r.forward.internal.insert(r.forward.internal.end(), {"y_t", "id"});
  r.forward.external.insert(r.forward.external.end(), {"sink", "ids"});
  r.forward.offset.insert(r.forward.offset.end(), {0, 0});
  r.step += op_text("Sum", {"h", "x_t"}, {"y_t"}) + op_text("Gather", {"data", "id"}, {"got"});
  plait::workspace<B> blobs;
  feed_simple<double>(blobs);
  test::feed_some<double>(blobs, "sink", {3, 2, 2}, 5);
  test::feed_some<double>(blobs, "data", {4, 2}, 6);
  blobs.feed<std::int32_t>("ids", {0, 1, 77}, {3});
  auto const before = blobs.fetch<double>("sink");
  auto plan = plan_of<B>(r.op(), blobs);
  CHECK_THROWS_AS(plan.run(), plait::exec_error);
  CHECK(blobs.fetch<double>("sink") == before);
  blobs.feed<std::int32_t>("ids", {0, 1, 2}, {3});
  plan.run();
  CHECK(blobs.fetch<double>("sink") != before);
}

TEST_CASE("RecurrentNetwork: steps write to the places of an input that they are linked to") {
  using B = plait::serial;
  recurrence r = test::simple_cell();
  r.inputs.push_back("sink");
  r.forward.internal.push_back("y_t");
  r.forward.external.push_back("sink");
  r.forward.offset.push_back(1);
  r.step += op_text("Sum", {"h", "x_t"}, {"y_t"});
  SUBCASE("a separate input") {}
  SUBCASE("all step values kept") { r.more = test::int_arg("keep_steps", 1); }
  plait::workspace<B> blobs;
  feed_simple<double>(blobs);
  test::feed_some<double>(blobs, "sink", {5, 2, 2}, 5);
  auto const before = blobs.fetch<double>("sink");
  auto plan = plan_of<B>(r.op(), blobs);
  for (int round = 0; round != 2; ++round) {
    plan.run();
    auto wanted = before;
    auto const h = blobs.fetch<double>("all");
    auto const x = blobs.fetch<double>("x");
    for (std::size_t i = 0; i != h.size(); ++i) wanted[i + 4] = h[i] + x[i];
    CHECK(blobs.fetch<double>("sink") == wanted);
  }
}

TEST_CASE("RecurrentNetwork: a step reads from an input what the previous step wrote there") {
  using B = plait::serial;
  recurrence r = test::simple_cell();
  r.inputs = {"time", "h0", "w", "b", "x"};
  r.forward = {{"h_prev", "h", "x_t", "y_t"}, {"hs", "hs", "x", "x"}, {0, 1, 0, 1}};
  r.step += op_text("Sum", {"h", "x_t"}, {"y_t"});
  plait::workspace<B> blobs;
  test::feed_some<double>(blobs, "time", {3, 2, 1}, 1);
  test::feed_some<double>(blobs, "h0", {1, 2, 2}, 2);
  test::feed_some<double>(blobs, "w", {2, 2}, 3);
  test::feed_some<double>(blobs, "b", {2}, 4);
  test::feed_some<double>(blobs, "x", {4, 2, 2}, 5);
  plan_of<B>(r.op(), blobs).run();
  auto const x = blobs.fetch<double>("x");
  auto const w = blobs.fetch<double>("w");
  auto const b = blobs.fetch<double>("b");
  auto h = blobs.fetch<double>("h0");
  for (double const v : blobs.fetch<double>("all")) h.push_back(v);
  for (std::size_t i = 0; i != 12; ++i) {
    std::size_t const row = i / 2 * 2;
    std::size_t const unit = i % 2;
    CHECK(h[i + 4] == doctest::Approx(std::tanh(x[i] + h[row] * w[2 * unit] + h[row + 1] * w[2 * unit + 1] + b[unit]))
                          .epsilon(1e-14));
    CHECK(x[i + 4] == h[i + 4] + x[i]);
  }
}

TEST_CASE_TEMPLATE("RecurrentNetwork: a step may overwrite the place that it read its state from", B, plait::serial,
                   plait::tbb) {
  recurrence r = test::simple_cell();
  // `a` may alias the new h_prev, and is written before the old one is read: a WAR hazard.
  r.step =
      op_text("Copy", {"x_t"}, {"a"}) + op_text("Sum", {"a", "h_prev"}, {"h"}) + op_text("Sum", {"a", "h"}, {"h_prev"});
  r.more = test::int_arg("rnn_executor.num_threads", 2);
  plait::workspace<B> blobs;
  feed_simple<double>(blobs);
  auto plan = plan_of<B>(r.op(), blobs);
  auto const x = blobs.template fetch<double>("x");
  auto h = blobs.template fetch<double>("h0");
  std::vector<double> wanted;
  for (std::size_t i = 0; i != x.size(); ++i) {
    double const made = x[i] + h[i];
    h.push_back(made);
    if (i >= 4) wanted.push_back(x[i] + made);
  }
  wanted.insert(wanted.end(), h.end() - 4, h.end());
  for (int round = 0; round != 2; ++round) {
    plan.run();
    CHECK(blobs.template fetch<double>("all") == wanted);
  }
}

TEST_CASE("RecurrentNetwork: places of a state that no step writes are zero") {
  using B = plait::serial;
  recurrence r = test::simple_cell();
  SUBCASE("no place is written") {
    r.forward.external[1] = "sink";
    r.inputs.push_back("sink");
  }
  SUBCASE("the last place is not written") { r.forward.offset[1] = 0; }
  SUBCASE("a step reads its own place") { r.step = op_text("Copy", {"h"}, {"h"}); }
  plait::workspace<B> blobs;
  feed_simple<double>(blobs);
  test::feed_some<double>(blobs, "sink", {4, 2, 2}, 5);
  auto plan = plan_of<B>(r.op(), blobs);
  for (int round = 0; round != 2; ++round) {
    plan.run();
    CHECK(blobs.fetch<double>("last") == std::vector<double>(4, 0.0));
  }
}

TEST_CASE("RecurrentNetwork: step nets may have control flow, recurrences and in-place ops") {
  using B = plait::serial;
  plait::workspace<B> blobs;
  test::feed_some<double>(blobs, "x", {3, 1, 2}, 1);
  test::feed_some<double>(blobs, "h0", {1, 1, 2}, 2);
  auto const x = blobs.fetch<double>("x");
  auto h = blobs.fetch<double>("h0");
  recurrence r{{"x", "h0"}, {"hs"}, {1}, {"hs"}, {"all"}, {1}, {{"h_prev", "h", "x_t"}, {"hs", "hs", "x"}, {0, 1, 0}},
               ""};
  SUBCASE("If") {
    r.step = op_text("If", {"flag"}, {"h"},
                     test::net_arg("then_net", op_text("Tanh", {"x_t"}, {"h"})) +
                         test::net_arg("else_net", op_text("Sum", {"x_t", "h_prev"}, {"h"})));
    for (bool const flag : {true, false, true}) {
      test::feed_flag(blobs, "flag", flag);
      auto plan = plan_of<B>(r.op(), blobs);
      for (int round = 0; round != 2; ++round) plan.run();
      auto const got = blobs.fetch<double>("all");
      double sum[2] = {h[0], h[1]};
      for (std::size_t i = 0; i != 6; ++i)
        CHECK(got[i] == doctest::Approx(flag ? std::tanh(x[i]) : sum[i % 2] += x[i]).epsilon(1e-14));
    }
  }
  SUBCASE("RecurrentNetwork") {
    // The inner recurrence adds each step of `inner_x`, and x_t, to the state.
    recurrence const inner{{"inner_x", "h_prev"},
                           {"is"},
                           {1},
                           {"is", "is"},
                           {"i_all", "h"},
                           {1, -1},
                           {{"i_prev", "i", "ix"}, {"is", "is", "inner_x"}, {0, 1, 0}},
                           op_text("Sum", {"i_prev", "ix", "x_t"}, {"i"})};
    std::string op = inner.op();
    op.replace(op.find("\"ws\""), 4, "\"inner_ws\"");
    r.step = op;
    for (bool const trains : {false, true}) {
      r.trains = trains;
      r.backward_step = op_text("Copy", {"h"}, {"unused"});
      test::feed_some<double>(blobs, "inner_x", {4, 1, 2}, 5);
      auto const added = blobs.fetch<double>("inner_x");
      auto plan = plan_of<B>(r.op(), blobs);
      for (int round = 0; round != 3; ++round) {
        plan.run();
        auto state = h;
        auto const got = blobs.fetch<double>("all");
        for (std::size_t i = 0; i != 6; ++i) {
          for (std::size_t k = 0; k != 4; ++k) state[i % 2] += added[2 * k + i % 2] + x[i];
          CHECK(got[i] == doctest::Approx(state[i % 2]).epsilon(1e-13));
        }
      }
    }
  }
  SUBCASE("changing x_t in place preserves x") {
    r.step = op_text("Tanh", {"x_t"}, {"x_t"}) + op_text("Sum", {"x_t", "h_prev"}, {"h"});
    auto plan = plan_of<B>(r.op(), blobs);
    plan.run();
    CHECK(blobs.fetch<double>("x") == x);
    auto const got = blobs.fetch<double>("all");
    for (std::size_t i = 0; i != 6; ++i) CHECK(got[i] == doctest::Approx(h[i % 2] += std::tanh(x[i])).epsilon(1e-14));
  }
  SUBCASE("a state equals another one step later") {
    r.states = {"hs", "later"};
    r.initial = {1, 1};
    r.alias_src = {"later"};
    r.forward = {{"h_prev", "h_prev", "h", "x_t"}, {"hs", "later", "hs", "x"}, {0, 1, 1, 0}};
    r.step = op_text("Sum", {"x_t", "h_prev"}, {"h"});
    auto plan = plan_of<B>(r.op(), blobs);
    plan.run();
    auto const got = blobs.fetch<double>("all");
    for (std::size_t i = 0; i != 6; ++i) {
      CHECK(got[i] == doctest::Approx(h[i % 2]).epsilon(1e-14));
      h[i % 2] += x[i];
    }
  }
}

template <class Change>
std::string refusal(Change&& change, bool run_it = true) {
  using B = plait::serial;
  recurrence r = test::simple_cell();
  plait::workspace<B> blobs;
  feed_simple<float>(blobs);
  change(r, blobs);
  try {
    auto plan = plan_of<B>(r.op(), blobs);
    REQUIRE(run_it);
    plan.run();
  } catch (plait::exec_error const& e) {
    CHECK(e.op == 0);
    CHECK(e.type == "RecurrentNetwork");
    return e.what();
  }
  return "nothing was thrown";
}

TEST_CASE("RecurrentNetwork: lists of outputs that do not fit, and forecasts without a sequence, are refused") {
  using B = plait::serial;
  plait::workspace<B> blobs;
  feed_simple<float>(blobs);
  std::string const op = test::simple_cell().op();
  std::string const lists = "\"alias_dst\" strings: \"all\" strings: \"last\"";
  auto const with_outputs = [&](std::string const& names) {
    std::string made = op;
    return made.replace(made.find(lists), lists.size(), "\"alias_dst\" " + names);
  };
  CHECK_THROWS_WITH_AS(plan_of<B>(with_outputs("strings: \"all\""), blobs),
                       doctest::Contains("'alias_src' has 2 names, 'alias_dst' 1 values"), plait::exec_error);
  CHECK_THROWS_WITH_AS(plan_of<B>(with_outputs("strings: \"all\" strings: \"end\""), blobs),
                       doctest::Contains("alias_dst has 'end', which is no output"), plait::exec_error);
  std::string three = op;
  std::string const last = "output: \"last\"";
  three.replace(three.find(last), last.size(), last + " output: \"third\"");
  CHECK_THROWS_WITH_AS(plan_of<B>(three, blobs), doctest::Contains("output 'third' is not in alias_dst"),
                       plait::exec_error);
  auto plan = plan_of<B>(op, blobs);
  test::feed_some<float>(blobs, "x", {3}, 1);
  CHECK_THROWS_WITH_AS((void)plan.forecast(), doctest::Contains("input 0 is float32 3, no sequence of steps of rows"),
                       plait::exec_error);
}

TEST_CASE("RecurrentNetwork: arguments and inputs that do not fit are refused") {
  using B = plait::serial;
  using blobs_t = plait::workspace<B>;
  auto const says = [](std::string const& message, std::string_view part) {
    CAPTURE(message);
    CAPTURE(part);
    CHECK(message.find(part) != std::string::npos);
  };
  says(refusal([](recurrence& r, blobs_t&) { r.initial = {}; }, false),
       "'recurrent_states' has 1 names, 'initial_recurrent_state_ids' 0 values");
  says(refusal([](recurrence& r, blobs_t&) { r.alias_offset = {1}; }, false),
       "'alias_src' has 2 names, 'alias_offset' 1");
  says(refusal([](recurrence& r, blobs_t&) { r.forward.external.pop_back(); }, false),
       "'link_internal' has 3 names, 'link_external' 2");
  says(refusal([](recurrence& r, blobs_t&) { r.forward.window = {1}; }, false),
       "'link_internal' has 3 names, 'link_window' 1");
  says(refusal([](recurrence& r, blobs_t&) { r.forward.offset[2] = -1; }, false),
       "the link of 'x_t' to 'x' has offset -1 and window 1");
  says(refusal([](recurrence& r, blobs_t&) { r.initial = {7}; }, false), "has 7 for 'hs', but there are 4 inputs");
  says(refusal([](recurrence& r, blobs_t&) { r.alias_src[0] = "other"; }, false),
       "'other', which is not in recurrent_states");
  says(refusal([](recurrence& r, blobs_t&) { r.forward.external[2] = "y"; }, false),
       "'y', which is neither a state nor an input");
  says(refusal([](recurrence& r, blobs_t&) { r.step = op_text("Nothing", {"x_t"}, {"h"}); }, false),
       "step_net: op 0 (Nothing): there is no such op type");
  says(refusal([](recurrence&, blobs_t& b) {
         test::feed_some<float>(b, "h0", {3, 2}, 1);
       }),
       "the initial state 'hs' is float32 3x2 for a batch of 2");
  says(refusal([](recurrence&, blobs_t& b) {
         test::feed_some<float>(b, "h0", {1, 1, 2, 2}, 1);
       }),
       "which should have 1 to 3 dimensions");
  says(refusal([](recurrence&, blobs_t& b) {  // layout of two-layer states in other systems
         test::feed_some<float>(b, "h0", {2, 2, 2}, 1);
       }),
       "the initial state 'hs' is of 2 steps, but the first one writes place 1");
  says(refusal([](recurrence&, blobs_t& b) { test::feed_some<float>(b, "x", {3}, 1); }),
       "input 0 is float32 3, which should be a sequence of steps of rows");
  says(refusal([](recurrence& r, blobs_t&) { r.forward.offset[1] = 2; }),
       "the link of 'h' leaves 'hs' of 4 places at step 2: offset 2, window 1");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();  // sums with it overflow
  for (std::size_t const link : {0U, 1U, 2U}) {
    says(refusal([&](recurrence& r, blobs_t&) { r.forward.offset[link] = most - 1; }, false),
         "has offset 9223372036854775806 and window 1");
    says(refusal(
             [&](recurrence& r, blobs_t&) {
               (r.forward.window = {1, 1, 1})[link] = most;
             },
             false),
         "and window 9223372036854775807");
  }
  says(refusal([](recurrence& r, blobs_t&) { r.alias_offset[1] = -most - 1; }, false),
       "alias_offset has -9223372036854775808 for 'last'");
  says(refusal([](recurrence& r, blobs_t&) { r.alias_dst[1] = "all"; }, false), "alias_dst has 'all' twice");
  says(refusal(
           [](recurrence& r, blobs_t&) {
             r.states = {"hs", "hs"};
             r.initial = {1, 1};
           },
           false),
       "recurrent_states has 'hs' twice");
  says(refusal([](recurrence& r, blobs_t&) { r.alias_offset[1] = -5; }),
       "output 'last' begins at -5 of 4 places of 'hs'");
  says(refusal([](recurrence&, blobs_t& b) {
         test::feed_some<float>(b, "w", {3, 2}, 1);
         test::feed_some<float>(b, "b", {3}, 1);
       }),
       "step_net at step 0: op 1 (Sum)");
  says(refusal([](recurrence& r, blobs_t& b) {
         test::feed_some<float>(b, "w", {3, 2}, 1);
         test::feed_some<float>(b, "b", {3}, 1);
         r.step = op_text("FC", {"h_prev", "w", "b"}, {"h"}, "arg { name: \"axis\" i: 2 }");
       }),
       "'h' is float32 1x2x3 after step 0, but linked to float32 1x2x2");
  says(refusal([](recurrence& r, blobs_t&) { r.forward.offset.pop_back(); }, false),
       "'link_internal' has 3 names, 'link_offset' 2 values");
  for (std::int64_t const number : {-1, 4})
    says(refusal([&](recurrence& r, blobs_t&) { r.more = test::ints_arg("sequences", {number}); }, false),
         "sequences has " + std::to_string(number) + ", but there are 4 inputs");
  says(refusal([](recurrence& r, blobs_t& b) {
         recurrence const other = test::simple_cell();
         plan_of<B>(other.op(), b).run();
         r.inputs[1] = "ws";
       }),
       "the initial state of 'hs' is no tensor");
  says(refusal([](recurrence& r, blobs_t& b) {
         b.feed("n", plait::tensor<B>::from(std::vector<float>{1}, {}));
         r.inputs.push_back("n");
         r.forward.internal.push_back("n_t");
         r.forward.external.push_back("n");
         r.forward.offset.push_back(0);
       }),
       "'n' is float32 scalar, which has no steps");
  says(refusal([](recurrence& r, blobs_t& b) {
         test::feed_flag(b, "yes", true);
         r.forward = {{"both", "h", "x_t"}, {"hs", "hs", "x"}, {0, 1, 0}, {2, 1, 1}};
         r.step = op_text("If", {"yes", "x_t"}, {"h"}, test::net_arg("then_net", op_text("Copy", {"x_t"}, {"h"}))) +
                  op_text("ReduceSum", {"both"}, {"sum"}, test::ints_arg("axes", {0}));
       }),
       "'h' is read through a window in the step that makes it, by an op that cannot write it there");
  says(refusal([](recurrence& r, blobs_t&) { r.step = op_text("Sum", {"x_t", "elsewhere"}, {"h"}); }), "elsewhere");
}

TEST_CASE("RecurrentNetwork: a plan runs again after an error") {
  using B = plait::serial;
  plait::workspace<B> blobs;
  feed_simple<float>(blobs);
  auto plan = plan_of<B>(test::simple_cell().op(), blobs);
  plan.run();
  auto const expected = blobs.fetch<float>("all");
  plait::tensor<B> const w = blobs.view("w");
  test::feed_some<float>(blobs, "w", {2, 5}, 3);
  CHECK_THROWS_AS(plan.run(), plait::exec_error);
  blobs.feed("w", w);
  plan.run();
  CHECK(blobs.fetch<float>("all") == expected);
}

TEST_CASE("RecurrentNetwork: a memory planner may have renamed inputs, states, outputs and step blobs") {
  using B = plait::serial;
  recurrence r = test::simple_cell();
  plait::workspace<B> blobs;
  feed_simple<float>(blobs);
  plan_of<B>(r.op(), blobs).run();
  auto const expected = blobs.fetch<float>("all");
  r.inputs[0] = "y";
  for (auto const& [from, to] : {std::pair{"x", "y"}, {"x_t", "__m0"}, {"hs", "__m1"}, {"last", "final"}, {"h", "h_"}})
    r.more += test::text_arg(std::string(from) + ".rename", to);
  r.step = op_text("FC", {"h_prev", "w", "b"}, {"s"}, "arg { name: \"axis\" i: 2 }") +
           op_text("Sum", {"s", "__m0"}, {"s"}) + op_text("Tanh", {"s"}, {"h_"});
  std::string op = r.op();
  std::string const last = "output: \"last\"";
  op.replace(op.find(last), last.size(), "output: \"final\"");
  for (bool const as_text : {false, true}) {
    r.as_text = as_text;
    plait::workspace<B> others;
    for (char const* name : {"h0", "w", "b"}) others.feed(name, blobs.view(name));
    others.feed("y", blobs.view("x"));
    // Steps do not read the outer __m0.
    test::feed_some<float>(others, "__m0", {1}, 9);
    plan_of<B>(op, others).run();
    CHECK(others.fetch<float>("all") == expected);
    CHECK(others.fetch<float>("final") == blobs.fetch<float>("last"));
  }
}

TEST_CASE("RecurrentNetwork: the forms of 2017 run, that of 2016 is refused by name") {
  using B = plait::serial;
  recurrence r = test::simple_cell();
  plait::workspace<B> blobs;
  feed_simple<float>(blobs);
  test::feed_some<float>(blobs, "all_grad", {3, 2, 2}, 5);
  r.outputs_with_grads = {0};
  r.trains = true;
  plan_of<B>(r.op() + r.gradient_op(), blobs).run();
  auto const all = blobs.fetch<float>("all");
  auto const w = blobs.fetch<float>("w_grad");

  // This form has a text step net, parameters by number, no param_grads; outputs_with_grads came a month later.
  r.as_text = true;
  r.param_grads = {};
  std::string text = r.op() + r.gradient_op();
  std::string const outputs = test::ints_arg("outputs_with_grads", {0});
  for (std::size_t at = text.find(outputs); at != std::string::npos; at = text.find(outputs))
    text.erase(at, outputs.size());
  plan_of<B>(text, blobs).run();
  CHECK(blobs.fetch<float>("all") == all);
  CHECK(blobs.fetch<float>("w_grad") == w);

  for (char const* argument : {"scratch_sizes", "recurrent_sizes", "recurrent_input_ids"}) {
    r.more = test::ints_arg(argument, {2});
    try {
      plan_of<B>(r.op(), blobs);
      FAIL("accepted");
    } catch (plait::exec_error const& e) {
      CHECK(std::string(e.what()).find("argument '" + std::string(argument) + "' is of the form") != std::string::npos);
      CHECK(std::string(e.what()).find("2016") != std::string::npos);
    }
  }
}

TEST_CASE("RecurrentNetwork: a step net in text form that cannot be parsed is refused") {
  plait::workspace<plait::serial> blobs;
  recurrence r = test::simple_cell();
  r.as_text = true;
  r.step = "op { type ";
  CHECK_THROWS_AS(plan_of<plait::serial>(r.op(), blobs), plait::net_error);
}

}  // namespace
