#include <plait/exec/detail/operators/pad.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using numbers = std::vector<std::int64_t>;

std::string list(char const* name, numbers const& of) {
  std::string made = " arg { name: '" + std::string(name) + '\'';
  for (std::int64_t const each : of) made += " ints: " + std::to_string(each);
  return made + " }";
}

/// Returns where place i of an axis comes from, -1 for the constant: i is 0 at the first place of the input.
std::int64_t source(std::string const& mode, std::int64_t i, std::int64_t extent) {
  if (i >= 0 && i < extent) return i;
  if (mode == "constant") return -1;
  if (mode == "edge") return i < 0 ? 0 : extent - 1;
  if (mode == "wrap") return ((i % extent) + extent) % extent;
  return i < 0 ? -i : 2 * (extent - 1) - i;
}

struct pad_case {
  shape dims;
  numbers pads;
  numbers axes;
};
std::vector<pad_case> const cases = {{{5}, {2, 3}, {}},
                                     {{3, 4}, {1, 0, 0, 2}, {}},
                                     {{2, 3, 4}, {1, -1, 2, 0, 2, 3}, {}},
                                     {{3, 4, 5}, {2, 1}, {-1}},
                                     {{3, 4, 5}, {2, -1, 1, 0}, {2, 0}},
                                     {{3, 2, 2, 4, 3}, {0, 1, 0, 1, 2, 1, 0, 0, 1, -1}, {}},
                                     {{40, 33, 21}, {1, 2, 3, 4, 5, 6}, {}},
                                     {{2, 3}, {0, -2, 0, -1}, {}},
                                     {{}, {}, {}}};

TEST_CASE_TEMPLATE("Pad: follows the definition in all modes, of arguments and of inputs", B, PLAIT_HOST_BACKENDS) {
  for (pad_case const& at : cases)
    for (std::string const mode : {"constant", "reflect", "edge", "wrap"}) {
      numbers head(at.dims.rank(), 0);
      numbers tail(at.dims.rank(), 0);
      std::size_t const count = at.pads.size() / 2;
      for (std::size_t k = 0; k != count; ++k) {
        auto const rank = static_cast<std::int64_t>(at.dims.rank());
        auto const axis =
            static_cast<std::size_t>(at.axes.empty() ? static_cast<std::int64_t>(k) : (at.axes[k] + rank) % rank);
        head[axis] = at.pads[k];
        tail[axis] = at.pads[k + count];
      }
      shape made;
      bool fits = true;
      for (std::size_t axis = 0; axis != at.dims.rank(); ++axis) {
        made.push_back(head[axis] + at.dims[axis] + tail[axis]);
        fits = fits && (mode != "reflect" || (head[axis] < at.dims[axis] && tail[axis] < at.dims[axis]));
      }
      if (!fits) continue;
      auto const x = test::numbered<double>(at.dims, 1.0);
      std::vector<double> wanted;
      for (test::index i : test::indices(made)) {
        bool inside = true;
        for (std::size_t axis = 0; axis != i.size(); ++axis) {
          i[axis] = source(mode, i[axis] - head[axis], at.dims[axis]);
          inside = inside && i[axis] >= 0;
        }
        wanted.push_back(inside ? x[test::place(at.dims, i)] : -7.5);
      }
      CAPTURE(mode);
      CAPTURE(to_string(at.dims));
      auto const by_arguments =
          test::run_op<B>(test::table<B>(),
                          "type: 'Pad' input: 'x' input: 'value' output: 'y' arg { name: 'mode' s: '" + mode + "' }" +
                              list("pads", at.pads) + list("axes", at.axes),
                          {{"x", test::of<B>(at.dims, x)}, {"value", test::of<B>({}, std::vector<double>{-7.5})}});
      auto const by_inputs = test::run_op<B>(
          test::table<B>(),
          "type: 'Pad' input: 'x' input: 'pads' input: 'value' input: 'axes' output: 'y' arg { name: 'mode' s: '" +
              mode + "' }",
          {{"x", test::of<B>(at.dims, x)},
           {"pads", test::of<B>({static_cast<std::int64_t>(at.pads.size())}, at.pads)},
           {"value", test::of<B>({1}, std::vector<double>{-7.5})},
           {"axes", test::of<B>({static_cast<std::int64_t>(at.axes.size())}, at.axes)}});
      for (auto const* blobs : {&by_arguments, &by_inputs}) {
        CHECK(blobs->view("y").dims() == made);
        CHECK(blobs->template fetch<double>("y") == wanted);
      }
    }
}

TEST_CASE_TEMPLATE("Pad: elements of every size are moved, and the constant is 0 unless given", B,
                   PLAIT_HOST_BACKENDS) {
  auto const run = [&]<class T>(T) {
    auto const blobs = test::run_op<B>(test::table<B>(), "type: 'Pad' input: 'x' output: 'y'" + list("pads", {1, 2}),
                                       {{"x", test::counted<B, T>({2}, T(3))}});
    CHECK(blobs.template fetch<T>("y") == std::vector<T>{0, 3, 4, 0, 0});
  };
  run(std::uint8_t());
  run(std::int32_t());
  run(std::int64_t());
}

TEST_CASE_TEMPLATE("Pad: the gradient of a constant margin is Pad with negative pads", B, PLAIT_HOST_BACKENDS) {
  test::check_gradient_of_op(
      test::table<B>(), test::table<plait::serial>(),
      {.forward = "type: 'Pad' input: 'x' output: 'y'" + list("pads", {1, 0, -1, 2, 1, 0}),
       .gradient = "type: 'Pad' input: 'y_grad' output: 'x_grad'" + list("pads", {-1, 0, 1, -2, -1, 0}),
       .fed = {{"x", test::random_tensor({2, 3, 3}, 2)}}});
}

TEST_CASE("Pad: pads and modes that do not fit are refused") {
  using B = plait::serial;
  auto const error = [](std::string const& more, shape const& dims = {2, 3}) {
    return test::error_of<B>(test::table<B>(), "type: 'Pad' input: 'x' output: 'y' " + more,
                             {{"x", test::counted<B, float>(dims)}});
  };
  CHECK(test::has(error(""), "'pads' is missing"));
  CHECK(test::has(error(list("pads", {1, 1})), "2 pads are given for 2 axes"));
  CHECK(test::has(error(list("pads", {1, 1, 1, 1}) + list("axes", {0, -2})), "axis 0 has pads twice"));
  CHECK(test::has(error(list("pads", {-2, 0, -1, 0})), "as many places in axis 0 as are cut off"));
  CHECK(test::has(error(list("pads", {2, 0, 0, 0}) + " arg { name: 'mode' s: 'reflect' }"), "a reflected margin"));
  CHECK(test::has(error(list("pads", {1, 0, 0, 0}) + " arg { name: 'mode' s: 'wrap' }", {0, 1}), "to repeat"));
  CHECK(test::has(error(list("pads", {0, 0, 0, 0}) + " arg { name: 'mode' s: 'mirror' }"), "'mode' must be"));
  CHECK(test::has(error(list("pads", {0, 0, std::int64_t{1} << 40, 0})), "very large"));
}

}  // namespace
