#include <plait/exec/detail/operators/arithmetic.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::error_of;
using test::has;
using test::of;
using test::run_op;
using test::table;

std::string binary(std::string const& type, std::string const& arguments = {}, std::string const& output = "C") {
  return "type: \"" + type + "\" input: \"A\" input: \"B\" output: \"" + output + "\" " + arguments;
}

// Returns small non-zero numbers that are exact in every type.
template <class T>
std::vector<T> some(shape const& dims, int seed) {
  std::vector<T> made(static_cast<std::size_t>(dims.size()));
  for (std::size_t i = 0; i != made.size(); ++i) {
    int const n = static_cast<int>((i * 37 + static_cast<std::size_t>(seed) * 11) % 23) - 11;
    made[i] = static_cast<T>(n == 0 ? 5 : n);
  }
  return made;
}

template <class T>
T exact(std::string const& type, T a, T b) {
  if (type == "Add") return static_cast<T>(a + b);
  if (type == "Sub") return static_cast<T>(a - b);
  if (type == "Mul") return static_cast<T>(a * b);
  return static_cast<T>(a / b);
}

template <class T>
bool compared(std::string const& type, T a, T b) {
  if (type == "LT") return a < b;
  if (type == "LE") return a <= b;
  if (type == "GT") return a > b;
  if (type == "GE") return a >= b;
  return type == "EQ" ? a == b : a != b;
}

template <class B, class T>
void check_arithmetic(std::string const& type) {
  for (shape const& dims : {shape{}, shape{7}, shape{0, 3}, shape{3, 5}, shape{5, 8'003}}) {
    auto const a = some<T>(dims, 1);
    auto const b = some<T>(dims, 2);
    std::vector<T> expected;
    for (std::size_t i = 0; i != a.size(); ++i) expected.push_back(exact(type, a[i], b[i]));
    auto const ran = run_op<B>(table<B>(), binary(type), {{"A", of<B>(dims, a)}, {"B", of<B>(dims, b)}});
    CHECK(ran.template fetch<T>("C") == expected);
    CHECK(ran.view("C").dims() == dims);
    for (std::string const place : {"A", "B"}) {
      auto const here = run_op<B>(table<B>(), binary(type, "", place), {{"A", of<B>(dims, a)}, {"B", of<B>(dims, b)}});
      CHECK(here.template fetch<T>(place) == expected);
    }
  }
}

TEST_CASE_TEMPLATE("arithmetic: all types are exact, also in place of either operand", B, PLAIT_HOST_BACKENDS) {
  for (std::string const type : {"Add", "Sub", "Mul", "Div"}) {
    CAPTURE(type);
    check_arithmetic<B, float>(type);
    check_arithmetic<B, double>(type);
    check_arithmetic<B, std::int32_t>(type);
    check_arithmetic<B, std::int64_t>(type);
  }
}

// Compares broadcast results with ones computed element by element. The last axes of A and B are aligned, or, if `axis`
// is set, B's first axis with that axis of A.
template <class B, class T>
void check_broadcast(std::string const& arguments, shape const& left, shape const& right, shape const& dims,
                     std::size_t axis = plait::npos) {
  auto const a = some<T>(left, 1);
  auto const b = some<T>(right, 2);
  auto const at = [&](std::vector<T> const& from, shape const& own, std::size_t first, test::index const& where) {
    test::index here;
    for (std::size_t i = 0; i != own.rank(); ++i) here.push_back(own[i] == 1 ? 0 : where[first + i]);
    return from[test::place(own, here)];
  };
  for (std::string const type : {"Add", "Sub", "Mul", "Div"}) {
    CAPTURE(type);
    CAPTURE(arguments);
    std::vector<T> expected;
    for (test::index const& where : test::indices(dims))
      expected.push_back(exact(type, at(a, left, dims.rank() - left.rank(), where),
                               at(b, right, axis == plait::npos ? dims.rank() - right.rank() : axis, where)));
    auto const ran = run_op<B>(table<B>(), binary(type, arguments), {{"A", of<B>(left, a)}, {"B", of<B>(right, b)}});
    CHECK(ran.view("C").dims() == dims);
    CHECK(test::agree<B>(ran.template fetch<T>("C"), expected));
  }
}
template <class B, class T>
void check_broadcasts() {
  check_broadcast<B, T>("", {2, 1, 2}, {3, 1}, {2, 3, 2});
  check_broadcast<B, T>("", {3}, {4, 1, 1}, {4, 1, 3});
  check_broadcast<B, T>("", {}, {5}, {5});
  check_broadcast<B, T>("", {70, 1}, {1, 301}, {70, 301});
  std::string const legacy = "arg { name: 'broadcast' i: 1 } ";
  check_broadcast<B, T>(legacy, {2, 3, 4}, {3, 4}, {2, 3, 4});
  check_broadcast<B, T>(legacy, {2, 3, 4}, {1}, {2, 3, 4});
  check_broadcast<B, T>(legacy + "arg { name: 'axis' i: 1 }", {2, 3, 4}, {3}, {2, 3, 4}, 1);
  check_broadcast<B, T>(legacy + "arg { name: 'axis' i: 0 }", {2, 3, 4}, {2, 3}, {2, 3, 4}, 0);
  check_broadcast<B, T>(legacy + "arg { name: 'axis_str' s: 'C' }", {2, 3, 4, 5}, {3}, {2, 3, 4, 5}, 1);
}

TEST_CASE_TEMPLATE("arithmetic: shapes broadcast as in numpy, or B to A's shape by broadcast and axis", B,
                   PLAIT_HOST_BACKENDS) {
  check_broadcasts<B, float>();
  check_broadcasts<B, double>();
  check_broadcasts<B, std::int32_t>();
  check_broadcasts<B, std::int64_t>();
}

TEST_CASE_TEMPLATE("arithmetic: whole_axes repeats B only along axes that it lacks", B, PLAIT_HOST_BACKENDS) {
  std::string const whole = "arg { name: 'broadcast' i: 1 } arg { name: 'whole_axes' i: 1 } ";
  check_broadcast<B, float>(whole, {2, 3, 4}, {4}, {2, 3, 4});
  check_broadcast<B, float>(whole, {1, 3, 4}, {1, 3, 4}, {1, 3, 4});
  for (shape const& b : {shape{1}, shape{1, 4}, shape{3, 1}, shape{1, 1, 4}, shape{}}) {
    plait::workspace<B> blobs;
    blobs.feed("A", test::counted<B, float>({2, 3, 4}));
    blobs.feed("B", test::counted<B, float>(b));
    CAPTURE(to_string(b));
    CHECK_THROWS_AS(
        plait::compile(plait::read_netdef_text("op { type: 'Add' input: 'A' input: 'B' output: 'C' " + whole + "}"),
                       table<B>(), blobs)
            .run(),
        plait::exec_error);
  }
}

TEST_CASE_TEMPLATE("arithmetic: ops run in place only if the operand is not broadcast", B, PLAIT_HOST_BACKENDS) {
  plait::workspace<B> blobs;
  blobs.feed("A", of<B, float>({1, 2}, {1, 2}));
  blobs.feed("B", of<B, float>({3, 1}, {10, 20, 30}));
  auto plan = plait::compile(plait::read_netdef_text("op { type: 'Add' input: 'A' input: 'B' output: 'A' }"
                                                     "op { type: 'Add' input: 'A' input: 'A' output: 'A' }"),
                             table<B>(), blobs);
  plan.run();
  CHECK(blobs.view("A").dims() == shape{3, 2});
  CHECK(blobs.template fetch<float>("A") == std::vector<float>{22, 24, 42, 44, 62, 64});
  plan.run();  // in place now
  CHECK(blobs.template fetch<float>("A") == std::vector<float>{64, 68, 124, 128, 184, 188});
  plan.run();
  CHECK(blobs.template fetch<float>("A") == std::vector<float>{148, 156, 288, 296, 428, 436});
}

TEST_CASE_TEMPLATE("arithmetic: integers wrap around, and their division by zero is refused", B, PLAIT_HOST_BACKENDS) {
  using limits = std::numeric_limits<std::int32_t>;
  auto const least = of<B, std::int32_t>({1}, {limits::min()});
  auto const one = of<B, std::int32_t>({1}, {1});
  auto const minus = of<B, std::int32_t>({1}, {-1});
  auto const run = [&](std::string const& type, auto const& a, auto const& b) {
    return run_op<B>(table<B>(), binary(type), {{"A", a}, {"B", b}}).template fetch<std::int32_t>("C").at(0);
  };
  CHECK(run("Sub", least, one) == limits::max());
  CHECK(run("Add", least, minus) == limits::max());
  CHECK(run("Mul", least, minus) == limits::min());
  CHECK(run("Div", least, minus) == limits::min());
  CHECK(run("Div", of<B, std::int32_t>({1}, {-7}), of<B, std::int32_t>({1}, {2})) == -3);

  plait::workspace<B> blobs;
  blobs.feed("A", of<B, std::int64_t>({2}, {6, 7}));
  blobs.feed("B", of<B, std::int64_t>({2}, {3, 0}));
  auto plan = plait::compile(plait::read_netdef_text("op { " + binary("Div", "", "A") + " }"), table<B>(), blobs);
  CHECK_THROWS_AS(plan.run(), plait::exec_error);
  CHECK(blobs.template fetch<std::int64_t>("A") == std::vector<std::int64_t>{6, 7});
  auto const real =
      run_op<B>(table<B>(), binary("Div"), {{"A", of<B, float>({2}, {1, 0})}, {"B", of<B, float>({2}, {0, 0})}});
  CHECK(std::isinf(real.template fetch<float>("C").at(0)));
  CHECK(std::isnan(real.template fetch<float>("C").at(1)));
}

template <class B, class T>
void check_comparison(std::string const& type) {
  for (shape const& dims : {shape{}, shape{0}, shape{3, 30'001}}) {
    std::vector<T> a(static_cast<std::size_t>(dims.size()));
    std::vector<T> b(a.size());
    std::vector<bool> expected;
    for (std::size_t i = 0; i != a.size(); ++i) {
      a[i] = static_cast<T>(i % 3);
      b[i] = static_cast<T>(i / 3 % 3);
      expected.push_back(compared<T>(type, a[i], b[i]));
    }
    auto const ran = run_op<B>(table<B>(), binary(type), {{"A", of<B>(dims, a)}, {"B", of<B>(dims, b)}});
    CHECK(ran.template fetch<bool>("C") == expected);
  }
}

TEST_CASE_TEMPLATE("comparisons: all types are compared, and NaN equals nothing", B, PLAIT_HOST_BACKENDS) {
  for (std::string const type : {"LT", "LE", "GT", "GE", "EQ", "NE"}) {
    CAPTURE(type);
    check_comparison<B, float>(type);
    check_comparison<B, double>(type);
    check_comparison<B, std::int32_t>(type);
    check_comparison<B, std::int64_t>(type);
    check_comparison<B, std::uint8_t>(type);
    check_comparison<B, bool>(type);
    float const nan = std::numeric_limits<float>::quiet_NaN();
    auto const ran =
        run_op<B>(table<B>(), binary(type), {{"A", of<B, float>({2}, {nan, 1})}, {"B", of<B, float>({2}, {nan, nan})}});
    CHECK(ran.template fetch<bool>("C") == std::vector<bool>(2, type == "NE"));
  }
  // A broadcast operand with as many bytes as the result must not alias it.
  auto const wide = test::run_net<B>(
      table<B>(),
      "op { type: 'Add' input: 'x' input: 'x' output: 'y' }"
      "op { type: 'LT' input: 'y' input: 'z' output: 'y' }",
      {{"x", of<B, std::int64_t>({1}, {2})}, {"z", of<B, std::int64_t>({8}, {1, 2, 3, 4, 5, 6, 7, 8})}});
  CHECK(wide.template fetch<bool>("y") == std::vector<bool>{false, false, false, false, true, true, true, true});
}

TEST_CASE_TEMPLATE("logic: results follow the truth tables", B, PLAIT_HOST_BACKENDS) {
  std::vector<bool> const a = {false, false, true, true};
  std::vector<bool> const b = {false, true, false, true};
  auto const run = [&](std::string const& type, std::string const& output) {
    return run_op<B>(table<B>(), binary(type, "", output),
                     {{"A", plait::tensor<B>::from(a, {4})}, {"B", plait::tensor<B>::from(b, {4})}})
        .template fetch<bool>(output);
  };
  for (std::string const output : {"C", "A", "B"}) {
    CHECK(run("And", output) == std::vector<bool>{false, false, false, true});
    CHECK(run("Or", output) == std::vector<bool>{false, true, true, true});
    CHECK(run("Xor", output) == std::vector<bool>{false, true, true, false});
  }
  for (std::string const output : {"C", "A"}) {
    auto const ran = run_op<B>(table<B>(), "type: 'Not' input: 'A' output: '" + output + "'",
                               {{"A", plait::tensor<B>::from(a, {4})}});
    CHECK(ran.template fetch<bool>(output) == std::vector<bool>{true, true, false, false});
  }
  auto const row = run_op<B>(
      table<B>(), binary("And", "arg { name: 'broadcast' i: 1 }"),
      {{"A", plait::tensor<B>::from(a, {2, 2})}, {"B", plait::tensor<B>::from(std::vector<bool>{true, false}, {2})}});
  CHECK(row.template fetch<bool>("C") == std::vector<bool>{false, false, true, false});
}

TEST_CASE("arithmetic: errors name the operands that do not fit") {
  using B = plait::serial;
  auto const of_error = [](std::string const& op, plait::tensor<B> const& a, plait::tensor<B> const& b) {
    return error_of<B>(table<B>(), op, {{"A", a}, {"B", b}});
  };
  auto const floats = of<B, float>({2}, {1, 2});
  auto const integers = of<B, std::int32_t>({2}, {1, 2});
  std::string const mixed = of_error(binary("Add"), floats, integers);
  CHECK(has(mixed, "Add: "));
  CHECK(has(mixed, "float32 2 and int32 2, of different element types"));
  std::string const shapes = of_error(binary("Mul"), floats, of<B, float>({3}, {1, 2, 3}));
  CHECK(has(shapes, "shapes 2 and 3 do not broadcast to each other"));
  CHECK(has(of_error(binary("Xor"), floats, floats), "should hold bool"));
  CHECK(has(of_error(binary("Add"), plait::tensor<B>::from(std::vector<bool>{true}, {1}), floats),
            "should hold float32 or float64 or int32 or int64"));
  CHECK(has(of_error(binary("Div"), integers, of<B, std::int32_t>({1}, {0})), "an integer is divided by zero"));
  // Large enough for a row-parallel fusion group, if Div could join one.
  std::vector<std::int32_t> ones(1 << 20, 1);
  auto const numerators = of<B, std::int32_t>({1024, 1024}, ones);
  ones[1 << 19] = 0;
  CHECK(has(of_error(binary("Div") + " } op { type: 'Add' input: 'C' input: 'A' output: 'D'", numerators,
                     of<B, std::int32_t>({1024, 1024}, ones)),
            "an integer is divided by zero"));
  CHECK(has(of_error("type: 'Add' input: 'A' output: 'C'", floats, floats), "1 inputs where there should be 2"));
}

}  // namespace
