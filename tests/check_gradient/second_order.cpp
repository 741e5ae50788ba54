// Gradients of gradients: a net with its gradient ops is a net like any other.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/second_order_cases.hpp>

namespace {

using test::check_second;
using test::random_tensor;

test::tensor64 some(plait::shape const& dims, std::uint64_t seed) { return random_tensor(dims, seed, -1, 1, {0}); }

TEST_CASE("second order: layers and activations") {
  std::vector<std::pair<std::string, test::tensor64>> const given = {
      {"x", some({3, 4}, 1)}, {"w", some({5, 4}, 2)}, {"b", some({5}, 3)}, {"v", some({2, 5}, 4)}, {"c", some({2}, 5)}};
  std::vector<std::string> const all = {"x", "w", "b", "v", "c"};
  for (std::string const f : {"Tanh", "Sigmoid", "Relu", "LeakyRelu", "Sqr", "Negative", "Scale"})
    for (std::string const loss : {"SumElements", "AveragedLoss"})
      check_second("FC x w b > h; " + f + " h > a; FC a v c > o; Tanh o > t; " + loss + " t > loss", all, given, all);
}

TEST_CASE("second order: layers of more axes, weights transposed") {
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

TEST_CASE("second order: arithmetic and matrix products") {
  std::vector<std::pair<std::string, test::tensor64>> const given = {{"a", random_tensor({3, 3}, 1, 0.4, 1.5)},
                                                                     {"b", random_tensor({3, 3}, 2, 0.4, 1.5)}};
  for (std::string const op : {"Add", "Sub", "Mul", "MatMul", "Pow"})
    check_second(op + " a b > h; Sqr h > s; SumElements s > loss", {"a", "b"}, given, {"a", "b"});
  for (std::string const op : {"Exp", "Log", "Sqrt"})
    check_second(op + " a > h; Mul h b > s; SumElements s > loss", {"a", "b"}, given, {"a", "b"});
}

TEST_CASE("second order: refused where nobody has written the rule") {
  plait::netdef net = test::tiny_net("Normalize x > p; Sqr p > q; SumElements q > loss");
  auto const grads = plait::add_gradient_ops(net, {"loss"}, plait::gradient_rules::standard());
  net.add_op("SumElements", {grads.at("x").values}, {"z"});
  std::size_t const before = net.op.size();
  CHECK_THROWS_AS(plait::add_gradient_ops(net, {"z"}, plait::gradient_rules::standard()), plait::gradient_error);
  CHECK(net.op.size() == before);
}

}  // namespace
