#include <plait/dataflow/detail/program_expressions.hpp>

#include <array>
#include <cstdint>
#include <string_view>

#include <doctest/doctest.h>

#include <plait/core/detail/npos.hpp>
#include <plait/graph/static_graph.hpp>
#include <plait/net/static_net.hpp>
#include <plait/ssa/program_traits.hpp>

namespace {

constexpr auto pure = [](auto const& net, auto const& op) { return plait::op_type(net, op) != "Input"; };
constexpr plait::static_graph line({{0, 1}});
using net = plait::static_net<std::string_view, 2, 4, 2>;
constexpr std::array nets = {net{plait::op("Input", {"x", "x"}, {"a"}), plait::op("Mul", {"a", "a"}, {"b"})},
                             net{plait::op("Mul", {"a", "a"}, {"c"}), plait::op("Add", {"a", "a"}, {"d"})}};
constexpr plait::blocks_of program(line, nets);

constexpr bool check() {
  plait::program_expressions all(program, pure);
  for (int again = 0; again != 2; ++again) all.compute(program, pure);
  auto const expression = [&](std::uint32_t block, std::size_t place) {
    return all.expressions().of(all.op(block, place));
  };
  return all.expressions().size() == 2 && expression(0, 0) == plait::npos && expression(0, 1) == expression(1, 0) &&
         expression(1, 1) != expression(1, 0) && all.snapshot().code().op_count() == 4;
}
static_assert(check());

TEST_CASE("program expressions: ops of one kind with the same operands are equal across blocks") { CHECK(check()); }

}  // namespace
