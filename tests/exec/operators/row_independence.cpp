// Independence of rows that op types claim (op_schema::rows_independent), compared with their results.
#include <plait/exec/detail/op_arguments.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/kernels/convert.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>

namespace {

using B = plait::serial;
using tensor = plait::tensor<B>;

plait::operators<B> const& table() { return plait::standard_operators<B>(); }

// Op, its inputs, and the number of inputs that have rows.
struct example {
  std::string type;
  std::string arguments;
  std::vector<tensor> inputs;
  std::size_t rows;
  std::size_t outputs = 1;
  std::size_t shared_outputs = 0;  // the last outputs, shared by all rows
};

constexpr std::int64_t rows = 4;

// Returns numbers between 0.15 and 0.85.
tensor reals(plait::shape const& dims) {
  std::vector<double> all;
  for (std::int64_t i = 0; i != dims.size(); ++i)
    all.push_back(0.15 + 0.7 * std::fmod(0.61803398874989485 * double(i), 1));
  return tensor::from(all, dims);
}
template <class T>
tensor given(std::vector<T> const& elements, plait::shape const& dims) {
  return tensor::from(elements, dims);
}
tensor matrix() { return reals({rows, 6}); }

plait::netdef net_of(example const& e) {
  std::string text = "op { type: \"" + e.type + "\" " + e.arguments;
  for (std::size_t i = 0; i != e.inputs.size(); ++i) text += " input: \"x" + std::to_string(i) + '"';
  for (std::size_t o = 0; o != e.outputs; ++o) text += " output: \"y" + std::to_string(o) + '"';
  return plait::read_netdef_text(text + " }");
}

bool claims(example const& e, std::size_t how_many) {
  plait::netdef const net = net_of(e);
  return plait::read_op_arguments(net, net.op[0], table().find(e.type)->schema).has_independent_rows(how_many);
}

bool are_close(std::vector<double> const& a, std::vector<double> const& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return std::abs(x - y) < 1e-14; });
}

std::vector<double> numbers_of(tensor const& t) {
  std::vector<double> made;
  bool const known = plait::visit_type<float, double, std::int32_t, std::int64_t, bool, std::uint8_t, plait::float16>(
      t.type(), [&]<class T>(T) {
        for (T const x : std::span(t.template data<T>(), static_cast<std::size_t>(t.size())))
          made.push_back(plait::convert<double>(x));
      });
  REQUIRE(known);
  return made;
}

// Returns the outputs for one row (npos: for all rows).
std::vector<tensor> run(example const& e, std::size_t row) {
  plait::workspace<B> blobs;
  for (std::size_t i = 0; i != e.inputs.size(); ++i) {
    auto const at = static_cast<std::int64_t>(row);
    bool const whole = row == plait::npos || i >= e.rows;
    blobs.feed("x" + std::to_string(i), whole ? e.inputs[i].clone() : e.inputs[i].slice(0, at, at + 1).clone());
  }
  plait::compile(net_of(e), table(), blobs).run();
  std::vector<tensor> made;
  for (std::size_t o = 0; o != e.outputs; ++o) made.push_back(blobs.view("y" + std::to_string(o)).clone());
  return made;
}

void check_rows(example const& e) {
  CAPTURE(e.type);
  CAPTURE(e.arguments);
  CHECK(claims(e, e.rows));
  std::vector<tensor> const whole = run(e, plait::npos);
  for (std::size_t r = 0; r != rows; ++r) {
    std::vector<tensor> const one = run(e, r);
    for (std::size_t o = 0; o != e.outputs; ++o) {
      auto const at = static_cast<std::int64_t>(r);
      bool const shared = o >= e.outputs - e.shared_outputs;
      tensor const expected = shared ? whole[o] : whole[o].slice(0, at, at + 1).clone();
      CHECK(one[o].spec() == expected.spec());
      CHECK(are_close(numbers_of(one[o]), numbers_of(expected)));
    }
  }
}

std::string integer(std::string const& name, int value) {
  return "arg { name: \"" + name + "\" i: " + std::to_string(value) + " } ";
}

// Returns examples for op types that usual_example does not fit, or whose arguments matter.
std::vector<example> examples() {
  tensor const x = matrix(), cubes = reals({rows, 2, 3}), pictures = reals({rows, 2, 4, 4}), column = reals({rows});
  tensor const flags = given<bool>({true, false, false, true, true, false, true, true}, {rows, 2});
  tensor const other_flags = given<bool>({true, true, false, false, true, false, false, true}, {rows, 2});
  tensor const choice = given<bool>({true, false, false, true}, {rows});
  tensor const lengths = given<std::int32_t>({3, 0, 5, 1}, {rows}), step = given<std::int32_t>({2}, {1});
  tensor const whole = given<std::int64_t>({7, -3, 5, 0}, {rows});
  tensor const counts = given<std::int32_t>({7, -3, 5, 0, 1, 2, 12, 9}, {rows, 2}),
               above_one = given<double>({1.5, 2., 7., 1.}, {rows, 1});
  tensor const bytes = given<std::uint8_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, {rows, 1, 2, 2});
  tensor const weights = reals({5, 6}), bias = reals({5}), two = reals({2});
  std::string const last = integer("axis", -1), repeated = integer("broadcast", 1), window = integer("kernel", 2);
  return {
      {"FC", "", {x, weights, bias}, 1},
      {"FC", integer("axis", 2), {cubes, reals({5, 3}), bias}, 1},
      {"FC", last, {cubes, reals({5, 3}), bias}, 1},
      {"FCTransposed", "", {x, reals({6, 5}), bias}, 1},
      {"MatMul", "", {x, reals({6, 5})}, 1},
      {"MatMul", integer("trans_b", 1), {cubes, weights}, 1},
      {"Add", "", {x, x}, 2},
      {"Add", repeated, {x, x}, 2},
      {"Sub", "", {cubes, reals({rows, 1, 3})}, 2},
      {"Mul", repeated, {cubes, reals({2, 3})}, 1},
      {"Div", repeated + integer("axis", 1), {cubes, two}, 1},
      {"Div", repeated + integer("axis", 0), {cubes, column}, 2},
      {"LT", repeated + R"(arg { name: "axis_str" s: "C" })", {pictures, two}, 1},
      {"And", "", {flags, other_flags}, 2},
      {"Or", "", {flags, other_flags}, 2},
      {"Xor", "", {flags, other_flags}, 2},
      {"Not", "", {flags}, 1},
      {"BitwiseAnd", "", {counts, counts}, 2},
      {"BitwiseOr", "", {counts, counts}, 2},
      {"BitwiseXor", "", {counts, counts}, 2},
      {"ShiftLeft", "", {counts, counts}, 2},
      {"ShiftRight", "", {counts, counts}, 2},
      {"Acosh", "", {above_one}, 1},
      {"AcoshGradient", "", {given<double>({1.5, 2., 7., 3.}, {rows, 1}), above_one}, 2},
      {"Pow", R"(arg { name: "exponent" f: 1.5 })", {x}, 1},
      {"Pow", repeated, {x, reals({6})}, 1},
      {"Mod", integer("divisor", 3), {whole}, 1},
      {"Cast", integer("to", 2), {x}, 1},
      {"FloatToHalf", "", {given<float>({0.5f, 1, -3, 7}, {rows, 1})}, 1},
      {"HalfToFloat", "", {given<plait::float16>({{0x3c00}, {0x4000}, {0xc000}, {0}}, {rows, 1})}, 1},
      {"Bucketize", R"(arg { name: "boundaries" floats: 0.3 floats: 0.6 })", {x}, 1},
      {"BatchOneHot", "", {counts, given<std::int32_t>({2, 1}, {2}), given<std::int32_t>({7, 5, 0}, {3})}, 1},
      {"Softmax", "", {cubes}, 1},
      {"LogSoftmax", last, {cubes}, 1},
      {"LayerNorm", last, {cubes}, 1, 3},
      {"LayerNorm", integer("elementwise_affine", 1), {cubes, reals({6}), reals({2, 3})}, 1, 3},
      {"Normalize", integer("axis", 1), {cubes}, 1},
      {"NormalizeL1", "", {cubes}, 1},
      {"SpatialBN", integer("is_test", 1), {pictures, two, two, two, two}, 1},
      {"GroupNorm", integer("group", 2), {pictures, two, two}, 1, 3},
      {"GroupNorm", integer("group", 1) + R"(arg { name: "order" s: "NHWC" })", {cubes, reals({3}), reals({3})}, 1},
      {"LRN", integer("size", 3) + R"(arg { name: "alpha" f: 1 } arg { name: "beta" f: 0.5 })", {pictures}, 1, 2},
      {"LRNGradient", integer("size", 3) + R"(arg { name: "beta" f: 0.5 })", {pictures, pictures, pictures}, 3},
      {"ChannelShuffle", integer("group", 2), {pictures}, 1},
      {"ResizeNearest", R"(arg { name: "height_scale" f: 2 })", {pictures}, 1},
      {"ResizeNearestGradient", "", {pictures, pictures}, 2},
      {"RMSNorm", last, {cubes, reals({3}), reals({3})}, 1, 2},
      {"BatchBoxCox", "", {cubes, reals({6}), reals({6})}, 1},
      {"ElementwiseLinear", "", {x, reals({6}), reals({6})}, 1},
      {"Concat", "", {cubes, reals({rows, 1, 3})}, 2, 2, 1},
      {"Concat", last + integer("add_axis", 1), {x, x}, 2, 2, 1},
      {"Split", integer("axis", 2) + R"(arg { name: "split" ints: 1 ints: 2 })", {cubes}, 1, 2},
      {"Split", "", {cubes, given<std::int32_t>({2, 0}, {2})}, 1, 2},
      {"LSTMUnit", "", {reals({rows, 3}), reals({rows, 3}), reals({rows, 12}), lengths, step}, 4, 2},
      {"LSTMUnit", integer("sequence_lengths", 0), {cubes, cubes, reals({rows, 2, 12}), step}, 3, 2},
      {"GRUUnit", "", {reals({rows, 3}), reals({rows, 9}), lengths, step}, 3},
      {"OneHot", "", {given<std::int64_t>({2, 0, 1, 2}, {rows}), given<std::int64_t>({3}, {1})}, 1},
      {"MakeTwoClassGradient", "", {reals({rows, 2})}, 1},
      {"Where", "", {flags, reals({rows, 2}), reals({rows, 2})}, 3},
      {"Where", integer("broadcast_on_rows", 1), {choice, x, x}, 3},
      {"PRelu", "", {pictures, two}, 1},
      {"DropoutGrad", integer("is_test", 1), {x}, 1},
      {"ColwiseMax", "", {cubes}, 1},
      {"RowwiseMax", "", {cubes}, 1},
      {"ColwiseMaxGradient", "", {cubes, reals({rows, 3}), reals({rows, 3})}, 3},
      {"RowwiseMaxGradient", "", {cubes, reals({rows, 2}), reals({rows, 2})}, 3},
      {"SquaredL2DistanceGradient", "", {x, x, column}, 3, 2},
      {"L1DistanceGradient", "", {x, x, column}, 3, 2},
      {"DotProductGradient", "", {x, x, column}, 3, 2},
      {"CosineSimilarityGradient", "", {x, x, column}, 3, 2},
      {"DotProductWithPadding", "", {x, reals({rows, 4})}, 2},
      {"DotProductWithPaddingGradient", "", {x, reals({rows, 4}), column}, 3, 2},
      {"Conv", window, {pictures, reals({3, 2, 2, 2}), reals({3})}, 1},
      {"ConvRelu", window, {pictures, reals({3, 2, 2, 2}), reals({3})}, 1},
      {"ConvInteger", window, {bytes, given<std::int8_t>({1, -2, 3, 4, 5, -6, 7, 8}, {2, 1, 2, 2})}, 1},
      {"ConvTranspose", window + R"(arg { name: "order" s: "NHWC" })", {pictures, reals({4, 2, 2, 3}), reals({3})}, 1},
      {"ConvTranspose", window, {pictures, reals({2, 3, 2, 2}), reals({3})}, 1},
      {"MaxPool", window, {pictures}, 1},
      {"AveragePool", window, {pictures}, 1},
      {"MaxPoolGradient", window, {pictures, reals({rows, 2, 3, 3}), reals({rows, 2, 3, 3})}, 3},
      {"AveragePoolGradient", window, {pictures, reals({rows, 2, 3, 3}), reals({rows, 2, 3, 3})}, 3},
      {"PadImage", integer("pad", 1), {pictures}, 1},
      {"PadImageGradient", integer("pad", 1), {pictures}, 1},
      {"CopyOnDeviceLike", "", {x, two}, 1},
  };
}

// Returns an example whose inputs are all matrices with rows, without arguments.
example usual_example(plait::op_schema const& schema) {
  std::size_t const inputs = schema.input_range().first;
  return {schema.type(), "", std::vector<tensor>(inputs, matrix()), inputs, schema.output_range().first};
}

}  // namespace

TEST_CASE("rows_independent: rows of ops that claim it depend only on the same rows of their inputs") {
  std::vector<example> const all = examples();
  for (example const& e : all) {
    CAPTURE(e.type);
    CHECK(table().find(e.type)->schema.claims_rows());
  }
  for (plait::op_schema const* schema : table().schemas()) {
    if (!schema->claims_rows()) continue;
    auto const is_of_type = [&](example const& e) { return e.type == schema->type(); };
    if (std::ranges::none_of(all, is_of_type)) check_rows(usual_example(*schema));
    for (example const& e : all)
      if (is_of_type(e)) check_rows(e);
  }
}

TEST_CASE("rows_independent: op types do not claim it where arguments or shared inputs couple rows") {
  tensor const x = matrix(), square = reals({rows, rows}), vector = reals({rows});
  std::string const first = integer("axis", 0), repeated = integer("broadcast", 1);
  for (example const& e : std::vector<example>{
           {"FC", first, {x, reals({5, 24}), reals({5})}, 1},
           {"FCTransposed", first, {x, reals({24, 5}), reals({5})}, 1},
           {"MatMul", integer("trans_a", 1), {x, reals({rows, 5})}, 1},
           {"MatMul", "", {square, square}, 2},
           {"MatMul", "", {x, reals({6, 5}), reals({rows, 5})}, 1},
           {"Softmax", first, {x}, 1},
           {"LogSoftmax", first, {x}, 1},
           {"Softmax", integer("axis", -2), {x}, 1},
           {"LayerNorm", first, {x}, 1, 3},
           {"Normalize", first, {x}, 1},
           {"NormalizeL1", first, {x}, 1},
           {"ElementwiseLinear", first, {x, reals({24}), reals({24})}, 1},
           {"Add", "", {x, reals({6})}, 1},
           {"Mul", repeated + first, {x, vector}, 1},
           {"Mul", repeated + integer("axis", 1), {square, vector}, 2},
           {"Concat", first, {x, x}, 2, 2},
           {"Split", first, {x}, 1, 2},
           {"Sum", "", {x, x}, 1},
           {"CopyOnDeviceLike", "", {x, x}, 2},
           {"LSTMUnit", integer("sequence_lengths", 0), {x, x, reals({rows, 24}), vector}, 4, 2},
           {"BatchMatMul", "", {x, reals({6, 5})}, 1},
           {"ReduceSum", "", {x}, 1},
       }) {
    CAPTURE(e.type);
    CAPTURE(e.arguments);
    CHECK(!claims(e, e.rows));
  }
}
