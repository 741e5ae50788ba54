// Memory of a run, as predicted by plan::forecast or measured by plan::memory.
#pragma once

#include <cstddef>
#include <ostream>

#include <plait/exec/detail/saturating.hpp>

namespace plait {

/// Bytes. Sums saturate at the largest number.
struct memory_use {
  std::size_t given = 0;         ///< fed tensors that are read, and contiguous copies of strided ones
  std::size_t kept = 0;          ///< values that blobs hold after the run
  std::size_t intermediate = 0;  ///< blocks that the other values share
  std::size_t packed = 0;        ///< constants that are packed once for all runs
  std::size_t inside = 0;        ///< held by ops that run nets: states, values of their steps, packed weights
  std::size_t peak() const {
    std::size_t sum = 0;
    for (std::size_t const bytes : {given, kept, intermediate, packed, inside}) sum = detail::add_sat(sum, bytes);
    return sum;
  }
};

inline void write_memory(std::ostream& out, memory_use const& m) {
  out << "bytes: " << m.peak() << " at most: " << m.given << " given, " << m.kept << " kept, " << m.intermediate
      << " for intermediate values, " << m.packed << " packed, " << m.inside << " inside ops\n";
}

}  // namespace plait
