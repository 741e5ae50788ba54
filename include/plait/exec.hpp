// Runtime on the serial backend: plans, workspaces, tensors, feeding, and all standard operators.
#pragma once

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/feed.hpp>
#include <plait/exec/npy.hpp>
#include <plait/exec/observers.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/standard_operators.hpp>
#include <plait/exec/tensor.hpp>
#include <plait/exec/workspace.hpp>
