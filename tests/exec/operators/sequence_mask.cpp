#include <plait/exec/detail/operators/sequence_mask.hpp>

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

// Returns true if Caffe2 masks column j of row i.
bool is_masked(std::string const& mode, std::int64_t i, std::int64_t j, std::int64_t listed, std::int64_t radius) {
  if (mode == "sequence") return j >= listed;
  if (mode == "window") return j > listed + radius || j < listed - radius;
  if (mode == "upper") return j > i;
  if (mode == "lower") return j < i;
  if (mode == "upperdiag") return j >= i;
  return j <= i;
}

struct mask {
  std::string mode;
  std::int64_t axis = 1;
  std::int64_t batch = -1;   // none
  std::int64_t repeat = -1;  // none
  std::int64_t radius = 10;
};

template <class B, class T>
void check(mask const& m, shape const& dims, std::vector<std::int64_t> const& list, bool in_place = false) {
  bool const listed = m.mode == "sequence" || m.mode == "window";
  auto const axis = static_cast<std::size_t>(m.axis);
  std::int64_t const right = dims.size_from(axis);
  std::int64_t const neighbours = m.repeat < 0 ? 1 : dims.size_from(static_cast<std::size_t>(m.repeat));
  std::int64_t const rows = dims.size(m.batch < 0 ? 0 : static_cast<std::size_t>(m.batch) + 1, axis);
  auto const x = test::numbered<T>(dims, T(1));
  std::vector<T> expected = x;
  for (std::size_t at = 0; at != x.size(); ++at) {
    std::int64_t const i = static_cast<std::int64_t>(at) / right % rows;
    std::int64_t const j = static_cast<std::int64_t>(at) % right / neighbours;
    if (is_masked(m.mode, i, j, listed ? list[static_cast<std::size_t>(i)] : 0, m.radius)) expected[at] = T(-5);
  }
  std::string op = "type: \"SequenceMask\" input: \"x\"";
  if (listed) op += " input: \"l\"";
  op += in_place ? " output: \"x\"" : " output: \"y\"";
  op += " arg { name: \"mode\" s: \"" + m.mode + "\" } arg { name: \"fill_val\" f: -5 }";
  op += " arg { name: \"axis\" i: " + std::to_string(m.axis) +
        " } arg { name: \"radius\" i: " + std::to_string(m.radius) + " }";
  if (m.batch >= 0) op += " arg { name: \"batch\" i: " + std::to_string(m.batch) + " }";
  if (m.repeat >= 0) op += " arg { name: \"repeat_from_axis\" i: " + std::to_string(m.repeat) + " }";
  shape const count = {static_cast<std::int64_t>(list.size())};
  std::vector<std::int32_t> const narrow(list.begin(), list.end());
  auto const blobs = test::run_op<B>(table<B>(), op,
                                     {{"x", test::of<B, T>(dims, x)}, {"l", test::of<B, std::int32_t>(count, narrow)}});
  CHECK(blobs.template fetch<T>(in_place ? "x" : "y") == expected);
  auto const wide =
      test::run_op<B>(table<B>(), op, {{"x", test::of<B, T>(dims, x)}, {"l", test::of<B, std::int64_t>(count, list)}});
  CHECK(wide.template fetch<T>(in_place ? "x" : "y") == expected);
}

TEST_CASE_TEMPLATE("SequenceMask: masks elements in every mode", B, PLAIT_HOST_BACKENDS) {
  check<B, float>({"sequence"}, {3, 4}, {2, 0, 4});
  check<B, float>({"sequence"}, {3, 4}, {9, -1, 1}, true);
  check<B, double>({.mode = "window", .radius = 1}, {4, 6}, {0, 3, 5, 8});
  check<B, float>({.mode = "window", .radius = 0}, {2, 3}, {1, -1});
  check<B, float>({.mode = "window", .radius = 3}, {2, 3}, {2'147'483'647, -2'147'483'648LL});
  for (char const* mode : {"upper", "lower", "upperdiag", "lowerdiag"})
    for (shape const& dims : {shape{3, 3}, shape{5, 2}, shape{2, 5}, shape{0, 4}, shape{200, 190}})
      check<B, float>({mode}, dims, {}, dims[0] == 3);
}

TEST_CASE_TEMPLATE("SequenceMask: supports axis, batch and repeat_from_axis", B, PLAIT_HOST_BACKENDS) {
  check<B, float>({.mode = "sequence", .axis = 2}, {2, 2, 5}, {0, 1, 3, 9});
  check<B, float>({.mode = "sequence", .axis = 1}, {2, 2, 3}, {1, 5});
  check<B, float>({.mode = "upper", .axis = 2, .batch = 0}, {3, 4, 4}, {});
  check<B, double>({.mode = "lowerdiag", .axis = 3, .batch = 1}, {2, 2, 3, 3}, {});
  check<B, float>({.mode = "sequence", .axis = 2, .batch = 0}, {3, 2, 4}, {1, 3});
  check<B, float>({.mode = "window", .axis = 1, .batch = 0, .radius = 1}, {3, 4}, {2});
  check<B, float>({.mode = "sequence", .axis = 1, .repeat = 2}, {2, 3, 4}, {1, 2});
}

TEST_CASE_TEMPLATE("SequenceMask: masked elements are -infinity by default, 0 for gradients", B, PLAIT_HOST_BACKENDS) {
  test::feeds<B> const fed = {{"x", test::of<B, float>({1, 3}, {1, 2, 3})}, {"l", test::of<B, std::int32_t>({1}, {1})}};
  std::string const op = R"(type: "SequenceMask" input: "x" input: "l" output: "y" arg { name: "mode" s: "sequence" })";
  float const below = -std::numeric_limits<float>::infinity();
  CHECK(test::run_op<B>(table<B>(), op, fed).template fetch<float>("y") == std::vector<float>{1, below, below});
  CHECK(test::run_op<B>(table<B>(), op + R"(arg { name: "grad" i: 1 })", fed).template fetch<float>("y") ==
        std::vector<float>{1, 0, 0});
}

TEST_CASE("SequenceMask: operands and arguments that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& arguments, std::vector<std::int32_t> const& lengths = {1, 2}) {
    return test::error_of<B>(table<B>(), R"(type: "SequenceMask" input: "x" input: "l" output: "y")" + arguments,
                             {{"x", test::counted<B, float>({3, 4})},
                              {"l", test::of<B, std::int32_t>({static_cast<std::int64_t>(lengths.size())}, lengths)}});
  };
  std::string const sequence = R"(arg { name: "mode" s: "sequence" })";
  CHECK(test::has(refusal(sequence),
                  "SequenceMask: plait: op 0 (SequenceMask): input 1 'l' is int32 2, which should have an"));
  CHECK(refusal(sequence, {1, 2, 3, 4}).empty());
  CHECK(test::has(refusal(sequence + R"(arg { name: "exact" i: 1 })", {1, 2, 3, 4}), "no more than one element"));
  CHECK(refusal(sequence + R"(arg { name: "exact" i: 1 })", {1, 2, 3}).empty());
  CHECK(test::has(refusal(""), "'mode' is missing"));
  CHECK(test::has(refusal(R"(arg { name: "mode" s: "middle" })"), "not 'middle'"));
  CHECK(test::has(refusal(sequence + R"(arg { name: "axis" i: 2 })", {1, 2, 3}), "has no axis 2"));
  CHECK(test::has(refusal(sequence + R"(arg { name: "batch" i: 1 })", {1, 2, 3}), "axis 'batch' before 'axis'"));
  CHECK(test::has(refusal(sequence + R"(arg { name: "repeat_from_axis" i: 0 })", {1, 2, 3}), "not before 'axis'"));
  CHECK(test::has(refusal(sequence + R"(arg { name: "repeat_from_axis" i: 1 } arg { name: "batch" i: 0 })"),
                  "is given besides 'batch'"));
  CHECK(test::has(refusal(R"(arg { name: "mode" s: "window" } arg { name: "radius" i: -1 })"), "'radius' is out of"));
  CHECK(test::has(test::error_of<B>(table<B>(), R"(type: "SequenceMask" input: "x" output: "y")" + sequence,
                                    {{"x", test::counted<B, float>({3, 4})}}),
                  "the mode sequence needs a second input"));
  CHECK(test::has(
      test::error_of<B>(table<B>(), R"(type: "SequenceMask" input: "x" output: "y" arg { name: "mode" s: "upper" })",
                        {{"x", test::counted<B, std::int32_t>({3, 4})}}),
      "float32 or float64"));
}

}  // namespace
