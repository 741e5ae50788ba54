#include <plait/exec/detail/operators/pad_image.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::index;
using test::table;

// Returns the source index by definition: reflected at the edges, clamped to them, or -1 for outside.
std::int64_t source(std::string const& mode, std::int64_t at, std::int64_t extent) {
  if (at >= 0 && at < extent) return at;
  if (mode == "constant") return -1;
  if (mode == "edge") return std::clamp<std::int64_t>(at, 0, extent - 1);
  return at < 0 ? -at : 2 * extent - 2 - at;
}

TEST_CASE_TEMPLATE("PadImage, PadImageGradient: all modes and orders follow the definition", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const reference = table<plait::serial>();
  struct sample {
    shape dims;  // channels first
    std::array<int, 4> pads;
  };
  std::vector<sample> const samples = {
      {{1, 1, 2, 2}, {1, 1, 1, 1}},     {{2, 3, 4, 5}, {3, 2, 0, 4}},    {{1, 2, 3, 4}, {0, 0, 0, 0}},
      {{2, 1, 5, 3}, {1, 0, 4, 2}},     {{0, 2, 3, 3}, {1, 1, 1, 1}},    {{1, 0, 3, 3}, {1, 2, 1, 1}},
      {{2, 3, 1, 4}, {0, 3, 0, 3}},     {{3, 20, 40, 30}, {5, 2, 7, 1}}, {{2, 3, 4, 5}, {-1, 2, 1, -2}},
      {{1, 2, 4, 4}, {-1, -1, -1, -1}}, {{1, 2, 4, 4}, {-5, 3, 3, -5}},  {{2, 1, 4, 3}, {-2, 0, -2, -1}}};
  for (sample const& s : samples)
    for (bool const last : {false, true})
      for (std::string const mode : {"constant", "reflect", "edge"}) {
        CAPTURE(plait::to_string(s.dims));
        CAPTURE(mode);
        CAPTURE(last);
        shape dims = s.dims;
        if (last) dims = {s.dims[0], s.dims[2], s.dims[3], s.dims[1]};
        std::size_t const first = last ? 1 : 2;
        shape padded = dims;
        padded.set(first, dims[first] + s.pads[0] + s.pads[2]);
        padded.set(first + 1, dims[first + 1] + s.pads[1] + s.pads[3]);
        auto const x = test::random_tensor(dims, 9);
        std::vector<double> const elements = x.values<double>();
        std::vector<double> expected;
        for (index at : test::indices(padded)) {
          at[first] = source(mode, at[first] - s.pads[0], dims[first]);
          at[first + 1] = source(mode, at[first + 1] - s.pads[1], dims[first + 1]);
          expected.push_back(at[first] < 0 || at[first + 1] < 0 ? 1.5 : elements[test::place(dims, at)]);
        }
        std::string const arguments = "arg { name: 'pad_t' i: " + std::to_string(s.pads[0]) +
                                      " } arg { name: 'pad_l' i: " + std::to_string(s.pads[1]) +
                                      " } arg { name: 'pad_b' i: " + std::to_string(s.pads[2]) +
                                      " } arg { name: 'pad_r' i: " + std::to_string(s.pads[3]) +
                                      " } arg { name: 'value' f: 1.5 } " + "arg { name: 'mode' s: '" + mode +
                                      "' } arg { name: 'order' s: '" + (last ? "NHWC" : "NCHW") + "' }";
        std::string const forward = "type: 'PadImage' input: 'x' output: 'y' " + arguments;
        auto const blobs =
            test::gradient_of_op::run<double>(operators, test::gradient_of_op::net_of(forward), {{"x", x}});
        CHECK(blobs.view("y").dims() == padded);
        CHECK(blobs.template fetch<double>("y") == expected);
        test::check_gradient_of_op(
            operators, reference,
            {.forward = forward,
             .gradient = "type: 'PadImageGradient' input: 'y_grad' output: 'x_grad' " + arguments,
             .fed = {{"x", x}},
             .most_differences = 40});
      }
}

TEST_CASE("PadImage: pad and pads set margins, and wrong operands are refused") {
  using B = plait::serial;
  auto const dims = [](std::string const& arguments) {
    auto const blobs = test::run_op<B>(table<B>(), "type: 'PadImage' input: 'x' output: 'y' " + arguments,
                                       {{"x", test::counted<B, float>({1, 1, 2, 3})}});
    return blobs.view("y").dims();
  };
  CHECK(dims("arg { name: 'pad' i: 2 }") == shape{1, 1, 6, 7});
  CHECK(dims("arg { name: 'pads' ints: 1 ints: 2 ints: 3 ints: 4 }") == shape{1, 1, 6, 9});
  CHECK(dims("arg { name: 'pad' i: -1 }") == shape{1, 1, 0, 1});
  CHECK(dims("") == shape{1, 1, 2, 3});
  auto const error = [](std::string const& type, std::string const& arguments, shape const& x = {1, 1, 2, 3}) {
    return test::error_of<B>(table<B>(), "type: '" + type + "' input: 'x' output: 'y' " + arguments,
                             {{"x", test::counted<B, float>(x)}});
  };
  CHECK(test::has(error("PadImage", "arg { name: 'pad' i: -2 }"), "as many places in axis 2 as are cut off"));
  CHECK(test::has(error("PadImage", "arg { name: 'pad' i: 3000000000 }"), "'pads' are very large"));
  CHECK(test::has(error("PadImage", "arg { name: 'pads' ints: 1 ints: 2 }"), "'pads' must be four"));
  CHECK(test::has(error("PadImage", "arg { name: 'mode' s: 'wrap' }"), "'mode' must be constant, reflect or edge"));
  CHECK(test::has(error("PadImage", "arg { name: 'pad' i: 2 } arg { name: 'mode' s: 'reflect' }"),
                  "more places in axis 2 than a reflected margin has"));
  CHECK(test::has(error("PadImage", "arg { name: 'pad' i: 2 } arg { name: 'mode' s: 'edge' }", {1, 1, 0, 3}),
                  "have an edge in axis 2"));
  CHECK(test::has(error("PadImage", "", {1, 2, 3}), "4 dimensions"));
  CHECK(test::has(error("PadImageGradient", "arg { name: 'pad' i: 2 }"), "be larger than its margin in axis 2"));
}

}  // namespace
