#include "sequence_diff.hpp"

#include <algorithm>

namespace cli {

namespace {

using sequence = std::span<std::uint32_t const>;
using position = std::ptrdiff_t;

// Run of equal elements in the middle of a shortest edit script: a[x, x + length) equals b[y, y + length).
struct snake {
  position x;
  position y;
  position length;
};

// Finds the middle snake of two sequences that differ in their first and in their last element. The arrays hold, by
// diagonal, the furthest position in `a` that paths from the start (from the end) reach.
class middle_finder {
 public:
  middle_finder(std::size_t a, std::size_t b) : offset_(static_cast<position>(a + b + 1)) {
    forward_.resize(2 * (a + b) + 3);
    backward_.resize(forward_.size());
  }

  snake find(sequence a, sequence b) {
    position const n = std::ssize(a);
    position const m = std::ssize(b);
    position const delta = n - m;
    at(forward_, 1) = 0;
    at(backward_, 1) = 0;
    for (position d = 0;; ++d) {
      for (position k = -d; k <= d; k += 2) {
        position const start = furthest(forward_, k, d);
        position x = start;
        while (x < n && x - k < m && a[index(x)] == b[index(x - k)]) ++x;
        at(forward_, k) = x;
        position const opposite = delta - k;
        if (delta % 2 != 0 && opposite > -d && opposite < d && x + at(backward_, opposite) >= n)
          return {start, start - k, x - start};
      }
      for (position k = -d; k <= d; k += 2) {
        position const start = furthest(backward_, k, d);
        position x = start;
        while (x < n && x - k < m && a[index(n - 1 - x)] == b[index(m - 1 - (x - k))]) ++x;
        at(backward_, k) = x;
        position const opposite = delta - k;
        if (delta % 2 == 0 && opposite >= -d && opposite <= d && x + at(forward_, opposite) >= n)
          return {n - x, m - (x - k), x - start};
      }
    }
  }

 private:
  static std::size_t index(position at) { return static_cast<std::size_t>(at); }
  position& at(std::vector<position>& of, position diagonal) { return of[index(offset_ + diagonal)]; }
  position furthest(std::vector<position>& of, position k, position d) {
    bool const down = k == -d || (k != d && at(of, k - 1) < at(of, k + 1));
    return down ? at(of, k + 1) : at(of, k - 1) + 1;
  }

  position offset_;
  std::vector<position> forward_;
  std::vector<position> backward_;
};

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> common_subsequence(sequence a, sequence b) {
  struct box {
    std::size_t a, a_end, b, b_end;
  };
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  middle_finder finder(a.size(), b.size());
  std::vector<box> pending{{0, a.size(), 0, b.size()}};
  while (!pending.empty()) {
    box here = pending.back();
    pending.pop_back();
    while (here.a != here.a_end && here.b != here.b_end && a[here.a] == b[here.b])
      pairs.emplace_back(here.a++, here.b++);
    while (here.a != here.a_end && here.b != here.b_end && a[here.a_end - 1] == b[here.b_end - 1])
      pairs.emplace_back(--here.a_end, --here.b_end);
    if (here.a == here.a_end || here.b == here.b_end) continue;
    snake const middle = finder.find(a.subspan(here.a, here.a_end - here.a), b.subspan(here.b, here.b_end - here.b));
    std::size_t const x = here.a + static_cast<std::size_t>(middle.x);
    std::size_t const y = here.b + static_cast<std::size_t>(middle.y);
    auto const length = static_cast<std::size_t>(middle.length);
    for (std::size_t i = 0; i != length; ++i) pairs.emplace_back(x + i, y + i);
    pending.push_back({here.a, x, here.b, y});
    pending.push_back({x + length, here.a_end, y + length, here.b_end});
  }
  std::ranges::sort(pairs);
  return pairs;
}

}  // namespace cli
