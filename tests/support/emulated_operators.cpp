// Operator table of the emulated device, compiled once: all operators if PLAIT_TEST_EMULATED_DEVICE tests them there,
// else those of the nets of tests/exec.
#include <support/emulated_device.hpp>

#ifdef PLAIT_TEST_EMULATED_DEVICE
#include <plait/exec/standard_operators.hpp>

template plait::operators<test::emulated_device> const& plait::standard_operators<test::emulated_device>();
#else
#include <plait/exec/detail/operators/activations.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>
#include <plait/exec/detail/operators/casts.hpp>
#include <plait/exec/detail/operators/concat_split.hpp>
#include <plait/exec/detail/operators/dropout.hpp>
#include <plait/exec/detail/operators/fills.hpp>
#include <plait/exec/detail/operators/fully_connected.hpp>
#include <plait/exec/detail/operators/fully_connected_gradients.hpp>
#include <plait/exec/detail/operators/functions.hpp>
#include <plait/exec/detail/operators/learning_rate.hpp>
#include <plait/exec/detail/operators/lstm_gru_units.hpp>
#include <plait/exec/detail/operators/lstm_gru_units_gradients.hpp>
#include <plait/exec/detail/operators/matmul.hpp>
#include <plait/exec/detail/operators/recurrent_links.hpp>
#include <plait/exec/detail/operators/recurrent_network.hpp>
#include <plait/exec/detail/operators/recurrent_network_gradients.hpp>
#include <plait/exec/detail/operators/reductions.hpp>
#include <plait/exec/detail/operators/reshape.hpp>
#include <plait/exec/detail/operators/selections.hpp>
#include <plait/exec/detail/operators/shape_values.hpp>
#include <plait/exec/detail/operators/sums.hpp>
#include <plait/exec/detail/operators/views.hpp>
#include <plait/exec/operators.hpp>

template <>
plait::operators<test::emulated_device> const& plait::standard_operators<test::emulated_device>() {
  static operators<test::emulated_device> const table = [] {
    operators<test::emulated_device> made;
    add_activation_operators(made);
    add_arithmetic_operators(made);
    add_cast_operators(made);
    add_concat_split_operators(made);
    add_dropout_operators(made);
    add_fill_operators(made);
    add_function_operators(made);
    add_learning_rate_operators(made);
    add_fully_connected_operators(made);
    add_matmul_operators(made);
    add_fully_connected_gradient_operators(made);
    add_recurrent_link_operators(made);
    add_recurrent_network_operators(made);
    add_recurrent_network_gradient_operators(made);
    add_reduction_operators(made);
    add_reshape_operators(made);
    add_selection_operators(made);
    add_shape_value_operators(made);
    add_sum_operators(made);
    add_unit_operators(made);
    add_unit_gradient_operators(made);
    add_view_operators(made);
    return made;
  }();
  return table;
}
#endif
