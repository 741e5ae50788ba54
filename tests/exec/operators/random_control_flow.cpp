// Random nets of control flow in control flow against an interpreter that knows names only.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/parallel.hpp>

#include <support/control_nets.hpp>

namespace {

using test::floats;
using B = plait::tbb;

// What a net may leave behind: floats by name. Flags are floats of 0 or 1 here.
using state = std::map<std::string, floats>;

// Makes a net as text and, in step with it, what it does.
struct net_maker {
  std::mt19937 random;
  int loops = 0;
  std::vector<std::string> const names{"a", "b", "d", "e"};

  explicit net_maker(unsigned seed) : random(seed) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); }
  std::string name() { return names[below(names.size())]; }

  using action = std::function<void(state&)>;
  struct part {
    std::string text;
    std::vector<action> actions;
    void run(state& s) const {
      for (action const& a : actions) a(s);
    }
  };

  void plain(part& p) {
    std::string const x = name();
    std::string const z = name();
    std::string const y = name();
    switch (below(6)) {
      case 0:
        p.text += test::line_text(x, y, 0.5f, 1);
        p.actions.push_back([=](state& s) {
          floats r = s[x];
          for (float& e : r) e = 0.5f * e + 1;
          s[y] = r;
        });
        break;
      case 1:
        p.text += test::op_text("Same", {x}, {y});
        p.actions.push_back([=](state& s) { s[y] = floats(s[x]); });
        break;
      case 2:
        p.text += test::op_text("Reverse", {x}, {y});
        p.actions.push_back([=](state& s) { s[y] = floats(s[x].rbegin(), s[x].rend()); });
        break;
      case 3:  // the only one that makes shapes differ: seldom, and only up to a size
        p.text += test::op_text("Grow", {x}, {"t"}) + test::op_text("Shrink", {"t"}, {y});
        p.actions.push_back([=](state& s) {
          floats r = s[x];
          r.push_back(r[0]);
          s["t"] = r;
          if (r.size() > 5) r.resize(2);
          s[y] = r;
        });
        break;
      case 4:
        p.text += test::op_text("Meet", {x, z}, {y});
        p.actions.push_back([=](state& s) {
          floats r;
          for (std::size_t i = 0; i != std::min(s[x].size(), s[z].size()); ++i) r.push_back(s[x][i] + 2 * s[z][i]);
          for (float& e : r) e = e > 100 ? 1 : e;
          s[y] = r;
        });
        break;
      default:
        p.text += test::op_text("Less", {x, z}, {"f"});
        p.actions.push_back([=](state& s) { s["f"] = {s[x][0] < s[z][0] ? 1.0f : 0.0f}; });
    }
  }

  void choice(part& p, int depth) {
    std::string const x = name();
    std::string const z = name();
    part const then = make(depth - 1);
    part const other = below(3) == 0 ? part() : make(depth - 1);
    p.text += test::op_text("Less", {x, z}, {"f"});
    // Half of them list what they read and write, some do not.
    std::string args = test::net_arg("then_net", then.text);
    if (!other.actions.empty()) args += test::net_arg("else_net", other.text);
    bool const lists = below(2) == 0;
    p.text += test::op_text("If", lists ? test::names{"f", x, "a"} : test::names{"f"},
                            lists ? test::names{"a", "b"} : test::names{}, args);
    p.actions.push_back([=](state& s) {
      s["f"] = {s[x][0] < s[z][0] ? 1.0f : 0.0f};
      if (s["f"][0] != 0)
        then.run(s);
      else
        other.run(s);
    });
  }

  void loop(part& p, int depth) {
    std::string const i = "i" + std::to_string(++loops);
    std::string const go = "g" + std::to_string(loops);
    std::string const end = "n" + std::to_string(below(3));
    part const body = make(depth - 1);
    std::string const test_text = test::op_text("Less", {i, end}, {go});
    p.text += test::line_text("n0", i, 1, 0) + test_text;
    bool const tests = below(2) == 0;
    std::string const round = body.text + test::line_text(i, i, 1, 1);
    p.text += tests ? test::op_text("While", {go}, {},
                                    test::net_arg("loop_net", round) + test::net_arg("cond_net", test_text))
                    : test::op_text("While", {go}, {}, test::net_arg("loop_net", round + test_text));
    p.actions.push_back([=](state& s) {
      s[i] = s["n0"];
      for (s[go] = {s[i][0] < s[end][0] ? 1.0f : 0.0f}; s[go][0] != 0; s[go] = {s[i][0] < s[end][0] ? 1.0f : 0.0f}) {
        body.run(s);
        s[i][0] += 1;
      }
    });
  }

  // In a workspace of its own: all four names and the numbers are bound, what else is written stays inside.
  void scope(part& p, int depth) {
    part const body = make(depth - 1);
    std::string const ws = "w" + std::to_string(++loops);
    std::vector<int> places;
    test::names inner;
    for (int k = 0; k != 8; ++k) places.push_back(k);
    for (std::string const& n : names) inner.push_back(n);
    for (char const* n : {"f", "n0", "n1", "n2"}) inner.emplace_back(n);
    test::names ins = inner;
    ins.push_back(ws);
    std::string const more = below(2) == 0 ? test::int_arg("copy_external_blobs", 1) : "";
    p.text += test::op_text("CreateScope", {}, {ws}) +
              test::op_text("Do", ins, {"a", "b", "d", "e", "f", ws}, test::do_args(body.text, inner, places) + more);
    p.actions.push_back([=](state& s) {
      state inside;
      for (std::string const& n : inner) inside[n] = s[n];
      body.run(inside);
      for (std::string const& n : inner) s[n] = inside[n];
    });
  }

  part make(int depth) {
    part p;
    for (std::size_t ops = 1 + below(5); ops-- != 0;) {
      std::size_t const kind = depth == 0 ? 9 : below(8);
      if (kind == 0)
        choice(p, depth);
      else if (kind == 1)
        loop(p, depth);
      else if (kind == 2)
        scope(p, depth);
      else
        plain(p);
    }
    return p;
  }
};

// The first two elements of more than five.
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

// a + 2 b of the elements that both have; 1 where that is above 100.
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

TEST_CASE("control flow: random nets do what they say") {
  auto table = test::control_operators<B>();
  table.add<shrink_kernel>(plait::op_schema("Shrink").inputs(1).outputs(1).in_place(0, 0).checks_first());
  table.add<meet_kernel>(plait::op_schema("Meet").inputs(2).outputs(1).in_place(0, 0).in_place(1, 0).checks_first());
  std::size_t controlled = 0;
  for (unsigned seed = 0; seed != 400; ++seed) {
    CAPTURE(seed);
    net_maker maker(seed);
    auto const made = maker.make(3);
    controlled += made.text.find("_net\"") != std::string::npos;
    CAPTURE(made.text);
    plait::netdef net = plait::read_netdef_text(made.text);
    if (seed % 2 == 1) net.external_output = {net.intern("a"), net.intern("d")};
    bool const parallel = seed % 3 == 0;
    plait::workspace<B> blobs;
    auto plan = plait::compile(net, table, blobs, {.parallel = parallel});
    std::optional<plait::parallel_executor<B>> executor;
    if (parallel) executor.emplace(plan);
    state s;
    for (int round = 0; round != 4; ++round) {
      if (round != 1) {  // the second time what the first left is what it starts from
        s["a"] = {1, 2, 3};
        s["b"] = {static_cast<float>(round), 4};
        s["d"] = {3, 1};
        s["e"] = {2, 5, 1, static_cast<float>(round)};
        s["f"] = {0};
        for (auto const& [name, value] : state{{"n0", {0}}, {"n1", {1}}, {"n2", {static_cast<float>(2 + round % 2)}}})
          s[name] = value;
        for (auto const& [name, value] : s)
          if (name == "f")
            test::feed_flag(blobs, name, value[0] != 0);
          else if (maker.names.end() != std::ranges::find(maker.names, name) || name[0] == 'n')
            test::feed(blobs, name, value);
      }
      made.run(s);
      if (executor)
        executor->run();
      else
        plan.run();
      for (std::string const& name : maker.names) {
        // Blobs of a net that declares outputs may be left as they were, unless they are outputs.
        if (!net.external_output.empty() && name != "a" && name != "d") continue;
        CHECK(test::numbers(blobs, name) == s[name]);
      }
      if (seed % 2 == 1 && round == 0) {  // go on from the same state
        for (char const* const name : {"b", "e"}) test::feed(blobs, name, s[name]);
        test::feed_flag(blobs, "f", s["f"][0] != 0);
      }
    }
  }
  CHECK(controlled > 200);
}

}  // namespace
