// LSTMUnit and GRUUnit: the fused pointwise part of a cell, forward.
//
// Gates have Caffe2's order: LSTM input, forget, output, cell; GRU reset, update, output, where the output gate was
// computed with the reset gate already applied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/unit_pass.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/gradient/static_cell.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// c' = sigmoid(f + forget_bias) c + sigmoid(i) tanh(g), h' = sigmoid(o) tanh(c').
struct static_lstm_unit {
  static constexpr std::size_t gates = 4;
  static constexpr std::size_t states = 2;  // h, c

  struct formula {
    constexpr auto operator()(auto input, auto forget, auto output, auto candidate, auto, auto state,
                              scalar forget_bias) const {
      auto const next = sigmoid(forget + forget_bias) * state + sigmoid(input) * tanh(candidate);
      return cell_results{sigmoid(output) * tanh(next), next};
    }
  };
  using cell = static_cell<formula>;
  static std::array<float, 1> scalars(op_arguments const& a) { return {a.real("forget_bias")}; }
};

/// h' = u h + (1 - u) tanh(o), u = sigmoid(update). The reset gate is applied before.
struct static_gru_unit {
  static constexpr std::size_t gates = 3;
  static constexpr std::size_t states = 1;

  struct formula {
    constexpr auto operator()(auto, auto update, auto output, auto state) const {
      auto const kept = sigmoid(update);
      return kept * state + (1 - kept) * tanh(output);
    }
  };
  using cell = static_cell<formula>;
  static std::array<float, 0> scalars(op_arguments const&) { return {}; }
};

}  // namespace detail

/// Base of both units: operands state..., gates, [sequence lengths], time step. States have any rank; the last axis is
/// that of the units, the product of the others the batch. Gates have as many rows.
///
/// Gradients also read the next states and their gradients, and compute gradients of the states and the gates.
template <backend B, bool Gradient = false>
class unit_kernel : public op_kernel<B> {
 public:
  unit_kernel(op_arguments const& a, std::size_t states, std::int64_t gates)
      : states_(states), gates_(gates), with_lengths_(a.flag("sequence_lengths")), drop_states_(a.flag("drop_states")) {
    if (a.input_count() != after() + (Gradient ? 2 * states : 0))
      a.fail("sequence_lengths", with_lengths_ ? "asks for one more input, the lengths" : "leaves one input too many");
  }

  void infer(shape_context& c) final {
    c.expect_type<float, double>(0);
    c.expect_rank(0, 1);
    auto const expect_state = [&](std::size_t i) {
      c.expect_same_type(0, i);
      c.expect_same_dims(0, i);
    };
    for (std::size_t i = 1; i != states_; ++i) expect_state(i);
    shape const& state = c.dims(0);
    c.expect_same_type(0, states_);
    c.expect_rank(states_, 1);
    shape const& gates = c.dims(states_);
    std::int64_t const rows = state.size_to(state.rank() - 1);
    c.expect(gates[gates.rank() - 1] == gates_ * state[state.rank() - 1] && gates.size_to(gates.rank() - 1) == rows,
             states_, "have ", gates_, " gates for each unit of ", c.input(0));
    if (with_lengths_) {
      c.expect_type<std::int32_t, std::int64_t>(states_ + 1);
      c.expect(c.dims(states_ + 1).size() == rows, states_ + 1, "have a length for each of ", rows, " rows");
    }
    c.expect_type<std::int32_t>(after() - 1);
    c.expect(c.dims(after() - 1).size() == 1, after() - 1, "be one number");
    for (std::size_t i = 0; i != states_; ++i) c.output(i, c.type(0), state);
    if constexpr (Gradient) {
      for (std::size_t i = 0; i != 2 * states_; ++i) expect_state(after() + i);
      c.output(states_, c.type(0), gates);
    }
  }
  void patterns(op_context<B> const& c, std::vector<op_pattern<B>>& to) const final {
    if (c.dims(0).rank() >= 2)
      to.push_back(
          {.kind = pattern_kind::rows, .work = cost * c.size(0), .whole_inputs = std::uint64_t{1} << (after() - 1)});
  }

 protected:
  // Approximate cost of an element, in element copies.
  static constexpr std::size_t cost = Gradient ? 16 : 8;

  /// Returns the first input after the time step.
  std::size_t after() const { return states_ + 2 + std::size_t{with_lengths_}; }
  detail::active_rows active(op_context<B> const& c) const {
    bool const wide = with_lengths_ && c.type(states_ + 1) == element_type::int64;
    return {with_lengths_ ? c.raw_input(states_ + 1) : nullptr, wide, c.template input<std::int32_t>(after() - 1),
            drop_states_};
  }
  template <class Unit, class T, class Scalars>
  detail::unit_pass_operands<Unit, T> operands(op_context<B> const& c, Scalars const& scalars) const {
    auto const width = static_cast<std::size_t>(c.dims(0)[c.dims(0).rank() - 1]);
    detail::unit_pass_operands<Unit, T> made{active(c), width, {}, c.template input<T>(states_), {}, {}};
    for (std::size_t s = 0; s != Unit::states; ++s) made.before[s] = c.template input<T>(s);
    for (std::size_t k = 0; k != scalars.size(); ++k) made.number[k] = static_cast<T>(scalars[k]);
    return made;
  }

  template <class Pass>
  static void for_each_unit(op_context<B> const& c, Pass const& pass) {
    if (pass.width != 0) for_each_row_part<B>(c.size(0) / pass.width, pass.width, cost, pass);
  }

 private:
  std::size_t states_;
  std::int64_t gates_;
  bool with_lengths_;
  bool drop_states_;
};

template <backend B, class Unit>
class unit_forward_kernel final : public unit_kernel<B> {
 public:
  explicit unit_forward_kernel(op_arguments const& a)
      : unit_kernel<B>(a, Unit::states, Unit::gates), scalars_(Unit::scalars(a)) {}

  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      detail::unit_pass<Unit, T> pass{this->template operands<Unit, T>(c, scalars_), {}};
      for (std::size_t s = 0; s != Unit::states; ++s) pass.after[s] = c.template output<T>(s);
      this->for_each_unit(c, pass);
    });
  }

 private:
  decltype(Unit::scalars(std::declval<op_arguments const&>())) scalars_;
};

/// Adds LSTMUnit, GRUUnit: float and double.
template <backend B>
void add_unit_operators(operators<B>& table) {
  auto const schema = [](std::string_view type, std::size_t states) {
    auto made = op_schema(type).inputs(states + 2, states + 3).outputs(states).checks_first().no_doubles_in_caffe2();
    made.rows_independent([](op_arguments const& a, std::size_t rows) { return rows == a.input_count() - 1; });
    for (std::size_t i = 0; i != states; ++i) made.in_place(i, i);
    return made.argument("sequence_lengths", std::int64_t{1}, "whether an input of lengths, one a row, is there")
        .argument("drop_states", std::int64_t{0}, "zero, not keep, the state of rows whose sequence has ended");
  };
  table.template add<unit_forward_kernel<B, detail::static_lstm_unit>>(
      schema("LSTMUnit", 2)
          .argument("forget_bias", 0.0f, "added to the forget gate")
          .describe("H', C' = one step of an LSTM from H: …×D, C: …×D, gates: …×4D (input, forget, output, cell), "
                    "[lengths: N,] timestep: int32"));
  table.template add<unit_forward_kernel<B, detail::static_gru_unit>>(
      schema("GRUUnit", 1)
          .describe("H' = one step of a GRU from H: …×D, gates: …×3D (reset, update, output), [lengths: N,] "
                    "timestep: int32"));
}

}  // namespace plait

PLAIT_KERNELS_END
