#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/net/static_net.hpp>

#include <net/test_nets.hpp>

namespace {

constexpr bool holds(auto const& range, std::initializer_list<std::string_view> names) {
  return std::ranges::equal(range, names);
}

constexpr plait::static_net chain{plait::op("Mul", {"x", "w"}, {"y"}), plait::op("Add", {"y", "b"}, {"y"})};
static_assert(plait::check_net<decltype(chain)>() && plait::typed_net<decltype(chain)>);
static_assert(plait::has_text<decltype(chain)>);
static_assert(std::is_same_v<plait::name_key_t<decltype(chain)>, std::string_view>);
static_assert(plait::ops(chain).size() == 2);
static_assert(plait::op_type(chain, 0u) == "Mul" && plait::op_type(chain, 1u) == "Add");
static_assert(holds(plait::inputs(chain, 0u), {"x", "w"}) && holds(plait::outputs(chain, 0u), {"y"}));
static_assert(holds(plait::inputs(chain, 1u), {"y", "b"}));
static_assert(plait::external_inputs(chain).empty() && plait::external_outputs(chain).empty());

// Each list may be empty, also all of them.
constexpr plait::static_net odd{plait::externals({"x"}, {}), plait::op("Source", {}, {"y"}),
                                plait::op("Sink", {"y"}, {}), plait::op("Barrier", {}, {})};
static_assert(holds(plait::external_inputs(odd), {"x"}) && plait::external_outputs(odd).empty());
static_assert(plait::inputs(odd, 0u).empty() && holds(plait::outputs(odd, 0u), {"y"}));
static_assert(holds(plait::inputs(odd, 1u), {"y"}) && plait::outputs(odd, 1u).empty());
static_assert(plait::inputs(odd, 2u).empty() && plait::outputs(odd, 2u).empty());
constexpr plait::static_net nothing{};
static_assert(plait::net<decltype(nothing)> && plait::ops(nothing).empty());
constexpr plait::static_net barrier{plait::externals({}, {}), plait::op("Barrier", {}, {})};
static_assert(plait::op_type(barrier, 0u) == "Barrier");
constexpr plait::static_net promise{plait::externals({}, {"y"}), plait::op("Source", {}, {"y"})};
static_assert(holds(plait::external_outputs(promise), {"y"}));

// Names that are integers.
constexpr plait::static_net numbered{plait::externals({1, 2}, {3}), plait::op("Mul", {1, 2}, {3})};
static_assert(std::is_same_v<plait::name_t<decltype(numbered)>, int>);
static_assert(std::is_same_v<plait::name_key_t<decltype(numbered)>, int>);
static_assert(plait::inputs(numbered, 0u)[1] == 2 && plait::external_outputs(numbered)[0] == 3);
static_assert(plait::typed_net<decltype(numbered)> && !plait::has_text<decltype(numbered)>);

// Views as well as literals; no space is wasted.
constexpr std::string_view x = "x";
constexpr plait::static_net viewed{plait::op("Relu", {x}, {x})};
static_assert(holds(plait::inputs(viewed, 0u), {"x"}));
static_assert(sizeof(nothing) < sizeof(viewed) && sizeof(viewed) <= 3 * sizeof(std::string_view) + 32);

}  // namespace

TEST_CASE("static_net: is a net at run time, too") {
  CHECK(test::describe(odd) ==
        test::struct_net{{{"Source", {}, {"y"}}, {"Sink", {"y"}, {}}, {"Barrier", {}, {}}}, {"x"}, {}});
  CHECK_THROWS_AS((void)chain.inputs(2), plait::precondition_error);
  auto const copy = chain;
  CHECK(test::describe(copy) == test::describe(chain));
}
