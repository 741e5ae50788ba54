#include <plait/exec/detail/static_plan.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/net/static_net.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <support/run_op.hpp>
#include <support/same_bits.hpp>
#include <support/sample_numbers.hpp>

namespace {

using plait::dims;
using plait::serial;

constexpr plait::static_net ten_ops{plait::externals({"x", "w", "b"}, {"y"}),
                                    plait::op("Mul", {"x", "w"}, {"a"}),
                                    plait::op("Add", {"a", "b"}, {"a"}),
                                    plait::op("Sigmoid", {"a"}, {"s"}),
                                    plait::op("Mul", {"a", "x"}, {"a"}),
                                    plait::op("Sub", {"a", "w"}, {"a"}),
                                    plait::op("Tanh", {"a"}, {"a"}),
                                    plait::op("Add", {"a", "b"}, {"a"}),
                                    plait::op("Clip", {"a"}, {"a"}).with("min", -0.7).with("max", 1),
                                    plait::op("Max", {"a", "x"}, {"a"}),
                                    plait::op("LeakyRelu", {"a"}, {"a"}).with("alpha", 0.1),
                                    plait::op("Exp", {"a"}, {"unused"}),
                                    plait::op("Sub", {"a", "s"}, {"y"})};

// A classifier of two layers: products, a softmax, reductions, a mask of comparisons, operands that broadcast.
constexpr plait::static_net classifier{plait::externals({"x", "w1", "b1", "w2", "scale"}, {"p", "total", "flat"}),
                                       plait::op("FC", {"x", "w1", "b1"}, {"h"}),
                                       plait::op("Relu", {"h"}, {"h"}),
                                       plait::op("Mul", {"h", "scale"}, {"h"}),
                                       plait::op("GT", {"h", "b1"}, {"is_large"}),
                                       plait::op("Where", {"is_large", "h", "h"}, {"h"}),
                                       plait::op("MatMul", {"h", "w2"}, {"logits"}).with("trans_b", 1),
                                       plait::op("Softmax", {"logits"}, {"p"}),
                                       plait::op("Sqr", {"p"}, {"squares"}),
                                       plait::op("ReduceBackMean", {"squares"}, {"means"}),
                                       plait::op("ReduceBackMax", {"logits"}, {"most"}),
                                       plait::op("Add", {"means", "most"}, {"total"}),
                                       plait::op("FlattenToVec", {"squares"}, {"flat"})};

// ---- what the compiler knows
using ten_ops_plan = decltype(plait::compile<ten_ops, dims{16}, dims{16}, dims{16}>(serial()));
static_assert(ten_ops_plan::step_count == 1);
static_assert(ten_ops_plan::memory_bytes == 4 * 16 * sizeof(float));  // x, w, b, y: all else is in registers
static_assert(sizeof(ten_ops_plan) == ten_ops_plan::memory_bytes);
static_assert(ten_ops_plan::shape<"y">() == dims{16} && ten_ops_plan::offset<"w">() == 16);
using classifier_plan =
    decltype(plait::compile<classifier, dims{3, 7}, dims{5, 7}, dims{5}, dims{4, 5}, dims{3, 5}>(serial()));
static_assert(classifier_plan::shape<"p">() == dims{3, 4} && classifier_plan::shape<"total">() == dims{3});
static_assert(classifier_plan::shape<"flat">() == dims{12});

template <auto const& Net>
std::string text_of() {
  std::string text;
  for (auto const name : Net.external_outputs()) text += "external_output: \"" + std::string(name) + "\" ";
  for (auto const op : Net.ops()) {
    text += "op { type: \"" + std::string(Net.type(op)) + "\" ";
    for (auto const name : Net.inputs(op)) text += "input: \"" + std::string(name) + "\" ";
    for (auto const name : Net.outputs(op)) text += "output: \"" + std::string(name) + "\" ";
    for (char const* const key : {"min", "max", "alpha"})
      if (double const value = Net.argument_or(op, key, -77); value != -77) {
        std::array<char, 80> argument;
        std::snprintf(argument.data(), argument.size(), "arg { name: \"%s\" f: %.9g } ", key, value);
        text += argument.data();
      }
    if (Net.argument_or(op, "trans_b", 0) != 0) text += "arg { name: \"trans_b\" i: 1 } ";
    text += "}\n";
  }
  return text;
}

// Runs a net as a static plan and as a plan made at run time, and compares the bits.
template <class T, auto const& Net, dims... Shapes>
void compare(auto feed, auto fetch) {
  plait::workspace<serial> blobs;
  auto plan = plait::compile<Net, T, Shapes...>(serial());
  std::array const shapes = {Shapes...};
  for (std::size_t i = 0; i != shapes.size(); ++i) {
    plait::shape shape;
    for (std::size_t k = 0; k != shapes[i].rank; ++k) shape.push_back(shapes[i].extents[k]);
    blobs.feed(std::string(Net.external_inputs()[i]),
               test::of<serial, T>(shape, test::sample_numbers<T>(shapes[i].size(), i)));
  }
  feed(plan);
  plait::compile(plait::read_netdef_text(text_of<Net>()), test::table<serial>(), blobs).run();
  plan.run();
  plan.run();  // again: inputs stay
  fetch(plan, [&](char const* name, auto made) {
    CAPTURE(name);
    CHECK(test::have_same_bits<serial>(std::vector<T>(made.begin(), made.end()), blobs.template fetch<T>(name)));
  });
}

template <class T, dims Shape>
void compare_ten_ops() {
  compare<T, ten_ops, Shape, Shape, Shape>(
      [](auto& plan) {
        plan.template feed<"x">(test::sample_numbers<T>(Shape.size(), 0))
            .template feed<"w">(test::sample_numbers<T>(Shape.size(), 1));
        plan.template feed<"b">(test::sample_numbers<T>(Shape.size(), 2));
      },
      [](auto const& plan, auto check) { check("y", plan.template fetch<"y">()); });
}

TEST_CASE("static_plan: has the bits of the run-time plan") {
  compare_ten_ops<float, dims{16}>();
  compare_ten_ops<float, dims{3, 37}>();
  compare_ten_ops<double, dims{16}>();
}

TEST_CASE("static_plan: products, reductions, broadcasting and reshapes have the bits of the run-time plan") {
  auto const run = []<class T>(T) {
    compare<T, classifier, dims{3, 7}, dims{5, 7}, dims{5}, dims{4, 5}, dims{3, 5}>(
        [](auto& plan) {
          plan.template feed<"x">(test::sample_numbers<T>(21, 0)).template feed<"w1">(test::sample_numbers<T>(35, 1));
          plan.template feed<"b1">(test::sample_numbers<T>(5, 2)).template feed<"w2">(test::sample_numbers<T>(20, 3));
          plan.template feed<"scale">(test::sample_numbers<T>(15, 4));
        },
        [](auto const& plan, auto check) {
          check("p", plan.template fetch<"p">());
          check("total", plan.template fetch<"total">());
          check("flat", plan.template fetch<"flat">());
        });
  };
  run(float());
  run(double());
}

TEST_CASE("static_plan: runs on memory of the caller") {
  alignas(64) std::array<float, ten_ops_plan::memory_elements> memory = {};
  ten_ops_plan plan;
  for (std::size_t i = 0; i != 16; ++i)
    memory[ten_ops_plan::offset<"x">() + i] = plan.input<"x">()[i] = static_cast<float>(i) / 8;
  plan.run();
  ten_ops_plan::run_in(memory);
  for (std::size_t i = 0; i != 16; ++i) CHECK(memory[ten_ops_plan::offset<"y">() + i] == plan.fetch<"y">()[i]);
}

}  // namespace
