#include <plait/exec/detail/operators/local_response_norm.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;

struct response_case {
  shape dims;
  int size;
  bool last;
};
std::vector<response_case> const cases = {{{2, 6, 3, 2}, 3, false}, {{2, 3, 2, 7}, 5, true},   {{3, 5}, 4, false},
                                          {{1, 4, 5}, 1, false},    {{2, 3, 4}, 9, true},      {{0, 3, 2, 2}, 3, false},
                                          {{2, 0, 3}, 3, false},    {{1, 9, 40, 41}, 5, false}};

std::string arguments(response_case const& at) {
  return " arg { name: 'size' i: " + std::to_string(at.size) +
         " } arg { name: 'alpha' f: 0.5 } arg { name: 'beta' f: 0.75 } arg { name: 'bias' f: 2 } arg { name: 'order' "
         "s: '" +
         (at.last ? "NHWC" : "NCHW") + "' }";
}

// Computes LRN by definition, in long double.
void respond(response_case const& at, std::vector<double> const& x, std::vector<double>& y,
             std::vector<double>& scale) {
  std::size_t const axis = at.last ? at.dims.rank() - 1 : 1;
  auto const channels = static_cast<std::int64_t>(at.dims[axis]);
  for (test::index const& i : test::indices(at.dims)) {
    long double sum = 0;
    for (std::int64_t k = i[axis] - (at.size - 1) / 2; k != i[axis] - (at.size - 1) / 2 + at.size; ++k) {
      if (k < 0 || k >= channels) continue;
      test::index j = i;
      j[axis] = k;
      long double const value = x[test::place(at.dims, j)];
      sum += value * value;
    }
    long double const s = 2 + 0.5L / at.size * sum;
    scale.push_back(static_cast<double>(s));
    y.push_back(static_cast<double>(x[test::place(at.dims, i)] * std::pow(s, -0.75L)));
  }
}

template <class T>
bool near(std::vector<T> const& got, std::vector<double> const& wanted, double tolerance) {
  return std::ranges::equal(got, wanted, [&](T a, double b) {
    return std::abs(static_cast<double>(a) - b) <= tolerance * (1 + std::abs(b));
  });
}

TEST_CASE_TEMPLATE("LRN: normalises over windows of channels, first or last", B, PLAIT_HOST_BACKENDS) {
  for (response_case const& at : cases) {
    CAPTURE(to_string(at.dims));
    CAPTURE(at.size);
    auto const x = test::random_tensor(at.dims, 1).values<double>();
    std::vector<double> y, scale;
    respond(at, x, y, scale);
    std::vector<float> const few(x.begin(), x.end());
    auto const blobs =
        test::run_op<B>(test::table<B>(), "type: 'LRN' input: 'x' output: 'y' output: 's'" + arguments(at),
                        {{"x", test::of<B, double>(at.dims, x)}});
    CHECK(blobs.view("y").dims() == at.dims);
    CHECK(near(blobs.template fetch<double>("y"), y, 1e-13));
    CHECK(near(blobs.template fetch<double>("s"), scale, 1e-13));
    auto const alone = test::run_op<B>(test::table<B>(), "type: 'LRN' input: 'x' output: 'y'" + arguments(at),
                                       {{"x", test::of<B, float>(at.dims, few)}});
    CHECK(near(alone.template fetch<float>("y"), y, 1e-6));
  }
}

TEST_CASE_TEMPLATE("LRNGradient: agrees with differences", B, PLAIT_HOST_BACKENDS) {
  for (response_case const& at : cases) {
    if (at.dims.size() > 1000) continue;
    CAPTURE(to_string(at.dims));
    test::check_gradient_of_op(
        test::table<B>(), test::table<plait::serial>(),
        {.forward = "type: 'LRN' input: 'x' output: 'y'" + arguments(at),
         .gradient = "type: 'LRNGradient' input: 'x' input: 'y' input: 'y_grad' output: 'x_grad'" + arguments(at),
         .fed = {{"x", test::random_tensor(at.dims, 2)}}});
  }
}

TEST_CASE("LRN: sizes, orders and shapes that do not fit are refused") {
  using B = plait::serial;
  auto const error = [](std::string const& op, shape const& dims) {
    return test::error_of<B>(test::table<B>(), op, {{"x", test::counted<B, float>(dims)}});
  };
  CHECK(test::has(error("type: 'LRN' input: 'x' output: 'y'", {2, 3}), "'size'"));
  CHECK(test::has(error("type: 'LRN' input: 'x' output: 'y' arg { name: 'size' i: 3 }", {3}), "input 0 'x'"));
  CHECK(test::has(
      error("type: 'LRN' input: 'x' output: 'y' arg { name: 'size' i: 3 } arg { name: 'order' s: 'CHWN' }", {2, 3}),
      "'order'"));
}

}  // namespace
