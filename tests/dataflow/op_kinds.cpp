#include <plait/dataflow/detail/op_kinds.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <plait/net/static_net.hpp>

#include <net/test_nets.hpp>
#include <support/random_program.hpp>

namespace {

using kinds = std::vector<std::uint32_t>;
constexpr std::uint32_t none = plait::npos;

constexpr plait::static_net chain{plait::op("A", {"x"}, {"y"}), plait::op("B", {"y"}, {"z"}),
                                  plait::op("A", {"z"}, {"x"})};
static_assert([] {
  plait::single_block const p(chain);
  plait::program_snapshot const snapshot(p);
  kinds found;
  plait::number_kinds(
      snapshot, p, [](auto const&, auto const&) { return true; }, found);
  return found == kinds{0, 1, 0};
}());

TEST_CASE_TEMPLATE("op kinds: a bool callback selects the ops whose type is their kind", N, PLAIT_TEXT_NETS) {
  auto const net = test::make_net<N>(
      {{{"B", {"x"}, {"y"}}, {"No", {"y"}, {"y"}}, {"A", {"x"}, {"y"}}, {"B", {}, {"z"}}}, {"x"}, {}});
  plait::single_block const p(net);
  plait::program_snapshot const snapshot(p);
  kinds found = {9, 9, 9, 9, 9, 9, 9};
  plait::number_kinds(
      snapshot, p, [](auto const& n, auto const& op) { return plait::op_type(n, op) != "No"; }, found);
  CHECK(found == kinds{0, none, 1, 0});
}

TEST_CASE("op kinds: a user-defined key separates ops with different arguments, across blocks") {
  test::net_program p{{{{{"Scale:1", {"x"}, {"y"}}, {"Scale:2", {"x"}, {"y"}}}}, {{{"Scale:1", {"y"}, {"z"}}}}},
                      {{1}, {}}};
  plait::program_snapshot const snapshot(p);
  kinds found;
  auto const whole = [](auto const&, plait::op_spec const& op) { return std::optional(op.type); };
  plait::number_kinds(snapshot, p, whole, found);
  CHECK(found == kinds{0, 1, 0});
  auto const name = [](auto const&, plait::op_spec const& op) {
    return std::optional(std::string_view(op.type).substr(0, 5));
  };
  plait::number_kinds(snapshot, p, name, found);
  CHECK(found == kinds{0, 0, 0});
}

struct untyped {
  template <class Op>
  bool operator()(test::archetype_net const&, Op const&) const;
};
static_assert(!plait::op_kind_of<untyped, plait::single_block<test::archetype_net>>);  // ops without types
static_assert(!plait::op_kind_of<int, test::net_program>);

}  // namespace
