// LSTMUnitGradient and GRUUnitGradient: the fused pointwise part of a cell, backward.
#pragma once

#include <cstddef>
#include <utility>

#include <plait/exec/detail/operators/lstm_gru_units.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

template <backend B, class Unit>
class unit_gradient_kernel final : public unit_kernel<B, true> {
 public:
  explicit unit_gradient_kernel(op_arguments const& a)
      : unit_kernel<B, true>(a, Unit::states, Unit::gates), scalars_(Unit::scalars(a)) {}

  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      constexpr std::size_t states = Unit::states;
      std::size_t const after = this->after();
      static_assert(detail::unit_gradient_pass<Unit, T>::row_pass::facts::loops == 1,
                    "elements are read before any is written, for ops in place");
      detail::unit_gradient_pass<Unit, T> pass{
          this->template operands<Unit, T>(c, scalars_), {}, {}, c.template output<T>(states), {}, {}};
      for (std::size_t s = 0; s != states; ++s) {
        pass.after[s] = c.template input<T>(after + s);
        pass.after_gradient[s] = c.template input<T>(after + states + s);
        pass.before_gradient[s] = c.template output<T>(s);
      }
      this->for_each_unit(c, pass);
    });
  }

 private:
  decltype(Unit::scalars(std::declval<op_arguments const&>())) scalars_;
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
  table.template add<unit_gradient_kernel<B, detail::static_lstm_unit>>(
      schema("LSTMUnitGradient", 2)
          .argument("forget_bias", 0.0f, "added to the forget gate")
          .describe("dH, dC: …×D, dgates: …×4D from H, C, gates, [lengths: N,] timestep: int32, H', C', dH', dC'"));
  table.template add<unit_gradient_kernel<B, detail::static_gru_unit>>(
      schema("GRUUnitGradient", 1)
          .describe("dH: …×D, dgates: …×3D from H, gates, [lengths: N,] "
                    "timestep: int32, H', dH'"));
}

}  // namespace plait

PLAIT_KERNELS_END
