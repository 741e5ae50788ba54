// Backward passes over several net types, user-defined rules, scaling.
#include <plait/gradient/detail/backward_engine.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <net/test_nets.hpp>
#include <support/bare_net.hpp>
#include <support/gradient_rules_of_tests.hpp>
#include <support/op_lines.hpp>

#include <plait/gradient/backward_pass.hpp>

using plait::overwritten_values;
using test::bare_net;
using test::lines;

PLAIT_CHECK_GRADIENT_NET(bare_net);
static_assert(!plait::argument_readable_net<bare_net> && !plait::device_net<bare_net>);
static_assert(plait::gradient_net<plait::netdef> && plait::gradient_net<test::edit_net> &&
              plait::gradient_net<ir::Editable>);
static_assert(!plait::gradient_net<test::struct_net> || plait::extensible_net<test::struct_net>);
static_assert(!plait::gradient_net<ir::Function>);  // its names have no text

namespace {

plait::gradient_rules const& rules() {
  static plait::gradient_rules const made = test::gradient_rules_of_tests();
  return made;
}

template <class N>
lines lines_of(N const& n) {
  if constexpr (std::is_same_v<N, bare_net>) {
    lines made;
    for (bare_net::op const& o : n.all) {
      plait::op_spec spec{o.type, {}, {}};
      for (bare_net::name const b : o.in) spec.inputs.push_back(n.texts[b.id]);
      for (bare_net::name const b : o.out) spec.outputs.push_back(n.texts[b.id]);
      made.push_back(test::line_of(spec));
    }
    return made;
  } else {
    return test::lines_of(n);
  }
}

template <class N>
N net_of(lines const& ops) {
  if constexpr (std::is_same_v<N, bare_net>) {
    N n;
    for (std::string const& line : ops) n.all.push_back(n.made(test::op_of(line)));
    return n;
  } else {
    return test::net_of<N>(ops);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("backward_engine: all net types give the same gradient ops", N, plait::netdef, test::edit_net,
                   ir::Editable, bare_net) {
  lines const ops = {"Tanh: x -> h", "Mul: h w -> h2", "Tanh: h2 -> h2", "Sum: h2 h b -> y", "Gather: y rows -> z"};
  auto const made = plait::backward_pass(net_of<N>(ops), {"z"}, rules(), {.mixed = plait::mixed_gradients::densify});
  lines const expected = {"ConstantFill: z -> z_autogen_grad",
                          "SparseToDense: rows z_autogen_grad y -> y_grad_dense",
                          "TanhGradient: h2 y_grad_dense -> h2_grad",
                          "Mul: h2_grad w -> h_grad",
                          "Mul: h2_grad h -> w_grad",
                          "Sum: h_grad y_grad_dense -> h_grad",
                          "TanhGradient: h h_grad -> x_grad"};
  CHECK(lines_of(made.net) == expected);
  CHECK(made.gradients.at("y") == plait::blob_gradient::sparse("rows", "z_autogen_grad"));
  CHECK(made.gradients.at("b") == plait::blob_gradient::dense("y_grad_dense"));
}

TEST_CASE_TEMPLATE("backward_engine: add_gradient_ops equals backward_pass and insert_saved_values", N, plait::netdef,
                   test::edit_net, ir::Editable, bare_net) {
  lines const ops = {"Tanh: x0 -> x", "Mul: x w -> y", "Direct: y -> x", "Mul: x y -> y", "UseInput: y -> y"};
  for (overwritten_values how : {overwritten_values::copy, overwritten_values::recompute}) {
    plait::gradient_options options{.overwritten = how, .only = {"w"}};
    auto const alone = net_of<N>(ops);
    auto const apart = plait::backward_pass(alone, {"y"}, rules(), options);
    N whole = net_of<N>(ops);
    CHECK(plait::add_gradient_ops(whole, {"y"}, rules(), options) == apart.gradients);

    N forward = net_of<N>(ops);
    plait::insert_saved_values(forward, apart.saved);
    lines expected = lines_of(forward);
    CHECK(expected.size() == ops.size() + apart.saved.size());
    for (std::string const& line : lines_of(apart.net)) expected.push_back(line);
    CHECK(lines_of(whole) == expected);
    if (how == overwritten_values::copy) CHECK(!apart.saved.empty());
  }
}

TEST_CASE_TEMPLATE("backward_engine: gradient ops inherit arguments and devices", N, plait::netdef, test::edit_net,
                   ir::Editable) {
  test::struct_net s;
  s.ops = {{"Scale",
            {"x"},
            {"y"},
            {{"scale", 0.5f}, {"note", std::int64_t{7}}},
            plait::device_spec{plait::device_kind::cuda, 1}}};
  N n = test::make_net<N>(s);
  (void)plait::add_gradient_ops(n, {"y"}, rules());
  auto&& ops = plait::ops(n);
  auto const last = std::next(std::ranges::begin(ops), 2);
  using traits = plait::net_traits<N>;
  CHECK(plait::op_type(n, *last) == "Scale");
  CHECK(traits::argument(n, *last, "scale") == plait::argument_value(0.5f));
  CHECK(traits::argument(n, *last, "note") == plait::argument_value(std::int64_t{7}));
  CHECK(traits::device(n, *last) == s.ops[0].device);
}

TEST_CASE_TEMPLATE("backward_engine: an error leaves the net unchanged", N, plait::netdef, test::edit_net, ir::Editable,
                   bare_net) {
  lines const ops = {"UseInput: x -> y", "Direct: y -> x", "Unknown: x -> z"};
  N n = net_of<N>(ops);
  CHECK_THROWS_AS((void)plait::add_gradient_ops(n, {"z", "x"}, rules()), plait::gradient_error);
  CHECK(lines_of(n) == ops);
}

TEST_CASE("backward_engine: user-defined rules of user-defined op types") {
  plait::gradient_rules mine = plait::gradient_rules::standard();
  // y, z = x², 2 x
  mine.set("SquareAndDouble", [](plait::gradient_context& c) {
    CHECK(c.input_count() == 1);
    CHECK(c.output_count() == 2);
    CHECK(c.argument<float>("factor", 1.0f) == 3.0f);
    std::vector<plait::gradient_operand> parts;
    if (c.has_gradient(0)) {
      parts.push_back(c.temporary("t"));
      c.op("TwiceXTimes", {c.input(0), c.output_gradient(0)}, {parts.back()});
    }
    if (c.has_gradient(1)) {
      parts.push_back(c.temporary("t"));
      c.op("Scale", {c.output_gradient(1)}, {parts.back()}).own_arguments().argument("scale", 2.0f).named("of z");
    }
    if (parts.size() == 1)
      c.pass(0, parts[0]);
    else
      c.op("Add", parts, std::vector{c.input_gradient(0)}).plain();
  });
  test::edit_net n = test::net_of<test::edit_net>({"SquareAndDouble: x -> y z"});
  n.ops[0].arguments = {{"factor", std::int64_t{3}}};  // integers convert to float
  auto const both = plait::backward_pass(n, {{"y", "dy"}, {"z", "dz"}}, mine);
  CHECK(test::lines_of(both.net) == lines{"TwiceXTimes: x dy -> t", "Scale: dz -> t_1", "Add: t t_1 -> x_grad"});
  CHECK(both.net.ops[0].arguments == n.ops[0].arguments);
  CHECK(both.net.ops[1].arguments == std::vector<plait::argument_spec>{{"scale", 2.0f}});
  CHECK(both.net.ops[1].name == "of z");
  CHECK(both.net.ops[2].arguments.empty());
  auto const one = plait::backward_pass(n, {{"z", "dz"}}, mine);
  CHECK(test::lines_of(one.net) == lines{"Scale: dz -> t"});
  CHECK(one.gradients.at("x").values == "t");
  CHECK(plait::gradient_rules::standard().find("SquareAndDouble") == nullptr);
}

TEST_CASE("backward_engine: a refusal of a rule is a problem of its op") {
  plait::gradient_rules mine;
  mine.set("Picky", [](plait::gradient_context& c) { c.refuse("not today"); });
  mine.set("Greedy", [](plait::gradient_context& c) { c.pass(0, c.input(7)); });
  mine.set("Typed", [](plait::gradient_context& c) { (void)c.argument<std::string>("a"); });
  mine.set("Second", [](plait::gradient_context& c) { c.pass(0, c.output_gradient(1)); });
  test::edit_net n =
      test::net_of<test::edit_net>({"Picky: x -> a", "Greedy: x -> b", "Typed: x -> c", "Second: x -> d e"});
  n.ops[2].arguments = {{"a", 1.0f}};
  try {
    (void)plait::backward_pass(n, {"a", "b", "c", "d"}, mine);
    FAIL("accepted");
  } catch (plait::gradient_error const& e) {
    REQUIRE(e.problems.size() == 4);
    CHECK(e.problems[0].op == 3);
    CHECK(e.problems[0].text.find("output 'e' has no gradient") != std::string::npos);
    CHECK(e.problems[1].text.find("argument 'a' is of another type") != std::string::npos);
    CHECK(e.problems[2].text.find("no operand 7") != std::string::npos);
    CHECK(e.problems[3].text == "op 0 (Picky): not today");
  }
}

TEST_CASE("backward_engine: a foreign exception of a rule is a problem of its op") {
  plait::gradient_rules mine = plait::gradient_rules::standard();
  mine.set("Broken", [](plait::gradient_context&) { (void)std::vector<int>().at(3); });
  mine.set("Empty", [](plait::gradient_context&) { throw std::bad_alloc(); });
  try {
    (void)plait::backward_pass(test::net_of<test::edit_net>({"Tanh: x -> h", "Broken: h -> y"}), {"y"}, mine);
    FAIL("accepted");
  } catch (plait::gradient_error const& e) {
    REQUIRE(e.problems.size() == 1);
    CHECK(e.problems[0].op == 1);
    CHECK(e.problems[0].text.starts_with("op 1 (Broken): "));
  }
  CHECK_THROWS_AS((void)plait::backward_pass(test::net_of<test::edit_net>({"Empty: x -> y"}), {"y"}, mine),
                  std::bad_alloc);
}

TEST_CASE("backward_engine: an op without outputs has a gradient if its rule is set to always") {
  auto const made = plait::backward_pass(
      test::net_of<test::edit_net>({"Direct: x -> h", "ZeroGradient: h", "Print: h"}), {}, rules());
  CHECK(test::lines_of(made.net) == lines{"ConstantFill: h -> h_grad", "DirectGradient: h_grad -> x_grad"});
}

namespace {

std::size_t const many = 100'000;

test::edit_net long_chain() {
  test::edit_net n;
  for (std::size_t i = 0; i != many; ++i)
    n.ops.push_back({i % 3 == 2 ? "Mul" : "Tanh", {"h" + std::to_string(i)}, {"h" + std::to_string(i + 1)}});
  for (std::size_t i = 2; i < many; i += 3) n.ops[i].inputs.push_back("h0");
  return n;
}

}  // namespace

TEST_CASE("backward_engine: a chain of 100,000 ops and a blob with 100,000 readers") {
  auto const chain = plait::backward_pass(long_chain(), {"h" + std::to_string(many)}, rules());
  CHECK(chain.net.ops.size() == 1 + many + many / 3 + 1);

  test::edit_net wide;
  for (std::size_t i = 0; i != many; ++i) wide.ops.push_back({"Tanh", {"x"}, {"h" + std::to_string(i)}});
  wide.ops.push_back({"Sum", {}, {"y"}});
  for (std::size_t i = 0; i != many; ++i) wide.ops.back().inputs.push_back("h" + std::to_string(i));
  auto const fan = plait::backward_pass(wide, {"y"}, rules());
  REQUIRE(fan.net.ops.size() == many + 2);
  CHECK(fan.net.ops.back().type == "Sum");
  CHECK(fan.net.ops.back().inputs.size() == many);
}

TEST_CASE("backward_engine: a blob that is overwritten 100,000 times") {
  test::edit_net n;
  for (std::size_t i = 0; i != many; ++i) n.ops.push_back({"UseInput", {"x"}, {"x"}});
  auto const saved = plait::backward_pass(n, {"x"}, rules(), {.overwritten = overwritten_values::copy});
  CHECK(saved.saved.size() == many);
  CHECK(saved.saved.back().position == many - 1);
  try {  // version 0 is lost, and with it all others
    (void)plait::backward_pass(n, {"x"}, rules(), {.overwritten = overwritten_values::recompute});
    FAIL("accepted");
  } catch (plait::gradient_error const& e) {
    CHECK(e.problems.size() == many);
  }
  n.ops.front().inputs = {"given"};
  auto const again = plait::backward_pass(n, {"x"}, rules(), {.overwritten = overwritten_values::recompute});
  CHECK(again.net.ops.size() == 1 + many + (many - 1));
}
