// Turns copies that happen at once into copies that happen one after the other.
//
// Algorithm 1 of B. Boissinot, A. Darte, F. Rastello, B. D. de Dinechin, C. Guillon, "Revisiting Out-of-SSA Translation
// for Correctness, Code Quality and Efficiency" (CGO 2009, pp. 114–125), which bettered that of R. Leupers: a location
// that nobody reads any more can be written at once; when there is none left, the rest are cycles, and one location
// outside breaks each in turn. As few copies as can be: one for each that is not of a location to itself, and one more
// for each cycle from which no copy leads out.
//
// O(copies) time once there is room for the locations. No recursion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>

namespace plait {

/// A copy between two places that hold values, which have numbers.
struct location_copy {
  std::uint32_t to = npos;
  std::uint32_t from = npos;
  friend constexpr bool operator==(location_copy const&, location_copy const&) = default;
};

/// Sequentialises parallel copies. Keeps its memory, 8 bytes for each location.
class copy_sequencer {
 public:
  /// Appends to `into` copies that, in order, do what `copies` do at once; those of a location to itself are left out.
  /// Locations are below `locations`. `temporary` is another location, whose content is lost where there are cycles;
  /// returns whether there are. Precondition: copies to the same location are from the same one.
  constexpr bool run(std::span<location_copy const> copies, std::size_t locations, std::uint32_t temporary,
                     std::vector<location_copy>& into);

 private:
  std::vector<std::uint32_t> source_;  // by location: what is to be copied to it; npos: nothing any more
  std::vector<std::uint32_t> place_;   // by location: where its content of the beginning is now; npos: nobody asks
  std::vector<std::uint32_t> ready_;   // may be written: nobody needs what they hold
  std::vector<std::uint32_t> left_;
};

constexpr bool copy_sequencer::run(std::span<location_copy const> copies, std::size_t locations,
                                   std::uint32_t temporary, std::vector<location_copy>& into) {
  if (source_.size() < locations) {
    source_.resize(locations, npos);
    place_.resize(locations, npos);
  }
  ready_.clear();
  left_.clear();
  for (auto const& [to, from] : copies) {
    PLAIT_ASSERT(to < locations && from < locations && to != temporary && from != temporary,
                 "copy_sequencer: no such location");
    PLAIT_ASSERT(source_[to] == npos || source_[to] == from, "copy_sequencer: two values for one location");
    if (to == from || source_[to] == from) continue;
    source_[to] = from;
    place_[from] = from;
    left_.push_back(to);
  }
  for (std::uint32_t const to : left_)
    if (place_[to] == npos) ready_.push_back(to);

  bool cycles = false;
  std::size_t next = 0;
  while (true) {
    while (!ready_.empty()) {
      std::uint32_t const to = ready_.back();
      ready_.pop_back();
      std::uint32_t const from = source_[to];
      std::uint32_t const now = place_[from];
      into.push_back({to, now});
      source_[to] = npos;
      place_[from] = to;
      // What `from` held is safe now, so it may be written itself, if it is to be.
      if (from == now && source_[from] != npos) ready_.push_back(from);
    }
    while (next != left_.size() && source_[left_[next]] == npos) ++next;
    if (next == left_.size()) break;
    std::uint32_t const broken = left_[next];
    into.push_back({temporary, broken});
    place_[broken] = temporary;
    ready_.push_back(broken);
    cycles = true;
  }
  for (auto const& [to, from] : copies) source_[to] = source_[from] = place_[to] = place_[from] = npos;
  return cycles;
}

}  // namespace plait
