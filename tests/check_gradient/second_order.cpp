// Gradients of gradients: a net with its gradient ops is a net like any other.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/net_builder.hpp>

#include <support/gradient_cases.hpp>

namespace {

using test::random_tensor;

// The sum of the squares of the gradients of `of`, as a net, and its gradients checked.
void check_second(std::string const& forward, std::vector<std::string> const& of,
                  std::vector<std::pair<std::string, test::tensor64>> const& given,
                  std::vector<std::string> const& inputs) {
  CAPTURE(forward);
  plait::netdef net = test::tiny_net(forward);
  auto const grads = plait::add_gradient_ops(net, {"loss"}, plait::gradient_rules::standard());
  std::vector<std::string> parts;
  for (std::string const& blob : of) {
    CAPTURE(blob);
    REQUIRE(grads.contains(blob));
    parts.push_back("square_of_" + blob);
    net.add_op("SumSqrElements", {grads.at(blob).values}, {parts.back()});
  }
  plait::op_def& sum = net.add_op("Sum", {}, {"y"});
  for (std::string const& part : parts) sum.input.push_back(net.intern(part));

  plait::workspace<plait::serial> blobs;
  for (auto const& [name, value] : given) blobs.feed(name, value);
  // Rules of several ops (Pow) write blobs over and over: what the second pass needs of that is copied.
  auto const check = plait::check_gradient(
      net, {"y"}, inputs, blobs, {.gradients = {.overwritten = plait::overwritten_values::copy}, .tolerance = 1e-5});
  CAPTURE(check.text());
  CHECK(check.ok());
}

test::tensor64 some(plait::shape const& dims, std::uint64_t seed) { return random_tensor(dims, seed, -1, 1, {0}); }

TEST_CASE("second order: layers and activations") {
  std::vector<std::pair<std::string, test::tensor64>> const given = {
      {"x", some({3, 4}, 1)}, {"w", some({5, 4}, 2)}, {"b", some({5}, 3)}, {"v", some({2, 5}, 4)}, {"c", some({2}, 5)}};
  std::vector<std::string> const all = {"x", "w", "b", "v", "c"};
  for (std::string const f : {"Tanh", "Sigmoid", "Relu", "LeakyRelu", "Sqr", "Negative", "Scale"})
    for (std::string const loss : {"SumElements", "AveragedLoss"})
      check_second("FC x w b > h; " + f + " h > a; FC a v c > o; Tanh o > t; " + loss + " t > loss", all, given, all);
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
  plait::netdef net = test::tiny_net("Softmax x > p; Sqr p > q; SumElements q > loss");
  auto const grads = plait::add_gradient_ops(net, {"loss"}, plait::gradient_rules::standard());
  net.add_op("SumElements", {grads.at("x").values}, {"z"});
  std::size_t const before = net.op.size();
  CHECK_THROWS_AS(plait::add_gradient_ops(net, {"z"}, plait::gradient_rules::standard()), plait::gradient_error);
  CHECK(net.op.size() == before);
}

}  // namespace
