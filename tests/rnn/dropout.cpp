// Dropout in training against explicit multiplication by the same masks.
#include <plait/rnn/detail/cells/dropout.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/rnn/detail/cells/gru.hpp>
#include <plait/rnn/detail/cells/lstm.hpp>
#include <plait/rnn/detail/cells/multi.hpp>
#include <support/built_layer.hpp>

namespace {

using test::apart;
using test::layer_of;
using test::layer_results;
using test::numbers;
using test::run_layer;
using test::layer_size::batch, test::layer_size::inputs, test::layer_size::steps;

constexpr std::int64_t hidden = 8;
plait::lstm_cell const lower{inputs, hidden, 0.7f};
plait::gru_cell const upper{hidden, hidden};

// GRU that exposes its input as a state, and also reads the previous one.
struct showing_cell {
  static constexpr bool masks = true;

  std::vector<plait::cell_state> states() const { return {{"hidden_t", hidden}, {"seen", hidden}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const {
    auto const seen = s.input;
    plait::cell_step inside = s.within("", seen, {s.states[0]});
    inside.input = upper.prepare(inside, s.net.sum({seen, s.states[1]}));
    return {upper.step(inside)[0], s.masked(seen, s.states[1])};
  }
};

// showing_cell over an LSTM whose hidden state is multiplied by masks that are appended to the input.
struct by_hand_cell {
  static constexpr bool masks = true;

  std::vector<plait::cell_state> states() const {
    return {{"layer_0/hidden_t", hidden},
            {"layer_0/cell_t", hidden},
            {"layer_1/hidden_t", hidden},
            {"layer_1/seen", hidden}};
  }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const {
    auto const part = [&](std::int64_t from, std::int64_t to) {
      return s.net.op(
          "Slice", s.input, {},
          {{"starts", {std::int64_t{0}, std::int64_t{0}, from}}, {"ends", {std::int64_t{-1}, std::int64_t{-1}, to}}});
    };
    auto const x = part(0, inputs), mask = part(inputs, -1);
    std::vector<plait::blob_handle> made;
    {
      plait::cell_step below = s.within("layer_0", x, {s.states[0], s.states[1]});
      below.input = lower.prepare(below, x);
      made = lower.step(below);
    }
    auto const seen = s.net.mul(made[0], mask);
    plait::cell_step above = s.within("layer_1", seen, {s.states[2], s.states[3]});
    auto const after = showing_cell().step(above);
    made.insert(made.end(), after.begin(), after.end());
    return made;
  }
  std::vector<std::size_t> output_states() const { return {2}; }
};

// Returns x with the masks of each step and row appended.
numbers side_by_side(numbers const& x, numbers const& more) {
  numbers made;
  for (std::size_t at = 0; at != steps * batch; ++at) {
    numbers const a = test::row(x, at, inputs), b = test::row(more, at, hidden);
    made.insert(made.end(), a.begin(), a.end());
    made.insert(made.end(), b.begin(), b.end());
  }
  return made;
}

}  // namespace

TEST_CASE("dropout_cell: equals a product with masks that differ by step, forward and backward") {
  plait::multi_cell const stack{{plait::dropout_cell{lower, 0.25f, false}, showing_cell()}};
  for (bool const unrolled : {false, true})
    for (std::optional<test::lengths_list> const& ends : {std::optional<test::lengths_list>(), {{steps, 0, 3}}}) {
      CAPTURE(unrolled);
      test::layer_variant how{.lengths = ends, .unrolled = unrolled, .given = true};
      layer_results const got = run_layer(layer_of(stack), how);
      numbers const &whole = got.all[0], &seen = got.all[3];
      numbers masks;
      for (std::size_t i = 0; i != seen.size(); ++i) masks.push_back(seen[i] == 0 ? 0 : 1 / 0.75);
      auto const zeros = std::ranges::count(masks, 0.0);
      CHECK(zeros != 0);
      CHECK(zeros < static_cast<std::ptrdiff_t>(masks.size()) / 2);
      for (std::size_t t = 1; t != static_cast<std::size_t>(ends ? 3 : steps); ++t)
        CHECK(test::row(masks, t, batch * hidden) != test::row(masks, t - 1, batch * hidden));

      how.x = side_by_side(how.x, masks);
      layer_results expected = run_layer(layer_of(by_hand_cell()), how);
      if (!ends) {  // after the end of a sequence its hidden state is masked, its seen input is kept
        for (std::size_t i = 0; i != seen.size(); ++i) CHECK(std::abs(seen[i] - whole[i] * masks[i]) < 1e-13);
      }
      numbers& dx = expected.gradients.at("x");
      numbers own;
      for (std::size_t at = 0; at != steps * batch; ++at) {
        numbers const one = test::row(dx, at, inputs + hidden);
        own.insert(own.end(), one.begin(), one.begin() + inputs);
      }
      dx = own;
      check_same(got, expected);
    }
}

TEST_CASE("dropout_cell: drops elements of the output in training only, and none of the state") {
  layer_results const whole = run_layer(layer_of(lower), {});
  layer_results const dropped = run_layer(layer_of(plait::dropout_cell{lower, 0.5f, false}), {});
  CHECK(apart(dropped.all, whole.all) == 0);
  std::size_t zeros = 0;
  for (std::size_t i = 0; i != whole.output.size(); ++i) {
    zeros += dropped.output[i] == 0;
    CHECK((dropped.output[i] == 0 || std::abs(dropped.output[i] - 2 * whole.output[i]) < 1e-13));
  }
  CHECK(zeros != 0);
  CHECK(zeros != whole.output.size());
  CHECK(run_layer(layer_of(plait::dropout_cell{lower, 0.5f, true}), {}).output == whole.output);
  CHECK(run_layer(layer_of(plait::dropout_cell{lower, 0.5f, false}), {.layer = {.forward_only = true}}).output ==
        whole.output);
}
