// Ring buffers: a recurrence of any length takes memory for a few steps if only its last states are fetched.
#include <plait/exec/detail/operators/recurrent_network.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/detail/observer.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/detail/cells/lstm.hpp>
#include <plait/rnn/detail/cells/multi.hpp>
#include <plait/transform/dead_code_elimination.hpp>
#include <support/recurrent_nets.hpp>
#include <support/some_threads.hpp>
#include <support/trained_layer.hpp>

namespace {

using names = std::vector<std::string>;
using bits = std::vector<std::vector<float>>;

constexpr std::int64_t inputs = 3, units = 16;

/// Forward-only layer whose dead ops are removed. Outputs of an LSTM: 0 and 1 are all hidden states and the last
/// one, 2 and 3 those of the cell.
struct layer : test::trained_layer {
  explicit layer(plait::recurrent_layer_options o, plait::any_cell const& cell = plait::lstm_cell{inputs, units})
      : trained_layer(cell, forward_only(std::move(o))) {}

  static plait::recurrent_layer_options forward_only(plait::recurrent_layer_options o) {
    o.forward_only = true;
    return o;
  }
  static std::string output(std::size_t number) {
    return std::string(number < 2 ? "r/hidden_t" : "r/cell_t") + (number % 2 == 0 ? "_all" : "_last");
  }
  plait::netdef with(names const& wanted) const {
    plait::netdef made = net;
    for (std::string const& name : wanted) made.external_output.push_back(made.intern(name));
    plait::remove_dead_ops(made);
    return made;
  }
  template <class B>
  void feed(plait::workspace<B>& blobs, std::int64_t steps, std::int64_t rows) const {
    test::feed_some<float>(blobs, "x", {steps, rows, inputs}, 1);
    for (std::size_t p = 0; p != parameters.size(); ++p)
      test::feed_some<float>(blobs, parameters[p].first, parameters[p].second, p + 2);
    std::vector<std::int32_t> lengths;
    for (std::int64_t row = 0; row != rows; ++row) lengths.push_back(static_cast<std::int32_t>(row * 73 % (steps + 1)));
    blobs.template feed<std::int32_t>("lengths", lengths, {rows});
  }
};

struct measured {
  std::size_t said = 0;
  std::size_t peak = 0;
  std::size_t fed = 0;
  std::size_t own() const { return peak - fed; }
};

/// Measures a run on at most two threads, each of which computes products of at most ten steps at a time.
template <class B>
measured run(layer const& l, names const& wanted, std::int64_t steps, bool says = true) {
  tbb::global_control const allowed(tbb::global_control::max_allowed_parallelism, 2);
  return tbb::task_arena(2).execute([&] {
    auto& pool = plait::memory_pool<B>::shared();
    std::size_t const before = pool.statistics().bytes_in_use;
    plait::workspace<B> blobs;
    l.feed(blobs, steps, 208);
    auto plan = plait::compile(l.with(wanted), test::table<B>(), blobs);
    measured made;
    made.fed = pool.statistics().bytes_in_use - before;
    if (says) made.said = plan.forecast().peak();
    pool.reset_peak();
    plan.run();
    made.peak = pool.statistics().peak_bytes_in_use - before;
    return made;
  });
}

std::size_t block(std::int64_t places, std::int64_t width) {
  return plait::memory_pool<plait::serial>::block_size(static_cast<std::size_t>(places * 208 * width) * sizeof(float));
}

TEST_CASE_TEMPLATE("RecurrentNetwork: an LSTM takes the same memory for any length if only last states are fetched", B,
                   plait::serial, plait::tbb) {
  for (bool const lengths : {false, true}) {
    CAPTURE(lengths);
    layer const l(lengths ? plait::recurrent_layer_options{.lengths = "lengths"} : plait::recurrent_layer_options());
    names const wanted{layer::output(1), layer::output(3)};
    measured const few = run<B>(l, wanted, 10);
    measured const more = run<B>(l, wanted, 100);
    measured const many = run<B>(l, wanted, lengths ? 1'000 : 10'000);
    CHECK(few.own() == more.own());
    CHECK(few.own() == many.own());
    CHECK(few.own() < std::size_t{1} << 20);
    // The forecast excludes temporary memory of ops (packed weights).
    CHECK(few.peak - few.said == more.peak - more.said);
    CHECK(few.peak - few.said == many.peak - many.said);
    CHECK(std::abs(static_cast<double>(many.peak) / static_cast<double>(many.said) - 1) < 0.02);
  }
}

// An op whose shape comes from elements computes the ends of sequences: ops after it are not streamed.
TEST_CASE("RecurrentNetwork: in reverse, only the inputs and products of all steps grow with the length") {
  for (bool const lengths : {false, true}) {
    layer const l(lengths ? plait::recurrent_layer_options{.lengths = "lengths", .reverse = true}
                          : plait::recurrent_layer_options{.reverse = true});
    names const wanted{layer::output(1), layer::output(3)};
    measured const few = run<plait::serial>(l, wanted, 100, false);
    measured const many = run<plait::serial>(l, wanted, 1'000, false);
    CHECK(many.own() - few.own() ==
          block(1'000, inputs) + block(1'000, 4 * units) - block(100, inputs) - block(100, 4 * units));
  }
}

TEST_CASE_TEMPLATE("RecurrentNetwork: only fetched sequences of states grow with the length", B, plait::serial,
                   plait::tbb) {
  layer const l({});
  for (bool const both : {false, true}) {
    names wanted{layer::output(0), layer::output(3)};
    if (both) wanted.push_back(layer::output(2));
    measured const few = run<B>(l, wanted, 100);
    measured const many = run<B>(l, wanted, 1'000);
    CHECK(many.own() - few.own() == (both ? 2 : 1) * (block(1'001, units) - block(101, units)));
    CHECK(many.peak - many.said == few.peak - few.said);
  }
}

/// Returns the outputs `compared` of a layer for several lengths, twice each.
template <class B>
bits results(layer const& l, names const& wanted, names const& compared) {
  plait::workspace<B> blobs;
  l.feed(blobs, 1, 33);
  auto plan = plait::compile(l.with(wanted), test::table<B>(), blobs);
  bits made;
  for (std::int64_t const steps : {1, 2, 300, 3, 300, 0}) {
    l.feed(blobs, steps, 33);
    for (int run = 0; run != 2; ++run) {
      plan.run();
      for (std::string const& name : compared) made.push_back(blobs.template fetch<float>(name));
    }
  }
  return made;
}

TEST_CASE("RecurrentNetwork: last states are the same whether all states are fetched or not") {
  names const all{layer::output(0), layer::output(1), layer::output(2), layer::output(3)};
  names const last{layer::output(1), layer::output(3)};
  test::some_threads threads;
  for (plait::recurrent_layer_options const& how :
       {plait::recurrent_layer_options{}, {.lengths = "lengths"}, {.lengths = "lengths", .reverse = true}}) {
    layer const l(how, plait::lstm_cell{inputs, 64});  // large enough for row-parallel steps with deferred ops
    bits const wanted = results<plait::serial>(l, all, last);
    CHECK(results<plait::serial>(l, last, last) == wanted);
    CHECK(threads.execute([&] { return results<plait::tbb>(l, last, last); }) == wanted);
    // Only the last state of the cell is fetched.
    CHECK(results<plait::serial>(l, {layer::output(0), layer::output(3)}, {layer::output(3)}) ==
          results<plait::serial>(l, all, {layer::output(3)}));
  }
}

TEST_CASE("RecurrentNetwork: last states are the same with several time steps in flight") {
  plait::recurrent_layer_options how = {};
  how.executor = {.num_threads = 4, .max_parallel_timesteps = 4};
  plait::lstm_cell const cell{inputs, units};
  layer const l(how,
                plait::multi_cell{.layers = {cell, plait::lstm_cell{units, units}, plait::lstm_cell{units, units}}});
  names const all = l.fetch;
  names const last(all.begin() + 1, all.end());
  test::some_threads threads;
  bits const wanted = results<plait::serial>(l, all, last);
  for (int time = 0; time != 5; ++time)
    CHECK(threads.execute([&] { return results<plait::tbb>(l, last, last); }) == wanted);
}

TEST_CASE("RecurrentNetwork: windows over a ring buffer of states are contiguous") {
  using B = plait::serial;
  // Each state depends on the previous three; the first three are inputs.
  test::recurrence const r{{"x", "h0"},
                           {"hs"},
                           {1},
                           {"hs", "hs"},
                           {"all", "last"},
                           {3, -1},
                           {{"past", "x_t", "h"}, {"hs", "x", "hs"}, {0, 0, 3}, {3, 1, 1}},
                           test::op_text("Fold", {"past"}, {"p"}) + test::op_text("Sum", {"p", "x_t"}, {"s"}) +
                               test::op_text("Tanh", {"s"}, {"h"})};
  auto const last = [&](std::int64_t steps, names const& wanted, std::size_t& taken) {
    plait::workspace<B> blobs;
    test::feed_some<double>(blobs, "x", {steps, 2, 40}, 1);
    test::feed_some<double>(blobs, "h0", {3, 2, 40}, 2);
    auto plan = plait::compile(plait::read_netdef_text(r.op()), test::recurrent_operators<B>(), blobs,
                               plait::compile_options{.fetch = wanted});
    std::size_t const before = plait::memory_pool<B>::shared().statistics().bytes_in_use;
    plan.run();
    taken = plait::memory_pool<B>::shared().statistics().bytes_in_use - before;
    return blobs.fetch<double>("last");
  };
  std::size_t few = 0, many = 0, all = 0;
  for (std::int64_t const steps : {20, 21, 22, 23, 24, 25, 400}) {
    auto const got = last(steps, {"last"}, many);
    CHECK(got == last(steps, {"all", "last"}, all));
    if (few == 0) few = many;
    CHECK(many == few);
    CHECK(many < all);
  }
}

TEST_CASE("RecurrentNetwork: observers of values see all states") {
  using B = plait::serial;
  struct watch : plait::op_observer {
    void after(plait::op_event const& e) override {
      if (e.within != nullptr) return;
      for (plait::slot const* output : e.outputs) seen.push_back(output->type.dims);
    }
    std::vector<plait::shape> seen = {};
  } watching;
  plait::workspace<B> blobs;
  test::feed_some<float>(blobs, "x", {50, 2, 8}, 1);
  test::feed_some<float>(blobs, "h0", {1, 2, 8}, 2);
  test::feed_some<float>(blobs, "w", {8, 8}, 3);
  test::feed_some<float>(blobs, "b", {8}, 4);
  auto plan = plait::compile(plait::read_netdef_text(test::simple_cell().op()), test::table<B>(), blobs,
                             plait::compile_options{.fetch = {"last"}});
  plan.run({.observer = &watching});
  REQUIRE(watching.seen.size() == 3);
  CHECK(watching.seen[0] == plait::shape{50, 2, 8});
  CHECK(watching.seen[1] == plait::shape{1, 2, 8});
  auto const observed = blobs.fetch<float>("last");
  plan.run();
  CHECK(blobs.fetch<float>("last") == observed);
}

TEST_CASE("engine::stands_as: true after a run that leaves outputs unset") {
  using B = plait::serial;
  plait::workspace<B> blobs;
  test::feed_some<float>(blobs, "x", {50, 2, 8}, 1);
  test::feed_some<float>(blobs, "h0", {1, 2, 8}, 2);
  test::feed_some<float>(blobs, "w", {8, 8}, 3);
  test::feed_some<float>(blobs, "b", {8}, 4);
  auto plan = plait::compile(plait::read_netdef_text(test::simple_cell().op()), test::table<B>(), blobs,
                             plait::compile_options{.fetch = {"last"}});
  auto const& engine = plait::detail::engine_of(plan);
  plait::engine<B>::standing before;
  for (int run = 0; run != 3; ++run) plan.run();
  CHECK_FALSE(blobs.get("all").is_set);
  engine.note(before);
  plan.bind();
  CHECK(engine.stands_as(before));
}

}  // namespace
