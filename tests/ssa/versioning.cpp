#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/net/static_net.hpp>
#include <plait/ssa/versioning.hpp>

#include <net/nested_net.hpp>
#include <net/random_nets.hpp>
#include <net/test_nets.hpp>
#include <oracle/naive_ssa.hpp>
#include <support/random_cases.hpp>

namespace {

using names = std::vector<std::string>;
using oracle::named_value;
using oracle::named_values;
using oracle::version_map;

template <class N, class Form>
named_values named(N const& n, Form const& ssa, auto const& values) {
  named_values made;
  for (plait::value v : values) made.emplace_back(test::text_of(n, ssa.name(v)), v.version);
  return made;
}
template <class N, class Form>
names texts(N const& n, Form const& ssa, auto const& blobs) {
  names made;
  for (plait::blob_index b : blobs) made.push_back(test::text_of(n, ssa.name(b)));
  return made;
}

// A temporary net is rejected: the form refers to it.
template <class N>
concept has_form = requires(N&& n) { plait::get_ssa(std::forward<N>(n)); };
static_assert(has_form<test::struct_net&> && has_form<test::struct_net const&> && !has_form<test::struct_net>);
static_assert(!std::is_constructible_v<plait::ssa_form<test::struct_net>, test::struct_net>);

// A cheap REQUIRE for inner loops: doctest's counts assertions and formats messages, which takes a minute here.
void must(bool holds, std::source_location where = std::source_location::current()) {
  if (!holds) FAIL("a law does not hold: line " << where.line());
}

// Compares the form with the oracle.
template <class N>
void compare(N const& n, plait::ssa_form<N> const& ssa, oracle::naive_ssa const& want) {
  REQUIRE(ssa.op_count() == want.ops.size());
  plait::op_index i = 0;
  for (auto const op : ssa.ops()) {
    REQUIRE(named(n, ssa, op.reads()) == want.ops[i].first);
    REQUIRE(named(n, ssa, op.writes()) == want.ops[i].second);
    ++i;
  }
  version_map versions;
  for (auto const& [key, version] : ssa.versions()) versions[test::text_of(n, key)] = version;
  REQUIRE(versions == want.versions);
  for (auto const& [name, version] : want.versions) {
    plait::blob_index const b = ssa.find(test::key_of(n, name));
    must(b != plait::npos);
    must(ssa.version(b) == version);
    must(ssa.version(test::key_of(n, name)) == version);
    must(ssa.first_version(b) == want.first_versions.at(name));
  }
  REQUIRE(texts(n, ssa, ssa.undefined()) == want.undefined);
  REQUIRE(texts(n, ssa, ssa.undeclared_inputs()) == want.undeclared);
  REQUIRE(texts(n, ssa, ssa.unwritten_outputs()) == want.unwritten);
}

// Checks the invariants of every form.
template <class N>
void check_laws(plait::ssa_form<N> const& ssa) {
  // Values are numbered without gaps, blob by blob.
  std::vector<bool> numbered(ssa.value_count());
  for (plait::blob_index b : ssa.blobs()) {
    std::size_t before = 0;
    for (std::uint32_t version = ssa.first_version(b); version <= ssa.version(b); ++version) {
      plait::value const v{b, version};
      must(ssa.contains(v));
      std::size_t const index = ssa.index(v);
      must(index < ssa.value_count());
      must(!(numbered[index]));
      numbered[index] = true;
      if (version != ssa.first_version(b)) must(index == before + 1);
      before = index;
    }
    must(!(ssa.contains(plait::value{b, ssa.version(b) + 1})));
    if (ssa.first_version(b) != 0) must(!(ssa.contains(plait::value{b, ssa.first_version(b) - 1})));
    must(!(ssa.producer({b, ssa.first_version(b)}).has_value()));
  }
  must(std::ranges::count(numbered, false) == 0);
  must(!(ssa.contains(plait::value{})));

  // A value is written by its producer and read by its consumers; nothing else writes or reads it.
  std::vector<std::vector<plait::operand>> readers(ssa.value_count());
  std::vector<bool> written(ssa.value_count());
  for (plait::op_index op = 0; op != ssa.op_count(); ++op) {
    for (std::uint32_t slot = 0; slot != ssa.reads(op).size(); ++slot)
      readers[ssa.index(ssa.reads(op)[slot])].push_back({op, slot});
    for (plait::value v : ssa.writes(op)) {
      written[ssa.index(v)] = true;
      auto const by = ssa.producer(v);
      must(by.has_value());
      must(by->op == op);
      must(ssa.producing_op(v) == op);
      must(ssa.writes(op)[by->slot] == v);
    }
  }
  for (plait::blob_index b : ssa.blobs())
    for (std::uint32_t version = ssa.first_version(b); version <= ssa.version(b); ++version) {
      plait::value const v{b, version};
      must(std::ranges::equal(ssa.consumers(v), readers[ssa.index(v)]));
      must(ssa.producer(v).has_value() == written[ssa.index(v)]);
    }
}

// Returns the (key, version) pairs of the net's blobs.
template <class N>
auto keyed(N const& n, version_map& versions) {
  std::vector<std::pair<plait::name_key_t<N>, std::uint32_t>> made;
  for (auto at = versions.begin(); at != versions.end();)
    if (auto const key = test::key_of(n, at->first); key == plait::name_key_t<N>()) {
      at = versions.erase(at);  // no op has the blob, and names are no strings: it has no key
    } else {
      made.emplace_back(key, at->second);
      ++at;
    }
  return made;
}

}  // namespace

TEST_CASE_TEMPLATE("ssa versioning: random nets match the oracle, with and without initial versions", N,
                   PLAIT_ALL_NETS) {
  std::mt19937 random(9);
  for (unsigned round = 0; round != test::random_cases(10'000); ++round) {
    test::struct_net const from = test::random_small_net(random);
    CAPTURE(round);
    N const n = test::make_net<N>(from);
    plait::ssa_form<N> ssa = plait::get_ssa(n);
    compare(n, ssa, oracle::get_ssa(from));
    check_laws(ssa);

    version_map initial;
    for (int i = 0, count = static_cast<int>(random() % 5); i != count; ++i)
      initial["b" + std::to_string(random() % 10)] = static_cast<std::uint32_t>(random() % 4);
    auto const given = keyed(n, initial);
    ssa.compute(n, given);  // into the same object: nothing of the first run is left
    compare(n, ssa, oracle::get_ssa(from, initial));
    check_laws(ssa);
  }
}

TEST_CASE_TEMPLATE("ssa versioning: numbering continues in chained nets", N, PLAIT_TEXT_NETS) {
  std::mt19937 random(10);
  for (int round = 0; round != 1'000; ++round) {
    test::struct_net const init_from = test::random_small_net(random);
    test::struct_net const predict_from = test::random_small_net(random);
    N const init = test::make_net<N>(init_from);
    N const predict = test::make_net<N>(predict_from);
    auto const before = plait::get_ssa(init);
    auto const after = plait::get_ssa(predict, before);
    compare(predict, after, oracle::get_ssa(predict_from, oracle::get_ssa(init_from).versions));
    check_laws(after);
  }
}

TEST_CASE("ssa versioning: nets of different types can be chained") {
  auto const init = test::make_net<plait::netdef>({{{"Fill", {}, {"w"}}, {"Scale", {"w"}, {"w"}}}});
  auto const predict = test::make_net<test::edit_net>({{{"FC", {"x", "w"}, {"w"}}}, {"x", "w"}});
  auto const ssa = plait::get_ssa(predict, plait::get_ssa(init));
  CHECK(ssa.version("w") == 3);
  CHECK(ssa.reads(0)[1].version == 2);
  CHECK(ssa.external_inputs()[1].version == 2);
}

TEST_CASE_TEMPLATE("ssa versioning: copies of a form are independent", N, PLAIT_ALL_NETS) {
  test::struct_net const from{{{"Mul", {"x", "w"}, {"y"}}, {"Add", {"y", "b"}, {"y"}}}, {"x", "w", "b"}, {"y"}};
  N const n = test::make_net<N>(from);
  auto ssa = std::make_unique<plait::ssa_form<N>>(plait::get_ssa(n));
  plait::ssa_form<N> const copy = *ssa;
  plait::ssa_form<N> const moved = std::move(*ssa);
  ssa.reset();
  compare(n, copy, oracle::get_ssa(from));
  compare(n, moved, oracle::get_ssa(from));
}

TEST_CASE_TEMPLATE("ssa versioning: the form outlives the initial versions", N, PLAIT_TEXT_NETS) {
  N const n = test::make_net<N>({{{"Relu", {"x"}, {"y"}}}});
  std::string const foreign(60, 'f');
  auto const ssa = plait::get_ssa(n, std::map<std::string, int>{{"x", 3}, {foreign, 7}});
  CHECK(ssa.version(plait::name_key_t<N>("x")) == 3);
  CHECK(ssa.version(plait::name_key_t<N>(foreign)) == 7);
  CHECK(std::string(ssa.name(ssa.find(plait::name_key_t<N>(foreign)))) == foreign);
}

// ---- the rules, one by one ------------------------------------------------------------------------------------------

TEST_CASE_TEMPLATE("ssa versioning: an in-place op reads one version and writes the next", N, PLAIT_ALL_NETS) {
  N const n = test::make_net<N>({{{"Relu", {"x"}, {"x"}}, {"Relu", {"x"}, {"x"}}}, {"x"}, {"x"}});
  auto const ssa = plait::get_ssa(n);
  CHECK(named(n, ssa, ssa.reads(0)) == named_values{{"x", 0}});
  CHECK(named(n, ssa, ssa.writes(0)) == named_values{{"x", 1}});
  CHECK(named(n, ssa, ssa.reads(1)) == named_values{{"x", 1}});
  CHECK(named(n, ssa, ssa.external_inputs()) == named_values{{"x", 0}});
  CHECK(named(n, ssa, ssa.external_outputs()) == named_values{{"x", 2}});
}

TEST_CASE_TEMPLATE("ssa versioning: an op that lists one output twice has the last version in both slots", N,
                   PLAIT_ALL_NETS) {
  N const n = test::make_net<N>({{{"Split", {"x"}, {"y", "y"}}, {"Relu", {"y"}, {"z"}}}});
  auto const ssa = plait::get_ssa(n);
  CHECK(named(n, ssa, ssa.writes(0)) == named_values{{"y", 2}, {"y", 2}});
  CHECK(named(n, ssa, ssa.reads(1)) == named_values{{"y", 2}});
  plait::blob_index const y = ssa.find(test::key_of(n, "y"));
  CHECK_FALSE(ssa.producer({y, 1}).has_value());
  CHECK(ssa.consumers({y, 1}).empty());
  CHECK(ssa.producer({y, 2}) == plait::operand{0, 1});
}

TEST_CASE_TEMPLATE("ssa versioning: an op that reads a value twice consumes it twice", N, PLAIT_ALL_NETS) {
  N const n = test::make_net<N>({{{"Mul", {"x", "x"}, {"y"}}}});
  auto const ssa = plait::get_ssa(n);
  plait::value const x = ssa.reads(0)[0];
  CHECK(std::ranges::equal(ssa.consumers(x), std::vector<plait::operand>{{0, 0}, {0, 1}}));
}

TEST_CASE_TEMPLATE("ssa versioning: undeclared reads are listed, and are blobs like any other", N, PLAIT_ALL_NETS) {
  N const n = test::make_net<N>({{{"Mul", {"x", "w"}, {"y"}}}, {"x", "spare"}, {"y", "ghost"}});
  auto const ssa = plait::get_ssa(n);
  CHECK(texts(n, ssa, ssa.undeclared_inputs()) == names{"w"});
  CHECK(texts(n, ssa, ssa.undefined()) == names{"x", "w"});
  CHECK(texts(n, ssa, ssa.unwritten_outputs()) == names{"ghost"});
  CHECK(ssa.version(test::key_of(n, "w")) == 0);
  CHECK(ssa.contains(test::key_of(n, "spare")));
  CHECK(ssa.contains(test::key_of(n, "ghost")));
}

TEST_CASE_TEMPLATE("ssa versioning: a net that declares nothing has no undeclared reads", N, PLAIT_ALL_NETS) {
  N const n = test::make_net<N>({{{"Mul", {"x", "w"}, {"y"}}}});
  auto const ssa = plait::get_ssa(n);
  CHECK(ssa.undeclared_inputs().empty());
  CHECK(texts(n, ssa, ssa.undefined()) == names{"x", "w"});
}

TEST_CASE_TEMPLATE("ssa versioning: the empty net has no values", N, PLAIT_ALL_NETS) {
  N const n = test::make_net<N>({});
  auto const ssa = plait::get_ssa(n);
  CHECK(ssa.op_count() == 0);
  CHECK(ssa.value_count() == 0);
  CHECK(std::ranges::distance(ssa.blobs()) == 0);
}

// ---- errors
// -----------------------------------------------------------------------------------------------------------

TEST_CASE_TEMPLATE("ssa versioning: a missing blob is an error that names it", N, PLAIT_TEXT_NETS) {
  N const n = test::make_net<N>({{{"Relu", {"x"}, {"y"}}}});
  auto const ssa = plait::get_ssa(n);
  CHECK_FALSE(ssa.contains(plait::name_key_t<N>("q")));
  CHECK(ssa.find(plait::name_key_t<N>("q")) == plait::npos);
  try {
    (void)ssa.version(plait::name_key_t<N>("q"));
    FAIL("no error");
  } catch (plait::net_error const& problem) {
    CHECK(std::string(problem.what()) == "plait: the net has no blob 'q'");
    CHECK(problem.blob == "q");
    CHECK_FALSE(problem.op.has_value());
  }
}

TEST_CASE_TEMPLATE("ssa versioning: initial versions out of range are an error", N, PLAIT_TEXT_NETS) {
  N const n = test::make_net<N>({{{"Relu", {"x"}, {"y"}}}});
  auto const with = [&](std::int64_t version) {
    return plait::get_ssa(n, std::map<std::string, std::int64_t>{{"x", version}});
  };
  CHECK(with((std::int64_t{1} << 31) - 1).version(plait::name_key_t<N>("x")) == 0x7fffffffu);
  for (std::int64_t const version : {std::int64_t{1} << 31, std::int64_t{1} << 40, std::int64_t{-1}}) {
    try {
      (void)with(version);
      FAIL("no error");
    } catch (plait::net_error const& problem) {
      CHECK(problem.blob == "x");
    }
  }
}

TEST_CASE("ssa versioning: queries about missing values violate a precondition") {
  auto const n = test::make_net<test::struct_net>({{{"Relu", {"x"}, {"y"}}}});
  auto const ssa = plait::get_ssa(n);
  CHECK_THROWS_AS((void)ssa.index({0, 1}), plait::precondition_error);
  CHECK_THROWS_AS((void)ssa.producer({99, 0}), plait::precondition_error);
  CHECK_THROWS_AS((void)ssa.reads(1), plait::precondition_error);
}

// ---- control inputs and nested nets
// -----------------------------------------------------------------------------------

TEST_CASE("ssa versioning: control inputs are reads on request, after the inputs") {
  plait::netdef n;
  n.add_op("Fill", {}, {"c"});
  plait::op_def& op = n.add_op("Relu", {"x"}, {"y"});
  op.edit_extras().control_input = {n.intern("c")};
  CHECK(plait::get_ssa(n).reads(1).size() == 1);
  auto const ssa = plait::get_ssa(n, {.control_inputs = true});
  CHECK(named(n, ssa, ssa.reads(1)) == named_values{{"x", 0}, {"c", 1}});
  CHECK(ssa.options().control_inputs);
  check_laws(ssa);
}

namespace {

plait::arg_def net_argument(plait::netdef& outer, char const* name, plait::netdef inner) {
  plait::arg_def made;
  made.name = outer.intern(name);
  made.n = std::move(inner);
  return made;
}

plait::netdef net_of(std::vector<plait::op_spec> ops) { return test::make_net<plait::netdef>({std::move(ops)}); }

}  // namespace

TEST_CASE("ssa versioning: an If reads and writes what its branches do, and reads the old versions of their writes") {
  plait::netdef n = net_of({{"Fill", {}, {"y"}}});
  plait::op_def& op = n.add_op("If", {"condition"}, {});
  op.arg.push_back(net_argument(n, "then_net", net_of({{"Mul", {"x", "w"}, {"t"}}, {"Relu", {"t"}, {"y"}}})));
  op.arg.push_back(net_argument(n, "else_net", net_of({{"Copy", {"x"}, {"y"}}})));
  n.add_op("Relu", {"y"}, {"z"});

  auto const plain = plait::get_ssa(n);
  CHECK(plain.version("y") == 1);
  CHECK_FALSE(plain.contains("w"));

  auto const ssa = plait::get_ssa(n, {.subnets = true});
  CHECK(named(n, ssa, ssa.reads(1)) == named_values{{"condition", 0}, {"x", 0}, {"w", 0}, {"y", 1}});
  CHECK(named(n, ssa, ssa.writes(1)) == named_values{{"t", 1}, {"y", 2}});
  CHECK(named(n, ssa, ssa.reads(2)) == named_values{{"y", 2}});
  check_laws(ssa);
}

TEST_CASE("ssa versioning: a While reads and writes what its body and condition do") {
  plait::netdef n = net_of({});
  plait::op_def& op = n.add_op("While", {"go"}, {"i"});
  op.arg.push_back(net_argument(n, "loop_net", net_of({{"Add", {"i", "one"}, {"i"}}})));
  op.arg.push_back(net_argument(n, "cond_net", net_of({{"LT", {"i", "limit"}, {"go"}}})));
  auto const ssa = plait::get_ssa(n, {.subnets = true});
  CHECK(named(n, ssa, ssa.reads(0)) == named_values{{"go", 0}, {"i", 0}, {"one", 0}, {"limit", 0}});
  CHECK(named(n, ssa, ssa.writes(0)) == named_values{{"i", 1}, {"go", 1}});
}

TEST_CASE("ssa versioning: a Do has only its explicit operands") {
  plait::netdef n = net_of({});
  plait::op_def& op = n.add_op("Do", {"x"}, {"y"});
  op.arg.push_back(net_argument(n, "net", net_of({{"Mul", {"inner_x", "hidden"}, {"inner_y"}}})));
  auto const ssa = plait::get_ssa(n, {.subnets = true});
  CHECK(named(n, ssa, ssa.reads(0)) == named_values{{"x", 0}});
  CHECK_FALSE(ssa.contains("hidden"));
}

TEST_CASE("ssa versioning: a RecurrentNetwork reads what its step net does, except links and timestep") {
  plait::netdef n = net_of({});
  plait::op_def& op = n.add_op("RecurrentNetwork", {"seq", "h0"}, {"h_all"});
  op.arg.push_back(net_argument(
      n, "step_net", net_of({{"FC", {"h_t_prev", "w"}, {"g"}}, {"Sum", {"g", "x_t", "timestep"}, {"h_t"}}})));
  plait::arg_def links;
  links.name = n.intern("link_internal");
  links.strings = {"x_t", "h_t_prev", "h_t"};
  op.arg.push_back(links);
  auto const ssa = plait::get_ssa(n, {.subnets = true});
  CHECK(named(n, ssa, ssa.reads(0)) == named_values{{"seq", 0}, {"h0", 0}, {"w", 0}});
  CHECK(named(n, ssa, ssa.writes(0)) == named_values{{"h_all", 1}});
}

TEST_CASE("ssa versioning: keys of nested nets in a user-defined IR stay valid") {
  std::string const long_name(50, 'n');
  test::nested_net n;
  n.ops.push_back({{}, {"y"}});
  for (int i = 0; i != 50; ++i) {
    auto inner = std::make_shared<test::nested_net>();
    inner->ops.push_back({{long_name + std::to_string(i)}, {"y"}});
    n.ops.push_back({{}, {}, {{inner}}});
  }
  auto const ssa = plait::get_ssa(n, {.subnets = true});
  CHECK(ssa.version("y") == 51);
  for (plait::op_index i = 0; i != 50; ++i)
    REQUIRE(std::string(ssa.name(ssa.reads(i + 1)[0])) == long_name + std::to_string(i));
  check_laws(ssa);
}

// ---- at compile time ----------------------------------------------------------------------------------------------

namespace {

constexpr plait::static_net chain{plait::externals({"x", "w", "b"}, {"y"}), plait::op("Mul", {"x", "w"}, {"y"}),
                                  plait::op("Add", {"y", "b"}, {"y"})};
static_assert(plait::get_ssa(chain).version("y") == 2);
static_assert(plait::get_ssa(chain).reads(1)[0].version == 1);
static_assert(plait::get_ssa(chain).producer(plait::get_ssa(chain).writes(1)[0])->op == 1);
static_assert(plait::get_ssa(chain).consumers(plait::get_ssa(chain).writes(0)[0])[0] == plait::operand{1, 0});
static_assert(plait::get_ssa(chain).undefined().size() == 3 && plait::get_ssa(chain).undeclared_inputs().empty());
static_assert(plait::get_ssa(chain, plait::get_ssa(chain)).version("y") == 4);
static_assert(!plait::get_ssa(chain).contains("q"));

constexpr plait::static_net numbered{plait::op("Mul", {1, 2}, {3}), plait::op("Add", {3, 1}, {3})};
static_assert(plait::get_ssa(numbered).version(3) == 2 && plait::get_ssa(numbered).contains(1));

// Names of the type of blob numbers: version takes blob numbers, find takes names.
constexpr plait::static_net unsigned_names{plait::op("Mul", {7u, 8u}, {9u})};
static_assert(plait::get_ssa(unsigned_names).version(plait::get_ssa(unsigned_names).find(9u)) == 1);

}  // namespace

TEST_CASE("ssa versioning: a constant net has the same form at run time and compile time") {
  auto const ssa = plait::get_ssa(chain);
  test::struct_net const same = test::describe(chain);
  compare(chain, ssa, oracle::get_ssa(same));
  check_laws(ssa);
}

TEST_CASE("ssa versioning: handles a million ops on one blob") {
  test::struct_net n;
  n.ops.assign(1'000'000, plait::op_spec{"Relu", {"x"}, {"x"}});
  auto const ssa = plait::get_ssa(n);
  CHECK(ssa.version("x") == 1'000'000);
  CHECK(ssa.value_count() == 1'000'001);
  CHECK(ssa.producer({0, 500'000})->op == 499'999);
}
