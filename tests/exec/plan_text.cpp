#include <plait/exec/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/run_op.hpp>
#include <support/toy_operators.hpp>

namespace {

using B = plait::serial;

TEST_CASE("plan::forecast: a net without nested nets uses the memory of its plan, rounded by the pool") {
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
  plait::memory_use const f = plan.forecast();
  CHECK(pool.statistics().bytes_in_use == before);
  CHECK(f.given == plait::memory_pool<B>::block_size(400));
  plan.run();
  auto const made = blobs.fetch<float>("y");
  CHECK(pool.statistics().bytes_in_use - before == f.kept + f.intermediate);
  CHECK(f.kept == plait::memory_pool<B>::block_size(400));
  CHECK(f.inside == 0);
  // Runs continue after a forecast, also with other shapes.
  CHECK(plan.forecast().peak() == f.peak());
  plan.run();
  CHECK(blobs.fetch<float>("y") == made);
  blobs.feed<float>("x", std::vector<float>(200, 1), {200});
  CHECK(plan.forecast().given == plait::memory_pool<B>::block_size(800));
  std::ostringstream text;
  plait::write_memory(text, f);
  CHECK(text.str() == "bytes: " + std::to_string(f.peak()) + " at most: 448 given, 448 kept, " +
                          std::to_string(f.intermediate) + " for intermediate values, 0 packed, 0 inside ops\n");
}

TEST_CASE("plan::forecast: sums saturate at the largest number") {
  plait::netdef n;
  for (int i = 0; i != 20; ++i) {
    std::string const name = "y" + std::to_string(i);
    plait::op_def& op = n.add_op("ConstantFill", {}, {name});
    op.arg.push_back(plait::make_argument(n, {"shape", std::vector<std::int64_t>{std::int64_t{1} << 58}}));
    n.external_output.push_back(n.intern(name));
  }
  plait::workspace<B> blobs;
  auto plan = plait::compile(n, test::table<B>(), blobs);
  CHECK(plan.forecast().kept == std::numeric_limits<std::size_t>::max());
  CHECK(plan.forecast().peak() == std::numeric_limits<std::size_t>::max());
}

TEST_CASE("plan::forecast: shapes from fed elements or known types are accepted, others refused") {
  auto const feed = [](plait::workspace<B>& blobs) {
    blobs.feed<float>("x", std::vector<float>(96, 1), {4, 24});
    blobs.feed<float>("z", std::vector<float>(96, 1), {8, 12});
    blobs.feed<std::int32_t>("dims", {2, 48}, {2});
  };
  auto const check = [&](std::string const& text) {
    CAPTURE(text);
    plait::workspace<B> blobs;
    feed(blobs);
    auto plan = plait::compile(plait::read_netdef_text(text + " external_output: 'y'"), test::table<B>(), blobs);
    auto& pool = plait::memory_pool<B>::shared();
    std::size_t const before = pool.statistics().bytes_in_use;
    plait::memory_use const f = plan.forecast();
    plan.run();
    CHECK(pool.statistics().bytes_in_use - before == f.kept + f.intermediate);
    return blobs.view("y").dims();
  };
  using plait::shape;
  CHECK(check("op { type: 'Reshape' input: 'x' input: 'dims' output: 'y' output: 'old' }") == shape{2, 48});
  CHECK(check("op { type: 'Shape' input: 'x' output: 's' } op { type: 'Relu' input: 'z' output: 'r' }"
              "op { type: 'Reshape' input: 'r' input: 's' output: 'y' output: 'old' }") == shape{4, 24});
  CHECK(check("op { type: 'Reshape' input: 'x' output: 'a' output: 'old' arg { name: 'shape' ints: 96 } }"
              "op { type: 'Relu' input: 'a' output: 'b' }"
              "op { type: 'Reshape' input: 'b' input: 'old' output: 'y' output: 'older' }") == shape{4, 24});
  CHECK(
      check("op { type: 'Concat' input: 'x' input: 'x' output: 'c' output: 'extents' arg { name: 'axis' i: 1 } }"
            "op { type: 'Split' input: 'c' input: 'extents' output: 'y' output: 'rest' arg { name: 'axis' i: 1 } }") ==
      shape{4, 24});
  // A fill with the shape of a blob reads no elements.
  CHECK(check("op { type: 'Relu' input: 'x' output: 'r' } op { type: 'ConstantFill' input: 'r' output: 'y' }") ==
        shape{4, 24});
  plait::workspace<B> blobs;
  feed(blobs);
  auto plan = plait::compile(plait::read_netdef_text("op { type: 'Unique' input: 'dims' output: 'y' }"),
                             test::table<B>(), blobs);
  CHECK(plan.forecast().kept != 0);  // it reads the fed elements
  auto unknown =
      plait::compile(plait::read_netdef_text(
                         "op { type: 'Copy' input: 'dims' output: 'd' } op { type: 'Unique' input: 'd' output: 'y' }"),
                     test::table<B>(), blobs);
  CHECK_THROWS_WITH_AS(static_cast<void>(unknown.forecast()),
                       doctest::Contains("op 1 (Unique): its shapes come from elements"), plait::exec_error);
}

}  // namespace
