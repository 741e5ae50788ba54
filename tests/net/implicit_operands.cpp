#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <plait/net/detail/implicit_operands.hpp>
#include <plait/netdef/detail/text_reader.hpp>

#include <net/nested_net.hpp>
#include <net/test_nets.hpp>

namespace {

using names = std::vector<std::string>;
using plait::subnet_scope;
using test::nested_net;
using test::nested_op;
using test::nested_part;

static_assert(plait::has_subnets<nested_net> && plait::has_subnets<plait::netdef> && plait::has_subnets<nested_net&>);
static_assert(!plait::has_subnets<test::struct_net> && !plait::has_subnets<int> && !plait::has_subnets<void>);

nested_part part(std::vector<nested_op> ops, subnet_scope scope = subnet_scope::shared, names locals = {}) {
  return {std::make_shared<nested_net const>(nested_net{std::move(ops)}), scope, std::move(locals)};
}

struct implicit {
  names reads;
  names writes;
  names passes;
  friend bool operator==(implicit const&, implicit const&) = default;
};

implicit of(nested_op op) {
  nested_net const n{{std::move(op)}};
  plait::implicit_operands<nested_net> found;
  found.compute(n, n.ops[0]);
  return {found.reads(), found.writes(), found.weak_updates()};
}

// ---- the oracle: the definition, by recursion over sets -------------------------------------------------------------

using set = std::set<std::string>;

struct effect {
  set reads, passes, writes;
};

effect effect_of(nested_part const& part) {
  effect seen;
  set certain(part.locals.begin(), part.locals.end());
  set maybe;
  auto const read = [&](std::string const& key) {
    if (!certain.contains(key)) (maybe.contains(key) ? seen.passes : seen.reads).insert(key);
  };
  for (nested_op const& op : part.net->ops) {
    for (std::string const& key : op.inputs) read(key);
    set inner_writes;
    for (nested_part const& inner : op.parts) {
      effect const e = effect_of(inner);
      for (std::string const& key : e.reads) read(key);
      for (std::string const& key : e.passes)
        if (!certain.contains(key)) seen.passes.insert(key);
      inner_writes.insert(e.writes.begin(), e.writes.end());
    }
    for (std::string const& key : op.outputs) (inner_writes.contains(key) ? maybe : certain).insert(key);
    maybe.insert(inner_writes.begin(), inner_writes.end());
  }
  if (part.scope == subnet_scope::closed) return {};
  if (part.scope == subnet_scope::shared) {
    seen.writes = certain;
    seen.writes.insert(maybe.begin(), maybe.end());
    for (std::string const& local : part.locals) seen.writes.erase(local);
  }
  return seen;
}

effect expected(nested_op const& op) {
  effect all;
  for (nested_part const& inner : op.parts) {
    effect const e = effect_of(inner);
    all.reads.insert(e.reads.begin(), e.reads.end());
    all.passes.insert(e.passes.begin(), e.passes.end());
    all.writes.insert(e.writes.begin(), e.writes.end());
  }
  all.passes.insert(all.writes.begin(), all.writes.end());
  for (std::string const& key : all.reads) all.passes.erase(key);
  for (std::string const& key : op.inputs) {
    all.passes.erase(key);
    all.reads.erase(key);
  }
  for (std::string const& key : op.outputs) all.writes.erase(key);
  return all;
}

nested_op random_op(std::mt19937& random, int depth) {
  auto const some = [&](std::size_t most) {
    names made;
    for (std::size_t i = random() % (most + 1); i != 0; --i) made.push_back(std::string(1, "abcdef"[random() % 6]));
    return made;
  };
  nested_op op{some(2), some(2)};
  if (depth > 0)
    for (std::size_t i = random() % 3; i != 0; --i) {
      std::vector<nested_op> inner;
      for (std::size_t k = random() % 4; k != 0; --k) inner.push_back(random_op(random, depth - 1));
      subnet_scope const scopes[] = {subnet_scope::shared, subnet_scope::shared, subnet_scope::child,
                                     subnet_scope::closed};
      op.parts.push_back(part(std::move(inner), scopes[random() % 4], random() % 3 == 0 ? some(2) : names{}));
    }
  return op;
}

names sorted(names n) {
  std::ranges::sort(n);
  return n;
}

}  // namespace

TEST_CASE("implicit_operands: an op without nested nets has none") { CHECK(of({{"x"}, {"y"}}) == implicit{}); }

TEST_CASE("implicit_operands: upward-exposed reads and writes of a shared net are the outer net's") {
  CHECK(of({{"c"}, {}, {part({{{"x"}, {"t"}}, {{"t", "w"}, {"y"}}})}}) == implicit{{"x", "w"}, {"t", "y"}, {"t", "y"}});
}

TEST_CASE("implicit_operands: the op's own operands are not repeated") {
  CHECK(of({{"x"}, {"y"}, {part({{{"x", "w"}, {"y"}}})}}) == implicit{{"w"}, {}, {"y"}});
  CHECK(of({{"x", "y"}, {"y"}, {part({{{"x"}, {"y"}}})}}) == implicit{});
}

TEST_CASE("implicit_operands: reads of a child net fall through, its writes and locals stay inside") {
  CHECK(of({{}, {}, {part({{{"h_prev", "w"}, {"h"}}, {{"h"}, {"o"}}}, subnet_scope::child, {"h_prev"})}}) ==
        implicit{{"w"}, {}, {}});
}

TEST_CASE("implicit_operands: a closed net has none, nor do the nets in it") {
  CHECK(of({{}, {}, {part({{{"x"}, {"y"}, {part({{{"z"}, {"y"}}})}}}, subnet_scope::closed)}}) == implicit{});
}

TEST_CASE("implicit_operands: control inputs of nested ops count as reads on request") {
  auto const n = plait::read_netdef_text(R"(
    op { type: "If" input: "c" control_input: "own" arg { name: "then_net" n {
      op { type: "A" output: "made" control_input: "x" control_input: "own" }
      op { type: "B" input: "made" output: "y" control_input: "made" }
      op { type: "If" input: "made" arg { name: "then_net" n {
        op { type: "C" control_input: "deep" control_input: "y" } } } }
      op { type: "Do" input: "made" input: "ws" output: "ws" arg { name: "net" n {
        op { type: "D" control_input: "hidden" } } } } } } })");
  plait::implicit_operands<plait::netdef> found;
  found.compute(n, n.op[0], true);
  CHECK(found.reads() == names{"x", "deep", "ws"});
  found.compute(n, n.op[0]);
  CHECK(found.reads() == names{"ws"});
}

TEST_CASE("implicit_operands: branches do not see each other's writes, at any depth") {
  std::vector<nested_part> const branches = {part({{{}, {"z"}}}), part({{{"z"}, {"y"}}})};
  CHECK(of({{}, {}, branches}) == implicit{{"z"}, {"z", "y"}, {"y"}});
  CHECK(of({{}, {}, {part({{{}, {}, branches}})}}) == implicit{{"z"}, {"z", "y"}, {"y"}});
}

TEST_CASE("implicit_operands: a write that may not happen is a weak update") {
  // A child net, none of whose writes are outer ones: y = z is read after If(c) { z = … }.
  nested_op const branch{{"c"}, {}, {part({{{}, {"z"}}})}};
  CHECK(of({{}, {}, {part({branch, {{"z"}, {"y"}}}, subnet_scope::child)}}) == implicit{{"c"}, {}, {"z"}});
  // A certain write before: no weak update.
  CHECK(of({{}, {}, {part({{{}, {"z"}}, branch, {{"z"}, {"y"}}}, subnet_scope::child)}}) == implicit{{"c"}, {}, {}});
}

TEST_CASE("implicit_operands: equal to the definition on random nesting") {
  std::mt19937 random(6);
  for (int round = 0; round != 3000; ++round) {
    nested_op const op = random_op(random, 3);
    effect const want = expected(op);
    implicit const got = of(op);
    REQUIRE(sorted(got.reads) == names(want.reads.begin(), want.reads.end()));
    REQUIRE(sorted(got.writes) == names(want.writes.begin(), want.writes.end()));
    REQUIRE(sorted(got.passes) == names(want.passes.begin(), want.passes.end()));
  }
}

TEST_CASE("implicit_operands: depth costs memory, not stack, and width is linear") {
  nested_op op{{"x"}, {"y"}};
  std::vector<std::shared_ptr<nested_net const>> alive;  // else their destructors would recurse
  for (int depth = 0; depth != 100'000; ++depth) {
    auto inner = std::make_shared<nested_net const>(nested_net{{op}});
    alive.push_back(inner);
    op = nested_op{{}, {}, {{inner}}};
  }
  CHECK(of(op) == implicit{{"x"}, {"y"}, {"y"}});
  while (!alive.empty()) {
    op = {};
    alive.pop_back();
  }

  nested_op wide{{}, {}, {part({{{}, {}}})}};
  nested_op inner;
  for (int i = 0; i != 100'000; ++i) {
    wide.inputs.push_back("i" + std::to_string(i));
    inner.inputs.push_back("i" + std::to_string(i));
    inner.inputs.push_back("j" + std::to_string(i));
  }
  wide.parts = {part({inner})};
  CHECK(of(wide).reads.size() == 100'000);
}

TEST_CASE("implicit_operands: an object can be reused") {
  nested_net const n{{{{}, {}, {part({{{"x"}, {"y"}}})}}, {{}, {}, {part({{{"u"}, {"v"}}})}}}};
  plait::implicit_operands<nested_net> found;
  found.compute(n, n.ops[0]);
  found.compute(n, n.ops[1]);
  CHECK(found.reads() == names{"u"});
  CHECK(found.writes() == names{"v"});
  CHECK(found.weak_updates() == names{"v"});
}
