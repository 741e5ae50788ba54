#include <plait/transform/detail/blob_uses.hpp>

#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>

#include <net/test_nets.hpp>

namespace {

using ops = std::vector<plait::op_index>;

ops used(plait::blob_uses const& uses, plait::blob_index b) { return {uses.ops(b).begin(), uses.ops(b).end()}; }

}  // namespace

TEST_CASE_TEMPLATE("blob_uses: lists the ops of each blob, each once", N, PLAIT_TEXT_NETS) {
  auto const n = test::make_net<N>(
      {{{"Relu", {"x"}, {"a"}}, {"Sum", {"a", "a"}, {"a", "b"}}, {"Relu", {"b"}, {"y"}}}, {"x"}, {"y"}});
  auto const ssa = plait::get_ssa(n, {.subnets = true, .control_inputs = true});
  plait::blob_uses const uses(n, ssa);
  auto const at = [&](char const* name) { return ssa.find(test::key_of(n, name)); };
  CHECK(used(uses, at("x")) == ops{0});
  CHECK(used(uses, at("a")) == ops{0, 1});
  CHECK(used(uses, at("b")) == ops{1, 2});
  CHECK(uses.first(at("b")) == 1);
  CHECK(uses.last(at("b")) == 2);
  CHECK(uses.is_internal(at("a")));
  CHECK(uses.is_internal(at("b")));
  CHECK_FALSE(uses.is_internal(at("x")));
  CHECK_FALSE(uses.is_internal(at("y")));
}

TEST_CASE("blob_uses: a blob read before it is written is not internal, declared or not") {
  auto const n = test::make_net<plait::netdef>({{{"Relu", {"a"}, {"b"}}, {"Relu", {"b"}, {"a"}}}, {}, {}});
  auto const ssa = plait::get_ssa(n, {.subnets = true, .control_inputs = true});
  plait::blob_uses const uses(n, ssa);
  CHECK_FALSE(uses.is_internal(ssa.find("a")));
  CHECK(uses.is_internal(ssa.find("b")));
}

TEST_CASE("blob_uses: nested nets, control inputs and aliases count") {
  auto const n = plait::read_netdef_text(R"(
    op { input: "x" output: "a" type: "Relu" }
    op { input: "x" output: "w" type: "Relu" }
    op { input: "a" output: "v" type: "Alias" }
    op { input: "x" output: "r" type: "If" arg { name: "then_net" n {
      op { input: "w" output: "r" type: "Relu" } external_input: "w" external_output: "r" } } }
    op { input: "v" output: "c" type: "Relu" control_input: "r" }
    op { input: "c" output: "y" type: "Relu" }
    external_input: "x" external_output: "y")");
  auto const ssa = plait::get_ssa(n, {.subnets = true, .control_inputs = true});
  plait::blob_uses const uses(n, ssa);
  CHECK(used(uses, ssa.find("a")) == ops{0, 2});
  CHECK(used(uses, ssa.find("v")) == ops{2, 4});
  CHECK(used(uses, ssa.find("w")) == ops{1, 3});
  CHECK(used(uses, ssa.find("r")) == ops{3, 4});
  CHECK(uses.is_internal(ssa.find("c")));
  for (char const* name : {"a", "v", "w", "r", "x", "y"}) CHECK_FALSE(uses.is_internal(ssa.find(name)));
  CHECK(uses.has_hidden_dependencies());
}

TEST_CASE("blob_uses: aliases that are written again are hidden dependences") {
  auto const may = [](std::vector<plait::op_spec> const& ops) {
    auto const n = test::make_net<plait::netdef>({ops, {"x"}, {"y"}});
    return plait::blob_uses(n, plait::get_ssa(n, {.subnets = true, .control_inputs = true})).has_hidden_dependencies();
  };
  plait::op_spec const relu{"Relu", {"x"}, {"a"}};
  plait::op_spec const alias{"Alias", {"a"}, {"v"}};
  CHECK_FALSE(may({relu, alias, {"Sum", {"a", "v"}, {"y"}}}));
  CHECK_FALSE(may({{"Alias", {"x"}, {"v"}}, {"Relu", {"v"}, {"y"}}}));
  CHECK(may({relu, alias, relu, {"Relu", {"v"}, {"y"}}}));
  CHECK(may({relu, alias, {"Relu", {"v"}, {"v"}}, {"Relu", {"a"}, {"y"}}}));
  CHECK(may({{"Alias", {"x"}, {"v"}}, {"Relu", {"v"}, {"x"}}, {"Relu", {"v"}, {"y"}}}));
}

TEST_CASE("blob_uses: names may be std::string by value") {
  auto const n = test::make_net<test::temporary_net>({{{"Relu", {"x"}, {"a"}}, {"Relu", {"a"}, {"y"}}}, {"x"}, {"y"}});
  auto const ssa = plait::get_ssa(n, {.subnets = true, .control_inputs = true});
  CHECK(ssa.find(std::string_view("a")) != plait::npos);
  CHECK(ssa.contains(std::string_view("y")));
  CHECK_FALSE(ssa.contains(std::string_view("z")));
}
