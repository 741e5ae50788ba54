// Operands of a loop: the address of a value in each of its runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/element_type.hpp>

namespace plait {

/// Memory of a storage (slot::storage) in the runs of a loop: `step` places further in each.
struct moving_storage {
  std::uint32_t storage;
  std::byte* data;     ///< place 0
  std::size_t bytes;   ///< of a place
  std::size_t places;  ///< of a ring buffer; npos if it is none
  std::int64_t first;  ///< place of run 0
  int step;            ///< from run to run: 1, -1 or 0

  std::int64_t place(std::size_t run) const { return first + step * static_cast<std::int64_t>(run); }
  std::byte* at(std::size_t run) const {
    auto const number = static_cast<std::size_t>(place(run));
    return data + (places == npos ? number : number % places) * bytes;
  }
};

/// Elements of float or double, added to a moving storage after each run whose place is `begins` or later.
struct moving_addend {
  std::size_t to;  ///< index of the moving storage
  element_type type;
  std::size_t elements;   ///< of a place
  std::byte const* from;  ///< for place `begins`
  std::int64_t begins;

  /// Returns the elements for a place; nullptr if there are none.
  std::byte const* at(std::int64_t place) const {
    return place < begins ? nullptr : from + static_cast<std::size_t>(place - begins) * elements * size_of(type);
  }
};

}  // namespace plait
