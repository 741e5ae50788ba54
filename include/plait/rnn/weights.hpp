// Weight layouts of other libraries: converts the weights of PyTorch's nn.RNN, nn.LSTM and nn.GRU, and of ONNX's RNN,
// LSTM and GRU, to and from those of plait's cells.
#pragma once

#include <plait/rnn/detail/onnx_weights.hpp>
#include <plait/rnn/detail/torch_weights.hpp>
