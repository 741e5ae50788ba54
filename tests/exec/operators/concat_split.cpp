#include <plait/exec/detail/operators/concat_split.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;

std::string name(std::size_t i) { return std::string(1, static_cast<char>('a' + i)); }

template <class B, class T>
void check_concat(std::vector<shape> const& parts, std::size_t axis, std::string const& arguments) {
  std::string op = "type: \"Concat\" " + arguments;
  test::feeds<B> fed;
  std::vector<std::vector<T>> values;
  std::vector<std::int32_t> lengths;
  shape whole = parts[0];
  whole.set(axis, 0);
  for (std::size_t i = 0; i != parts.size(); ++i) {
    op += " input: \"" + name(i) + '"';
    values.push_back(test::numbered<T>(parts[i], static_cast<T>(i * 20)));
    fed.emplace_back(name(i), test::of<B, T>(parts[i], values.back()));
    lengths.push_back(static_cast<std::int32_t>(parts[i][axis]));
    whole.set(axis, whole[axis] + parts[i][axis]);
  }
  auto const blobs = test::run_op<B>(table<B>(), op + R"( output: "y" output: "s")", fed);
  std::vector<T> expected;
  for (test::index at : test::indices(whole)) {
    std::size_t part = 0;
    while (at[axis] >= parts[part][axis]) at[axis] -= parts[part++][axis];
    expected.push_back(values[part][test::place(parts[part], at)]);
  }
  CHECK(blobs.view("y").dims() == whole);
  CHECK(blobs.template fetch<T>("y") == expected);
  CHECK(blobs.template fetch<std::int32_t>("s") == lengths);

  // Split restores the inputs.
  std::string cut = "type: \"Split\" input: \"x\" input: \"s\" " + arguments;
  for (std::size_t i = 0; i != parts.size(); ++i) cut += " output: \"" + name(i) + '"';
  auto const apart = test::run_op<B>(table<B>(), cut, {{"x", blobs.view("y")}, {"s", blobs.view("s")}});
  for (std::size_t i = 0; i != parts.size(); ++i) {
    CHECK(apart.view(name(i)).dims() == parts[i]);
    CHECK(apart.template fetch<T>(name(i)) == values[i]);
  }
}

TEST_CASE_TEMPLATE("Concat: joins tensors along any axis, and Split restores them", B, PLAIT_HOST_BACKENDS) {
  std::string const axis = "arg { name: \"axis\" i: ";
  check_concat<B, float>({{2, 3}, {1, 3}, {3, 3}}, 0, axis + "0 }");
  check_concat<B, float>({{2, 3, 2}, {2, 3, 1}}, 2, axis + "2 }");
  check_concat<B, double>({{2, 3}, {2, 2}}, 1, axis + "-1 }");
  check_concat<B, std::int32_t>({{3}, {2}, {0}}, 0, axis + "0 }");
  check_concat<B, std::uint8_t>({{2, 0, 3}, {2, 4, 3}}, 1, axis + "1 }");
  check_concat<B, std::int64_t>({{0, 3}, {0, 5}}, 1, axis + "1 }");
  check_concat<B, float>({{2, 3}}, 1, axis + "1 }");
  check_concat<B, float>({{2, 3}, {2, 1}}, 1, "");
  check_concat<B, float>({{1, 2, 2, 3}, {1, 2, 2, 1}}, 3, R"(arg { name: "order" s: "NHWC" })");
  check_concat<B, float>({{300, 70}, {300, 130}}, 1, axis + "1 }");  // more than a tile
}

TEST_CASE_TEMPLATE("Concat, Split: with add_axis, the pieces do not have the axis", B, PLAIT_HOST_BACKENDS) {
  for (int const axis : {0, 1, 2, -1, -3}) {
    std::string const arguments =
        "arg { name: \"axis\" i: " + std::to_string(axis) + R"( } arg { name: "add_axis" i: 1 })";
    auto const a = test::numbered<float>({2, 3});
    auto const b = test::numbered<float>({2, 3}, 10);
    auto const blobs =
        test::run_op<B>(table<B>(), R"(type: "Concat" input: "a" input: "b" output: "y" output: "s")" + arguments,
                        {{"a", test::of<B, float>({2, 3}, a)}, {"b", test::of<B, float>({2, 3}, b)}});
    auto const at = static_cast<std::size_t>(axis < 0 ? axis + 3 : axis);
    shape whole = {2, 3};
    whole.insert(at, 2);
    std::vector<float> expected;
    for (test::index i : test::indices(whole)) {
      auto const& part = i[at] == 0 ? a : b;
      i.erase(i.begin() + static_cast<std::ptrdiff_t>(at));
      expected.push_back(part[test::place({2, 3}, i)]);
    }
    CHECK(blobs.view("y").dims() == whole);
    CHECK(blobs.template fetch<float>("y") == expected);
    CHECK(blobs.template fetch<std::int32_t>("s") == std::vector<std::int32_t>{1, 1});
    if (axis < 0) continue;
    auto const apart = test::run_op<B>(table<B>(), R"(type: "Split" input: "x" output: "a" output: "b")" + arguments,
                                       {{"x", blobs.view("y")}});
    CHECK(apart.view("a").dims() == shape{2, 3});
    CHECK(apart.template fetch<float>("a") == a);
    CHECK(apart.template fetch<float>("b") == b);
  }
}

TEST_CASE_TEMPLATE("Split: cuts into equal pieces, or into the lengths of an argument", B, PLAIT_HOST_BACKENDS) {
  auto const x = test::counted<B, float>({2, 6});
  auto const even = test::run_op<B>(
      table<B>(), R"(type: "Split" input: "x" output: "a" output: "b" output: "c" arg { name: "axis" i: 1 })",
      {{"x", x}});
  CHECK(even.template fetch<float>("b") == std::vector<float>{2, 3, 8, 9});
  auto const said = test::run_op<B>(table<B>(), R"(type: "Split" input: "x" output: "a" output: "b" output: "c"
      arg { name: "axis" i: 1 } arg { name: "split" ints: 1 ints: 2 ints: 3 })",
                                    {{"x", x}});
  CHECK(said.template fetch<float>("a") == std::vector<float>{0, 6});
  CHECK(said.template fetch<float>("c") == std::vector<float>{3, 4, 5, 9, 10, 11});
}

TEST_CASE("Split: pieces stay equal when the shape changes") {
  using B = plait::serial;
  plait::workspace<B> blobs;
  blobs.feed("x", test::counted<B, float>({6}));
  auto plan = plait::compile(
      plait::read_netdef_text(R"(op { type: "Split" input: "x" output: "a" output: "b" arg { name: "axis" i: 0 } })"),
      table<B>(), blobs);
  plan.run();
  blobs.feed("x", test::counted<B, float>({4}));
  plan.run();
  CHECK(blobs.fetch<float>("b") == std::vector<float>{2, 3});
}

TEST_CASE("Concat, Split: operands and arguments that do not fit are refused") {
  using B = plait::serial;
  std::string const join = R"(type: "Concat" input: "a" input: "b" output: "y")";
  auto const concat = [&](std::string const& arguments, plait::tensor<B> const& a, plait::tensor<B> const& b) {
    return test::error_of<B>(table<B>(), join + arguments, {{"a", a}, {"b", b}});
  };
  auto const of = [](shape const& dims) { return test::counted<B, float>(dims); };
  CHECK(test::has(concat("", of({2, 3}), of({3, 3})),
                  "Concat: plait: op 0 (Concat): inputs 0 'a' and 1 'b' are float32 2x3"));
  CHECK(test::has(concat("", of({2, 3}), of({2, 3, 1})), "cannot be joined along axis 1"));
  CHECK(test::has(concat("", of({2, 3}), test::counted<B, double>({2, 3})), "of different element types"));
  CHECK(test::has(concat(R"(arg { name: "axis" i: 2 })", of({2, 3}), of({2, 3})), "has no axis 2"));
  CHECK(test::has(concat(R"(arg { name: "axis" i: -4 } arg { name: "add_axis" i: 1 })", of({2, 3}), of({2, 3})),
                  "a new axis -4"));
  CHECK(test::has(concat(R"(arg { name: "order" s: "WHCN" })", of({2, 3}), of({2, 3})), "must be NCHW or NHWC"));
  std::string long_ones = R"(type: "Concat" output: "y")";
  for (int i = 0; i != 33; ++i) long_ones += R"( input: "a")";
  CHECK(test::has(test::error_of<B>(table<B>(), long_ones, {{"a", test::of<B, float>({0, 1LL << 58}, {})}}),
                  "the extents of axis 1 add up to more"));
  CHECK(test::has(concat(R"(output: "y")", of({2, 3}), of({2, 3})),
                  "output 'y' is listed twice, as float32 2x6 and as int32 2"));

  auto const split = [&](std::string const& more, std::vector<std::int32_t> const& lengths = {}) {
    return test::error_of<B>(
        table<B>(), R"(type: "Split" output: "a" output: "b" input: "x")" + more,
        {{"x", of({2, 5})}, {"s", test::of<B, std::int32_t>({static_cast<std::int64_t>(lengths.size())}, lengths)}});
  };
  CHECK(test::has(split(""), "into 2 equal parts along axis 1"));
  CHECK(test::has(split(R"(arg { name: "split" ints: 1 ints: 2 })"), "an extent of 3 in axis 1"));
  CHECK(test::has(split(R"(arg { name: "split" ints: 6 ints: -1 })"), "length 6 cannot be cut"));
  CHECK(test::has(split(R"(input: "s")", {3, -1}), "length -1 cannot be cut"));
  CHECK(test::has(split(R"(input: "s")", {5}), "1 lengths are given for 2 parts"));
  CHECK(test::has(
      split(R"(arg { name: "axis" i: 1 } arg { name: "add_axis" i: 1 } arg { name: "split" ints: 2 ints: 3 })"),
      "which parts are to lose"));
  CHECK(test::has(split(R"(arg { name: "axis" i: 1 } arg { name: "order" s: "NCHW" })"), "besides the axis"));
  CHECK(test::has(split(R"(input: "s" arg { name: "split" ints: 2 ints: 3 })", {2, 3}), "besides the input"));
}

}  // namespace
