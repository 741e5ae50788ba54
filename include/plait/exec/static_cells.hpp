// Static cells in the runtime: op types of cells, and recurrent layers without nets.
#pragma once

#include <plait/exec/detail/static_op.hpp>
#include <plait/exec/detail/static_rnn.hpp>
