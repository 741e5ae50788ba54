// Columns of a row that a thread computes.
#pragma once

#include <cstddef>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// Columns `first` to `last`, exclusive, of each block of `width` columns. A row consists of whole blocks: of four for
/// the four gates of an LSTM's units.
struct column_part {
  std::size_t width;
  std::size_t first;
  std::size_t last;
  bool backwards = false;  ///< the last columns had better come first: they are in the cache
};

}  // namespace plait
