#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/net/detail/member_hooks.hpp>
#include <plait/net/mutation.hpp>

#include <adaptation/own_net.hpp>
#include <net/test_nets.hpp>

namespace {

// Plain structs: assignable members need no adaptation.
static_assert(plait::renamable_net<own::net> && plait::renamable_externals<own::net> && plait::nameable_net<own::net>);
static_assert(plait::op_erasable_net<own::net> && plait::input_erasable_net<own::net> &&
              plait::retypable_net<own::net>);
static_assert(!plait::external_extensible_net<own::net>);  // it has no external outputs
static_assert(!plait::extensible_net<own::net> && !plait::device_net<own::net> && !plait::attributed_net<own::net>);
static_assert(plait::external_extensible_net<test::struct_net> && plait::output_erasable_net<test::struct_net>);
static_assert(!plait::renamable_net<int> && !plait::op_erasable_net<void> && !plait::extensible_net<std::string>);

// Members that cannot be assigned to are not renamable.
struct fixed {
  std::vector<own::op> const& ops() const { return held; }
  std::vector<own::op> held;
};
static_assert(plait::net<fixed> && !plait::renamable_net<fixed> && !plait::op_erasable_net<fixed>);
// A net with its own inputs(op) would not see a change of the ops' members.
struct answers_itself {
  std::vector<own::op> ops;
  std::vector<std::string> inputs(own::op const&) const { return {}; }
};
static_assert(plait::net<answers_itself> && !plait::renamable_net<answers_itself>);

// Every hook as a member function, in a net with private data.
class closed_net {
 public:
  using names = std::vector<std::string>;
  std::vector<plait::op_spec> const& ops() const { return held_.ops; }
  names const& external_inputs() const { return held_.external_inputs; }
  names const& external_outputs() const { return held_.external_outputs; }
  names control_inputs(plait::op_spec const&) const { return {}; }

  void set_input(plait::op_spec const& op, std::size_t slot, std::string const& name) { at(op).inputs[slot] = name; }
  void set_output(plait::op_spec const& op, std::size_t slot, std::string const& name) { at(op).outputs[slot] = name; }
  void set_control_input(plait::op_spec const&, std::size_t, std::string const&) {}
  void set_type(plait::op_spec const& op, std::string_view type) { at(op).type = type; }
  std::string make_name(std::string_view text) { return "made/" + std::string(text); }
  std::string new_name(std::string_view from) { return "new/" + std::string(from); }
  void set_external_input(std::size_t slot, std::string const& name) { held_.external_inputs[slot] = name; }
  void set_external_output(std::size_t slot, std::string const& name) { held_.external_outputs[slot] = name; }
  void add_external_input(std::string const& name) { held_.external_inputs.push_back(name); }
  void add_external_output(std::string const& name) { held_.external_outputs.push_back(name); }
  void erase_external_inputs(std::span<std::uint32_t const> at) {
    test::argument_hooks::erase_at(held_.external_inputs, at);
  }
  void erase_external_outputs(std::span<std::uint32_t const> at) {
    test::argument_hooks::erase_at(held_.external_outputs, at);
  }
  void erase_ops(std::span<std::uint32_t const> at) { test::argument_hooks::erase_at(held_.ops, at); }
  void append_op(plait::op_spec const& op) { held_.ops.push_back(op); }
  void insert_op(std::size_t position, plait::op_spec const& op) {
    held_.ops.insert(held_.ops.begin() + static_cast<std::ptrdiff_t>(position), op);
  }
  void adopt_op(closed_net const&, plait::op_spec const& op) { held_.ops.push_back(op); }
  std::optional<std::int64_t> int_argument(plait::op_spec const& op, std::string_view key) const {
    return test::argument_hooks::integer(op.arguments, key);
  }
  std::optional<std::string_view> string_argument(plait::op_spec const& op, std::string_view key) const {
    return test::argument_hooks::string(op.arguments, key);
  }
  bool has_argument(plait::op_spec const& op, std::string_view key) const {
    return test::argument_hooks::find(op.arguments, key) != nullptr;
  }
  std::optional<plait::argument_value> argument(plait::op_spec const& op, std::string_view key) const {
    return test::argument_hooks::value(op.arguments, key);
  }
  void set_argument(plait::op_spec const& op, plait::argument_spec const& a) {
    test::argument_hooks::set(at(op).arguments, a);
  }
  void erase_argument(plait::op_spec const& op, std::string_view key) {
    test::argument_hooks::erase(at(op).arguments, key);
  }
  std::optional<plait::device_spec> device(plait::op_spec const& op) const { return op.device; }
  void set_device(plait::op_spec const& op, std::optional<plait::device_spec> device) { at(op).device = device; }
  std::string const& net_name() const { return name_; }
  void set_net_name(std::string_view text) { name_ = text; }

 private:
  plait::op_spec& at(plait::op_spec const& op) { return held_.ops[static_cast<std::size_t>(&op - held_.ops.data())]; }
  test::struct_net held_;
  std::string name_;
};

static_assert(plait::renamable_net<closed_net> && plait::renamable_externals<closed_net>);
static_assert(plait::renamable_controls<closed_net> && plait::nameable_net<closed_net>);
static_assert(plait::op_erasable_net<closed_net> && plait::input_erasable_net<closed_net>);
static_assert(plait::output_erasable_net<closed_net> && plait::external_extensible_net<closed_net>);
static_assert(plait::extensible_net<closed_net> && plait::adopting_net<closed_net>);
static_assert(plait::attributed_net<closed_net> && plait::argument_mutable_net<closed_net>);
static_assert(plait::retypable_net<closed_net> && plait::device_net<closed_net>);
static_assert(plait::device_mutable_net<closed_net> && plait::named_net<closed_net>);

}  // namespace

TEST_CASE("member_hooks: plain structs are edited by their data members") {
  using traits = plait::net_traits<own::net>;
  own::net n{{{"Mul", {"x", "w"}, {"y"}}, {"Add", {"y", "b"}, {"z"}}, {"Relu", {"z"}, {"z"}}}, {"x", "w", "b"}};
  traits::set_input(n, n.ops[0], 1, std::string("v"));
  traits::set_output(n, n.ops[1], 0, std::string("q"));
  traits::set_type(n, n.ops[2], "Sigmoid");
  traits::set_external_input(n, 1, std::string("v"));
  CHECK(n.ops[0].inputs == std::vector<std::string>{"x", "v"});
  CHECK(n.ops[1].outputs == std::vector<std::string>{"q"});
  CHECK(n.ops[2].type == "Sigmoid");
  CHECK(n.external_inputs == std::vector<std::string>{"x", "v", "b"});
  traits::erase_ops(n, std::vector<std::uint32_t>{0, 2});
  CHECK(n.ops.size() == 1);
  CHECK(n.ops[0].type == "Add");
  traits::erase_external_inputs(n, std::vector<std::uint32_t>{0, 1});
  CHECK(n.external_inputs == std::vector<std::string>{"b"});
  CHECK(plait::make_name(n, "fresh") == "fresh");
}

TEST_CASE("member_hooks: erasing by position keeps the rest in order") {
  std::mt19937 random(7);
  for (int round = 0; round != 500; ++round) {
    std::deque<std::unique_ptr<int>> items;
    std::vector<std::uint32_t> gone;
    std::vector<int> kept;
    for (std::uint32_t i = 0, n = static_cast<std::uint32_t>(random() % 12); i != n; ++i) {
      items.push_back(std::make_unique<int>(static_cast<int>(i)));
      if (random() % 2 == 0)
        gone.push_back(i);
      else
        kept.push_back(static_cast<int>(i));
    }
    plait::detail::erase_at(items, gone);
    REQUIRE(items.size() == kept.size());
    for (std::size_t i = 0; i != kept.size(); ++i) REQUIRE(*items[i] == kept[i]);
  }
}

TEST_CASE("member_hooks: member functions of the net take precedence") {
  using traits = plait::net_traits<closed_net>;
  closed_net n;
  traits::append_op(n, plait::op_spec{"Relu", {"x"}, {"y"}});
  traits::insert_op(n, 0, plait::op_spec{"Copy", {"w"}, {"x"}});
  traits::set_input(n, n.ops()[0], 0, std::string("v"));
  traits::set_output(n, n.ops()[1], 0, std::string("z"));
  traits::set_type(n, n.ops()[1], "Tanh");
  traits::set_argument(n, n.ops()[0], plait::argument_spec{"axis", std::int64_t{1}});
  traits::set_device(n, n.ops()[0], plait::device_spec{plait::device_kind::cuda, 1});
  traits::set_net_name(n, "net");
  traits::add_external_input(n, std::string("v"));
  traits::add_external_output(n, std::string("z"));
  CHECK(n.ops()[0] ==
        plait::op_spec{
            "Copy", {"v"}, {"x"}, {{"axis", std::int64_t{1}}}, plait::device_spec{plait::device_kind::cuda, 1}});
  CHECK(n.ops()[1] == plait::op_spec{"Tanh", {"x"}, {"z"}});
  CHECK(traits::int_argument(n, n.ops()[0], "axis") == 1);
  CHECK_FALSE(traits::string_argument(n, n.ops()[0], "axis").has_value());
  CHECK(traits::has_argument(n, n.ops()[0], "axis"));
  CHECK(traits::argument(n, n.ops()[0], "axis") == plait::argument_value(std::int64_t{1}));
  traits::erase_argument(n, n.ops()[0], "axis");
  CHECK_FALSE(traits::has_argument(n, n.ops()[0], "axis"));
  CHECK(traits::net_name(n) == "net");
  CHECK(plait::make_name(n, "x") == "made/x");
  CHECK(traits::new_name(n, std::string("x")) == "new/x");
  traits::adopt_op(n, n, plait::op_spec(n.ops()[0]));
  traits::erase_ops(n, std::vector<std::uint32_t>{1});
  CHECK(n.ops().size() == 2);
  CHECK(n.ops()[1].type == "Copy");
  CHECK(n.external_inputs() == std::vector<std::string>{"v"});
  traits::erase_external_outputs(n, std::vector<std::uint32_t>{0});
  CHECK(n.external_outputs().empty());
}
