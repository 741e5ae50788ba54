// Differential test of net_builder: nested control flow equals the same program in plain C++.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <plait/exec/detail/operators/arithmetic.hpp>
#include <plait/exec/detail/operators/control_flow.hpp>
#include <plait/exec/detail/operators/do_scopes.hpp>
#include <plait/exec/detail/operators/fills.hpp>
#include <plait/exec/detail/operators/functions.hpp>
#include <plait/netdef/net_builder.hpp>

#include <support/run_op.hpp>

namespace {

constexpr std::size_t variable_count = 5;
using variables = std::array<float, variable_count>;

// A statement: an assignment v = a op b, an If (a < b), or a While that runs `count` times.
struct statement {
  enum class kind { assign, choose, loop } what = kind::assign;
  std::size_t v = 0, a = 0, b = 0;
  int op = 0;
  int count = 0;
  bool has_else = false;
  std::vector<statement> body = {};
  std::vector<statement> otherwise = {};
};
using block = std::vector<statement>;

block random_block(std::mt19937& random, int depth) {
  block made;
  std::size_t const length = 1 + random() % 3;
  for (std::size_t i = 0; i != length; ++i) {
    statement s;
    s.v = random() % variable_count;
    s.a = random() % variable_count;
    s.b = random() % variable_count;
    s.op = static_cast<int>(random() % 3);
    unsigned const pick = random() % 4;
    if (depth > 0 && pick == 0) {
      s.what = statement::kind::choose;
      s.body = random_block(random, depth - 1);
      s.has_else = random() % 2 == 0;
      if (s.has_else) s.otherwise = random_block(random, depth - 1);
    } else if (depth > 0 && pick == 1) {
      s.what = statement::kind::loop;
      s.count = static_cast<int>(random() % 4);
      s.body = random_block(random, depth - 1);
    }
    made.push_back(std::move(s));
  }
  return made;
}

float apply(int op, float a, float b) { return op == 0 ? a + b : op == 1 ? a - b : a * 0.5f; }

void interpret(block const& statements, variables& now) {
  for (statement const& s : statements) {
    if (s.what == statement::kind::assign) now[s.v] = apply(s.op, now[s.a], now[s.b]);
    if (s.what == statement::kind::choose) interpret(now[s.a] < now[s.b] ? s.body : s.otherwise, now);
    if (s.what == statement::kind::loop)
      for (int i = 0; i != s.count; ++i) interpret(s.body, now);
  }
}

std::string name_of(std::size_t variable) { return std::string(1, static_cast<char>('a' + variable)); }

void build(plait::net_builder& n, block const& statements) {
  for (statement const& s : statements) {
    std::string const v = name_of(s.v), a = name_of(s.a), b = name_of(s.b);
    auto const body = [&](plait::net_builder& inner) { build(inner, s.body); };
    if (s.what == statement::kind::assign) {
      if (s.op == 0) n.add(a, b, v);
      if (s.op == 1) n.sub(a, b, v);
      if (s.op == 2) n.scale(a, 0.5f, v);
    } else if (s.what == statement::kind::choose) {
      auto const c = n.lt(a, b);
      if (s.has_else)
        n.if_(c, body, [&](plait::net_builder& inner) { build(inner, s.otherwise); });
      else
        n.if_(c, body);
    } else {
      auto const i = n.constant_fill({1}, 0.0), one = n.constant_fill({1}, 1.0),
                 end = n.constant_fill({1}, static_cast<float>(s.count));
      n.while_([&](plait::net_builder& c) { return c.lt(i, end); },
               [&](plait::net_builder& inner) {
                 build(inner, s.body);
                 inner.add(i, one, i);
               });
    }
  }
}

}  // namespace

TEST_CASE("net_builder: random programs of nested If and While equal plain C++") {
  using backend = plait::serial;
  plait::operators<backend> table;
  add_arithmetic_operators(table);
  add_control_flow_operators(table);
  add_fill_operators(table);
  add_function_operators(table);
  add_scope_operators(table);
  for (unsigned seed = 0; seed != 300; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    block const program = random_block(random, 3);
    variables now{1, -2, 3, 0.5f, 4};

    plait::net_builder n("program");
    plait::workspace<backend> blobs;
    for (std::size_t i = 0; i != variable_count; ++i) {
      n.external_input(name_of(i));
      blobs.feed<float>(name_of(i), {now[i]}, {1});
    }
    build(n, program);
    for (std::size_t i = 0; i != variable_count; ++i) n.external_outputs(name_of(i));
    auto plan = plait::compile(n.net(), table, blobs);
    plan.run();
    interpret(program, now);
    for (std::size_t i = 0; i != variable_count; ++i) CHECK(blobs.fetch<float>(name_of(i)) == std::vector{now[i]});
  }
}
