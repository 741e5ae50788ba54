#include <doctest/doctest.h>

#include <list>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <plait/net/net_traits.hpp>

#include <adaptation/own_net.hpp>
#include <net/random_nets.hpp>
#include <net/test_nets.hpp>

TEST_CASE_TEMPLATE("net_traits: every net of the list describes the net it was built from", N, PLAIT_ALL_NETS) {
  static_assert(plait::check_net<N>());
  std::mt19937 random(4);
  for (int round = 0; round != 100; ++round) {
    test::struct_net from = test::random_small_net(random);
    N const n = test::make_net<N>(from);
    if constexpr (!plait::typed_net<N>)
      for (plait::op_spec& op : from.ops) op.type.clear();
    REQUIRE(test::describe(n) == from);
    REQUIRE(test::describe(n) == from);  // multi-pass
  }
}

TEST_CASE_TEMPLATE("net_traits: key and text of a name map to each other", N, PLAIT_ALL_NETS) {
  N const n = test::make_net<N>({{{"Mul", {"x", "w"}, {"y"}}}, {"x"}, {"y"}});
  for (std::string const text : {"x", "w", "y"}) CHECK(test::text_of(n, test::key_of(n, text)) == text);
  CHECK(test::key_of(n, "x") != test::key_of(n, "y"));
}

TEST_CASE_TEMPLATE("net_traits: op types and texts of nets that have them", N, PLAIT_TEXT_NETS) {
  static_assert(plait::typed_net<N> && plait::has_text<N>);
  N const n = test::make_net<N>({{{"Mul", {"x"}, {"y"}}}, {}, {}});
  for (auto&& op : plait::ops(n)) {
    CHECK(plait::op_type(n, op) == "Mul");
    for (auto&& name : plait::inputs(n, op)) CHECK(plait::name_text(n, name) == "x");
  }
}

// ---- types of keys --------------------------------------------------------------------------------------------

namespace {

template <class N, class Key>
constexpr bool keyed_by = std::is_same_v<plait::name_key_t<N>, Key>;

// A view into the net unless an operand or op is a temporary.
static_assert(keyed_by<test::struct_net, std::string_view>);
static_assert(keyed_by<own::net, std::string_view>);
static_assert(keyed_by<plait::netdef, std::string_view>);
static_assert(keyed_by<test::dense_net, std::string_view>);
static_assert(keyed_by<ir::Editable, std::string_view>);
static_assert(keyed_by<test::temporary_net, std::string>);
static_assert(keyed_by<ir::Function, ir::Value*>);
static_assert(keyed_by<test::archetype_net, test::archetype_name>);

struct op {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct temporary_externals {
  std::vector<op> ops;
  std::vector<std::string> external_inputs() const { return {"x"}; }
};
static_assert(keyed_by<temporary_externals, std::string>);
struct view_operands {  // temporaries of views: the text outlives them
  struct op {
    std::vector<std::string_view> inputs;
    std::vector<std::string_view> outputs;
  };
  std::vector<op> ops;
};
static_assert(keyed_by<view_operands, std::string_view>);

// ---- types that the concepts accept and refuse
// --------------------------------------------------------------------------

static_assert(plait::net<own::net> && plait::net<own::net&> && plait::net<own::net const&> && plait::net<own::net&&>);
static_assert(plait::typed_net<own::net const&> && plait::has_text<own::net&>);
static_assert(plait::has_external_inputs<own::net> && !plait::has_external_outputs<own::net>);
static_assert(!plait::has_control_inputs<own::net> && !plait::has_dense_names<own::net>);
static_assert(plait::has_dense_names<test::dense_net> && plait::has_dense_names<plait::netdef&>);
static_assert(plait::has_control_inputs<plait::netdef const&>);
static_assert(plait::net<test::archetype_net> && !plait::typed_net<test::archetype_net>);
static_assert(!plait::has_text<test::archetype_net> && !plait::has_text<ir::Function>);

static_assert(!plait::net<int> && !plait::net<int&> && !plait::net<void> && !plait::net<void()>);
static_assert(!plait::net<std::string> && !plait::net<std::vector<int>> && !plait::net<own::net*>);
static_assert(!plait::typed_net<int> && !plait::has_text<int> && !plait::has_external_inputs<int>);
static_assert(!plait::has_dense_names<int> && !plait::has_control_inputs<void> && !plait::has_inputs<int>);

template <class Op>
struct net_of {
  std::vector<Op> ops;
};
static_assert(plait::net<net_of<op>> && plait::net<net_of<op const*>> && plait::net<net_of<std::shared_ptr<op>>>);
static_assert(!plait::net<net_of<int>> && plait::has_ops<net_of<int>> && !plait::has_inputs<net_of<int>>);

struct ops_is_void {
  void ops() const {}
};
struct ops_is_one {
  op ops;
};
struct ops_is_mutable {
  std::vector<op>& ops() { return held; }
  std::vector<op> held;
};
static_assert(!plait::has_ops<ops_is_void> && !plait::has_ops<ops_is_one> && !plait::has_ops<ops_is_mutable>);

struct void_inputs {
  void inputs() const {}
  std::vector<int> outputs;
};
struct lone_output {
  std::vector<int> inputs;
  int outputs;
};
struct two_kinds {
  std::vector<int> inputs;
  std::vector<std::string> outputs;
};
struct no_hash {
  bool operator==(no_hash const&) const = default;
};
struct names_without_hash {
  std::vector<no_hash> inputs;
  std::vector<no_hash> outputs;
};
struct names_without_copy {
  std::vector<std::unique_ptr<int>> inputs;
  std::vector<std::unique_ptr<int>> outputs;
};
static_assert(!plait::has_inputs<net_of<void_inputs>> && plait::has_outputs<net_of<void_inputs>>);
static_assert(!plait::has_outputs<net_of<lone_output>>);
static_assert(!plait::has_names<net_of<two_kinds>> && !plait::has_names<net_of<names_without_hash>>);
static_assert(!plait::has_names<net_of<names_without_copy>> && !plait::net<net_of<names_without_copy>>);

// Types of inputs and outputs may differ if they have a common type.
struct mixed_widths {
  std::vector<int> inputs;
  std::vector<long> outputs;
};
static_assert(plait::net<net_of<mixed_widths>> && std::is_same_v<plait::name_t<net_of<mixed_widths>>, long>);

// Dangling text does not count as text.
struct text_by_value {
  struct op {
    std::vector<int> inputs;
    std::vector<int> outputs;
    std::string type() const { return "T"; }
  };
  std::vector<op> ops;
  std::string text(int) const { return {}; }
};
static_assert(plait::net<text_by_value> && !plait::has_text<text_by_value> && !plait::typed_net<text_by_value>);

}  // namespace

// ---- how the primary template finds its members ---------------------------------------------------------------------

namespace {

// Each op function in the net, although the ops have members of these names, too.
struct net_outranks_op {
  std::vector<plait::op_spec> ops;
  std::vector<std::string> inputs(plait::op_spec const& o) const { return {o.inputs.back()}; }
  std::vector<std::string> outputs(plait::op_spec const&) const { return {"out"}; }
  std::string_view type(plait::op_spec const&) const { return "of the net"; }
};

class function_ops {
 public:
  class op {
   public:
    explicit op(int in) : in_{in} {}
    std::list<int> inputs() const { return {in_}; }
    std::list<int> outputs() const { return {in_ + 1}; }
    std::string_view type() const { return "Next"; }

   private:
    int in_;
  };
  std::list<std::unique_ptr<op>> const& ops() const { return ops_; }
  void add(int in) { ops_.push_back(std::make_unique<op>(in)); }
  std::string_view text(int name) const { return name == 1 ? "one" : "other"; }
  std::list<int> control_inputs(std::unique_ptr<op> const&) const { return {7}; }

 private:
  std::list<std::unique_ptr<op>> ops_;
};

}  // namespace

TEST_CASE("net_traits: members of the net take precedence over members of the op") {
  net_outranks_op const n{{{"T", {"a", "b"}, {"c"}}}};
  CHECK(plait::inputs(n, n.ops[0]) == std::vector<std::string>{"b"});
  CHECK(plait::outputs(n, n.ops[0]) == std::vector<std::string>{"out"});
  CHECK(plait::op_type(n, n.ops[0]) == "of the net");
}

TEST_CASE("net_traits: ops behind smart pointers, members that are functions") {
  static_assert(plait::typed_net<function_ops> && plait::has_text<function_ops>);
  static_assert(plait::has_control_inputs<function_ops>);
  function_ops n;
  n.add(1);
  auto const& op = plait::ops(n).front();
  CHECK(plait::inputs(n, op) == std::list<int>{1});
  CHECK(plait::outputs(n, op) == std::list<int>{2});
  CHECK(plait::op_type(n, op) == "Next");
  CHECK(plait::name_text(n, 1) == "one");
  CHECK(plait::name_key(n, 1) == "one");
  CHECK(plait::control_inputs(n, op) == std::list<int>{7});
}

TEST_CASE("net_traits: data members are returned by reference, not copied") {
  own::net const n{{{"Relu", {"x"}, {"y"}}}, {"x"}};
  CHECK(&plait::ops(n) == &n.ops);
  CHECK(&plait::inputs(n, n.ops[0]) == &n.ops[0].inputs);
  CHECK(&plait::outputs(n, n.ops[0]) == &n.ops[0].outputs);
  CHECK(&plait::external_inputs(n) == &n.external_inputs);
  CHECK(plait::op_type(n, n.ops[0]).data() == n.ops[0].type.data());
  CHECK(plait::name_key(n, n.ops[0].inputs[0]).data() == n.ops[0].inputs[0].data());
}

TEST_CASE("net_traits: optional members that a net lacks are empty") {
  net_of<op> const n{{{{"x"}, {"y"}}}};
  CHECK(plait::external_inputs(n).empty());
  CHECK(plait::external_outputs(n).empty());
  CHECK(plait::control_inputs(n, n.ops[0]).empty());
}
