// Recurrence operators and their gradients: RecurrentNetwork, LSTMUnit, GRUUnit.
#pragma once

#include <plait/exec/detail/operators/lstm_gru_units.hpp>
#include <plait/exec/detail/operators/lstm_gru_units_gradients.hpp>
#include <plait/exec/detail/operators/recurrent_links.hpp>
#include <plait/exec/detail/operators/recurrent_network.hpp>
#include <plait/exec/detail/operators/recurrent_network_gradients.hpp>
#include <plait/exec/detail/step_blobs.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Adds all recurrence operators.
template <backend B>
void add_recurrence(operators<B>& table) {
  add_recurrent_link_operators(table);
  add_recurrent_network_gradient_operators(table);
  add_recurrent_network_operators(table);
  add_unit_gradient_operators(table);
  add_unit_operators(table);
}

}  // namespace plait
