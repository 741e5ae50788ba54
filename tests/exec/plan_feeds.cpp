// Feeds between runs, and memory held elsewhere: other shapes, other tensors at the same address, one tensor under two
// names.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/detail/parallel.hpp>
#include <plait/exec/feed.hpp>
#include <plait/exec/observers.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>

#include <support/task_groups.hpp>
#include <support/toy_operators.hpp>

namespace {

using backend = plait::serial;

// Kernel y = sqrt(x), registered as in place and checks_first.
template <class B>
struct root_kernel : plait::op_kernel<B> {
  explicit root_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<B>& c) override {
    for (std::size_t i = 0; i != c.size(0); ++i)
      c.template output<float>(0)[i] = std::sqrt(c.template input<float>(0)[i]);
  }
};

// Kernel y = x + w[0] that pre-packs w while it is constant.
template <class B>
struct shifted_kernel : plait::op_kernel<B> {
  explicit shifted_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  std::size_t pack(plait::op_context<B>& c, std::size_t input, void* to) override {
    if (input != 1) return 0;
    if (to != nullptr) *static_cast<float*>(to) = *c.template input<float>(1);
    return sizeof(float);
  }
  void run(plait::op_context<B>& c) override {
    auto const* const packed = static_cast<float const*>(c.packed(1));
    float const w = packed != nullptr ? *packed : *c.template input<float>(1);
    for (std::size_t i = 0; i != c.size(0); ++i) c.template output<float>(0)[i] = c.template input<float>(0)[i] + w;
  }
};

// Row-wise kernel y = 2 x, which may be streamed, and throws at a negative number.
template <class B>
struct rows_kernel : plait::op_kernel<B> {
  explicit rows_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void patterns(plait::op_context<B> const& c, std::vector<plait::op_pattern<B>>& to) const override {
    to.push_back({.kind = plait::pattern_kind::rows, .work = 16 * c.size(0)});
  }
  void run(plait::op_context<B>& c) override {
    for (std::size_t i = 0; i != c.size(0); ++i) {
      float const x = c.template input<float>(0)[i];
      if (x < 0) throw std::domain_error("a negative number");
      c.template output<float>(0)[i] = 2 * x;
    }
  }
};
// Like rows_kernel, for any number.
template <class B>
struct any_rows_kernel : rows_kernel<B> {
  using rows_kernel<B>::rows_kernel;
  void run(plait::op_context<B>& c) override {
    for (std::size_t i = 0; i != c.size(0); ++i) c.template output<float>(0)[i] = 2 * c.template input<float>(0)[i];
  }
};

// Kernel that runs a net that fails.
template <class B>
struct calling_kernel : plait::op_kernel<B> {
  explicit calling_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<B>&) override {
    plait::workspace<B> blobs;
    auto plan = plait::compile(plait::read_netdef_text(R"(
      op { type: "Ones" input: "n" output: "a" } op { type: "Same" input: "a" output: "b" }
      op { type: "Break" input: "x" output: "y" })"),
                               test::toy_operators<B>(), blobs);
    blobs.template feed<float>("n", {2}, {1});
    blobs.template feed<float>("x", {-1}, {1});
    plan.run();
  }
};

// Throws an exception other than plait::error in the constructor, infer or prepare.
template <class B>
struct throwing_kernel : plait::op_kernel<B> {
  explicit throwing_kernel(plait::op_arguments const& a) : place(a.integer("place")) {
    if (place == 0) throw std::invalid_argument("not at all");
  }
  void infer(plait::shape_context& c) override {
    if (place == 1) throw 7;
    c.output(0, c.type(0), c.dims(0));
  }
  void prepare(plait::op_context<B>&) override {
    if (place == 2) throw 7;
  }
  void run(plait::op_context<B>&) override {}
  std::int64_t place;
};

// Observer that runs a failing net before op 1.
struct calling_observer : plait::op_observer {
  void before(plait::op_event const& e) override {
    plait::workspace<backend> blobs;
    if (e.op == 1)
      plait::compile(plait::read_netdef_text(R"(op { type: "Same" input: "x" output: "y" })"),
                     test::toy_operators<backend>(), blobs)
          .run();
  }
  void after(plait::op_event const&) override {}
};

plait::operators<backend> table() {
  auto made = test::toy_operators<backend>();
  made.add<rows_kernel>(plait::op_schema("Rows").inputs(1).outputs(1));
  made.add<any_rows_kernel>(plait::op_schema("AnyRows").inputs(1).outputs(1).in_place(0, 0).checks_first());
  made.add<calling_kernel>(plait::op_schema("Calling").inputs(1).outputs(1));
  made.add<root_kernel>(plait::op_schema("Root").inputs(1).outputs(1).in_place(0, 0).checks_first());
  made.add<throwing_kernel>(
      plait::op_schema("Throwing").inputs(1).outputs(1).argument("place", std::int64_t{3}, "where"));
  made.add<shifted_kernel>(plait::op_schema("Shifted").inputs(2).outputs(1));
  return made;
}

using floats = std::vector<float>;

}  // namespace

// Calls check(run) 20 times; run(plan) runs independent ops in another order each time.
template <class F>
void in_every_order(F const& check) {
  for (unsigned seed = 0; seed != 20; ++seed) {
    CAPTURE(seed);
    test::shuffled_tasks::random.seed(seed);
    check([](plait::plan<backend>& plan) { plait::parallel_executor<backend, test::shuffled_tasks>(plan).run(); });
  }
}

TEST_CASE("plan: a shape that changed before a failed run is seen by the next run") {
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

TEST_CASE("plan: an output that is fed as an input keeps its elements while it is read") {
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

TEST_CASE("plan: an output that is fed as borrowed memory keeps its elements while it is read") {
  auto const net = plait::read_netdef_text(R"(op { type: "Reverse" input: "x" output: "y" }
                                              op { type: "Same" input: "z" output: "w" })");
  using tensor = plait::tensor<backend>;
  plait::workspace<backend> blobs;
  blobs.feed<float>("x", {1, 2, 3, 4}, {4});
  blobs.feed<float>("z", {1}, {1});
  auto plan = plait::compile(net, table(), blobs);
  plan.run();
  tensor const first = blobs.view("y");
  auto const borrowed = [](tensor t) { return tensor::borrow(std::span<float>(t.data<float>(), 4), {4}); };
  blobs.feed("x", borrowed(first));
  plan.run();
  CHECK(blobs.fetch<float>("y") == floats{1, 2, 3, 4});
  CHECK(blobs.fetch<float>("x") == floats{4, 3, 2, 1});
  CHECK(blobs.view("y").raw() != first.raw());
  // Both tensors between which y alternates are read.
  blobs.feed("z", borrowed(first));
  blobs.feed("x", borrowed(blobs.view("y")));
  plan.run();
  CHECK(blobs.fetch<float>("y") == floats{4, 3, 2, 1});
  CHECK(blobs.fetch<float>("x") == floats{1, 2, 3, 4});
  CHECK(blobs.fetch<float>("w") == floats{4, 3, 2, 1});
}

TEST_CASE("plan: a constant is packed again when another slice of the same tensor is fed") {
  auto const net = plait::read_netdef_text(R"(op { type: "Shifted" input: "x" input: "w" output: "y" })");
  plait::workspace<backend> blobs;
  blobs.feed<float>("x", {0}, {1});
  auto const all = plait::tensor<backend>::from(floats{1, 2, 3, 4}, {2, 2});
  blobs.feed("w", all.slice(1, 0, 1));
  auto plan = plait::compile(net, table(), blobs, {.constants = {"w"}});
  plan.run();
  CHECK(blobs.fetch<float>("y") == floats{1});
  blobs.feed("w", all.slice(1, 1, 2));
  plan.run();
  CHECK(blobs.fetch<float>("y") == floats{2});
}

TEST_CASE("plan: a constant is packed again when another tensor has the same memory") {
  auto const net = plait::read_netdef_text(R"(op { type: "Shifted" input: "x" input: "w" output: "y" })");
  plait::workspace<backend> blobs;
  blobs.feed<float>("x", {0}, {1});
  blobs.feed<float>("w", {1}, {1});
  auto plan = plait::compile(net, table(), blobs, {.constants = {"w"}});
  plan.run();
  CHECK(blobs.fetch<float>("y") == floats{1});
  blobs.feed<float>("w", {2}, {1});
  blobs.feed<float>("w", {3}, {1});  // in the memory that the first one released
  plan.run();
  CHECK(blobs.fetch<float>("y") == floats{3});
}

TEST_CASE("plan: fed blobs are rolled back when an observer throws") {
  auto const net = plait::read_netdef_text(R"(op { type: "Root" input: "p" output: "p" })");
  plait::workspace<backend> blobs;
  blobs.feed<float>("p", {-1, 4}, {2});
  auto plan = plait::compile(net, table(), blobs);
  plait::nan_observer<backend> watch;
  CHECK_THROWS_AS(plan.run({.observer = &watch}), plait::exec_error);
  CHECK(blobs.fetch<float>("p") == floats{-1, 4});
}

TEST_CASE("plan: outputs do not reuse a tensor that repeats its elements") {
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

TEST_CASE("parallel_executor: an op reads a fed blob although another op overwrites its name") {
  auto const net = plait::read_netdef_text(R"(
    op { type: "Same" input: "x" output: "s" } op { type: "Same" input: "z" output: "x" })");
  in_every_order([&](auto const& run) {
    plait::workspace<backend> blobs;
    floats fed{1, 2};  // overwritten when the last reference is gone
    std::shared_ptr<float> owner(fed.data(), [](float* at) { at[0] = at[1] = -1; });
    blobs.feed("x", plait::tensor<backend>::borrow(std::span<float>(fed), {2}, std::move(owner)));
    blobs.feed<float>("z", {10, 10}, {2});
    auto plan = plait::compile(net, table(), blobs, {.parallel = true});
    run(plan);
    CHECK(blobs.fetch<float>("s") == floats{1, 2});
    CHECK(blobs.fetch<float>("x") == floats{10, 10});
  });
}

TEST_CASE("plan: an update in place does not change other blobs fed with the same memory") {
  auto const net = plait::read_netdef_text(R"(
    op { type: "Root" input: "p" output: "p" } op { type: "Reverse" input: "q" output: "r" }
    op { type: "Root" input: "s" output: "s" })");
  auto const whole = plait::tensor<backend>::from(floats{1, 4, 9, 16, 25, 36}, {6});
  plait::workspace<backend> blobs;
  auto plan = plait::compile(net, table(), blobs);
  SUBCASE("one tensor") {
    for (auto const* name : {"p", "q", "s"}) blobs.feed(name, whole);
    plan.run();
    CHECK(blobs.fetch<float>("p") == floats{1, 2, 3, 4, 5, 6});
    CHECK(blobs.fetch<float>("r") == floats{36, 25, 16, 9, 4, 1});
    CHECK(blobs.fetch<float>("s") == floats{1, 2, 3, 4, 5, 6});
    CHECK(blobs.fetch<float>("q") == floats{1, 4, 9, 16, 25, 36});
  }
  SUBCASE("slices that overlap") {
    blobs.feed("q", whole);
    blobs.feed("p", whole.slice(0, 0, 2));
    blobs.feed("s", whole.slice(0, 1, 6));
    plan.run();
    CHECK(blobs.fetch<float>("p") == floats{1, 2});
    CHECK(blobs.fetch<float>("s") == floats{2, 3, 4, 5, 6});
    CHECK(blobs.fetch<float>("r") == floats{36, 25, 16, 9, 4, 1});
  }
  SUBCASE("disjoint slices are updated in place") {
    blobs.feed("q", whole.slice(0, 4, 6));
    blobs.feed("s", whole.slice(0, 2, 4));
    blobs.feed("p", whole.slice(0, 0, 2));
    plan.run();
    CHECK(whole.values<float>() == floats{1, 2, 3, 4, 25, 36});
  }
  SUBCASE("a view with strides") {
    std::size_t const order[] = {1, 0};
    auto const turned = whole.reshape({2, 3}).transpose(order);
    blobs.feed("s", whole.clone());
    blobs.feed("p", whole);
    blobs.feed("q", turned);
    plan.run();
    plan.run();
    CHECK(blobs.fetch<float>("r") == floats{36, 9, 25, 4, 16, 1});
    CHECK(blobs.fetch<float>("q") == floats{1, 16, 4, 25, 9, 36});
  }
  SUBCASE("fed before a failed run") {
    for (auto const* name : {"p", "q", "s"}) blobs.feed(name, whole.clone());
    plan.run();
    auto const held = blobs.view("s");
    blobs.find("s")->clear();
    for (auto const* name : {"p", "q"}) blobs.feed(name, whole);
    CHECK_THROWS_WITH_AS(plan.run(), doctest::Contains("no blob 's'"), plait::exec_error);
    blobs.feed("s", held);
    plan.run();
    CHECK(blobs.fetch<float>("q") == floats{1, 4, 9, 16, 25, 36});
    CHECK(blobs.fetch<float>("r") == floats{36, 25, 16, 9, 4, 1});
  }
  SUBCASE("after a run without aliases") {
    blobs.feed("q", whole.clone());
    blobs.feed("p", whole.clone());
    blobs.feed("s", whole);
    plan.run();
    blobs.feed("q", blobs.view("s"));
    plan.run();
    CHECK(blobs.fetch<float>("q") == floats{1, 2, 3, 4, 5, 6});
    CHECK(blobs.fetch<float>("r") == floats{6, 5, 4, 3, 2, 1});
  }
}

TEST_CASE("plan: a fed view with strides is read again in each run") {
  auto const net = plait::read_netdef_text(R"(op { type: "Reverse" input: "x" output: "y" })");
  floats held{1, 2, 3, 4, 5, 6};
  auto const every_other = plait::tensor<backend>::borrow(std::span<float>(held), {6}).slice(0, 0, 6, 2);
  plait::workspace<backend> blobs;
  blobs.feed("x", every_other);
  auto plan = plait::compile(net, table(), blobs);
  plan.run();
  CHECK(blobs.fetch<float>("y") == floats{5, 3, 1});
  held[2] = 7;
  plan.run();
  CHECK(blobs.fetch<float>("y") == floats{5, 7, 1});
  CHECK(blobs.view("x").raw() == held.data());
}

TEST_CASE("plan: an update of a fed view with strides changes a copy, which the blob then holds") {
  auto const net = plait::read_netdef_text(R"(op { type: "Root" input: "x" output: "x" })");
  floats held{1, 2, 4, 3, 16, 5};
  plait::workspace<backend> blobs;
  blobs.feed("x", plait::tensor<backend>::borrow(std::span<float>(held), {6}).slice(0, 0, 6, 2));
  auto plan = plait::compile(net, table(), blobs);
  plan.run();
  plan.run();
  CHECK(blobs.fetch<float>("x") == floats{1, std::sqrt(2.0F), 2});
  CHECK(held == floats{1, 2, 4, 3, 16, 5});
}

TEST_CASE("plan: if an op fails at some rows, the op before it has updated all rows in place") {
  auto const net = plait::read_netdef_text(R"(
    op { type: "AnyRows" input: "x" output: "x" } op { type: "Rows" input: "x" output: "y" })");
  constexpr std::int64_t rows = 40000;
  constexpr std::int64_t columns = 64;
  floats fed(static_cast<std::size_t>(rows * columns), 1);
  fed[fed.size() / 2] = -1;
  plait::workspace<backend> blobs;
  blobs.feed("x", fed, {rows, columns});
  auto plan = plait::compile(net, table(), blobs);
  try {
    plan.run();
    FAIL("a negative number was taken");
  } catch (plait::exec_error const& e) {
    CHECK(e.op == 1);
  }
  for (float& x : fed) x *= 2;
  CHECK(blobs.fetch<float>("x") == fed);
}

TEST_CASE("plan: if an op fails at some rows, the op before it has replaced all rows of a fed blob") {
  auto const net = plait::read_netdef_text(R"(
    op { type: "Rows" input: "x" output: "x" } op { type: "Rows" input: "z" output: "y" })");
  constexpr std::int64_t rows = 40000;
  constexpr std::int64_t columns = 64;
  floats fed(static_cast<std::size_t>(rows * columns), 1);
  plait::workspace<backend> blobs;
  blobs.feed("x", fed, {rows, columns});
  fed[fed.size() / 2] = -1;
  blobs.feed("z", fed, {rows, columns});
  auto plan = plait::compile(net, table(), blobs);
  CHECK_THROWS_AS(plan.run(), plait::exec_error);
  CHECK(blobs.fetch<float>("x") == floats(fed.size(), 2));
}

TEST_CASE("parallel_executor: an op that overwrites a fed blob waits for earlier ops that may fail") {
  for (auto const* replaced :
       {R"(op { type: "Root" input: "z" output: "z" })",
        R"(op { type: "Same" input: "z" output: "w" } op { type: "Same" input: "x" output: "z" })"})
    in_every_order([&](auto const& run) {
      plait::workspace<backend> blobs;
      blobs.feed<float>("x", {-1}, {1});
      blobs.feed<float>("z", {16}, {1});
      auto plan = plait::compile(plait::read_netdef_text(std::string(R"(op { type: "Same" input: "x" output: "a" }
                                                                        op { type: "Rows" input: "a" output: "b" })") +
                                                         replaced),
                                 table(), blobs, {.parallel = true});
      CHECK_THROWS_WITH_AS(run(plan), doctest::Contains("op 1 (Rows)"), plait::exec_error);
      CHECK(blobs.fetch<float>("z") == floats{16});
    });
}

TEST_CASE("plan: any exception of a kernel, wherever thrown, names its op") {
  for (int const place : {0, 1, 2}) {
    plait::workspace<backend> blobs;
    blobs.feed<float>("x", {1}, {1});
    auto const net = plait::read_netdef_text(R"(op { type: "Same" input: "x" output: "y" }
      op { type: "Throwing" input: "y" output: "z" arg { name: "place" i: )" +
                                             std::to_string(place) + " } }");
    try {
      plait::compile(net, table(), blobs).run();
      FAIL("nothing was thrown");
    } catch (plait::exec_error const& e) {
      CHECK(e.op == 1);
      CHECK(e.type == "Throwing");
    }
  }
}

TEST_CASE("plan: a failure in a net that an observer runs names the observed op") {
  plait::workspace<backend> blobs;
  blobs.feed<float>("x", {1}, {1});
  calling_observer observer;
  auto plan = plait::compile(plait::read_netdef_text(R"(op { type: "Same" input: "x" output: "y" }
                                                        op { type: "Reverse" input: "y" output: "z" })"),
                             table(), blobs);
  CHECK_THROWS_WITH_AS(plan.run({.observer = &observer}),
                       doctest::Contains("op 1 (Reverse): op 0 (Same): the workspace has no blob 'x'"),
                       plait::exec_error);
}

TEST_CASE("plan: a failure in a net that a kernel runs names the enclosing op") {
  plait::workspace<backend> blobs;
  blobs.feed<float>("z", {1}, {1});
  auto plan =
      plait::compile(plait::read_netdef_text(R"(op { type: "Calling" input: "z" output: "w" })"), table(), blobs);
  try {
    plan.run();
    FAIL("the net inside does not fail");
  } catch (plait::exec_error const& e) {
    CHECK(e.op == 0);
    CHECK(e.type == "Calling");
    CHECK(std::string_view(e.what()).starts_with("plait: op 0 (Calling): op 2 (Break): "));
  }
}

TEST_CASE("workspace::feed: elements that do not fill the shape are refused with the blob's name") {
  plait::workspace<backend> blobs;
  CHECK_THROWS_WITH_AS(blobs.feed<float>("here", {1, 2}, {3}),
                       "plait: blob 'here': 2 elements do not make a tensor of 3", plait::shape_error);
  CHECK(!blobs.contains("here"));
}
