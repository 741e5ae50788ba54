// compile_options::constants: weight pre-packing and other results of constant blobs are computed once.
#include <plait/exec/plan.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/detail/cells/gru.hpp>
#include <plait/rnn/detail/cells/lstm.hpp>
#include <support/recurrent_nets.hpp>
#include <support/trained_layer.hpp>

namespace {

constexpr std::int64_t inputs = 24, units = 40, outputs = 17;

plait::netdef perceptron() {
  return plait::read_netdef_text(
      "op { type: \"FC\" input: \"x\" input: \"w\" input: \"b\" output: \"h\" }"
      "op { type: \"Relu\" input: \"h\" output: \"h\" }"
      "op { type: \"MatMul\" input: \"h\" input: \"v\" output: \"y\" }"
      "external_output: \"y\"");
}

template <class B>
void feed_parameters(plait::workspace<B>& blobs, unsigned seed) {
  test::feed_some<float>(blobs, "w", {units, inputs}, seed);
  test::feed_some<float>(blobs, "b", {units}, seed + 1);
  test::feed_some<float>(blobs, "v", {units, outputs}, seed + 2);
}

template <class B>
std::vector<float> run(plait::plan<B>& plan, plait::workspace<B>& blobs, std::int64_t rows) {
  test::feed_some<float>(blobs, "x", {rows, inputs}, 1);
  plan.run();
  return blobs.template fetch<float>("y");
}

// Compares with a tolerance: packed and unpacked products accumulate in different orders.
bool is_near(std::vector<float> const& a, std::vector<float> const& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i != a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 1e-4f)) return false;
  return true;
}

TEST_CASE_TEMPLATE("compile_options::constants: results agree for any number of rows, run after run", B, plait::serial,
                   plait::tbb) {
  plait::netdef const net = perceptron();
  plait::workspace<B> blobs, others;
  feed_parameters(blobs, 2);
  feed_parameters(others, 2);
  auto plan = plait::compile(net, test::table<B>(), blobs, {.constants = {"w", "b", "v"}});
  auto plain = plait::compile(net, test::table<B>(), others);
  for (std::int64_t const rows : {1, 3, 300, 1, 64, 64, 0, 5}) {
    std::vector<float> const made = run(plan, blobs, rows);
    CHECK(is_near(made, run(plain, others, rows)));
    CHECK(made == run(plan, blobs, rows));
  }
}

TEST_CASE("compile_options::constants: new addresses and shapes are noticed, new elements need forget_constants") {
  using B = plait::serial;
  plait::netdef const net = perceptron();
  plait::workspace<B> blobs, others;
  feed_parameters(blobs, 2);
  auto plan = plait::compile(net, test::table<B>(), blobs, {.constants = {"w", "v"}});
  std::vector<float> const before = run(plan, blobs, 3);

  feed_parameters(others, 7);
  auto plain = plait::compile(net, test::table<B>(), others);
  std::vector<float> const after = run(plain, others, 3);
  REQUIRE(!is_near(before, after));

  auto const write = [&](std::string const& name) {
    std::vector<float> const numbers = others.fetch<float>(name);
    std::copy(numbers.begin(), numbers.end(), static_cast<float*>(blobs.get(name).value.raw()));
  };
  write("w");
  write("v");
  CHECK(run(plan, blobs, 3) == before);  // results of the old elements are kept; b is no constant
  write("b");
  plan.forget_constants();
  CHECK(is_near(run(plan, blobs, 3), after));
  CHECK(is_near(run(plan, blobs, 3), after));

  feed_parameters(blobs, 2);
  plan.forget_constants();
  CHECK(run(plan, blobs, 3) == before);
  // The addresses change.
  for (char const* const name : {"w", "b", "v"}) blobs.get(name) = plait::blob<B>(others.get(name));
  CHECK(is_near(run(plan, blobs, 3), after));
  // The shapes change: fewer units.
  for (auto* const each : {&blobs, &others}) {
    test::feed_some<float>(*each, "w", {units / 2, inputs}, 11);
    test::feed_some<float>(*each, "b", {units / 2}, 12);
    test::feed_some<float>(*each, "v", {units / 2, outputs}, 13);
  }
  CHECK(is_near(run(plan, blobs, 3), run(plain, others, 3)));
}

TEST_CASE("compile_options::constants: a recurrence keeps packed weights from run to run") {
  using B = plait::serial;
  constexpr std::int64_t steps = 9, rows = 4;
  for (plait::any_cell const& cell :
       {plait::any_cell(plait::lstm_cell{inputs, units}), plait::any_cell(plait::gru_cell{inputs, units})}) {
    test::trained_layer const layer(cell, {.forward_only = true});
    std::vector<std::string> names;
    for (auto const& [name, dims] : layer.parameters) names.push_back(name);
    auto const feed = [&](plait::workspace<B>& blobs, unsigned seed) {
      for (std::size_t p = 0; p != layer.parameters.size(); ++p)
        test::feed_some<float>(blobs, layer.parameters[p].first, layer.parameters[p].second, p + seed);
    };
    plait::workspace<B> blobs, others;
    feed(blobs, 3);
    feed(others, 3);
    auto plan = plait::compile(layer.net, test::table<B>(), blobs, {.fetch = layer.fetch, .constants = names});
    auto plain = plait::compile(layer.net, test::table<B>(), others, {.fetch = layer.fetch});
    auto const results = [&](plait::plan<B>& p, plait::workspace<B>& w, std::int64_t length) {
      test::feed_some<float>(w, "x", {length, rows, inputs}, 1);
      p.run();
      std::vector<std::vector<float>> made;
      for (std::string const& name : layer.fetch) made.push_back(w.fetch<float>(name));
      return made;
    };
    // Input projections of few rows use packed weights only if these are constant.
    auto const near = [&](auto const& a, auto const& b) {
      bool all = a.size() == b.size();
      for (std::size_t i = 0; all && i != a.size(); ++i) all = is_near(a[i], b[i]);
      return all;
    };
    for (std::int64_t const length : {steps, std::int64_t{1}, 100 * steps, steps}) {
      auto const made = results(plan, blobs, length);
      CHECK(near(made, results(plain, others, length)));
      CHECK(made == results(plan, blobs, length));
    }
    CHECK(results(plan, blobs, 100 * steps) == results(plain, others, 100 * steps));

    auto const before = results(plan, blobs, steps);
    feed(others, 50);
    auto const after = results(plain, others, steps);
    for (std::string const& name : names) {
      std::vector<float> const numbers = others.fetch<float>(name);
      std::copy(numbers.begin(), numbers.end(), static_cast<float*>(blobs.get(name).value.raw()));
    }
    CHECK(!near(results(plan, blobs, steps), after));
    plan.forget_constants();
    CHECK(near(results(plan, blobs, steps), after));
    CHECK(!near(before, after));
  }
}

TEST_CASE("compile_options::constants: nested nets keep packed weights from run to run") {
  using B = plait::serial;
  std::string const branch = "op { type: \"FC\" input: \"x\" input: \"w\" input: \"b\" output: \"h\" }";
  std::string const other = "op { type: \"MatMul\" input: \"x\" input: \"wide\" output: \"y\" }";
  std::string const inner =
      "op { type: \"If\" input: \"d\" output: \"y\" arg { name: \"then_net\" n { op { type: \"MatMul\" input: \"h\" "
      "input: \"v\" output: \"y\" } } } arg { name: \"else_net\" n { op { type: \"Relu\" input: \"h\" output: \"y\" } "
      "} } }";
  plait::netdef const net =
      plait::read_netdef_text("op { type: \"If\" input: \"c\" output: \"y\" arg { name: \"then_net\" n { " + branch +
                              inner + " } } arg { name: \"else_net\" n { " + other + " } } } external_output: \"y\"");
  plait::workspace<B> blobs, others;
  auto const feed = [&](plait::workspace<B>& to, unsigned seed) {
    feed_parameters(to, seed);
    test::feed_some<float>(to, "wide", {inputs, outputs}, seed + 3);
  };
  feed(blobs, 2);
  feed(others, 2);
  auto plan = plait::compile(net, test::table<B>(), blobs, {.constants = {"w", "b", "v", "wide"}});
  auto plain = plait::compile(net, test::table<B>(), others);
  auto const agree = [&](std::int64_t rows, bool c, bool d) {
    for (auto* const each : {&blobs, &others}) {
      each->feed<bool>("c", {c}, {1});
      each->feed<bool>("d", {d}, {1});
    }
    auto const made = run(plan, blobs, rows);
    return is_near(made, run(plain, others, rows)) && made == run(plan, blobs, rows);
  };
  auto const all_agree = [&] {
    bool all = true;
    for (std::int64_t const rows : {1, 3, 300, 1, 64, 0, 5})
      for (int way = 0; way != 4; ++way) all = agree(rows, way % 2 == 0, way < 2) && all;
    return all;
  };
  CHECK(all_agree());
  std::vector<float> const before = (static_cast<void>(agree(3, true, true)), run(plan, blobs, 3));
  // Elements change: the packed copies stay until forget_constants.
  plait::workspace<B> changed;
  feed(changed, 9);
  for (std::string const name : {"w", "v", "wide", "b"}) {
    std::vector<float> const numbers = changed.fetch<float>(name);
    std::copy(numbers.begin(), numbers.end(), static_cast<float*>(others.get(name).value.raw()));
    if (name != "b") std::copy(numbers.begin(), numbers.end(), static_cast<float*>(blobs.get(name).value.raw()));
  }
  CHECK(run(plan, blobs, 3) == before);
  CHECK_FALSE(agree(3, false, true));
  test::feed_some<float>(blobs, "b", {units}, 10);
  plan.forget_constants();
  CHECK(all_agree());
  // Other tensors in the memory that the first ones released, then of other shapes.
  feed(blobs, 20);
  feed(blobs, 30);
  feed(others, 30);
  CHECK(all_agree());
  for (auto* const each : {&blobs, &others}) {
    test::feed_some<float>(*each, "w", {units / 2, inputs}, 11);
    test::feed_some<float>(*each, "b", {units / 2}, 12);
    test::feed_some<float>(*each, "v", {units / 2, outputs}, 13);
  }
  CHECK(all_agree());
}

TEST_CASE("compile_options::constants: FCGradient computes dX from kept weights") {
  using B = plait::serial;
  plait::netdef const net = plait::read_netdef_text(
      "op { type: \"FCGradient\" input: \"x\" input: \"w\" input: \"dy\" output: \"dw\" output: \"db\" output: \"dx\" "
      "}");
  plait::workspace<B> blobs, others;
  for (auto* const each : {&blobs, &others}) {
    feed_parameters(*each, 2);
    test::feed_some<float>(*each, "x", {5, inputs}, 1);
    test::feed_some<float>(*each, "dy", {5, units}, 9);
  }
  auto plan = plait::compile(net, test::table<B>(), blobs, {.constants = {"w"}});
  auto plain = plait::compile(net, test::table<B>(), others);
  for (int run = 0; run != 2; ++run) {
    plan.run();
    plain.run();
    for (char const* const name : {"dw", "db", "dx"})
      CHECK(is_near(blobs.fetch<float>(name), others.fetch<float>(name)));
  }
}

TEST_CASE("compile_options::constants: blobs that are no inputs, or that an op writes, are refused") {
  plait::workspace<plait::serial> blobs;
  feed_parameters(blobs, 2);
  auto const compile = [&](plait::netdef const& net, std::string const& name) {
    static_cast<void>(plait::compile(net, test::table<plait::serial>(), blobs, {.constants = {name}}));
  };
  CHECK_THROWS_WITH_AS(compile(perceptron(), "h"), "plait: 'h' cannot be constant: the net is not given it",
                       plait::net_error);
  CHECK_THROWS_WITH_AS(compile(perceptron(), "nobody"), "plait: 'nobody' cannot be constant: the net is not given it",
                       plait::net_error);
  auto const decays = plait::read_netdef_text("op { type: \"Relu\" input: \"w\" output: \"w\" }");
  CHECK_THROWS_WITH_AS(compile(decays, "w"), "plait: 'w' cannot be constant: op 0 writes it", plait::net_error);
}

}  // namespace
