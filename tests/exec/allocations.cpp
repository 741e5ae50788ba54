// Heap and system allocations of plan runs: none after warm-up.
#include <plait/exec/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/detail/parallel.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/operators.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <support/counted_new.hpp>
#include <support/optimized.hpp>

namespace {

constexpr std::int64_t rows = 3, width = 8;

// Builds a net of ten blocks of ten ops, each block on the output of the previous one.
plait::netdef hundred_ops() {
  std::string text = R"(external_input: "x0" external_input: "w" external_input: "b")";
  auto const op = [&](std::string const& type, std::vector<std::string> const& in, std::vector<std::string> const& out,
                      std::string const& arguments = {}) {
    text += " op { type: '" + type + "'";
    for (std::string const& name : in) text += " input: '" + name + "'";
    for (std::string const& name : out) text += " output: '" + name + "'";
    text += ' ' + arguments + " }";
  };
  for (int k = 0; k != 10; ++k) {
    std::string const n = std::to_string(k);
    std::string const x = 'x' + n;
    op("FC", {x, "w", "b"}, {"a" + n});
    op("Relu", {"a" + n}, {"a" + n});
    op("Sigmoid", {"a" + n}, {"s" + n});
    op("Mul", {"a" + n, "s" + n}, {"m" + n});
    op("Softmax", {"m" + n}, {"p" + n});
    op("Sum", {"p" + n, x}, {"r" + n});
    op("Concat", {"r" + n, "m" + n}, {"c" + n, "extents" + n}, "arg { name: 'axis' i: 1 }");
    op("Split", {"c" + n}, {"left" + n, "right" + n}, "arg { name: 'axis' i: 1 }");
    op("Sub", {"left" + n, "right" + n}, {"d" + n});
    op("Tanh", {"d" + n}, {'x' + std::to_string(k + 1)});
  }
  return plait::read_netdef_text(text + " external_output: 'x10'");
}

template <plait::backend B>
void feed(plait::workspace<B>& blobs) {
  auto const some = [](std::int64_t count, float step) {
    std::vector<float> made;
    for (std::int64_t i = 0; i != count; ++i) made.push_back(static_cast<float>(i % 7) * step - 0.3f);
    return made;
  };
  blobs.template feed<float>("x0", some(rows * width, 0.1f), {rows, width});
  blobs.template feed<float>("w", some(width * width, 0.05f), {width, width});
  blobs.template feed<float>("b", some(width, 0.2f), {width});
}

// Number of runs, smaller in unoptimised builds, where a run takes ten times as long.
constexpr int runs = test::optimized ? 1'000'000 : 20'000;

TEST_CASE("plan::run: a million runs of a hundred ops allocate nothing and keep the result") {
  using B = plait::serial;
  plait::netdef const net = hundred_ops();
  REQUIRE(net.op.size() == 100);
  plait::workspace<B> blobs;
  feed(blobs);
  auto plan = plait::compile(net, plait::standard_operators<B>(), blobs);
  plan.run();
  plan.run();
  std::vector<float> const made = blobs.fetch<float>("x10");
  auto const before = plait::memory_pool<B>::shared().statistics();
  CHECK(test::count_news([&] {
          for (int run = 0; run != runs; ++run) plan.run();
        }) == 0);
  auto const after = plait::memory_pool<B>::shared().statistics();
  CHECK(after.system_allocations == before.system_allocations);
  CHECK(after.bytes_in_use == before.bytes_in_use);
  CHECK(blobs.fetch<float>("x10") == made);
}

TEST_CASE("parallel_executor: repeated runs allocate nothing") {
  using B = plait::tbb;
  plait::workspace<B> blobs;
  feed(blobs);
  auto plan = plait::compile(hundred_ops(), plait::standard_operators<B>(), blobs, {.parallel = true});
  plait::parallel_executor executor(plan);
  for (int run = 0; run != 3; ++run) executor.run();
  CHECK(test::count_news([&] {
          for (int run = 0; run != 100; ++run) executor.run();
        }) == 0);
}

// Covers decisions that depend on elements, and blobs that must be rolled back if an op fails.
TEST_CASE("plan::run: control flow, shapes from elements and overwritten feeds allocate nothing") {
  using B = plait::serial;
  for (char const* const text : {
           R"(external_input: "x" external_input: "yes" external_output: "y"
              op { type: "If" input: "yes" output: "y"
                   arg { name: "then_net" n { op { type: "Relu" input: "x" output: "y" } } }
                   arg { name: "else_net" n { op { type: "Abs" input: "x" output: "y" } } } })",
           R"(external_input: "x" external_input: "n" external_output: "y"
              op { type: "Copy" input: "x" output: "y" } op { type: "Copy" input: "n" output: "left" }
              op { type: "GT" input: "left" input: "none" output: "go" }
              op { type: "While" input: "go" input: "y" input: "left" output: "y" output: "left" output: "go"
                   arg { name: "loop_net" n {
                     op { type: "Tanh" input: "y" output: "y" }
                     op { type: "Sub" input: "left" input: "one" output: "left" }
                     op { type: "GT" input: "left" input: "none" output: "go" } } } })",
           R"(external_input: "x" external_input: "dims" external_output: "z"
              op { type: "Reshape" input: "x" input: "dims" output: "y" output: "old" }
              op { type: "Relu" input: "y" output: "z" })",
           R"(external_input: "n" external_output: "z" op { type: "Range" input: "n" output: "z" })",
           R"(external_input: "x" external_output: "x" external_output: "y"
              op { type: "Relu" input: "x" output: "x" } op { type: "Softmax" input: "x" output: "y" }
              op { type: "Add" input: "x" input: "y" output: "x" })"}) {
    CAPTURE(text);
    plait::workspace<B> blobs;
    blobs.feed<float>("x", {1, -2, 3, -4}, {2, 2});
    blobs.feed<bool>("yes", {true}, {1});
    blobs.feed<std::int64_t>("dims", {4, 1}, {2});
    blobs.feed<std::int32_t>("n", {5}, {1});
    blobs.feed<std::int32_t>("one", {1}, {1});
    blobs.feed<std::int32_t>("none", {0}, {1});
    auto plan = plait::compile(plait::read_netdef_text(text), plait::standard_operators<B>(), blobs);
    for (int run = 0; run != 3; ++run) plan.run();
    CHECK(test::count_news([&] {
            for (int run = 0; run != 10; ++run) plan.run();
          }) == 0);
  }
}

// Each run rebuilds its lists of lengths and indices in the memory of the previous run.
TEST_CASE("plan::run: ops whose shapes depend on elements allocate nothing") {
  using B = plait::serial;
  struct op_text {
    std::string type;
    std::vector<std::string> inputs;
    std::size_t outputs = 1;
    char const* arguments = "";
  };
  std::vector<op_text> const all{
      {"Unique", {"ids"}, 2},
      {"Unique", {"wide"}, 2},
      {"BooleanMask", {"rows", "mask"}, 2},
      {"LengthsToSegmentIds", {"lengths"}},
      {"LengthsToRanges", {"lengths"}},
      {"LengthsToOffsets", {"lengths"}},
      {"LengthsRangeFill", {"lengths"}},
      {"LengthsTile", {"few", "lengths"}},
      {"LengthsGather", {"rows", "lengths", "ids"}},
      {"SegmentIdsToLengths", {"ascending"}},
      {"SegmentIdsToRanges", {"ascending"}},
      {"PackSegments", {"lengths", "rows"}, 2, "arg { name: 'return_presence_mask' i: 1 }"},
      {"UnpackSegments", {"lengths", "packed"}},
      {"PackRNNSequence", {"rows", "lengths"}},
      {"UnpackRNNSequence", {"steps", "lengths"}},
      {"SortedSegmentSum", {"rows", "ascending"}},
      {"UnsortedSegmentSum", {"rows", "ascending"}},
      {"SparseLengthsSum", {"rows", "ids", "parts"}},
      {"SparseToDense", {"ascending", "rows"}},
      {"ConstantFill", {"wide"}, 1, "arg { name: 'input_as_shape' i: 1 } arg { name: 'value' f: 2 }"},
      {"Slice", {"rows", "starts", "ends"}},
      {"Split", {"rows", "lengths"}, 3, "arg { name: 'axis' i: 0 }"},
      {"OneHot", {"wide", "size"}},
      {"LengthsToWeights", {"lengths"}},
      {"AddPadding", {"rows", "lengths"}, 2},
      {"RemovePadding", {"rows", "lengths"}, 2, "arg { name: 'padding_width' i: 0 }"},
      {"GatherRanges", {"vector", "ranges"}, 2},
      {"GatherRangesToDense", {"vector", "ranges"}, 1, "arg { name: 'lengths' ints: 2 }"},
      {"FillExamplesWithIndicator", {"packed", "mask_of_three"}},
      {"SparseToDenseMask",
       {"ascending", "rows", "pair", "lengths"},
       2,
       "arg { name: 'mask' ints: 2 ints: 0 } arg { name: 'return_presence_mask' i: 1 }"},
      {"SparseLabelSplit", {"lengths", "ascending", "vector"}, 6, "arg { name: 'num_labels' i: 3 }"},
  };
  for (op_text const& op : all) {
    CAPTURE(op.type);
    std::string text = "op { type: '" + op.type + "' ";
    for (std::string const& name : op.inputs) text += "input: '" + name + "' ";
    for (std::size_t o = 0; o != op.outputs; ++o) text += "output: 'y" + std::to_string(o) + "' ";
    text += std::string(op.arguments) + " }";
    for (std::string const& name : op.inputs) text += " external_input: '" + name + "'";
    plait::workspace<B> blobs;
    blobs.feed<float>("rows", std::vector<float>(12, 0.5f), {6, 2});
    blobs.feed<float>("few", std::vector<float>(6, 0.5f), {3, 2});
    blobs.feed<float>("packed", std::vector<float>(18, 0.5f), {3, 3, 2});
    blobs.feed<float>("steps", std::vector<float>(18, 0.5f), {3, 3, 2});
    blobs.feed<bool>("mask", {true, false, true, true, false, true}, {6});
    blobs.feed<std::int32_t>("lengths", {1, 3, 2}, {3});
    blobs.feed<std::int32_t>("parts", {1, 1}, {2});
    blobs.feed<std::int32_t>("ids", {2, 0}, {2});
    blobs.feed<std::int64_t>("wide", {2, 3, 2}, {3});
    blobs.feed<std::int64_t>("size", {4}, {1});
    blobs.feed<std::int32_t>("ascending", {0, 0, 1, 1, 1, 2}, {6});
    blobs.feed<std::int32_t>("starts", {1, 0}, {2});
    blobs.feed<float>("vector", std::vector<float>(6, 0.5f), {6});
    blobs.feed<float>("pair", {1, 2}, {2});
    blobs.feed<bool>("mask_of_three", {true, false, true, true}, {4});
    blobs.feed<std::int32_t>("ranges", {0, 2, 3, 1}, {2, 1, 2});
    blobs.feed<std::int32_t>("ends", {4, 2}, {2});
    auto plan = plait::compile(plait::read_netdef_text(text), plait::standard_operators<B>(), blobs);
    for (int run = 0; run != 3; ++run) plan.run();
    CHECK(test::count_news([&] {
            for (int run = 0; run != 10; ++run) plan.run();
          }) == 0);
  }
}

// A held output is replaced by a new tensor; released memory is reused.
TEST_CASE("plan::run: runs allocate nothing while the caller holds previous outputs") {
  using B = plait::serial;
  plait::workspace<B> blobs;
  feed(blobs);
  auto plan = plait::compile(hundred_ops(), plait::standard_operators<B>(), blobs);
  plait::tensor<B> held[2];
  for (int run = 0; run != 4; ++run) {
    plan.run();
    held[run % 2] = blobs.view("x10");
  }
  CHECK(test::count_news([&] {
          for (int run = 0; run != 100; ++run) {
            plan.run();
            held[run % 2] = blobs.view("x10");
          }
        }) == 0);
}

}  // namespace
