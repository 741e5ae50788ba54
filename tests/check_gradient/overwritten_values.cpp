// Forward values overwritten before gradient ops read them: nets each policy accepts, and values that need no copy.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_writer.hpp>
#include <plait/netdef/net_builder.hpp>

#include <support/gradient_cases.hpp>

namespace {

using plait::net_builder;
using plait::netdef;
using plait::overwritten_values;
using test::doubles;

constexpr overwritten_values policies[] = {overwritten_values::refuse, overwritten_values::copy,
                                           overwritten_values::recompute};

test::tensor64 flag(bool value) { return test::tensor64::from(std::vector<bool>{value}, {1}); }

using given = std::vector<std::pair<std::string, test::tensor64>>;

void check(netdef const& n, given const& values, std::vector<std::string> const& inputs, overwritten_values how,
           std::vector<std::string> const& ys = {"y"}) {
  plait::workspace<plait::serial> blobs;
  for (auto const& [name, value] : values) blobs.feed(name, value);
  CAPTURE(static_cast<int>(how));
  CAPTURE(plait::to_text(n));
  auto const found = plait::check_gradient(n, ys, inputs, blobs, {.gradients = {.overwritten = how}});
  CAPTURE(found.text());
  CHECK(found.ok());
}

std::size_t copies(netdef const& n, overwritten_values how, std::string const& y = "y") {
  return plait::backward_pass(n, {y}, plait::gradient_rules::standard(), {.overwritten = how}).saved.size();
}
bool is_refused(netdef const& n, overwritten_values how, std::string const& y = "y") {
  try {
    (void)copies(n, how, y);
  } catch (plait::gradient_error const&) {
    return true;
  }
  return false;
}

void append(netdef& n, std::string_view ops) {
  netdef const rest = test::tiny_net(ops);
  for (plait::op_def const& op : rest.op) {
    std::vector<std::string> in, out;
    for (plait::symbol const s : op.input) in.emplace_back(rest.text(s));
    for (plait::symbol const s : op.output) out.emplace_back(rest.text(s));
    plait::append_op(n, plait::built_op{std::string(rest.text(op.type)), in, out, {}, {}});
  }
}

// Builds a net with an If whose branches share the blobs of the enclosing net, followed by other ops.
netdef with_choice(std::string_view before, std::string_view then, std::string_view otherwise, std::string_view after) {
  netdef n = test::tiny_net(before);
  for (char const* name : {"x", "w", "on"}) n.external_input.push_back(n.intern(name));
  std::vector<plait::net_argument> nets;
  nets.emplace_back("then_net", test::tiny_net(then));
  if (!otherwise.empty()) nets.emplace_back("else_net", test::tiny_net(otherwise));
  plait::append_op(n, plait::built_op{"If", {"on"}, {}, std::move(nets), {}});
  append(n, after);
  return n;
}

TEST_CASE("overwritten values: a Copy in place, also in a loop, needs no saved value") {
  netdef const plain = test::tiny_net("Copy x > x; Tanh x > y");
  netdef const chain = test::tiny_net("Tanh x > a; Copy a > b; Sin b > a; Copy a > b; Sum b a > y");
  for (overwritten_values const how : policies) {
    CHECK(copies(plain, how) == 0);
    check(plain, {{"x", doubles({0.3, -0.4}, {2})}}, {"x"}, how);
  }
  check(chain, {{"x", doubles({0.3, -0.4}, {2})}}, {"x"}, overwritten_values::copy);

  net_builder n("loop");
  auto [acc, w, i, one, times, more] = n.external_inputs("acc", "w", "i", "one", "times", "more");
  n.while_(
      more,
      [&](net_builder& c) {
        c.op("LT", {i, times}, {more});
      },
      [&](net_builder& b) {
        b.op("Copy", {"acc"}, {"acc"});
        b.op("Add", {"acc", "w"}, {"acc"});
        b.op("Copy", {"acc"}, {"acc"});
        b.op("Add", {i, one}, {i});
      });
  n.op("Copy", {"acc"}, {"y"});
  for (overwritten_values const how : policies) {
    CHECK(copies(n.net(), how) == 0);
    check(n.net(),
          {{"acc", doubles({0.5}, {1})},
           {"w", doubles({0.25}, {1})},
           {"i", doubles({0}, {1})},
           {"one", doubles({1}, {1})},
           {"times", doubles({3}, {1})},
           {"more", flag(true)}},
          {"acc", "w"}, how);
  }
}

TEST_CASE("overwritten values: another blob of equal shape replaces an operand whose shape alone is read") {
  // The half of the Split without a gradient gets zeros of its shape, and is overwritten in place.
  netdef const halves = test::tiny_net("Split x > a b [axis 0]; Tanh b > b; Tanh a > y");
  CHECK(copies(halves, overwritten_values::refuse) == 0);
  check(halves, {{"x", doubles({0.3, -0.4, 0.5, 0.1}, {4})}}, {"x"}, overwritten_values::refuse);
  // No other value has the shape of x: only a copy helps.
  netdef const summed = test::tiny_net("ReduceSum x > y [axes (0)] [keepdims 0]; Gather t rows > x");
  CHECK(is_refused(summed, overwritten_values::refuse));
  CHECK(copies(summed, overwritten_values::copy) == 1);
  netdef const known = test::tiny_net("Tanh x > z; ReduceSum x > y [axes (0)] [keepdims 0]; Gather t rows > x");
  CHECK(copies(known, overwritten_values::refuse) == 0);
}

TEST_CASE("overwritten values: recompute accepts values in nested nets that refuse and copy accept") {
  // p is overwritten in place by its producer's net; its input x is overwritten later.
  netdef const n = with_choice("Scale x > y [scale 2.0]", "Mul x w > p; Mul p p > q; Tanh p > p; Mul p q > y", "",
                               "Copy y > z; Scale z > x; Sum z x > v");
  given const values = {{"x", doubles({0.3, -0.4}, {2})}, {"w", doubles({1.5, 0.7}, {2})}};
  for (bool const on : {true, false}) {
    given all = values;
    all.emplace_back("on", flag(on));
    CHECK(is_refused(n, overwritten_values::refuse, "v"));  // x is overwritten
    check(n, all, {"x", "w"}, overwritten_values::copy, {"v"});
    check(n, all, {"x", "w"}, overwritten_values::recompute, {"v"});
  }
  netdef const inner = with_choice("Scale x > y [scale 2.0]", "Tanh x > x; Sin x > x; Mul x w > y", "", "Copy y > z");
  for (overwritten_values const how : policies)
    for (bool const on : {true, false}) {
      given all = values;
      all.emplace_back("on", flag(on));
      check(inner, all, {"x", "w"}, how, {"z"});
    }
}

TEST_CASE("overwritten values: a blob that only one branch computes is copied in that branch") {
  // h is unset if the branch is not taken; the gradients of both branches need its value.
  netdef const n = with_choice("Scale x > y [scale 2.0]", "Tanh x > h; Mul h w > k; Mul h k > y", "Sin x > y",
                               "Copy y > z; Scale x > h; Scale w > k; Sum z h > v");
  for (overwritten_values const how : {overwritten_values::copy, overwritten_values::recompute})
    for (bool const on : {true, false})
      check(n, {{"x", doubles({0.3, -0.4}, {2})}, {"w", doubles({1.5, 0.7}, {2})}, {"on", flag(on)}}, {"x", "w"}, how,
            {"v"});
}

TEST_CASE("If gradient: a blob that may be unset gets zeros where no branch reads it") {
  char const* const afters[] = {"Sum y u > z", "Sum y u > z; Scale x > h", "Scale x > h; Sum y h u > z"};
  for (char const* const after : afters)
    for (auto const& [first, second] : {std::pair("on", "on"), std::pair("off", "on"), std::pair("on", "off")}) {
      netdef n = test::tiny_net("Scale x > y [scale 2.0]; Copy w > u");
      for (char const* name : {"x", "w", "on", "off"}) n.external_input.push_back(n.intern(name));
      // Appends an If. The first and the third compute h if taken, the third only from h.
      auto const choice = [&](std::string const& flag, char const* then, char const* otherwise) {
        std::vector<plait::net_argument> nets;
        nets.emplace_back("then_net", test::tiny_net(then));
        if (otherwise != nullptr) nets.emplace_back("else_net", test::tiny_net(otherwise));
        plait::append_op(n, plait::built_op{"If", {flag}, {}, std::move(nets), {}});
      };
      choice("on", "Mul x w > h", nullptr);
      choice(first, "Mul h y > y", "Tanh y > y");
      choice(second, "Mul h w > u; Sin h > h", nullptr);
      append(n, after);
      for (auto const how : {overwritten_values::copy, overwritten_values::recompute})
        for (auto const& [on, off] : {std::pair(true, true), std::pair(true, false), std::pair(false, false)})
          check(
              n,
              {{"x", doubles({0.3, -0.4}, {2})}, {"w", doubles({1.5, 0.7}, {2})}, {"on", flag(on)}, {"off", flag(off)}},
              {"x", "w"}, how, {"z"});
    }
}

TEST_CASE("While gradient: a blob that iterations overwrite unread gets zeros of its shapes before and in the loop") {
  net_builder n("loop");
  auto [x, w, i, one, times, more, rows] = n.external_inputs("x", "w", "i", "one", "times", "more", "rows");
  n.op("Sin", {x}, {"h"});
  n.while_(
      more,
      [&](net_builder& c) {
        c.op("LT", {i, times}, {more});
      },
      [&](net_builder& b) {
        b.op("Gather", {w, rows}, {"h"});
        b.op("Tanh", {"h"}, {"h"});
        b.op("Add", {i, one}, {i});
      });
  n.op("SumSqrElements", {"h"}, {"y"});
  for (overwritten_values const how : policies)
    for (double const rounds : {0.0, 1.0, 3.0})
      check(n.net(),
            {{"x", doubles({0.3, -0.4}, {2})},
             {"w", doubles({1.5, 0.7, 0.2}, {3})},
             {"rows", test::int32s({0, 2, 1, 1}, {4})},
             {"i", doubles({0}, {1})},
             {"one", doubles({1}, {1})},
             {"times", doubles({rounds}, {1})},
             {"more", flag(rounds > 0)}},
            {"x", "w"}, how);
}

TEST_CASE("If gradient: zeros of a blob that changes its shape have the shape before") {
  netdef const n = with_choice("Scale x > u [scale 2.0]", "Gather w rows > u", "Sqr u > u", "ReduceSum u > y");
  for (overwritten_values const how : policies)
    for (bool const on : {true, false})
      check(n,
            {{"x", doubles({0.3, -0.4}, {2})},
             {"w", doubles({1.5, 0.7, 0.2}, {3})},
             {"rows", test::int32s({0, 2, 1}, {3})},
             {"on", flag(on)}},
            {"x"}, how);
}

TEST_CASE("While gradient: values overwritten after the loop are read from its workspaces") {
  net_builder n("loop");
  auto [x, w, acc, i, one, times, more] = n.external_inputs("x", "w", "acc", "i", "one", "times", "more");
  n.op("Sin", {x}, {"t"});
  n.while_(
      more,
      [&](net_builder& c) {
        c.op("LT", {i, times}, {more});
      },
      [&](net_builder& b) {
        b.op("Mul", {"acc", "t"}, {"acc"});
        b.op("Add", {i, one}, {i});
      });
  n.op("Scale", {"t"}, {"t"}, {{"scale", 0.5f}});
  n.op("Add", {"acc", "t"}, {"y"});
  for (overwritten_values const how : policies)
    for (double const rounds : {0.0, 1.0, 3.0})
      check(n.net(),
            {{"x", doubles({0.3, -0.4}, {2})},
             {"w", doubles({1.5, 0.7}, {2})},
             {"acc", doubles({0.7, 1.1}, {2})},
             {"i", doubles({0}, {1})},
             {"one", doubles({1}, {1})},
             {"times", doubles({rounds}, {1})},
             {"more", flag(rounds > 0)}},
            {"x", "acc"}, how);
}

TEST_CASE("operand_uses: elements of an operand whose shape alone is read do not matter") {
  struct use {
    std::string op;
    given operands;
    std::string shape;
  };
  auto const two = doubles({1, 2}, {2});
  auto const x = test::random_tensor({2, 3}, 1);
  auto const dy = test::random_tensor({2, 3}, 2);
  auto const lengths = test::int32s({1, 2}, {2});
  std::vector<use> const all = {
      {"AveragedLossGradient x g > y", {{"x", x}, {"g", doubles({2}, {1})}}, "x"},
      {"BatchGatherGradient x i g > y", {{"x", x}, {"i", lengths}, {"g", doubles({1, 2, 3, 4}, {2, 2})}}, "x"},
      {"ConstantFill x > y [value 2.0]", {{"x", x}}, "x"},
      {"LengthsIndicesInGradientSumGradient g l x > y",
       {{"g", dy}, {"l", lengths}, {"x", test::random_tensor({3, 3}, 3)}},
       "x"},
      {"ReduceBackMeanGradient g x > y", {{"g", two}, {"x", x}}, "x"},
      {"ReduceBackSumGradient g x > y", {{"g", two}, {"x", x}}, "x"},
      {"ReduceFrontMeanGradient g x > y", {{"g", doubles({1, 2, 3}, {3})}, {"x", x}}, "x"},
      {"ReduceFrontSumGradient g x > y", {{"g", doubles({1, 2, 3}, {3})}, {"x", x}}, "x"},
      {"ReduceMeanGradient g x z > y [axes (1)]",
       {{"g", doubles({1, 2}, {2, 1})}, {"x", x}, {"z", doubles({3, 4}, {2, 1})}},
       "x"},
      {"ReduceSumGradient g x z > y [axes (1)]",
       {{"g", doubles({1, 2}, {2, 1})}, {"x", x}, {"z", doubles({3, 4}, {2, 1})}},
       "z"},
      {"RoIAlignGradient x r g > y",
       {{"x", test::random_tensor({1, 1, 2, 3}, 4)},
        {"r", doubles({0, 0, 1, 1}, {1, 4})},
        {"g", doubles({2}, {1, 1, 1, 1})}},
       "x"},
      {"ResizeLike g x > y", {{"g", doubles({1, 2, 3, 4, 5, 6}, {6})}, {"x", x}}, "x"},
      {"SliceGradient x g > y [starts (0 1)] [ends (2 3)]", {{"x", x}, {"g", doubles({1, 2, 3, 4}, {2, 2})}}, "x"},
      {"SparseToDense i g x > y", {{"i", lengths}, {"g", dy}, {"x", test::random_tensor({4, 3}, 4)}}, "x"},
      {"SumElementsGradient x g > y", {{"x", x}, {"g", doubles({2}, {1})}}, "x"},
      {"SumReduceLike g x > y", {{"g", dy}, {"x", doubles({1, 2, 3}, {3})}}, "x"},
      {"TopKGradient g i x > y [k 1]",
       {{"g", doubles({1, 2}, {2, 1})}, {"i", test::int64s({2, 0}, {2, 1})}, {"x", x}},
       "x"},
      {"ZerosLike x > y", {{"x", x}}, "x"},
      {"MatMul a b x > y",
       {{"a", x}, {"b", test::random_tensor({3, 2}, 5)}, {"x", doubles({1, 2, 3, 4}, {2, 2})}},
       "x"},
  };
  for (use const& u : all) {
    CAPTURE(u.op);
    netdef const n = test::tiny_net(u.op);
    plait::op_def const& op = n.op.front();
    std::size_t place = 0;
    while (n.text(op.input[place]) != u.shape) ++place;
    CHECK(plait::use_of_operand(n.text(op.type), place) == plait::operand_use::shape);
    std::vector<std::vector<double>> results;
    for (bool const changed : {false, true}) {
      plait::workspace<plait::serial> blobs;
      for (auto const& [name, value] : u.operands) {
        if (!changed || name != u.shape) {
          blobs.feed(name, value);
          continue;
        }
        std::vector<double> other(value.values<double>().size(), 123.5);
        blobs.feed(name, doubles(other, value.dims()));
      }
      auto plan = plait::compile(n, plait::standard_operators<plait::serial>(), blobs);
      plan.run();
      plait::tensor<plait::serial> const& y = blobs.view("y");
      if (y.type() == plait::element_type::float64)
        results.push_back(y.values<double>());
      else
        for (float const v : y.values<float>()) results.emplace_back().push_back(v);
    }
    CHECK(std::vector(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(results.size() / 2)) ==
          std::vector(results.begin() + static_cast<std::ptrdiff_t>(results.size() / 2), results.end()));
  }
}

}  // namespace
