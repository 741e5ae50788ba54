#include <plait/gradient/detail/net_cell.hpp>

#include <cstddef>

#include <doctest/doctest.h>

#include <plait/net/static_net.hpp>
#include <plait/ssa/versioning.hpp>

namespace {

// An LSTM cell as a static net has the net and the gradient of the callable.
constexpr plait::static_net lstm_net{plait::externals({"i", "f", "o", "g", "c"}, {"h", "next"}),
                                     plait::op("Sigmoid", {"f"}, {"f"}),
                                     plait::op("Mul", {"f", "c"}, {"kept"}),
                                     plait::op("Sigmoid", {"i"}, {"i"}),
                                     plait::op("Tanh", {"g"}, {"g"}),
                                     plait::op("Mul", {"i", "g"}, {"added"}),
                                     plait::op("Add", {"kept", "added"}, {"next"}),
                                     plait::op("Sigmoid", {"o"}, {"o"}),
                                     plait::op("Tanh", {"next"}, {"t"}),
                                     plait::op("Mul", {"o", "t"}, {"h"}),
                                     plait::op("Exp", {"t"}, {"unused"})};
constexpr auto lstm = plait::static_cell([](auto i, auto f, auto o, auto g, auto c) {
  auto kept = sigmoid(f) * c;
  auto next = kept + sigmoid(i) * tanh(g);
  return plait::cell_results{sigmoid(o) * tanh(next), next};
});
constexpr auto const& from_net = plait::cell_of<lstm_net>;
constexpr auto d_from_net = plait::gradient(from_net);
constexpr auto d_lstm = plait::gradient(lstm);

static_assert(plait::get_ssa(from_net.net()).op_count() == 9);
static_assert(decltype(d_from_net)::arrays.ops.size() == decltype(d_lstm)::arrays.ops.size());
static_assert(d_from_net.input_count == 8 && d_from_net.output_count == 5);
static_assert(plait::get_ssa(d_from_net.net()).op_count() == plait::get_ssa(d_lstm.net()).op_count());

// Constraints of cells and nets.
static_assert(plait::differentiable_net<lstm_net>);
static_assert(plait::affine_in<from_net, 1, 4> && !plait::affine_in<from_net, 0, 4> && !plait::linear_in<lstm, 1, 4>);
static_assert(plait::linear_in<d_lstm, 0, 6, 7> && plait::ops_at_most<lstm, 9> && !plait::ops_at_most<lstm, 8>);
constexpr plait::static_net rounds{plait::externals({"x"}, {"y"}), plait::op("Floor", {"x"}, {"y"})};
static_assert(!plait::differentiable_net<rounds> && !plait::differentiable_cell<plait::net_cell<rounds>>);
constexpr plait::static_net unknown{plait::externals({"x"}, {"y"}), plait::op("TopK", {"x"}, {"y"})};
static_assert(!plait::differentiable_net<unknown>);

// Arguments, and defaults of the op types.
constexpr plait::static_net with_arguments{
    plait::externals({"x"}, {"y"}), plait::op("Clip", {"x"}, {"a"}).with("min", -1).with("max", 2),
    plait::op("LeakyRelu", {"a"}, {"b"}), plait::op("Scale", {"b"}, {"y"}).with("scale", 0.5)};
static_assert(plait::cell_of<with_arguments>.net().list()[0].number(1) == 2);
static_assert(plait::cell_of<with_arguments>.net().list()[1].number(0) == double{0.01f});
constexpr plait::static_net without_argument{plait::externals({"x"}, {"y"}), plait::op("Clip", {"x"}, {"y"})};
static_assert(!plait::differentiable_net<without_argument>);

TEST_CASE("net_cell: the gradient of a static net is that of the same callable") {
  std::size_t const ops = plait::get_ssa(d_from_net.net()).op_count();
  CHECK(ops == plait::get_ssa(d_lstm.net()).op_count());
}

}  // namespace
