// Comparison of results that should have the same bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <support/optimized.hpp>
#include <support/run_op.hpp>

namespace test {

/// Returns true if both have the same bits. Functions that are not inlined are not compiled for wider instruction sets,
/// and round differently from those of an optimised library.
template <class B, class T>
bool have_same_bits(std::vector<T> const& a, std::vector<T> const& b, bool exact = true) {
  if (exact && (optimized || plait::available_instructions() == plait::instruction_set::portable))
    return agree<B>(a, b);
  return std::ranges::equal(a, b, [](T x, T y) { return std::abs(x - y) <= T(1e-4) * std::max(T(1), std::abs(y)); });
}

}  // namespace test
