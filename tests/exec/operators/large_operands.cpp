// Element-wise ops on operands that exceed the caches: plans fuse them row-wise and run them for some rows at a time.
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/observer.hpp>

#include <support/run_op.hpp>

namespace {

std::vector<float> numbers(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> from(-2, 2);
  std::vector<float> made(count);
  for (float& x : made) x = from(engine);
  return made;
}

// Counter of ops. A plan with an observer runs them one by one, without fusion.
struct watching : plait::op_observer {
  std::size_t ops = 0;
  void after(plait::op_event const&) override { ++ops; }
};

constexpr char const* net = R"(
  op { type: "Add" input: "a" input: "b" output: "t" }
  op { type: "Tanh" input: "t" output: "u" }
  op { type: "Mul" input: "u" input: "a" output: "v" }
  op { type: "Add" input: "v" input: "bias" output: "v" arg { name: "broadcast" i: 1 } }
  op { type: "Sum" input: "u" input: "v" input: "t" output: "w" }
  op { type: "Relu" input: "w" output: "y" }
  op { type: "ReluGradient" input: "y" input: "v" output: "z" }
  op { type: "Softmax" input: "z" output: "s" }
  op { type: "Sigmoid" input: "s" output: "q" }
  op { type: "Negative" input: "q" output: "r" }
)";

}  // namespace

TEST_CASE_TEMPLATE("large operands: fused and unfused runs give the same bits", B, plait::serial, PLAIT_HOST_BACKENDS) {
  for (plait::shape const& dims : {plait::shape{1'200, 300}, plait::shape{2, 150'001}, plait::shape{30'000, 9}}) {
    CAPTURE(dims[0]);
    auto const count = static_cast<std::size_t>(dims.size());
    plait::workspace<B> blobs;
    blobs.feed("a", test::of<B>(dims, numbers(count, 1)));
    blobs.feed("b", test::of<B>(dims, numbers(count, 2)));
    blobs.feed("bias", test::of<B>({dims[1]}, numbers(static_cast<std::size_t>(dims[1]), 3)));
    auto plan = plait::compile(plait::read_netdef_text(net), test::table<B>(), blobs);
    watching watch;
    plait::run_options options;
    options.observer = &watch;
    plan.run(options);
    CHECK(watch.ops == 10);
    std::vector<std::vector<float>> wanted;
    auto const names = {"t", "u", "v", "w", "y", "z", "s", "q", "r"};
    for (char const* name : names) wanted.push_back(blobs.template fetch<float>(name));
    for (int round = 0; round != 2; ++round) {
      if (round == 1) {  // other memory, other elements
        blobs.feed("b", test::of<B>(dims, numbers(count, 4)));
        plan.run();
        blobs.feed("b", test::of<B>(dims, numbers(count, 2)));
      }
      plan.run();
      std::size_t at = 0;
      for (char const* name : names) CHECK(blobs.template fetch<float>(name) == wanted[at++]);
    }
  }
}

TEST_CASE("large operands: a result may be fed back as the input, at any address") {
  plait::workspace<plait::serial> blobs;
  std::vector<float> x = numbers(400'000, 5);
  blobs.feed("x", test::of<plait::serial>({400'000}, x));
  auto plan = plait::compile(
      plait::read_netdef_text(
          R"(op { type: "Add" input: "x" input: "x" output: "t" } op { type: "Negative" input: "t" output: "y" })"),
      test::table<plait::serial>(), blobs);
  for (int round = 0; round != 3; ++round) {
    plan.run();
    for (float& value : x) value *= -2;
    REQUIRE(blobs.fetch<float>("y") == x);
    blobs.feed("x", blobs.view("y"));
  }
}
