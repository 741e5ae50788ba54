// Parallel copy sequentialisation: an ordered list of copies with the effect of simultaneous ones.
//
// Algorithm 1 of B. Boissinot, A. Darte, F. Rastello, B. D. de Dinechin, C. Guillon, "Revisiting Out-of-SSA Translation
// for Correctness, Code Quality and Efficiency" (CGO 2009, pp. 114–125), which improves on that of R. Leupers: a
// location that no pending copy reads can be written; when there is none left, only cycles remain, and a temporary
// location breaks each in turn. The number of copies is minimal: one for each that is not of a location to itself, and
// one more for each cycle that no copy leads out of.
//
// O(copies) time after allocation for the locations. No recursion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>

namespace plait {

/// A copy from one location to another, by number.
struct location_copy {
  std::uint32_t to = npos;
  std::uint32_t from = npos;
  friend constexpr bool operator==(location_copy const&, location_copy const&) = default;
};

/// Sequentialises parallel copies. Reuses its memory, 8 bytes per location.
class copy_sequencer {
 public:
  /// Appends copies to `into` that have in order the effect of `copies` in parallel, without those of a location to
  /// itself. Locations are below `locations`. `temporary` is another location, which is overwritten if there are
  /// cycles; returns true if there are. Precondition: copies to one location have one source.
  constexpr bool run(std::span<location_copy const> copies, std::size_t locations, std::uint32_t temporary,
                     std::vector<location_copy>& into);

 private:
  std::vector<std::uint32_t> source_;  // by location: the source of its pending copy; npos: none
  std::vector<std::uint32_t> place_;   // by location: where its initial content is now; npos: not needed
  std::vector<std::uint32_t> ready_;   // locations that can be written: their content is not needed
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
    PLAIT_ASSERT(source_[to] == npos || source_[to] == from,
                 "copy_sequencer: two copies to one location have different sources");
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
      // The content of `from` is copied, so `from` can be written if a copy to it is pending.
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
