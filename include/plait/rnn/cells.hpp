// All recurrent cells that come with plait.
#pragma once

#include <plait/rnn/cells/attention.hpp>
#include <plait/rnn/cells/basic_rnn.hpp>
#include <plait/rnn/cells/dropout.hpp>
#include <plait/rnn/cells/gru.hpp>
#include <plait/rnn/cells/layer_norm_lstm.hpp>
#include <plait/rnn/cells/lstm.hpp>
#include <plait/rnn/cells/mi_lstm.hpp>
#include <plait/rnn/cells/multi.hpp>
#include <plait/rnn/cells/peephole_lstm.hpp>
#include <plait/rnn/cells/projected_lstm.hpp>
