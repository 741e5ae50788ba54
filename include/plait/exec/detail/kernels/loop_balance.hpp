// How much of a short loop the thread that begins it does itself.
//
// Others hear of a loop some 100 nanoseconds after it has begun, and are heard of as much later: of loops that take
// microseconds, equal shares leave the first thread waiting for a tenth of the time. So now and then a loop is timed,
// and shares are changed until nobody waits for longer than what is moved at a time takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

/// Of one that several threads share, as the thread sees it that has begun it; times in nanoseconds.
struct loop_times {
  std::int64_t own = 0;     ///< at its own part
  std::int64_t waited = 0;  ///< from there until it has heard that the others are done
  bool at_once = false;     ///< they were when it looked for the first time,
  bool early = false;       ///< and even before the last unit of its own part
};

/// Shares of a loop that is run again and again, in units of equal work: the first thread's, which may be larger or
/// smaller than the others', who divide the rest evenly.
class loop_balance {
 public:
  constexpr loop_balance() = default;
  /// At first equal shares. There is a unit for each thread.
  constexpr loop_balance(std::ptrdiff_t units, std::ptrdiff_t threads)
      : own_((units + threads - 1) / threads), most_(units - (threads - 1)) {}

  /// Units of the first thread; at least one is left for each other.
  constexpr std::ptrdiff_t own() const noexcept { return own_; }

  /// True if the shares are to change: when as many loops as are enough, each after the other, have said the same. A
  /// unit more for the first thread is worth it if the others were later than it takes.
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
  static constexpr std::int64_t answer = 100;  // what it takes to look, where another thread has just written

  std::ptrdiff_t own_ = 0;
  std::ptrdiff_t most_ = 0;
  int agreed_ = 0;  // so many loops after each other wanted more; less than 0: less
};

}  // namespace plait::detail
