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
// Returns rows that sum to one.
test::tensor64 distribution(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  auto values = random_tensor({static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}, seed, 0.2, 1)
                    .values<double>();
  for (std::size_t r = 0; r != rows; ++r) {
    double sum = 0;
    for (std::size_t k = 0; k != columns; ++k) sum += values[r * columns + k];
    for (std::size_t k = 0; k != columns; ++k) values[r * columns + k] /= sum;
  }
  return test::doubles(values, {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)});
}

TEST_CASE("layer gradients: FC, matrix products and convolutions equal finite differences") {
  check_gradient_of(
      {"FC x w b > y", {{"x", some({3, 4})}, {"w", some({2, 4}, 2)}, {"b", some({2}, 3)}}, {"x", "w", "b"}});
  check_gradient_of({"FC x w b > y [axis 2]",
                     {{"x", some({2, 3, 4})}, {"w", some({5, 4}, 2)}, {"b", some({5}, 3)}},
                     {"x", "w", "b"}});
  check_gradient_of(
      {"FCTransposed x w b > y", {{"x", some({3, 4})}, {"w", some({4, 2}, 2)}, {"b", some({2}, 3)}}, {"x", "w", "b"}});
  check_gradient_of({"MatMul a b > y", {{"a", some({3, 4})}, {"b", some({4, 2}, 2)}}, {"a", "b"}});
  check_gradient_of({"MatMul a b > y [trans_a 1]", {{"a", some({4, 3})}, {"b", some({4, 2}, 2)}}, {"a", "b"}});
  check_gradient_of({"MatMul a b > y [trans_b 1]", {{"a", some({3, 4})}, {"b", some({2, 4}, 2)}}, {"a", "b"}});
  check_gradient_of(
      {"MatMul a b > y [trans_a 1] [trans_b 1]", {{"a", some({4, 3})}, {"b", some({2, 4}, 2)}}, {"a", "b"}});
  check_gradient_of({"MatMul a b > y [axis_a 2]", {{"a", some({2, 3, 4})}, {"b", some({4, 2}, 2)}}, {"a", "b"}});
  for (std::string const arguments : {"", " [trans_a 1]", " [trans_b 1]", " [trans_a 1] [trans_b 1]"}) {
    bool const a = arguments.find("trans_a") != std::string::npos;
    bool const b = arguments.find("trans_b") != std::string::npos;
    check_gradient_of({"BatchMatMul a b > y" + arguments,
                       {{"a", some(a ? plait::shape{2, 4, 3} : plait::shape{2, 3, 4})},
                        {"b", some(b ? plait::shape{2, 5, 4} : plait::shape{2, 4, 5}, 2)}},
                       {"a", "b"}});
  }
  check_gradient_of({"Conv x w b > y [kernel 3] [pad 1]",
                     {{"x", some({1, 2, 4, 4})}, {"w", some({3, 2, 3, 3}, 2)}, {"b", some({3}, 3)}},
                     {"x", "w", "b"}});
  check_gradient_of({"ConvRelu x w b > y [kernel 3] [pad 1]",
                     {{"x", some({1, 2, 4, 4})}, {"w", some({3, 2, 3, 3}, 2)}, {"b", some({3}, 3)}},
                     {"x", "w", "b"}});
  check_gradient_of(
      {"ConvRelu x w > y [kernel 2]", {{"x", some({2, 2, 4, 4})}, {"w", some({3, 2, 2, 2}, 2)}}, {"x", "w"}});
  check_gradient_of(
      {"Conv x w > y [kernel 2] [stride 2]", {{"x", some({2, 2, 4, 4})}, {"w", some({3, 2, 2, 2}, 2)}}, {"x", "w"}});
}

TEST_CASE("layer gradients: normalisation, softmax and losses equal finite differences") {
  check_gradient_of({"Softmax x > y", {{"x", some({3, 4})}}, {"x"}});
  check_gradient_of({"Softmax x > y [axis 2]", {{"x", some({2, 3, 4})}}, {"x"}});
  check_gradient_of({"LogSoftmax x > y", {{"x", some({3, 4})}}, {"x"}});
  check_gradient_of({"LayerNorm x > y m s", {{"x", some({3, 5})}}, {"x"}});
  check_gradient_of({"LayerNorm x > y m s [axis 2]", {{"x", some({2, 3, 4})}}, {"x"}});
  check_gradient_of({"LayerNorm x a b > y m s [axis -1] [elementwise_affine 1]",
                     {{"x", some({2, 3, 4})}, {"a", some({4}, 2)}, {"b", some({4}, 3)}},
                     {"x", "a", "b"}});
  check_gradient_of({"LayerNorm x > y [axis 2]", {{"x", some({2, 3, 4})}}, {"x"}});
  check_gradient_of({"LayerNorm x > y m", {{"x", some({3, 4})}}, {"x"}});
  for (std::string const arguments : {"", " [elementwise_affine 1]"})
    check_gradient_of({"LayerNorm x a b > y" + arguments,
                       {{"x", some({2, 3, 4})}, {"a", some({3, 4}, 2)}, {"b", some({3, 4}, 3)}},
                       {"x", "a", "b"}});
  for (std::string const arguments : {"", " [p 1]", " [average 1]", " [p 1] [average 1]"})
    check_gradient_of({"LpNorm x > y" + arguments, {{"x", some({3, 4})}}, {"x"}});
  check_gradient_of({"Normalize x > y", {{"x", some({3, 4})}}, {"x"}});
  check_gradient_of({"NormalizeL1 x > y", {{"x", some({3, 4})}}, {"x"}});
  check_gradient_of({"NormalizeL1 x > y", {{"x", some({5})}}, {"x"}});
  for (std::string const axis : {"0", "1", "2", "-1", "-2"})
    check_gradient_of({"NormalizeL1 x > y [axis " + axis + "]", {{"x", some({2, 3, 4})}}, {"x"}});
  check_gradient_of({"NormalizeL1 x > y; Tanh y > y", {{"x", some({3, 4})}}, {"x"}});
  check_gradient_of({"AveragedLoss x > y", {{"x", some({7})}}, {"x"}});
  check_gradient_of({"SoftmaxWithLoss x l > p y", {{"x", some({3, 4})}, {"l", int32s({1, 0, 3}, {3})}}, {"x"}});
  check_gradient_of(
      {"SoftmaxWithLoss x l > p y [scale 0.5]", {{"x", some({3, 4})}, {"l", int32s({1, 0, 3}, {3})}}, {"x"}});
  check_gradient_of({"SoftmaxWithLoss x l w > p y",
                     {{"x", some({3, 4})}, {"l", int32s({1, 0, 3}, {3})}, {"w", random_tensor({3}, 4, 0.5, 2)}},
                     {"x"}});
  check_gradient_of(
      {"SoftmaxWithLoss x l > p y [label_prob 1]", {{"x", some({2, 3})}, {"l", distribution(2, 3, 5)}}, {"x"}});
  // The probabilities have a gradient, too.
  for (std::vector<std::string> const& ys : {std::vector<std::string>{"p"}, std::vector<std::string>{"p", "y"}})
    check_gradient_of({"SoftmaxWithLoss x l > p y [axis 2] [scale 3.0]",
                       {{"x", some({2, 2, 4})}, {"l", int32s({1, 0, 3, 1}, {2, 2})}},
                       {"x"},
                       ys});
  check_gradient_of(
      {"LabelCrossEntropy x l > y", {{"x", distribution(3, 4, 1)}, {"l", int32s({1, 0, 3}, {3})}}, {"x"}});
  check_gradient_of({"CrossEntropy x l > y", {{"x", distribution(3, 4, 1)}, {"l", distribution(3, 4, 2)}}, {"x"}});
  check_gradient_of(
      {"SigmoidCrossEntropyWithLogits x t > y", {{"x", some({3, 4})}, {"t", random_tensor({3, 4}, 2, 0, 1)}}, {"x"}});
  check_gradient_of({"WeightedSigmoidCrossEntropyWithLogits x t w > y",
                     {{"x", some({3, 4})}, {"t", random_tensor({3, 4}, 2, 0, 1)}, {"w", some({3, 4}, 3)}},
                     {"x"}});
  for (std::string const arguments : {"", " [axis 2] [eps 0.5]"}) {
    plait::shape const row = arguments.empty() ? plait::shape{3, 4} : plait::shape{4};
    check_gradient_of({"RMSNorm x g b > y r" + arguments,
                       {{"x", some({2, 3, 4})}, {"g", some(row, 2)}, {"b", some(row, 3)}},
                       {"x", "g", "b"}});
  }
  check_gradient_of({"MakeTwoClass x > y", {{"x", random_tensor({4}, 1, 0.1, 0.9)}}, {"x"}});
  check_gradient_of({"ElementwiseLinear x w b > y",
                     {{"x", some({3, 4})}, {"w", some({4}, 2)}, {"b", some({4}, 3)}},
                     {"x", "w", "b"}});
}

TEST_CASE("NormalizeL1 gradient: passes the gradient through where a vector is all zero") {
  plait::netdef net = test::tiny_net("NormalizeL1 x > y");
  auto const gradients = plait::add_gradient_ops(net, {{"y", "dy"}}, plait::gradient_rules::standard());
  plait::workspace<plait::serial> blobs;
  blobs.feed("x", std::vector<float>{0, 0, 3, -1}, {2, 2});
  blobs.feed("dy", std::vector<float>{1, 2, 0.5f, 1}, {2, 2});
  plait::compile(net, plait::standard_operators<plait::serial>(), blobs).run();
  CHECK(blobs.fetch<float>(gradients.at("x").values) == std::vector<float>{1, 2, 0.09375f, 0.28125f});
}

std::vector<std::pair<std::string, test::tensor64>> batch_norm_operands(plait::shape const& dims,
                                                                        std::int64_t channels) {
  return {{"x", some(dims)},
          {"s", some({channels}, 2)},
          {"b", some({channels}, 3)},
          {"m", some({channels}, 4)},
          {"v", random_tensor({channels}, 5, 0.2, 2)}};
}

TEST_CASE("SpatialBN gradient: equals finite differences in inference") {
  std::vector<std::string> const all = {"x", "s", "b", "m", "v"};
  auto const check = [&](plait::shape const& dims, std::int64_t channels, std::string const& arguments) {
    auto const given = batch_norm_operands(dims, channels);
    check_gradient_of({"SpatialBN x s b m v > y [is_test 1]" + arguments, given, all});
    for (std::string const& one : all)
      check_gradient_of(
          {"SpatialBN x s b m v > y [is_test 1]" + arguments, given, {one}, {"y"}, {.gradients = {.only = {one}}}});
  };
  for (std::string const epsilon : {"", " [epsilon 0.1]"}) {
    check({2, 3, 2, 4}, 3, epsilon);
    check({2, 3, 2, 4}, 4, " [order 'NHWC']" + epsilon);
  }
  check({3, 2, 5}, 2, " [order 'NCHW']");
  check({3, 2, 5}, 5, " [order 'NHWC']");
  check({4, 3}, 3, "");
  check({4, 3}, 3, " [order 'NHWC']");
  check({1, 1, 2, 2}, 1, "");
  check({2, 3, 1}, 1, " [order 'NHWC']");
}

TEST_CASE("SpatialBN gradient: needs X for scale and variance only") {
  auto const gradient_of_input = [](std::string const& blob) {
    plait::netdef net = test::tiny_net("Tanh x > h; SpatialBN h s b m v > h [is_test 1]");
    return plait::add_gradient_ops(net, {"h"}, plait::gradient_rules::standard(), {.only = {blob}}).contains(blob);
  };
  CHECK_THROWS_AS(gradient_of_input("s"), plait::gradient_error);
  CHECK_THROWS_AS(gradient_of_input("v"), plait::gradient_error);
  CHECK(gradient_of_input("b"));
  CHECK(gradient_of_input("m"));
}

TEST_CASE("SpatialBN gradient: equals finite differences in training, with the moments of the batch") {
  auto const check = [&](plait::shape const& dims, std::int64_t channels, std::string const& arguments) {
    auto const given = batch_norm_operands(dims, channels);
    std::string const net = "SpatialBN x s b m v > y m2 v2 sm sv [epsilon 0.1]" + arguments;
    check_gradient_of({net, given, {"x", "s", "b"}, {"y"}});
    for (std::string const one : {"x", "s", "b"})
      check_gradient_of({net, given, {one}, {"y"}, {.gradients = {.only = {one}}}});
  };
  check({2, 3, 2, 4}, 3, "");
  check({2, 3, 2, 4}, 4, " [order 'NHWC']");
  check({4, 2, 3}, 2, " [order 'NCHW']");
  check({6, 3}, 3, " [is_test 0]");
}

TEST_CASE("GroupNorm gradient: equals finite differences, channels first or last") {
  auto const check = [&](plait::shape const& dims, std::int64_t channels, std::string const& arguments) {
    std::vector<std::pair<std::string, test::tensor64>> const given = {
        {"x", some(dims)}, {"s", some({channels}, 2)}, {"b", some({channels}, 3)}};
    std::string const net = "GroupNorm x s b > y m r [epsilon 0.1] [group 2]" + arguments;
    check_gradient_of({net, given, {"x", "s", "b"}, {"y"}});
    for (std::string const one : {"x", "s", "b"})
      check_gradient_of({net, given, {one}, {"y"}, {.gradients = {.only = {one}}}});
  };
  check({2, 4, 2, 3}, 4, "");
  check({2, 3, 2, 4}, 4, " [order 'NHWC']");
  check({3, 6}, 6, " [is_test 0]");
}

TEST_CASE("image gradients: ConvTranspose, LRN, ChannelShuffle and ResizeNearest equal finite differences") {
  for (std::string const arguments :
       {"[size 3] [alpha 0.5] [beta 0.75]", "[size 4] [alpha 2] [beta 0.5] [bias 2]",
        "[size 5] [alpha 0.5] [beta 0.75] [order 'NHWC']", "[size 1] [alpha 1] [beta 1]"}) {
    check_gradient_of({"LRN x > y " + arguments, {{"x", some({2, 6, 2, 3})}}, {"x"}});
    check_gradient_of({"LRN x > y s " + arguments, {{"x", some({2, 6})}}, {"x"}, {"y"}});
  }
  for (std::string const b : {"", " b"})
    check_gradient_of({"ConvTranspose x w" + b + " > y [kernels (2 3)] [strides (2 1)] [group 2] [adjs (1 0)]",
                       {{"x", some({1, 4, 2, 3})}, {"w", some({4, 1, 2, 3})}, {"b", some({2})}},
                       b.empty() ? std::vector<std::string>{"x", "w"} : std::vector<std::string>{"x", "w", "b"}});
  check_gradient_of({"ChannelShuffle x > y [group 2]", {{"x", some({2, 6, 2, 3})}}, {"x"}});
  check_gradient_of({"ChannelShuffle x > y [group 3] [order 'NHWC']", {{"x", some({2, 2, 3, 6})}}, {"x"}});
  for (std::string const scales : {"[height_scale 2] [width_scale 3]", "[height_scale 0.5] [width_scale 1.5]",
                                   "[height_scale 1.3] [width_scale 0.4] [order 'NHWC']"})
    check_gradient_of({"ResizeNearest x > y " + scales, {{"x", some({2, 4, 5, 3})}}, {"x"}});
}

TEST_CASE("RoIAlign gradient: equals finite differences; boxes are not differentiated") {
  auto const regions = test::doubles({0, 0.5, 0.25, 4, 3, 1, -2, 1, 3, 9, 1, 2, 2, 2.5, 2.25}, {3, 5});
  for (std::string const arguments :
       {"[pooled_h 2] [pooled_w 3]", "[pooled_h 2] [sampling_ratio 2] [spatial_scale 0.5]", "[pooled_w 2] [aligned 1]"})
    check_gradient_of({"RoIAlign x r > y " + arguments, {{"x", some({2, 2, 5, 4})}, {"r", regions}}, {"x"}});
  check_gradient_of(
      {"RoIAlign x r > y [pooled_h 2] [order 'NHWC']", {{"x", some({2, 5, 4, 3})}, {"r", regions}}, {"x"}});
  check_gradient_of({"RoIAlignRotated x r > y [pooled_h 2]",
                     {{"x", some({2, 2, 5, 4})}, {"r", test::doubles({0, 2, 2, 3, 2, 30, 1, 1, 3, 4, 2, -50}, {2, 6})}},
                     {"x"}});
  auto const rules = plait::gradient_rules::standard();
  CHECK_THROWS_WITH_AS(
      (void)plait::backward_pass(test::tiny_net("BBoxTransform r d i > b; RoIAlign x b > y"), {"b"}, rules),
      doctest::Contains("boxes are not differentiated"), plait::gradient_error);
}

TEST_CASE("GroupNorm gradient: reads the output moments, which have no gradient") {
  auto const rules = plait::gradient_rules::standard();
  CHECK_THROWS_WITH_AS((void)plait::backward_pass(test::tiny_net("GroupNorm x s b > y [group 2]"), {"y"}, rules),
                       doctest::Contains("it should have three outputs"), plait::gradient_error);
  CHECK_THROWS_WITH_AS(
      (void)plait::backward_pass(test::tiny_net("GroupNorm x s b > y m r [group 2]; Sqr m > z"), {"y", "z"}, rules),
      doctest::Contains("its output moments have no gradient"), plait::gradient_error);
}

TEST_CASE("SpatialBN gradient: running moments in training may be overwritten and have no gradient") {
  auto const rules = plait::gradient_rules::standard();
  plait::netdef net = test::tiny_net("SpatialBN x s b m v > y m v sm sv");
  auto const gradients = plait::add_gradient_ops(net, {"y"}, rules);
  CHECK(gradients.contains("x"));
  CHECK_FALSE(gradients.contains("m"));
  CHECK(net.text(net.op[net.op.size() - 1].type) == "SpatialBNGradient");
  for (std::string const of : {"m2", "v2", "sm", "sv"}) {
    plait::netdef const other = test::tiny_net("SpatialBN x s b m v > y m2 v2 sm sv; Sqr " + of + " > z");
    CHECK_THROWS_WITH_AS((void)plait::backward_pass(other, {"y", "z"}, rules),
                         doctest::Contains("its output means and variances have no gradient"), plait::gradient_error);
  }
  plait::netdef const short_of_outputs = test::tiny_net("SpatialBN x s b m v > y");
  CHECK_THROWS_WITH_AS((void)plait::backward_pass(short_of_outputs, {"y"}, rules),
                       doctest::Contains("should have five outputs"), plait::gradient_error);
}

TEST_CASE("SpatialBN gradient: caffe2_gradient_rules emit Caffe2's operator, in inference too") {
  auto const operator_of = [](std::string const& op) {
    plait::netdef net = test::tiny_net(op);
    auto const gradients = plait::add_gradient_ops(net, {"y"}, plait::caffe2_gradient_rules(), {.as_caffe2 = true});
    CHECK(gradients.contains("s"));
    auto const& made = net.op[net.op.size() - 1];
    std::string text(net.text(made.type));
    for (auto const& input : made.input) text += ' ' + std::string(net.text(input));
    text += " >";
    for (auto const& output : made.output) text += ' ' + std::string(net.text(output));
    return text;
  };
  CHECK(operator_of("SpatialBN x s b m v > y m v sm sv [is_test 0]") ==
        "SpatialBNGradient x s y_autogen_grad sm sv > x_grad s_grad b_grad");
  CHECK(operator_of("SpatialBN x s b m v > y [is_test 1]") ==
        "SpatialBNGradient x s y_autogen_grad m v > x_grad s_grad b_grad");
}

TEST_CASE("LayerNorm gradient: gradients of the output mean and deviation are refused") {
  for (std::string const of : {"m", "s"}) {
    plait::netdef const net = test::tiny_net("LayerNorm x > n m s; Add n n > y; Sqr " + of + " > z");
    CHECK_THROWS_WITH_AS((void)plait::backward_pass(net, {"y", "z"}, plait::gradient_rules::standard()),
                         doctest::Contains("the mean and the deviation have no gradient"), plait::gradient_error);
    CHECK_NOTHROW((void)plait::backward_pass(net, {"y"}, plait::gradient_rules::standard()));
  }
}

TEST_CASE("layer gradients: distances and reductions equal finite differences") {
  for (std::string const op : {"SquaredL2Distance", "DotProduct", "CosineSimilarity", "L1Distance"})
    check_gradient_of({op + " a b > y", {{"a", some({3, 4})}, {"b", some({3, 4}, 2)}}, {"a", "b"}});
  check_gradient_of(
      {"DotProductWithPadding a b > y [pad_value 0.5]", {{"a", some({3, 4})}, {"b", some({3, 2}, 2)}}, {"a", "b"}});
  check_gradient_of(
      {"DotProductWithPadding a b > y [replicate 1]", {{"a", some({3, 4})}, {"b", some({3, 2}, 2)}}, {"a", "b"}});
  check_gradient_of({"SumElements x > y", {{"x", some({3, 4})}}, {"x"}});
  check_gradient_of({"SumElements x > y [average 1]", {{"x", some({3, 4})}}, {"x"}});
  for (std::string const op :
       {"ReduceFrontSum", "ReduceFrontMean", "ReduceFrontMax", "ReduceBackSum", "ReduceBackMean", "ReduceBackMax"}) {
    check_gradient_of({op + " x > y", {{"x", some({3, 4, 2})}}, {"x"}});
    check_gradient_of({op + " x > y [num_reduce_dim 2]", {{"x", some({3, 4, 2})}}, {"x"}});
  }
  for (std::string const op :
       {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceProd"}) {
    check_gradient_of({op + " x a > y", {{"x", some({3, 4, 2})}, {"a", int64s({-1, 0}, {2})}}, {"x"}});
    check_gradient_of({op + " x a > y [keepdims 0]", {{"x", some({3, 4, 2})}, {"a", int32s({1}, {1})}}, {"x"}});
    check_gradient_of({op + " x > y [axes (1)]", {{"x", some({3, 4, 2})}}, {"x"}});
    check_gradient_of({op + " x > y [axes (0 2)] [keepdims 0]", {{"x", some({3, 4, 2})}}, {"x"}});
  }
  // Products of no, one and two zeros.
  auto const zeros = test::tensor64::from(std::vector<double>{2, -1, 3, 0.5, 0, 3, 0, 4, 0}, {3, 3});
  check_gradient_of({"ReduceProd x > y [axes (1)] [keepdims 0]", {{"x", zeros}}, {"x"}});
  for (plait::shape const& dims : {plait::shape{3, 4, 2}, plait::shape{3, 4}, plait::shape{5}, plait::shape{1, 4}})
    check_gradient_of({"ReduceTailSum x > y", {{"x", some(dims)}}, {"x"}});
  check_gradient_of({"ColwiseMax x > y", {{"x", some({2, 3, 4})}}, {"x"}});
  check_gradient_of({"RowwiseMax x > y", {{"x", some({2, 3, 4})}}, {"x"}});
}

TEST_CASE("layer gradients: LSTMUnit and GRUUnit equal finite differences") {
  auto const h = some({2, 3}, 1), c = some({2, 3}, 2);
  auto const t = int32s({1}, {1});
  auto const lengths = int32s({1, 3}, {2});
  auto const lstm_gates = some({1, 2, 12}, 3);
  auto const gru_gates = some({1, 2, 9}, 4);
  plait::shape const row{1, 2, 3};
  for (std::string const arguments : {"", " [forget_bias 1.0]", " [drop_states 1]"}) {
    check_gradient_of({"LSTMUnit h c g l t > y z" + arguments,
                       {{"h", some(row, 1)}, {"c", some(row, 2)}, {"g", lstm_gates}, {"l", lengths}, {"t", t}},
                       {"h", "c", "g"},
                       {"y", "z"}});
    check_gradient_of({"LSTMUnit h c g t > y z [sequence_lengths 0]" + arguments,
                       {{"h", some(row, 1)}, {"c", some(row, 2)}, {"g", lstm_gates}, {"t", t}},
                       {"h", "c", "g"},
                       {"y", "z"}});
  }
  for (std::string const arguments : {"", " [drop_states 1]"}) {
    check_gradient_of({"GRUUnit h g l t > y" + arguments,
                       {{"h", some(row, 1)}, {"g", gru_gates}, {"l", lengths}, {"t", t}},
                       {"h", "g"}});
    check_gradient_of({"GRUUnit h g t > y [sequence_lengths 0]" + arguments,
                       {{"h", some(row, 1)}, {"g", gru_gates}, {"t", t}},
                       {"h", "g"}});
  }
}

}  // namespace
