// Fan-out accumulation: sparse gradients and device placement.
#include <plait/gradient/detail/gradient_sums.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <net/test_nets.hpp>
#include <support/gradient_rules_of_tests.hpp>
#include <support/op_lines.hpp>

#include <plait/gradient/backward_pass.hpp>

using plait::blob_gradient;
using test::lines;

namespace {

using net = test::edit_net;

// The standard rules, and SparseBoth, whose gradient op computes indices and rows.
plait::gradient_rules const& rules() {
  static plait::gradient_rules const made = [] {
    plait::gradient_rules r = test::gradient_rules_of_tests();
    r.set("SparseBoth", [](plait::gradient_context& c) {
      plait::gradient_operand const indices = c.temporary(c.gradient_name(0) + "_indices");
      plait::gradient_operand const values = c.temporary(c.gradient_name(0) + "_values");
      c.op("SparseBothGradient", {c.output_gradient(0)}, {indices, values});
      c.pass(0, plait::gradient_operands{values, indices});
    });
    return r;
  }();
  return made;
}

plait::device_spec cuda(std::int32_t id) { return {plait::device_kind::cuda, id}; }

net at(net n, std::vector<std::int32_t> const& devices) {
  for (std::size_t i = 0; i != devices.size(); ++i) n.ops[i].device = cuda(devices[i]);
  return n;
}

}  // namespace

TEST_CASE("gradient sums: sparse gradients that are passed through are concatenated") {
  auto const made = plait::backward_pass(test::net_of<net>({"Gather: table rows -> a", "Gather: table rows2 -> b"}),
                                         {{"a", "da"}, {"b", "db"}}, rules());
  CHECK(test::lines_of(made.net) ==
        lines{"Concat: rows2 rows -> table_grad_indices_concat table_grad_indices_concat_split",
              "Concat: db da -> table_grad_values_concat table_grad_values_concat_split"});
  CHECK(made.net.ops[0].arguments == std::vector<plait::argument_spec>{{"axis", std::int64_t{0}}});
  CHECK(made.gradients.at("table") == blob_gradient::sparse("table_grad_indices_concat", "table_grad_values_concat"));
}

TEST_CASE("gradient sums: computed rows get _autosplit names") {
  auto const made = plait::backward_pass(
      test::net_of<net>({"SparseLengthsSum: table rows lengths -> a", "SparseLengthsSum: table rows lengths -> b"}),
      {{"a", "da"}, {"b", "db"}}, rules());
  CHECK(test::lines_of(made.net) ==
        lines{"SparseLengthsIndicesInGradientSumGradient: db lengths rows -> _table_grad_values_autosplit_0",
              "SparseLengthsIndicesInGradientSumGradient: da lengths rows -> _table_grad_values_autosplit_1",
              "Concat: rows rows -> table_grad_indices_concat table_grad_indices_concat_split",
              "Concat: _table_grad_values_autosplit_0 _table_grad_values_autosplit_1 -> table_grad_values_concat "
              "table_grad_values_concat_split"});
}

TEST_CASE("gradient sums: computed indices get _autosplit names, too") {
  auto const made = plait::backward_pass(test::net_of<net>({"SparseBoth: table -> a", "SparseBoth: table -> b"}),
                                         {{"a", "da"}, {"b", "db"}}, rules());
  CHECK(test::lines_of(made.net) ==
        lines{"SparseBothGradient: db -> _table_grad_indices_autosplit_0 _table_grad_values_autosplit_0",
              "SparseBothGradient: da -> _table_grad_indices_autosplit_1 _table_grad_values_autosplit_1",
              "Concat: _table_grad_indices_autosplit_0 _table_grad_indices_autosplit_1 -> table_grad_indices_concat "
              "table_grad_indices_concat_split",
              "Concat: _table_grad_values_autosplit_0 _table_grad_values_autosplit_1 -> table_grad_values_concat "
              "table_grad_values_concat_split"});
}

TEST_CASE("gradient sums: EnsureDense makes a sparse gradient dense, which is then summed") {
  auto const made = plait::backward_pass(test::net_of<net>({"EnsureDense: x -> table", "Gather: table rows -> a",
                                                            "Gather: table rows2 -> b", "Direct: x -> c"}),
                                         {{"a", "da"}, {"b", "db"}, {"c", "dc"}}, rules());
  CHECK(test::lines_of(made.net) ==
        lines{"DirectGradient: dc -> x_grad",
              "Concat: rows2 rows -> table_grad_indices_concat table_grad_indices_concat_split",
              "Concat: db da -> table_grad_values_concat table_grad_values_concat_split",
              "SparseToDense: table_grad_indices_concat table_grad_values_concat x -> _x_grad_autosplit_0",
              "Sum: x_grad _x_grad_autosplit_0 -> x_grad"});
}

TEST_CASE("gradient sums: a sum is placed on the device of the first gradient") {
  auto const made = plait::backward_pass(at(test::net_of<net>({"Direct: x -> a", "Direct: x -> b"}), {1, 1}),
                                         {{"a", "da"}, {"b", "db"}}, rules());
  REQUIRE(made.net.ops.size() == 3);
  CHECK(made.net.ops[2].device == cuda(1));
}

TEST_CASE("gradient sums: a sum of gradients that are all passed through has the device of their op, none in Caffe2") {
  net const n = at(test::net_of<net>({"Add: x x -> y"}), {2});
  auto const made = plait::backward_pass(n, {{"y", "dy"}}, rules());
  REQUIRE(test::lines_of(made.net) == lines{"Sum: dy dy -> x_grad"});
  CHECK(made.net.ops[0].device == cuda(2));
  CHECK_FALSE(plait::backward_pass(n, {{"y", "dy"}}, rules(), {.as_caffe2 = true}).net.ops.at(0).device);
  // Likewise for sparse gradients.
  net const gathers = at(test::net_of<net>({"Gather: t i -> a", "Gather: t j -> b"}), {2, 2});
  for (plait::op_spec const& op : plait::backward_pass(gathers, {{"a", "da"}, {"b", "db"}}, rules()).net.ops)
    CHECK(op.device == cuda(2));
}

TEST_CASE("gradient sums: Caffe2 refuses a gradient that is passed through under the name of the sum") {
  auto const refused = [](net const& n, std::vector<plait::gradient_seed> const& seeds) {
    CHECK_NOTHROW((void)plait::backward_pass(n, seeds, rules()));
    try {
      (void)plait::backward_pass(n, seeds, rules(), {.as_caffe2 = true});
      return std::string("accepted");
    } catch (plait::gradient_error const& e) {
      return e.problems.front().text;
    }
  };
  // The gradient that is passed through has the name of one of the terms that it is the sum of.
  CHECK(refused(test::net_of<net>({"Direct: x -> h", "Add: x h -> x", "Direct: x -> a", "Direct: x -> b"}),
                {{"a", "da"}, {"b", "db"}}) == "a gradient of 'x' that is passed through has the name of the sum");
  CHECK(refused(test::net_of<net>({"Gather: t i -> a", "Gather: t i -> b"}), {{"a", "t_grad"}, {"b", "db"}}) ==
        "a gradient of 't' that is passed through has the name of the sum");
}

TEST_CASE("gradient sums: gradients on different devices are refused") {
  net n = at(test::net_of<net>({"Direct: x -> a", "Direct: x -> b"}), {1, 2});
  net const before = n;
  try {
    (void)plait::add_gradient_ops(n, {{"a", "da"}, {"b", "db"}}, rules());
    FAIL("accepted");
  } catch (plait::gradient_error const& e) {
    REQUIRE(e.problems.size() == 1);
    CHECK(e.problems[0].blob == "x");
    CHECK(e.problems[0].text == "gradients of 'x' are on different devices");
  }
  CHECK(n == before);
  // A fill for a seed has no device in Caffe2, which counts as a CPU.
  net const read_on = at(test::net_of<net>({"Direct: x -> h", "Direct: h -> y"}), {1, 1});
  CHECK_NOTHROW((void)plait::backward_pass(read_on, {"y", "h"}, rules()));
  CHECK_THROWS_AS((void)plait::backward_pass(read_on, {"y", "h"}, rules(), {.as_caffe2 = true}), plait::gradient_error);
  // All CPUs are one device, whatever their numbers.
  n.ops[0].device = plait::device_spec{plait::device_kind::cpu, 0};
  n.ops[1].device = std::nullopt;
  CHECK_NOTHROW((void)plait::backward_pass(n, {{"a", "da"}, {"b", "db"}}, rules()));
}
