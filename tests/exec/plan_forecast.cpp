#include <plait/exec/plan_forecast.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/run_op.hpp>
#include <support/toy_operators.hpp>

namespace {

using B = plait::serial;

TEST_CASE("forecast_memory: a net without nets inside takes what its plan has, as the pool rounds it") {
  plait::netdef n = plait::read_netdef_text(R"(
    op { type: "Same" input: "x" output: "a" }
    op { type: "Reverse" input: "a" output: "b" }
    op { type: "Mix" input: "a" input: "b" output: "c" }
    op { type: "Reverse" input: "c" output: "y" }
    external_output: "y")");
  plait::workspace<B> blobs;
  blobs.feed<float>("x", std::vector<float>(100, 1), {100});
  auto plan = plait::compile(n, test::toy_operators<B>(), blobs);
  auto& pool = plait::memory_pool<B>::shared();
  std::size_t const before = pool.statistics().bytes_in_use;
  plait::memory_forecast const f = plait::forecast_memory(plan);
  CHECK(pool.statistics().bytes_in_use == before);
  CHECK(f.given == plait::memory_pool<B>::block_size(400));
  plan.run();
  auto const made = blobs.fetch<float>("y");
  CHECK(pool.statistics().bytes_in_use - before == f.kept + f.intermediate);
  CHECK(f.kept == plait::memory_pool<B>::block_size(400));
  CHECK(f.inside == 0);
  // Runs go on after it, and with other shapes.
  CHECK(plait::forecast_memory(plan).peak() == f.peak());
  plan.run();
  CHECK(blobs.fetch<float>("y") == made);
  blobs.feed<float>("x", std::vector<float>(200, 1), {200});
  CHECK(plait::forecast_memory(plan).given == plait::memory_pool<B>::block_size(800));
  std::ostringstream text;
  plait::write_forecast(text, f);
  CHECK(text.str() == "bytes: " + std::to_string(f.peak()) + " at most: 448 given, 448 kept, " +
                          std::to_string(f.intermediate) + " for intermediate values, 0 inside ops\n");
}

}  // namespace
