// Linear algebra operators and their gradients: FC, MatMul, Conv, pooling, and distances of rows.
#pragma once

#include <plait/exec/detail/operators/convolution.hpp>
#include <plait/exec/detail/operators/convolution_gradients.hpp>
#include <plait/exec/detail/operators/distances.hpp>
#include <plait/exec/detail/operators/distances_gradients.hpp>
#include <plait/exec/detail/operators/fully_connected.hpp>
#include <plait/exec/detail/operators/fully_connected_gradients.hpp>
#include <plait/exec/detail/operators/matmul.hpp>
#include <plait/exec/detail/operators/pad_image.hpp>
#include <plait/exec/detail/operators/pooling.hpp>
