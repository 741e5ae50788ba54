#include <plait/exec/detail/operators/slice.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;

std::string list(std::string const& name, std::vector<std::int64_t> const& numbers) {
  std::string text = " arg { name: \"" + name + '"';
  for (std::int64_t const number : numbers) text += " ints: " + std::to_string(number);
  return text + " }";
}

// Compares a slice with all elements of x from `first` up to `last` in each axis.
template <class B, class T>
void check_slice(shape const& dims, std::vector<std::int64_t> const& starts, std::vector<std::int64_t> const& ends,
                 std::vector<std::int64_t> const& first, std::vector<std::int64_t> const& last) {
  std::vector<T> expected;
  for (test::index const& at : test::indices(dims)) {
    bool inside = true;
    for (std::size_t a = 0; a != at.size(); ++a) inside = inside && at[a] >= first[a] && at[a] < last[a];
    if (inside) expected.push_back(static_cast<T>(test::place(dims, at)));
  }
  shape part;
  for (std::size_t a = 0; a != first.size(); ++a) part.push_back(last[a] - first[a]);

  std::string const op = R"(type: "Slice" output: "y" input: "x")";
  auto const x = test::counted<B, T>(dims);
  auto const by_argument = test::run_op<B>(table<B>(), op + list("starts", starts) + list("ends", ends), {{"x", x}});
  CHECK(by_argument.view("y").dims() == part);
  CHECK(by_argument.template fetch<T>("y") == expected);
  shape const count = {static_cast<std::int64_t>(starts.size())};
  auto const by_input =
      test::run_op<B>(table<B>(), op + R"(input: "s" input: "e")",
                      {{"x", x},
                       {"s", test::of<B, std::int64_t>(count, starts)},
                       {"e", test::of<B, std::int32_t>(count, std::vector<std::int32_t>(ends.begin(), ends.end()))}});
  CHECK(by_input.view("y").dims() == part);
  CHECK(by_input.template fetch<T>("y") == expected);
}

TEST_CASE_TEMPLATE("Slice: copies a range of each axis", B, PLAIT_HOST_BACKENDS) {
  check_slice<B, float>({6}, {2}, {5}, {2}, {5});
  check_slice<B, float>({3, 5}, {1, 0}, {3, -1}, {1, 0}, {3, 5});
  check_slice<B, double>({3, 5}, {0, 2}, {-1, 4}, {0, 2}, {3, 4});
  check_slice<B, std::int32_t>({3, 5}, {0, 0}, {-1, -2}, {0, 0}, {3, 4});
  check_slice<B, std::int64_t>({3, 5, 2}, {0, -3}, {-1, 99}, {0, 3, 0}, {3, 5, 2});
  check_slice<B, float>({3, 5}, {}, {}, {0, 0}, {3, 5});
  check_slice<B, float>({3, 5}, {2}, {2}, {2, 0}, {2, 5});
  check_slice<B, float>({3, 0, 4}, {0, 0}, {2, 5}, {0, 0, 0}, {2, 0, 4});
  check_slice<B, std::uint8_t>({200, 3}, {0, 1}, {-1, 2}, {0, 1}, {200, 2});
  check_slice<B, float>({300, 200}, {0, 50}, {-1, 180}, {0, 50}, {300, 180});  // more than a tile
}

TEST_CASE("Slice: follows bounds that change without a change of shapes") {
  using B = plait::serial;
  plait::workspace<B> blobs;
  blobs.feed("x", test::counted<B, float>({5}));
  blobs.feed("s", test::of<B, std::int32_t>({1}, {0}));
  blobs.feed("e", test::of<B, std::int32_t>({1}, {2}));
  auto plan =
      plait::compile(plait::read_netdef_text(R"(op { type: "Slice" input: "x" input: "s" input: "e" output: "y" })"),
                     table<B>(), blobs);
  plan.run();
  CHECK(blobs.fetch<float>("y") == std::vector<float>{0, 1});
  blobs.feed("s", test::of<B, std::int32_t>({1}, {3}));
  blobs.feed("e", test::of<B, std::int32_t>({1}, {5}));
  plan.run();
  CHECK(blobs.fetch<float>("y") == std::vector<float>{3, 4});
}

TEST_CASE("Slice: bounds from inputs override arguments") {
  using B = plait::serial;
  auto const sliced = test::run_op<B>(
      table<B>(),
      R"(type: "Slice" input: "x" input: "s" input: "e" output: "y")" + list("starts", {0, 0}) + list("ends", {1, 2}),
      {{"x", test::counted<B, float>({4})},
       {"s", test::of<B, std::int32_t>({1}, {1})},
       {"e", test::of<B, std::int32_t>({1}, {-2})}});
  CHECK(sliced.fetch<float>("y") == std::vector<float>{1, 2});
}

TEST_CASE("Slice: bounds that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& arguments) {
    return test::error_of<B>(table<B>(), R"(type: "Slice" input: "x" output: "y")" + arguments,
                             {{"x", test::counted<B, float>({3, 5})}});
  };
  CHECK(test::has(refusal(list("starts", {1, 1}) + list("ends", {2, 2})), "Slice: plait: op 0 (Slice): axes 0 and 1"));
  CHECK(test::has(refusal(list("starts", {2}) + list("ends", {1})), "no places from 2 to 1 in axis 0"));
  CHECK(test::has(refusal(list("starts", {-9}) + list("ends", {1})), "no places from -9 to 1 in axis 0"));
  CHECK(test::has(refusal(list("starts", {0, 0, 0}) + list("ends", {1, 1, 1})), "3 starts and 3 ends"));
  CHECK(test::has(refusal(list("starts", {0})), "'ends' is missing"));
  CHECK(test::has(refusal(list("ends", {0})), "'starts' is missing"));
  CHECK(test::has(test::error_of<B>(table<B>(), R"(type: "Slice" input: "x" input: "x" output: "y")",
                                    {{"x", test::counted<B, float>({3})}}),
                  "none of ends"));
}

TEST_CASE_TEMPLATE("Tile: repeats a tensor along any axis", B, PLAIT_HOST_BACKENDS) {
  auto const check = [](shape const& dims, std::int64_t tiles, int axis) {
    std::string const op = "type: \"Tile\" output: \"y\" input: \"x\"";
    auto const at = static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(dims.rank()) : axis);
    shape whole = dims;
    whole.set(at, dims[at] * tiles);
    std::vector<float> expected;
    for (test::index i : test::indices(whole)) {
      i[at] %= dims[at];
      expected.push_back(static_cast<float>(test::place(dims, i)));
    }
    auto const x = test::counted<B, float>(dims);
    auto const said = test::run_op<B>(table<B>(),
                                      op + " arg { name: \"tiles\" i: " + std::to_string(tiles) +
                                          " } arg { name: \"axis\" i: " + std::to_string(axis) + " }",
                                      {{"x", x}});
    CHECK(said.view("y").dims() == whole);
    CHECK(said.template fetch<float>("y") == expected);
    auto const fed = test::run_op<B>(
        table<B>(), op + R"(input: "t" input: "a")",
        {{"x", x}, {"t", test::of<B, std::int64_t>({1}, {tiles})}, {"a", test::of<B, std::int32_t>({}, {axis})}});
    CHECK(fed.view("y").dims() == whole);
    CHECK(fed.template fetch<float>("y") == expected);
  };
  check({2, 3}, 3, 0);
  check({2, 3}, 2, 1);
  check({2, 3, 4}, 2, -2);
  check({2, 3}, 1, 0);
  check({2, 3}, 0, 0);
  check({2, 0}, 3, 0);
  check({3, 1}, 40, 1);
  check({30, 100}, 20, 0);
}

TEST_CASE("Tile: counts and axes that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& arguments) {
    return test::error_of<B>(table<B>(), R"(type: "Tile" input: "x" output: "y")" + arguments,
                             {{"x", test::counted<B, float>({3, 5})}});
  };
  CHECK(test::has(refusal(R"(arg { name: "tiles" i: -1 })"), "tiled -1 times"));
  CHECK(test::has(refusal(R"(arg { name: "axis" i: 2 })"), "has no axis 2"));
  CHECK(test::has(refusal(R"(arg { name: "tiles" i: 9223372036854775807 })"), "no place in memory"));
  // An empty tensor may be tiled any number of times.
  CHECK(test::run_op<B>(table<B>(), R"(type: "Tile" input: "x" output: "y" arg { name: "axis" i: 1 }
                                       arg { name: "tiles" i: 4611686018427387904 })",
                        {{"x", test::of<B, float>({3, 0}, {})}})
            .view("y")
            .dims() == shape{3, 0});
}

}  // namespace
