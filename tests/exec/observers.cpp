#include <plait/exec/observers.hpp>

#include <cmath>
#include <limits>
#include <sstream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <plait/exec/backends/tbb/detail/parallel.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/detail/plan_text.hpp>

#include <support/run_op.hpp>
#include <support/toy_operators.hpp>

namespace {

using B = plait::serial;

plait::netdef net() {
  return plait::read_netdef_text(R"(
    op { type: "Mix" name: "the \"first\"" input: "x" input: "y" output: "z" }
    op { type: "Reverse" input: "z" output: "w" }
    op { type: "Update" input: "x" input: "w" output: "x" }
    external_output: "w")");
}

TEST_CASE("time_observer: each op is recorded once, with begin before end, and traced") {
  auto const table = test::toy_operators<B>();
  for (bool const parallel : {false, true}) {
    plait::workspace<B> blobs;
    blobs.feed<float>("x", {1, 2}, {2});
    blobs.feed<float>("y", {1, 2}, {2});
    auto plan = plait::compile(net(), table, blobs, {.parallel = parallel});
    plait::time_observer<B> times;
    if (parallel)
      plait::parallel_executor(plan).run({.observer = &times});
    else
      plan.run({.observer = &times});
    REQUIRE(times.records().size() == 3);
    for (std::size_t i = 0; i != 3; ++i) {
      CHECK(times.records()[i].op == i);
      CHECK(times.records()[i].begin <= times.records()[i].end);
      if (i != 0) CHECK(times.records()[i].begin >= times.records()[i - 1].end);
    }
    std::ostringstream out;
    plait::write_chrome_trace(out, times);
    auto const trace = nlohmann::json::parse(out.str());
    REQUIRE(trace["traceEvents"].size() == 3);
    CHECK(trace["traceEvents"][0]["name"] == "Mix");
    CHECK(trace["traceEvents"][0]["args"]["name"] == "the \"first\"");
    CHECK(trace["traceEvents"][1]["args"]["output"] == "w");
    CHECK(trace["traceEvents"][2]["ts"].get<double>() >= trace["traceEvents"][1]["ts"].get<double>());
  }
}

TEST_CASE("type_times: sums the times of a type over all runs") {
  plait::workspace<B> blobs;
  blobs.feed<float>("x", {1, 2}, {2});
  plait::netdef n;
  n.add_op("Same", {"x"}, {"y"});
  n.add_op("Reverse", {"y"}, {"z"});
  n.add_op("Same", {"z"}, {"w"});
  auto plan = plait::compile(n, test::toy_operators<B>(), blobs);
  plait::time_observer<B> one;
  plait::type_times<B> times;
  plan.run({.observer = &one});
  for (int i = 0; i != 100; ++i) plan.run({.observer = &times});
  REQUIRE(times.sums().size() == 2);
  CHECK(times.sums().at("Same").ops == 200);
  CHECK(times.sums().at("Reverse").ops == 100);
  CHECK(times.sums().at("Same").time.count() > 0);
  CHECK(one.records().size() == 3);
}

TEST_CASE("write_chrome_trace: the trace is valid JSON whatever ops are called") {
  plait::workspace<B> blobs;
  blobs.feed<float>("x", {1, 2}, {2});
  plait::netdef n;
  n.add_op("Same", {"x"}, {"y"}).name = n.intern("\xff\xc3\xa4\n");
  n.add_op("Same", {"y"}, {"z"}).name = n.intern("\xc3\xa4");
  plait::time_observer<B> times;
  plait::compile(n, test::toy_operators<B>(), blobs).run({.observer = &times});
  std::ostringstream out;
  plait::write_chrome_trace(out, times);
  auto const events = nlohmann::json::parse(out.str())["traceEvents"];
  CHECK(events[0]["args"]["name"] == "\u00ff\u00c3\u00a4\n");
  CHECK(events[1]["args"]["name"] == "\u00e4");
}

TEST_CASE("nan_observer: names the op whose output is NaN") {
  auto const table = test::toy_operators<B>();
  plait::workspace<B> blobs;
  float const infinity = std::numeric_limits<float>::infinity();
  blobs.feed<float>("x", {1, infinity}, {2});
  blobs.feed<float>("y", {1, -infinity}, {2});
  auto plan = plait::compile(net(), table, blobs);
  plait::nan_observer<B> watch;
  try {
    plan.run({.observer = &watch});
    FAIL("there is a NaN");
  } catch (plait::exec_error const& e) {
    CHECK(e.op == 0);
    CHECK(std::string(e.what()).find("element 1 of output 'z' is NaN") != std::string::npos);
  }
  blobs.feed<float>("y", {1, 1}, {2});
  plan.run({.observer = &watch});
  blobs.feed<float>("x", {1, infinity}, {2});
  plait::nan_observer<B> strict(true);
  CHECK_THROWS_AS(plan.run({.observer = &strict}), plait::exec_error);
}

TEST_CASE_TEMPLATE("nan_observer: finds NaN and infinities in all real types, also in parallel", T, float, double,
                   plait::float16, plait::bfloat16) {
  using device = plait::tbb;
  auto const table = test::toy_operators<device>();
  auto const n = plait::read_netdef_text(R"(op { type: "Same" input: "x" output: "y" })");
  auto const one = plait::convert<T>(1.0f);
  for (bool const parallel : {false, true}) {
    plait::workspace<device> blobs;
    auto plan = plait::compile(n, table, blobs, {.parallel = parallel});
    auto const refused = [&](float second, bool infinities) {
      blobs.feed("x", std::vector<T>{one, plait::convert<T>(second)}, {2});
      plait::nan_observer<device> watch(infinities);
      try {
        if (parallel)
          plait::parallel_executor(plan).run({.observer = &watch});
        else
          plan.run({.observer = &watch});
      } catch (plait::exec_error const& e) {
        return std::string(e.what());
      }
      return std::string();
    };
    float const infinity = std::numeric_limits<float>::infinity();
    CHECK(refused(2, true) == "");
    CHECK(refused(infinity, false) == "");
    CHECK(refused(-infinity, true).find("element 1 of output 'y' is infinite") != std::string::npos);
    CHECK(refused(std::nanf(""), false).find("element 1 of output 'y' is NaN") != std::string::npos);
  }
}

TEST_CASE("op_observer: fused ops are one event, unless the observer reads values") {
  struct counting : plait::op_observer {
    explicit counting(bool reads) : reads_them(reads) {}
    bool reads_values() const override { return reads_them; }
    void after(plait::op_event const& e) override {
      types.emplace_back(e.type);
      ops += e.count;
      names.insert(names.end(), e.output_names.begin(), e.output_names.end());
      operands += e.inputs.size() + e.outputs.size();
    }
    bool reads_them;
    std::size_t ops = 0;
    std::size_t operands = 0;
    std::vector<std::string> types = {};
    std::vector<std::string> names = {};
  };
  plait::netdef const n = plait::read_netdef_text(R"(
      op { type: "MatMul" input: "x" input: "w" output: "p" } op { type: "Add" input: "p" input: "r" output: "s" }
      op { type: "Relu" input: "s" output: "y" } op { type: "Softmax" input: "y" output: "z" } external_output: "z")");
  plait::workspace<B> blobs;
  for (char const* name : {"x", "w", "r"}) blobs.feed(name, std::vector<float>{1, 2, 3, 4}, {2, 2});
  auto plan = plait::compile(n, test::table<B>(), blobs);
  plan.run();
  auto const wanted = blobs.fetch<float>("z");
  counting events(false);
  counting values(true);
  plan.run({.observer = &events});
  CHECK(blobs.fetch<float>("z") == wanted);
  CHECK(events.types == std::vector<std::string>{"MatMul+Add+Relu", "Softmax"});
  CHECK(events.names == std::vector<std::string>{"p", "s", "y", "z"});
  CHECK(events.ops == 4);
  CHECK(events.operands == 2);  // the operands of Softmax
  plan.run({.observer = &values});
  CHECK(blobs.fetch<float>("z") == wanted);
  CHECK(values.types == std::vector<std::string>{"MatMul", "Add", "Relu", "Softmax"});
  CHECK(values.ops == 4);
  std::stop_source source;
  plan.run({.stop = source.get_token()});
  CHECK(blobs.fetch<float>("z") == wanted);
  source.request_stop();
  CHECK_THROWS_AS(plan.run({.stop = source.get_token()}), plait::run_cancelled);
}

TEST_CASE("write_chrome_trace: each thread has its own row") {
  plait::time_observer<B> times;
  auto const record = [&] {
    plait::op_event const event{0, "Any", "", {}, {}, {}, {}, nullptr};
    times.before(event);
    times.after(event);
  };
  record();
  std::thread(record).join();
  record();
  std::ostringstream out;
  plait::write_chrome_trace(out, times);
  auto const events = nlohmann::json::parse(out.str())["traceEvents"];
  CHECK(events[0]["tid"] == events[2]["tid"]);
  CHECK(events[0]["tid"] != events[1]["tid"]);
}

TEST_CASE("write_plan: lists ops, shapes and memory") {
  auto const table = test::toy_operators<B>();
  plait::workspace<B> blobs;
  blobs.feed<float>("x", {1, 2}, {2});
  blobs.feed<float>("y", {1, 2}, {2});
  auto plan = plait::compile(net(), table, blobs);
  plan.bind();
  std::ostringstream out;
  plait::write_plan(out, plan);
  CHECK(out.str() ==
        "0 Mix 'the \"first\"': x [float32 2] y [float32 2] -> z [float32 2] @2 (8 bytes)\n"
        "1 Reverse: z [float32 2] -> w [float32 2] kept @3 (8 bytes)\n"
        "2 Update: x [float32 2] w [float32 2] -> x [float32 2] in x @0 (8 bytes)\n"
        "bytes: 16 given, 8 kept, 8 for intermediate values, 0 packed, 32 in all\n");
  CHECK_FALSE(blobs.contains("w"));  // nothing has run
}

TEST_CASE("write_plan: shapes that only a run decides are open before it") {
  auto const table = test::toy_operators<B>();
  plait::workspace<B> blobs;
  blobs.feed<float>("x", {2}, {1});
  auto plan = plait::compile(plait::read_netdef_text(R"(
    op { type: "Same" input: "x" output: "n" }
    op { type: "Ones" input: "n" output: "ones" }
    op { type: "Reverse" input: "ones" output: "y" })"),
                             table, blobs);
  plan.bind();
  std::ostringstream before;
  plait::write_plan(before, plan);
  CHECK(before.str().find("1 Ones: n [float32 1] -> ones [nothing] @2 (0 bytes)\n") != std::string::npos);
  plan.run();
  std::ostringstream after;
  plait::write_plan(after, plan);
  CHECK(after.str().find("-> ones [float32 2] kept @2 (8 bytes)\n") != std::string::npos);
}

}  // namespace
