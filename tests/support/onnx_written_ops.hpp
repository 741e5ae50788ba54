// Nets of a few ops, with the shapes of their inputs, that ONNX export expresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/model.hpp>
#include <plait/net/detail/parameter.hpp>
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
  numbers elements = {};   ///< elements of integers; random ones if empty
};
struct net {
  std::vector<op> ops;
  std::vector<input> inputs;
  std::int64_t opset = 13;  ///< the first version that has the operators of the model
};

inline plait::netdef built(net const& given) {
  plait::net_builder made("net");
  for (input const& each : given.inputs) made.external_input(each.name);
  for (op const& each : given.ops) made.op_n(each.type, each.inputs, each.outputs, each.arguments);
  plait::netdef n = made.take();
  n.external_output.clear();
  return n;
}

/// Returns elements within the limits of an input.
inline plait::tensor_value random_value(input const& of, std::mt19937& random) {
  auto const count = *plait::element_count(of.dims);
  auto const below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(limit));
  };
  if (of.type == onnx_type::boolean) {
    std::vector<bool> made;
    for (std::size_t i = 0; i != count; ++i) made.push_back(below(2) != 0);
    return {of.dims, made};
  }
  if (of.type != onnx_type::float32) {
    std::vector<std::int64_t> made;
    for (std::size_t i = 0; i != count; ++i) made.push_back(below(of.limit));
    if (!of.elements.empty()) made = of.elements;
    if (of.type == onnx_type::int64) return {of.dims, made};
    if (of.type == onnx_type::int8) return {of.dims, std::vector<std::int8_t>(made.begin(), made.end())};
    if (of.type == onnx_type::uint8) return {of.dims, std::vector<std::uint8_t>(made.begin(), made.end())};
    return {of.dims, std::vector<std::int32_t>(made.begin(), made.end())};
  }
  std::vector<float> made;
  for (std::size_t i = 0; i != count; ++i) made.push_back(static_cast<float>(below(2000) - 1000) / 1000);
  return {of.dims, made};
}

/// Returns a net of one op, whose operands are the inputs.
inline net one(std::string type, std::vector<input> inputs, std::vector<net_argument> arguments = {},
               std::vector<std::string> outputs = {"y"}, std::int64_t opset = 13) {
  std::vector<std::string> names;
  for (input const& each : inputs) names.push_back(each.name);
  return {{{std::move(type), std::move(names), std::move(outputs), std::move(arguments)}}, std::move(inputs), opset};
}

// Indexed access, scans, remainders and bits, padding, interpolation and quantisation.
inline void add_indexed(std::vector<net>& made) {
  auto const add = [&](net each) { made.push_back(std::move(each)); };
  input const matrix{"x", {3, 4}};
  input const cube{"x", {2, 3, 4}};
  input const image{"x", {1, 2, 5, 6}};
  input const integers{"x", {3, 4}, onnx_type::int32, 7, {-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 100}};
  input const places{"i", {2, 4}, onnx_type::int64, 3, {0, 2, 1, 0, 2, 1, 0, 1}};
  add(one("GatherElements", {matrix, places}));
  add(one("GatherElements", {matrix, {"i", {3, 2}, onnx_type::int32}}, {{"axis", 1}}));
  add(one("ScatterElements", {matrix, places, {"u", {2, 4}}}));
  for (char const* how : {"add", "mul", "max", "min"}) {
    std::int64_t const least = how[0] == 'm' && how[1] != 'u' ? 18 : 16;
    add(one("ScatterElements", {matrix, places, {"u", {2, 4}}}, {{"reduction", how}}, {"y"}, least));
    add(one("ScatterND", {matrix, {"i", {2, 1}, onnx_type::int32}, {"u", {2, 4}}}, {{"reduction", how}}, {"y"}, least));
  }
  add(one("ScatterND", {matrix, {"i", {2, 1}, onnx_type::int64, 3, {2, 0}}, {"u", {2, 4}}}));
  add(one("GatherND", {cube, {"i", {2, 2}, onnx_type::int64, 2}}));
  add(one("GatherND", {cube, {"i", {2, 1}, onnx_type::int32}}, {{"batch_dims", 1}}));
  add(one("Gather", {cube, {"i", {2, 2}, onnx_type::int64}}, {{"axis", 1}, {"match_outer", 1}}));
  add(one("ScatterAssign", {matrix, {"i", {2}, onnx_type::int32, 3, {2, 0}}, {"u", {2, 4}}}));
  add(one("SparseToDense", {{"i", {3}, onnx_type::int32, 5, {4, 1, 4}}, matrix}, {}, {"y"}, 16));
  add(one("SparseToDense", {{"i", {3}, onnx_type::int64}, matrix}, {{"output_first_dim", 6}}, {"y"}, 16));
  for (int const how : {0, 1, 2, 3}) {
    for (char const* type : {"CumSum", "CumProd"}) {
      add(one(type, {cube}, {{"axis", 1}, {"exclusive", how % 2}, {"reverse", how / 2}}));
      add(one(type, {matrix}, {{"axis", -1}, {"exclusive", how % 2}, {"reverse", how / 2}}));
    }
    add(one("Trilu", {cube}, {{"upper", how % 2}, {"k", how - 2}}, {"y"}, 14));
  }
  add(one("CumSum", {matrix, {"a", {1}, onnx_type::int64, 1, {1}}}));
  add(one("BooleanMask", {matrix, {"m", {3}, onnx_type::boolean}}, {}, {"y", "rows"}));
  add(one("Unique", {{"x", {6}, onnx_type::int64}}, {}, {"y", "places"}));
  add(one("TopK", {matrix}, {{"k", 2}, {"axis", 0}}, {"y", "i", "flat"}));
  for (char const* type : {"Asinh", "IsNaN"}) add(one(type, {matrix}));
  add(net{{{"Sigmoid", {"x"}, {"s"}}, {"Atanh", {"s"}, {"y"}}}, {matrix}});
  add(net{{{"Exp", {"x"}, {"e"}}, {"Cosh", {"e"}, {"s"}}, {"Acosh", {"s"}, {"y"}}}, {matrix}});
  for (char const* type : {"FloorMod", "TruncMod"}) {
    add(one(type, {integers, {"b", {4}, onnx_type::int32, 9, {2, -3, 5, -1}}}));
    add(one(type, {matrix, {"b", {3, 4}}}));
  }
  for (char const* type : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"}) {
    add(one(type, {integers, {"b", {4}, onnx_type::int32, 9, {2, -3, 5, -1}}}, {}, {"y"}, 18));
    add(one(type, {{"x", {2, 3}, onnx_type::boolean}, {"b", {3}, onnx_type::boolean}}));
  }
  for (char const* type : {"ShiftLeft", "ShiftRight"}) {
    add(one(type, {integers, {"b", {4}, onnx_type::int32, 9, {-1, 31, 33, 2}}}));
    add(one(type, {{"x", {4}, onnx_type::int64, 9, {-9, -1, 7, 8}}, {"b", {4}, onnx_type::int64, 9, {63, 64, 62, 1}}}));
  }
  add(one("ReduceProd", {cube}, {{"axes", {0, 2}}}));
  add(one("ReduceProd", {matrix}, {{"keepdims", 0}}));
  input const axes{"a", {2}, onnx_type::int32, 3, {-1, 0}};
  add(one("ReduceSum", {cube, axes}));
  for (char const* type : {"ReduceMean", "ReduceMax", "ReduceProd", "ReduceL2"})
    add(one(type, {cube, axes}, {{"keepdims", 0}}, {"y"}, 18));
  for (char const* type : {"ReduceSum", "ReduceL1"}) add(one(type, {cube}, {{"noop_with_empty_axes", 1}}));
  add(one("TopK", {matrix, {"k", {1}, onnx_type::int32, 3, {2}}}, {}, {"y", "i"}));
  add(one("Squeeze", {{"x", {1, 3, 1}}}));
  for (char const* mode : {"constant", "reflect", "edge"}) {
    add(one("Pad", {matrix}, {{"pads", {1, 0, 2, 3}}, {"mode", mode}}));
    add(one("Pad", {cube}, {{"pads", {1, -1}}, {"axes", {-1}}, {"mode", mode}}));
  }
  add(one("Pad", {matrix}, {{"pads", {1, 0, 2, 3}}, {"mode", "wrap"}}, {"y"}, 19));
  add(one("Pad", {matrix, {"v", {}}}, {{"pads", {1, 0, 2, 3}}}));
  add(one("Pad", {matrix, {"p", {4}, onnx_type::int64, 3, {1, 0, 2, 3}}, {"v", {1}}}));
  add(one("Pad", {matrix, {"p", {2}, onnx_type::int64, 3, {1, 2}}}, {{"axes", {1}}}, {"y"}, 18));
  for (char const* places_of : {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"}) {
    std::string const where = places_of;
    for (char const* mode : {"nearest", "linear", "cubic"})
      add(one("Resize", {image}, {{"mode", mode}, {"sizes", {1, 2, 7, 9}}, {"coordinate_transformation_mode", where}}));
    add(one("Resize", {image},
            {{"mode", "nearest"},
             {"scales", std::vector<float>{1, 1, 2, 0.5f}},
             {"nearest_mode", "floor"},
             {"coordinate_transformation_mode", where == "align_corners" ? "asymmetric" : where}}));
  }
  add(one("Resize", {image}, {{"mode", "linear"}, {"sizes", {3, 3}}, {"axes", {2, 3}}, {"antialias", 1}}, {"y"}, 18));
  add(one("Resize", {image, {"e", {4}, onnx_type::int64, 9, {1, 2, 3, 8}}}, {{"mode", "linear"}}));
  add(one("QuantizeLinear", {matrix, {"s", {}, onnx_type::float32}, {"z", {}, onnx_type::uint8}}));
  add(one("QuantizeLinear", {matrix, {"s", {4}}, {"z", {4}, onnx_type::int8}}, {{"axis", 1}}));
  add(one("DequantizeLinear", {{"x", {3, 4}, onnx_type::int8}, {"s", {3}}, {"z", {3}, onnx_type::int8}},
          {{"axis", 0}}));
  add(one("DequantizeLinear", {{"x", {3, 4}, onnx_type::uint8}, {"s", {1}}, {"z", {1}, onnx_type::uint8}}));
  input const bytes{"a", {3, 4}, onnx_type::uint8, 200};
  input const signed_bytes{"w", {4, 5}, onnx_type::int8, 100};
  input const zero{"z", {}, onnx_type::uint8, 200};
  add(one("MatMulInteger", {bytes, signed_bytes}));
  add(one("MatMulInteger", {bytes, signed_bytes, zero, {"v", {5}, onnx_type::int8, 100}}));
  input const byte_image{"x", {2, 4, 5, 6}, onnx_type::uint8, 200};
  input const byte_filter{"w", {6, 2, 3, 3}, onnx_type::int8, 100};
  std::vector<net_argument> const windows{
      {"kernels", {3, 3}}, {"strides", {2, 1}}, {"pads", {1, 1, 0, 1}}, {"group", 2}};
  add(one("ConvInteger", {byte_image, byte_filter, zero}, windows));
  add(one("ConvInteger",
          {byte_image, byte_filter, zero, {"v", {}, onnx_type::int8, 100}, {"b", {6}, onnx_type::int32, 1000}},
          windows));
  // Images, losses and products with arguments of their own.
  add(one("MaxPool", {image}, {{"kernel", 2}, {"stride", 2}, {"ceil_mode", 1}}));
  add(one("MaxPool", {image}, {{"kernel", 2}, {"stride", 2}, {"legacy_pad", 2}, {"same_lower", 1}}));
  add(one("ConvTranspose", {image, {"w", {2, 3, 3, 3}}, {"b", {3}}}, {{"kernel", 3}, {"stride", 2}, {"adj", 1}}));
  add(one("GroupNorm", {{"x", {2, 4, 5, 6}}, {"s", {4}}, {"b", {4}}}, {{"group", 2}}, {"y", "mean", "inverse"}));
  add(one("BatchMatMul", {cube, {"b", {4}}}, {{"broadcast", 1}}));
  for (int const repeats : {0, 1})
    add(one("DotProductWithPadding", {matrix, {"b", {3, 2}}}, {{"replicate", repeats}, {"pad_value", 0.5f}}));
  for (char const* which : {"log_D_trick", "unjoined_lr_loss", ""})
    add(one("SigmoidCrossEntropyWithLogits", {matrix, {"t", {3, 4}}},
            *which == 0 ? std::vector<net_argument>() : std::vector<net_argument>{{which, 1}}));
  add(one("ClipTensorByScaling", {matrix, {"n", {1}}}, {{"threshold", 0.1f}}));
  add(one("SumReduceLike", {cube, {"b", {4}}}));
  add(one("SumReduceLike", {cube, {"b", {3, 1}}}));
  add(one("SumReduceLike", {cube, {"b", {2, 3}}}, {{"broadcast", 1}, {"axis", 0}}));
  input const labels{"l", {3}, onnx_type::int32};
  add(one("Accuracy", {matrix, labels}, {{"top_k", 2}}));
  for (int const rows : {0, 1})
    add(one("SoftmaxWithLoss", {matrix, labels, {"w", {3}}}, {{"average_by_batch_size", rows}}, {"y", "loss"}));
}

// Segments, prefixes of rows and packed sequences.
inline void add_segments(std::vector<net>& made) {
  auto const add = [&](net each) { made.push_back(std::move(each)); };
  input const rows{"x", {5, 2, 2}};
  input const weights{"w", {5}};
  for (onnx_type const type : {onnx_type::int32, onnx_type::int64}) {
    input const lengths{"l", {4}, type, 3, {2, 0, 1, 2}};
    input const ids{"l", {5}, type, 3, {0, 0, 2, 3, 3}};
    input const ascending{"l", {5}, type, 3, {0, 0, 1, 2, 2}};
    input const places{"i", {5}, type, 5};
    for (char const* kind : {"Sum", "Mean", "WeightedSum"})
      for (std::string const of : {"Lengths", "SortedSegment", "UnsortedSegment"}) {
        bool const weighted = kind[0] == 'W';
        input const& list = of == "Lengths" ? lengths : of == "SortedSegment" ? ascending : ids;
        std::vector<input> inputs{rows};
        if (weighted) inputs.push_back(weights);
        std::vector<input> sparse = inputs;
        inputs.push_back(list);
        sparse.push_back(places);
        sparse.push_back(list);
        add(one(of + kind, inputs, {}, {"y"}, 16));
        add(one("Sparse" + of + kind, sparse, {}, {"y"}, 16));
      }
    add(one("LengthsMax", {rows, lengths}, {}, {"y"}, 18));
    add(one("UnsortedSegmentMean", {rows, ids}, {{"num_segments", 6}}, {"y"}, 16));
    for (char const* list : {"LengthsToSegmentIds", "LengthsRangeFill", "LengthsToRanges", "LengthsToOffsets"})
      add(one(list, {lengths}));
    add(one("LengthsToOffsets", {lengths}, {{"include_last_offset", 1}}));
    add(one("LengthsToShape", {{"l", {3}, type, 3, {2, 2, 2}}}));
    for (char const* list : {"SegmentIdsToLengths", "SegmentIdsToRanges"}) {
      add(one(list, {ids}));
      add(one(list, {ids, {"x", {6, 2}}}));
    }
    add(one("LengthsTile", {{"x", {4, 2}}, lengths}));
    add(one("LengthsGather", {rows, lengths, {"i", {3}, type, 4, {3, 1, 0}}}));
    add(one("PackSegments", {lengths, rows}));
    add(one("PackSegments", {lengths, rows}, {{"max_length", 4}, {"pad_minf", 1}, {"return_presence_mask", 1}},
            {"y", "mask"}));
    add(one("PackRNNSequence", {rows, lengths}));
    add(one("UnpackSegments", {lengths, {"x", {4, 3, 2}}}));
    add(one("UnpackRNNSequence", {{"x", {3, 4, 2}}, lengths}));
    for (char const* kind : {"Sum", "Mean", "Max"}) {
      add(one(std::string("ReduceFront") + kind, {{"x", {3, 4}}, lengths}));
      add(one(std::string("ReduceBack") + kind, {{"x", {2, 2, 3}}, lengths}));
    }
    for (char const* mode : {"sequence", "window"}) {
      add(one("SequenceMask", {{"x", {4, 3}}, lengths}, {{"mode", mode}, {"radius", 1}, {"fill_val", -1.0f}}));
      add(one("SequenceMask", {{"x", {2, 4, 3}}, lengths},
              {{"mode", mode}, {"radius", 1}, {"fill_val", 2.0f}, {"axis", 2}, {"batch", 0}}));
    }
    add(one("SequenceMask", {{"x", {4, 3, 2}}, lengths}, {{"mode", "sequence"}, {"repeat_from_axis", 2}, {"grad", 1}}));
  }
  for (char const* mode : {"upper", "lower", "upperdiag", "lowerdiag"})
    add(one("SequenceMask", {{"x", {2, 3, 4}}}, {{"mode", mode}, {"axis", 2}, {"batch", 0}, {"fill_val", 0.5f}}));
}

inline std::vector<net> nets() {
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
  add_indexed(made);
  add_segments(made);
  // Versions of a blob.
  add(net{{{"Relu", {"x"}, {"x"}}, {"Sigmoid", {"x"}, {"y"}}, {"Add", {"y", "x"}, {"y"}}, {"Tanh", {"y"}, {"y"}}},
          {matrix}});
  return made;
}

}  // namespace onnx_written
