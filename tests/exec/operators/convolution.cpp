#include <plait/exec/detail/operators/convolution.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/image_oracle.hpp>
#include <support/matrix_products.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::index;
using test::table;

shape weights_of(test::window_case const& c, std::int64_t units, std::int64_t groups) {
  shape made = {units};
  if (!c.last) made.push_back(c.channels() / groups);
  for (std::int64_t const extent : c.kernel) made.push_back(extent);
  if (c.last) made.push_back(c.channels() / groups);
  return made;
}

// Convolves x with w by definition.
std::vector<double> convolved(test::window_case const& c, std::vector<double> const& x, std::vector<double> const& w,
                              std::vector<double> const& b, std::int64_t groups) {
  auto const units = static_cast<std::int64_t>(b.size());
  shape const weights = weights_of(c, units, groups);
  std::vector<double> made;
  for (index const& at : test::indices(c.output(units))) {
    std::int64_t const unit = c.channel_of(at);
    std::int64_t const group = unit / (units / groups);
    double sum = b[static_cast<std::size_t>(unit)];
    c.for_taps(c.place_of(at), [&](index const& tap, index const& place) {
      if (place.empty()) return;
      for (std::int64_t channel = 0; channel != c.channels() / groups; ++channel)
        sum += w[test::place(weights, c.at(unit, channel, tap))] *
               x[test::place(c.x, c.at(at[0], group * (c.channels() / groups) + channel, place))];
    });
    made.push_back(sum);
  }
  return made;
}

TEST_CASE_TEMPLATE("Conv: agrees with its definition for 1 to 3 axes, any order, group, stride, dilation, padding", B,
                   PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const reference = table<plait::serial>();
  for (test::window_case const& c : test::window_cases())
    for (std::int64_t const groups : {1, 2, 6})
      for (bool const with_bias : {true, false}) {
        CAPTURE(plait::to_string(c.x));
        CAPTURE(groups);
        CAPTURE(c.last);
        std::int64_t const units = 6;
        auto const x = test::random_tensor(c.x, 1);
        auto const w = test::random_tensor(weights_of(c, units, groups), 2);
        auto const b =
            with_bias ? test::random_tensor({units}, 3) : test::of<plait::serial>({units}, std::vector<double>(6, 0));
        auto const expected = convolved(c, x.values<double>(), w.values<double>(), b.values<double>(), groups);
        std::string const op = "type: 'Conv' input: 'x' input: 'w' " + std::string(with_bias ? "input: 'b' " : "") +
                               "output: 'y' " + c.arguments() + "arg { name: 'group' i: " + std::to_string(groups) +
                               " }";
        test::feeds<plait::serial> const fed = {{"x", x}, {"w", w}, {"b", b}};
        plait::netdef const net = test::gradient_of_op::net_of(op);
        auto const wide = test::gradient_of_op::run<double>(operators, net, fed);
        CHECK(wide.view("y").dims() == c.output(units));
        CHECK(test::gradient_of_op::worst_of(wide.template fetch<double>("y"), expected) <= 1e-13);
        auto const narrow = test::gradient_of_op::run<float>(operators, net, fed);
        CHECK(test::gradient_of_op::worst_of(narrow.template fetch<float>("y"), expected) <= 2e-5);
        if (!B::on_device)
          CHECK(test::gradient_of_op::same_bits(
              narrow.template fetch<float>("y"),
              test::gradient_of_op::run<float>(reference, net, fed).template fetch<float>("y")));
      }
}

// Packed weights turn the product around, whose sums stay the same.
TEST_CASE_TEMPLATE("Conv: few windows have the same bits with constant weights", B, plait::serial, plait::tbb) {
  auto const operators = table<B>();
  auto const check = [&]<class T>(T, shape const& x, shape const& w, std::string const& arguments, bool with_bias,
                                  std::string const& after) {
    plait::workspace<B> blobs;
    auto const feed = [&](std::string const& name, shape const& dims) {
      blobs.template feed<T>(name, test::random_elements<T>(dims, static_cast<unsigned>(name[0])), dims);
    };
    feed("x", x);
    feed("w", w);
    if (with_bias) feed("b", {w[0]});
    std::string const text = "op { type: 'Conv' input: 'x' input: 'w' " + std::string(with_bias ? "input: 'b' " : "") +
                             "output: 'y' " + arguments + " } " + after + " external_output: 'y'";
    plait::netdef const net = plait::read_netdef_text(text);
    auto plain = plait::compile(net, operators, blobs);
    plain.run();
    auto const dims = blobs.view("y").dims();
    auto const expected = blobs.template fetch<T>("y");
    auto plan = plait::compile(net, operators, blobs, {.constants = {"w"}});
    for (int round = 0; round != 2; ++round) {
      plan.run();
      CHECK(blobs.view("y").dims() == dims);
      CHECK(test::gradient_of_op::same_bits(blobs.template fetch<T>("y"), expected));
    }
    CHECK((plan.memory().packed != 0) == (dims.size_from(2) < 16 && w[0] >= 16 && w.size_from(1) >= 32));
  };
  auto const pad = [](int n) { return "arg { name: 'pad' i: " + std::to_string(n) + " }"; };
  for (std::string const after : {"", "op { type: 'Relu' input: 'y' output: 'y' }"}) {
    CAPTURE(after);
    for (bool const with_bias : {true, false})
      for (std::int64_t const images : {1, 2, 21, 0}) {
        check(0.0f, {images, 43, 4}, {40, 43, 3}, pad(1) + "arg { name: 'kernel' i: 3 }", with_bias, after);
        check(0.0f, {images, 43, 4}, {17, 43, 3}, pad(1) + "arg { name: 'kernel' i: 3 } arg { name: 'stride' i: 2 }",
              with_bias, after);
        check(0.0, {images, 19, 5, 7}, {33, 19, 3, 2},
              pad(2) +
                  "arg { name: 'kernel_h' i: 3 } arg { name: 'kernel_w' i: 2 } arg { name: 'dilation' i: 2 }"
                  "arg { name: 'stride' i: 3 }",
              with_bias, after);
        check(0.0f, {images, 1, 640}, {24, 1, 256}, "arg { name: 'kernel' i: 256 } arg { name: 'stride' i: 128 }",
              with_bias, after);
        check(0.0f, {images, 1200, 2}, {16, 1200, 1}, "arg { name: 'kernel' i: 1 }", with_bias, after);
        check(
            0.0f, {images, 5, 2, 3, 3}, {18, 5, 2, 3, 3},
            "arg { name: 'kernels' ints: 2 ints: 3 ints: 3 }" + std::string("arg { name: 'pads' ints: 1 ints: 1 ints: 1"
                                                                            " ints: 0 ints: 1 ints: 0 }"),
            with_bias, after);
      }
    check(0.0f, {2, 43, 16}, {40, 43, 3}, pad(1) + "arg { name: 'kernel' i: 3 }", true, after);
    check(0.0f, {2, 43, 4}, {15, 43, 3}, pad(1) + "arg { name: 'kernel' i: 3 }", true, after);
    check(0.0f, {2, 10, 4}, {40, 10, 3}, pad(1) + "arg { name: 'kernel' i: 3 }", true, after);
  }
}

TEST_CASE("Conv: arguments determine windows, and those that do not fit are refused") {
  using B = plait::serial;
  auto const operators = table<B>();
  auto const dims = [&](shape const& x, shape const& w, std::string const& arguments) {
    auto const blobs = test::run_op<B>(operators, "type: 'Conv' input: 'x' input: 'w' output: 'y' " + arguments,
                                       {{"x", test::counted<B, float>(x)}, {"w", test::counted<B, float>(w)}});
    return blobs.view("y").dims();
  };
  auto const i = [](std::string const& name, int value) {
    return "arg { name: '" + name + "' i: " + std::to_string(value) + " } ";
  };
  shape const x = {1, 2, 8, 9};
  CHECK(dims(x, {3, 2, 3, 3}, i("kernel", 3)) == shape{1, 3, 6, 7});
  CHECK(dims(x, {3, 2, 3, 3}, i("kernel", 3) + i("pad", 1)) == shape{1, 3, 8, 9});
  CHECK(dims(x, {3, 2, 3, 3}, i("kernel", 3) + i("stride", 2)) == shape{1, 3, 3, 4});
  CHECK(dims(x, {3, 2, 3, 3}, i("kernel", 3) + i("dilation", 2)) == shape{1, 3, 4, 5});
  CHECK(dims(x, {3, 2, 2, 3}, i("kernel_h", 2) + i("kernel_w", 3)) == shape{1, 3, 7, 7});
  CHECK(dims(x, {3, 2, 1, 1}, i("kernel", 1) + i("stride_h", 2) + i("stride_w", 3)) == shape{1, 3, 4, 3});
  CHECK(dims(x, {3, 2, 2, 2}, i("kernel", 2) + i("dilation_h", 3) + i("dilation_w", 4)) == shape{1, 3, 5, 5});
  CHECK(dims(x, {3, 2, 1, 1}, i("kernel", 1) + i("pad_t", 1) + i("pad_l", 2) + i("pad_b", 3) + i("pad_r", 4)) ==
        shape{1, 3, 12, 15});
  CHECK(dims(x, {3, 2, 3, 3}, i("kernel", 3) + i("legacy_pad", 1)) == shape{1, 3, 6, 7});
  CHECK(dims(x, {3, 2, 3, 3}, i("kernel", 3) + i("stride", 2) + i("legacy_pad", 2)) == shape{1, 3, 4, 5});
  CHECK(dims(x, {3, 2, 2, 2}, i("kernel", 2) + i("stride", 3) + i("legacy_pad", 3)) == shape{1, 3, 3, 4});
  CHECK(dims({1, 2, 8}, {3, 2, 3}, i("kernel", 3) + i("pad", 1)) == shape{1, 3, 8});
  CHECK(dims({1, 8, 9, 2}, {3, 3, 3, 2}, i("kernel", 3) + "arg { name: 'order' s: 'NHWC' }") == shape{1, 6, 7, 3});
  CHECK(dims(x, {0, 2, 3, 3}, i("kernel", 3)) == shape{1, 0, 6, 7});
  CHECK(dims({2, 0, 8, 9}, {3, 0, 3, 3}, i("kernel", 3)) == shape{2, 3, 6, 7});

  auto const error = [&](shape const& w, std::string const& arguments, shape const& b = {3}) {
    return test::error_of<B>(
        operators, "type: 'Conv' input: 'x' input: 'w' input: 'b' output: 'y' " + arguments,
        {{"x", test::counted<B, float>(x)}, {"w", test::counted<B, float>(w)}, {"b", test::counted<B, float>(b)}});
  };
  CHECK(test::has(error({3, 2, 3, 3}, ""), "'kernel' is missing"));
  CHECK(test::has(error({3, 2, 3, 3}, i("kernel_h", 3)), "'kernel_w' is missing"));
  CHECK(test::has(error({3, 2, 3, 3}, i("kernel", 2)), "be 3x2x2x2, as the input and the kernel have it"));
  CHECK(test::has(error({3, 4, 3, 3}, i("kernel", 3)),
                  "input 0 'x' is float32 1x2x8x9, which should have an extent of 4 in axis 1, "
                  "as input 1 'w' is float32 3x4x3x3"));
  CHECK(test::has(error({3, 2, 3}, i("kernel", 3)),
                  "input 0 'x' is float32 1x2x8x9, which should have 3 dimensions, N×C×W"));
  CHECK(test::has(error({3, 2, 3}, i("kernel_h", 3) + i("kernel_w", 3)),
                  "input 1 'w' is float32 3x2x3, which should have 4"));
  CHECK(test::has(error({3, 2, 9, 9}, i("kernel", 9)), "have, with padding, 9 places for a window in axis 2"));
  CHECK(test::has(error({3, 2, 3, 3}, i("kernel", 3) + i("stride", 0)), "'stride' is less than 1"));
  CHECK(test::has(error({3, 2, 3, 3}, i("kernel", 3) + i("pad", -1)), "'pads' are negative"));
  CHECK(test::has(error({3, 2, 3, 3}, i("kernel", 3) + i("group", 4)), "have channels for 4 groups"));
  CHECK(test::has(error({3, 1, 3, 3}, i("kernel", 3) + i("group", 2)), "have units for 2 groups"));
  CHECK(test::has(error({3, 2, 3, 3}, i("kernel", 3) + i("group", 0)), "'group' is less than 1"));
  for (int const decides : {1, 2})
    CHECK(test::has(error({3, 2, 3, 3}, i("kernel", 3) + i("pad", 4) + i("legacy_pad", decides)),
                    "'legacy_pad' decides on the padding"));
  CHECK(test::has(error({3, 2, 3, 3}, i("kernel", 3) + i("legacy_pad", 4)), "'legacy_pad' must be 0, 1, 2 or 3"));
  CHECK(test::has(error({3, 2, 3, 3}, i("kernel", 3), {2}), "have 3 elements, one a unit"));
  CHECK(test::has(error({3, 2, 3, 3}, i("kernel", 3) + "arg { name: 'order' s: 'CHWN' }"), "must be NCHW or NHWC"));
  CHECK(test::has(error({3, 2, 3, 3}, i("kernel", 3) + "arg { name: 'strides' ints: 1 ints: 1 ints: 1 }"),
                  "'strides' has 3 numbers where"));
}

}  // namespace
