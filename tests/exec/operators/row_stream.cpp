// Streamed inputs of recurrences: an op computes rows in blocks when the steps need them, in the memory of one block.
#include <plait/core/errors.hpp>
#include <plait/exec/detail/row_stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <tbb/task_arena.h>

#include <plait/exec/detail/observer.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/detail/cells/lstm.hpp>
#include <support/recurrent_nets.hpp>
#include <support/some_threads.hpp>
#include <support/trained_layer.hpp>

namespace {

using sizes = std::vector<std::size_t>;

/// y = 2 x. Records how many rows each call computes.
template <class B>
struct doubled_kernel : plait::op_kernel<B> {
  explicit doubled_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.expect_type<float>(0), c.dims(0)); }
  void run(plait::op_context<B>& c) override {
    ++whole;
    make(c);
  }
  void patterns(plait::op_context<B> const& c, std::vector<plait::op_pattern<B>>& to) const override {
    to.push_back({.kind = plait::pattern_kind::rows, .work = c.size(0), .whole_outputs = 0b10});
  }
  void run_part(plait::op_context<B>& c, plait::op_part const& part) override {
    if (part.kind == plait::op_part::kinds::outputs) {
      if (refuses) throw std::runtime_error("no rows today");
      ++begun;
      return;
    }
    if (pieces.size() == refused_piece) throw std::runtime_error("not this piece");
    pieces.push_back(static_cast<std::size_t>(c.dims(0)[0]));
    make(c);
  }
  static void make(plait::op_context<B>& c) {
    number = c.run_number();
    for (std::size_t i = 0; i != c.size(0); ++i) c.template output<float>(0)[i] = 2 * c.template input<float>(0)[i];
  }

  static void forget() {
    whole = begun = 0;
    pieces.clear();
  }
  static inline std::size_t whole = 0, begun = 0;
  static inline std::uint64_t number = 0;  // op_context::run_number of the last run
  static inline sizes pieces = {};
  static inline bool refuses = false;
  static inline std::size_t refused_piece = plait::npos;
};

/// y = x. Fills scratch memory of as many bytes as argument "scratch" says.
template <class B>
struct scribbling_kernel : plait::op_kernel<B> {
  explicit scribbling_kernel(plait::op_arguments const& a) : bytes(static_cast<std::size_t>(a.integer("scratch"))) {}
  void infer(plait::shape_context& c) override {
    c.output(0, c.expect_type<float>(0), c.dims(0));
    c.scratch(bytes);
  }
  void run(plait::op_context<B>& c) override {
    std::memset(c.scratch(), 0x7b, bytes);
    std::copy_n(c.template input<float>(0), c.size(0), c.template output<float>(0));
  }
  std::size_t bytes;
};

constexpr std::int64_t rows = 32, width = 64;
constexpr std::int64_t piece = 32;  // steps, of 8 KiB each

/// Net compiled for B, with its operators and fed blobs: v and others.
template <class B = plait::serial>
struct model {
  using doubled = doubled_kernel<B>;

  explicit model(std::string const& text, std::vector<std::string> const& fetch = {"all"})
      : net(plait::read_netdef_text(text)), operators(test::table<B>()), fetched(fetch) {
    operators.template add<doubled_kernel>(plait::op_schema("Doubled").inputs(1).outputs(1).in_place(0, 0));
    operators.template add<doubled_kernel>(plait::op_schema("DoubledApart").inputs(1).outputs(1));
    operators.template add<scribbling_kernel>(
        plait::op_schema("Scribbling").inputs(1).outputs(1).argument("scratch", std::int64_t{0}, "bytes"));
    test::feed_some<float>(blobs, "h0", {1, rows, width}, 2);
    test::feed_some<float>(blobs, "w", {width, width}, 3);
    test::feed_some<float>(blobs, "b", {width}, 4);
    test::feed_some<float>(blobs, "v", {300, rows, width}, 1);
    plan.emplace(net, operators, blobs, plait::compile_options{.fetch = fetched});
    doubled::forget();
  }
  std::vector<std::vector<float>> run(plait::run_options const& options = {}) {
    doubled::forget();
    plan->run(options);
    std::vector<std::vector<float>> made;
    for (std::string const& name : fetched) made.push_back(blobs.template fetch<float>(name));
    return made;
  }
  /// Runs the ops one by one, under an observer.
  std::vector<std::vector<float>> run_one_by_one() {
    plait::op_observer watching;
    return run({.observer = &watching});
  }

  plait::netdef net;
  plait::operators<B> operators;
  plait::workspace<B> blobs;
  std::vector<std::string> fetched;
  std::optional<plait::plan<B>> plan;
};

std::string const doubled_op = test::op_text("Doubled", {"v"}, {"x"});

TEST_CASE("row_stream: rows are computed when a recurrence needs them, with the same results") {
  model m(doubled_op + test::simple_cell().op(), {"all", "last"});
  using doubled = doubled_kernel<plait::serial>;
  auto const wanted = m.run_one_by_one();
  CHECK(doubled::whole == 1);
  CHECK(doubled::pieces.empty());

  CHECK(m.run() == wanted);
  CHECK(doubled::whole == 0);
  CHECK(doubled::begun == 1);
  CHECK(doubled::number == 1);
  sizes all(300 / piece, piece * rows);
  all.push_back(300 % piece * rows);
  CHECK(doubled::pieces == all);

  SUBCASE("another run on other numbers") {
    test::feed_some<float>(m.blobs, "v", {300, rows, width}, 7);
    auto const others = m.run();
    CHECK(doubled::pieces == all);
    CHECK(others != wanted);
    CHECK(m.run_one_by_one() == others);
    CHECK(doubled::whole == 1);
  }
  SUBCASE("another length, and one of a single block") {
    test::feed_some<float>(m.blobs, "v", {piece + 1, rows, width}, 1);
    auto const some = m.run();
    CHECK(doubled::pieces == sizes{piece * rows, rows});
    CHECK(m.run_one_by_one() == some);
    test::feed_some<float>(m.blobs, "v", {piece, rows, width}, 1);
    static_cast<void>(m.run());
    CHECK(doubled::whole == 1);
    CHECK(doubled::pieces.empty());
  }
  SUBCASE("a run with a stop token") {
    std::stop_source stop;
    CHECK(m.run({.stop = stop.get_token()}) == wanted);
    CHECK(doubled::pieces == all);
    stop.request_stop();
    CHECK_THROWS_AS(m.run({.stop = stop.get_token()}), plait::run_cancelled);
    CHECK(doubled::begun == 0);
  }
}

TEST_CASE("row_stream: errors name the producer or the consumer, and the plan runs again after them") {
  model m(doubled_op + test::simple_cell().op());
  using doubled = doubled_kernel<plait::serial>;
  auto const wanted = m.run();
  doubled::refuses = true;
  CHECK_THROWS_WITH_AS(m.run(), doctest::Contains("op 0 (Doubled): no rows today"), plait::exec_error);
  doubled::refuses = false;
  doubled::refused_piece = 3;
  CHECK_THROWS_WITH_AS(m.run(), doctest::Contains("op 1 (RecurrentNetwork): not this piece"), plait::exec_error);
  doubled::refused_piece = plait::npos;
  CHECK(m.run() == wanted);
  CHECK(doubled::whole == 0);
}

TEST_CASE("row_stream: rows are not streamed if they have other consumers, or would differ later") {
  test::recurrence const cell = test::simple_cell();
  std::string text;
  std::vector<std::string> fetch = {"all"};
  bool slice = false;
  SUBCASE("another op reads them") {
    text = doubled_op + test::op_text("Relu", {"x"}, {"y"}) + cell.op();
    fetch.push_back("y");
  }
  SUBCASE("an op after the recurrence reads them") {
    text = doubled_op + cell.op() + test::op_text("Relu", {"x"}, {"y"});
    fetch.push_back("y");
  }
  SUBCASE("they are fetched") {
    text = doubled_op + cell.op();
    fetch.push_back("x");
  }
  SUBCASE("their input is overwritten") {
    text = test::op_text("Relu", {"v"}, {"u"}) + test::op_text("Doubled", {"u"}, {"x"}) +
           test::op_text("FC", {"v", "w", "b"}, {"u"}, "arg { name: \"axis\" i: 2 }") + cell.op();
    fetch.push_back("u");
  }
  SUBCASE("they are computed in place of their input") {
    text = test::op_text("Relu", {"v"}, {"x"}) + test::op_text("Doubled", {"x"}, {"x"}) + cell.op();
  }
  SUBCASE("steps read all of them by name") {
    test::recurrence r = cell;
    r.step = test::op_text("ReduceFrontMean", {"x"}, {"m"}, "arg { name: \"num_reduce_dim\" i: 2 }") + r.step +
             test::op_text("Add", {"h", "m"}, {"h"}, "arg { name: \"broadcast\" i: 1 }");
    text = doubled_op + r.op();
  }
  SUBCASE("each step reads two of them") {
    test::recurrence r = cell;
    r.inputs[0] = "shorter";  // determines the number of steps
    r.inputs.push_back("x");
    r.forward = {{"h_prev", "h", "x_t", "x_next"}, {"hs", "hs", "x", "x"}, {0, 1, 0, 1}};
    r.step += test::op_text("Add", {"h", "x_next"}, {"h"});
    text = doubled_op + r.op();
    slice = true;
  }
  SUBCASE("a backward net may read them") {
    test::recurrence r = cell;
    r.trains = true;
    text = doubled_op + r.op();
  }
  model m(text, fetch);
  if (slice) test::feed_some<float>(m.blobs, "shorter", {299, rows, 1}, 5);
  using doubled = doubled_kernel<plait::serial>;
  auto const wanted = m.run_one_by_one();
  CHECK(m.run() == wanted);
  CHECK(doubled::whole == 1);
  CHECK(doubled::pieces.empty());
}

TEST_CASE("row_stream: the producer's input may alias a blob that is written before the rows are needed") {
  std::string fed_back;
  SUBCASE("an op in between writes it") { fed_back = "y"; }
  SUBCASE("the recurrence writes it") { fed_back = "all"; }
  auto const result = [&](bool one_by_one) {
    model m(doubled_op + test::op_text("Relu", {"g"}, {"y"}) + test::simple_cell().op(), {"all", "y"});
    test::feed_some<float>(m.blobs, "g", {300, rows, width}, 8);
    static_cast<void>(m.run());
    CHECK(doubled_kernel<plait::serial>::whole == 0);
    m.blobs.get("v").value = m.blobs.get(fed_back).value;
    test::feed_some<float>(m.blobs, "g", {300, rows, width}, 9);
    return one_by_one ? m.run_one_by_one() : m.run();
  };
  CHECK(result(false) == result(true));
}

TEST_CASE("row_stream: a block has as many rows per thread on several threads as on one") {
  using doubled = doubled_kernel<plait::tbb>;
  std::string const text = doubled_op + test::simple_cell().op();
  auto const run = [&] { return model<plait::tbb>(text).run(); };
  auto const wanted = tbb::task_arena(1).execute(run);
  CHECK(doubled::pieces.size() == 10);
  test::some_threads threads;
  CHECK(threads.execute(run) == wanted);
  CHECK(doubled::pieces == sizes{4 * piece * rows, 4 * piece * rows, (300 - 8 * piece) * rows});
}

TEST_CASE("row_stream: memory of the producer's input is not reused before the rows are computed") {
  std::string const made = test::op_text("Relu", {"v"}, {"u"}) + test::op_text("DoubledApart", {"u"}, {"x"}) +
                           test::op_text("Scribbling", {"b"}, {"c"}, "arg { name: \"scratch\" i: 2457600 }");
  model m(made + test::simple_cell().op(), {"all", "c"});
  using doubled = doubled_kernel<plait::serial>;
  auto const wanted = m.run_one_by_one();
  CHECK(doubled::whole == 1);
  CHECK(m.run() == wanted);
  CHECK(doubled::whole == 0);
  CHECK(doubled::begun == 1);
}

TEST_CASE("row_stream: engine::run_op computes all rows at once") {
  model m(doubled_op + test::simple_cell().op());
  auto const wanted = m.run();
  auto& engine = plait::detail::engine_of(*m.plan);
  engine.bind();
  for (plait::op_index op = 0; op != engine.op_count(); ++op) engine.run_op(op);
  CHECK(m.blobs.fetch<float>("all") == wanted[0]);
  CHECK(doubled_kernel<plait::serial>::whole == 1);
  CHECK(m.run() == wanted);
}

TEST_CASE("row_stream: input projections of an LSTM are streamed, with the same bits") {
  using B = plait::serial;
  constexpr std::int64_t steps = 150, inputs = 24, units = 40, batch = 32;  // products of 3 MB
  test::trained_layer const layer(plait::lstm_cell{inputs, units}, {.forward_only = true});
  std::vector<std::string> names;
  for (auto const& [name, dims] : layer.parameters) names.push_back(name);
  auto const run = [&](std::vector<std::string> const& constants, plait::run_options const& options = {}) {
    plait::workspace<B> blobs;
    test::feed_some<float>(blobs, "x", {steps, batch, inputs}, 1);
    for (std::size_t p = 0; p != layer.parameters.size(); ++p)
      test::feed_some<float>(blobs, layer.parameters[p].first, layer.parameters[p].second, p + 2);
    auto plan = plait::compile(layer.net, test::table<B>(), blobs, {.fetch = layer.fetch, .constants = constants});
    plan.run(options);
    auto const schedule = plan.schedule();
    auto const first = std::ranges::find(schedule.ops, "FC") - schedule.ops.begin();
    CHECK(schedule.groups[static_cast<std::size_t>(first)].kind == plait::group_kind::streamed);
    std::vector<std::vector<float>> made;
    for (std::string const& name : layer.fetch) made.push_back(blobs.fetch<float>(name));
    return made;
  };
  plait::op_observer watching;
  auto const wanted = run({}, {.observer = &watching});
  CHECK(run({}) == wanted);
  CHECK(run(names) == wanted);
}

}  // namespace
