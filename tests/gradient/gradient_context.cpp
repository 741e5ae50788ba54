// The rule's view of an op, and refusals.
#include <plait/gradient/detail/gradient_context.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/traits.hpp>

namespace {

constexpr char const* text = R"(
op { type: "F" name: "f" input: "a" input: "b" output: "y" output: "z"
     arg { name: "k" i: 3 } arg { name: "r" f: 0.5 } arg { name: "s" s: "word" } }
op { type: "G" input: "y" output: "out" })";

// Returns the backward pass of the net, where G passes a gradient through and F has the given rule.
plait::netdef pass(std::function<void(plait::gradient_context&)> rule, plait::gradient_options const& how = {}) {
  plait::gradient_rules rules;
  rules.set("G", [](plait::gradient_context& c) { c.pass(0, c.output_gradient(0)); });
  rules.set("F", std::move(rule));
  return plait::backward_pass(plait::read_netdef_bytes(text), {{"out", "dout"}}, rules, how).net;
}

std::string problem(std::function<void(plait::gradient_context&)> rule) {
  try {
    (void)pass(std::move(rule));
  } catch (plait::gradient_error const& e) {
    return e.problems.at(0).text;
  }
  return "none";
}

}  // namespace

TEST_CASE("gradient_context: rules see the op, its operands and its arguments") {
  (void)pass([](plait::gradient_context& c) {
    CHECK(c.type() == "F");
    CHECK(c.name() == "f");
    CHECK(c.input_count() == 2);
    CHECK(c.listed_input_count() == 2);
    CHECK(c.output_count() == 2);
    CHECK(c.input_name(1) == "b");
    CHECK(c.output_name(0) == "y");
    CHECK(c.gradient_name(0) == "a_grad");
    CHECK(c.has_gradient(0));
    CHECK(!c.has_gradient(1));
    CHECK(!c.is_sparse(0));
    CHECK(c.argument<std::int64_t>("k") == 3);
    CHECK(c.argument<float>("k") == 3.0f);
    CHECK(c.argument<float>("r") == 0.5f);
    CHECK(c.argument<std::string>("s") == "word");
    CHECK(c.argument<std::int64_t>("none", 8) == 8);
    CHECK(c.has_argument("k"));
    CHECK(!c.has_argument("none"));
    CHECK(c.net("k") == nullptr);
    CHECK(!c.numpy_broadcasting());
    CHECK(!c.as_caffe2());
    CHECK(c.text(c.input(0)) == "a");
    CHECK(c.text(c.output_gradient(0)) == "dout");
    c.pass(0, c.output_gradient(0));
  });
  (void)pass(
      [](plait::gradient_context& c) {
        CHECK(!c.is_wanted(0));
        CHECK(c.is_wanted(1));
        c.pass(1, c.output_gradient(0));
      },
      {.only = {"b"}});
}

TEST_CASE("gradient_context: find_input and find_output return the first operand of a name") {
  plait::gradient_rules rules;
  std::size_t asked = 0;
  rules.set("F", [&](plait::gradient_context& c) {
    ++asked;
    bool const first = c.output_count() == 2;
    CHECK(c.find_input("a") == (first ? 1 : 0));
    CHECK(c.find_input("b") == (first ? 0 : plait::npos));
    CHECK(c.find_input("y") == plait::npos);
    CHECK(c.find_input("nowhere") == plait::npos);
    CHECK(c.find_input("") == plait::npos);
    CHECK(c.find_output("y") == (first ? 0 : plait::npos));
    CHECK(c.find_output("z") == (first ? 1 : 0));
    CHECK(c.find_output("a") == plait::npos);
    for (std::size_t i = 0; i != c.input_count(); ++i) c.pass(i, c.output_gradient(first ? 1 : 0));
  });
  auto const net = plait::read_netdef_bytes(
      "op { type: \"F\" input: \"b\" input: \"a\" input: \"a\" input: \"b\" output: \"y\" output: \"z\" }"
      "op { type: \"F\" input: \"a\" output: \"z\" }");
  CHECK(plait::backward_pass(net, {{"z", "dz"}}, rules).gradients.contains("a"));
  CHECK(asked == 1);  // the first z is overwritten
  asked = 0;
  CHECK(plait::backward_pass(net, {{"y", "dy"}, {"z", "dz"}}, rules, {.as_caffe2 = true}).gradients.contains("a"));
  CHECK(asked == 2);
}

TEST_CASE("gradient_context: emitted ops inherit arguments, after those added to them") {
  plait::netdef const made = pass([](plait::gradient_context& c) {
    auto const half = c.temporary("half");
    c.op("H", {c.output_gradient(0)}, {half}).argument("k", std::int64_t{4});
    c.op("H", {half, c.input(1)}, {c.input_gradient(0)}).own_arguments().argument("m", std::int64_t{5});
  });
  REQUIRE(made.op.size() == 2);
  plait::netdef const& n = made;
  auto const integer = [&](std::size_t op, char const* key) {
    auto const* found = plait::find_argument(n, n.op[op], key);
    return found == nullptr || !found->i ? -1 : *found->i;
  };
  CHECK(n.text(n.op[0].output[0]) == "half");
  CHECK(integer(0, "k") == 4);
  CHECK(plait::find_argument(n, n.op[0], "s") != nullptr);
  CHECK(n.text(n.op[1].output[0]) == "a_grad");
  CHECK(integer(1, "m") == 5);
  CHECK(plait::find_argument(n, n.op[1], "k") == nullptr);
}

TEST_CASE("gradient_context: refusals are problems of the op") {
  CHECK(problem([](plait::gradient_context& c) { c.refuse("why not"); }) == "op 0 (F 'f'): why not");
  CHECK(problem([](plait::gradient_context& c) { c.refuse_unless(c.has_argument("none"), "no none"); }) ==
        "op 0 (F 'f'): no none");
  CHECK(problem([](plait::gradient_context& c) { (void)c.argument<std::int64_t>("s"); }) ==
        "op 0 (F 'f'): argument 's' is of another type than expected");
  CHECK(problem([](plait::gradient_context& c) { (void)c.output_gradient(1); }) ==
        "op 0 (F 'f'): output 'z' has no gradient: no differentiated op reads it (ZeroGradient adds one)");
  CHECK(problem([](plait::gradient_context& c) { (void)c.output_rows(0); }) ==
        "op 0 (F 'f'): the gradient of output 'y' is dense where a sparse one is needed");
}

TEST_CASE("gradient_context: every access to a missing operand is refused") {
  auto const no_operand = [](std::function<void(plait::gradient_context&)> const& rule, std::string const& number) {
    CHECK(problem(rule) == "op 0 (F 'f'): it has no operand " + number);
  };
  no_operand([](plait::gradient_context& c) { (void)c.input(2); }, "2");
  no_operand([](plait::gradient_context& c) { (void)c.output_name(2); }, "2");
  no_operand([](plait::gradient_context& c) { (void)c.output_gradient(2); }, "2");
  no_operand([](plait::gradient_context& c) { (void)c.output_rows(2); }, "2");
  no_operand([](plait::gradient_context& c) { (void)c.has_gradient(5); }, "5");
  no_operand([](plait::gradient_context& c) { (void)c.is_sparse(5); }, "5");
  no_operand([](plait::gradient_context& c) { (void)c.is_wanted(2); }, "2");
  no_operand([](plait::gradient_context& c) { (void)c.input_gradient(2); }, "2");
  no_operand([](plait::gradient_context& c) { (void)c.input_gradient_rows(2, c.input(0)); }, "2");
  no_operand([](plait::gradient_context& c) { c.pass(2, c.output_gradient(0)); }, "2");
}

TEST_CASE("gradient_context: a rule that reads a value before it is computed is a problem of the op") {
  CHECK(problem([](plait::gradient_context& c) { c.op("H", {c.temporary("half")}, {c.input_gradient(0)}); }) ==
        "op 0 (F 'f'): its rule reads 'half' before one of its ops computes it");
  CHECK(problem([](plait::gradient_context& c) {
          auto const half = c.temporary("half");
          c.op("H", {half}, {c.input_gradient(0)});
          c.op("H", {c.output_gradient(0)}, {half});
        }) == "op 0 (F 'f'): its rule reads 'half' before one of its ops computes it");
  CHECK(problem([](plait::gradient_context& c) { (void)c.input_gradient(0); }) ==
        "op 0 (F 'f'): its rule reads 'a_grad' before one of its ops computes it");
  CHECK(problem([](plait::gradient_context& c) { c.op("H", {plait::gradient_operand()}, {c.input_gradient(0)}); }) ==
        "op 0 (F 'f'): its rule emits an op with an invalid operand");
}
