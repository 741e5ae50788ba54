// Constraints of ONNX's specification on attributes and operands: a node that violates one is refused when the model is
// read, and the message names the constraint. A row without a reason is valid.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/interop/onnx/read.hpp>

#include <support/onnx_nodes.hpp>

namespace {

using namespace onnx_nodes;
using plait::onnx_type;

/// Returns the reason for which a node is refused, empty if it is accepted.
std::string refusal(row const& each) {
  try {
    static_cast<void>(plait::read_onnx(model_of(each)));
    return {};
  } catch (plait::onnx_error const& e) {
    REQUIRE(e.problems.size() >= 1);
    CHECK(e.problems[0].type == each.type);
    CHECK(e.problems[0].node == "n");
    return e.problems[0].reason;
  }
}

void check(std::vector<row> const& rows) {
  for (row const& each : rows) {
    CAPTURE(each.type);
    CAPTURE(each.reason);
    std::string const found = refusal(each);
    CAPTURE(found);
    if (each.reason.empty())
      CHECK(found.empty());
    else
      CHECK(found.find(each.reason) != std::string::npos);
  }
}

auto const i64 = onnx_type::int64;
auto const i32 = onnx_type::int32;
auto const boolean = onnx_type::boolean;

TEST_CASE("ONNX constraints: numbers of operands, and attributes of the version") {
  check({{"Relu", {}, {}, "input 0 is missing"},
         {"Relu", {f({2}), f({2})}, {}, "it has 2 inputs, where version 13 of the operator has 1"},
         {"Relu", {f({2})}, {}, "it has 2 outputs, where version 13 of the operator has at most 1", 13, 2},
         {"TopK", {f({2}), ints({1})}, {}, "it has 1 outputs, where version 13 of the operator has at least 2"},
         {"Add", {f({2}), {}}, {}, "input 1 is missing"},
         {"Clip", {f({2}), {}, f({})}, {}, ""},
         {"Clip", {{}, f({})}, {}, "input 0 is missing"},
         {"Relu", {f({2})}, {real("alpha", 1)}, "attribute 'alpha' is unknown to version 13 of the operator"},
         {"Add", {f({2}), f({2})}, {flag("broadcast", 1)}, "attribute 'broadcast' is unknown to version 13"},
         {"Add", {f({2}), f({2})}, {flag("broadcast", 1)}, "", 6},
         {"Concat", {f({2})}, {}, "attribute 'axis' is missing"},
         {"Concat", {f({2})}, {flag("axis", 0), flag("axis", 0)}, "attribute 'axis' is repeated"},
         {"Elu", {f({2})}, {flag("alpha", 1)}, "attribute 'alpha' is not a float"},
         {"ReduceSum", {f({2})}, {flag("keepdims", 2)}, "attribute 'keepdims' is 2, neither 0 nor 1"},
         {"Gelu", {f({2})}, {}, "it is not an operator of version 13"},
         {"Gelu", {f({2})}, {}, "", 20}});
}

TEST_CASE("ONNX constraints: element types") {
  check({{"Add", {f({2}), of(i64, {2})}, {}, "input 'i1' is int64 and 'i0' is float32, which must be of one type"},
         {"Exp", {of(i32, {2})}, {}, "input 'i0' is int32, which version 13 of the operator does not take"},
         {"And", {f({2}), f({2})}, {}, "input 'i0' is float32, which version 13 of the operator does not take"},
         {"Gather", {f({2}), f({2})}, {}, "input 'i1' is float32, which version 13"},
         {"Pow", {of(i32, {2}), f({2})}, {}, "input 'i1' is float32, which is computed for int32, int64 only"},
         {"Pow", {of(i32, {2}), ints({1, 64})}, {}, "an exponent of integers should be 0 to 63"},
         {"Pow", {of(i32, {2}), ints({1, -1})}, {}, "an exponent of integers should be 0 to 63"},
         {"MatMul", {of(i32, {2, 2}), of(i32, {2, 2})}, {}, "'i0' is int32, which is computed for float32, float64"},
         {"BatchNormalization",
          {f({1, 2, 3}), of(onnx_type::float64, {2}), of(onnx_type::float64, {2}), f({2}), f({2})},
          {},
          "input 'i1' is float64, where the images are float32",
          15}});
}

TEST_CASE("ONNX constraints: broadcasting") {
  check(
      {{"Add", {f({2, 3}), f({2, 4})}, {}, "shapes 2x3 and 2x4 do not broadcast"},
       {"Add", {f({2, -1}), f({2, 4})}, {}, ""},
       {"Less", {f({2}), f({3})}, {}, "do not broadcast"},
       {"And", {of(boolean, {2}), of(boolean, {3})}, {}, "do not broadcast"},
       {"Pow", {f({2}), f({3})}, {}, "do not broadcast"},
       {"Max", {f({2}), f({3})}, {}, "do not broadcast"},
       {"Max", {f({2}), f({1})}, {}, "input 'i1' (1) should be 2, as input 0 is", 7},
       {"Mean", {f({2}), f({1, 1}), f({5, 3})}, {}, "do not broadcast"},
       {"Where", {of(boolean, {2}), f({2}), f({3})}, {}, "do not broadcast"},
       {"Add", {f({2}), f({1})}, {}, "input 'i1' (1) should be 2, as input 0 is", 6},
       {"PRelu", {f({2, 3}), f({4, 2, 3})}, {}, "input 'i1' (4x2x3) does not broadcast to 2x3"},
       {"PRelu", {f({2, 3}), f({3})}, {}, ""},
       {"Expand", {f({2, 3}), ints({2, 4})}, {}, "do not broadcast"},
       {"Expand", {f({2, 3}), ints({-1, 3})}, {}, "a shape cannot have an extent of -1"},
       {"Expand", {f({2, 3}), one(3)}, {}, "input 'i1' (a scalar) should have 1 axes"},
       {"Clip", {f({2}), f({2})}, {}, "input 'i1' (2) should be one number"},
       {"Clip", {f({2}), f({1, 1})}, {}, "input 'i1' (1x1) should be one number"},
       {"Dropout", {f({2}), f({2})}, {}, "input 'i1' (2) should be one number"},
       {"Range", {one(0), ints({1, 2}), one(1)}, {}, "input 'i1' (2) should be one number"},
       {"Range", {one(0), one(3), one(0)}, {}, "the step is 0"},
       {"LayerNormalization", {f({2, 3}), f({4})}, {}, "input 'i1' (4) does not broadcast to 3", 17},
       {"BatchNormalization", {f({1, 2, 3}), f({2}), f({3}), f({2}), f({2})}, {}, "'i2' (3) should be 2, a number for"},
       {"BatchNormalization", {f({1, 2, 3}), f({2}), f({1, 2}), f({2}), f({2})}, {}, "'i2' (1x2) should be 2"}});
}

TEST_CASE("ONNX constraints: shapes and axes") {
  check({{"Reshape", {f({2, 3}), ints({-1, -1})}, {}, "a shape can have one -1 only"},
         {"Reshape", {f({2, 3}), ints({-2, 3})}, {}, "a shape cannot have an extent of -2"},
         {"Reshape", {f({2, 3}), ints({4, 2})}, {}, "input 'i0' (2x3) cannot be reshaped to 4x2"},
         {"Reshape", {f({2, 3}), ints({4, -1})}, {}, "cannot be reshaped to"},
         {"Reshape", {f({2, 3}), ints({2, 3, 0})}, {}, "the shape has a 0 for axis 2"},
         {"Reshape", {f({2, 3}), of(i64, {1, 2})}, {}, "input 'i1' (1x2) should have 1 axes"},
         {"Flatten", {f({2, 3})}, {flag("axis", 3)}, "input 'i0' (2x3) has no axis 3"},
         {"Flatten", {f({2, 3})}, {flag("axis", -2)}, ""},
         {"Flatten", {f({2, 3})}, {flag("axis", -1)}, "a negative axis", 9},
         {"Squeeze", {f({1, 3}), ints({1})}, {}, "axis 1 of input 'i0' (1x3) does not have the extent 1"},
         {"Squeeze", {f({1, 3}), ints({2})}, {}, "axis 2 is out of range for 2 axes"},
         {"Squeeze", {f({1, 3})}, {list("axes", {-3})}, "axis -3 is out of range", 11},
         {"Unsqueeze", {f({3}), ints({0, 0})}, {}, "axis 0 is repeated"},
         {"Unsqueeze", {f({3}), ints({-1, 2})}, {}, "axis 2 is repeated"},
         {"Unsqueeze", {f({3})}, {list("axes", {1, -2})}, "axis 1 is repeated", 11},
         {"Unsqueeze", {any_shape(), ints({1, 1})}, {}, "axis 1 is repeated"},
         {"Unsqueeze", {f({3}), ints({0, 2})}, {}, ""},
         {"Unsqueeze", {f({3}), ints({3})}, {}, "axis 3 is out of range for 2 axes"},
         {"Transpose", {f({2, 3})}, {list("perm", {1, -2})}, "perm has a negative axis"},
         {"Transpose", {f({2, 3})}, {list("perm", {1, 1})}, "axis 1 is repeated"},
         {"Transpose", {any_shape()}, {list("perm", {1, 1})}, "axis 1 is repeated"},
         {"Transpose", {f({2, 3})}, {list("perm", {1, 0, 2})}, "perm has 3 axes"},
         {"Transpose", {f({2, 3})}, {list("perm", {0, 2})}, "axis 2 is out of range"},
         {"Transpose", {f({2, 3})}, {list("perm", {1, 0})}, ""},
         {"Tile", {f({2, 3}), ints({2})}, {}, "it has 1 repeats for input 'i0' (2x3)"},
         {"Tile", {f({2, 3}), ints({2, 1, 1})}, {}, "it has 3 repeats for input 'i0' (2x3)"},
         {"Tile", {f({2, 3}), ints({2, -1})}, {}, "a repeat is negative"},
         {"Tile", {f({2, 3}), ints({2, 0})}, {}, ""},
         {"ReduceSum", {f({2, 3}), ints({2})}, {}, "axis 2 is out of range for 2 axes"},
         {"ReduceMax", {f({2, 3})}, {list("axes", {-3})}, "axis -3 is out of range"},
         {"ReduceLogSumExp", {f({2, 3})}, {list("axes", {5})}, "axis 5 is out of range"},
         {"ArgMax", {f({2, 3})}, {flag("axis", 2)}, "its input has no axis 2"},
         {"ArgMin", {f({2, 0})}, {flag("axis", 1)}, "input 'i0' (2x0) has no elements along axis 1"},
         {"Softmax", {f({2, 3})}, {flag("axis", 2)}, "its input has no axis 2"},
         {"LogSoftmax", {f({2, 3})}, {flag("axis", -3)}, "its input has no axis -3"},
         {"LpNormalization", {f({2, 3})}, {flag("axis", 2)}, "its input has no axis 2"},
         {"LayerNormalization", {f({2, 3}), f({3})}, {flag("axis", 2)}, "its input has no axis 2", 17},
         {"ConstantOfShape", {ints({2, -1})}, {}, "a shape cannot have an extent of -1"},
         {"ConstantOfShape", {of(i64, {1, 1})}, {}, "input 'i0' (1x1) should have 1 axes"}});
}

TEST_CASE("ONNX constraints: Concat, Split, Slice, Gather, ReverseSequence and TopK") {
  check(
      {{"Concat", {f({2, 3}), f({2, 4})}, {flag("axis", 0)}, "input 'i1' (2x4) should be ?x3, as input 0 is but for"},
       {"Concat", {f({2, 3}), f({2})}, {flag("axis", 0)}, "input 'i1' (2) should be ?x3"},
       {"Concat", {f({2, 3}), f({2, 3})}, {flag("axis", 2)}, "its input has no axis 2"},
       {"Split", {f({6}), ints({2, 3})}, {}, "the lengths do not split axis 0 of input 'i0' (6) into 2 outputs", 13, 2},
       {"Split", {f({6}), ints({2, 2, 2})}, {}, "input 'i1' (3) should be 2, a length for each output", 13, 2},
       {"Split", {f({6}), ints({7, -1})}, {}, "a length of an output is negative", 13, 2},
       {"Split", {f({6})}, {list("split", {2, 3})}, "the lengths do not split axis 0", 11, 2},
       {"Split", {f({5})}, {}, "axis 0 of input 'i0' (5) does not split into 2 equal chunks", 13, 2},
       {"Split", {f({5})}, {flag("num_outputs", 2)}, "", 18, 2},
       {"Split", {f({6})}, {flag("num_outputs", 3)}, "num_outputs is 3, where it has 2 outputs", 18, 2},
       {"Split", {f({6})}, {}, "it must have either the lengths of its outputs or num_outputs", 18, 2},
       {"Split", {f({6}), ints({3, 3})}, {flag("num_outputs", 2)}, "it must have either", 18, 2},
       {"Split", {f({6})}, {flag("axis", 1)}, "its input has no axis 1", 13, 2},
       {"Slice", {f({4, 5}), ints({0, 1}), ints({2, 3}), ints({0, 0})}, {}, "axis 0 is repeated"},
       {"Slice", {f({4, 5}), ints({0, 1}), ints({2, 3}), ints({1, -1})}, {}, "axis 1 is repeated"},
       {"Slice", {any_shape(), ints({0, 1}), ints({2, 3}), ints({1, 1})}, {}, "axis 1 is repeated"},
       {"Slice",
        {f({4, 5})},
        {list("starts", {0, 1}), list("ends", {2, 3}), list("axes", {0, 0})},
        "axis 0 is repeated",
        9},
       {"Slice", {f({4, 5}), ints({0}), ints({2}), ints({2})}, {}, "axis 2 is out of range"},
       {"Slice", {f({4, 5}), ints({0}), ints({2, 3})}, {}, "starts and ends differ in length"},
       {"Slice", {f({4, 5}), ints({0}), ints({2}), ints({0, 1})}, {}, "axes and starts differ in length"},
       {"Slice", {f({4, 5}), ints({0}), ints({2}), ints({0}), ints({1, 1})}, {}, "steps and starts differ"},
       {"Slice", {f({4, 5}), ints({0, 0, 0}), ints({2, 2, 2})}, {}, "axis 2 is out of range"},
       {"Slice", {f({4, 5}), one(0), ints({2})}, {}, "input 'i1' (a scalar) should have 1 axes"},
       {"Gather", {f({4, 5}), ints({4})}, {}, "axis 0 of input 'i0' (4x5) has no index 4"},
       {"Gather", {f({4, 5}), ints({-5})}, {}, "has no index -5"},
       {"Gather", {f({4, 5}), ints({0})}, {flag("axis", 2)}, "its input has no axis 2"},
       {"Gather", {f({}), ints({0})}, {}, "no axis 0"},
       {"ReverseSequence", {f({4, 2}), ints({1, 5})}, {}, "a sequence has the length 5, where there are 4 steps"},
       {"ReverseSequence", {f({4, 2}), ints({1, -1})}, {}, "a sequence has the length -1"},
       {"ReverseSequence", {f({4, 2}), ints({1})}, {}, "input 'i1' (1) should be 2, a length for each sequence"},
       {"ReverseSequence", {f({4}), ints({1})}, {}, "input 'i0' (4) should have at least 2 axes"},
       {"ReverseSequence",
        {f({4, 2}), ints({1, 1})},
        {flag("time_axis", 1), flag("batch_axis", 1)},
        "the axes of time and batch must be the first two"},
       {"TopK", {f({3, 4}), ints({5})}, {}, "k is 5, where axis -1 of input 'i0' (3x4) has 4 elements", 13, 2},
       {"TopK", {f({3, 4}), ints({4})}, {flag("axis", 0)}, "has 3 elements", 13, 2},
       {"TopK", {f({3, 4}), ints({-1})}, {}, "k is -1", 13, 2},
       {"TopK", {f({3, 4}), one(1)}, {}, "input 'i1' (a scalar) should be 1, a list of one number", 13, 2},
       {"TopK", {f({3, 4})}, {flag("k", 5)}, "k is 5, where axis -1", 9, 2},
       {"TopK", {f({3, 4}), ints({1})}, {flag("axis", 2)}, "its input has no axis 2", 13, 2}});
}

TEST_CASE("ONNX constraints: matrix products, convolution, pooling and padding") {
  operand const x = f({1, 2, 8, 8});
  operand const w = f({4, 2, 3, 3});
  attribute const kernel = list("kernel_shape", {3, 3});
  operand const image = f({1, 1, 4, 4});
  check({{"MatMul", {f({2, 3}), f({2, 3})}, {}, "input 'i0' (2x3) and input 'i1' (2x3) have inner extents 3 and 2"},
         {"MatMul", {f({}), f({2})}, {}, "input 'i0' (a scalar) should have at least 1 axes"},
         {"MatMul", {f({2, 1, 3}), f({3, 3, 4})}, {}, "shapes 2 and 3 do not broadcast"},
         {"Gemm", {f({2, 3}), f({3, 4}), f({1, 2, 4})}, {}, "input 'i2' (1x2x4) does not broadcast to 2x4"},
         {"Gemm", {f({2, 3}), f({3, 4}), f({2})}, {}, "input 'i2' (2) does not broadcast to 2x4"},
         {"Gemm", {f({2, 3, 1}), f({3, 4})}, {}, "input 'i0' (2x3x1) should have 2 axes"},
         {"Gemm", {f({2, 3}), f({3})}, {}, "input 'i1' (3) should have 2 axes"},
         {"Gemm", {f({2, 3}), f({4, 4})}, {}, "have inner extents 3 and 4"},
         {"Gemm", {f({2, 3}), f({3, 4})}, {flag("transA", 1)}, "have inner extents 2 and 3"},
         {"Gemm", {f({2, 3}), f({4, 3}), f({4})}, {flag("transB", 1)}, ""},
         {"Conv", {x, w}, {list("strides", {2})}, "strides has 1 numbers for windows of 2 axes"},
         {"Conv", {x, w}, {list("dilations", {2})}, "dilations has 1 numbers for windows of 2 axes"},
         {"Conv", {x, w}, {list("pads", {1, 1})}, "pads has 2 numbers for windows of 2 axes"},
         {"Conv", {x, w}, {list("kernel_shape", {3})}, "kernel_shape has 1 numbers for windows of 2 axes"},
         {"Conv", {x, w}, {list("kernel_shape", {3, 2})}, "kernel_shape 3x2 is not that of input 'i1' (4x2x3x3)"},
         {"Conv", {x, w}, {list("strides", {0, 1})}, "strides has 0, which is below 1"},
         {"Conv", {x, w}, {list("dilations", {1, -1})}, "dilations has -1, which is below 1"},
         {"Conv", {x, w}, {list("pads", {0, -1, 0, 0})}, "pads has -1, which is below 0"},
         {"Conv", {x, w}, {text("auto_pad", "SAME")}, "auto_pad SAME"},
         {"Conv", {x, w}, {text("auto_pad", "VALID"), list("pads", {1, 1, 1, 1})}, "pads beside auto_pad VALID"},
         {"Conv", {x, w}, {text("auto_pad", "SAME_UPPER"), list("pads", {0, 0, 0, 0})}, "pads beside auto_pad"},
         {"MaxPool", {x}, {kernel, text("auto_pad", "SAME_UPPER"), list("pads", {0, 0, 0, 0})}, ""},
         {"Conv", {x, w}, {flag("group", 0)}, "group is 0"},
         {"Conv", {x, w}, {flag("group", 2)}, "does not have the channels of input 'i1' (4x2x3x3) in 2 groups"},
         {"Conv", {x, f({3, 1, 3, 3})}, {flag("group", 2)}, "the filters of input 'i1' (3x1x3x3) do not make 2 groups"},
         {"Conv", {x, f({4, 3, 3, 3})}, {}, "input 'i0' (1x2x8x8) does not have the channels of"},
         {"Conv", {x, f({4, 2, 3})}, {}, "input 'i0' (1x2x8x8) should have 3 axes, as its windows do"},
         {"Conv", {x, f({4, 2, 9, 3})}, {}, "a window of extent 9 exceeds axis 2 of input 'i0' (1x2x8x8)"},
         {"Conv", {x, w, f({3})}, {}, "input 'i2' (3) should be 4, a number for each filter"},
         {"Conv", {x, w, f({4})}, {list("pads", {1, 1, 1, 1})}, ""},
         {"MaxPool", {x}, {list("kernel_shape", {2})}, "kernel_shape has 1 numbers for windows of 2 axes"},
         {"MaxPool", {x}, {list("kernel_shape", {2, 0})}, "kernel_shape has 0, which is below 1"},
         {"MaxPool", {x}, {kernel, list("strides", {2})}, "strides has 1 numbers"},
         {"MaxPool", {x}, {kernel, list("pads", {3, 0, 0, 0})}, "a pad of axis 2 is no smaller than the window"},
         {"AveragePool", {x}, {kernel, list("pads", {0, 0})}, "pads has 2 numbers"},
         {"AveragePool", {x}, {list("kernel_shape", {9, 9})}, "a window of extent 9 exceeds axis 2"},
         {"AveragePool", {f({2, 3})}, {kernel}, "input 'i0' (2x3) should have at least 3 axes"},
         {"GlobalMaxPool", {f({2, 3})}, {}, "input 'i0' (2x3) should have 3 to 5 axes"},
         {"Pad", {image, ints({0, 0, 1, 1})}, {}, "it has 4 pads for input 'i0' (1x1x4x4)"},
         {"Pad", {image, ints({0, 0, 1, 1, 0, 0, 1, 1}), f({2})}, {}, "input 'i2' (2) should be one number"},
         {"Pad", {image, ints({0, 0, 1, 1, 0, 0, 1, 1})}, {text("mode", "wrapped")}, "the mode 'wrapped'"},
         {"Pad", {image, ints({0, 0, 4, 1, 0, 0, 1, 1})}, {text("mode", "reflect")}, "a reflected margin of axis 2"},
         {"Pad", {image, ints({0, 0, -3, 1, 0, 0, -2, 1})}, {}, "more is cut off axis 2"}});
}

TEST_CASE("ONNX constraints: RNN, GRU and LSTM") {
  operand const x = f({5, 2, 3});
  operand const w = f({1, 16, 3});
  operand const r = f({1, 16, 4});
  operand const b = f({1, 32});
  attribute const hidden = flag("hidden_size", 4);
  check({{"LSTM", {x, w, r, b}, {hidden}, "", 13, 3},
         {"LSTM",
          {x, w, r},
          {flag("hidden_size", 5)},
          "hidden_size is 5, where the weights are of 4 hidden units",
          13,
          1},
         {"LSTM", {x, w, r}, {flag("hidden_size", 0)}, "hidden_size is 0"},
         {"LSTM",
          {any_shape(), any_shape(), any_shape()},
          {flag("hidden_size", 1 << 20)},
          "which no weights of a known shape confirm"},
         {"LSTM", {x, f({1, 12, 3}), r}, {hidden}, "input 'i1' (1x12x3) should be 1x16x3"},
         {"LSTM", {x, f({1, 16, 2}), r}, {hidden}, "input 'i1' (1x16x2) should be 1x16x3"},
         {"LSTM", {x, f({2, 16, 3}), r}, {hidden}, "input 'i1' (2x16x3) should be 1x16x3, directions"},
         {"LSTM", {x, w, r, f({1, 16})}, {hidden}, "input 'i3' (1x16) should be 1x32"},
         {"LSTM", {f({5, 3}), w, r}, {hidden}, "input 'i0' (5x3) should have 3 axes"},
         {"LSTM", {x, w, r, b, {}, f({1, 1, 4})}, {hidden}, "input 'i5' (1x1x4) should be 1x2x4"},
         {"LSTM", {x, w, r, b, {}, {}, f({2, 4})}, {hidden}, "input 'i6' (2x4) should be 1x2x4"},
         {"LSTM", {x, w, r, b, {}, {}, {}, f({1, 8})}, {hidden}, "input 'i7' (1x8) should be 1x12"},
         {"LSTM", {x, w, r, b, narrow({5, 6})}, {hidden}, "a sequence has the length 6, where there are 5 steps"},
         {"GRU", {x, f({1, 12, 3}), f({1, 12, 4}), {}, narrow({5, -1})}, {hidden}, "a sequence has the length -1"},
         {"RNN", {x, f({1, 4, 3}), f({1, 4, 4}), {}, narrow({5})}, {hidden}, "input 'i4' (1) should be 2, a length"},
         {"RNN", {x, f({1, 4, 3}), f({1, 4, 4}), {}, narrow({5, 0})}, {hidden}, ""},
         {"RNN", {x, f({1, 4, 3}), f({1, 4, 4})}, {hidden, text("direction", "up")}, "the direction 'up'"},
         {"GRU", {x, f({1, 12, 3}), f({1, 12, 4})}, {hidden, flag("layout", 1)}, "", 14},
         {"GRU", {x, f({1, 12, 3}), f({1, 12, 4})}, {hidden, real("clip", -1)}, "a clip that is not above 0"}});
}

}  // namespace
