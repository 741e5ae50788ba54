#include <plait/exec/detail/operators/rowwise_quantization.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;
using bytes = std::vector<std::uint8_t>;

template <class B>
bytes fused(int bits, shape const& dims, std::vector<float> const& x) {
  auto const blobs = test::run_op<B>(
      table<B>(), "type: 'FloatToFused" + std::to_string(bits) + "BitRowwiseQuantized' input: 'x' output: 'q'",
      {{"x", test::of<B>(dims, x)}});
  return blobs.template fetch<std::uint8_t>("q");
}

// The expected bytes are those of Caffe2.
TEST_CASE_TEMPLATE("FloatToFused*BitRowwiseQuantized: rows are integers, scale and bias", B, PLAIT_HOST_BACKENDS) {
  CHECK(fused<B>(8, {1, 5}, {0, 0.5f, 255, 1.5f, 2.5f}) == bytes{0, 0, 255, 2, 2, 0, 0, 128, 63, 0, 0, 0, 0});
  CHECK(fused<B>(8, {1, 3}, {3, 3, 3}) == bytes{0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 64});
  CHECK(fused<B>(8, {2, 3}, {0, 1, 2, 3, 4, 5}) ==
        bytes{0, 128, 255, 129, 128, 0, 60, 0, 0, 0, 0, 0, 128, 255, 129, 128, 0, 60, 0, 0, 64, 64});
  CHECK(fused<B>(8, {3}, {1, 2, 3}) == bytes{0, 128, 255, 129, 128, 0, 60, 0, 0, 128, 63});
  CHECK(fused<B>(8, {0, 4}, {}).empty());
  // The first integer is in the lowest bits: 1 2 3 5 becomes 0x21 0x53.
  CHECK(fused<B>(4, {1, 6}, {1, 2, 3, 5, 0, 15}) == bytes{0x21, 0x53, 0xf0, 0, 0x3c, 0, 0});
  CHECK(fused<B>(2, {1, 4}, {1, 2, 3, 0}) == bytes{0x39, 0, 0x3c, 0, 0});
}

TEST_CASE_TEMPLATE("Fused*BitRowwiseQuantizedToFloat: elements are within half a step", B, PLAIT_HOST_BACKENDS) {
  for (int const bits : {8, 4, 2}) {
    CAPTURE(bits);
    shape const dims = {3, 2, 260};
    std::vector<float> x(static_cast<std::size_t>(dims.size()));
    for (std::size_t i = 0; i != x.size(); ++i)
      x[i] = std::sin(static_cast<float>(i)) * static_cast<float>(1 + i / 260);
    std::string const name = "Fused" + std::to_string(bits) + "BitRowwiseQuantized";
    auto const blobs = test::run_net<B>(table<B>(),
                                        "op { type: 'FloatTo" + name + "' input: 'x' output: 'q' } op { type: '" +
                                            name + "ToFloat' input: 'q' output: 'y' }",
                                        {{"x", test::of<B>(dims, x)}});
    CHECK(blobs.view("q").dims() == shape{3, 2, 260 * bits / 8 + (bits == 8 ? 8 : 4)});
    CHECK(blobs.view("y").dims() == dims);
    auto const y = blobs.template fetch<float>("y");
    float worst = 0;
    for (std::size_t i = 0; i != x.size(); ++i)
      worst = std::max(worst, std::abs(y[i] - x[i]) / static_cast<float>(1 + i / 260));
    CHECK(worst <= 1.005f / static_cast<float>((1 << bits) - 1));  // float16 bounds move
  }
}

TEST_CASE_TEMPLATE("FloatToRowwiseQuantized8Bits: scales and biases are a matrix", B, PLAIT_HOST_BACKENDS) {
  auto const blobs =
      test::run_net<B>(table<B>(), R"(
      op { type: "FloatToRowwiseQuantized8Bits" input: "x" output: "q" output: "s" }
      op { type: "Rowwise8BitQuantizedToFloat" input: "q" input: "s" output: "y" })",
                       {{"x", test::of<B, float>({2, 2, 3}, {0, 0.5f, 255, 1.5f, 2.5f, 3, 7, 7, 7, 7, 7, 7})}});
  CHECK(blobs.template fetch<std::uint8_t>("q") == bytes{0, 1, 255, 2, 3, 3, 0, 0, 0, 0, 0, 0});
  CHECK(blobs.template fetch<float>("s") == std::vector<float>{1, 0, 1, 7});
  CHECK(blobs.view("s").dims() == shape{2, 2});
  CHECK(blobs.template fetch<float>("y") == std::vector<float>{0, 1, 255, 2, 3, 3, 7, 7, 7, 7, 7, 7});
}

TEST_CASE_TEMPLATE("row-wise quantisation: a row with NaN becomes NaN", B, PLAIT_HOST_BACKENDS) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  for (std::string const bits : {"8", "4", "2"}) {
    std::string const name = "Fused" + bits + "BitRowwiseQuantized";
    auto const blobs = test::run_net<B>(table<B>(),
                                        "op { type: 'FloatTo" + name + "' input: 'x' output: 'q' } op { type: '" +
                                            name + "ToFloat' input: 'q' output: 'y' }",
                                        {{"x", test::of<B, float>({2, 4}, {1, 2, nan, 3, 0, 255, 255, 0})}});
    auto const y = blobs.template fetch<float>("y");
    for (std::size_t i = 0; i != 4; ++i) CHECK(std::isnan(y[i]));
    CHECK(std::vector<float>(y.begin() + 4, y.end()) == std::vector<float>{0, 255, 255, 0});
  }
}

TEST_CASE("row-wise quantisation: operands that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& op, plait::tensor<B> const& x, plait::tensor<B> const& s) {
    return test::error_of<B>(table<B>(), op, {{"x", x.clone()}, {"s", s.clone()}});
  };
  auto const three = test::counted<B, float>({2, 3});
  auto const packed = test::counted<B, std::uint8_t>({2, 3});
  CHECK(test::has(refusal("type: 'FloatToFused4BitRowwiseQuantized' input: 'x' output: 'y'", three, three),
                  "have a multiple of 2 columns"));
  CHECK(test::has(refusal("type: 'FloatToFused2BitRowwiseQuantized' input: 'x' output: 'y'", three, three),
                  "have a multiple of 4 columns"));
  CHECK(test::has(refusal("type: 'FloatToFused8BitRowwiseQuantized' input: 'x' output: 'y'", packed, three),
                  "hold float32"));
  CHECK(test::has(refusal("type: 'Fused8BitRowwiseQuantizedToFloat' input: 'x' output: 'y'", packed, three),
                  "have rows of 8 bytes at least"));
  CHECK(test::has(refusal("type: 'Fused4BitRowwiseQuantizedToFloat' input: 'x' output: 'y'", packed, three),
                  "have rows of 4 bytes at least"));
  CHECK(test::has(refusal("type: 'Rowwise8BitQuantizedToFloat' input: 'x' input: 's' output: 'y'", packed, three),
                  "be 2x2, a scale and a bias for each row"));
}

}  // namespace
