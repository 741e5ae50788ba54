#include <plait/exec/detail/operators/quantize_linear.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::has;
using test::of;
using test::table;

std::string text_of(char const* type, std::string const& inputs, std::int64_t axis = 1, std::int64_t block = 0) {
  std::string made = std::string("type: '") + type + "' output: 'y'";
  for (char const each : inputs) made += std::string(" input: '") + each + "'";
  return made + " arg { name: 'axis' i: " + std::to_string(axis) +
         " } arg { name: 'block_size' i: " + std::to_string(block) + " }";
}

// Returns the position of the scale of an element.
std::size_t scale_place(shape const& scales, test::index at, std::size_t axis, std::int64_t block) {
  if (scales.size() == 1 && scales.rank() < 2) return 0;
  if (block == 0) return static_cast<std::size_t>(at[axis]);
  at[axis] /= block;
  return test::place(scales, at);
}

struct layout {
  shape x;
  shape scales;
  std::int64_t axis;
  std::int64_t block;
};
std::vector<layout> const layouts = {
    {{3, 5}, {}, 1, 0},         {{3, 5}, {1}, 1, 0},   {{40'000}, {}, 1, 0},      {{}, {}, 1, 0},
    {{3, 5}, {5}, 1, 0},        {{3, 5}, {3}, 0, 0},   {{2, 3, 4, 5}, {3}, 1, 0}, {{2, 3, 4, 5}, {4}, -2, 0},
    {{200, 300}, {300}, -1, 0}, {{0, 3}, {3}, 1, 0},   {{2, 0}, {0}, 1, 0},       {{2, 7, 3}, {2, 3, 3}, 1, 3},
    {{2, 7}, {2, 4}, 1, 2},     {{5, 2}, {1, 2}, 0, 9}};

template <class B, class Q, class T>
void check() {
  using limits = std::numeric_limits<Q>;
  for (layout const& each : layouts)
    for (bool const one_zero : {false, true}) {
      CAPTURE(to_string(each.x));
      CAPTURE(to_string(each.scales));
      std::size_t const axis =
          static_cast<std::size_t>(each.axis < 0 ? each.axis + static_cast<std::int64_t>(each.x.rank()) : each.axis);
      std::vector<T> scales(static_cast<std::size_t>(each.scales.size()));
      std::vector<Q> zeros(one_zero ? 1 : scales.size());
      for (std::size_t i = 0; i != scales.size(); ++i) scales[i] = T(0.25) * static_cast<T>(i % 4 + 1);
      for (std::size_t i = 0; i != zeros.size(); ++i)
        zeros[i] = static_cast<Q>(i % 2 == 0 ? limits::max() - 3 : limits::min() + 5);
      std::vector<T> x(static_cast<std::size_t>(each.x.size()));
      for (std::size_t i = 0; i != x.size(); ++i)
        x[i] = static_cast<T>(static_cast<int>(i * 37 % 1001) - 500) * T(0.125) * (i % 5 == 0 ? T(1000) : T(1));
      std::vector<Q> quantised;
      std::vector<T> back;
      for (test::index const& at : test::indices(each.x)) {
        std::size_t const k = scale_place(each.scales, at, axis, each.block);
        double const zero = static_cast<double>(zeros[one_zero ? 0 : k]);
        T const ratio = x[test::place(each.x, at)] / scales[k];
        double const whole = std::nearbyint(static_cast<double>(ratio)) + zero;
        quantised.push_back(static_cast<Q>(
            std::min(std::max(whole, static_cast<double>(limits::min())), static_cast<double>(limits::max()))));
        back.push_back(static_cast<T>(static_cast<double>(quantised.back()) - zero) * scales[k]);
      }
      auto const s = of<B, T>(each.scales, scales);
      auto const z = of<B, Q>(one_zero ? shape{} : each.scales, zeros);
      auto const made = test::run_op<B>(table<B>(), text_of("QuantizeLinear", "xsz", each.axis, each.block),
                                        {{"x", of<B, T>(each.x, x)}, {"s", s}, {"z", z}});
      CHECK(made.view("y").dims() == each.x);
      CHECK(made.template fetch<Q>("y") == quantised);
      auto const restored = test::run_op<B>(table<B>(), text_of("DequantizeLinear", "xsz", each.axis, each.block),
                                            {{"x", of<B, Q>(each.x, quantised)}, {"s", s}, {"z", z}});
      CHECK(restored.template fetch<T>("y") == back);
    }
}

TEST_CASE_TEMPLATE("QuantizeLinear: to nearest, ties to even, saturated, and back", B, PLAIT_HOST_BACKENDS) {
  check<B, std::int8_t, float>();
  check<B, std::uint8_t, float>();
  check<B, std::int16_t, float>();
  check<B, std::uint16_t, float>();
  check<B, std::uint8_t, double>();
}

TEST_CASE("QuantizeLinear: infinities saturate, NaN becomes the zero point") {
  using B = plait::serial;
  float const infinity = std::numeric_limits<float>::infinity();
  float const nan = std::numeric_limits<float>::quiet_NaN();
  auto const made = test::run_op<B>(table<B>(), text_of("QuantizeLinear", "xsz"),
                                    {{"x", of<B, float>({6}, {infinity, -infinity, nan, 1e38f, -1e38f, 0.5f})},
                                     {"s", of<B, float>({}, {1})},
                                     {"z", of<B, std::int8_t>({}, {2})}});
  CHECK(made.fetch<std::int8_t>("y") == std::vector<std::int8_t>{127, -128, 2, 127, -128, 2});
}

TEST_CASE("DequantizeLinear: int32, and without a zero point") {
  using B = plait::serial;
  auto const least = std::numeric_limits<std::int32_t>::min();
  auto const most = std::numeric_limits<std::int32_t>::max();
  auto const x = of<B, std::int32_t>({3}, {least, 5, most});
  auto const s = of<B, double>({}, {0.5});
  CHECK(test::run_op<B>(table<B>(), text_of("DequantizeLinear", "xs"), {{"x", x}, {"s", s}}).fetch<double>("y") ==
        std::vector<double>{-0x1p30, 2.5, 0x1p30 - 0.5});
  auto const z = of<B, std::int32_t>({}, {most});
  CHECK(test::run_op<B>(table<B>(), text_of("DequantizeLinear", "xsz"), {{"x", x}, {"s", s}, {"z", z}})
            .fetch<double>("y") == std::vector<double>{0.5 - 0x1p31, 3 - 0x1p30, 0});
}

TEST_CASE("QuantizeLinear, DequantizeLinear: operands that do not fit are refused") {
  using B = plait::serial;
  auto const x = test::counted<B, float>({2, 3});
  auto const q = test::counted<B, std::uint8_t>({2, 3});
  auto const z = of<B, std::uint8_t>({}, {0});
  auto const refusal = [](std::string const& op, test::feeds<B> const& fed) {
    return test::error_of<B>(table<B>(), op, fed);
  };
  CHECK(has(refusal(text_of("QuantizeLinear", "xsz"), {{"x", x}, {"s", test::counted<B, float>({2})}, {"z", z}}),
            "have one element, or 3, as axis 1"));
  CHECK(
      has(refusal(text_of("QuantizeLinear", "xsz", 1, 2), {{"x", x}, {"s", test::counted<B, float>({2, 3})}, {"z", z}}),
          "be 2x2, with an element for each block"));
  CHECK(has(refusal(text_of("QuantizeLinear", "xsz", 1, -2), {{"x", x}, {"s", x}, {"z", z}}), "is below 0"));
  CHECK(has(refusal(text_of("QuantizeLinear", "xsz", 2), {{"x", x}, {"s", test::counted<B, float>({3})}, {"z", z}}),
            "has no axis 2"));
  CHECK(has(refusal(text_of("QuantizeLinear", "xsz"),
                    {{"x", x}, {"s", test::counted<B, float>({3})}, {"z", test::counted<B, std::uint8_t>({2})}}),
            "have one element, or the shape of"));
  CHECK(refusal(text_of("QuantizeLinear", "xsz"), {{"x", x}, {"s", of<B, double>({}, {1})}, {"z", z}}) != "");
  CHECK(refusal(text_of("QuantizeLinear", "xsz"),
                {{"x", x}, {"s", of<B, float>({}, {1})}, {"z", of<B, std::int32_t>({}, {1})}}) != "");
  CHECK(refusal(text_of("DequantizeLinear", "xsz"),
                {{"x", q}, {"s", of<B, float>({}, {1})}, {"z", of<B, std::int8_t>({}, {1})}}) != "");
  CHECK(refusal(text_of("DequantizeLinear", "xs"), {{"x", x}, {"s", of<B, float>({}, {1})}}) != "");
}

}  // namespace
