// Static cells in the runtime: op types of cells, plans of static nets, and recurrent layers without nets.
#pragma once

#include <plait/exec/detail/static_op.hpp>
#include <plait/exec/detail/static_plan.hpp>
#include <plait/exec/detail/static_rnn.hpp>
