// What is fed between runs, and memory that others hold: other shapes, other tensors at the same place, one tensor
// under two names.
#include <chrono>
#include <cmath>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/feed.hpp>
#include <plait/exec/observers.hpp>
#include <plait/exec/parallel.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/serial.hpp>
#include <plait/netdef/text_reader.hpp>
#include <plait/netdef/traits.hpp>

#include <support/toy_operators.hpp>

namespace {

using backend = plait::serial;

// In place, and checks before it writes.
template <class B>
struct root_kernel : plait::op_kernel<B> {
  explicit root_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<B>& c) override {
    for (std::size_t i = 0; i != c.size(0); ++i)
      c.template output<float>(0)[i] = std::sqrt(c.template input<float>(0)[i]);
  }
};

// y = x, read when others have had the time to run.
template <class B>
struct late_kernel : plait::op_kernel<B> {
  explicit late_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<B>& c) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (std::size_t i = 0; i != c.size(0); ++i) c.template output<float>(0)[i] = c.template input<float>(0)[i];
  }
};

// y = x + w[0]; keeps w[0] while it is the same, as FC keeps packed weights.
template <class B>
struct shifted_kernel : plait::op_kernel<B> {
  explicit shifted_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  bool begin_series(plait::op_context<B>& c, plait::run_series const& series) override {
    if (series.same[1]) kept = std::make_unique<float>(*c.template input<float>(1));
    return false;
  }
  void end_series(plait::op_context<B>&, bool) override { kept.reset(); }
  void run(plait::op_context<B>& c) override {
    float const w = kept ? *kept : *c.template input<float>(1);
    for (std::size_t i = 0; i != c.size(0); ++i) c.template output<float>(0)[i] = c.template input<float>(0)[i] + w;
  }
  std::unique_ptr<float> kept;
};

plait::operators<backend> table() {
  auto made = test::toy_operators<backend>();
  made.add<root_kernel>(plait::op_schema("Root").inputs(1).outputs(1).in_place(0, 0).checks_first());
  made.add<late_kernel>(plait::op_schema("Late").inputs(1).outputs(1));
  made.add<shifted_kernel>(plait::op_schema("Shifted").inputs(2).outputs(1));
  return made;
}

using floats = std::vector<float>;

}  // namespace

TEST_CASE("a shape that changed before a run that failed counts in the next") {
  auto const net = plait::read_netdef_text(R"(
    op { type: "Reverse" input: "a" output: "c" } op { type: "Reverse" input: "b" output: "d" })");
  plait::workspace<backend> blobs;
  blobs.feed<float>("a", {1, 2}, {2});
  blobs.feed<float>("b", {1}, {1});
  auto plan = plait::compile(net, table(), blobs);
  plan.run();
  blobs.reset();
  blobs.feed<float>("a", floats(1000, 1), {1000});
  CHECK_THROWS_WITH_AS(plan.run(), doctest::Contains("no blob 'b'"), plait::exec_error);
  blobs.feed<float>("b", {1}, {1});
  plan.run();
  CHECK(blobs.fetch<float>("c") == floats(1000, 1));
}

TEST_CASE("an output that is fed as an input keeps its elements while it is read") {
  auto const net = plait::read_netdef_text(R"(op { type: "Reverse" input: "x" output: "y" })");
  plait::workspace<backend> blobs;
  blobs.feed<float>("x", {1, 2, 3, 4}, {4});
  auto plan = plait::compile(net, table(), blobs);
  plan.run();
  blobs.feed("x", blobs.view("y"));
  plan.run();
  CHECK(blobs.fetch<float>("y") == floats{1, 2, 3, 4});
  CHECK(blobs.fetch<float>("x") == floats{4, 3, 2, 1});
}

TEST_CASE("a constant is another where another tensor stands in the same memory") {
  auto const net = plait::read_netdef_text(R"(op { type: "Shifted" input: "x" input: "w" output: "y" })");
  plait::workspace<backend> blobs;
  blobs.feed<float>("x", {0}, {1});
  blobs.feed<float>("w", {1}, {1});
  auto plan = plait::compile(net, table(), blobs, {.constants = {"w"}});
  plan.run();
  CHECK(blobs.fetch<float>("y") == floats{1});
  blobs.feed<float>("w", {2}, {1});
  blobs.feed<float>("w", {3}, {1});  // in what the first one gave back
  plan.run();
  CHECK(blobs.fetch<float>("y") == floats{3});
}

TEST_CASE("what an observer stops leaves what was fed as it was") {
  auto const net = plait::read_netdef_text(R"(op { type: "Root" input: "p" output: "p" })");
  plait::workspace<backend> blobs;
  blobs.feed<float>("p", {-1, 4}, {2});
  auto plan = plait::compile(net, table(), blobs);
  plait::nan_observer<backend> watch;
  CHECK_THROWS_AS(plan.run({.observer = &watch}), plait::exec_error);
  CHECK(blobs.fetch<float>("p") == floats{-1, 4});
}

TEST_CASE("outputs go to memory of their own, not to a tensor that repeats its elements") {
  auto const net = plait::read_netdef_text(R"(op { type: "Reverse" input: "x" output: "y" })");
  plait::workspace<backend> blobs;
  blobs.feed<float>("x", {1, 2, 3, 4}, {4});
  auto plan = plait::compile(net, table(), blobs);
  plan.run();
  plait::workspace<backend> others;
  others.feed<float>("x", {1, 2, 3, 4}, {4});
  floats held(4, 7);
  std::shared_ptr<float> only(held.data(), [](float*) {});
  others.feed("y", plait::tensor<backend>::adopt(held.data(), {plait::element_type::float32, {4}}, plait::strides{0},
                                                 std::move(only)));
  plan.rebind(others);
  plan.run();
  CHECK(others.fetch<float>("y") == floats{4, 3, 2, 1});
  CHECK(held == floats(4, 7));
}

TEST_CASE("in parallel an op reads what was fed although another writes the name") {
  auto const net = plait::read_netdef_text(R"(
    op { type: "Late" input: "x" output: "s" } op { type: "Same" input: "z" output: "x" })");
  plait::workspace<backend> blobs;
  floats fed{1, 2};  // spoilt when nobody holds it any more
  std::shared_ptr<float> owner(fed.data(), [](float* at) { at[0] = at[1] = -1; });
  blobs.feed("x", plait::tensor<backend>::borrow(std::span<float>(fed), {2}, std::move(owner)));
  blobs.feed<float>("z", {10, 10}, {2});
  auto plan = plait::compile(net, table(), blobs, {.parallel = true});
  plait::parallel_executor<backend> executor(plan);
  executor.run();
  CHECK(blobs.fetch<float>("s") == floats{1, 2});
  CHECK(blobs.fetch<float>("x") == floats{10, 10});
}
