// Load balancing of short parallel loops: the share of the thread that starts them.
//
// Other threads see a loop some 100 nanoseconds after it has begun, and their completion is seen as much later: in
// loops of microseconds, equal shares leave the first thread waiting for a tenth of the time. So now and then a loop is
// timed, and shares change until no thread waits for longer than a unit takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

/// Times of a parallel loop in nanoseconds, measured by the thread that has started it.
struct loop_times {
  std::int64_t own = 0;     ///< for its own share
  std::int64_t waited = 0;  ///< from then until it has seen that the others are done
  bool at_once = false;     ///< the others were done when it looked first
  bool early = false;       ///< the others were done before the last unit of its own share
};

/// Shares of a repeated loop, in units of equal work: that of the first thread, which may be larger or smaller than the
/// others, and an even split of the rest.
class loop_balance {
 public:
  constexpr loop_balance() = default;
  /// Begins with equal shares. Precondition: there is a unit for each thread.
  constexpr loop_balance(std::ptrdiff_t units, std::ptrdiff_t threads)
      : own_((units + threads - 1) / threads), most_(units - (threads - 1)) {}

  /// Returns the units of the first thread; at least one is left for each other.
  constexpr std::ptrdiff_t own() const noexcept { return own_; }

  /// Returns true if the shares change: after `enough` consecutive loops that agree. The first thread gets a unit more
  /// if the others were later than a unit takes.
  constexpr bool learn(loop_times const& t) noexcept {
    if (t.early) {
      agreed_ = std::min(agreed_, 0) - 1;
    } else if (!t.at_once && t.waited - answer > t.own / own_) {
      agreed_ = std::max(agreed_, 0) + 1;
    } else {
      agreed_ = 0;
    }
    if (agreed_ != enough && agreed_ != -enough) return false;
    std::ptrdiff_t const before = own_;
    own_ = std::clamp<std::ptrdiff_t>(own_ + (agreed_ > 0 ? 1 : -1), 1, most_);
    agreed_ = 0;
    return own_ != before;
  }

 private:
  static constexpr int enough = 4;
  static constexpr std::int64_t answer = 100;  // to read what another thread has just written

  std::ptrdiff_t own_ = 0;
  std::ptrdiff_t most_ = 0;
  int agreed_ = 0;  // consecutive loops that wanted more; negative: less
};

}  // namespace plait::detail
