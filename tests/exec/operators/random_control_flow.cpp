// Fuzzing: random nets of nested control flow against an interpreter that runs them op by op on copies.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/tbb/detail/parallel.hpp>
#include <plait/net/detail/arguments.hpp>

#include <support/control_nets.hpp>

namespace {

using test::floats;
using B = plait::tbb;

// ---- nets

// Generator of random nets as text.
struct net_maker {
  std::mt19937 random;
  bool fails;  // some ops may throw
  int loops = 0;
  std::vector<std::string> const names{"a", "b", "d", "e"};

  explicit net_maker(unsigned seed, bool with_faults = false) : random(seed), fails(with_faults) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); }
  std::string name() { return names[below(names.size())]; }

  std::string plain() {
    std::string const x = name();
    std::string const z = name();
    std::string const y = name();
    switch (below(fails ? 8 : 6)) {
      case 0:
        return test::line_text(x, y, 0.5f, 1);
      case 1:
        return test::op_text("Same", {x}, {y});
      case 2:
        return test::op_text("Reverse", {x}, {y});
      case 3:  // the only case that changes shapes, up to a size
        return test::op_text("Grow", {x}, {"t"}) + test::op_text("Shrink", {"t"}, {y});
      case 4:
        return test::op_text("Meet", {x, z}, {y});
      case 5:
        return test::op_text("Less", {x, z}, {"f"});
      case 6:
        return test::op_text("Fault", {x}, {below(2) == 0 ? x : y});
      default:  // in place, as in many real nets
        return test::line_text(x, x, 1, below(2) == 0 ? 1.0f : -1.0f);
    }
  }

  std::string choice(int depth) {
    std::string const x = name();
    std::string const z = name();
    std::string const then = make(depth - 1);
    bool const both = below(3) != 0;
    std::string args = test::net_arg("then_net", then);
    if (both) args += test::net_arg("else_net", make(depth - 1));
    // Half of the ops list inputs and outputs, the others only the condition.
    bool const lists = below(2) == 0;
    return test::op_text("Less", {x, z}, {"f"}) + test::op_text("If",
                                                                lists ? test::names{"f", x, "a"} : test::names{"f"},
                                                                lists ? test::names{"a", "b"} : test::names{}, args);
  }

  std::string loop(int depth) {
    std::string const i = "i" + std::to_string(++loops);
    std::string const go = "g" + std::to_string(loops);
    std::string const end = "n" + std::to_string(below(3));
    std::string const again = test::op_text("Less", {i, end}, {go});
    std::string const round = make(depth - 1) + test::line_text(i, i, 1, 1);
    return test::line_text("n0", i, 1, 0) + again +
           (below(2) == 0
                ? test::op_text("While", {go}, {}, test::net_arg("loop_net", round) + test::net_arg("cond_net", again))
                : test::op_text("While", {go}, {}, test::net_arg("loop_net", round + again)));
  }

  // Returns a Do in a new scope: the four names, the flag and the numbers are bound; other writes stay inside.
  std::string scope(int depth) {
    std::string const body = make(depth - 1);
    std::string const ws = "w" + std::to_string(++loops);
    std::vector<int> places;
    test::names inner;
    for (int k = 0; k != 8; ++k) places.push_back(k);
    for (std::string const& n : names) inner.push_back(n);
    for (char const* n : {"f", "n0", "n1", "n2"}) inner.emplace_back(n);
    test::names ins = inner;
    ins.push_back(ws);
    std::string const more = below(2) == 0 ? test::int_arg("copy_external_blobs", 1) : "";
    return test::op_text("CreateScope", {}, {ws}) +
           test::op_text("Do", ins, {"a", "b", "d", "e", "f", ws}, test::do_args(body, inner, places) + more);
  }

  std::string make(int depth) {
    std::string text;
    for (std::size_t ops = 1 + below(5); ops-- != 0;) {
      std::size_t const kind = depth == 0 ? 9 : below(8);
      text += kind == 0 ? choice(depth) : kind == 1 ? loop(depth) : kind == 2 ? scope(depth) : plain();
    }
    return text;
  }
};

// ---- the interpreter

// Blobs after a run: floats by name. A flag is a float of 0 or 1.
using state = std::map<std::string, floats>;

struct run_ended {};

// Interpreter on copies of the state. Its events are those of an op_observer: before and after each op, also nested.
struct interpreter {
  enum class way { never, throws, stops };
  way ends = way::never;
  std::size_t at = 0;  // the event that ends the run
  std::uint64_t iteration_limit = std::numeric_limits<std::uint64_t>::max();
  std::size_t events = 0;
  bool stopped = false;
  std::map<std::string, std::set<floats>> seen = {};  // values of each blob between the ops of the net

  void event() {
    if (events++ != at || ends == way::never) return;
    if (ends == way::throws) throw run_ended();
    stopped = true;
  }
  void look() const {
    if (stopped) throw run_ended();
  }

  // Returns true if the run ends early: then `s` is the state before the op of this net that it ends in.
  bool run(plait::netdef const& n, state& s) {
    for (auto const& [name, value] : s) seen[name].insert(value);
    for (std::size_t op = 0; op != n.op.size(); ++op) {
      state copy = s;
      try {
        look();
        run_op(n, op, copy);
      } catch (run_ended const&) {
        return true;
      }
      s = std::move(copy);
      for (auto const& [name, value] : s) seen[name].insert(value);
    }
    return false;
  }

 private:
  void run_inside(plait::netdef const& n, state& s) {
    for (std::size_t op = 0; op != n.op.size(); ++op) {
      look();
      run_op(n, op, s);
    }
  }
  void run_op(plait::netdef const& n, std::size_t index, state& s) {
    event();
    compute(n, index, s);
    event();
  }
  void compute(plait::netdef const& n, std::size_t index, state& s) {
    auto const& op = n.op[index];
    std::string const type(plait::op_type(n, op));
    test::names in, out;
    for (auto&& name : plait::inputs(n, op)) in.emplace_back(plait::name_text(n, name));
    for (auto&& name : plait::outputs(n, op)) out.emplace_back(plait::name_text(n, name));
    auto const inside = [&](std::string_view argument) -> plait::netdef const* {
      for (auto const& each : plait::subnets(n, op))
        if (std::string_view(each.argument) == argument) return &*each.net;
      return nullptr;
    };
    if (type == "If") {
      plait::netdef const* const taken = inside(s[in[0]][0] != 0 ? "then_net" : "else_net");
      if (taken != nullptr) run_inside(*taken, s);
      return;
    }
    if (type == "While") {
      for (std::uint64_t iterations = 0;; ++iterations) {
        look();
        if (plait::netdef const* const test = inside("cond_net")) run_inside(*test, s);
        if (s[in[0]][0] == 0) return;
        if (iterations == iteration_limit) throw run_ended();
        run_inside(*inside("loop_net"), s);
      }
    }
    if (type == "CreateScope") return;
    if (type == "Do") {
      in.pop_back();
      state own;
      for (std::string const& name : in) own[name] = s[name];
      run_inside(*inside("net"), own);
      for (std::string const& name : in) s[name] = own[name];
      return;
    }
    floats x = s[in[0]];
    if (type == "Line") {
      auto const scale = plait::get_argument<float>(n, op, index, "scale", 1);
      auto const shift = plait::get_argument<float>(n, op, index, "shift", 0);
      for (float& e : x) e = scale * e + shift;
    } else if (type == "Reverse") {
      std::ranges::reverse(x);
    } else if (type == "Grow") {
      x.push_back(x[0]);
    } else if (type == "Shrink") {
      if (x.size() > 5) x.resize(2);
    } else if (type == "Less") {
      x = {x[0] < s[in[1]][0] ? 1.0f : 0.0f};
    } else if (type == "Meet") {
      floats const& z = s[in[1]];
      x.resize(std::min(x.size(), z.size()));
      for (std::size_t i = 0; i != x.size(); ++i) x[i] = x[i] + 2 * z[i] > 100 ? 1 : x[i] + 2 * z[i];
    } else if (type == "Fault") {
      if (x[0] > 3) throw run_ended();
      for (float& e : x) e += 1;
    } else {
      REQUIRE(type == "Same");
    }
    s[out[0]] = x;
  }
};

// ---- operators

// The input, or its first two elements if it has more than five.
template <class Backend>
struct shrink_kernel : plait::op_kernel<Backend> {
  explicit shrink_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override {
    c.output(0, c.type(0), {c.dims(0).size() > 5 ? 2 : c.dims(0).size()});
  }
  void run(plait::op_context<Backend>& c) override {
    std::copy_n(c.template input<float>(0), c.output_size(0), c.template output<float>(0));
  }
};

// a + 2 b over the common length; 1 where that is above 100.
template <class Backend>
struct meet_kernel : plait::op_kernel<Backend> {
  explicit meet_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override {
    c.output(0, c.type(0), {std::min(c.dims(0).size(), c.dims(1).size())});
  }
  void run(plait::op_context<Backend>& c) override {
    float const* a = c.template input<float>(0);
    float const* b = c.template input<float>(1);
    float* y = c.template output<float>(0);
    for (std::size_t i = 0; i != c.output_size(0); ++i) {
      float const sum = a[i] + 2 * b[i];
      y[i] = sum > 100 ? 1 : sum;
    }
  }
};

// x + 1; if the first element is above 3, writes -777 and throws.
template <class Backend>
struct fault_kernel : plait::op_kernel<Backend> {
  explicit fault_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<Backend>& c) override {
    float const* x = c.template input<float>(0);
    float* y = c.template output<float>(0);
    bool const fails = x[0] > 3;
    for (std::size_t i = 0; i != c.size(0); ++i) y[i] = fails ? -777 : x[i] + 1;
    if (fails) throw std::domain_error("a fault");
  }
};

plait::operators<B> const& table() {
  static plait::operators<B> const made = [] {
    auto t = test::control_operators<B>();
    t.add<shrink_kernel>(plait::op_schema("Shrink").inputs(1).outputs(1).in_place(0, 0).checks_first());
    t.add<meet_kernel>(plait::op_schema("Meet").inputs(2).outputs(1).in_place(0, 0).in_place(1, 0).checks_first());
    t.add<fault_kernel>(plait::op_schema("Fault").inputs(1).outputs(1).in_place(0, 0));
    return t;
  }();
  return made;
}

state some_state(int round) {
  return {{"a", {1, 2, 3}}, {"b", {static_cast<float>(round), 4}},
          {"d", {3, 1}},    {"e", {2, 5, 1, static_cast<float>(round)}},
          {"f", {0}},       {"n0", {0}},
          {"n1", {1}},      {"n2", {static_cast<float>(2 + round % 2)}}};
}
void feed(plait::workspace<B>& blobs, state const& s) {
  for (auto const& [name, value] : s)
    if (name == "f")
      test::feed_flag(blobs, name, value[0] != 0);
    else
      test::feed(blobs, name, value);
}

TEST_CASE("control flow: random nets agree with the interpreter") {
  std::size_t controlled = 0;
  for (unsigned seed = 0; seed != 400; ++seed) {
    CAPTURE(seed);
    net_maker maker(seed);
    std::string const text = maker.make(3);
    controlled += text.find("_net\"") != std::string::npos;
    CAPTURE(text);
    plait::netdef net = plait::read_netdef_text(text);
    if (seed % 2 == 1) net.external_output = {net.intern("a"), net.intern("d")};
    bool const parallel = seed % 3 == 0;
    plait::workspace<B> blobs;
    auto plan = plait::compile(net, table(), blobs, {.parallel = parallel});
    std::optional<plait::parallel_executor<B>> executor;
    if (parallel) executor.emplace(plan);
    state s;
    for (int round = 0; round != 4; ++round) {
      if (round != 1) {  // round 1 starts from the state after round 0
        s = some_state(round);
        feed(blobs, s);
      }
      CHECK_FALSE(interpreter().run(net, s));
      if (executor)
        executor->run();
      else
        plan.run();
      for (std::string const& name : maker.names) {
        // If a net declares outputs, other blobs may keep their previous values.
        if (!net.external_output.empty() && name != "a" && name != "d") continue;
        CHECK(test::numbers(blobs, name) == s[name]);
      }
      if (seed % 2 == 1 && round == 0)  // continue from the same state
        feed(blobs, {{"b", s["b"]}, {"e", s["e"]}, {"f", s["f"]}});
    }
  }
  CHECK(controlled > 200);
}

// Observer that throws, or requests a stop, at an event.
struct ending_observer : plait::op_observer {
  interpreter::way ends;
  std::size_t at;
  std::size_t events = 0;
  std::stop_source source = {};

  ending_observer(interpreter::way how, std::size_t when) : ends(how), at(when) {}
  void event() {
    if (events++ != at) return;
    if (ends == interpreter::way::throws) throw std::domain_error("observed");
    if (ends == interpreter::way::stops) source.request_stop();
  }
  void before(plait::op_event const&) override { event(); }
  void after(plait::op_event const&) override { event(); }
};

// Contract of plan::run: an input blob that the net also outputs is rolled back to before the op that the run ended in;
// the fed tensor has a value that the blob had at some time. Nets continue from there.
TEST_CASE("control flow: random nets that fail or are stopped roll inputs back to before the op") {
  std::size_t ended = 0;
  std::size_t ended_inside = 0;
  for (unsigned seed = 0; seed != 1500; ++seed) {
    CAPTURE(seed);
    net_maker maker(seed + 10'000, seed % 4 != 0);
    std::string const text = maker.make(3);
    CAPTURE(text);
    plait::netdef net = plait::read_netdef_text(text);
    if (seed % 5 == 0) net.external_output = {net.intern("a"), net.intern("d")};
    bool const parallel = seed % 3 == 0;
    auto const ends = parallel        ? interpreter::way::never
                      : seed % 4 == 0 ? interpreter::way::throws
                      : seed % 4 == 1 ? interpreter::way::stops
                                      : interpreter::way::never;
    plait::workspace<B> blobs;
    auto plan = plait::compile(net, table(), blobs, {.parallel = parallel});
    std::optional<plait::parallel_executor<B>> executor;
    if (parallel) executor.emplace(plan);
    state s;
    for (int round = 0; round != 4; ++round) {
      CAPTURE(round);
      if (round != 2) {
        s = some_state(round);
      } else if (!net.external_output.empty()) {
        for (char const* const name : {"b", "e"}) s[name] = some_state(round)[name];
        s["f"] = {0};
      }
      std::map<std::string, plait::tensor<B>> fed;
      if (round != 2) {
        feed(blobs, s);
      } else if (!net.external_output.empty()) {
        feed(blobs, {{"b", s["b"]}, {"e", s["e"]}, {"f", s["f"]}});
      }
      for (std::string const& name : maker.names) fed.emplace(name, blobs.view(name));
      std::size_t const when = std::uniform_int_distribution<std::size_t>(0, 25)(maker.random);
      interpreter oracle{.ends = ends, .at = when, .iteration_limit = seed % 7 == 0 ? 1u : 1000u};
      bool const ends_early = oracle.run(net, s);
      ending_observer observer(ends, when);
      plait::run_options options{.iteration_limit = oracle.iteration_limit};
      if (ends != interpreter::way::never) options.observer = &observer;
      if (ends == interpreter::way::stops) options.stop = observer.source.get_token();
      bool threw = false;
      try {
        if (executor)
          executor->run(options);
        else
          plan.run(options);
      } catch (plait::error const& e) {
        threw = true;
        ended_inside += std::string(e.what()).find("_net: ") != std::string::npos;
      }
      REQUIRE(threw == ends_early);
      ended += ends_early;
      for (auto const& in : plait::detail::engine_of(plan).inputs()) {
        std::string const name(plait::detail::engine_of(plan).value_name(in.value));
        if (std::ranges::find(maker.names, name) == maker.names.end()) continue;
        CAPTURE(name);
        floats const held = test::numbers(blobs, name);
        bool const kept = net.external_output.empty() || name == "a" || name == "d";
        if (kept) CHECK(held == s[name]);
        CHECK(oracle.seen[name].contains(held));
        CHECK(oracle.seen[name].contains(fed.at(name).values<float>()));
      }
      if (!ends_early || round != 1) continue;
      // Blobs that the net does not read need not be rolled back.
      for (std::string const& name : maker.names)
        if (net.external_output.empty() || name == "a" || name == "d") test::feed(blobs, name, s[name]);
    }
  }
  CHECK(ended > 1000);
  CHECK(ended_inside > 200);
}

}  // namespace
