// Which columns of a row a thread makes.
#pragma once

#include <cstddef>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// Of each block of `width` columns those from `first` to `last`, excluded. A row is made of whole blocks: the four
/// gates of an LSTM's units are four.
struct column_part {
  std::size_t width;
  std::size_t first;
  std::size_t last;
  bool backwards = false;  ///< what is last in memory had better come first: it is in the cache
};

}  // namespace plait
