#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_cases.hpp>

namespace {

using test::check_gradient_of;
using test::int32s;
using test::int64s;
using test::random_tensor;

test::tensor64 some(plait::shape const& dims, std::uint64_t seed = 1) {
  return random_tensor(dims, seed, -1.5, 1.5, {0});
}

TEST_CASE("data movement gradients: reshapes and transposes equal finite differences") {
  auto const x = some({2, 3, 4});
  check_gradient_of({"Reshape x > y old [shape (4 -1)]", {{"x", x}}, {"x"}});
  check_gradient_of({"Reshape x s > y old", {{"x", x}, {"s", int64s({6, 4}, {2})}}, {"x"}});
  check_gradient_of({"Flatten x > y", {{"x", x}}, {"x"}});
  check_gradient_of({"Flatten x > y [axis 2]", {{"x", x}}, {"x"}});
  check_gradient_of({"FlattenToVec x > y", {{"x", x}}, {"x"}});
  check_gradient_of({"ExpandDims x > y [dims (0 2)]", {{"x", x}}, {"x"}});
  check_gradient_of({"Squeeze x > y [dims (0)]", {{"x", some({1, 3})}}, {"x"}});
  check_gradient_of({"ResizeLike x k > y", {{"x", x}, {"k", some({8, 3})}}, {"x"}});
  check_gradient_of({"PrependDim x > y [dim_size 2]", {{"x", some({4, 3})}}, {"x"}});
  check_gradient_of({"MergeDim x > y", {{"x", x}}, {"x"}});
  check_gradient_of({"Transpose x > y", {{"x", x}}, {"x"}});
  check_gradient_of({"Transpose x > y [axes (2 0 1)]", {{"x", x}}, {"x"}});
}

TEST_CASE("data movement gradients: scatter, also at repeated places, equals finite differences") {
  auto const x = some({4, 3});
  auto const u = some({2, 3}, 2);
  for (std::string const how : {"", " [reduction 'add']"}) {
    check_gradient_of({"ScatterElements x i u > y" + how,
                       {{"x", x}, {"i", int64s({0, 2, 3, 0, 1, 3}, {2, 3})}, {"u", u}},
                       {"x", "u"}});
    check_gradient_of({"ScatterElements x i u > y [axis 1]" + how,
                       {{"x", x}, {"i", int32s({0, 2, 0, -1, 1, 2}, {2, 3})}, {"u", u}},
                       {"x", "u"}});
    check_gradient_of({"ScatterND x i u > y" + how, {{"x", x}, {"i", int64s({2, 2}, {2, 1})}, {"u", u}}, {"x", "u"}});
    check_gradient_of({"ScatterND x i u > y" + how,
                       {{"x", x}, {"i", int32s({2, 1, 0, 2}, {2, 2})}, {"u", some({2}, 2)}},
                       {"x", "u"}});
  }
}

TEST_CASE("data movement gradients: concat, split, slice and gather equal finite differences") {
  auto const x = some({4, 6});
  check_gradient_of({"Concat a b > y s [axis 1]", {{"a", some({2, 3})}, {"b", some({2, 1}, 2)}}, {"a", "b"}});
  check_gradient_of({"Concat a b > y s [axis 0]", {{"a", some({2, 3})}, {"b", some({1, 3}, 2)}}, {"a", "b"}});
  check_gradient_of(
      {"Concat a b > y s [axis 1] [add_axis 1]", {{"a", some({2, 3})}, {"b", some({2, 3}, 2)}}, {"a", "b"}});
  check_gradient_of({"Split x > y z w [axis 1]", {{"x", x}}, {"x"}, {"y", "z", "w"}});
  check_gradient_of({"Split x > y z w [axis 1]", {{"x", x}}, {"x"}, {"z"}});  // two outputs without a gradient
  check_gradient_of({"Split x > y z [axis 0] [split (1 3)]", {{"x", x}}, {"x"}, {"y", "z"}});
  check_gradient_of({"Slice x > y [starts (1 0)] [ends (3 -1)]", {{"x", x}}, {"x"}});
  check_gradient_of({"Slice x s e > y", {{"x", x}, {"s", int32s({0, 2}, {2})}, {"e", int32s({-1, 5}, {2})}}, {"x"}});
  check_gradient_of({"Tile x > y [tiles 3] [axis 1]", {{"x", x}}, {"x"}});
  check_gradient_of({"TopK x > y i [k 2]", {{"x", x}}, {"x"}});
  check_gradient_of({"Gather x i > y", {{"x", x}, {"i", int32s({2, 0, 2}, {3})}}, {"x"}});
  check_gradient_of({"Gather x i > y [dense_gradient 1]", {{"x", x}, {"i", int64s({2, 0, 2}, {3})}}, {"x"}});
  check_gradient_of({"Gather x i > a; Gather x j > b; Sum a b > y",
                     {{"x", x}, {"i", int32s({2, 0}, {2})}, {"j", int32s({1, 2}, {2})}},
                     {"x"}});
  for (std::string const op :
       {"Gather x i > y", "Gather x i > y [dense_gradient 1]", "Gather x i > a; Gather x i > b; Mul a b > y"})
    check_gradient_of({op, {{"x", x}, {"i", int32s({2, 0, 2, 1, 1, 2}, {3, 2})}}, {"x"}});
  check_gradient_of({"BatchPermutation x i > y", {{"x", x}, {"i", int32s({2, 0, 3, 1}, {4})}}, {"x"}});
  check_gradient_of({"BatchGather x i > y", {{"x", x}, {"i", int32s({2, 0, 2}, {3})}}, {"x"}});
  check_gradient_of({"Gather x i > y [wrap_indices 1]", {{"x", x}, {"i", int32s({2, -1, -3}, {3})}}, {"x"}});
  check_gradient_of({"Gather x i > y [axis 1]", {{"x", x}, {"i", int32s({2, 0, 2}, {3})}}, {"x"}});
  check_gradient_of({"Gather x i > y [axis -1] [match_outer 1]",
                     {{"x", some({2, 3, 4})}, {"i", int32s({2, 0, 3, 0, 1, 1}, {2, 3})}},
                     {"x"}});
  check_gradient_of({"GatherElements x i > y", {{"x", x}, {"i", int32s({2, -1, 2, 0, 1, -4}, {2, 3})}}, {"x"}});
  check_gradient_of(
      {"GatherElements x i > y [axis -1]", {{"x", x}, {"i", int64s({2, -1, 2, 0, 1, -4, 5, 5}, {4, 2})}}, {"x"}});
  check_gradient_of({"GatherND x i > y", {{"x", x}, {"i", int64s({2, -1, 2, 0, 2, -1}, {3, 2})}}, {"x"}});
  check_gradient_of({"GatherND x i > y", {{"x", x}, {"i", int64s({2, -1, 2}, {3, 1})}}, {"x"}});
  check_gradient_of(
      {"SparseToDense i x d > y", {{"i", int32s({3, 0, 3, 1}, {4})}, {"x", x}, {"d", some({5, 6})}}, {"x"}});
  check_gradient_of({"EnsureDense x > t; Gather t i > y", {{"x", x}, {"i", int32s({2, 0, 2}, {3})}}, {"x"}});
}

TEST_CASE("data movement gradients: triangles and cumulative sums equal finite differences") {
  auto const x = some({2, 3, 4});
  check_gradient_of({"Trilu x > y", {{"x", x}}, {"x"}});
  check_gradient_of({"Trilu x > y [upper 0] [k 1]", {{"x", x}}, {"x"}});
  check_gradient_of({"Trilu x k > y", {{"x", x}, {"k", int64s({-1}, {1})}}, {"x"}});
  for (std::string const how :
       {"", " [axis 1]", " [axis -1] [exclusive 1]", " [reverse 1]", " [exclusive 1] [reverse 1]"})
    check_gradient_of({"CumSum x > y" + how, {{"x", x}}, {"x"}});
  check_gradient_of({"CumSum x a > y [exclusive 1]", {{"x", x}, {"a", int32s({2}, {1})}}, {"x"}});
}

TEST_CASE("data movement gradients: padded and truncated packed sequences equal finite differences") {
  auto const lengths = [](std::vector<std::int32_t> const& l) {
    return int32s(l, {static_cast<std::int64_t>(l.size())});
  };
  check_gradient_of({"UnpackSegments l x > y", {{"x", some({2, 4, 2})}, {"l", lengths({1, 2})}}, {"x"}});
  check_gradient_of(
      {"UnpackSegments l x > y [max_length 2]", {{"x", some({3, 2, 2})}, {"l", lengths({1, 3, 0})}}, {"x"}});
  check_gradient_of({"UnpackRNNSequence x l > y", {{"x", some({4, 2, 2})}, {"l", lengths({2, 1})}}, {"x"}});
  check_gradient_of({"PackSegments l x > y [max_length 2]", {{"x", some({4, 2})}, {"l", lengths({3, 1})}}, {"x"}});
  check_gradient_of({"PackSegments l x > y [max_length 4]", {{"x", some({4, 2})}, {"l", lengths({3, 1})}}, {"x"}});
  for (std::string const op : {"PackSegments l a > b", "PackRNNSequence a l > b"})
    check_gradient_of({"Sqr x > a; " + op + "; Sqr b > y", {{"x", some({4, 2})}, {"l", lengths({3, 1})}}, {"x"}});
}

TEST_CASE("data movement gradients: paddings of sequences equal finite differences") {
  auto const lengths = int32s({2, 0, 3}, {3});
  auto const padded = int32s({4, 2, 3}, {3});
  std::vector<std::pair<std::string, test::tensor64>> const given = {
      {"x", some({5, 2})}, {"l", lengths}, {"s", some({2}, 2)}, {"e", some({2}, 3)}};
  check_gradient_of({"AddPadding x > y", given, {"x"}});
  for (std::string const widths : {"", " [padding_width 2] [end_padding_width 1]"}) {
    check_gradient_of({"AddPadding x l > y m" + widths, given, {"x"}});
    check_gradient_of({"AddPadding x l s > y m" + widths, given, {"x", "s"}});
    check_gradient_of({"AddPadding x l s e > y m" + widths, given, {"x", "s", "e"}});
  }
  check_gradient_of({"RemovePadding x p > y m", {{"x", some({9, 2})}, {"p", padded}}, {"x"}});
  check_gradient_of({"RemovePadding x > y [padding_width 0] [end_padding_width 3]", given, {"x"}});
}

TEST_CASE("data movement gradients: BooleanMask equals finite differences") {
  auto const mask = [](std::vector<bool> const& kept) {
    return test::tensor64::from(kept, {static_cast<std::int64_t>(kept.size())});
  };
  for (std::string const op : {"BooleanMask x m > y", "BooleanMask x m > y i"}) {
    check_gradient_of({op, {{"x", some({4, 3})}, {"m", mask({true, false, false, true})}}, {"x"}});
    check_gradient_of({op, {{"x", some({3, 2, 2})}, {"m", mask({false, true, true})}}, {"x"}});
    check_gradient_of({op, {{"x", some({5})}, {"m", mask({true, true, true, true, true})}}, {"x"}});
    check_gradient_of({op, {{"x", some({2, 3})}, {"m", mask({false, false})}}, {"x"}});
    check_gradient_of({"Tanh x > t; " + op + "; Sqr y > z",
                       {{"x", some({4, 3})}, {"m", mask({true, false, true, true})}},
                       {"x"},
                       {"z"}});
  }
}

TEST_CASE("data movement gradients: LengthsGather equals finite differences") {
  auto const x = some({6, 2});
  for (std::string const dense : {"", " [dense_gradient 1]"}) {
    auto const check = [&](test::tensor64 const& lengths, test::tensor64 const& chosen) {
      for (auto const& rows : {x, some({6}), some({6, 1, 3})})
        check_gradient_of({"LengthsGather x l i > y" + dense, {{"x", rows}, {"l", lengths}, {"i", chosen}}, {"x"}});
    };
    check(int32s({2, 0, 3, 1}, {4}), int32s({2, 0}, {2}));
    check(int64s({2, 0, 3, 1}, {4}), int32s({3, 1, 3, 0, 2, 3}, {6}));
    check(int32s({4, 2}, {2}), int64s({0, 0}, {2}));
    check(int64s({6}, {1}), int64s({}, {0}));
  }
  check_gradient_of({"Tanh x > t; LengthsGather t l i > a [dense_gradient 1]; Sqr a > y",
                     {{"x", x}, {"l", int32s({1, 2, 3}, {3})}, {"i", int32s({2, 1, 2}, {3})}},
                     {"x"}});
  check_gradient_of({"LengthsGather x l i > a; Gather x j > b; Sum a b > y",
                     {{"x", x}, {"l", int32s({1, 2, 3}, {3})}, {"i", int32s({2}, {1})}, {"j", int32s({4, 4, 0}, {3})}},
                     {"x"}});
}

TEST_CASE("data movement gradients: lists of ids, columns and labels equal finite differences") {
  auto const ids = int64s({2, 4, 6, 1, 2, 99, 2}, {7});
  auto const lengths = int32s({3, 0, 4}, {3});
  for (std::string const l : {"", " l"}) {
    check_gradient_of({"SparseToDenseMask i x d" + l + " > y [mask (9 2 6)]",
                       {{"i", ids}, {"x", some({7, 2})}, {"d", some({2}, 2)}, {"l", lengths}},
                       {"x"}});
    check_gradient_of({"SparseToDenseMask i x d" + l + " > y m [mask (2 1)] [return_presence_mask 1]",
                       {{"i", ids}, {"x", some({7})}, {"d", some({}, 2)}, {"l", lengths}},
                       {"x"}});
  }
  auto const columns = int64s({3, 0, 1, 2, 0, 3, 1}, {7});
  check_gradient_of({"BatchSparseToDense l c x > y [dense_last_dim 4] [default_value 2.0]",
                     {{"l", lengths}, {"c", columns}, {"x", some({7})}},
                     {"x"}});
  check_gradient_of({"BatchSparseToDense l c x k > y",
                     {{"l", lengths}, {"c", columns}, {"x", some({7})}, {"k", some({3, 5}, 2)}},
                     {"x"}});
  check_gradient_of({"BatchDenseToSparse l c x > y", {{"l", lengths}, {"c", columns}, {"x", some({3, 4})}}, {"x"}});
  auto const labels = int64s({0, 2, 1, 2, 2, 0, 1}, {7});
  std::vector<std::pair<std::string, test::tensor64>> const given = {{"l", lengths}, {"c", labels}, {"x", some({7})}};
  check_gradient_of({"SparseLabelSplit l c x > a b y e f g [num_labels 3]", given, {"x"}, {"a", "b", "y"}});
  check_gradient_of(
      {"SparseLabelSplit l c x > a b y e f g m [num_labels 3] [keep_gradient_offset_map 1]", given, {"x"}, {"b"}});
  check_gradient_of(
      {"FillExamplesWithIndicator x f > y", {{"x", some({2, 3})}, {"f", int32s({0, 1, 0, -1}, {4})}}, {"x"}});
}

TEST_CASE("data movement gradients: a table with dense and sparse reads equals finite differences") {
  check_gradient_of({"Gather x i > a; Tanh x > b; SumElements a > s; SumElements b > r; Add s r > y",
                     {{"x", some({3, 2})}, {"i", int32s({2, 0, 2}, {3})}},
                     {"x"},
                     {"y"},
                     {.gradients = {.mixed = plait::mixed_gradients::densify}}});
}

TEST_CASE("data movement gradients: segments, sequences and pooling equal finite differences") {
  auto const x = some({5, 2});
  auto const lengths = int32s({2, 0, 3}, {3});
  for (std::string const op : {"LengthsSum", "LengthsMean", "LengthsMax"})
    check_gradient_of({op + " x l > y", {{"x", x}, {"l", op == "LengthsMax" ? int32s({2, 3}, {2}) : lengths}}, {"x"}});
  check_gradient_of({"LengthsWeightedSum x w l > y", {{"x", x}, {"w", some({5}, 2)}, {"l", lengths}}, {"x"}});
  check_gradient_of({"LengthsWeightedSum x w l > y [grad_on_weights 1]",
                     {{"x", x}, {"w", some({5}, 2)}, {"l", lengths}},
                     {"x", "w"}});
  check_gradient_of({"LengthsTile x l > y", {{"x", some({3, 2})}, {"l", lengths}}, {"x"}});
  auto const indices = int32s({4, 1, 1, 0, 2}, {5});
  for (std::string const op : {"SparseLengthsSum", "SparseLengthsMean"})
    check_gradient_of({op + " x i l > y", {{"x", x}, {"i", indices}, {"l", lengths}}, {"x"}});
  check_gradient_of(
      {"SparseLengthsWeightedSum x w i l > y", {{"x", x}, {"w", some({5}, 2)}, {"i", indices}, {"l", lengths}}, {"x"}});
  for (std::string const order : {"Sorted", "Unsorted"})
    for (std::string const how : {"Sum x", "Mean x", "WeightedSum x w"}) {
      auto const segments = order == "Sorted" ? int32s({0, 0, 1, 1, 1}, {5}) : int32s({2, 0, 1, 2, 0}, {5});
      std::vector<std::pair<std::string, test::tensor64>> const given = {
          {"x", x}, {"w", some({5}, 2)}, {"i", indices}, {"s", segments}};
      check_gradient_of({order + "Segment" + how + " s > y", given, {"x"}});
      check_gradient_of({"Sparse" + order + "Segment" + how + " i s > y", given, {"x"}});
    }
  for (std::string const how : {"Sum", "Mean", "Max", "LogSumExp", "LogMeanExp"})
    check_gradient_of(
        {"SortedSegmentRange" + how + " x s > y", {{"x", x}, {"s", int32s({0, 0, 1, 1, 1}, {5})}}, {"x"}});
  for (std::string const op : {"NCHW2NHWC", "NHWC2NCHW"})
    check_gradient_of({op + " x > y", {{"x", some({2, 3, 2, 2})}}, {"x"}});
  check_gradient_of({"PackSegments l x > y", {{"l", lengths}, {"x", x}}, {"x"}});
  check_gradient_of({"UnpackSegments l x > y", {{"l", int32s({2, 1}, {2})}, {"x", some({2, 2, 3})}}, {"x"}});
  check_gradient_of({"ReversePackedSegs x l > y", {{"x", some({3, 2, 2})}, {"l", int32s({2, 3}, {2})}}, {"x"}});
  check_gradient_of({"PackRNNSequence x l > y", {{"x", x}, {"l", int32s({2, 3}, {2})}}, {"x"}});
  check_gradient_of({"UnpackRNNSequence x l > y", {{"x", some({3, 2, 2})}, {"l", int32s({2, 3}, {2})}}, {"x"}});
  check_gradient_of({"SequenceMask x l > y [mode 'sequence'] [fill_val 0.0]",
                     {{"x", some({2, 3})}, {"l", int32s({1, 3}, {2})}},
                     {"x"}});
  check_gradient_of({"MaxPool x > y [kernel 2] [stride 2]", {{"x", some({1, 2, 4, 4})}}, {"x"}});
  check_gradient_of({"PadImage x > y [pad 1]", {{"x", some({1, 2, 3, 3})}}, {"x"}});
  check_gradient_of({"Pad x > y [pads (1 0 -1 2 1 0)]", {{"x", some({2, 3, 3})}}, {"x"}});
  check_gradient_of({"Pad x > y [pads (2 1)] [axes (-2)]", {{"x", some({2, 3})}}, {"x"}});
  check_gradient_of({"Squeeze x > y", {{"x", some({1, 3, 1, 2})}}, {"x"}});
  check_gradient_of(
      {"StridedSlice x > y [starts (-1 0)] [ends (0 4)] [axes (1 2)] [steps (-2 3)]", {{"x", some({2, 5, 4})}}, {"x"}});
  check_gradient_of(
      {"StridedSlice x s e > y", {{"x", some({4, 3})}, {"s", int32s({1, 0}, {2})}, {"e", int32s({3, 2}, {2})}}, {"x"}});
}

}  // namespace
