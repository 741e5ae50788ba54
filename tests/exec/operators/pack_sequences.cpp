#include <plait/exec/detail/operators/pack_sequences.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;
using lengths = std::vector<std::int32_t>;

template <class B>
plait::tensor<B> list(lengths const& of) {
  return test::of<B, std::int32_t>({static_cast<std::int64_t>(of.size())}, of);
}

std::int64_t sum(lengths const& of) { return std::accumulate(of.begin(), of.end(), std::int64_t{0}); }
std::int64_t longest(lengths const& of) { return of.empty() ? 0 : *std::ranges::max_element(of); }

// Checks that both pairs of ops pack rows, sequences first or steps first, and that unpacking restores them.
template <class B, class T>
void check_round_trip(lengths const& of, shape const& inner) {
  shape rows = inner;
  rows.insert(0, sum(of));
  auto const width = static_cast<std::size_t>(inner.size());
  auto const sequences = static_cast<std::size_t>(of.size());
  auto const steps = static_cast<std::size_t>(longest(of));
  std::vector<T> by_sequence(sequences * steps * width, T(0));
  std::vector<T> by_step = by_sequence;
  std::vector<bool> present(sequences * steps, false);
  auto const x = test::numbered<T>(rows, T(1));
  std::size_t row = 0;
  for (std::size_t s = 0; s != sequences; ++s)
    for (std::size_t step = 0; step != static_cast<std::size_t>(of[s]); ++step, ++row) {
      present[s * steps + step] = true;
      for (std::size_t c = 0; c != width; ++c)
        by_sequence[(s * steps + step) * width + c] = by_step[(step * sequences + s) * width + c] = x[row * width + c];
    }
  auto const blobs = test::run_net<B>(table<B>(), R"(
      op { type: "PackSegments" input: "l" input: "x" output: "a" output: "mask" arg { name: "return_presence_mask" i: 1 } }
      op { type: "UnpackSegments" input: "l" input: "a" output: "a_back" }
      op { type: "PackRNNSequence" input: "x" input: "l" output: "b" }
      op { type: "UnpackRNNSequence" input: "b" input: "l" output: "b_back" })",
                                      {{"l", list<B>(of)}, {"x", test::of<B, T>(rows, x)}});
  shape packed = inner;
  packed.insert(0, static_cast<std::int64_t>(steps));
  packed.insert(0, static_cast<std::int64_t>(sequences));
  CHECK(blobs.view("a").dims() == packed);
  CHECK(blobs.template fetch<T>("a") == by_sequence);
  CHECK(blobs.template fetch<bool>("mask") == present);
  std::int64_t const swapped = packed[0];
  packed.set(0, packed[1]);
  packed.set(1, swapped);
  CHECK(blobs.view("b").dims() == packed);
  CHECK(blobs.template fetch<T>("b") == by_step);
  for (char const* back : {"a_back", "b_back"}) {
    CHECK(blobs.view(back).dims() == rows);
    CHECK(blobs.template fetch<T>(back) == x);
  }
}

TEST_CASE_TEMPLATE("PackSegments, PackRNNSequence: unpacking restores the rows", B, PLAIT_HOST_BACKENDS) {
  check_round_trip<B, float>({2, 1, 3}, {2});
  check_round_trip<B, float>({2, 0, 3}, {});
  check_round_trip<B, double>({0, 0}, {3});
  check_round_trip<B, std::int32_t>({}, {3});
  check_round_trip<B, std::int64_t>({4}, {2, 2});
  check_round_trip<B, std::uint8_t>({1, 5, 2}, {3});
  lengths many(100);
  for (std::size_t i = 0; i != many.size(); ++i) many[i] = static_cast<std::int32_t>(i * 7 % 13);
  check_round_trip<B, float>(many, {33});
}

TEST_CASE_TEMPLATE("PackSegments: pads with 0 or -infinity, to max_length if set", B, PLAIT_HOST_BACKENDS) {
  std::string const op = R"(type: "PackSegments" input: "l" input: "x" output: "y")";
  auto const below = std::numeric_limits<double>::infinity() * -1;
  auto const run = [&]<class T>(T, std::string const& arguments) {
    return test::run_op<B>(table<B>(), op + arguments, {{"l", list<B>({2, 1})}, {"x", test::counted<B, T>({3})}});
  };
  CHECK(run(float(), R"(arg { name: "pad_minf" i: 1 })").template fetch<float>("y") ==
        std::vector<float>{0, 1, 2, static_cast<float>(below)});
  CHECK(run(double(), R"(arg { name: "pad_minf" i: 1 })").template fetch<double>("y") ==
        std::vector<double>{0, 1, 2, below});
  auto const longer = run(float(), R"(arg { name: "max_length" i: 3 })");
  CHECK(longer.view("y").dims() == shape{2, 3});
  CHECK(longer.template fetch<float>("y") == std::vector<float>{0, 1, 0, 2, 0, 0});
  auto const cut = run(float(), R"(arg { name: "max_length" i: 1 })");
  CHECK(cut.template fetch<float>("y") == std::vector<float>{0, 2});
  auto const back = test::run_op<B>(
      table<B>(), R"(type: "UnpackSegments" input: "l" input: "x" output: "y" arg { name: "max_length" i: 1 })",
      {{"l", list<B>({2, 1})}, {"x", cut.view("y")}});
  CHECK(back.template fetch<float>("y") == std::vector<float>{0, 2});
}

TEST_CASE_TEMPLATE("ReversePackedSegs: reverses each sequence within its length", B, PLAIT_HOST_BACKENDS) {
  auto const check = [](lengths const& of, std::int64_t steps, shape const& inner) {
    shape dims = inner;
    dims.insert(0, static_cast<std::int64_t>(of.size()));
    dims.insert(0, steps);
    std::vector<float> expected;
    for (test::index at : test::indices(dims)) {
      std::int64_t const length = of[static_cast<std::size_t>(at[1])];
      if (at[0] < length) at[0] = length - 1 - at[0];
      expected.push_back(static_cast<float>(test::place(dims, at)));
    }
    std::string const op = R"(type: "ReversePackedSegs" input: "x" input: "l" output: "y")";
    auto const x = test::counted<B, float>(dims);
    CHECK(test::run_op<B>(table<B>(), op, {{"x", x}, {"l", list<B>(of)}}).template fetch<float>("y") == expected);
    auto const wide = test::of<B, std::int64_t>({dims[1]}, std::vector<std::int64_t>(of.begin(), of.end()));
    CHECK(test::run_op<B>(table<B>(), op, {{"x", x}, {"l", wide}}).template fetch<float>("y") == expected);
  };
  check({3, 3}, 3, {1});
  check({0, 3}, 3, {2});
  check({1, 2, 4}, 4, {});
  check({2, 0}, 5, {2, 2});
  check({}, 3, {2});
  check({30, 17, 40}, 40, {200});
}

TEST_CASE("pack_sequences: lengths that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](char const* type, lengths const& of, shape const& dims, std::string const& more = "") {
    bool const first = std::string(type).find("Segments") != std::string::npos;
    return test::error_of<B>(table<B>(),
                             "type: \"" + std::string(type) + "\" output: \"y\" " +
                                 (first ? R"(input: "l" input: "x")" : R"(input: "x" input: "l")") + more,
                             {{"l", list<B>(of)}, {"x", test::counted<B, std::int32_t>(dims)}});
  };
  CHECK(test::has(refusal("PackSegments", {2, 2}, {3}),
                  "PackSegments: plait: op 0 (PackSegments): input 1 'x' is int32 3"));
  CHECK(test::has(refusal("PackSegments", {2, 2}, {3}), "have 4 rows, as the lengths add up to"));
  CHECK(test::has(refusal("PackSegments", {4, -1}, {3}), "the negative length -1"));
  CHECK(test::has(refusal("PackSegments", {3}, {3}, R"(arg { name: "pad_minf" i: 1 })"), "float32 or float64"));
  CHECK(test::has(refusal("PackSegments", {3}, {3}, R"(arg { name: "max_length" i: -2 })"), "must not be negative"));
  CHECK(test::has(refusal("PackSegments", {3}, {3}, R"(output: "m")"), "is needed for a second output"));
  CHECK(test::has(refusal("UnpackSegments", {1}, {3}), "at least 2 dimensions"));
  CHECK(test::has(refusal("UnpackSegments", {1}, {3, 2}), "have 1 sequences"));
  CHECK(test::has(refusal("UnpackSegments", {1, 3}, {2, 2}), "a sequence of length 3"));
  CHECK(test::has(refusal("UnpackSegments", {1, 2}, {2, 2}, R"(arg { name: "max_length" i: 1 })"), "have 1 steps"));
  CHECK(test::has(refusal("PackRNNSequence", {1}, {3}), "have 1 rows"));
  CHECK(test::has(refusal("UnpackRNNSequence", {1}, {3, 2}), "have 1 sequences"));
  CHECK(test::has(refusal("UnpackRNNSequence", {1, 4}, {3, 2}), "a sequence of length 4"));
  CHECK(test::has(refusal("ReversePackedSegs", {1}, {3, 2}), "lengths of 2 sequences"));
  CHECK(test::has(refusal("ReversePackedSegs", {1, 4}, {3, 2}), "index 4 at place 1"));
  CHECK(test::has(refusal("ReversePackedSegs", {1, -1}, {3, 2}), "index -1 at place 1"));
}

}  // namespace
