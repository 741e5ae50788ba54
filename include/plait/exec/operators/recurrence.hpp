// Recurrence operators and their gradients: RecurrentNetwork, LSTMUnit, GRUUnit.
#pragma once

#include <plait/exec/detail/operators/lstm_gru_units.hpp>
#include <plait/exec/detail/operators/lstm_gru_units_gradients.hpp>
#include <plait/exec/detail/operators/recurrent_links.hpp>
#include <plait/exec/detail/operators/recurrent_network.hpp>
#include <plait/exec/detail/operators/recurrent_network_gradients.hpp>
#include <plait/exec/detail/step_blobs.hpp>
