#include <plait/exec/detail/operators/group_norm.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;

struct layout {
  shape dims;
  std::int64_t groups;
  bool last;
};
std::vector<layout> const layouts = {{{2, 4, 3, 2}, 2, false}, {{2, 3, 2, 4}, 2, true},    {{3, 6, 5}, 3, false},
                                     {{3, 5, 6}, 3, true},     {{4, 6}, 2, false},         {{4, 6}, 3, true},
                                     {{2, 4, 3, 2}, 4, false}, {{2, 4, 3, 2}, 1, false},   {{2, 3, 2, 4}, 1, true},
                                     {{2, 3, 2, 4}, 4, true},  {{0, 4, 3}, 2, false},      {{2, 0, 4}, 2, true},
                                     {{2, 4, 0}, 2, false},    {{2, 4, 70, 61}, 2, false}, {{1, 70, 61, 4}, 2, true}};

std::string op_text(layout const& at, int outputs, std::string const& more) {
  return "type: 'GroupNorm' input: 'x' input: 's' input: 'b' output: 'y'" +
         std::string(outputs == 3 ? " output: 'm' output: 'r'" : "") +
         " arg { name: 'group' i: " + std::to_string(at.groups) + " } arg { name: 'order' s: '" +
         (at.last ? "NHWC" : "NCHW") + "' } " + more;
}

// Results by definition, computed in long double.
struct expected {
  std::vector<double> y, mean, inverse;
};
expected normalized(layout const& at, std::vector<double> const& x, std::vector<double> const& scale,
                    std::vector<double> const& bias, long double epsilon) {
  auto const size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  std::size_t const channels = size(at.dims[at.last ? at.dims.rank() - 1 : 1]);
  std::size_t const items = size(at.dims[0]);
  std::size_t const of_item = items == 0 ? 0 : x.size() / items;
  std::size_t const places = channels == 0 ? 0 : of_item / channels;
  std::size_t const each = channels / size(at.groups);
  auto const place = [&](std::size_t n, std::size_t c, std::size_t p) {
    return n * of_item + (at.last ? p * channels + c : c * places + p);
  };
  expected made{std::vector<double>(x.size()), {}, {}};
  for (std::size_t n = 0; n != items; ++n)
    for (std::size_t g = 0; g != size(at.groups); ++g) {
      auto const total = [&](auto const& f) {
        long double sum = 0;
        for (std::size_t c = g * each; c != (g + 1) * each; ++c)
          for (std::size_t p = 0; p != places; ++p) sum += f(static_cast<long double>(x[place(n, c, p)]));
        return each * places == 0 ? 0 : sum / static_cast<long double>(each * places);
      };
      long double const mean = total([](long double v) { return v; });
      long double const variance = total([&](long double v) { return (v - mean) * (v - mean); });
      long double const inverse = 1 / std::sqrt(variance + epsilon);
      made.mean.push_back(static_cast<double>(mean));
      made.inverse.push_back(static_cast<double>(inverse));
      for (std::size_t c = g * each; c != (g + 1) * each; ++c)
        for (std::size_t p = 0; p != places; ++p)
          made.y[place(n, c, p)] = static_cast<double>((x[place(n, c, p)] - mean) * inverse * scale[c] + bias[c]);
    }
  return made;
}

bool near(std::vector<double> const& got, std::vector<double> const& wanted) {
  return std::ranges::equal(got, wanted,
                            [](double a, double b) { return std::abs(a - b) <= 1e-12 * (30 + std::abs(b)); });
}

TEST_CASE_TEMPLATE("GroupNorm: groups are normalised per item, channels first or last", B, PLAIT_HOST_BACKENDS) {
  auto const& table = test::table<B>();
  for (layout const& at : layouts) {
    CAPTURE(to_string(at.dims));
    CAPTURE(at.groups);
    CAPTURE(at.last);
    shape const channels{at.dims[at.last ? at.dims.rank() - 1 : 1]};
    auto const x = test::random_tensor(at.dims, 1);
    auto const scale = test::random_tensor(channels, 2);
    auto const bias = test::random_tensor(channels, 3);
    test::feeds<B> const fed = {{"x", test::of<B, double>(at.dims, x.values<double>())},
                                {"s", test::of<B, double>(channels, scale.values<double>())},
                                {"b", test::of<B, double>(channels, bias.values<double>())}};
    std::string const epsilon = "arg { name: 'epsilon' f: 0.25 } ";
    expected const wanted = normalized(at, x.values<double>(), scale.values<double>(), bias.values<double>(), 0.25L);
    auto const blobs = test::run_op<B>(table, op_text(at, 3, epsilon + "arg { name: 'is_test' i: 0 }"), fed);
    CHECK(blobs.view("y").dims() == at.dims);
    CHECK(blobs.view("m").dims() == shape{at.dims[0], at.groups});
    CHECK(blobs.view("r").dims() == shape{at.dims[0], at.groups});
    CHECK(near(blobs.template fetch<double>("y"), wanted.y));
    CHECK(near(blobs.template fetch<double>("m"), wanted.mean));
    CHECK(near(blobs.template fetch<double>("r"), wanted.inverse));
    auto const alone = test::run_op<B>(table, op_text(at, 1, epsilon), fed);
    CHECK(alone.template fetch<double>("y") == blobs.template fetch<double>("y"));
  }
}

TEST_CASE_TEMPLATE("GroupNorm: floats run in place, and eps replaces a missing epsilon", B, PLAIT_HOST_BACKENDS) {
  auto const& table = test::table<B>();
  // One group of 0 and 2: mean 1, variance 1; epsilon 3 makes the deviation 2.
  test::feeds<B> const fed = {{"x", test::of<B, float>({1, 2, 1}, {0, 2})},
                              {"s", test::of<B, float>({2}, {4, 8})},
                              {"b", test::of<B, float>({2}, {1, -1})}};
  auto const y = [&](std::string const& output, std::string const& arguments) {
    return test::run_op<B>(table,
                           "type: 'GroupNorm' input: 'x' input: 's' input: 'b' output: '" + output +
                               "' arg { name: 'group' i: 1 } " + arguments,
                           fed)
        .template fetch<float>(output);
  };
  std::vector<float> const wanted = {-1, 3};
  CHECK(y("y", "arg { name: 'epsilon' f: 3 }") == wanted);
  CHECK(y("x", "arg { name: 'epsilon' f: 3 }") == wanted);
  CHECK(y("y", "arg { name: 'eps' f: 3 }") == wanted);
  CHECK(y("y", "arg { name: 'eps' f: 7 } arg { name: 'epsilon' f: 3 }") == wanted);
}

TEST_CASE("GroupNorm: variances do not cancel") {
  using B = plait::serial;
  std::vector<float> x;
  for (int i = 0; i != 64; ++i) x.push_back(i % 2 == 0 ? 16'777'214.0f : 16'777'216.0f);
  auto const blobs = test::run_op<B>(test::table<B>(),
                                     "type: 'GroupNorm' input: 'x' input: 's' input: 'b' output: 'y' arg { name: "
                                     "'group' i: 1 } arg { name: 'epsilon' f: 3 }",
                                     {{"x", test::of<B, float>({1, 4, 16}, x)},
                                      {"s", test::of<B, float>({4}, {1, 1, 1, 1})},
                                      {"b", test::of<B, float>({4}, {0, 0, 0, 0})}});
  auto const y = blobs.fetch<float>("y");
  for (std::size_t i = 0; i != y.size(); i += 2) CHECK(std::abs(y[i + 1] - y[i] - 1) < 1e-3f);  // 2 / sqrt(1 + 3)
}

TEST_CASE("GroupNorm: operands that do not fit are refused") {
  using B = plait::serial;
  auto const error = [](std::string const& arguments, shape const& x = {2, 4, 3}, shape const& s = {4},
                        std::string const& outputs = "output: 'y'") {
    try {
      auto const values = [](shape const& dims) {
        return test::of<B, float>(dims, std::vector<float>(static_cast<std::size_t>(dims.size()), 1));
      };
      test::run_op<B>(test::table<B>(), "type: 'GroupNorm' input: 'x' input: 's' input: 'b' " + outputs + arguments,
                      {{"x", values(x)}, {"s", values(s)}, {"b", values({4})}});
    } catch (plait::exec_error const& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  auto const contains = [](std::string const& text, char const* part) {
    CAPTURE(text);
    CHECK(text.find(part) != text.npos);
  };
  std::string const two = "arg { name: 'group' i: 2 } ";
  CHECK(error(two) == "nothing");
  contains(error(""), "channels for 32 groups");
  contains(error("arg { name: 'group' i: 3 }"), "channels for 3 groups");
  contains(error("arg { name: 'group' i: 0 }"), "less than 1");
  contains(error(two + "arg { name: 'order' s: 'CHWN' }"), "NCHW or NHWC");
  contains(error(two + "arg { name: 'is_test' i: 0 }"), "3 outputs, not 1");
  contains(error(two, {2, 4, 3}, {4}, "output: 'y' output: 'm' "), "1 or 3");
  contains(error(two, {2, 4, 3}, {3}), "an extent of 3 in axis 1, as input 1");
  contains(error(two, {4}), "at least 2");
}

}  // namespace
