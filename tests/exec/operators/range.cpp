#include <plait/exec/detail/operators/range.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using test::table;

template <class B, class T>
std::vector<T> range(std::vector<T> const& inputs, std::string* error = nullptr) {
  std::string op = "type: \"Range\" output: \"y\"";
  test::feeds<B> fed;
  for (std::size_t i = 0; i != inputs.size(); ++i) {
    std::string const name(1, static_cast<char>('a' + i));
    op += " input: \"" + name + '"';
    fed.emplace_back(name, test::of<B, T>(i == 1 ? plait::shape{1} : plait::shape{}, {inputs[i]}));
  }
  if (error != nullptr) {
    *error = test::error_of<B>(table<B>(), op, fed);
    return {};
  }
  return test::run_op<B>(table<B>(), op, fed).template fetch<T>("y");
}

TEST_CASE_TEMPLATE("Range: agrees with NumPy's arange", B, PLAIT_HOST_BACKENDS) {
  CHECK(range<B, std::int32_t>({5}) == std::vector<std::int32_t>{0, 1, 2, 3, 4});
  CHECK(range<B, std::int32_t>({2, 9}) == std::vector<std::int32_t>{2, 3, 4, 5, 6, 7, 8});
  CHECK(range<B, std::int64_t>({1, 8, 3}) == std::vector<std::int64_t>{1, 4, 7});
  CHECK(range<B, std::int64_t>({1, 7, 3}) == std::vector<std::int64_t>{1, 4});
  CHECK(range<B, std::int32_t>({5, 0, -2}) == std::vector<std::int32_t>{5, 3, 1});
  CHECK(range<B, std::int32_t>({5, 1, -2}) == std::vector<std::int32_t>{5, 3});
  CHECK(range<B, std::int64_t>({5, 0, 2}).empty());
  CHECK(range<B, std::int64_t>({-5}).empty());
  CHECK(range<B, float>({0, 1, 0.25F}) == std::vector<float>{0, 0.25F, 0.5F, 0.75F});
  CHECK(range<B, double>({1, -0.25, -0.5}) == std::vector<double>{1, 0.5, 0});
  CHECK(range<B, float>({0, 1, -1}).empty());
  auto const many = range<B, double>({40'000});
  REQUIRE(many.size() == 40'000);
  CHECK(many[39'999] == 39'999);

  auto const low = std::numeric_limits<std::int64_t>::min();
  auto const high = std::numeric_limits<std::int64_t>::max();
  CHECK(range<B, std::int64_t>({low, high, high}) == std::vector<std::int64_t>{low, -1, high - 1});
  CHECK(range<B, std::int64_t>({high, low, low}) == std::vector<std::int64_t>{high, -1});
}

TEST_CASE("Range: follows its inputs from run to run") {
  using B = plait::serial;
  plait::workspace<B> blobs;
  blobs.feed("a", test::of<B, std::int32_t>({}, {1}));
  blobs.feed("b", test::of<B, std::int32_t>({}, {3}));
  auto plan = plait::compile(plait::read_netdef_text(R"(op { type: "Range" input: "a" input: "b" output: "y" })"),
                             table<B>(), blobs);
  plan.run();
  blobs.feed("a", test::of<B, std::int32_t>({}, {6}));
  blobs.feed("b", test::of<B, std::int32_t>({}, {8}));
  plan.run();
  CHECK(blobs.fetch<std::int32_t>("y") == std::vector<std::int32_t>{6, 7});
}

TEST_CASE("Range: endless ranges and inputs that do not fit are refused") {
  using B = plait::serial;
  std::string error;
  range<B, std::int32_t>({1, 5, 0}, &error);
  CHECK(test::has(error, "Range: plait: op 0 (Range): the step of a range must not be 0"));
  range<B, float>({0, std::numeric_limits<float>::infinity()}, &error);
  CHECK(test::has(error, "has no end"));
  range<B, double>({std::numeric_limits<double>::quiet_NaN()}, &error);
  CHECK(test::has(error, "has no end"));
  range<B, std::int64_t>({std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}, &error);
  CHECK(test::has(error, "more elements than memory can hold"));
  CHECK(test::has(
      test::error_of<B>(table<B>(), R"(type: "Range" input: "a" input: "b" output: "y")",
                        {{"a", test::of<B, std::int32_t>({}, {1})}, {"b", test::of<B, std::int64_t>({}, {1})}}),
      "of different element types"));
  CHECK(test::has(test::error_of<B>(table<B>(), R"(type: "Range" input: "a" output: "y")",
                                    {{"a", test::of<B, std::int32_t>({2}, {1, 2})}}),
                  "have one element"));
}

}  // namespace
