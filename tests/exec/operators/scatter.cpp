#include <plait/exec/detail/operators/scatter.hpp>

#include <algorithm>
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

std::string const assign = R"(type: "ScatterAssign" input: "x" input: "i" input: "v" output: "x")";
std::string const weigh =
    R"(type: "ScatterWeightedSum" input: "x" input: "w" input: "i" input: "v" input: "a" input: "u" input: "b")";

template <class T>
std::vector<T> mixed(std::size_t count, int seed) {
  std::vector<T> made(count);
  for (std::size_t i = 0; i != count; ++i) made[i] = static_cast<T>((static_cast<int>(i) * 37 + seed) % 23 - 11);
  return made;
}

std::vector<std::int32_t> places(std::size_t count, std::size_t bound) {
  std::vector<std::int32_t> made(count);
  for (std::size_t i = 0; i != count; ++i) made[i] = static_cast<std::int32_t>((i * 5 + i / 3) % bound);
  return made;
}

TEST_CASE_TEMPLATE("ScatterAssign: the last row written to a place remains", B, PLAIT_HOST_BACKENDS) {
  auto const check = [](std::size_t rows, std::size_t width, std::size_t count) {
    auto const n = static_cast<std::int64_t>(rows);
    auto const m = static_cast<std::int64_t>(width);
    auto const k = static_cast<std::int64_t>(count);
    auto const list = places(count, rows);
    auto const values = mixed<std::int64_t>(count * width, 3);
    auto expected = test::numbered<std::int64_t>({n, m});
    for (std::size_t r = 0; r != count; ++r)
      for (std::size_t c = 0; c != width; ++c)
        expected[static_cast<std::size_t>(list[r]) * width + c] = values[r * width + c];
    auto const blobs = test::run_op<B>(table<B>(), assign,
                                       {{"x", test::counted<B, std::int64_t>({n, m})},
                                        {"i", test::of<B, std::int32_t>({k}, list)},
                                        {"v", test::of<B, std::int64_t>({k, m}, values)}});
    CHECK(blobs.template fetch<std::int64_t>("x") == expected);
  };
  check(4, 2, 2);
  check(4, 1, 9);
  check(10, 300, 500);
  check(3, 20'000, 5);
  check(3, 2, 0);
}

TEST_CASE_TEMPLATE("ScatterAssign: another output blob leaves the input unchanged", B, PLAIT_HOST_BACKENDS) {
  auto const blobs =
      test::run_op<B>(table<B>(), R"(type: "ScatterAssign" input: "x" input: "i" input: "v" output: "y")",
                      {{"x", test::of<B, std::uint8_t>({3}, {1, 2, 3})},
                       {"i", test::of<B, std::int64_t>({1}, {1})},
                       {"v", test::of<B, std::uint8_t>({1}, {9})}});
  CHECK(blobs.template fetch<std::uint8_t>("x") == std::vector<std::uint8_t>{1, 2, 3});
  CHECK(blobs.template fetch<std::uint8_t>("y") == std::vector<std::uint8_t>{1, 9, 3});
}

template <class B, class T, class I>
void check_weighted(std::size_t rows, std::size_t width, std::size_t count) {
  auto const n = static_cast<std::int64_t>(rows);
  auto const m = static_cast<std::int64_t>(width);
  auto const k = static_cast<std::int64_t>(count);
  auto const list = places(count, rows);
  auto const x = mixed<T>(rows * width, 1);
  auto const v = mixed<T>(count * width, 2);
  auto const u = mixed<T>(count * width, 3);
  std::vector<double> expected(x.begin(), x.end());
  auto const walk = [&](auto const& at) {
    for (std::size_t r = 0; r != count; ++r)
      for (std::size_t c = 0; c != width; ++c)
        at(expected[static_cast<std::size_t>(list[r]) * width + c], r * width + c);
  };
  walk([](double& to, std::size_t) { to *= 0.5; });
  walk([&](double& to, std::size_t i) { to += -0.25 * static_cast<double>(v[i]); });
  walk([&](double& to, std::size_t i) { to += 2.0 * static_cast<double>(u[i]); });
  auto const blobs = test::run_op<B>(table<B>(), weigh + R"(output: "x")",
                                     {{"x", test::of<B, T>({n, m}, x)},
                                      {"w", test::of<B, T>({1}, {T(0.5)})},
                                      {"i", test::of<B, I>({k}, std::vector<I>(list.begin(), list.end()))},
                                      {"v", test::of<B, T>({k, m}, v)},
                                      {"a", test::of<B, T>({}, {T(-0.25)})},
                                      {"u", test::of<B, T>({k, m}, u)},
                                      {"b", test::of<B, T>({1}, {T(2)})}});
  // Halves and quarters of small numbers are exact.
  auto const made = blobs.template fetch<T>("x");
  CHECK(std::vector<double>(made.begin(), made.end()) == expected);
}

TEST_CASE_TEMPLATE("ScatterWeightedSum: rows at indices become weighted sums", B, PLAIT_HOST_BACKENDS) {
  check_weighted<B, float, std::int32_t>(4, 2, 3);
  check_weighted<B, double, std::int64_t>(5, 7, 9);
  check_weighted<B, float, std::int32_t>(30, 500, 40);
}

template <class B, class T, class I>
void check_sums(std::size_t rows, std::size_t width, std::size_t count) {
  auto const m = static_cast<std::int64_t>(width);
  auto const k = static_cast<std::int64_t>(count);
  auto const list = places(count, rows);
  auto const values = mixed<T>(count * width, 5);
  std::int64_t most = 0;
  for (auto const place : list) most = std::max<std::int64_t>(most, place + 1);
  auto const sums = [&](std::size_t places_wanted) {
    std::vector<T> made(places_wanted * width, T(0));
    for (std::size_t i = 0; i != values.size(); ++i)
      made[static_cast<std::size_t>(list[i / width]) * width + i % width] += values[i];
    return made;
  };
  test::feeds<B> const fed = {{"i", test::of<B, I>({k}, std::vector<I>(list.begin(), list.end()))},
                              {"v", test::of<B, T>({k, m}, values)},
                              {"like", test::counted<B, float>({static_cast<std::int64_t>(rows) + 2, 1})}};
  auto const blobs = test::run_net<B>(table<B>(),
                                      R"(op { type: "SparseToDense" input: "i" input: "v" output: "just" }
        op { type: "SparseToDense" input: "i" input: "v" input: "like" output: "as_like" }
        op { type: "SparseToDense" input: "i" input: "v" output: "wide" arg { name: "output_first_dim" i: 33 } })",
                                      fed);
  CHECK(blobs.template fetch<T>("wide") == sums(33));
  CHECK(blobs.view("just").dims() == shape{most, m});
  CHECK(blobs.template fetch<T>("just") == sums(static_cast<std::size_t>(most)));
  CHECK(blobs.template fetch<T>("as_like") == sums(rows + 2));
}

TEST_CASE_TEMPLATE("SparseToDense: rows with equal indices are summed", B, PLAIT_HOST_BACKENDS) {
  check_sums<B, float, std::int32_t>(4, 2, 3);
  check_sums<B, double, std::int64_t>(3, 1, 20);
  check_sums<B, std::int32_t, std::int32_t>(7, 3, 30);
  check_sums<B, std::int64_t, std::int64_t>(3, 4, 0);
  check_sums<B, float, std::int32_t>(20, 700, 50);
}

TEST_CASE("scatter: invalid indices are found before anything is written") {
  using B = plait::serial;
  plait::workspace<B> blobs;
  blobs.feed("x", test::counted<B, float>({3, 1}));
  blobs.feed("i", test::of<B, std::int32_t>({2}, {0, 3}));
  blobs.feed("v", test::counted<B, float>({2, 1}, 7));
  auto plan = plait::compile(plait::read_netdef_text("op { " + assign + " }"), table<B>(), blobs);
  CHECK_THROWS_AS(plan.run(), plait::exec_error);
  CHECK(blobs.fetch<float>("x") == std::vector<float>{0, 1, 2});

  auto const sums = [](std::vector<std::int64_t> const& list, std::string const& more = "") {
    auto const count = static_cast<std::int64_t>(list.size());
    return test::error_of<B>(table<B>(), R"(type: "SparseToDense" output: "y" input: "i" input: "v")" + more,
                             {{"i", test::of<B, std::int64_t>({count}, list)},
                              {"v", test::counted<B, float>({2, 2})},
                              {"like", test::counted<B, float>({3})}});
  };
  CHECK(test::has(sums({0, -1}), "SparseToDense: plait: op 0 (SparseToDense): input 0 has the negative"));
  CHECK(test::has(sums({0, 3}, R"(input: "like")"), "index 3 at place 1"));
  std::string const three = " arg { name: 'output_first_dim' i: 3 }";
  CHECK(test::has(sums({0, 3}, three), "index 3 at place 1"));
  CHECK(test::has(sums({0, -1}, three), "index -1 at place 1"));
  CHECK(test::has(sums({0, 1}, R"(input: "like")" + three), "'output_first_dim' is given besides"));
  CHECK(test::has(sums({0, 1, 2}), "lists places of 3 rows"));
  CHECK(test::has(sums({0, std::numeric_limits<std::int64_t>::max()}), "too large"));
}

TEST_CASE("scatter: rows that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& op, shape const& v, shape const& a) {
    return test::error_of<B>(table<B>(), op,
                             {{"x", test::counted<B, float>({3, 2})},
                              {"w", test::counted<B, float>({1})},
                              {"i", test::of<B, std::int32_t>({2}, {0, 1})},
                              {"v", test::counted<B, float>(v)},
                              {"a", test::counted<B, float>(a)},
                              {"u", test::counted<B, float>({2, 2})},
                              {"b", test::counted<B, float>({1})}});
  };
  CHECK(test::has(refusal(assign, {2, 3}, {1}), "have 2 rows of 2"));
  CHECK(test::has(refusal(weigh + R"(output: "x")", {2, 3}, {1}), "have 2 rows of 2"));
  CHECK(test::has(refusal(weigh + R"(output: "x")", {2, 2}, {2}), "have one element"));
  CHECK(test::has(refusal(weigh + R"(input: "u" output: "x")", {2, 2}, {1}), "the last input has no weight"));
}

}  // namespace
