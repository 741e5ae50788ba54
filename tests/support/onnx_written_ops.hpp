// Nets of a few ops, with the shapes of their inputs, that ONNX export expresses.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/model.hpp>
#include <plait/netdef/net_builder.hpp>

namespace onnx_written {

using numbers = std::vector<std::int64_t>;
using plait::net_argument;
using plait::onnx_type;

struct op {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<net_argument> arguments = {};
};
struct input {
  std::string name;
  numbers dims;
  onnx_type type = onnx_type::float32;
  std::int64_t limit = 3;  ///< integers are below it
};
struct net {
  std::vector<op> ops;
  std::vector<input> inputs;
};

inline plait::netdef built(net const& given) {
  plait::net_builder made("net");
  for (input const& each : given.inputs) made.external_input(each.name);
  for (op const& each : given.ops) made.op_n(each.type, each.inputs, each.outputs, each.arguments);
  plait::netdef n = made.take();
  n.external_output.clear();
  return n;
}

inline std::vector<net> nets() {
  auto const one = [](std::string type, std::vector<input> inputs, std::vector<net_argument> arguments = {},
                      std::vector<std::string> outputs = {"y"}) {
    std::vector<std::string> names;
    for (input const& each : inputs) names.push_back(each.name);
    return net{{{std::move(type), std::move(names), std::move(outputs), std::move(arguments)}}, std::move(inputs)};
  };
  std::vector<net> made;
  auto const add = [&](net each) { made.push_back(std::move(each)); };
  input const matrix{"x", {3, 4}};
  input const image{"x", {2, 4, 5, 6}};
  input const last{"x", {2, 5, 6, 4}};
  input const cube{"x", {2, 3, 4}};
  for (char const* type : {"Relu",
                           "Sigmoid",
                           "Tanh",
                           "Exp",
                           "Abs",
                           "Negative",
                           "Sign",
                           "Ceil",
                           "Floor",
                           "Sin",
                           "Cos",
                           "Atan",
                           "Erf",
                           "Softplus",
                           "Softsign",
                           "Copy",
                           "StopGradient",
                           "Sqr",
                           "Cube",
                           "Swish",
                           "Gelu",
                           "Elu",
                           "LeakyRelu",
                           "Selu",
                           "HardSigmoid",
                           "Clip",
                           "FlattenToVec",
                           "Flatten",
                           "Softmax",
                           "LogSoftmax",
                           "Normalize",
                           "NormalizeL1",
                           "ReduceSum",
                           "ReduceMean",
                           "ReduceMax",
                           "ReduceMin",
                           "ReduceL1",
                           "ReduceL2",
                           "ReduceFrontSum",
                           "ReduceBackMean",
                           "AveragedLoss",
                           "SumElements",
                           "SumSqrElements",
                           "ArgMax",
                           "Transpose",
                           "Shape",
                           "Size",
                           "Sum",
                           "Max",
                           "ZerosLike",
                           "IsEmpty",
                           "HasElements",
                           "ConstantFill",
                           "ReduceTailSum"}) {
    add(one(type, {matrix}));
    add(one(type, {cube}));
  }
  for (char const* type : {"Add", "Sub", "Mul", "Div", "EQ", "NE", "LT", "LE", "GT", "GE"}) {
    add(one(type, {image, {"b", {5, 6}}}));
    add(one(type, {image, {"b", {4}}}, {{"broadcast", 1}, {"axis", 1}}));
    add(one(type, {image, {"b", {4, 5}}}, {{"broadcast", 1}, {"axis", 1}}));
    add(one(type, {image, {"b", {5, 6}}}, {{"broadcast", 1}}));
    add(one(type, {image, {"b", {4}}}, {{"broadcast", 1}, {"axis_str", "C"}}));
  }
  for (char const* type : {"And", "Or", "Xor"})
    add(one(type, {{"x", {2, 3}, onnx_type::boolean}, {"b", {3}, onnx_type::boolean}}));
  add(one("Not", {{"x", {2, 3}, onnx_type::boolean}}));
  for (char const* type : {"Sum", "Max", "Min", "Mean"}) add(one(type, {matrix, {"b", {3, 4}}, {"c", {3, 4}}}));
  add(one("Sum", {{"x", {3}, onnx_type::int32}, {"b", {3}, onnx_type::int32}, {"c", {3}, onnx_type::int32}}));
  for (int const fast : {0, 1}) add(one("Gelu", {matrix}, {{"fast_gelu", fast}}));
  add(one("Clip", {matrix}, {{"min", -0.2f}, {"max", 0.3f}}));
  add(one("Scale", {matrix}, {{"scale", 2.5f}}));
  add(one("Pow", {matrix}, {{"exponent", 2.0f}}));
  add(one("PRelu", {image, {"w", {4}}}));
  add(one("PRelu", {last, {"w", {4}}}, {{"order", "NHWC"}}));
  add(one("Dropout", {matrix}, {{"is_test", 1}}, {"y", "mask"}));
  add(one("Where", {{"c", {3, 4}, onnx_type::boolean}, matrix, {"b", {3, 4}}}));
  add(one("Cast", {matrix}, {{"to", 10}}));
  add(one("Cast", {{"x", {3}, onnx_type::int32}}, {{"to", "float"}}));
  add(one("MakeTwoClass", {{"x", {3}}}));
  // Products.
  for (char const* type : {"FC", "FCTransposed"}) {
    bool const transposed = type[2] != '\0';
    auto const w = [&](std::int64_t n, std::int64_t k) {
      return input{"w", transposed ? numbers{k, n} : numbers{n, k}};
    };
    add(one(type, {matrix, w(5, 4), {"b", {5}}}));
    add(one(type, {image, w(5, 120), {"b", {5}}}));
    add(one(type, {cube, w(5, 4), {"b", {5}}}, {{"axis", 2}}));
    add(one(type, {image, w(5, 30), {"b", {5}}}, {{"axis", 2}}));
  }
  add(one("MatMul", {matrix, {"b", {4, 5}}}));
  add(one("MatMul", {matrix, {"b", {5, 4}}}, {{"trans_b", 1}}));
  add(one("MatMul", {{"x", {4, 3}}, {"b", {4, 5}}}, {{"trans_a", 1}}));
  add(one("MatMul", {cube, {"b", {12, 5}}}));
  add(one("BatchMatMul", {cube, {"b", {2, 4, 5}}}));
  add(one("BatchMatMul", {cube, {"b", {2, 5, 4}}}, {{"trans_b", 1}}));
  for (char const* type : {"L1Distance", "DotProduct", "SquaredL2Distance", "CosineSimilarity"})
    add(one(type, {matrix, {"b", {3, 4}}}));
  add(one("ElementwiseLinear", {matrix, {"w", {4}}, {"b", {4}}}));
  // Images.
  add(one("Conv", {image, {"w", {3, 4, 3, 3}}, {"b", {3}}}, {{"kernel", 3}, {"pad", 1}}));
  add(one("Conv", {image, {"w", {4, 2, 3, 2}}}, {{"kernels", {3, 2}}, {"strides", {2, 1}}, {"group", 2}}));
  add(one("Conv", {last, {"w", {3, 3, 3, 4}}, {"b", {3}}}, {{"kernel", 3}, {"order", "NHWC"}, {"pad_t", 1}}));
  add(one("Conv", {{"x", {2, 4, 7}}, {"w", {3, 4, 3}}}, {{"kernels", {3}}, {"dilations", {2}}}));
  add(one("Conv", {image, {"w", {3, 4, 3, 3}}}, {{"kernel", 3}, {"legacy_pad", 2}, {"stride", 2}}));
  for (char const* type : {"MaxPool", "AveragePool"}) {
    add(one(type, {image}, {{"kernel", 2}, {"stride", 2}}));
    add(one(type, {image}, {{"kernel", 3}, {"stride", 2}, {"pad", 1}}));
    add(one(type, {image}, {{"kernel", 2}, {"stride", 2}, {"legacy_pad", 3}}));
    add(one(type, {image}, {{"kernel", 3}, {"stride", 2}, {"pad", 1}, {"legacy_pad", 3}}));
    add(one(type, {last}, {{"kernel", 2}, {"order", "NHWC"}}));
    add(one(type, {image}, {{"global_pooling", 1}}));
    add(one(type, {last}, {{"global_pooling", 1}, {"order", "NHWC"}}));
  }
  add(one("AveragePool", {image}, {{"kernel", 3}, {"pad", 1}, {"count_include_pad", 1}}));
  for (char const* mode : {"constant", "reflect", "edge"})
    add(one("PadImage", {image}, {{"pad_t", 1}, {"pad_l", 2}, {"pad_b", 0}, {"pad_r", 1}, {"mode", mode}}));
  add(one("ResizeNearest", {image}, {{"height_scale", 2.0f}, {"width_scale", 1.5f}}));
  add(one("ChannelShuffle", {image}, {{"group", 2}}));
  add(one("NCHW2NHWC", {image}));
  add(one("NHWC2NCHW", {last}));
  input const scale{"s", {4}};
  add(one("SpatialBN", {image, scale, {"b", {4}}, {"m", {4}}, {"v", {4}}}, {{"is_test", 1}, {"epsilon", 1.5f}}));
  add(one("SpatialBN", {last, scale, {"b", {4}}, {"m", {4}}, {"v", {4}}},
          {{"is_test", 1}, {"epsilon", 1.5f}, {"order", "NHWC"}}));
  add(one("LRN", {image}, {{"size", 3}, {"alpha", 0.5f}, {"beta", 0.75f}, {"bias", 1.0f}}));
  add(one("GroupNorm", {image, scale, {"b", {4}}}, {{"group", 2}}));
  add(one("GroupNorm", {last, scale, {"b", {4}}}, {{"group", 2}, {"order", "NHWC"}}));
  add(one("LayerNorm", {cube}, {}, {"y", "mean", "deviation"}));
  add(one("LayerNorm", {cube, {"s", {4}}, {"b", {4}}}, {{"axis", 2}, {"elementwise_affine", 1}},
          {"y", "mean", "deviation"}));
  // Shapes.
  add(one("Concat", {matrix, {"b", {3, 2}}}, {{"axis", 1}}, {"y", "extents"}));
  add(one("Concat", {matrix, {"b", {3, 4}}}, {{"axis", 1}, {"add_axis", 1}}, {"y", "extents"}));
  add(one("Split", {matrix}, {{"axis", 1}}, {"y", "z"}));
  add(one("Split", {matrix}, {{"axis", -1}, {"split", {1, 3}}}, {"y", "z"}));
  add(one("Split", {{"x", {2, 3}}}, {{"axis", 0}, {"add_axis", 1}}, {"y", "z"}));
  add(one("Slice", {matrix}, {{"starts", {1, 0}}, {"ends", {3, -1}}}));
  add(one("Slice", {matrix}, {{"starts", {0, 1}}, {"ends", {-1, -2}}}));
  add(one("StridedSlice", {matrix}, {{"starts", {-1}}, {"ends", {-9}}, {"axes", {1}}, {"steps", {-2}}}));
  add(one("StridedSlice", {matrix}, {{"starts", {1, 0}}, {"ends", {9, 2}}}));
  add(one("Reshape", {matrix}, {{"shape", {2, -1}}}, {"y", "before"}));
  add(one("Reshape", {matrix}, {{"shape", {0, 2, 2}}}, {"y", "before"}));
  add(one("ResizeLike", {matrix, {"b", {2, 6}}}));
  add(one("Squeeze", {{"x", {1, 3, 1}}}, {{"dims", {0, 2}}}));
  add(one("ExpandDims", {matrix}, {{"dims", {0, 2}}}));
  add(one("Transpose", {cube}, {{"axes", {1, 2, 0}}}));
  add(one("Tile", {matrix}, {{"tiles", 2}, {"axis", 1}}));
  add(one("MergeDim", {cube}));
  add(one("PrependDim", {{"x", {4, 3}}}, {{"dim_size", 2}}));
  add(one("Shape", {cube}, {{"axes", {2, 0}}}));
  add(one("Flatten", {cube}, {{"axis", 2}}));
  add(one("Softmax", {cube}, {{"axis", 2}}));
  // Selections and reductions.
  add(one("Gather", {matrix, {"i", {2, 2}, onnx_type::int32}}));
  add(one("Gather", {cube, {"i", {2}, onnx_type::int64}}, {{"axis", 1}}));
  add(one("BatchGather", {cube, {"i", {2}, onnx_type::int32}}));
  add(one("TopK", {matrix}, {{"k", 2}}, {"y", "i"}));
  add(one("ReduceSum", {cube}, {{"axes", {0, 2}}, {"keepdims", 0}}));
  add(one("ReduceMean", {cube}, {{"axes", {1}}}));
  add(one("RowwiseMax", {cube}));
  add(one("ColwiseMax", {cube}));
  add(one("ArgMin", {matrix}, {{"axis", 0}, {"keepdims", 0}}));
  input const labels{"l", {3}, onnx_type::int32};
  add(one("SoftmaxWithLoss", {matrix, labels}, {{"scale", 2.0f}}, {"y", "loss"}));
  add(net{{{"Softmax", {"x"}, {"p"}}, {"LabelCrossEntropy", {"p", "l"}, {"y"}}}, {matrix, labels}});
  add(one("Accuracy", {matrix, labels}));
  add(one("ConstantFill", {matrix}, {{"value", 2}}));
  add(one("ConstantFill", {}, {{"shape", {2, 3}}, {"value", 1.5f}}));
  add(one("ConstantFill", {}, {{"shape", {20, 30}}, {"value", 1.5f}}));
  add(one("GivenTensorFill", {}, {{"shape", {2}}, {"values", std::vector<float>{1, 2}}}));
  add(one("GivenTensorInt64Fill", {}, {{"shape", {2}}, {"values", {3, 4}}}));
  // Cells.
  input const hidden{"h", {1, 2, 3}};
  input const time{"t", {1}, onnx_type::int32};
  input const lengths{"l", {2}, onnx_type::int32};
  for (int const drop : {0, 1}) {
    add(one("LSTMUnit", {hidden, {"c", {1, 2, 3}}, {"g", {1, 2, 12}}, lengths, time},
            {{"forget_bias", 0.5f}, {"drop_states", drop}}, {"y", "z"}));
    add(one("GRUUnit", {hidden, {"g", {1, 2, 9}}, lengths, time}, {{"drop_states", drop}}));
  }
  // Versions of a blob.
  add(net{{{"Relu", {"x"}, {"x"}}, {"Sigmoid", {"x"}, {"y"}}, {"Add", {"y", "x"}, {"y"}}, {"Tanh", {"y"}, {"y"}}},
          {matrix}});
  return made;
}

}  // namespace onnx_written
