// Recurrent cells: all that plait comes with (basic RNN, LSTM and its variants, GRU, attention, dropout, stacks).
#pragma once

#include <plait/rnn/detail/any_cell.hpp>
#include <plait/rnn/detail/cells/attention.hpp>
#include <plait/rnn/detail/cells/basic_rnn.hpp>
#include <plait/rnn/detail/cells/dropout.hpp>
#include <plait/rnn/detail/cells/gru.hpp>
#include <plait/rnn/detail/cells/layer_norm_lstm.hpp>
#include <plait/rnn/detail/cells/lstm.hpp>
#include <plait/rnn/detail/cells/mi_lstm.hpp>
#include <plait/rnn/detail/cells/multi.hpp>
#include <plait/rnn/detail/cells/peephole_lstm.hpp>
#include <plait/rnn/detail/cells/projected_lstm.hpp>
