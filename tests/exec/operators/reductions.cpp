#include <plait/exec/detail/operators/reductions.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
std::vector<T> numbers(std::int64_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<T> made(static_cast<std::size_t>(count));
  for (T& x : made) {
    if constexpr (std::floating_point<T>)
      x = static_cast<T>(static_cast<double>(random() % 20001) / 10000.0 - 1.0);
    else
      x = static_cast<T>(static_cast<int>(random() % 201) - 100);
  }
  return made;
}

// Reductions by definition: each element, in order, contributes to the result that its kept indices name.
struct oracle {
  std::vector<long double> sum, magnitudes, squares;
  std::vector<double> max, min;
  long double count = 1;
  template <class T>
  oracle(shape const& dims, std::vector<T> const& x, std::vector<bool> const& reduced) {
    std::int64_t results = 1;
    for (std::size_t axis = 0; axis != dims.rank(); ++axis)
      if (reduced[axis])
        count *= static_cast<long double>(dims[axis]);
      else
        results *= dims[axis];
    auto const size = static_cast<std::size_t>(results);
    sum.assign(size, 0);
    magnitudes = squares = sum;
    max.assign(size, -infinity);
    min.assign(size, infinity);
    for (std::size_t i = 0; i != x.size(); ++i) {
      std::int64_t left = static_cast<std::int64_t>(i);
      std::int64_t place = 0;
      std::int64_t next = 1;
      for (std::size_t axis = dims.rank(); axis-- != 0; left /= dims[axis])
        if (!reduced[axis]) {
          place += left % dims[axis] * next;
          next *= dims[axis];
        }
      auto const at = static_cast<std::size_t>(place);
      auto const value = static_cast<double>(x[i]);
      sum[at] += value;
      magnitudes[at] += std::abs(value);
      squares[at] += value * value;
      max[at] = std::max(max[at], value);
      min[at] = std::min(min[at], value);
    }
  }
  std::vector<double> scale(std::string const& what) const {
    return what == "Sum" ? of("L1") : what == "Mean" ? of("mean of magnitudes") : of(what);
  }
  std::vector<double> of(std::string const& what) const {
    std::vector<double> made(sum.size());
    for (std::size_t i = 0; i != made.size(); ++i) {
      if (what == "Sum") made[i] = static_cast<double>(sum[i]);
      if (what == "Mean") made[i] = static_cast<double>(sum[i] / count);
      if (what == "L1") made[i] = static_cast<double>(magnitudes[i]);
      if (what == "mean of magnitudes") made[i] = static_cast<double>(magnitudes[i] / count);
      if (what == "L2") made[i] = static_cast<double>(std::sqrt(squares[i]));
      if (what == "Max") made[i] = max[i];
      if (what == "Min") made[i] = min[i];
    }
    return made;
  }
};

// Checks that errors are within a few ulps of `magnitudes`, the sums of the absolute values of the terms.
template <class T>
void check_close(std::vector<T> const& got, std::vector<double> const& wanted, std::vector<double> const& magnitudes) {
  REQUIRE(got.size() == wanted.size());
  double const unit = std::floating_point<T> ? 4 * static_cast<double>(std::numeric_limits<T>::epsilon()) : 0;
  for (std::size_t i = 0; i != got.size(); ++i) {
    if (got[i] == static_cast<T>(wanted[i])) continue;
    CHECK(std::abs(static_cast<double>(got[i]) - wanted[i]) <= unit * magnitudes[i]);
  }
}

std::string op(std::string const& type, std::string const& arguments = {}) {
  return "type: \"" + type + "\" input: \"x\" output: \"y\" " + arguments;
}

TEST_CASE_TEMPLATE("Reduce*: any axes are reduced, kept or not, for each type", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  struct sample {
    shape dims;
    std::vector<bool> reduced;
  };
  std::vector<sample> const samples = {
      {{2, 3, 4}, {true, true, true}},
      {{2, 3, 4}, {false, true, false}},
      {{2, 3, 4}, {true, false, true}},
      {{2, 3, 4}, {false, false, true}},
      {{7}, {true}},
      {{}, {}},
      {{2, 1, 3}, {false, true, false}},
      {{3, 2, 5, 2, 3}, {true, false, true, false, true}},
      {{2, 3, 2, 3, 2, 3}, {false, true, false, true, false, true}},
      {{3, 20000}, {false, true}},
      {{1300, 3}, {true, false}},
      {{20000, 1, 2}, {true, false, false}},
      {{3, 5, 700}, {false, true, false}},
      {{3, 70, 9}, {true, false, true}},
  };
  auto const check = [&]<class T>(T, std::vector<std::string> const& kinds) {
    for (sample const& s : samples) {
      CAPTURE(plait::to_string(s.dims));
      auto const x = numbers<T>(s.dims.size());
      oracle const wanted(s.dims, x, s.reduced);
      std::string axes;
      for (std::size_t axis = 0; axis != s.dims.rank(); ++axis)
        if (s.reduced[axis])  // every other axis counts from the end
          axes += " ints: " +
                  std::to_string(static_cast<int>(axis) - (axis % 2 == 1 ? static_cast<int>(s.dims.rank()) : 0));
      if (!axes.empty()) axes = "arg { name: \"axes\"" + axes + " } ";
      for (std::string const& kind : kinds) {
        CAPTURE(kind);
        for (bool const keep : {true, false}) {
          auto const blobs =
              test::run_op<B>(operators, op("Reduce" + kind, axes + (keep ? "" : "arg { name: \"keepdims\" i: 0 }")),
                              {{"x", test::of<B>(s.dims, x)}});
          shape dims;
          for (std::size_t axis = 0; axis != s.dims.rank(); ++axis)
            if (!s.reduced[axis])
              dims.push_back(s.dims[axis]);
            else if (keep)
              dims.push_back(1);
          CHECK(blobs.view("y").dims() == dims);
          check_close(blobs.template fetch<T>("y"), wanted.of(kind), wanted.scale(kind));
        }
      }
    }
  };
  check(float{}, {"Sum", "Mean", "Max", "Min", "L1", "L2"});
  check(double{}, {"Sum", "Mean", "Max", "Min", "L1", "L2"});
  check(std::int32_t{}, {"Sum", "Max", "Min", "L1"});
  check(std::int64_t{}, {"Sum", "Max", "Min", "L1"});
}

TEST_CASE_TEMPLATE("Reduce*: empty axes, NaN, infinities and overflow are handled", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  float const nan = std::nanf("");
  float const inf = std::numeric_limits<float>::infinity();
  auto const run = [&](std::string const& type, shape const& dims, std::vector<float> const& x,
                       std::string const& a = {}) {
    return test::run_op<B>(operators, op(type, a), {{"x", test::of<B>(dims, x)}}).template fetch<float>("y");
  };
  std::string const first = "arg { name: \"axes\" ints: 0 }";
  CHECK(run("ReduceSum", {0, 2}, {}, first) == std::vector<float>{0, 0});
  CHECK(run("ReduceL2", {0, 2}, {}, first) == std::vector<float>{0, 0});
  CHECK(run("ReduceMax", {0, 2}, {}, first) == std::vector<float>{-inf, -inf});
  CHECK(run("ReduceMin", {0, 2}, {}) == std::vector<float>{inf});
  CHECK(std::isnan(run("ReduceMean", {0}, {})[0]));
  CHECK(run("ReduceSum", {2, 0}, {}, first).empty());
  CHECK(run("ReduceSum", {2, 0, 3}, {}, "arg { name: \"axes\" ints: 0 ints: 2 }").empty());
  CHECK(run("ReduceSum", {0, 3, 0}, {}, "arg { name: \"axes\" ints: 0 ints: 2 }") == std::vector<float>{0, 0, 0});
  for (std::size_t const size : {2U, 17U, 100U, 9000U})
    for (std::size_t const at : {std::size_t{0}, size / 2, size - 1})
      for (char const* type : {"ReduceMax", "ReduceMin", "ReduceSum"}) {
        CAPTURE(size);
        std::vector<float> x(size, 1.0f);
        x[at] = nan;
        CHECK(std::isnan(run(type, {static_cast<std::int64_t>(size)}, x)[0]));
        CHECK(std::isnan(run(type, {static_cast<std::int64_t>(size), 1, 1}, x, first)[0]));
        x.insert(x.end(), x.begin(), x.end());  // columns
        auto const columns = run(type, {2, static_cast<std::int64_t>(size)}, x, first);
        CHECK(std::isnan(columns[at]));
        CHECK_FALSE(std::isnan(columns[(at + 1) % size]));
      }
  CHECK(run("ReduceSum", {3}, {inf, 1, -2}) == std::vector<float>{inf});
  CHECK(run("ReduceMax", {3}, {-inf, -inf, -inf}) == std::vector<float>{-inf});
  std::int32_t const most = std::numeric_limits<std::int32_t>::max();
  auto const wrapped = test::run_op<B>(operators, op("ReduceSum"), {{"x", test::of<B, std::int32_t>({2}, {most, 1})}});
  CHECK(wrapped.template fetch<std::int32_t>("y")[0] == std::numeric_limits<std::int32_t>::min());
}

TEST_CASE_TEMPLATE("ReduceFront*, ReduceBack*: outer or inner axes are reduced, or prefixes", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  shape const dims{3, 4, 5};
  auto const x = numbers<float>(dims.size());
  for (int count = 0; count <= 3; ++count)
    for (bool const front : {true, false})
      for (char const* kind : {"Sum", "Mean", "Max"}) {
        CAPTURE(count);
        CAPTURE(front);
        CAPTURE(kind);
        std::vector<bool> reduced;
        shape out;
        for (int axis = 0; axis != 3; ++axis) {
          reduced.push_back(front ? axis < count : axis >= 3 - count);
          if (!reduced.back()) out.push_back(dims[static_cast<std::size_t>(axis)]);
        }
        auto const blobs = test::run_op<B>(operators,
                                           op(std::string("Reduce") + (front ? "Front" : "Back") + kind,
                                              "arg { name: \"num_reduce_dim\" i: " + std::to_string(count) + " }"),
                                           {{"x", test::of<B>(dims, x)}});
        CHECK(blobs.view("y").dims() == out);
        oracle const wanted(dims, x, reduced);
        check_close(blobs.template fetch<float>("y"), wanted.of(kind), wanted.scale(kind));
      }

  auto const prefixes = [&]<class T, class L>(T, L, std::string const& type, std::vector<L> const& lengths) {
    std::vector<T> const values = {1, -2, 3, 4, 5, -6};
    return test::run_op<B>(operators, "type: \"" + type + "\" input: \"x\" input: \"l\" output: \"y\"",
                           {{"x", test::of<B>(shape{2, 3}, values)},
                            {"l", test::of<B>(shape{static_cast<std::int64_t>(lengths.size())}, lengths)}})
        .template fetch<T>("y");
  };
  using ints = std::vector<std::int32_t>;
  CHECK(prefixes(0.0f, 0, "ReduceFrontSum", ints{2, 1, 0}) == std::vector<float>{5, -2, 0});
  CHECK(prefixes(0.0f, 0, "ReduceFrontMean", ints{2, 1, 0}) == std::vector<float>{2.5, -2, 0});
  CHECK(prefixes(0.0f, 0, "ReduceFrontMax", ints{2, 1, 0}) == std::vector<float>{4, -2, 0});
  CHECK(prefixes(0.0, 0, "ReduceBackSum", ints{2, 3}) == std::vector<double>{-1, 3});
  CHECK(prefixes(0.0, 0, "ReduceBackMean", ints{2, 3}) == std::vector<double>{-0.5, 1});
  CHECK(prefixes(0.0, 0, "ReduceBackMax", ints{2, 0}) == std::vector<double>{1, 0});
  CHECK(prefixes(std::int64_t{}, std::int64_t{}, "ReduceBackSum", std::vector<std::int64_t>{1, 2}) ==
        std::vector<std::int64_t>{1, 9});

  // Means of integers are rounded towards zero.
  auto const whole = [&]<class T>(T, std::string const& type) {
    std::vector<T> const values = {1, 2, 4, -4, -9, 1, std::numeric_limits<T>::max(), 0, 0};
    return test::run_op<B>(operators, op(type), {{"x", test::of<B>(shape{3, 3}, values)}}).template fetch<T>("y");
  };
  CHECK(whole(std::int32_t{}, "ReduceBackMean") == ints{2, -4, 715'827'882});
  CHECK(whole(std::int64_t{}, "ReduceBackMean") == std::vector<std::int64_t>{2, -4, 3'074'457'345'618'258'602});
  CHECK(whole(std::int64_t{}, "ReduceFrontMean") == std::vector<std::int64_t>{3'074'457'345'618'258'601, -2, 1});
  CHECK(prefixes(0, 0, "ReduceFrontMean", ints{2, 2, 0}) == ints{2, 1, 0});
  CHECK(prefixes(std::int64_t{}, 0, "ReduceBackMean", ints{2, 3}) == std::vector<std::int64_t>{0, 1});

  // Empty axes reduce to zero, as in Caffe2.
  for (char const* type : {"ReduceFrontSum", "ReduceFrontMean", "ReduceFrontMax"})
    CHECK(test::run_op<B>(operators, op(type), {{"x", test::of<B, float>({0, 2}, {})}}).template fetch<float>("y") ==
          std::vector<float>{0, 0});

  CHECK_THROWS_WITH_AS(prefixes(0.0f, 0, "ReduceBackSum", ints{2, 4}), doctest::Contains("index 4 at place 1"),
                       plait::exec_error);
  CHECK_THROWS_AS(prefixes(0.0f, 0, "ReduceBackSum", ints{2, -1}), plait::exec_error);
  CHECK_THROWS_WITH_AS(prefixes(0.0f, 0, "ReduceBackSum", ints{2, 1, 1}), doctest::Contains("2 results"),
                       plait::exec_error);
}

TEST_CASE_TEMPLATE("ColwiseMax, RowwiseMax, ReduceTailSum, Sum*Elements*, AveragedLoss: known results match", B,
                   PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  std::vector<float> const x = {1, -2, 3, 4, 5, -6};
  auto const run = [&](std::string const& type, shape const& dims, std::string const& a = {}) {
    return test::run_op<B>(operators, op(type, a),
                           {{"x", test::of<B>(dims, dims.size() == 0 ? std::vector<float>{} : x)}});
  };
  auto const colwise = run("ColwiseMax", {1, 2, 3});
  CHECK(colwise.view("y").dims() == shape{1, 3});
  CHECK(colwise.template fetch<float>("y") == std::vector<float>{4, 5, 3});
  auto const rowwise = run("RowwiseMax", {2, 1, 3});
  CHECK(rowwise.view("y").dims() == shape{2, 1});
  CHECK(rowwise.template fetch<float>("y") == std::vector<float>{3, 5});
  CHECK(run("ReduceTailSum", {2, 3, 1}).template fetch<float>("y") == std::vector<float>{2, 3});
  auto const sum = run("SumElements", {2, 3});
  CHECK(sum.view("y").dims() == shape{});
  CHECK(sum.template fetch<float>("y") == std::vector<float>{5});
  std::string const average = "arg { name: \"average\" i: 1 }";
  CHECK(run("SumElements", {6}, average).template fetch<float>("y")[0] == doctest::Approx(5.0 / 6));
  CHECK(run("SumElements", {0}, average).template fetch<float>("y") == std::vector<float>{0});
  CHECK(run("SumSqrElements", {6}).template fetch<float>("y") == std::vector<float>{91});
  CHECK(run("SumSqrElements", {6}, average).template fetch<float>("y")[0] == doctest::Approx(91.0 / 6));
  CHECK(run("AveragedLoss", {6}).template fetch<float>("y")[0] == doctest::Approx(5.0 / 6));
  CHECK(run("AveragedLoss", {0}).template fetch<float>("y") == std::vector<float>{0});
  auto const integers =
      test::run_op<B>(operators, op("SumElementsInt"), {{"x", test::of<B, std::int32_t>({3}, {1, 2, 4})}});
  CHECK(integers.template fetch<std::int32_t>("y") == std::vector<std::int32_t>{7});
}

TEST_CASE("reductions: wrong axes and types are refused with a reason") {
  using B = plait::serial;
  auto const operators = table<B>();
  auto const refused = [&](std::string const& text, shape const& dims, char const* why) {
    try {
      test::run_op<B>(operators, text,
                      {{"x", test::of<B>(dims, std::vector<float>(static_cast<std::size_t>(dims.size())))}});
      FAIL("was not refused: " << text);
    } catch (plait::exec_error const& e) {
      CHECK(e.op == 0);
      CHECK(text.find(e.type) != std::string::npos);
      CHECK(std::string(e.what()).find(why) != std::string::npos);
    }
  };
  refused(op("ReduceSum", "arg { name: \"axes\" ints: 2 }"), {2, 3}, "no axis 2");
  refused(op("ReduceSum", "arg { name: \"axes\" ints: 1 ints: -1 }"), {2, 3}, "twice");
  refused(op("ReduceFrontSum", "arg { name: \"num_reduce_dim\" i: 3 }"), {2, 3}, "dimensions");
  refused(op("ReduceFrontSum", "arg { name: \"num_reduce_dim\" i: -1 }"), {2, 3}, "negative");
  refused(op("ColwiseMax"), {2, 3}, "dimensions");
  refused(op("ReduceTailSum"), {}, "dimensions");
  refused("type: \"ReduceBackSum\" input: \"x\" input: \"x\" output: \"y\" arg { name: \"num_reduce_dim\" i: 2 }",
          {2, 3}, "num_reduce_dim");
  refused("type: \"ReduceBackSum\" input: \"x\" input: \"x\" output: \"y\"", {2, 3}, "int32 or int64");
  CHECK_THROWS_AS(test::run_op<B>(operators, op("ReduceMean"), {{"x", test::of<B, std::int32_t>({2}, {1, 2})}}),
                  plait::exec_error);
  CHECK_THROWS_AS(test::run_op<B>(operators, op("ReduceSum"), {{"x", test::of<B, std::uint8_t>({2}, {1, 2})}}),
                  plait::exec_error);
}

TEST_CASE("reductions: host backends give the same bits") {
  for (shape const& dims : {shape{100000}, shape{40000, 3}, shape{7, 900, 33}, shape{3, 30000}, shape{2000, 600}}) {
    CAPTURE(plait::to_string(dims));
    auto const x = numbers<float>(dims.size(), 7);
    for (char const* axes : {"", "arg { name: \"axes\" ints: 0 }", "arg { name: \"axes\" ints: -1 }"})
      for (char const* type : {"ReduceSum", "ReduceL2", "ReduceMax"}) {
        auto const run = [&]<class B>(B) {
          return test::run_op<B>(table<B>(), op(type, axes), {{"x", test::of<B>(dims, x)}}).template fetch<float>("y");
        };
        auto const wanted = run(plait::serial());
        test::for_parallel_backends([&]<class B>(B backend) {
          auto const got = run(backend);
          if (!B::on_device || std::string(type) == "ReduceMax") CHECK(got == wanted);
          REQUIRE(got.size() == wanted.size());
          for (std::size_t i = 0; i != got.size(); ++i) CHECK(std::abs(got[i] - wanted[i]) <= 1e-2f);
        });
      }
  }
}

TEST_CASE_TEMPLATE("ReduceSum and its like: the axes may be an input", B, PLAIT_HOST_BACKENDS) {
  auto const run = [&](std::string const& type, std::vector<std::int64_t> const& axes, std::string const& arguments) {
    return test::run_op<B>(table<B>(), "type: '" + type + "' input: 'x' input: 'axes' output: 'y'" + arguments,
                           {{"x", test::of<B, float>({2, 3}, {1, -2, 3, 4, 5, 6})},
                            {"axes", test::of<B, std::int64_t>({static_cast<std::int64_t>(axes.size())}, axes)}})
        .template fetch<float>("y");
  };
  std::string const noop = " arg { name: 'noop_with_empty_axes' i: 1 }";
  CHECK(run("ReduceSum", {0}, "") == std::vector<float>{5, 3, 9});
  CHECK(run("ReduceMax", {-1}, " arg { name: 'keepdims' i: 0 }") == std::vector<float>{3, 6});
  CHECK(run("ReduceMean", {0, 1}, "") == std::vector<float>{17.0f / 6});
  CHECK(run("ReduceMin", {}, "") == std::vector<float>{-2});
  CHECK(run("ReduceL1", {}, noop) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(run("ReduceL2", {}, noop) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK_THROWS_WITH_AS(run("ReduceSum", {2}, ""), doctest::Contains("axis 2"), plait::exec_error);
}

}  // namespace
