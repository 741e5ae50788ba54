#include <plait/exec/detail/operators/mutexes.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

TEST_CASE_TEMPLATE("AtomicIter: counts up, under a mutex of CreateMutex", B, PLAIT_HOST_BACKENDS) {
  plait::workspace<B> blobs;
  blobs.feed("i", test::of<B, std::int64_t>({1}, {4}));
  plait::compile(plait::read_netdef_text("op { type: 'CreateMutex' output: 'm' }"), test::table<B>(), blobs).run();
  auto plan = plait::compile(plait::read_netdef_text("op { type: 'AtomicIter' input: 'm' input: 'i' output: 'i' }"),
                             test::table<B>(), blobs);
  for (int run = 0; run != 3; ++run) plan.run();
  CHECK(blobs.template fetch<std::int64_t>("i") == std::vector<std::int64_t>{7});
  auto const one = test::run_net<B>(
      test::table<B>(),
      "op { type: 'CreateMutex' output: 'm' } op { type: 'AtomicIter' input: 'm' input: 'i' output: 'i' }",
      {{"i", test::of<B, std::int64_t>({1}, {4})}});
  CHECK(one.template fetch<std::int64_t>("i") == std::vector<std::int64_t>{5});
}

TEST_CASE("AtomicIter: requires a mutex and an int64") {
  using B = plait::serial;
  auto const error = [](test::feeds<B> const& fed) {
    return test::error_of<B>(test::table<B>(), "type: 'AtomicIter' input: 'm' input: 'i' output: 'i'", fed);
  };
  CHECK(test::has(error({{"m", test::counted<B, float>({1})}, {"i", test::counted<B, std::int64_t>({1})}}),
                  "should be a mutex"));
  CHECK(test::has(error({{"m", test::counted<B, float>({1})}, {"i", test::counted<B, std::int64_t>({2})}}),
                  "be one number"));
  CHECK(test::has(error({{"m", test::counted<B, float>({1})}, {"i", test::counted<B, float>({1})}}), "hold int64"));
}

}  // namespace
