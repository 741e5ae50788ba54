// Training operators: learning rates, and dense and sparse optimiser steps.
#pragma once

#include <plait/exec/detail/operators/learning_rate.hpp>
#include <plait/exec/detail/operators/optimizers.hpp>
#include <plait/exec/detail/operators/sparse_optimizers.hpp>
