#include <plait/exec/detail/operators/convolution_transpose.hpp>

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

struct transposed_case {
  shape x;
  shape w;  // channels of X, channels of Y of a group, taps
  std::int64_t group;
  numbers strides;
  numbers dilations;
  numbers more;
  numbers pads;
};
std::vector<transposed_case> const cases = {
    {{2, 3, 4}, {3, 2, 3}, 1, {1}, {1}, {0}, {0, 0}},
    {{1, 4, 5}, {4, 3, 4}, 2, {2}, {1}, {1}, {1, 0}},
    {{2, 2, 3, 4}, {2, 3, 2, 3}, 1, {2, 3}, {1, 1}, {0, 1}, {0, 1, 1, 0}},
    {{1, 6, 3, 3}, {6, 1, 3, 3}, 6, {2, 2}, {2, 1}, {1, 0}, {1, 1, 1, 1}},
    {{2, 2, 2, 3, 2}, {2, 2, 2, 2, 3}, 1, {1, 2, 1}, {1, 1, 2}, {0, 0, 0}, {0, 0, 1, 0, 1, 0}},
    {{0, 2, 3}, {2, 1, 3}, 1, {2}, {1}, {0}, {0, 0}}};

std::string list(char const* name, numbers const& of) {
  std::string made = " arg { name: '" + std::string(name) + '\'';
  for (std::int64_t const each : of) made += " ints: " + std::to_string(each);
  return made + " }";
}
std::string arguments(transposed_case const& c) {
  return list("kernels", numbers(c.w.begin() + 2, c.w.end())) + list("strides", c.strides) +
         list("dilations", c.dilations) + list("adjs", c.more) + list("pads", c.pads) +
         " arg { name: 'group' i: " + std::to_string(c.group) + " }";
}

shape output_of(transposed_case const& c) {
  shape made = {c.x[0], c.w[1] * c.group};
  std::size_t const axes = c.x.rank() - 2;
  for (std::size_t axis = 0; axis != axes; ++axis)
    made.push_back((c.x[axis + 2] - 1) * c.strides[axis] + c.dilations[axis] * (c.w[axis + 2] - 1) + 1 + c.more[axis] -
                   c.pads[axis] - c.pads[axes + axis]);
  return made;
}

/// Adds each element of x, times the weights, to the places of its window.
std::vector<double> transposed(transposed_case const& c, std::vector<double> const& x, std::vector<double> const& w,
                               std::vector<double> const& b) {
  shape const dims = output_of(c);
  std::vector<double> y;
  for (test::index const& at : test::indices(dims)) y.push_back(b[static_cast<std::size_t>(at[1])]);
  std::int64_t const of_group = c.x[1] / c.group;
  for (test::index const& from : test::indices(c.x))
    for (test::index const& tap : test::indices(c.w)) {
      if (tap[0] != from[1]) continue;
      test::index to = {from[0], from[1] / of_group * c.w[1] + tap[1]};
      bool inside = true;
      for (std::size_t axis = 0; axis + 2 != from.size(); ++axis) {
        to.push_back(from[axis + 2] * c.strides[axis] + tap[axis + 2] * c.dilations[axis] - c.pads[axis]);
        inside = inside && to.back() >= 0 && to.back() < dims[axis + 2];
      }
      if (inside) y[test::place(dims, to)] += x[test::place(c.x, from)] * w[test::place(c.w, tap)];
    }
  return y;
}

TEST_CASE_TEMPLATE("ConvTranspose: agrees with its definition for 1 to 3 axes, group, stride, dilation, padding", B,
                   PLAIT_HOST_BACKENDS) {
  for (transposed_case const& c : cases) {
    CAPTURE(to_string(c.x));
    auto const x = test::random_tensor(c.x, 1).template values<double>();
    auto const w = test::random_tensor(c.w, 2).template values<double>();
    shape const dims = output_of(c);
    auto const b = test::random_tensor({dims[1]}, 3).template values<double>();
    auto const blobs = test::run_op<B>(
        test::table<B>(), "type: 'ConvTranspose' input: 'x' input: 'w' input: 'b' output: 'y'" + arguments(c),
        {{"x", test::of<B>(c.x, x)}, {"w", test::of<B>(c.w, w)}, {"b", test::of<B>({dims[1]}, b)}});
    CHECK(blobs.view("y").dims() == dims);
    auto const made = blobs.template fetch<double>("y");
    auto const wanted = transposed(c, x, w, b);
    REQUIRE(made.size() == wanted.size());
    for (std::size_t i = 0; i != made.size(); ++i) CHECK(made[i] == doctest::Approx(wanted[i]).epsilon(1e-12));
  }
}

// Returns a shape with its second axis moved to the end.
shape last_of(shape const& dims) {
  shape made = {dims[0]};
  for (std::size_t axis = 2; axis != dims.rank(); ++axis) made.push_back(dims[axis]);
  made.push_back(dims[1]);
  return made;
}
// Returns elements in the order of that shape.
std::vector<double> last_of(shape const& dims, std::vector<double> const& x) {
  std::vector<double> made(x.size());
  for (test::index const& at : test::indices(dims)) {
    test::index to(at);
    to.erase(to.begin() + 1);
    to.push_back(at[1]);
    made[test::place(last_of(dims), to)] = x[test::place(dims, at)];
  }
  return made;
}

TEST_CASE_TEMPLATE("ConvTranspose: channels may be last, and its gradient agrees with differences", B,
                   PLAIT_HOST_BACKENDS) {
  for (transposed_case const& c : cases) {
    CAPTURE(to_string(c.x));
    auto const x = test::random_tensor(c.x, 1).template values<double>();
    auto const w = test::random_tensor(c.w, 2).template values<double>();
    shape const dims = output_of(c);
    auto const b = test::random_tensor({dims[1]}, 3);
    auto const last_x = test::of<plait::serial>(last_of(c.x), last_of(c.x, x));
    auto const last_w = test::of<plait::serial>(last_of(c.w), last_of(c.w, w));
    std::string const forward = "type: 'ConvTranspose' input: 'x' input: 'w' input: 'b' output: 'y'" + arguments(c) +
                                " arg { name: 'order' s: 'NHWC' }";
    auto const blobs = test::run_op<B>(test::table<B>(), forward,
                                       {{"x", test::of<B>(last_x.dims(), last_x.template values<double>())},
                                        {"w", test::of<B>(last_w.dims(), last_w.template values<double>())},
                                        {"b", test::of<B>(b.dims(), b.template values<double>())}});
    CHECK(blobs.view("y").dims() == last_of(dims));
    auto const made = blobs.template fetch<double>("y");
    auto const wanted = last_of(dims, transposed(c, x, w, b.template values<double>()));
    REQUIRE(made.size() == wanted.size());
    for (std::size_t i = 0; i != made.size(); ++i) CHECK(made[i] == doctest::Approx(wanted[i]).epsilon(1e-12));
    test::check_gradient_of_op(
        test::table<B>(), test::table<plait::serial>(),
        {.forward = forward,
         .gradient = "type: 'ConvTransposeGradient' input: 'x' input: 'w' input: 'y_grad' output: 'w_grad' output: "
                     "'b_grad' output: 'x_grad'" +
                     arguments(c) + " arg { name: 'order' s: 'NHWC' }",
         .fed = {{"x", last_x.clone()}, {"w", last_w.clone()}, {"b", b.clone()}}});
  }
}

TEST_CASE_TEMPLATE("ConvTransposeGradient: agrees with differences", B, PLAIT_HOST_BACKENDS) {
  for (transposed_case const& c : cases) {
    CAPTURE(to_string(c.x));
    shape const bias{output_of(c)[1]};
    test::check_gradient_of_op(
        test::table<B>(), test::table<plait::serial>(),
        {.forward = "type: 'ConvTranspose' input: 'x' input: 'w' input: 'b' output: 'y'" + arguments(c),
         .gradient = "type: 'ConvTransposeGradient' input: 'x' input: 'w' input: 'y_grad' output: 'w_grad' output: "
                     "'b_grad' output: 'x_grad'" +
                     arguments(c),
         .fed = {{"x", test::random_tensor(c.x, 1)},
                 {"w", test::random_tensor(c.w, 2)},
                 {"b", test::random_tensor(bias, 3)}}});
    test::check_gradient_of_op(
        test::table<B>(), test::table<plait::serial>(),
        {.forward = "type: 'ConvTranspose' input: 'x' input: 'w' output: 'y'" + arguments(c),
         .gradient = "type: 'ConvTransposeGradient' input: 'x' input: 'w' input: 'y_grad' output: 'w_grad' output: "
                     "'x_grad' arg { name: 'no_bias' i: 1 }" +
                     arguments(c),
         .fed = {{"x", test::random_tensor(c.x, 1)}, {"w", test::random_tensor(c.w, 2)}}});
  }
}

TEST_CASE("ConvTranspose: shapes and arguments that do not fit are refused") {
  using B = plait::serial;
  auto const error = [](std::string const& more, shape const& x = {1, 2, 3, 3}, shape const& w = {2, 1, 2, 2}) {
    return test::error_of<B>(test::table<B>(), "type: 'ConvTranspose' input: 'x' input: 'w' output: 'y' " + more,
                             {{"x", test::counted<B, float>(x)}, {"w", test::counted<B, float>(w)}});
  };
  std::string const two = "arg { name: 'kernel' i: 2 } ";
  CHECK(test::has(error(""), "'kernel' is missing"));
  CHECK(test::has(error(two + "arg { name: 'order' s: 'CHWN' }"), "must be NCHW or NHWC"));
  CHECK(test::has(error(two + "arg { name: 'order' s: 'NHWC' }"), "axis 3"));
  CHECK(test::has(error(two, {1, 3, 3, 3}), "axis 1"));
  CHECK(test::has(error("arg { name: 'kernel' i: 3 }"), "the kernel's extent of 3"));
  CHECK(test::has(error(two + "arg { name: 'pad' i: 4 }"), "more places in axis 2 than the padding cuts off"));
  CHECK(test::has(error(two + "arg { name: 'group' i: 4 }"), "channels for 4 groups"));
  CHECK(test::has(error(two, {1, 2, 3}), "4 dimensions"));
}

}  // namespace
