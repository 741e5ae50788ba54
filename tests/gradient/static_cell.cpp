#include <plait/gradient/static_cell.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <doctest/doctest.h>

#include <plait/ssa/versioning.hpp>

namespace {

constexpr auto lstm = plait::static_cell([](auto i, auto f, auto o, auto g, auto c) {
  auto next = sigmoid(f) * c + sigmoid(i) * tanh(g);
  return plait::cell_results{sigmoid(o) * tanh(next), next};
});
constexpr auto d_lstm = plait::gradient(lstm);
static_assert(plait::get_ssa(d_lstm.net()).op_count() < 30);
static_assert(lstm.is_affine(1, {4}));  // the next cell state, in the cell state

// A cell can be a template argument, and its net models typed_net.
template <auto Cell>
struct holder {};
static_assert(std::is_same_v<holder<lstm>, holder<lstm>>);
static_assert(plait::typed_net<std::remove_cvref_t<decltype(lstm.net())>>);
static_assert(lstm.input_count == 5 && lstm.output_count == 2);
static_assert(plait::get_ssa(lstm.net()).op_count() == 9);
static_assert(plait::op_type(lstm.net(), 0u) == "Sigmoid" && plait::op_type(lstm.net(), 1u) == "Mul");

// The gradient reads the next cell state, and computes the gates' functions once.
static_assert(d_lstm.input_count == 8 && d_lstm.output_count == 5);
static_assert(decltype(d_lstm)::saved() == std::array<std::size_t, 1>{1});
constexpr std::size_t count(plait::traced_net const& net, std::string_view type) {
  std::size_t found = 0;
  for (auto const op : net.ops()) found += net.type(op) == type ? 1 : 0;
  return found;
}
static_assert(count(d_lstm.net(), "Sigmoid") == 3 && count(d_lstm.net(), "Tanh") == 2);

// Equal values are computed once, constants are folded, and x · 1 is x.
constexpr auto wordy = plait::static_cell([](auto x, auto y) {
  auto const unused = exp(x * y);
  static_cast<void>(unused);
  auto const two = x * 0 + 2;
  auto const factor = (plait::cell_value(1) * x) / 1;
  return tanh(factor - 0) + tanh(x) + (two - x * 0);
});
static_assert(count(wordy.net(), "Tanh") == 1 && count(wordy.net(), "Exp") == 0 && count(wordy.net(), "Div") == 0);

// A power costs more to compute again than to keep; so does a mean, of which there is one for each row.
constexpr auto power =
    plait::static_cell([](auto x, plait::scalar s) { return pow(x, 1.3) * s + mean(x * x) * exp(x); });
constexpr auto d_power = plait::gradient(power);
static_assert(decltype(d_power)::saved_count == 2);
static_assert(plait::gradient<plait::cell_saves::outputs>(power).saved_count == 0);

// Linearity is derived: the state of a minimal GRU is affine, that of an LSTM is in the cell state alone.
constexpr auto min_gru = plait::static_cell([](auto z, auto candidate, auto h) {
  auto keep = 1 - sigmoid(z);
  return keep * h + sigmoid(z) * candidate;
});
static_assert(min_gru.is_affine(0, {2}) && min_gru.is_linear(0, {1, 2}) && !min_gru.is_affine(0, {0}));
static_assert(!lstm.is_linear(1, {4}) && !lstm.is_affine(0, {4}));
static_assert(d_lstm.is_linear(0, {6, 7}) && d_lstm.is_linear(4, {6, 7}) && !d_lstm.is_affine(0, {2}));

// Inputs that do not influence the results have the gradient 0, through flags nothing flows.
constexpr auto chosen = plait::static_cell([](auto x, auto y, auto z) { return select(z > 0 && !(x < y), x, y); });
constexpr auto d_chosen = plait::gradient(chosen);
static_assert(d_chosen.output_count == 3 && d_chosen.is_linear(0, {3}));

TEST_CASE("static_cell: the net of a cell and of its gradient are checked by static_assert") {
  CHECK(plait::get_ssa(d_lstm.net()).op_count() == 17);
  CHECK(lstm.net().external_outputs().size() == 2);
}

}  // namespace
