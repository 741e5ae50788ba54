// LSTMUnitGradient and GRUUnitGradient: the fused pointwise part of a cell, backward.
//
// A row whose sequence has ended passes its gradient on, or zeros with drop_states; its gates' gradients are zero.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/operators/lstm_gru_units.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Zeroes a chunk of each gate's gradient in a row.
template <std::size_t Gates, class T>
PLAIT_HOST_DEVICE void clear_gates(T* gates, std::size_t width, std::size_t first, std::size_t last) {
  for (std::size_t gate = 0; gate < Gates; ++gate) {
    T* const to = gates + gate * width;
    for (std::size_t d = first; d < last; ++d) to[d] = T(0);
  }
}

// Recomputes the output's tanh from the cell state: division of the hidden state would lose it where the output gate is
// closed.
template <class T>
struct lstm_unit_gradient_pass {
  active_rows active;
  T const* cell_before;
  T const* gates;
  T const* cell;
  T const* hidden_gradient;
  T const* cell_gradient;
  T* hidden_before_gradient;
  T* cell_before_gradient;
  T* gates_gradient;
  std::size_t width;
  T forget_bias;

  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T const* const dh = hidden_gradient + row * width;
    T const* const dc = cell_gradient + row * width;
    T* const dh_before = hidden_before_gradient + row * width;
    T* const dc_before = cell_before_gradient + row * width;
    T* const d_input = gates_gradient + row * 4 * width;
    if (!active(row)) {
      active.pass_on(dh, dh_before, first, last);
      active.pass_on(dc, dc_before, first, last);
      return clear_gates<4>(d_input, width, first, last);
    }
    T* const d_forget = d_input + width;
    T* const d_output = d_forget + width;
    T* const d_candidate = d_output + width;
    T const* const input = gates + row * 4 * width;
    T const* const forget = input + width;
    T const* const output = forget + width;
    T const* const candidate = output + width;
    T const* const before = cell_before + row * width;
    T const* const after = cell + row * width;
    T const bias = forget_bias;
    PLAIT_INDEPENDENT
    for (std::size_t d = first; d < last; ++d) {
      T const i = math::sigmoid(input[d]);
      T const f = math::sigmoid(forget[d] + bias);
      T const o = math::sigmoid(output[d]);
      T const g = math::tanh(candidate[d]);
      T const t = math::tanh(after[d]);
      T const state = before[d];
      T const of_hidden = dh[d];
      T const of_cell = dc[d] + of_hidden * o * (T(1) - t * t);
      dh_before[d] = T(0);
      dc_before[d] = of_cell * f;
      d_input[d] = of_cell * g * i * (T(1) - i);
      d_forget[d] = of_cell * state * f * (T(1) - f);
      d_output[d] = of_hidden * t * o * (T(1) - o);
      d_candidate[d] = of_cell * i * (T(1) - g * g);
    }
  }
};

template <class T>
struct gru_unit_gradient_pass {
  active_rows active;
  T const* hidden_before;
  T const* gates;
  T const* hidden_gradient;
  T* hidden_before_gradient;
  T* gates_gradient;
  std::size_t width;

  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T const* const dh = hidden_gradient + row * width;
    T* const dh_before = hidden_before_gradient + row * width;
    T* const d_reset = gates_gradient + row * 3 * width;
    if (!active(row)) {
      active.pass_on(dh, dh_before, first, last);
      return clear_gates<3>(d_reset, width, first, last);
    }
    T* const d_update = d_reset + width;
    T* const d_output = d_update + width;
    T const* const before = hidden_before + row * width;
    T const* const update = gates + row * 3 * width + width;
    T const* const output = update + width;
    PLAIT_INDEPENDENT
    for (std::size_t d = first; d < last; ++d) {
      T const u = math::sigmoid(update[d]);
      T const o = math::tanh(output[d]);
      T const of_hidden = dh[d];
      T const difference = before[d] - o;
      dh_before[d] = of_hidden * u;
      d_reset[d] = T(0);
      d_update[d] = of_hidden * difference * u * (T(1) - u);
      d_output[d] = of_hidden * (T(1) - u) * (T(1) - o * o);
    }
  }
};

}  // namespace detail

template <backend B>
class lstm_unit_gradient_kernel final : public unit_kernel<B, true> {
 public:
  explicit lstm_unit_gradient_kernel(op_arguments const& a)
      : unit_kernel<B, true>(a, 2, 4), forget_bias_(a.real("forget_bias")) {}

  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) { run_as<T>(c); });
  }

 private:
  template <class T>
  void run_as(op_context<B>& c) {
    std::size_t const width = this->width(c);
    if (width == 0) return;
    std::size_t const after = this->after();
    for_each_row_part<B>(
        c.size(0) / width, width, this->cost,
        detail::lstm_unit_gradient_pass<T>{
            this->active(c), c.template input<T>(1), c.template input<T>(2), c.template input<T>(after + 1),
            c.template input<T>(after + 2), c.template input<T>(after + 3), c.template output<T>(0),
            c.template output<T>(1), c.template output<T>(2), width, static_cast<T>(forget_bias_)});
  }

  float forget_bias_;
};

/// The reset gate is applied before this op, so that its gradient here is zero.
template <backend B>
class gru_unit_gradient_kernel final : public unit_kernel<B, true> {
 public:
  explicit gru_unit_gradient_kernel(op_arguments const& a) : unit_kernel<B, true>(a, 1, 3) {}

  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) { run_as<T>(c); });
  }

 private:
  template <class T>
  void run_as(op_context<B>& c) {
    std::size_t const width = this->width(c);
    if (width == 0) return;
    for_each_row_part<B>(
        c.size(0) / width, width, this->cost,
        detail::gru_unit_gradient_pass<T>{this->active(c), c.template input<T>(0), c.template input<T>(1),
                                          c.template input<T>(this->after() + 1), c.template output<T>(0),
                                          c.template output<T>(1), width});
  }
};

/// Adds LSTMUnitGradient, GRUUnitGradient: float and double.
template <backend B>
void add_unit_gradient_operators(operators<B>& table) {
  // Each output may overwrite any input of its shape: elements are read before any is written.
  auto const schema = [](std::string_view type, std::size_t states) {
    std::size_t const most = 3 * states + 3;
    auto made = op_schema(type).inputs(most - 1, most).outputs(states + 1).checks_first().no_doubles_in_caffe2();
    made.in_place(states, states);
    for (std::size_t i = 0; i != states; ++i) made.in_place(most - 1 - states + i, i).in_place(most - states + i, i);
    return made.argument("sequence_lengths", std::int64_t{1}, "whether an input of lengths, one a row, is there")
        .argument("drop_states", std::int64_t{0}, "rows whose sequence has ended have no gradient");
  };
  table.template add<lstm_unit_gradient_kernel>(
      schema("LSTMUnitGradient", 2)
          .argument("forget_bias", 0.0f, "added to the forget gate")
          .describe("dH, dC: …×D, dgates: …×4D from H, C, gates, [lengths: N,] timestep: int32, H', C', dH', dC'"));
  table.template add<gru_unit_gradient_kernel>(schema("GRUUnitGradient", 1)
                                                   .describe("dH: …×D, dgates: …×3D from H, gates, [lengths: N,] "
                                                             "timestep: int32, H', dH'"));
}

}  // namespace plait

PLAIT_KERNELS_END
