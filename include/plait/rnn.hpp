// Recurrent layers: cells, layers over sequences, single time steps, and weight import from PyTorch and ONNX.
#pragma once

#include <plait/rnn/cells.hpp>
#include <plait/rnn/detail/executor_config.hpp>
#include <plait/rnn/detail/lstm_gates.hpp>
#include <plait/rnn/detail/unrolled_layer.hpp>
#include <plait/rnn/recurrent_cell.hpp>
#include <plait/rnn/recurrent_layers.hpp>
#include <plait/rnn/recurrent_net.hpp>
#include <plait/rnn/recurrent_step.hpp>
#include <plait/rnn/weights.hpp>
