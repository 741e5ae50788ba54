#include <plait/exec/detail/operators/resize_nearest.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;

struct resize_case {
  shape dims;
  float height;
  float width;
  bool last;
};
std::vector<resize_case> const cases = {
    {{2, 3, 4, 5}, 2, 2, false},    {{2, 3, 4, 5}, 3, 0.5f, false},    {{2, 4, 5, 3}, 1.5f, 2.5f, true},
    {{1, 2, 5, 7}, 0.3f, 1, false}, {{1, 2, 5, 7}, 1.1f, 1.9f, false}, {{0, 2, 3, 4}, 2, 2, false},
    {{1, 1, 3, 4}, 0.2f, 2, false}, {{2, 3, 30, 41}, 2, 2, false},     {{2, 30, 41, 3}, 2, 0.7f, true}};

std::string arguments(resize_case const& at) {
  return " arg { name: 'height_scale' f: " + std::to_string(at.height) +
         " } arg { name: 'width_scale' f: " + std::to_string(at.width) + " } arg { name: 'order' s: '" +
         (at.last ? "NHWC" : "NCHW") + "' }";
}

TEST_CASE_TEMPLATE("ResizeNearest: each element is a copy of the nearest input element", B, PLAIT_HOST_BACKENDS) {
  for (resize_case const& at : cases) {
    CAPTURE(to_string(at.dims));
    CAPTURE(at.height);
    CAPTURE(at.width);
    std::size_t const first = at.last ? 1 : 2;
    shape made = at.dims;
    made.set(first, static_cast<std::int64_t>(static_cast<double>(at.dims[first]) * at.height));
    made.set(first + 1, static_cast<std::int64_t>(static_cast<double>(at.dims[first + 1]) * at.width));
    auto const x = test::numbered<float>(at.dims);
    std::vector<float> wanted;
    for (test::index i : test::indices(made)) {
      auto const source = [&](std::size_t axis, float scale) {
        i[axis] = std::min(static_cast<std::int64_t>(static_cast<float>(i[axis]) / scale), at.dims[axis] - 1);
      };
      source(first, at.height);
      source(first + 1, at.width);
      wanted.push_back(x[test::place(at.dims, i)]);
    }
    auto const blobs = test::run_op<B>(test::table<B>(), "type: 'ResizeNearest' input: 'x' output: 'y'" + arguments(at),
                                       {{"x", test::of<B, float>(at.dims, x)}});
    CHECK(blobs.view("y").dims() == made);
    CHECK(blobs.template fetch<float>("y") == wanted);
  }
}

TEST_CASE_TEMPLATE("ResizeNearestGradient: agrees with differences", B, PLAIT_HOST_BACKENDS) {
  for (resize_case const& at : cases) {
    if (at.dims.size() > 1000) continue;
    CAPTURE(to_string(at.dims));
    test::check_gradient_of_op(
        test::table<B>(), test::table<plait::serial>(),
        {.forward = "type: 'ResizeNearest' input: 'x' output: 'y'" + arguments(at),
         .gradient = "type: 'ResizeNearestGradient' input: 'y_grad' input: 'x' output: 'x_grad'" + arguments(at),
         .fed = {{"x", test::random_tensor(at.dims, 2)}}});
  }
}

TEST_CASE("ResizeNearest: scales and shapes that do not fit are refused") {
  using B = plait::serial;
  auto const error = [](std::string const& more, shape const& dims) {
    return test::error_of<B>(test::table<B>(), "type: 'ResizeNearest' input: 'x' output: 'y' " + more,
                             {{"x", test::counted<B, float>(dims)}});
  };
  CHECK(test::has(error("arg { name: 'height_scale' f: 0 }", {1, 1, 2, 2}), "'height_scale'"));
  CHECK(test::has(error("arg { name: 'width_scale' f: nan }", {1, 1, 2, 2}), "'width_scale'"));
  CHECK(test::has(error("arg { name: 'width_scale' f: 1e30 }", {1, 1, 2, 2}), "fewer places in axis 3"));
  CHECK(test::has(error("", {2, 2, 2}), "input 0 'x'"));
}

}  // namespace
