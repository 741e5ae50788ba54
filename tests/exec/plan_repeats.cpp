// Repeated runs of one plan with changes in between: each equals a run of a new plan.
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/operators/activations.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>
#include <plait/exec/observers.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>

namespace {

using backend = plait::serial;
using tensor = plait::tensor<backend>;
using workspace = plait::workspace<backend>;

plait::operators<backend> const& table() {
  static plait::operators<backend> const made = [] {
    plait::operators<backend> t;
    plait::add_activation_operators(t);
    plait::add_arithmetic_operators(t);
    return t;
  }();
  return made;
}

// Nets of fused chains, of single ops, and with an update of a fed blob in place.
char const* const nets[] = {
    "op { type: 'Add' input: 'a' input: 'b' output: 't' } op { type: 'Mul' input: 't' input: 'c' output: 'y' } "
    "op { type: 'Relu' input: 'y' output: 'z' } external_output: 'y' external_output: 'z'",
    "op { type: 'Mul' input: 'a' input: 'b' output: 'y' } op { type: 'Add' input: 'y' input: 'c' output: 'y' } "
    "op { type: 'Softsign' input: 'y' output: 'z' } external_output: 'y' external_output: 'z'",
    "op { type: 'Tanh' input: 'a' output: 'y' } op { type: 'Sub' input: 'b' input: 'c' output: 'z' } "
    "external_output: 'y' external_output: 'z'",
    "op { type: 'Relu' input: 'a' output: 'a' } op { type: 'Add' input: 'a' input: 'b' output: 'y' } "
    "op { type: 'Add' input: 'y' input: 'c' output: 'z' } external_output: 'y' external_output: 'z'",
};

struct series_of_runs {
  std::mt19937 random;
  plait::netdef net;
  std::int64_t count = 40;
  workspace first = {};
  workspace second = {};
  workspace* blobs = &first;
  plait::plan<backend> plan;

  series_of_runs(char const* text, unsigned seed)
      : random(seed), net(plait::read_netdef_text(text)), plan(plait::compile(net, table(), first)) {
    feed_all();
  }

  std::vector<float> numbers(std::int64_t of) {
    std::vector<float> made(static_cast<std::size_t>(of));
    for (float& each : made) each = std::uniform_real_distribution<float>(-2, 2)(random);
    return made;
  }
  std::string one_of(char const* names) { return {names[random() % std::char_traits<char>::length(names)]}; }
  void feed_all() {
    for (char const* name : {"a", "b", "c"}) blobs->feed(name, numbers(count), {count});
  }
  void change() {
    switch (random() % 15) {
      case 0: {
        std::string const name = one_of("abc");
        if (!blobs->view(name).is_contiguous()) return;
        return blobs->refill(name, numbers(count));
      }
      case 1:
        return blobs->feed(one_of("abc"), numbers(count), {count});
      case 2:
        count = random() % 2 == 0 ? 40 : 700;
        return feed_all();
      case 3: {  // a column of a tensor with rows of two
        tensor const wide = tensor::from(numbers(2 * count), {count, 2});
        return blobs->feed(one_of("abc"), wide.select(1, 0));
      }
      case 4:  // an output is fed
        if (blobs->contains("y")) blobs->feed(one_of("abc"), blobs->view("y"));
        return;
      case 5:
        blobs->reset();
        return feed_all();
      case 6:
        blobs = blobs == &first ? &second : &first;
        feed_all();
        return plan.rebind(*blobs);
      case 7: {
        plait::time_observer<backend> seen;
        return plan.run({.observer = &seen});
      }
      case 8:
        plan.bind();
        return plan.run_bound();
      case 9:
        return blobs->feed("y", numbers(count), {count});
      case 10: {
        std::string const name = one_of("bc");
        tensor const before = blobs->view(name);
        blobs->feed(name, numbers(3), {3});
        CHECK_THROWS_AS(plan.run(), plait::exec_error);
        return blobs->feed(name, before);
      }
      case 11:
        return blobs->feed("a", blobs->view("c"));
      case 12:  // the same shape, other elements and strides
        return blobs->feed(one_of("abc"), tensor::from(numbers(count), {count}).slice(0, 0, count));
      default:
        return;
    }
  }

  void run_and_compare() {
    compare([this] { plan.run(); });
    std::string const name = one_of("abc");
    if (!blobs->view(name).is_contiguous()) return;
    blobs->refill(name, numbers(count));
    compare([this] { plan.run_bound(); });
  }

  template <class Run>
  void compare(Run run) {
    workspace fresh;
    for (char const* name : {"a", "b", "c"}) fresh.feed(name, blobs->view(name).clone());
    plait::plan<backend> other = plait::compile(net, table(), fresh);
    other.run();
    run();
    for (char const* name : {"y", "z"}) CHECK(blobs->fetch<float>(name) == fresh.fetch<float>(name));
  }
};

}  // namespace

TEST_CASE("plan: a run after any changes equals a run of a new plan") {
  for (char const* text : nets) {
    CAPTURE(text);
    for (unsigned seed = 0; seed != 8; ++seed) {
      CAPTURE(seed);
      series_of_runs runs(text, seed);
      for (int turn = 0; turn != 60; ++turn) {
        CAPTURE(turn);
        runs.change();
        runs.run_and_compare();
      }
    }
  }
}

TEST_CASE("plan::forecast: a later run reads the current feeds") {
  for (bool const fails : {false, true}) {
    plait::netdef const net = plait::read_netdef_text(
        std::string("op { type: 'Relu' input: 'a' output: 'y' } op { type: 'Add' input: 'y' input: 'b' output: 'z' }") +
        (fails ? "external_output: 'z'" : "external_output: 'a'"));
    std::vector<float> rows(4000, 1);
    auto const batch = [&](std::size_t count) {
      return tensor::borrow(std::span<float>(rows).first(count), {static_cast<std::int64_t>(count)});
    };
    workspace blobs;
    for (char const* name : {"a", "b"}) blobs.feed(name, batch(4));
    plait::plan<backend> plan = plait::compile(net, table(), blobs);
    plan.run();
    blobs.feed("a", batch(4000));  // the same rows, and more of them
    if (!fails) blobs.feed("b", batch(4000));
    if (fails) {
      CHECK_THROWS_AS(static_cast<void>(plan.forecast()), plait::exec_error);
      CHECK_THROWS_AS(plan.run(), plait::exec_error);
    } else {
      static_cast<void>(plan.forecast());
      plan.run();
    }
    blobs.feed("a", batch(4));
    blobs.feed("b", batch(4));
    plan.run();
    CHECK(blobs.fetch<float>("a") == std::vector<float>(4, 1));
    if (fails) CHECK(blobs.fetch<float>("z") == std::vector<float>(4, 2));
  }
}

TEST_CASE("engine::write_to: redirects an output of a plan that has run") {
  workspace blobs;
  plait::plan<backend> plan = plait::compile(plait::read_netdef_text(nets[0]), table(), blobs);
  for (char const* name : {"a", "b", "c"}) blobs.feed(name, std::vector<float>{1, 2, 3}, {3});
  plan.run();
  plan.run();
  plait::engine<backend>& engine = plait::detail::engine_of(plan);
  auto const y = engine.layout().published()[0];
  REQUIRE(engine.value_name(y) == "y");
  std::vector<float> place(3);
  CHECK(engine.write_to(y, place.data(), sizeof(float) * place.size()));
  plan.run();
  CHECK(place == std::vector<float>{2, 8, 18});
  blobs.refill("c", std::vector<float>{1, 1, 2});
  plan.run();
  CHECK(place == std::vector<float>{2, 4, 12});
  CHECK(blobs.fetch<float>("y") == place);
}
