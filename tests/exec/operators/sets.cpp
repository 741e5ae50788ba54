#include <plait/exec/detail/operators/sets.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;

template <class B, class T>
void check_unique(std::vector<T> const& x) {
  std::set<T> const sorted(x.begin(), x.end());
  std::vector<T> const expected(sorted.begin(), sorted.end());
  auto const blobs = test::run_op<B>(table<B>(), R"(type: "Unique" input: "x" output: "y" output: "r")",
                                     {{"x", test::of<B, T>({static_cast<std::int64_t>(x.size())}, x)}});
  auto const y = blobs.template fetch<T>("y");
  CHECK(y == expected);
  auto const places = blobs.template fetch<std::int32_t>("r");
  REQUIRE(places.size() == x.size());
  std::vector<T> back;
  for (auto const place : places) back.push_back(y[static_cast<std::size_t>(place)]);
  CHECK(back == x);
}

TEST_CASE_TEMPLATE("Unique: results ascend, and places map each element to its result", B, PLAIT_HOST_BACKENDS) {
  check_unique<B, std::int32_t>({3, 1, 3, 2});
  check_unique<B, std::int64_t>({5, -5, 1LL << 40, 5, -(1LL << 40)});
  check_unique<B, std::int32_t>({});
  check_unique<B, std::int64_t>({7});
  std::vector<std::int32_t> many(3'000);
  for (std::size_t i = 0; i != many.size(); ++i) many[i] = static_cast<std::int32_t>(i * 7'919 % 257) - 100;
  check_unique<B, std::int32_t>(many);
}

TEST_CASE("Unique: the input may have any shape, which the places have, too") {
  using B = plait::serial;
  auto const blobs = test::run_op<B>(table<B>(), R"(type: "Unique" input: "x" output: "y" output: "r")",
                                     {{"x", test::of<B, std::int32_t>({2, 2}, {7, 3, 3, 5})}});
  CHECK(blobs.fetch<std::int32_t>("y") == std::vector<std::int32_t>{3, 5, 7});
  CHECK(blobs.fetch<std::int32_t>("r") == std::vector<std::int32_t>{2, 0, 0, 1});
  CHECK(blobs.view("r").dims() == plait::shape{2, 2});
}

TEST_CASE("Unique: the number of results may change between runs") {
  using B = plait::serial;
  plait::workspace<B> blobs;
  blobs.feed("x", test::of<B, std::int32_t>({3}, {1, 1, 1}));
  auto plan =
      plait::compile(plait::read_netdef_text(R"(op { type: "Unique" input: "x" output: "y" })"), table<B>(), blobs);
  plan.run();
  CHECK(blobs.fetch<std::int32_t>("y") == std::vector<std::int32_t>{1});
  blobs.feed("x", test::of<B, std::int32_t>({3}, {3, 1, 2}));
  plan.run();
  CHECK(blobs.fetch<std::int32_t>("y") == std::vector<std::int32_t>{1, 2, 3});
}

TEST_CASE_TEMPLATE("BooleanMask: rows with a true flag are kept", B, PLAIT_HOST_BACKENDS) {
  auto const check = [](std::vector<bool> const& mask, shape const& inner) {
    shape dims = inner;
    dims.insert(0, static_cast<std::int64_t>(mask.size()));
    auto const width = static_cast<std::size_t>(inner.size());
    std::vector<float> expected;
    std::vector<std::int64_t> kept;
    for (std::size_t row = 0; row != mask.size(); ++row) {
      if (!mask[row]) continue;
      kept.push_back(static_cast<std::int64_t>(row));
      for (std::size_t c = 0; c != width; ++c) expected.push_back(static_cast<float>(row * width + c));
    }
    auto const m = plait::tensor<B>::from(mask, {dims[0]});
    auto const blobs =
        test::run_op<B>(table<B>(), R"(type: "BooleanMask" input: "x" input: "m" output: "y" output: "i")",
                        {{"x", test::counted<B, float>(dims)}, {"m", m}});
    CHECK(blobs.view("y").rank() == dims.rank());
    CHECK(blobs.template fetch<float>("y") == expected);
    CHECK(blobs.template fetch<std::int64_t>("i") == kept);
  };
  check({true, false, true, true}, {2});
  check({false, true}, {});
  check({false, false}, {3});
  check({}, {3});
  std::vector<bool> many(900);
  for (std::size_t i = 0; i != many.size(); ++i) many[i] = i % 3 == 1;
  check(many, {50});
}

TEST_CASE("Unique, BooleanMask: wrong types and extents are refused") {
  using B = plait::serial;
  CHECK(test::has(
      test::error_of<B>(table<B>(), R"(type: "Unique" input: "x" output: "y")", {{"x", test::counted<B, float>({2})}}),
      "int32 or int64"));
  auto const masked = [](plait::tensor<B> const& mask) {
    return test::error_of<B>(table<B>(), R"(type: "BooleanMask" input: "x" input: "m" output: "y")",
                             {{"x", test::counted<B, float>({2, 2})}, {"m", mask}});
  };
  CHECK(test::has(masked(test::of<B, std::uint8_t>({2}, {1, 0})), "which should hold bool"));
  CHECK(test::has(masked(plait::tensor<B>::from(std::vector<bool>{true}, {1})), "say of each of 2 rows"));
}

}  // namespace
