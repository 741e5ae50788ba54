// Random nets of nested If, While and Do, with shared blobs or separate workspaces, with ops in place, copies and
// overwritten blobs: all policies for overwritten values give the same gradients, equal to finite differences.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/control_flow.hpp>
#include <plait/netdef/detail/text_writer.hpp>
#include <plait/transform/detail/external_blobs.hpp>

#include <support/gradient_cases.hpp>

namespace {

using plait::netdef;
using plait::overwritten_values;
using names = std::set<std::string>;

// Blobs b0 … b3 are always set; branches compute h0 and h1, which are read only under the same flag. All are 2x2 except
// t, a table with rows of two elements.
class generator {
 public:
  explicit generator(std::uint32_t seed) : random_(seed) {}

  netdef make(std::size_t ops) {
    netdef n;
    n.name = n.intern("random");
    for (char const* name : {"x", "w", "t", "rows", "one", "times", "on", "off"})
      n.external_input.push_back(n.intern(name));
    known_ = {"x", "w", "t", "rows", "one", "times", "on", "off", "b0", "b1", "b2", "b3"};
    scope now{{"x", "w", "b0", "b1", "b2", "b3"}, {}};
    add(n, "Scale", {"x"}, {"b0"}, {{"scale", 0.5f}});
    add(n, "Tanh", {"w"}, {"b1"});
    add(n, "Sin", {"x"}, {"b2"});
    add(n, "Gather", {"t", "rows"}, {"b3"});
    for (std::size_t k = 0; k != ops; ++k) statement(n, now, 3);
    add(n, "Sum", {"b0", "b1", "b2", "b3"}, {"y"});
    return n;
  }

 private:
  // Readable blobs, and those readable in addition under a flag.
  struct scope {
    names readable;
    std::map<std::string, names> made_under;
  };

  std::size_t pick(std::size_t count) { return random_() % count; }
  std::string one_of(names const& from) {
    return *std::next(from.begin(), static_cast<std::ptrdiff_t>(pick(from.size())));
  }
  std::string written() { return pick(4) == 0 ? "h" + std::to_string(pick(2)) : "b" + std::to_string(pick(4)); }
  static void add(netdef& n, std::string const& type, std::vector<std::string> inputs, std::vector<std::string> outputs,
                  std::vector<plait::net_argument> arguments = {}) {
    plait::append_op(n, plait::built_op{type, std::move(inputs), std::move(outputs), std::move(arguments), {}});
  }

  void wrote(scope& now, std::string const& blob) {
    known_.insert(blob);
    now.readable.insert(blob);
  }

  void statement(netdef& n, scope& now, int depth) {
    auto const read = [&] { return one_of(now.readable); };
    auto const unary = [&](char const* type, std::vector<plait::net_argument> arguments = {}) {
      std::string const in = read();
      std::string out = pick(3) == 0 ? in : written();
      add(n, type, {in}, {out}, std::move(arguments));
      wrote(now, out);
    };
    auto const shrunk = [&](char const* type, std::vector<std::string> const& inputs) {
      add(n, type, inputs, {"big"});
      std::string const out = written();
      add(n, "Scale", {"big"}, {out}, {{"scale", 0.3f}});
      wrote(now, out);
    };
    switch (pick(depth > 0 ? 20 : 14)) {
      case 0:
        return unary("Tanh");
      case 1:
        return unary("Sigmoid");
      case 2:
        return unary("Copy");
      case 3:
        return unary("Sin");
      case 4:
        return unary("Scale", {{"scale", -0.7f}});
      case 5:
        return unary("Sqr");
      case 6:
        return unary("Softmax");
      case 7:
      case 8: {
        std::string const a = read(), b = read();
        std::string const out = pick(3) == 0 ? a : written();
        add(n, pick(2) == 0 ? "Add" : "Sub", {a, b}, {out});
        add(n, "Scale", {out}, {out}, {{"scale", 0.6f}});
        return wrote(now, out);
      }
      case 9:
        return shrunk("Mul", {read(), read()});
      case 10: {
        std::string const a = read(), b = read();
        add(n, "Mul", {a, b}, {a});
        return wrote(now, a);
      }
      case 11:
        return shrunk("MatMul", {read(), read()});
      case 12: {
        std::string const out = written();
        add(n, "Gather", {"t", "rows"}, {out});
        return wrote(now, out);
      }
      case 13: {
        std::string const out = written();
        add(n, "Split", {read()}, {"left", "right"}, {{"axis", 1}});
        add(n, "Concat", {"right", pick(2) == 0 ? "left" : "right"}, {out, "sizes"}, {{"axis", 1}});
        return wrote(now, out);
      }
      case 14:
      case 15:
      case 16:
        return choice(n, now, depth - 1);
      case 17: {
        scope inner = now;
        netdef body;
        block(body, inner, depth - 1);
        plait::add_do(n, known_, std::move(body), {.copy_external_blobs = pick(2) == 0, .name = fresh("do")});
        now = inner;
        return;
      }
      default:
        return loop(n, now, depth - 1);
    }
  }

  void choice(netdef& n, scope& now, int depth) {
    std::string const flag = pick(2) == 0 ? "on" : "off";
    bool const both = pick(2) == 0;
    std::vector<netdef> branches;
    std::vector<scope> after;
    for (std::string const& guard : {flag, "not " + flag}) {
      if (guard != flag && !both) break;
      scope inside = now;
      inside.readable.insert(now.made_under[guard].begin(), now.made_under[guard].end());
      block(branches.emplace_back(), inside, depth);
      now.made_under[guard] = inside.readable;
      after.push_back(std::move(inside));
    }
    if (both)
      for (std::string const& blob : after[0].readable)
        if (after[1].readable.contains(blob)) now.readable.insert(blob);
    if (pick(2) == 0) {  // branches in separate workspaces
      std::optional<netdef> otherwise;
      if (both) otherwise = std::move(branches[1]);
      plait::add_if(n, flag, known_, std::move(branches[0]), std::move(otherwise), {.name = fresh("if")});
      return;
    }
    // Enclosing nets see the operands that the op lists.
    names reads, writes;
    for (netdef const& branch : branches) {
      auto const outside = plait::external_blob_names(branch);
      reads.insert(outside.inputs.begin(), outside.inputs.end());
      writes.insert(outside.outputs.begin(), outside.outputs.end());
    }
    std::vector<std::string> inputs = {flag};
    for (std::string const& blob : reads)
      if (blob != flag) inputs.push_back(blob);
    std::vector<plait::net_argument> arguments;
    arguments.emplace_back("then_net", std::move(branches[0]));
    if (both) arguments.emplace_back("else_net", std::move(branches[1]));
    add(n, "If", std::move(inputs), {writes.begin(), writes.end()}, std::move(arguments));
  }

  void loop(netdef& n, scope& now, int depth) {
    std::string const count = fresh("i"), more = fresh("more");
    add(n, "Sub", {"one", "one"}, {count});
    add(n, "LT", {count, "times"}, {more});
    known_.insert({count, more});
    scope inside = now;
    inside.made_under.clear();  // the first iteration lacks blobs that a flag guarded in the previous one
    netdef body, test;
    block(body, inside, depth);
    add(body, "Add", {count, "one"}, {count});
    add(test, "LT", {count, "times"}, {more});
    plait::add_while(n, more, known_, std::move(body), std::move(test), {.name = fresh("while")});
    if (pick(3) == 0)  // iterations do not save their inputs
      for (plait::arg_def& a : n.op.back().arg)
        if (n.text(a.name) == "loop_net") {
          netdef without = *a.n;
          erase_if(without.op.back().arg,
                   [&](plait::arg_def const& of) { return without.text(of.name) == "copy_external_blobs"; });
          a.n = plait::box<netdef>(std::move(without));
        }
  }

  void block(netdef& n, scope& now, int depth) {
    for (std::size_t k = 0, count = 1 + pick(4); k != count; ++k) statement(n, now, depth);
  }
  std::string fresh(std::string const& wanted) { return wanted + std::to_string(next_++); }

  std::mt19937 random_;
  names known_;
  int next_ = 0;
};

plait::workspace<plait::serial> inputs(std::uint32_t seed) {
  plait::workspace<plait::serial> blobs;
  auto const flag = [](bool value) { return test::tensor64::from(std::vector<bool>{value}, {1}); };
  blobs.feed("x", test::random_tensor({2, 2}, seed));
  blobs.feed("w", test::random_tensor({2, 2}, seed + 1));
  blobs.feed("t", test::random_tensor({3, 2}, seed + 2));
  blobs.feed("rows", test::int32s({2, 0}, {2}));
  blobs.feed("one", test::doubles({1}, {1}));
  blobs.feed("times", test::doubles({static_cast<double>(seed % 4)}, {1}));
  blobs.feed("on", flag(seed % 2 == 0));
  blobs.feed("off", flag(seed % 3 == 0));
  return blobs;
}

plait::gradient_options with(overwritten_values how) {
  return {.overwritten = how, .mixed = plait::mixed_gradients::densify, .only = {"x", "w", "t"}};
}

using gradients = std::map<std::string, std::vector<double>>;

// Returns the gradients, or nullopt if the policy refuses the net.
std::optional<gradients> gradients_of(netdef net, std::uint32_t seed, overwritten_values how) {
  plait::gradient_map map;
  try {
    map = plait::add_gradient_ops(net, {"y"}, plait::gradient_rules::standard(), with(how));
  } catch (plait::gradient_error const&) {
    return std::nullopt;
  }
  plait::workspace<plait::serial> blobs = inputs(seed);
  std::vector<std::string> fetch;
  for (auto const& [blob, g] : map)
    for (std::string const& part : {g.values, g.indices})
      if (!part.empty()) fetch.push_back(part);
  auto plan = plait::compile(net, plait::standard_operators<plait::serial>(), blobs, {.fetch = fetch});
  plan.run();
  gradients made;
  for (auto const& [blob, g] : map)
    made[blob] = plait::detail::dense_gradient(blobs, g, blob == "t" ? plait::shape{3, 2} : plait::shape{2, 2});
  return made;
}

struct tally {
  std::size_t refused[3] = {};
  std::size_t large = 0;  // nested squares, whose differences are rounding errors
  std::size_t zeros_of_unset = 0;
};

bool is_small(netdef const& net, std::uint32_t seed) {
  plait::workspace<plait::serial> blobs = inputs(seed);
  auto plan = plait::compile(net, plait::standard_operators<plait::serial>(), blobs, {.fetch = {"y"}});
  plan.run();
  auto const all_below = [](double limit, std::vector<double> const& of) {
    return std::ranges::all_of(of, [=](double v) { return std::abs(v) <= limit; });
  };
  if (!all_below(100, blobs.view("y").values<double>())) return false;
  // Squares that overflowed may not show in y, but make its gradients NaN.
  auto const made = gradients_of(net, seed, overwritten_values::copy);
  return !made || std::ranges::all_of(*made, [&](auto const& of) { return all_below(1e6, of.second); });
}

// Returns whether the gradients contain a ZerosLike op.
bool has_zeros_of_unset(netdef net) {
  (void)plait::add_gradient_ops(net, {"y"}, plait::gradient_rules::standard(), with(overwritten_values::copy));
  return plait::to_text(net).find("\"ZerosLike\"") != std::string::npos;
}

void check(std::uint32_t seed, std::size_t ops, tally& count) {
  netdef const net = generator(seed).make(ops);
  if (!is_small(net, seed)) {
    ++count.large;
    return;
  }
  count.zeros_of_unset += has_zeros_of_unset(net) ? 1 : 0;
  CAPTURE(seed);
  std::string const shown = plait::to_text(net);
  CAPTURE(shown);
  auto const found = plait::check_gradient(net, {"y"}, {"x", "w", "t"}, inputs(seed),
                                           {.gradients = with(overwritten_values::copy), .tolerance = 1e-5});
  CAPTURE(found.text());
  REQUIRE(found.ok());
  std::optional<gradients> made[3];
  for (auto const how : {overwritten_values::refuse, overwritten_values::copy, overwritten_values::recompute}) {
    auto const k = static_cast<std::size_t>(how);
    made[k] = gradients_of(net, seed, how);
    count.refused[k] += made[k] ? 0 : 1;
  }
  REQUIRE(made[1].has_value());
  if (made[0]) REQUIRE(made[2].has_value());
  for (std::size_t const k : {0u, 2u}) {
    if (!made[k]) continue;
    REQUIRE(made[k]->size() == made[1]->size());
    for (auto const& [blob, values] : *made[k]) {
      CAPTURE(blob);
      std::vector<double> const& expected = made[1]->at(blob);
      REQUIRE(values.size() == expected.size());
      for (std::size_t i = 0; i != values.size(); ++i)
        REQUIRE(std::abs(values[i] - expected[i]) <= 1e-12 * std::max(1.0, std::abs(expected[i])));
    }
  }
}

TEST_CASE("backward_pass on random control flow: all policies equal finite differences, stronger ones accept more") {
  tally count;
  for (std::uint32_t seed = 0; seed != 200; ++seed) check(seed, 2 + seed % 9, count);
  MESSAGE(count.refused[0] << " refused, " << count.refused[2] << " not recomputed, " << count.zeros_of_unset
                           << " with blobs that may be unset, " << count.large << " too large");
  CHECK(count.refused[1] == 0);
  CHECK(count.refused[2] < count.refused[0]);
  CHECK(count.refused[0] < 190);
  CHECK(count.zeros_of_unset > 20);
  CHECK(count.large < 10);
}

}  // namespace
