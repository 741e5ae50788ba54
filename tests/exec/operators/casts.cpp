#include <plait/exec/detail/operators/casts.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::has;
using test::of;
using test::table;

template <class B>
plait::workspace<B> cast(plait::tensor<B> const& x, std::string const& to) {
  return test::run_op<B>(table<B>(), "type: 'Cast' input: 'X' output: 'Y' arg { name: 'to' " + to + " }", {{"X", x}});
}

// Checks the cast of 0 and 1, which every type has.
template <class B, class From, class To>
void check_pair(std::string const& number, std::string const& name) {
  std::vector<From> x;
  std::vector<To> expected;
  for (int i = 0; i != 20'000; ++i) {
    x.push_back(plait::convert<From>(std::int32_t{i % 2}));
    expected.push_back(plait::convert<To>(std::int32_t{i % 2}));
  }
  CAPTURE(name);
  std::vector<std::string> ways = {"s: '" + name + "'"};
  if (!number.empty()) ways.push_back("i: " + number);
  for (std::string const& to : ways) {
    auto const ran = cast<B>(of<B>(shape{2, 10'000}, x), to);
    CHECK(ran.view("Y").dims() == shape{2, 10'000});
    CHECK(ran.template fetch<To>("Y") == expected);
    CHECK(cast<B>(of<B>(shape{0}, std::vector<From>{}), to).view("Y").spec() ==
          plait::tensor_spec{plait::element_type_of<To>, {0}});
  }
}

template <class B, class From>
void check_from() {
  check_pair<B, From, float>("1", "float");
  check_pair<B, From, std::int32_t>("2", "INT32");
  check_pair<B, From, std::uint8_t>("3", "byte");
  check_pair<B, From, bool>("5", "Bool");
  check_pair<B, From, std::uint8_t>("6", "uint8");
  check_pair<B, From, std::int64_t>("10", "int64");
  check_pair<B, From, plait::float16>("12", "float16");
  check_pair<B, From, double>("13", "DOUBLE");
  check_pair<B, From, plait::bfloat16>("", "bfloat16");
}

TEST_CASE_TEMPLATE("Cast: converts every pair of types, by number and by name", B, PLAIT_HOST_BACKENDS) {
  check_from<B, float>();
  check_from<B, double>();
  check_from<B, std::int32_t>();
  check_from<B, std::int64_t>();
  check_from<B, bool>();
  check_from<B, std::uint8_t>();
  check_from<B, plait::float16>();
  check_from<B, plait::bfloat16>();
}

// Checks both directions between an integer type and those that it converts from and to.
template <class B, class T>
void check_short(std::string const& number, std::string const& name) {
  check_pair<B, T, T>(number, name);
  check_pair<B, float, T>(number, name);
  check_pair<B, double, T>(number, name);
  check_pair<B, std::int32_t, T>(number, name);
  check_pair<B, std::int64_t, T>(number, name);
  check_pair<B, T, float>("1", "float");
  check_pair<B, T, std::int32_t>("2", "int32");
  check_pair<B, T, std::int64_t>("10", "int64");
  check_pair<B, T, double>("13", "double");
}

TEST_CASE_TEMPLATE("Cast: other integers from and to float, double, int32 and int64", B, PLAIT_HOST_BACKENDS) {
  check_short<B, std::int8_t>("7", "int8");
  check_short<B, std::uint16_t>("8", "uint16");
  check_short<B, std::int16_t>("9", "int16");
  check_short<B, std::uint32_t>("112", "uint32");
  check_short<B, std::uint64_t>("113", "uint64");
  CHECK(cast<B>(of<B, std::int32_t>({4}, {128, -129, 65536 + 7, -1}), "i: 7").template fetch<std::int8_t>("Y") ==
        std::vector<std::int8_t>{-128, 127, 7, -1});
  CHECK(cast<B>(of<B, float>({3}, {-1, 1e9f, 7.9f}), "i: 8").template fetch<std::uint16_t>("Y") ==
        std::vector<std::uint16_t>{0, 65535, 7});
  CHECK(cast<B>(of<B, std::int16_t>({2}, {-32768, 32767}), "i: 10").template fetch<std::int64_t>("Y") ==
        std::vector<std::int64_t>{-32768, 32767});
  CHECK(cast<B>(of<B, double>({3}, {-1, 0x1p63, 0x1p64}), "i: 113").template fetch<std::uint64_t>("Y") ==
        std::vector<std::uint64_t>{0, std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max()});
  CHECK(cast<B>(of<B, std::uint64_t>({1}, {std::uint64_t{3} << 62}), "i: 1").template fetch<float>("Y") ==
        std::vector<float>{0x3p62f});
  CHECK(cast<B>(of<B, std::int64_t>({2}, {-1, (std::int64_t{1} << 32) + 5}), "i: 112")
            .template fetch<std::uint32_t>("Y") == std::vector<std::uint32_t>{4294967295u, 5});
  auto const refused = [](plait::tensor<B> const& x, std::string const& to) {
    return test::error_of<B>(table<B>(), "type: 'Cast' input: 'X' output: 'Y' arg { name: 'to' i: " + to + " }",
                             {{"X", x}});
  };
  CHECK(refused(of<B, std::int8_t>({1}, {1}), "5") != "");
  CHECK(refused(of<B, std::uint8_t>({1}, {1}), "7") != "");
  CHECK(refused(of<B, std::int8_t>({1}, {1}), "9") != "");
}

TEST_CASE_TEMPLATE("Cast: rounds towards zero and saturates", B, PLAIT_HOST_BACKENDS) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  auto const x = of<B, float>({5}, {1.7f, -1.7f, 3e9f, -3e9f, nan});
  CHECK(cast<B>(x, "i: 2").template fetch<std::int32_t>("Y") ==
        std::vector<std::int32_t>{1, -1, std::numeric_limits<std::int32_t>::max(),
                                  std::numeric_limits<std::int32_t>::min(), 0});
  CHECK(cast<B>(x, "i: 5").template fetch<bool>("Y") == std::vector<bool>(5, true));
  CHECK(cast<B>(x, "i: 10").template fetch<std::int64_t>("Y") ==
        std::vector<std::int64_t>{1, -1, 3'000'000'000, -3'000'000'000, 0});
  CHECK(test::run_op<B>(table<B>(), "type: 'Cast' input: 'X' output: 'Y'", {{"X", of<B, std::int32_t>({2}, {1, -2})}})
            .template fetch<float>("Y") == std::vector<float>{1, -2});
}

TEST_CASE("Cast: types that tensors do not have are refused") {
  using B = plait::serial;
  auto const refused = [](std::string const& argument) {
    return test::error_of<B>(table<B>(), "type: 'Cast' input: 'X' output: 'Y' " + argument,
                             {{"X", of<B, float>({1}, {1})}});
  };
  CHECK(has(refused("arg { name: 'to' i: 4 }"), "argument 'to' is '4', which is no type that ops compute"));
  CHECK(has(refused("arg { name: 'to' i: -1 }"), "argument 'to' is '-1'"));
  CHECK(has(refused("arg { name: 'to' s: 'string' }"), "argument 'to' is 'string'"));
  CHECK(has(refused("arg { name: 'to' f: 1.5 }"), "argument 'to' is of another type than expected"));
}

TEST_CASE_TEMPLATE("FloatToHalf, HalfToFloat: nearest float16, infinite or saturated beyond", B, PLAIT_HOST_BACKENDS) {
  float const infinity = std::numeric_limits<float>::infinity();
  std::vector<float> const x = {1, -2.5f, 65504, 1e6f, -1e6f, 1e-8f, 2049, infinity};
  auto const halves = [&](std::string const& arguments) {
    return test::run_net<B>(table<B>(),
                            "op { type: 'FloatToHalf' input: 'x' output: 'h' " + arguments +
                                " } op { type: 'HalfToFloat' input: 'h' output: 'y' }",
                            {{"x", test::of<B>({2, 4}, x)}});
  };
  auto const blobs = halves("");
  CHECK(blobs.view("h").spec() == plait::tensor_spec{plait::element_type::float16, {2, 4}});
  CHECK(blobs.template fetch<float>("y") ==
        std::vector<float>{1, -2.5f, 65504, infinity, -infinity, 0, 2048, infinity});
  CHECK(halves("arg { name: 'clip' i: 1 }").template fetch<float>("y") ==
        std::vector<float>{1, -2.5f, 65504, 65504, -65504, 0, 2048, 65504});
  auto const empty = test::run_op<B>(table<B>(), "type: 'FloatToHalf' input: 'x' output: 'h'",
                                     {{"x", test::of<B, float>({0, 3}, {})}});
  CHECK(empty.view("h").dims() == plait::shape{0, 3});
}

}  // namespace
