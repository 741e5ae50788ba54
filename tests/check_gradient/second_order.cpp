// Second-order gradients: a net with gradient ops is differentiated again.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/second_order_cases.hpp>

namespace {

using test::check_second;
using test::random_tensor;

test::tensor64 some(plait::shape const& dims, std::uint64_t seed) { return random_tensor(dims, seed, -1, 1, {0}); }

TEST_CASE("second-order gradients: layers and activations equal finite differences") {
  std::vector<std::pair<std::string, test::tensor64>> const given = {
      {"x", some({3, 4}, 1)}, {"w", some({5, 4}, 2)}, {"b", some({5}, 3)}, {"v", some({2, 5}, 4)}, {"c", some({2}, 5)}};
  std::vector<std::string> const all = {"x", "w", "b", "v", "c"};
  for (std::string const f : {"Tanh", "Sigmoid", "Relu", "LeakyRelu", "Sqr", "Negative", "Scale", "Elu", "Selu",
                              "Softplus", "Sin", "Cos", "Clip", "ReluN", "ThresholdedRelu", "HardSigmoid"})
    for (std::string const loss : {"SumElements", "AveragedLoss"})
      check_second("FC x w b > h; " + f + " h > a; FC a v c > o; Tanh o > t; " + loss + " t > loss", all, given, all);
}

TEST_CASE("second-order gradients: FC over several axes and FCTransposed equal finite differences") {
  plait::shape const rows{2, 3, 4};
  std::vector<std::pair<std::string, test::tensor64>> const given = {
      {"x", some(rows, 1)}, {"w", some({5, 4}, 2)}, {"b", some({5}, 3)}, {"v", some({5, 2}, 4)}, {"c", some({2}, 5)}};
  std::vector<std::string> const all = {"x", "w", "b", "v", "c"};
  std::string const net =
      "FC x w b > h [axis 2]; Tanh h > a; FCTransposed a v c > o [axis 2]; Tanh o > t; SumElements t > loss";
  check_second(net, all, given, all);
  for (std::string const& one : all) check_second(net, {one}, given, all);

  std::vector<std::pair<std::string, test::tensor64>> const wide = {
      {"x", some(rows, 1)}, {"w", some({3, 2, 2, 3}, 2)}, {"b", some({6}, 3)}};
  check_second("FC x w b > h [axis 1] [axis_w 2]; Tanh h > t; SumElements t > loss", {"x", "w", "b"},
               {{"x", some({3, 3, 2}, 1)}, wide[1], wide[2]}, {"x", "w", "b"});
}

TEST_CASE("second-order gradients: arithmetic and matrix products equal finite differences") {
  std::vector<std::pair<std::string, test::tensor64>> const given = {{"a", random_tensor({3, 3}, 1, 0.4, 1.5)},
                                                                     {"b", random_tensor({3, 3}, 2, 0.4, 1.5)}};
  for (std::string const op : {"Add", "Sub", "Mul", "MatMul", "Pow"})
    check_second(op + " a b > h; Sqr h > s; SumElements s > loss", {"a", "b"}, given, {"a", "b"});
  for (std::string const op : {"Exp", "Log", "Sqrt"})
    check_second(op + " a > h; Mul h b > s; SumElements s > loss", {"a", "b"}, given, {"a", "b"});
}

TEST_CASE("second-order gradients: arguments that gradient ops do not inherit equal finite differences") {
  auto const a = some({2, 2, 3}, 1);
  for (std::string const op : {"MatMul a b > h [axis_a 2]", "MatMul b a > h [axis_b 2] [trans_a 1] [trans_b 1]"})
    check_second(op + "; Sqr h > s; SumElements s > loss", {"a", "b"}, {{"a", a}, {"b", some({3, 2}, 2)}}, {"a", "b"});
  std::vector<std::pair<std::string, test::tensor64>> const given = {{"a", random_tensor({3, 2}, 1, 0.4, 1.5)},
                                                                     {"b", random_tensor({3}, 2, 0.4, 1.5)}};
  for (std::string const op : {"Add", "Sub", "Mul", "Div", "Pow"})
    check_second(op + " a b > h [broadcast 1] [axis 0]; Sqr h > s; SumElements s > loss", {"a", "b"}, given,
                 {"a", "b"});
  check_second(
      "Split a > t u [axis 2] [split (1 2)]; Sqr t > v; Sqr u > w; SumElements v > p; SumElements w > q; "
      "Add p q > loss",
      {"a"}, {{"a", a}}, {"a"});
  for (std::string const op : {"UnpackSegments l a > h", "PackSegments l a > h [max_length 1]"})
    check_second(op + "; Sqr h > s; SumElements s > loss", {"a"}, {{"a", a}, {"l", test::int32s({1, 1}, {2})}}, {"a"});
  check_second("UnpackRNNSequence a l > h; Sqr h > s; SumElements s > loss", {"a"},
               {{"a", a}, {"l", test::int32s({1, 1}, {2})}}, {"a"});
}

TEST_CASE("second-order gradients: convolutions equal finite differences") {
  std::vector<std::pair<std::string, test::tensor64>> const given = {
      {"x", some({2, 2, 4, 4}, 1)}, {"w", some({3, 2, 3, 3}, 2)}, {"b", some({3}, 3)}};
  std::string const after = "; Tanh y > t; AveragePool t > p [kernel 2]; Sqr p > s; SumElements s > loss";
  for (std::vector<std::string> const& of : std::vector<std::vector<std::string>>{{"x", "w", "b"}, {"x"}, {"w"}, {"b"}})
    check_second("Conv x w b > y [kernel 3] [pad 1]" + after, of, given, {"x", "w", "b"});
  check_second("Conv x w > y [kernel 3] [stride 2] [pad 1]" + after, {"x", "w"}, {given[0], given[1]}, {"x", "w"});
}

TEST_CASE("second-order gradients: reductions, tiles and segments equal finite differences") {
  std::vector<std::pair<std::string, test::tensor64>> const given = {{"x", some({3, 4, 2}, 1)}};
  for (std::string const type : {"ReduceFrontSum", "ReduceFrontMean", "ReduceBackSum", "ReduceBackMean"})
    check_second(type + " x > h [num_reduce_dim 2]; Tanh h > t; SumElements t > loss", {"x"}, given, {"x"});
  for (std::string const type : {"ReduceSum", "ReduceMean"})
    for (std::string const keep : {"0", "1"})
      check_second(type + " x > h [axes (0 2)] [keepdims " + keep + "]; Tanh h > t; SumElements t > loss", {"x"}, given,
                   {"x"});
  check_second("Tile x > h [tiles 2] [axis 1]; Tanh h > t; Mul t h > m; SumElements m > loss", {"x"}, given, {"x"});
  for (std::string const type : {"LengthsSum", "LengthsMean"})
    check_second(type + " x l > h; Tanh h > t; SumElements t > loss", {"x"},
                 {given[0], {"l", test::int32s({1, 2}, {2})}}, {"x"});
  for (std::string const type : {"SortedSegmentSum", "SortedSegmentMean"})
    check_second(type + " x l > h; Tanh h > t; SumElements t > loss", {"x"},
                 {given[0], {"l", test::int32s({0, 1, 1}, {3})}}, {"x"});
  check_second("BatchGather x l > h; Tanh h > t; SumElements t > loss", {"x"},
               {given[0], {"l", test::int32s({3, 1, 3}, {3})}}, {"x"});
  check_second("Gather x l > h [axis -1]; Tanh h > t; SumElements t > loss", {"x"},
               {given[0], {"l", test::int32s({1, 1, 0}, {3})}}, {"x"});
  check_second("Gather x l > h [axis 2] [match_outer 1]; Tanh h > t; SumElements t > loss", {"x"},
               {given[0], {"l", test::int32s({1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1}, {3, 4})}}, {"x"});
  check_second("Dropout x > h m [is_test 1]; Tanh h > t; SumElements t > loss", {"x"}, given, {"x"});
}

TEST_CASE("second-order gradients: NormalizeL1 and SpatialBN equal finite differences") {
  for (std::string const axis : {"0", "1", "-1"})
    check_second("NormalizeL1 x > h [axis " + axis + "]; Mul h q > m; Tanh m > t; SumElements t > loss", {"x", "q"},
                 {{"x", some({3, 2, 2}, 1)}, {"q", some({3, 2, 2}, 2)}}, {"x", "q"});
  std::vector<std::string> const all = {"x", "s", "b", "m", "v"};
  for (std::string const order : {"NCHW", "NHWC"})
    check_second(
        "SpatialBN x s b m v > h [is_test 1] [epsilon 0.1] [order '" + order + "']; Tanh h > t; SumElements t > loss",
        all,
        {{"x", some({2, 2, 3, 2}, 1)},
         {"s", some({2}, 2)},
         {"b", some({2}, 3)},
         {"m", some({2}, 4)},
         {"v", random_tensor({2}, 5, 0.4, 1.5)}},
        all);
}

TEST_CASE("second-order gradients: ReduceTailSum, BooleanMask and LengthsGather equal finite differences") {
  std::vector<std::pair<std::string, test::tensor64>> const given = {
      {"x", some({3, 4, 2}, 1)},
      {"k", test::tensor64::from(std::vector<bool>{true, false, true}, {3})},
      {"l", test::int32s({1, 2}, {2})},
      {"i", test::int32s({1, 0, 1}, {3})}};
  for (std::string const op :
       {"ReduceTailSum x > h", "BooleanMask x k > h", "LengthsGather x l i > h [dense_gradient 1]"})
    check_second(op + "; Tanh h > t; SumElements t > loss", {"x"}, given, {"x"});
}

TEST_CASE("second-order gradients: a gradient operator without a rule is refused") {
  plait::netdef net = test::tiny_net("Normalize x > p; Sqr p > q; SumElements q > loss");
  auto const grads = plait::add_gradient_ops(net, {"loss"}, plait::gradient_rules::standard());
  net.add_op("SumElements", {grads.at("x").values}, {"z"});
  std::size_t const before = net.op.size();
  CHECK_THROWS_AS(plait::add_gradient_ops(net, {"z"}, plait::gradient_rules::standard()), plait::gradient_error);
  CHECK(net.op.size() == before);
}

}  // namespace
