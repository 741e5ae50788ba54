// LSTMUnit and GRUUnit: the fused pointwise part of a cell, forward.
//
// A row of a batch whose sequence has ended before this time step keeps its state, or gets zeros with drop_states.
// Gates have Caffe2's order: LSTM input, forget, output, cell; GRU reset, update, output, where the output gate was
// computed with the reset gate already applied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Predicate of the rows of a batch that take part in a time step.
struct active_rows {
  void const* lengths;  ///< nullptr: all
  bool wide;            ///< lengths are int64, not int32
  std::int32_t const* timestep;
  bool drop_states;

  PLAIT_HOST_DEVICE bool operator()(std::size_t row) const {
    if (lengths == nullptr) return true;
    return *timestep <
           (wide ? static_cast<std::int64_t const*>(lengths)[row] : static_cast<std::int32_t const*>(lengths)[row]);
  }

  /// Copies a chunk of the state of an inactive row, or zeroes it with drop_states.
  template <class T>
  PLAIT_HOST_DEVICE void pass_on(T const* before, T* after, std::size_t first, std::size_t last) const {
    if (drop_states) {
      for (std::size_t d = first; d < last; ++d) after[d] = T(0);
    } else if (before != after) {
      for (std::size_t d = first; d < last; ++d) after[d] = before[d];
    }
  }
};

template <class T>
struct lstm_unit_pass {
  active_rows active;
  T const* hidden_before;
  T const* cell_before;
  T const* gates;
  T* hidden;
  T* cell;
  std::size_t width;
  T forget_bias;

  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T* const h = hidden + row * width;
    T* const c = cell + row * width;
    T const* const c_before = cell_before + row * width;
    if (!active(row)) {
      active.pass_on(hidden_before + row * width, h, first, last);
      active.pass_on(c_before, c, first, last);
      return;
    }
    T const* const input = gates + row * 4 * width;
    T const* const forget = input + width;
    T const* const output = forget + width;
    T const* const candidate = output + width;
    T const bias = forget_bias;
    // Two loops: in one, waiting for the cell state would keep the processor from starting the next elements.
    PLAIT_INDEPENDENT
    for (std::size_t d = first; d < last; ++d) {
      T const taken = (math::sigmoid_fraction(input[d]) * math::tanh_fraction(candidate[d])).value();
      c[d] = math::sigmoid(forget[d] + bias) * c_before[d] + taken;
    }
    PLAIT_INDEPENDENT
    for (std::size_t d = first; d < last; ++d)
      h[d] = (math::sigmoid_fraction(output[d]) * math::tanh_fraction(c[d])).value();
  }
};

template <class T>
struct gru_unit_pass {
  active_rows active;
  T const* hidden_before;
  T const* gates;
  T* hidden;
  std::size_t width;

  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T* const h = hidden + row * width;
    T const* const before = hidden_before + row * width;
    if (!active(row)) return active.pass_on(before, h, first, last);
    T const* const update = gates + row * 3 * width + width;
    T const* const output = update + width;
    PLAIT_INDEPENDENT
    for (std::size_t d = first; d < last; ++d) {
      T const kept = math::sigmoid(update[d]);
      h[d] = kept * before[d] + (T(1) - kept) * math::tanh(output[d]);
    }
  }
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
  static std::size_t width(op_context<B> const& c) { return static_cast<std::size_t>(c.dims(0)[c.dims(0).rank() - 1]); }

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

/// c' = sigmoid(f + forget_bias) c + sigmoid(i) tanh(g), h' = sigmoid(o) tanh(c').
template <backend B>
class lstm_unit_kernel final : public unit_kernel<B> {
 public:
  explicit lstm_unit_kernel(op_arguments const& a) : unit_kernel<B>(a, 2, 4), forget_bias_(a.real("forget_bias")) {}

  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) { this->for_each_unit(c, pass<T>(c)); });
  }

 private:
  template <class T>
  detail::lstm_unit_pass<T> pass(op_context<B> const& c) const {
    return {this->active(c),         c.template input<T>(0),  c.template input<T>(1), c.template input<T>(2),
            c.template output<T>(0), c.template output<T>(1), this->width(c),         static_cast<T>(forget_bias_)};
  }

  float forget_bias_;
};

/// h' = u h + (1 - u) tanh(o), u = sigmoid(update).
template <backend B>
class gru_unit_kernel final : public unit_kernel<B> {
 public:
  explicit gru_unit_kernel(op_arguments const& a) : unit_kernel<B>(a, 1, 3) {}

  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) { this->for_each_unit(c, pass<T>(c)); });
  }

 private:
  template <class T>
  detail::gru_unit_pass<T> pass(op_context<B> const& c) const {
    return {this->active(c), c.template input<T>(0), c.template input<T>(1), c.template output<T>(0), this->width(c)};
  }
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
  table.template add<lstm_unit_kernel>(
      schema("LSTMUnit", 2)
          .argument("forget_bias", 0.0f, "added to the forget gate")
          .describe("H', C' = one step of an LSTM from H: …×D, C: …×D, gates: …×4D (input, forget, output, cell), "
                    "[lengths: N,] timestep: int32"));
  table.template add<gru_unit_kernel>(
      schema("GRUUnit", 1)
          .describe("H' = one step of a GRU from H: …×D, gates: …×3D (reset, update, output), [lengths: N,] "
                    "timestep: int32"));
}

}  // namespace plait

PLAIT_KERNELS_END
