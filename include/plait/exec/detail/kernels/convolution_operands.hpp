// Operands of the kernels of convolutions.
#pragma once

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// Operands of a convolution y = relu(bias + w * x + addend).
template <class T>
struct convolution_operands {
  T const* x;
  T const* w;       ///< [units, taps in the channels of a group]
  T const* bias;    ///< [units]; nullptr: none
  T const* addend;  ///< with the layout of y; nullptr: none
  bool relu;        ///< negative elements become zero; NaN stays, as in the operator Relu
  T* y;
};

}  // namespace plait
