#include <plait/exec/detail/operators/pooling.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/image_oracle.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::index;
using test::table;

// Returns distinct numbers in scrambled order.
plait::tensor<plait::serial> distinct(shape const& dims) {
  std::vector<double> made(static_cast<std::size_t>(dims.size()));
  for (std::size_t i = 0; i != made.size(); ++i) made[i] = static_cast<double>(i * 7'919 % 100'003) / 20'000 - 2;
  return test::of<plait::serial>(dims, made);
}

std::vector<double> pooled(test::window_case const& c, std::vector<double> const& x, bool max, bool padding) {
  std::vector<double> made;
  for (index const& at : test::indices(c.output(c.channels()))) {
    double most = -std::numeric_limits<double>::infinity();
    double sum = 0;
    int seen = 0;
    c.for_taps(c.place_of(at), [&](index const&, index const& place) {
      seen += padding || !place.empty() ? 1 : 0;
      if (place.empty()) return;
      double const element = x[test::place(c.x, c.at(at[0], c.channel_of(at), place))];
      most = std::max(most, element);
      sum += element;
    });
    made.push_back(max ? most : sum / seen);
  }
  return made;
}

TEST_CASE_TEMPLATE("MaxPool, AveragePool: values and gradients are right for 1 to 3 axes and both orders", B,
                   PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const reference = table<plait::serial>();
  for (test::window_case const& c : test::window_cases())
    for (int const how : {0, 1, 2}) {
      CAPTURE(plait::to_string(c.x));
      CAPTURE(c.last);
      std::string const type = how == 0 ? "MaxPool" : "AveragePool";
      std::string const arguments = c.arguments() + (how == 2 ? "arg { name: 'count_include_pad' i: 1 }" : "");
      auto const x = distinct(c.x);
      std::string const forward = "type: '" + type + "' input: 'x' output: 'y' " + arguments;
      auto const blobs =
          test::gradient_of_op::run<double>(operators, test::gradient_of_op::net_of(forward), {{"x", x}});
      CHECK(blobs.view("y").dims() == c.output(c.channels()));
      auto const expected = pooled(c, x.values<double>(), how == 0, how == 2);
      CHECK(test::gradient_of_op::worst_of(blobs.template fetch<double>("y"), expected) <= 1e-14);
      test::check_gradient_of_op(operators, reference,
                                 {.forward = forward,
                                  .gradient = "type: '" + type + "Gradient' input: 'x' input: 'y' input: 'y_grad' " +
                                              "output: 'x_grad' " + arguments,
                                  .fed = {{"x", x}},
                                  .most_differences = 25});
    }
}

// A window counts if it begins before the padding behind ends; its mean is over what is not behind that.
TEST_CASE_TEMPLATE("pooling: with ceil_mode a last window may end behind the padding", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  for (std::int64_t extent = 3; extent != 9; ++extent)
    for (std::int64_t kernel = 1; kernel != 4; ++kernel)
      for (std::int64_t stride = 1; stride != 4; ++stride)
        for (std::int64_t head = 0; head != kernel; ++head)
          for (std::int64_t tail = 0; tail != kernel; ++tail) {
            std::string const arguments = "arg { name: 'kernels' ints: " + std::to_string(kernel) +
                                          " } arg { name: 'stride' i: " + std::to_string(stride) +
                                          " } arg { name: 'pads' ints: " + std::to_string(head) +
                                          " ints: " + std::to_string(tail) + " } arg { name: 'ceil_mode' i: 1 } ";
            CAPTURE(extent);
            CAPTURE(arguments);
            auto const x = distinct({1, 1, extent}).values<double>();
            std::vector<double> most, mean, mean_with_padding;
            for (std::int64_t first = -head; first < extent && first + kernel - stride < extent + tail;
                 first += stride) {
              double largest = -std::numeric_limits<double>::infinity();
              double sum = 0;
              std::int64_t seen = 0;
              for (std::int64_t i = std::max<std::int64_t>(first, 0); i < std::min(first + kernel, extent);
                   ++i, ++seen) {
                largest = std::max(largest, x[static_cast<std::size_t>(i)]);
                sum += x[static_cast<std::size_t>(i)];
              }
              most.push_back(largest);
              mean.push_back(sum / static_cast<double>(seen));
              mean_with_padding.push_back(sum / static_cast<double>(std::min(first + kernel, extent + tail) - first));
            }
            auto const run = [&](std::string const& type, std::string const& more) {
              return test::run_op<B>(operators, "type: '" + type + "' input: 'x' output: 'y' " + arguments + more,
                                     {{"x", test::of<B>({1, 1, extent}, x)}})
                  .template fetch<double>("y");
            };
            CHECK(run("MaxPool", "") == most);
            CHECK(test::gradient_of_op::worst_of(run("AveragePool", ""), mean) <= 1e-14);
            CHECK(test::gradient_of_op::worst_of(run("AveragePool", "arg { name: 'count_include_pad' i: 1 }"),
                                                 mean_with_padding) <= 1e-14);
          }
}

TEST_CASE_TEMPLATE("pooling: same_lower puts the larger half of the padding in front", B, PLAIT_HOST_BACKENDS) {
  auto const run = [&](char const* more) {
    return test::run_op<B>(table<B>(),
                           std::string("type: 'MaxPool' input: 'x' output: 'y' arg { name: 'kernels' ints: 2 } "
                                       "arg { name: 'legacy_pad' i: 2 } ") +
                               more,
                           {{"x", test::of<B>({1, 1, 3}, std::vector<float>{3, 1, 2})}})
        .template fetch<float>("y");
  };
  CHECK(run("") == std::vector<float>{3, 2, 2});
  CHECK(run("arg { name: 'same_lower' i: 1 }") == std::vector<float>{3, 3, 2});
}

TEST_CASE_TEMPLATE("pooling: global windows, windows past the end, ties and NaN are handled", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const run = [&](std::string const& type, std::string const& arguments, shape const& dims,
                       std::vector<float> const& x) {
    return test::run_op<B>(operators, "type: '" + type + "' input: 'x' output: 'y' " + arguments,
                           {{"x", test::of<B>(dims, x)}});
  };
  auto const all = run("AveragePool", "arg { name: 'global_pooling' i: 1 }", {1, 2, 2, 2}, {1, 2, 3, 6, 0, 0, 0, 8});
  CHECK(all.view("y").dims() == shape{1, 2, 1, 1});
  CHECK(all.template fetch<float>("y") == std::vector<float>{3, 2});
  auto const without_kernel = run("AveragePool", "arg { name: 'global_pooling' i: 1 } arg { name: 'kernel' i: 0 }",
                                  {1, 2, 2, 2}, {1, 2, 3, 6, 0, 0, 0, 8});
  CHECK(without_kernel.template fetch<float>("y") == std::vector<float>{3, 2});
  for (std::string const other : {"stride", "dilation", "pad"})
    CHECK(test::has(test::error_of<B>(operators,
                                      "type: 'MaxPool' input: 'x' output: 'y' arg { name: 'global_pooling' i: 1 } "
                                      "arg { name: '" +
                                          other + "' i: 2 }",
                                      {{"x", test::counted<B, float>({1, 1, 3})}}),
                    "'global_pooling' makes one window"));
  std::string const cut = "arg { name: 'kernel' i: 2 } arg { name: 'stride' i: 2 } arg { name: 'legacy_pad' i: 3 }";
  auto const behind = run("MaxPool", cut, {1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(behind.view("y").dims() == shape{1, 1, 2, 2});
  CHECK(behind.template fetch<float>("y") == std::vector<float>{5, 6, 8, 9});
  CHECK(run("AveragePool", cut, {1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}).template fetch<float>("y") ==
        std::vector<float>{3, 4.5, 7.5, 9});
  // The window has more places of padding than int64 can count.
  CHECK(run("AveragePool",
            "arg { name: 'kernel' i: 2097153 } arg { name: 'pad' i: 1048576 } arg { name: 'count_include_pad' i: 1 }",
            {1, 1, 1, 1, 1}, {2})
            .template fetch<float>("y")[0] == doctest::Approx(2 / std::pow(2097153.0, 3)));
  float const nan = std::numeric_limits<float>::quiet_NaN();
  auto const none = run("MaxPool", "arg { name: 'kernel' i: 2 }", {1, 1, 3}, {1, nan, 0}).template fetch<float>("y");
  CHECK(std::isnan(none[0]));
  CHECK(std::isnan(none[1]));

  auto const gradient = [&](std::vector<float> const& x, std::vector<float> const& y) {
    return test::run_op<B>(operators,
                           "type: 'MaxPoolGradient' input: 'x' input: 'y' input: 'dy' output: 'dx' "
                           "arg { name: 'kernel' i: 2 }",
                           {{"x", test::of<B>({1, 1, 3}, x)},
                            {"y", test::of<B>({1, 1, 2}, y)},
                            {"dy", test::of<B, float>({1, 1, 2}, {3, 5})}})
        .template fetch<float>("dx");
  };
  CHECK(gradient({2, 2, 1}, {2, 2}) == std::vector<float>{3, 8, 0});
  CHECK(gradient({2, nan, 1}, {nan, nan}) == std::vector<float>{0, 8, 0});
}

TEST_CASE_TEMPLATE("pooling: windows much larger than the image do not iterate over their padding", B,
                   PLAIT_HOST_BACKENDS) {
  auto const& operators = table<B>();
  // Three windows of 2^31 - 1 taps along each axis, which cover the whole image of 3 by 3.
  for (bool const last : {false, true}) {
    shape const dims = last ? shape{1, 3, 3, 1} : shape{1, 1, 3, 3};
    std::string const window =
        " arg { name: 'kernel' i: 2147483647 } arg { name: 'pad' i: 1073741823 } arg { name: "
        "'order' s: '" +
        std::string(last ? "NHWC" : "NCHW") + "' }";
    std::vector<float> const x = {1, 2, 3, 4, 9, 5, 6, 7, 8};
    std::vector<float> const ones(9, 1);
    test::feeds<B> const fed = {{"x", test::of<B, float>(dims, x)}};
    auto const y = [&](std::string const& type) {
      return test::run_op<B>(operators, "type: '" + type + "' input: 'x' output: 'y'" + window, fed)
          .template fetch<float>("y");
    };
    CHECK(y("MaxPool") == std::vector<float>(9, 9));
    CHECK(y("AveragePool") == std::vector<float>(9, 5));
    auto const dx = [&](std::string const& type, float result) {
      return test::run_op<B>(operators,
                             "type: '" + type + "Gradient' input: 'x' input: 'y' input: 'dy' output: 'dx'" + window,
                             {{"x", test::of<B, float>(dims, x)},
                              {"y", test::of<B, float>(dims, std::vector<float>(9, result))},
                              {"dy", test::of<B, float>(dims, ones)}})
          .template fetch<float>("dx");
    };
    CHECK(dx("MaxPool", 9) == std::vector<float>{0, 0, 0, 0, 9, 0, 0, 0, 0});
    for (float const slope : dx("AveragePool", 5)) CHECK(slope == doctest::Approx(1));
  }
}

TEST_CASE("pooling: windows and shapes that do not fit are refused") {
  using B = plait::serial;
  auto const error = [](std::string const& op) {
    return test::error_of<B>(
        table<B>(), op, {{"x", test::counted<B, float>({1, 1, 4, 4})}, {"y", test::counted<B, float>({1, 1, 2, 2})}});
  };
  std::string const pool = "type: 'MaxPool' input: 'x' output: 'z' ";
  CHECK(test::has(error(pool), "'kernel' is missing"));
  CHECK(test::has(error(pool + "arg { name: 'kernel' i: 5 }"), "5 places for a window in axis 2"));
  CHECK(test::has(error(pool + "arg { name: 'kernel' i: 2 } arg { name: 'pad' i: 2 }"),
                  "not have a window that lies in the padding"));
  CHECK(test::has(error("type: 'MaxPoolGradient' input: 'x' input: 'y' input: 'y' output: 'z' "
                        "arg { name: 'kernel' i: 2 }"),
                  "be 1x1x3x3, as the output is"));
  CHECK(error("type: 'MaxPoolGradient' input: 'x' input: 'y' input: 'y' output: 'z' arg { name: 'kernel' i: 2 } "
              "arg { name: 'stride' i: 2 }")
            .empty());
}

}  // namespace
