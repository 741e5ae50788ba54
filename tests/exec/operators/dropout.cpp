#include <plait/exec/detail/operators/dropout.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/run_op.hpp>

namespace {

using test::table;

std::string op(std::string const& arguments, char const* output = "y") {
  return std::string("type: \"Dropout\" input: \"x\" output: \"") + output + "\" output: \"mask\" " + arguments;
}

template <class T>
std::vector<T> count_up(std::size_t count) {
  std::vector<T> made(count);
  for (std::size_t i = 0; i != count; ++i) made[i] = static_cast<T>(i + 1);
  return made;
}

TEST_CASE_TEMPLATE("Dropout: elements are dropped or scaled according to the mask", B, PLAIT_HOST_BACKENDS) {
  auto const check = [&]<class T>(T, double ratio, std::int64_t rows, char const* output) {
    plait::shape const dims = {rows, 3};
    auto const x = count_up<T>(static_cast<std::size_t>(dims.size()));
    auto const blobs =
        test::run_op<B>(table<B>(), op("arg { name: \"ratio\" f: " + std::to_string(ratio) + " }", output),
                        {{"x", test::of<B>(dims, x)}});
    auto const y = blobs.template fetch<T>(output);
    auto const mask = blobs.template fetch<bool>("mask");
    CHECK(blobs.view("mask").dims() == dims);
    T const scale = static_cast<T>(1 / (1 - double(float(ratio))));
    bool right = true;
    for (std::size_t i = 0; i != x.size(); ++i) right = right && y[i] == (mask[i] ? x[i] * scale : T(0));
    CHECK(right);
    auto const n = static_cast<double>(x.size());
    CHECK(std::abs(double(std::ranges::count(mask, false)) - ratio * n) <= 5 * std::sqrt(n * ratio * (1 - ratio)));
  };
  for (double const ratio : {0.0, 0.25, 0.5, 0.875})
    for (std::int64_t const rows : {0, 1, 3, 5'000}) {
      check(0.0f, ratio, rows, "y");
      check(0.0, ratio, rows, "x");
    }
}

TEST_CASE_TEMPLATE("Dropout: all backends drop the same elements, and each run others", B, PLAIT_HOST_BACKENDS) {
  plait::shape const dims = {101, 99};
  auto const x = count_up<float>(101 * 99);
  plait::workspace<B> blobs;
  plait::workspace<plait::serial> other;
  blobs.feed("x", test::of<B>(dims, x));
  other.feed("x", test::of<plait::serial>(dims, x));
  auto plan = plait::compile(plait::read_netdef_text("op { " + op("") + " }"), table<B>(), blobs);
  auto reference = plait::compile(plait::read_netdef_text("op { " + op("") + " }"), table<plait::serial>(), other);
  plan.run();
  reference.run();
  auto const first = blobs.template fetch<bool>("mask");
  CHECK(first == other.template fetch<bool>("mask"));
  CHECK(blobs.template fetch<float>("y") == other.template fetch<float>("y"));
  plan.run();
  reference.run();
  CHECK(blobs.template fetch<bool>("mask") != first);
  CHECK(blobs.template fetch<bool>("mask") == other.template fetch<bool>("mask"));
}

TEST_CASE_TEMPLATE("Dropout: is_test drops nothing", B, PLAIT_HOST_BACKENDS) {
  for (char const* output : {"y", "x"}) {
    auto const blobs = test::run_op<B>(table<B>(), op(R"(arg { name: "is_test" i: 1 })", output),
                                       {{"x", test::of<B, float>({2, 2}, {1, -2, 3, 4})}});
    CHECK(blobs.template fetch<float>(output) == std::vector<float>{1, -2, 3, 4});
    CHECK(blobs.template fetch<bool>("mask") == std::vector<bool>(4, true));
  }
}

TEST_CASE("Dropout: invalid ratios and integer types are refused") {
  using B = plait::serial;
  for (char const* ratio : {"1", "-0.5", "nan"})
    CHECK_THROWS_AS(test::run_op<B>(table<B>(), op(std::string("arg { name: \"ratio\" f: ") + ratio + " }"),
                                    {{"x", test::of<B, float>({1}, {1})}}),
                    plait::exec_error);
  CHECK_THROWS_AS(test::run_op<B>(table<B>(), op(""), {{"x", test::of<B, std::int32_t>({1}, {1})}}), plait::exec_error);
}

}  // namespace
