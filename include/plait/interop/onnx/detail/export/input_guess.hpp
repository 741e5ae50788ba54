// Guesses of the type and rank of a net's inputs, by the ops that read them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <plait/interop/onnx/detail/export/source.hpp>
#include <plait/interop/onnx/detail/export/value_types.hpp>
#include <plait/interop/onnx/detail/model.hpp>

namespace plait::detail::onnx_out {

struct onnx_input_guess {
  onnx_type type = onnx_type::float32;
  std::optional<std::size_t> rank = {};
};

/// Returns the guess for a blob that a net reads before any op writes it. `types` has the net's parameters.
inline onnx_input_guess guess_onnx_input(onnx_source const& net, std::string const& blob,
                                         onnx_value_types const& types) {
  struct index_slot {
    std::string_view type;
    std::size_t slot;
  };
  constexpr index_slot indices[] = {{"Gather", 1},
                                    {"BatchGather", 1},
                                    {"GatherElements", 1},
                                    {"GatherND", 1},
                                    {"ScatterElements", 1},
                                    {"ScatterND", 1},
                                    {"ScatterAssign", 1},
                                    {"SparseToDense", 0},
                                    {"LabelCrossEntropy", 1},
                                    {"SoftmaxWithLoss", 1},
                                    {"Accuracy", 1},
                                    {"OneHot", 0},
                                    {"LengthsSum", 1},
                                    {"LengthsMean", 1},
                                    {"LengthsMax", 1},
                                    {"LengthsWeightedSum", 2},
                                    {"SparseLengthsSum", 1},
                                    {"SparseLengthsSum", 2},
                                    {"SparseLengthsMean", 1},
                                    {"SparseLengthsMean", 2},
                                    {"SparseLengthsWeightedSum", 2},
                                    {"SparseLengthsWeightedSum", 3},
                                    {"SortedSegmentSum", 1},
                                    {"SortedSegmentMean", 1},
                                    {"UnsortedSegmentSum", 1},
                                    {"UnsortedSegmentMean", 1},
                                    {"LengthsTile", 1},
                                    {"LengthsGather", 1},
                                    {"LengthsGather", 2},
                                    {"LengthsToSegmentIds", 0},
                                    {"LengthsRangeFill", 0},
                                    {"LengthsToRanges", 0},
                                    {"LengthsToOffsets", 0},
                                    {"LengthsToShape", 0},
                                    {"SegmentIdsToLengths", 0},
                                    {"SegmentIdsToRanges", 0},
                                    {"PackSegments", 0},
                                    {"UnpackSegments", 0},
                                    {"PackRNNSequence", 1},
                                    {"UnpackRNNSequence", 1},
                                    {"ReversePackedSegs", 1},
                                    {"SequenceMask", 1},
                                    {"Slice", 1},
                                    {"Slice", 2}};
  constexpr std::string_view images[] = {
      "Conv",     "ConvTranspose",  "MaxPool",       "AveragePool",      "SpatialBN", "LRN",
      "PadImage", "ChannelShuffle", "ResizeNearest", "UpsampleBilinear", "NHWC2NCHW", "NCHW2NHWC"};
  onnx_input_guess made;
  bool typed = false;
  for (onnx_source_op const& op : net.ops) {
    for (std::size_t i = 0; i != op.inputs.size(); ++i) {
      if (op.inputs[i] != blob) continue;
      if (!typed)
        for (index_slot const& each : indices)
          if (op.type == each.type && i == each.slot) made.type = onnx_type::int32;
      if (!typed && ((i == 0 && (op.type == "If" || op.type == "While" || op.type == "Not")) ||
                     (i == 1 && op.type == "BooleanMask")))
        made.type = onnx_type::boolean;
      if (!typed && op.type == "RecurrentNetwork" && (blob.ends_with("lengths") || blob.ends_with("timestep")))
        made.type = onnx_type::int32;
      typed = true;
      if (made.rank) continue;
      if (i == 0 && std::ranges::find(images, op.type) != std::end(images)) {
        made.rank = 4;
        if (op.inputs.size() > 1 && op.type.starts_with("Conv") && types.dims(op.inputs[1]))
          made.rank = types.dims(op.inputs[1])->size();
        if (auto const kernels = op.argument("kernels"))
          if (auto const* list = std::get_if<std::vector<std::int64_t>>(&*kernels); list != nullptr && !list->empty())
            made.rank = list->size() + 2;
      } else if (i == 0 && (op.type == "FC" || op.type == "FCTransposed")) {
        auto const axis = op.argument("axis");
        auto const* number = axis ? std::get_if<std::int64_t>(&*axis) : nullptr;
        made.rank = number == nullptr || *number < 1 ? 2 : static_cast<std::size_t>(*number) + 1;
      } else if (i == 0 && (op.type == "MatMul" || op.type == "RecurrentNetwork")) {
        made.rank = op.type == "MatMul" ? 2 : 3;
      } else if (op.type == "RecurrentNetwork" && made.type == onnx_type::int32) {
        made.rank = 1;
      }
    }
    // After an op that writes the blob its readers read another value.
    if (std::ranges::any_of(op.writes, [&](auto const& write) { return write.first == blob; })) break;
  }
  return made;
}

}  // namespace plait::detail::onnx_out
