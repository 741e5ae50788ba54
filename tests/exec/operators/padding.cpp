#include <plait/exec/detail/operators/padding.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::has;
using test::of;
using test::table;

std::string widths(int before, int after) {
  return " arg { name: 'padding_width' i: " + std::to_string(before) +
         " } arg { name: 'end_padding_width' i: " + std::to_string(after) + " }";
}

template <class B, class T>
void check_paddings() {
  std::string const both = "output: 'y' output: 'm'";
  auto const lengths = of<B, std::int32_t>({3}, {2, 0, 1});
  auto const add = [&](std::string const& inputs, std::string const& outputs) {
    return test::run_op<B>(table<B>(), "type: 'AddPadding' input: 'x' " + inputs + outputs,
                           {{"x", test::counted<B, T>({3, 2}, T(1))},
                            {"l", lengths.clone()},
                            {"s", of<B, T>({2}, {T(20), T(21)})},
                            {"e", of<B, T>({1, 2}, {T(30), T(31)})}});
  };
  auto const zeros = add("input: 'l' ", both);
  CHECK(zeros.view("y").dims() == shape{9, 2});
  CHECK(zeros.template fetch<T>("y") == std::vector<T>{0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 0, 0});
  CHECK(zeros.template fetch<std::int32_t>("m") == std::vector<std::int32_t>{4, 2, 3});
  CHECK(add("input: 'l' input: 's' ", "output: 'y'" + widths(0, 1)).template fetch<T>("y") ==
        std::vector<T>{1, 2, 3, 4, 20, 21, 20, 21, 5, 6, 20, 21});
  CHECK(add("input: 'l' input: 's' input: 'e' ", "output: 'y'" + widths(1, 2)).template fetch<T>("y") ==
        std::vector<T>{20, 21, 1, 2, 3, 4, 30, 31, 30, 31, 20, 21, 30, 31, 30, 31, 20, 21, 5, 6, 30, 31, 30, 31});
  auto const one = add("", both + widths(2, 0));
  CHECK(one.template fetch<T>("y") == std::vector<T>{0, 0, 0, 0, 1, 2, 3, 4, 5, 6});
  CHECK(one.template fetch<std::int32_t>("m") == std::vector<std::int32_t>{5});

  auto const padded = of<B, std::int32_t>({3}, {4, 2, 3});
  auto const remove = [&](std::string const& inputs, std::string const& arguments) {
    return test::run_op<B>(table<B>(), "type: 'RemovePadding' input: 'x' " + inputs + both + arguments,
                           {{"x", test::counted<B, T>({9}, T(1))}, {"l", padded.clone()}});
  };
  auto const removed = remove("input: 'l' ", "");
  CHECK(removed.template fetch<T>("y") == std::vector<T>{2, 3, 8});
  CHECK(removed.template fetch<std::int32_t>("m") == std::vector<std::int32_t>{2, 0, 1});
  CHECK(remove("input: 'l' ", widths(0, 2)).template fetch<T>("y") == std::vector<T>{1, 2, 7});
  CHECK(remove("", widths(3, 4)).template fetch<T>("y") == std::vector<T>{4, 5});

  auto const gather = [&](std::string const& outputs) {
    return test::run_op<B>(table<B>(), "type: 'GatherPadding' input: 'x' input: 'l' output: 'a' " + outputs,
                           {{"x", test::counted<B, T>({9, 1}, T(1))}, {"l", padded.clone()}});
  };
  auto const sums = gather("output: 'b'");
  CHECK(sums.template fetch<T>("a") == std::vector<T>{1 + 5 + 7});
  CHECK(sums.template fetch<T>("b") == std::vector<T>{4 + 6 + 9});
  CHECK(sums.view("b").dims() == shape{1});
  CHECK(gather("").template fetch<T>("a") == std::vector<T>{13 + 19});
  CHECK(gather("output: 'b'" + widths(0, 2)).template fetch<T>("a") == std::vector<T>{0});
  CHECK(gather("output: 'b'" + widths(0, 2)).template fetch<T>("b") == std::vector<T>{3 + 4 + 5 + 6 + 8 + 9});
}

TEST_CASE_TEMPLATE("AddPadding, RemovePadding, GatherPadding: rows around sequences", B, PLAIT_HOST_BACKENDS) {
  check_paddings<B, float>();
  check_paddings<B, double>();
  check_paddings<B, std::int32_t>();
  check_paddings<B, std::int64_t>();
}

TEST_CASE_TEMPLATE("AddPadding, RemovePadding: no sequences, and flags", B, PLAIT_HOST_BACKENDS) {
  auto const none = test::run_net<B>(table<B>(), R"(
      op { type: "AddPadding" input: "x" input: "l" output: "y" output: "m" }
      op { type: "RemovePadding" input: "y" input: "m" output: "z" })",
                                     {{"x", of<B, float>({0, 3}, {})}, {"l", of<B, std::int32_t>({0}, {})}});
  CHECK(none.view("y").dims() == shape{0, 3});
  CHECK(none.view("z").dims() == shape{0, 3});
  auto const flags =
      test::run_op<B>(table<B>(), "type: 'AddPadding' input: 'x' output: 'y'", {{"x", of<B, bool>({2}, {true, true})}});
  CHECK(flags.template fetch<bool>("y") == std::vector<bool>{false, true, true, false});
}

TEST_CASE("AddPadding, RemovePadding: operands that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& op, std::vector<std::int32_t> const& lengths) {
    return test::error_of<B>(table<B>(), "type: " + op + " output: 'y'",
                             {{"x", test::counted<B, float>({3, 2})},
                              {"l", of<B>({static_cast<std::int64_t>(lengths.size())}, lengths)},
                              {"s", test::counted<B, float>({3})}});
  };
  std::string const add = "'AddPadding' input: 'x' input: 'l'";
  CHECK(has(refusal(add, {2}), "have 2 rows, as the lengths add up to"));
  CHECK(has(refusal(add, {4, -1}), "negative length -1"));
  CHECK(has(refusal(add + widths(-1, 0), {3}), "'padding_width' must not be negative"));
  CHECK(has(refusal(add + " input: 's'", {3}), "have 2 elements, as a row of"));
  std::string const remove = "'RemovePadding' input: 'x' input: 'l'";
  CHECK(has(refusal(remove, {1, 2}), "a sequence has length 1, where its padding has 2"));
  CHECK(has(refusal("'RemovePadding' input: 'x'" + widths(2, 2), {}), "a sequence has length 3"));
  CHECK(has(refusal("'GatherPadding' input: 'x' input: 'l'", {1, 2}), "a sequence has length 1"));
}

}  // namespace
