#include <plait/exec/detail/operators/recurrent_network.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/plan.hpp>

#include <support/recurrent_nets.hpp>

namespace {

using B = plait::serial;

struct measured {
  std::size_t said = 0;  ///< forecast before the run
  std::size_t peak = 0;  ///< peak of a run, including fed blobs
};

/// Measures h = tanh(x + h w' + b) over T steps.
measured run_cell(std::int64_t steps, test::recurrence const& r) {
  constexpr std::int64_t batch = 32, width = 64;
  auto& pool = plait::memory_pool<B>::shared();
  std::size_t const before = pool.statistics().bytes_in_use;
  plait::workspace<B> blobs;
  test::feed_some<float>(blobs, "x", {steps, batch, width}, 1);
  test::feed_some<float>(blobs, "h0", {1, batch, width}, 2);
  test::feed_some<float>(blobs, "w", {width, width}, 3);
  test::feed_some<float>(blobs, "b", {width}, 4);
  if (r.trains) {
    test::feed_some<float>(blobs, "all_grad", {steps, batch, width}, 5);
    test::feed_some<float>(blobs, "last_grad", {1, batch, width}, 6);
  }
  measured made;
  auto plan = plait::compile(plait::read_netdef_text(r.op() + (r.trains ? r.gradient_op() : std::string())),
                             test::table<B>(), blobs);
  std::size_t const fed = pool.statistics().bytes_in_use;
  made.said = plan.forecast().peak();
  CHECK(pool.statistics().bytes_in_use == fed);
  for (int run = 0; run != 3; ++run) {
    pool.reset_peak();
    plan.run();
    made.peak = std::max(made.peak, pool.statistics().peak_bytes_in_use - before);
  }
  return made;
}

// The forecast omits scratch memory of running ops (packed weights, blocks of matrices): it does not depend on T.
TEST_CASE("plan::forecast: peak memory of a recurrence is predicted for any number of steps") {
  for (bool const trains : {false, true})
    for (bool const again : {false, true}) {
      test::recurrence r = test::simple_cell();
      r.trains = trains;
      if (again) r.recompute = {"s"};
      CAPTURE(trains);
      CAPTURE(again);
      measured const few = run_cell(200, r);
      measured const many = run_cell(800, r);
      CAPTURE(few.said);
      CAPTURE(few.peak);
      CAPTURE(many.said);
      CAPTURE(many.peak);
      CHECK(std::abs(static_cast<double>(many.peak) / static_cast<double>(many.said) - 1) < 0.02);
      CHECK(many.peak - many.said == few.peak - few.said);
    }
}

}  // namespace
