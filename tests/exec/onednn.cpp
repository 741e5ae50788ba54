#include <plait/exec/backends/onednn/onednn.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/operators/activations.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>

#include <support/gradient_of_op.hpp>
#include <support/matrix_products.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;

template <class B>
plait::operators<B> own_table() {
  plait::operators<B> made;
  plait::add_convolution_operators(made);
  plait::add_convolution_relu_operators(made);
  plait::add_activation_operators(made);
  plait::add_arithmetic_operators(made);
  return made;
}

std::string list(char const* name, std::vector<int> const& numbers) {
  std::string text = std::string(" arg { name: '") + name + "'";
  for (int const number : numbers) text += " ints: " + std::to_string(number);
  return text + " }";
}

struct convolution {
  shape x;
  shape w;
  std::string arguments;
};
// Shapes that oneDNN computes: strides, few windows, or many products for each element.
std::vector<convolution> const convolutions = {
    {{1, 16, 20, 20}, {32, 16, 3, 3}, list("kernels", {3, 3}) + list("strides", {2, 2}) + list("pads", {1, 1, 1, 1})},
    {{3, 16, 9, 13}, {24, 16, 3, 3}, list("kernels", {3, 3}) + list("strides", {2, 2}) + list("pads", {0, 1, 2, 0})},
    {{1, 32, 11, 12},
     {32, 16, 3, 3},
     list("kernels", {3, 3}) + list("strides", {2, 2}) + " arg { name: 'group' i: 2 }"},
    {{1, 23, 17, 16},
     {31, 23, 3, 3},
     list("kernels", {3, 3}) + list("strides", {1, 2}) + list("dilations", {2, 2}) + list("pads", {2, 2, 2, 2})},
    {{2, 32, 100}, {48, 32, 5}, list("kernels", {5}) + list("strides", {2}) + list("pads", {2, 2})},
    {{1, 8, 6, 10, 10}, {16, 8, 3, 3, 3}, list("kernels", {3, 3, 3}) + list("strides", {2, 2, 2})},
    {{1, 3, 40, 40}, {24, 3, 7, 7}, list("kernels", {7, 7}) + list("strides", {2, 2}) + list("pads", {3, 3, 3, 3})},
    {{1, 64, 8, 8}, {64, 64, 3, 3}, list("kernels", {3, 3}) + list("pads", {1, 1, 1, 1})},
    {{2, 300, 5, 5}, {310, 300, 1, 1}, list("kernels", {1, 1})},
    {{1, 32, 18, 18},
     {47, 32, 4, 4},
     list("kernels", {4, 4}) + list("strides", {3, 3}) + " arg { name: 'ceil_mode' i: 1 }"},
};

template <class B, class T = float>
struct run_of {
  plait::workspace<B> blobs;
  bool is_packed = false;

  run_of(plait::operators<B> const& table, convolution const& c, std::string const& type, bool with_bias,
         std::string const& after, bool constant = true) {
    auto const feed = [&](std::string const& name, shape const& dims) {
      blobs.template feed<T>(name, test::random_elements<T>(dims, static_cast<unsigned>(name[0])), dims);
    };
    feed("x", c.x);
    feed("w", c.w);
    if (with_bias) feed("b", {c.w[0]});
    std::string const op = "op { type: '" + type + "' input: 'x' input: 'w' " +
                           std::string(with_bias ? "input: 'b' " : "") + "output: 'y'" + c.arguments + " }";
    std::string const end = " external_output: 'y'";
    if (!after.empty()) {
      plait::compile(plait::read_netdef_text(op + end), own_table<B>(), blobs).run();
      feed("z", blobs.view("y").dims());
    }
    auto plan = plait::compile(plait::read_netdef_text(op + after + end), table, blobs,
                               {.constants = constant ? std::vector<std::string>{"w"} : std::vector<std::string>{}});
    plan.run();
    std::vector<T> const first = y();
    plan.run();
    CHECK(test::gradient_of_op::same_bits(y(), first));
    is_packed = plan.memory().packed != 0;
  }
  std::vector<T> y() { return blobs.template fetch<T>("y"); }
};

TEST_CASE_TEMPLATE("oneDNN: Conv and ConvRelu differ from plait's by rounding, with fused sums and Relu", B,
                   plait::serial, plait::omp) {
  auto const own = own_table<B>();
  auto table = own;
  plait::add_onednn_operators(table);
  std::string const sum = " op { type: 'Add' input: 'y' input: 'z' output: 'y' }";
  std::string const relu = " op { type: 'Relu' input: 'y' output: 'y' }";
  for (convolution const& c : convolutions)
    for (std::string const type : {"Conv", "ConvRelu"})
      for (bool const with_bias : {false, true})
        for (std::string const& after : {std::string(), relu, sum, sum + relu}) {
          CAPTURE(to_string(c.x));
          CAPTURE(to_string(c.w));
          CAPTURE(type);
          CAPTURE(after);
          run_of<B> got(table, c, type, with_bias, after);
          CHECK(got.is_packed);
          run_of<B> wanted(own, c, type, with_bias, after);
          CHECK(got.blobs.view("y").dims() == wanted.blobs.view("y").dims());
          std::vector<float> const expected = wanted.y();
          CHECK(test::gradient_of_op::worst_of(got.y(), {expected.begin(), expected.end()}) <= 2e-5);
        }
}

TEST_CASE("oneDNN: other shapes, types, orders and weights have the bits of plait's kernels") {
  using B = plait::serial;
  auto const own = own_table<B>();
  auto table = own;
  plait::add_onednn_operators(table);
  auto const check = [&]<class T>(T, convolution const& c, bool constant = true) {
    CAPTURE(to_string(c.w));
    run_of<B, T> got(table, c, "Conv", true, "", constant);
    CHECK(test::gradient_of_op::same_bits(got.y(), run_of<B, T>(own, c, "Conv", true, "", constant).y()));
  };
  check(0.0, convolutions[0]);
  check(0.0f, convolutions[0], false);
  std::string const square = list("kernels", {3, 3}) + list("pads", {1, 1, 1, 1});
  check(0.0f, {{1, 32, 12, 12}, {32, 1, 3, 3}, square + " arg { name: 'group' i: 32 }"});
  check(0.0f, {{1, 16, 60, 60}, {16, 16, 3, 3}, square});
  check(0.0f, {{1, 33, 20, 20}, {33, 33, 3, 3}, square + list("strides", {2, 2})});
  check(0.0f, {{1, 8, 8, 64}, {64, 3, 3, 64}, square + " arg { name: 'order' s: 'NHWC' }"});
  check(0.0f, {{0, 16, 20, 20}, {32, 16, 3, 3}, square + list("strides", {2, 2})});
}

TEST_CASE("oneDNN: Relu in an epilogue keeps NaN") {
  using B = plait::serial;
  plait::operators<B> table;
  plait::add_onednn_operators(table);
  plait::workspace<B> blobs;
  std::vector<float> x(16 * 20 * 20, -1);
  x[0] = std::numeric_limits<float>::quiet_NaN();
  blobs.feed("x", x, {1, 16, 20, 20});
  blobs.feed("w", std::vector<float>(32 * 16 * 9, 1), {32, 16, 3, 3});
  auto const net = plait::read_netdef_text("op { type: 'ConvRelu' input: 'x' input: 'w' output: 'y'" +
                                           convolutions[0].arguments + " }");
  plait::compile(net, table, blobs, {.fetch = {"y"}, .constants = {"w"}}).run();
  auto const y = blobs.fetch<float>("y");
  CHECK(std::isnan(y[0]));
  CHECK(y[1] == 0);
}

TEST_CASE("oneDNN: on oneTBB with several threads, plait's kernels run") {
  using B = plait::tbb;
  auto const own = own_table<B>();
  auto table = own;
  plait::add_onednn_operators(table);
  run_of<B> got(table, convolutions[0], "Conv", true, "");
  CHECK(got.is_packed == (plait::detail::onednn_threads<B>() == B::concurrency()));
}

}  // namespace
