#include <plait/exec/detail/operators/quantized_segments.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/check_close.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;

struct format {
  std::string quantise;  // op, with inputs and outputs
  std::string dequantise;
  std::string rows;        // end of the names of reductions
  std::string parameters;  // inputs after the lengths
};

format fused(std::string const& bits) {
  std::string const name = "Fused" + bits + "BitRowwise";
  return {"type: 'FloatTo" + name + "Quantized' input: 'x' output: 'q'",
          "type: '" + name + "QuantizedToFloat' input: 'q' output: 'z'", name, ""};
}
format const separate = {"type: 'FloatToRowwiseQuantized8Bits' input: 'x' output: 'q' output: 's'",
                         "type: 'Rowwise8BitQuantizedToFloat' input: 'q' input: 's' output: 'z'", "8BitsRowwise",
                         " input: 's'"};

// Compares reductions of quantised rows with those of the same rows as floats.
template <class B, class I>
void check_format(format const& of, std::size_t width, std::vector<std::int32_t> const& lengths) {
  CAPTURE(of.rows);
  std::int64_t const rows = 7;
  std::size_t count = 0;
  for (std::int32_t const length : lengths) count += static_cast<std::size_t>(length);
  std::vector<float> x(static_cast<std::size_t>(rows) * width);
  std::vector<float> weights(count);
  std::vector<I> indices(count);
  for (std::size_t i = 0; i != x.size(); ++i) x[i] = std::sin(static_cast<float>(3 * i));
  for (std::size_t i = 0; i != count; ++i) {
    weights[i] = std::cos(static_cast<float>(i));
    indices[i] = static_cast<I>(i * 5 % 7);
  }
  std::string net = "op { " + of.quantise + " } op { " + of.dequantise + " }";
  for (std::string const how : {"Sum", "Mean", "WeightedSum"}) {
    std::string const list = std::string(how == "WeightedSum" ? " input: 'w'" : "") + " input: 'i' input: 'l'";
    net += "op { type: 'SparseLengths" + how + of.rows + "' input: 'q'" + list + of.parameters + " output: '" + how +
           "' } op { type: 'SparseLengths" + how + "' input: 'z'" + list + " output: 'wanted" + how + "' }";
  }
  auto const n = static_cast<std::int64_t>(count);
  auto const blobs = test::run_net<B>(table<B>(), net,
                                      {{"x", test::of<B>({rows, static_cast<std::int64_t>(width)}, x)},
                                       {"w", test::of<B>({n}, weights)},
                                       {"i", test::of<B>({n}, indices)},
                                       {"l", test::of<B>({static_cast<std::int64_t>(lengths.size())}, lengths)}});
  for (std::string const how : {"Sum", "Mean", "WeightedSum"}) {
    CAPTURE(how);
    CHECK(blobs.view(how).spec() == blobs.view("wanted" + how).spec());
    test::check_close<float, float>(blobs.template fetch<float>(how), blobs.template fetch<float>("wanted" + how), 4,
                                    4);
  }
}

TEST_CASE_TEMPLATE("SparseLengths* of quantised rows: equal those of the rows as floats", B, PLAIT_HOST_BACKENDS) {
  for (format const& of : {fused("8"), fused("4"), fused("2"), separate}) {
    check_format<B, std::int32_t>(of, 12, {2, 0, 3, 1});
    check_format<B, std::int64_t>(of, 300, {0, 40});
    check_format<B, std::int64_t>(of, 4, {0, 0});
    check_format<B, std::int32_t>(of, 4, {});
  }
}

TEST_CASE_TEMPLATE("SparseLengthsWeightedMean8BitsRowwise: weighted sums divided by lengths", B, PLAIT_HOST_BACKENDS) {
  auto const blobs = test::run_op<B>(table<B>(),
                                     "type: 'SparseLengthsWeightedMean8BitsRowwise' input: 'q' input: 'w' input: 'i' "
                                     "input: 'l' input: 's' output: 'y'",
                                     {{"q", test::of<B, std::uint8_t>({2, 1, 2}, {0, 255, 10, 20})},
                                      {"w", test::of<B, float>({3}, {2, -1, 4})},
                                      {"i", test::of<B, std::int64_t>({3}, {1, 0, 1})},
                                      {"l", test::of<B, std::int32_t>({3}, {2, 0, 1})},
                                      {"s", test::of<B, float>({2, 2}, {1, -5, 0.5f, 1})}});
  CHECK(blobs.view("y").dims() == shape{3, 1, 2});
  // Rows are -5 250 and 6 11.
  CHECK(blobs.template fetch<float>("y") == std::vector<float>{8.5f, -114, 0, 0, 24, 44});
}

TEST_CASE("SparseLengths* of quantised rows: operands that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& op, shape const& dims, std::vector<std::int32_t> const& indices,
                          std::vector<std::int32_t> const& lengths) {
    return test::error_of<B>(table<B>(), op + " output: 'y'",
                             {{"q", test::counted<B, std::uint8_t>(dims)},
                              {"i", test::of<B>({static_cast<std::int64_t>(indices.size())}, indices)},
                              {"l", test::of<B>({static_cast<std::int64_t>(lengths.size())}, lengths)},
                              {"w", test::of<B, double>({1}, {1})},
                              {"s", test::of<B, float>({1, 2}, {1, 0})}});
  };
  std::string const sum = "type: 'SparseLengthsSumFused8BitRowwise' input: 'q' input: 'i' input: 'l'";
  CHECK(refusal(sum, {2, 8}, {1, 0}, {2}).empty());
  CHECK(test::has(refusal(sum, {2, 9}, {1, 2}, {2}), "index 2 at place 1"));
  CHECK(test::has(refusal(sum, {2, 9}, {-1}, {1}), "index -1 at place 0"));
  CHECK(test::has(refusal(sum, {2, 9}, {1}, {2}), "length 2 at place 0"));
  CHECK(test::has(refusal(sum, {2, 7}, {1}, {1}), "rows of 8 bytes at least"));
  CHECK(test::has(refusal(sum, {1, 2, 9}, {0}, {1}), "2 dimensions"));
  std::string const scaled = "type: 'SparseLengthsSum8BitsRowwise' input: 'q' input: 'i' input: 'l' input: 's'";
  CHECK(refusal(scaled, {1, 3}, {0}, {1}).empty());
  CHECK(test::has(refusal(scaled, {2, 3}, {0}, {1}), "be 2x2, a scale and a bias for each row"));
  CHECK(
      test::has(refusal("type: 'SparseLengthsWeightedSumFused4BitRowwise' input: 'q' input: 'w' input: 'i' input: 'l'",
                        {2, 9}, {0}, {1}),
                "hold float32"));
}

}  // namespace
