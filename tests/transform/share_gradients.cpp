#include <plait/transform/detail/share_gradients.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/transform/compare_graphs.hpp>

#include <net/test_nets.hpp>

namespace {

// Three layers and their gradients as Caffe2 generates them.
test::struct_net training_step() {
  test::struct_net n;
  n.external_inputs = {"s/x", "label"};
  std::string last = "s/x";
  for (int i = 0; i != 3; ++i) {
    std::string const fc = "s/fc" + std::to_string(i);
    n.external_inputs.push_back(fc + "_w");
    n.ops.push_back({"FC", {last, fc + "_w"}, {fc}});
    n.ops.push_back({"Relu", {fc}, {"s/r" + std::to_string(i)}});
    last = "s/r" + std::to_string(i);
  }
  n.ops.push_back({"SoftmaxWithLoss", {last, "label"}, {"s/p", "s/loss"}});
  n.ops.push_back({"ConstantFill", {"s/loss"}, {"s/loss_autogen_grad"}});
  n.ops.push_back({"SoftmaxWithLossGradient", {last, "label", "s/p", "s/loss_autogen_grad"}, {last + "_grad"}});
  for (int i = 3; i-- != 0;) {
    std::string const fc = "s/fc" + std::to_string(i);
    std::string const r = "s/r" + std::to_string(i);
    std::string const before = i == 0 ? "s/x" : "s/r" + std::to_string(i - 1);
    n.ops.push_back({"ReluGradient", {r, r + "_grad"}, {fc + "_grad"}});
    n.ops.push_back({"FCGradient", {before, fc + "_w", fc + "_grad"}, {fc + "_w_grad", before + "_grad"}});
  }
  return n;
}

std::vector<std::string> const of_parameters{"s/fc0_w_grad", "s/fc1_w_grad", "s/fc2_w_grad"};

}  // namespace

TEST_CASE_TEMPLATE("share_gradient_blobs: gradients of intermediate blobs share", N, PLAIT_MUTABLE_NETS) {
  auto const before = test::make_net<N>(training_step());
  auto n = test::make_net<N>(training_step());
  auto const made = plait::share_gradient_blobs(n, {.parameter_gradients = of_parameters, .scope = "s"});
  CHECK(made.candidates == 8);
  CHECK(made.shared == 2);
  CHECK(made.renamed.find("s/x_grad").has_value());
  for (auto const& [from, to] : made.renamed) {
    CHECK(from.ends_with("_grad"));
    CHECK((to == "s/__m0_shared" || to == "s/__m1_shared"));
  }
  for (std::string const& name : of_parameters) CHECK_FALSE(made.renamed.find(name).has_value());
  CHECK_FALSE(plait::compare_graphs(before, n).has_value());
  CHECK_FALSE(plait::compare_in_place(before, n).has_value());
}

TEST_CASE("share_gradient_blobs: gradients to keep and those of other scopes stay") {
  auto n = test::make_net<plait::netdef>(training_step());
  auto const made =
      plait::share_gradient_blobs(n, {.parameter_gradients = of_parameters, .scope = "s/", .keep = {"s/fc1_grad"}});
  CHECK_FALSE(made.renamed.find("s/fc1_grad").has_value());
  CHECK(made.candidates == 7);
  n = test::make_net<plait::netdef>(training_step());
  CHECK(plait::share_gradient_blobs(n, {.scope = "other"}).renamed.empty());
}

TEST_CASE("share_gradient_blobs: share_activations shares outputs of layers, except the last two") {
  auto n = test::make_net<plait::netdef>(training_step());
  auto const made =
      plait::share_gradient_blobs(n, {.parameter_gradients = of_parameters, .scope = "s", .share_activations = true});
  CHECK(made.renamed.find("s/fc0").has_value());
  CHECK_FALSE(made.renamed.find("s/fc1").has_value());
  CHECK(made.shared == 2);
}

TEST_CASE_TEMPLATE("share_activation_blobs: nets for inference", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(
      {{{"Relu", {"x"}, {"a"}}, {"Relu", {"a"}, {"b"}}, {"Relu", {"b"}, {"c"}}, {"Relu", {"c"}, {"y"}}}, {"x"}, {"y"}});
  CHECK(plait::share_activation_blobs(n).shared == 2);

  test::struct_net const undeclared{{{"Relu", {"x"}, {"a"}}, {"Sum", {"a", "later"}, {"y"}}}, {"x"}, {"y"}};
  auto bad = test::make_net<N>(undeclared);
  try {
    plait::share_activation_blobs(bad);
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.op == 1u);
    CHECK(problem.blob == "later");
  }
  CHECK(test::describe(bad) == undeclared);
  auto nothing = test::make_net<N>({{{"Relu", {"x"}, {"y"}}}, {}, {"y"}});
  CHECK_THROWS_AS(plait::share_activation_blobs(nothing), plait::net_error);
}

TEST_CASE("share_activation_blobs: gradient ops are refused") {
  auto n = plait::read_netdef_text(R"(
    op { input: "x" output: "a" type: "Relu" }
    op { input: "a" output: "y" type: "ReluGradient" is_gradient_op: true }
    external_input: "x" external_output: "y")");
  auto const before = n;
  CHECK_THROWS_WITH_AS(plait::share_activation_blobs(n),
                       "plait: op 1 (ReluGradient) is a gradient op, where a net for inference was expected",
                       plait::net_error);
  CHECK(n == before);
}
