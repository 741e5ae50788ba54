// Second-order gradients of softmax, normalisation, losses and distances.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/second_order_cases.hpp>

namespace {

using test::check_second;
using test::int32s;
using test::random_tensor;
using test::tensor64;
using tensors = std::vector<std::pair<std::string, tensor64>>;

tensor64 some(plait::shape const& dims, std::uint64_t seed) { return random_tensor(dims, seed, -1, 1, {0}); }
tensor64 positive(plait::shape const& dims, std::uint64_t seed) { return random_tensor(dims, seed, 0.3, 1.2); }

TEST_CASE("second-order gradients: Softmax and LogSoftmax equal finite differences") {
  for (std::string const type : {"Softmax", "LogSoftmax"}) {
    check_second(type + " x > p; Mul p q > m; Sqr m > s; SumElements s > loss", {"x", "q"},
                 {{"x", some({3, 4}, 1)}, {"q", some({3, 4}, 2)}}, {"x", "q"});
    tensors const deep = {{"x", some({2, 3, 4}, 1)}, {"q", some({2, 3, 4}, 2)}};
    for (std::string const axis : {"0", "1", "2", "-1"})
      check_second(type + " x > p [axis " + axis + "]; Mul p q > m; Sqr m > s; SumElements s > loss", {"x", "q"}, deep,
                   {"x", "q"});
  }
}

TEST_CASE("second-order gradients: LayerNorm equals finite differences") {
  std::vector<std::string> const plain = {"x", "q"};
  check_second("LayerNorm x > n m s; Mul n q > p; Tanh p > t; SumElements t > loss", plain,
               {{"x", some({3, 4}, 1)}, {"q", some({3, 4}, 2)}}, plain);
  // With a large epsilon normalised rows have a variance below one.
  for (std::string const axis : {"1", "2", "-1"})
    check_second("LayerNorm x > n m s [epsilon 0.5] [axis " + axis + "]; Mul n q > p; Tanh p > t; SumElements t > loss",
                 plain, {{"x", some({2, 3, 3}, 1)}, {"q", some({2, 3, 3}, 2)}}, plain);

  std::vector<std::string> const scaled = {"x", "a", "b", "q"};
  tensors const given = {
      {"x", some({2, 3, 4}, 1)}, {"q", some({2, 3, 4}, 2)}, {"a", some({4}, 3)}, {"b", some({4}, 4)}};
  std::string const net =
      "LayerNorm x a b > n m s [epsilon 0.1] [axis -1] [elementwise_affine 1]; Mul n q > p; Tanh p > t; "
      "SumElements t > loss";
  check_second(net, scaled, given, scaled);
  for (std::string const& one : scaled) check_second(net, {one}, given, scaled);
}

TEST_CASE("second-order gradients: SoftmaxWithLoss equals finite differences") {
  tensors const given = {{"u", some({3, 4}, 1)}, {"l", int32s({1, 0, 3}, {3})}, {"w", positive({3}, 4)}};
  for (std::string const op : {"SoftmaxWithLoss x l > p a", "SoftmaxWithLoss x l > p a [scale 0.5]",
                               "SoftmaxWithLoss x l w > p a [scale 2.0]"})
    // The loss is squared, so that its gradient is not constant.
    check_second("Tanh u > x; " + op + "; Sqr a > loss", {"u", "x"}, given, {"u"});
  check_second("SoftmaxWithLoss x l > p a [axis 2]; Sqr a > loss", {"x"},
               {{"x", some({2, 2, 3}, 1)}, {"l", int32s({1, 0, 2, 2}, {2, 2})}}, {"x"});
  check_second("SoftmaxWithLoss x l > p a [label_prob 1]; Sqr a > loss", {"x"},
               {{"x", some({2, 3}, 1)}, {"l", test::doubles({0.2, 0.5, 0.3, 0.1, 0.1, 0.8}, {2, 3})}}, {"x"});
}

TEST_CASE("second-order gradients: cross entropies equal finite differences") {
  check_second("LabelCrossEntropy x l > a; Sqr a > s; SumElements s > loss", {"x"},
               {{"x", positive({3, 4}, 1)}, {"l", int32s({1, 0, 3}, {3})}}, {"x"});
  // The labels have no first-order gradient; that of x depends on them.
  check_second("CrossEntropy x l > a; Sqr a > s; SumElements s > loss", {"x"},
               {{"x", positive({3, 4}, 1)}, {"l", random_tensor({3, 4}, 2, 0.1, 0.9)}}, {"x"});
  check_second("CrossEntropy x l > a; SumElements a > loss", {"x"},
               {{"x", positive({3, 4}, 1)}, {"l", random_tensor({3, 4}, 2, 0.1, 0.9)}}, {"x", "l"});
  // Likewise for the targets.
  std::string const with_logits = "SigmoidCrossEntropyWithLogits x t > a; ";
  for (plait::shape const& dims : {plait::shape{3, 4}, plait::shape{2, 2, 3}}) {
    tensors const logits = {{"x", some(dims, 1)}, {"t", random_tensor(dims, 2, 0, 1)}};
    check_second(with_logits + "Sqr a > s; SumElements s > loss", {"x"}, logits, {"x"});
    check_second(with_logits + "SumElements a > loss", {"x"}, logits, {"x", "t"});
  }
  // The usual classification loss.
  check_second("FC x w b > o; Softmax o > p; LabelCrossEntropy p l > a; AveragedLoss a > loss", {"x", "w", "b"},
               {{"x", some({3, 4}, 1)}, {"w", some({5, 4}, 2)}, {"b", some({5}, 3)}, {"l", int32s({1, 0, 4}, {3})}},
               {"x", "w", "b"});
}

TEST_CASE("second-order gradients: DotProduct and SquaredL2Distance equal finite differences") {
  for (std::string const type : {"DotProduct", "SquaredL2Distance"})
    for (plait::shape const& dims : {plait::shape{3, 4}, plait::shape{2, 3, 2}, plait::shape{5}}) {
      CAPTURE(dims.rank());
      tensors const given = {{"a", some(dims, 1)}, {"b", some(dims, 2)}};
      for (std::vector<std::string> const& of :
           {std::vector<std::string>{"a"}, std::vector<std::string>{"b"}, std::vector<std::string>{"a", "b"}})
        check_second(type + " a b > d; Sqr d > s; SumElements s > loss", of, given, {"a", "b"});
      check_second(type + " a a > d; Exp d > s; SumElements s > loss", {"a"}, {{"a", some(dims, 1)}}, {"a"});
    }
}

}  // namespace
