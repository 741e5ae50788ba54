#include <plait/exec/detail/operators/slice_gradients.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;

std::string list(char const* name, std::vector<int> const& numbers) {
  std::string text = std::string("arg { name: '") + name + "'";
  for (int const number : numbers) text += " ints: " + std::to_string(number);
  return text + " } ";
}

TEST_CASE_TEMPLATE("SliceGradient: bounds may be arguments or inputs", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const reference = table<plait::serial>();
  struct sample {
    shape dims;
    std::vector<int> starts, ends;
  };
  std::vector<sample> const samples = {
      {{6}, {2}, {5}},
      {{3, 5}, {0, 0}, {-1, -2}},
      {{3, 5}, {1}, {2}},
      {{3, 5}, {0, 2}, {3, 4}},
      {{2, 3, 4}, {0, 1, 0}, {-1, 2, -1}},
      {{2, 3, 4}, {0, 0, 3}, {-1, -1, 100}},
      {{2, 3, 4}, {0, 0, 0}, {-1, -1, -1}},
      {{3, 5}, {0, 2}, {-1, 2}},
      {{3, 0}, {1, 0}, {2, 0}},
      {{300, 40, 3}, {0, 7}, {-1, 31}},
      {{90, 1'000}, {30}, {60}},
  };
  for (sample const& s : samples) {
    CAPTURE(plait::to_string(s.dims));
    std::string const bounds = list("starts", s.starts) + list("ends", s.ends);
    test::check_gradient_of_op(
        operators, reference,
        {.forward = "type: 'Slice' input: 'x' output: 'y' " + bounds,
         .gradient = "type: 'SliceGradient' input: 'x' input: 'y_grad' output: 'x_grad' " + bounds,
         .fed = {{"x", test::random_tensor(s.dims, 3)}},
         .most_differences = 40});
    auto const count = static_cast<std::int64_t>(s.starts.size());
    auto const check = [&]<class I>(I) {
      test::check_gradient_of_op(
          operators, reference,
          {.forward = "type: 'Slice' input: 'x' input: 's' input: 'e' output: 'y'",
           .gradient = "type: 'SliceGradient' input: 'x' input: 's' input: 'e' input: 'y_grad' output: 'x_grad'",
           .fed = {{"x", test::random_tensor(s.dims, 3)},
                   {"s", test::of<plait::serial, I>({count}, {s.starts.begin(), s.starts.end()})},
                   {"e", test::of<plait::serial, I>({count}, {s.ends.begin(), s.ends.end()})}},
           .most_differences = 40});
    };
    check(std::int32_t());
    check(std::int64_t());
  }
}

TEST_CASE_TEMPLATE("SliceGradient: types and bounds may vary, wrong operands are refused", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const blobs = test::run_op<B>(
      operators,
      "type: 'SliceGradient' input: 'x' input: 'dy' output: 'dx' " + list("starts", {0, 1}) + list("ends", {-1, 3}),
      {{"x", test::counted<B, std::int32_t>({2, 4})}, {"dy", test::counted<B, std::int32_t>({2, 2}, 5)}});
  CHECK(blobs.template fetch<std::int32_t>("dx") == std::vector<std::int32_t>{0, 5, 6, 0, 0, 7, 8, 0});

  plait::workspace<B> changing;
  changing.feed("x", test::counted<B, float>({4}));
  changing.feed("s", test::of<B, std::int32_t>({1}, {0}));
  changing.feed("e", test::of<B, std::int32_t>({1}, {2}));
  changing.feed("dy", test::counted<B, float>({2}, 1));
  auto plan = plait::compile(plait::read_netdef_text("op { type: 'SliceGradient' input: 'x' input: 's' input: 'e' "
                                                     "input: 'dy' output: 'dx' }"),
                             operators, changing);
  plan.run();
  CHECK(changing.template fetch<float>("dx") == std::vector<float>{1, 2, 0, 0});
  changing.feed("s", test::of<B, std::int32_t>({1}, {2}));
  changing.feed("e", test::of<B, std::int32_t>({1}, {4}));
  plan.run();
  CHECK(changing.template fetch<float>("dx") == std::vector<float>{0, 0, 1, 2});

  auto const x = test::counted<B, float>({2, 4});
  auto const dy = test::counted<B, float>({2, 2});
  std::string const op = "type: 'SliceGradient' input: 'x' input: 'dy' output: 'dx' ";
  std::string text =
      test::error_of<B>(operators, op + list("starts", {0, 1}) + list("ends", {-1, 4}), {{"x", x}, {"dy", dy}});
  CHECK(test::has(text, "be 2x3, as the part is"));
  text = test::error_of<B>(operators, op, {{"x", x}, {"dy", dy}});
  CHECK(test::has(text, "is missing"));
  text = test::error_of<B>(operators, op + "input: 's'", {{"x", x}, {"dy", dy}, {"s", dy}});
  CHECK(test::has(text, "an input of starts and none of ends"));
}

TEST_CASE_TEMPLATE("TileGradient: arguments or inputs set any axis and number of tiles", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const reference = table<plait::serial>();
  for (shape const& dims : {shape{3}, {2, 3}, {1, 4, 2}, {0, 2}, {40, 50, 1}})
    for (int axis = -static_cast<int>(dims.rank()); axis != static_cast<int>(dims.rank()); ++axis)
      for (int const tiles : {1, 2, 5}) {
        CAPTURE(plait::to_string(dims));
        std::string const arguments = "arg { name: 'tiles' i: " + std::to_string(tiles) +
                                      " } arg { name: 'axis' i: " + std::to_string(axis) + " }";
        test::check_gradient_of_op(operators, reference,
                                   {.forward = "type: 'Tile' input: 'x' output: 'y' " + arguments,
                                    .gradient = "type: 'TileGradient' input: 'y_grad' output: 'x_grad' " + arguments,
                                    .fed = {{"x", test::random_tensor(dims, 4)}},
                                    .most_differences = 20});
        test::check_gradient_of_op(
            operators, reference,
            {.forward = "type: 'Tile' input: 'x' input: 't' input: 'a' output: 'y'",
             .gradient = "type: 'TileGradient' input: 'y_grad' input: 't' input: 'a' output: 'x_grad'",
             .fed = {{"x", test::random_tensor(dims, 4)},
                     {"t", test::of<plait::serial, std::int32_t>({1}, {tiles})},
                     {"a", test::of<plait::serial, std::int64_t>({}, {axis})}},
             .most_differences = 20});
      }
  auto const refused = [&](int tiles) {
    return test::error_of<B>(
        operators,
        "type: 'TileGradient' input: 'dy' output: 'dx' arg { name: 'tiles' i: " + std::to_string(tiles) + " }",
        {{"dy", test::counted<B, float>({6})}});
  };
  CHECK(test::has(refused(4), "be 4 tiles along axis 0"));
  CHECK(test::has(refused(0), "tiled 0 times has no gradient"));
  CHECK(refused(3).empty());
}

}  // namespace
