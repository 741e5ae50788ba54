// Operators that fill tensors with constants, listed values and random numbers.
#pragma once

#include <plait/exec/detail/operators/fills.hpp>
#include <plait/exec/detail/operators/random_fills.hpp>
