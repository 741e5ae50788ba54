#include <plait/exec/detail/kernels/loop_balance.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>

#include <doctest/doctest.h>

namespace {

using plait::detail::loop_balance;
using plait::detail::loop_times;
using std::int64_t;
using std::ptrdiff_t;

// Simulated loop: messages between threads take `message`; a unit takes `unit`, or `others_unit` on other threads.
struct world {
  ptrdiff_t units, threads;
  int64_t unit, others_unit, message;

  constexpr int64_t others_end(ptrdiff_t own) const {
    ptrdiff_t const each = (units - own + threads - 2) / (threads - 1);
    return 2 * message + each * others_unit;
  }
  constexpr int64_t duration(ptrdiff_t own) const { return std::max(own * unit, others_end(own)) + message; }
  constexpr loop_times times(ptrdiff_t own) const {
    loop_times t;
    t.own = own * unit;
    int64_t const left = others_end(own) - t.own;  // from the end of the first thread to the others' end
    t.at_once = left <= 0;
    t.early = left + unit <= 0;
    t.waited = std::max<int64_t>(left, 0) + message;
    return t;
  }
};

constexpr loop_balance learned(world const& w, loop_balance balance, int loops) {
  for (int i = 0; i != loops; ++i) balance.learn(w.times(balance.own()));
  return balance;
}

// Checks that a loop takes at most a unit longer than with the best shares.
void check_best(world const& w, loop_balance const& balance) {
  int64_t best = w.duration(1);
  for (ptrdiff_t own = 2; own <= w.units - (w.threads - 1); ++own) best = std::min(best, w.duration(own));
  CAPTURE(w.units);
  CAPTURE(w.threads);
  CAPTURE(w.unit);
  CAPTURE(w.others_unit);
  CAPTURE(w.message);
  CAPTURE(balance.own());
  CHECK(w.duration(balance.own()) - best <= std::max(w.unit, w.others_unit));
  ptrdiff_t const own = balance.own();
  CHECK(learned(w, balance, 1'000).own() == own);  // and stays there
}

TEST_CASE("loop_balance: shares are equal at first, and each thread keeps at least one unit") {
  for (ptrdiff_t threads = 2; threads != 6; ++threads)
    for (ptrdiff_t units = threads; units != 20; ++units) {
      CHECK(loop_balance(units, threads).own() == (units + threads - 1) / threads);
      world const slow{units, threads, 1, 1'000'000, 10};
      CHECK(learned(slow, loop_balance(units, threads), 1'000).own() == units - (threads - 1));
      world const quick{units, threads, 1'000'000, 1, 10};
      CHECK(learned(quick, loop_balance(units, threads), 1'000).own() == 1);
    }
}

TEST_CASE("loop_balance: the first thread's share makes up for the latency of messages") {
  for (ptrdiff_t const threads : {2, 3, 8})
    for (ptrdiff_t const units : {8, 16, 31, 64})
      for (int64_t const unit : {60, 150, 1'000})
        for (int64_t const message : {20, 70, 190, 900})
          for (int64_t const others_unit : {unit / 2, unit, unit * 3 / 2, unit * 4}) {
            world const w{units, threads, unit, others_unit, message};
            check_best(w, learned(w, loop_balance(units, threads), 1'000));
          }
  static_assert(learned({32, 2, 60, 60, 70}, {32, 2}, 100).own() == 17);
}

TEST_CASE("loop_balance: shares follow when threads become slower and quicker") {
  std::mt19937 random(3);
  loop_balance balance(40, 2);
  for (int turn = 0; turn != 50; ++turn) {
    world const w{40, 2, 50 + int64_t(random() % 400), 50 + int64_t(random() % 400), 30 + int64_t(random() % 300)};
    balance = learned(w, balance, 1'000);
    check_best(w, balance);
  }
}

TEST_CASE("loop_balance: single slow loops among others change nothing") {
  world const usual{32, 2, 100, 100, 70}, slow{32, 2, 100, 10'000, 70};
  loop_balance balance = learned(usual, {32, 2}, 100);
  ptrdiff_t const own = balance.own();
  for (int i = 0; i != 1'000; ++i) CHECK_FALSE(balance.learn((i % 3 == 0 ? slow : usual).times(own)));
}

}  // namespace
