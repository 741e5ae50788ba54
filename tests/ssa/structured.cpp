#include <plait/ssa/structured.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <ranges>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/construction.hpp>
#include <plait/ssa/destruction.hpp>
#include <plait/ssa/verify.hpp>

namespace {

// An IR with nested nets whose ops are created on access, adapted by its members alone.
struct region {
  struct held {
    std::shared_ptr<region const> net;
    plait::subnet_scope scope = plait::subnet_scope::shared;
    std::vector<std::string> locals = {};
    plait::subnet_role role = plait::subnet_role::unknown;
  };
  struct op {
    std::string type;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::vector<held> nets = {};
  };
  std::vector<op> code;
  auto ops() const {
    return code | std::views::transform([](op const& o) { return op(o); });
  }
  std::vector<std::string> external_inputs = {};
  std::vector<std::string> external_outputs = {};
  static std::vector<held> subnets(op const& o) { return o.nets; }
};

region::held nest(plait::subnet_role role, std::vector<region::op> ops) {
  return {std::make_shared<region const>(region{std::move(ops)}), plait::subnet_scope::shared, {}, role};
}

// The loop writes t; one branch of the If in it writes x, the other does not.
plait::netdef example(std::type_identity<plait::netdef>) {
  return plait::read_netdef_text(R"(
    external_input: "x" external_input: "c" external_output: "x"
    op { type: "Relu" input: "x" output: "x" }
    op { type: "While" input: "go" input: "x" output: "x"
         arg { name: "cond_net" n { op { type: "Test" input: "x" output: "go" } } }
         arg { name: "loop_net" n {
           op { type: "If" input: "c"
                arg { name: "then_net" n { op { type: "Neg" input: "x" output: "x" } } }
                arg { name: "else_net" n { op { type: "Abs" input: "x" output: "t" } } } }
           op { type: "Log" input: "x" } } } }
    op { type: "If" input: "c" arg { name: "then_net" n { op { type: "Exp" input: "x" output: "x" } } } }
    op { type: "Exp" input: "x" output: "y" })");
}
region example(std::type_identity<region>) {
  using plait::subnet_role;
  region n;
  n.external_inputs = {"x", "c"};
  n.external_outputs = {"x"};
  n.code = {{"Relu", {"x"}, {"x"}},
            {"While",
             {"go", "x"},
             {"x"},
             {nest(subnet_role::condition, {{"Test", {"x"}, {"go"}}}),
              nest(subnet_role::loop_body, {{"If",
                                             {"c"},
                                             {},
                                             {nest(subnet_role::then_branch, {{"Neg", {"x"}, {"x"}}}),
                                              nest(subnet_role::else_branch, {{"Abs", {"x"}, {"t"}}})}},
                                            {"Log", {"x"}, {}}})}},
            {"If", {"c"}, {}, {nest(subnet_role::then_branch, {{"Exp", {"x"}, {"x"}}})}},
            {"Exp", {"x"}, {"y"}}};
  return n;
}

auto& code_of(plait::netdef& n) { return n.op; }
auto& code_of(region& n) { return n.code; }

template <class N>
std::vector<std::string> listing(plait::structured_program<N> const& p) {
  std::vector<std::string> made;
  for (std::uint32_t b = 0; b != p.size(); ++b) {
    std::string line = std::to_string(b) + ':';
    auto const net = p.block(b);
    for (auto const op : net.ops()) {
      line += ' ' + std::string(net.type(op)) + '(';
      for (auto const name : net.inputs(op)) line += std::string(net.text(name)) + ' ';
      line += ")";
      for (auto const name : net.outputs(op)) line += std::string(net.text(name)) + ' ';
    }
    line += " >";
    for (auto const to : p.successors(b)) line += ' ' + std::to_string(to);
    made.push_back(line);
  }
  return made;
}

}  // namespace

TEST_CASE_TEMPLATE("structured program: If and While become basic blocks and edges, with phis at joins", N,
                   plait::netdef, region) {
  N const n = example(std::type_identity<N>());
  plait::structured_program const p(n);
  static_assert(plait::check_program<plait::structured_program<N>>());
  static_assert(plait::has_program_names<plait::structured_program<N>>);
  CHECK(listing(p) == std::vector<std::string>{
                          "0: Relu(x )x  > 1",
                          "1: Test(x )go  While(go ) > 2 6",
                          "2: If(c ) > 3 4",
                          "3: Neg(x )x  > 5",
                          "4: Abs(x )t  > 5",
                          "5: Log(x ) > 1",
                          "6: If(c ) > 7 8",
                          "7: Exp(x )x  > 8",
                          "8: Exp(x )y  >",
                      });
  CHECK(p.op(3, 0).op == 0);
  CHECK(p.op(8, 0).net == &n);
  CHECK(p.op(8, 0).op == 3);

  plait::program_ssa const ssa(p);
  CHECK(plait::verify_ssa(ssa).empty());
  plait::blob_index const x = p.find(std::string("x"));
  // Behind an If, x is the phi of both branches; without else, of the branch and the value before.
  auto const merged = [&](std::uint32_t block) {
    auto const phis = ssa.phis(block);
    REQUIRE(phis.size() == 1);
    REQUIRE(phis[0].result().blob == x);
    return phis[0];
  };
  auto const arguments = [&](std::uint32_t block) {
    std::set<plait::value> found;
    for (plait::value const v : merged(block).arguments()) found.insert(v);
    return found;
  };
  auto const reads = [&](std::uint32_t block, std::size_t op) { return *ssa.reads(ssa.op(block, op)).begin(); };
  auto const writes = [&](std::uint32_t block, std::size_t op) { return *ssa.writes(ssa.op(block, op)).begin(); };
  CHECK(reads(5, 0) == merged(5).result());
  CHECK(arguments(5) == (std::set<plait::value>{writes(3, 0), merged(1).result()}));
  CHECK(arguments(8) == (std::set<plait::value>{writes(7, 0), merged(1).result()}));
  CHECK(arguments(1) == (std::set<plait::value>{writes(0, 0), merged(5).result()}));
  CHECK(reads(8, 0) == merged(8).result());
  CHECK(*ssa.results(8).begin() == merged(8).result());
  CHECK(ssa.undefined_uses().empty());
  CHECK(plait::program_destruction(p, ssa).copy_count() == 0);
}

TEST_CASE_TEMPLATE("structured program: a net without control flow is one basic block with the versions of get_ssa", N,
                   plait::netdef, region) {
  N n = example(std::type_identity<N>());
  auto& ops = code_of(n);
  ops.erase(ops.begin() + 1, ops.begin() + 3);
  plait::structured_program const p(n);
  plait::program_ssa const ssa(p);
  auto const expected = plait::get_ssa(n);
  REQUIRE(p.size() == 1);
  REQUIRE(ssa.form().op_count() == expected.op_count());
  for (plait::op_index op = 0; op != expected.op_count(); ++op) {
    CHECK(std::ranges::equal(ssa.reads(op), expected.reads(op), {}, &plait::value::version, &plait::value::version));
    CHECK(std::ranges::equal(ssa.writes(op), expected.writes(op), {}, &plait::value::version, &plait::value::version));
  }
}

TEST_CASE("structured program: a Do binds names to outer blobs, and other names are local") {
  auto const n = plait::read_netdef_text(R"(
    external_input: "a" external_input: "t" external_input: "ws" external_output: "b"
    op { type: "Do" input: "a" input: "ws" output: "b" output: "ws"
         arg { name: "net" n { op { type: "Neg" input: "in" output: "t" } op { type: "Abs" input: "t" output: "out" } } }
         arg { name: "inner_blobs" strings: "in" strings: "out" }
         arg { name: "outer_blobs_idx" ints: 0 ints: 1 } }
    op { type: "Log" input: "t" input: "b" })");
  plait::structured_program const p(n);
  CHECK(listing(p) == std::vector<std::string>{"0: Do(ws )ws  Neg(a )t  Abs(t )b  Log(t b ) >"});
  plait::program_ssa const ssa(p);
  auto const local = *ssa.writes(1).begin();
  CHECK(local.blob != p.find("t"));
  CHECK(p.key(local.blob) == "t");
  CHECK(*ssa.reads(2).begin() == local);
  CHECK(*ssa.reads(3).begin() == plait::value{p.find("t"), 0});
  CHECK(ssa.undefined_uses().empty());
}

TEST_CASE("structured program: other ops with nested nets are not lowered, and read what these read") {
  auto const n = plait::read_netdef_text(R"(
    op { type: "RecurrentNetwork" input: "s" output: "o"
         arg { name: "step_net" n { op { type: "FC" input: "x_t" input: "w" output: "h" } } }
         arg { name: "link_internal" strings: "x_t" } })");
  plait::structured_program const p(n);
  CHECK(listing(p) == std::vector<std::string>{"0: RecurrentNetwork(s w )o  >"});
}

TEST_CASE("structured program: nets of mismatched roles are refused") {
  auto const refused = [](char const* text, std::string const& blob = "") {
    auto const n = plait::read_netdef_text(text);
    try {
      plait::structured_program const p(n);
      FAIL("taken: " << text);
    } catch (plait::net_error const& problem) {
      CHECK(problem.op == 1);
      CHECK(problem.blob == blob);
    }
  };
  refused(R"(op { type: "A" } op { type: "If" arg { name: "then_net" n { } } })");
  refused(R"(op { type: "A" } op { type: "If" input: "c" arg { name: "else_net" n { } } })");
  refused(
      R"(op { type: "A" } op { type: "If" input: "c" arg { name: "then_net" n { } } arg { name: "loop_net" n { } } })");
  refused(
      R"(op { type: "A" } op { type: "While" input: "c" arg { name: "loop_net" n { } } arg { name: "loop_net" n { } } })");
  refused(R"(op { type: "A" } op { type: "Do" input: "a" arg { name: "net" n { } }
             arg { name: "inner_blobs" strings: "in" } })");
  refused(R"(op { type: "A" } op { type: "Do" input: "a" arg { name: "net" n { } }
             arg { name: "inner_blobs" strings: "in" } arg { name: "outer_blobs_idx" ints: 1 } })",
          "in");
}

TEST_CASE("structured program: lowers 100,000 nested Ifs without recursion") {
  auto inner = std::make_shared<region>();
  inner->code = {{"Neg", {"x"}, {"x"}}};
  std::vector<std::shared_ptr<region>> all = {inner};
  for (int i = 0; i != 100'000; ++i) {
    auto outer = std::make_shared<region>();
    outer->code = {{"If", {"c"}, {}, {{all.back(), plait::subnet_scope::shared, {}, plait::subnet_role::then_branch}}}};
    all.push_back(outer);
  }
  {
    plait::structured_program const p(*all.back());
    CHECK(p.size() == 200'001);
    plait::program_ssa const ssa(p);
    CHECK(ssa.phi_count() == 0);  // x is dead behind them
  }
  // Releases the regions one by one from the outside in, without recursion.
  while (!all.empty()) {
    auto last = std::move(all.back());
    all.pop_back();
    last->code.clear();
  }
}
