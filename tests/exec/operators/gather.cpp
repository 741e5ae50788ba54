#include <plait/exec/detail/operators/gather.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;

std::string op(char const* type) { return std::string("type: \"") + type + R"(" input: "x" input: "i" output: "y")"; }

// Checks a gather along an axis; if matched, the list's first axes are those of x before it.
template <class B, class T, class I>
void check_op(std::string const& text, std::size_t axis, bool matched, shape const& dims, shape const& list,
              std::vector<I> const& indices) {
  CAPTURE(text);
  std::size_t const shared = matched ? axis : 0;
  shape made;
  for (std::size_t a = 0; a != axis; ++a) made.push_back(dims[a]);
  for (std::size_t a = shared; a != list.rank(); ++a) made.push_back(list[a]);
  for (std::size_t a = axis + 1; a != dims.rank(); ++a) made.push_back(dims[a]);
  std::vector<T> expected;
  for (test::index const& at : test::indices(made)) {
    auto const place = at.begin() + static_cast<std::ptrdiff_t>(axis);
    auto const rest = place + static_cast<std::ptrdiff_t>(list.rank() - shared);
    test::index const in_list(place - static_cast<std::ptrdiff_t>(shared), rest);
    test::index from(at.begin(), place);
    from.push_back(static_cast<std::int64_t>(indices[test::place(list, in_list)]));
    from.insert(from.end(), rest, at.end());
    expected.push_back(static_cast<T>(test::place(dims, from)));
  }
  auto const blobs =
      test::run_op<B>(table<B>(), text, {{"x", test::counted<B, T>(dims)}, {"i", test::of<B, I>(list, indices)}});
  CHECK(blobs.view("y").dims() == made);
  CHECK(blobs.template fetch<T>("y") == expected);
}

// Checks Gather (axis 0) or BatchGather (axis 1).
template <class B, class T, class I>
void check(std::size_t axis, shape const& dims, shape const& list, std::vector<I> const& indices) {
  check_op<B, T>(op(axis == 0 ? "Gather" : "BatchGather"), axis, false, dims, list, indices);
}

TEST_CASE_TEMPLATE("Gather: indices select rows", B, PLAIT_HOST_BACKENDS) {
  check<B, float, std::int32_t>(0, {5}, {3}, {2, 0, 0});
  check<B, float, std::int64_t>(0, {5, 3}, {2, 2}, {4, 4, 0, 1});
  check<B, std::int32_t, std::int32_t>(0, {5}, {3}, {1, 4, 2});
  check<B, double, std::int32_t>(0, {4, 2, 3}, {}, {3});
  check<B, std::uint8_t, std::int64_t>(0, {4, 2}, {3}, {3, 0, 3});
  check<B, float, std::int32_t>(0, {0, 3}, {0}, {});
  check<B, float, std::int32_t>(0, {5, 0}, {2}, {4, 1});
  std::vector<std::int32_t> many(5'000);
  for (std::size_t i = 0; i != many.size(); ++i) many[i] = static_cast<std::int32_t>(i * 7 % 300);
  check<B, float, std::int32_t>(0, {300, 9}, {50, 100}, many);
  check<B, float, std::int32_t>(0, {300}, {5'000}, many);
}

TEST_CASE_TEMPLATE("BatchGather: indices select along axis 1", B, PLAIT_HOST_BACKENDS) {
  check<B, float, std::int32_t>(1, {2, 4}, {3}, {3, 0, 3});
  check<B, double, std::int64_t>(1, {3, 2, 2}, {2, 2}, {1, 0, 0, 1});
  check<B, std::int64_t, std::int32_t>(1, {1, 2}, {1}, {1});
  check<B, float, std::int32_t>(1, {0, 2}, {1}, {1});
}

TEST_CASE_TEMPLATE("Gather: any axis may be indexed, by one list or by one for each outer place", B,
                   PLAIT_HOST_BACKENDS) {
  auto const along = [](int axis) { return op("Gather") + " arg { name: 'axis' i: " + std::to_string(axis) + " }"; };
  std::vector<std::int32_t> const three = {1, 0, 1};
  check_op<B, float>(along(0), 0, false, {2, 3}, {3}, three);
  check_op<B, float>(along(1), 1, false, {2, 3}, {3}, three);
  check_op<B, double>(along(2), 2, false, {2, 3, 2, 2}, {3, 1}, three);
  check_op<B, std::uint8_t>(along(-1), 2, false, {2, 3, 2}, {1, 3}, three);
  check_op<B, float>(along(-2), 0, false, {2, 3}, {3}, three);
  check_op<B, float>(along(1), 1, false, {2, 3, 0}, {3}, three);
  check_op<B, float>(along(1), 1, false, {2, 0}, {0}, std::vector<std::int32_t>{});

  std::string const matched = " arg { name: 'match_outer' i: 1 }";
  std::vector<std::int64_t> const six = {1, 0, 2, 0, 0, 1};
  check_op<B, float>(along(0) + matched, 0, true, {3, 2}, {2, 3}, six);
  check_op<B, float>(along(1) + matched, 1, true, {2, 3}, {2, 3}, six);
  check_op<B, double>(along(-2) + matched, 1, true, {3, 4, 2}, {3, 2, 1}, six);
  check_op<B, float>(along(2) + matched, 2, true, {2, 3, 4}, {2, 3}, six);
  check_op<B, std::int32_t>(op("BatchGather") + matched, 1, true, {2, 3, 2}, {2, 3}, six);
}

TEST_CASE_TEMPLATE("Gather: wrap_indices allows indices from the end", B, PLAIT_HOST_BACKENDS) {
  std::string const wraps = " arg { name: 'wrap_indices' i: 1 }";
  auto const same = [&](std::string const& type, std::string const& arguments, shape const& dims, shape const& list,
                        std::vector<std::int64_t> const& indices, std::vector<std::int64_t> const& from_front) {
    auto const gathered = [&](std::string const& more, std::vector<std::int64_t> const& places) {
      return test::run_op<B>(table<B>(), op(type.c_str()) + arguments + more,
                             {{"x", test::counted<B, float>(dims)}, {"i", test::of<B>(list, places)}})
          .template fetch<float>("y");
    };
    CHECK(gathered(wraps, indices) == gathered("", from_front));
    CHECK(gathered(wraps, from_front) == gathered("", from_front));
  };
  same("Gather", "", {5}, {3}, {-1, 0, -5}, {4, 0, 0});
  same("Gather", "", {5, 2}, {2, 1}, {-2, 4}, {3, 4});
  same("Gather", " arg { name: 'axis' i: 1 }", {2, 3, 2}, {3}, {-3, -1, 1}, {0, 2, 1});
  same("BatchGather", "", {2, 3}, {2}, {-1, 0}, {2, 0});
  same("BatchGather", " arg { name: 'match_outer' i: 1 }", {2, 3}, {2, 2}, {-1, 0, 1, -2}, {2, 0, 1, 1});
  for (std::int64_t const bad : {-6, 5})
    CHECK(test::has(test::error_of<B>(table<B>(), op("Gather") + wraps,
                                      {{"x", test::counted<B, float>({5})}, {"i", test::of<B>({1}, std::vector{bad})}}),
                    "index " + std::to_string(bad) + " at place 0 is not from -5 up to, but without, 5"));
}

TEST_CASE_TEMPLATE("Gather: an index out of range is named, and nothing is written", B, PLAIT_HOST_BACKENDS) {
  plait::workspace<B> blobs;
  blobs.feed("x", test::counted<B, float>({5, 3}));
  blobs.feed("i", test::of<B, std::int32_t>({1}, {4}));
  auto plan = plait::compile(plait::read_netdef_text("op { " + op("Gather") + " }"), table<B>(), blobs);
  plan.run();
  for (std::int32_t const bad : {5, -1}) {
    blobs.feed("i", test::of<B, std::int32_t>({1}, {bad}));
    try {
      plan.run();
      FAIL("no error");
    } catch (plait::exec_error const& e) {
      CHECK(e.op == 0);
      CHECK(e.type == "Gather");
      CHECK(test::has(e.what(), "index " + std::to_string(bad) + " at place 0 is not from 0 up to, but without, 5"));
    }
    CHECK(blobs.template fetch<float>("y") == std::vector<float>{12, 13, 14});
  }
  std::vector<std::int64_t> far(10'000, 0);
  far[9'876] = 7;
  CHECK(test::has(
      test::error_of<B>(table<B>(), op("BatchGather"),
                        {{"x", test::counted<B, float>({2, 7})}, {"i", test::of<B, std::int64_t>({10'000}, far)}}),
      "BatchGather: plait: op 0 (BatchGather): index 7 at place 9876"));
}

TEST_CASE("Gather: wrong types and ranks are refused") {
  using B = plait::serial;
  CHECK(test::has(test::error_of<B>(table<B>(), op("Gather"),
                                    {{"x", test::counted<B, float>({2})}, {"i", test::of<B, float>({1}, {0})}}),
                  "should hold int32 or int64"));
  CHECK(test::has(test::error_of<B>(table<B>(), op("BatchGather"),
                                    {{"x", test::counted<B, float>({2})}, {"i", test::of<B, std::int32_t>({1}, {0})}}),
                  "float32 2 and has no axis 1"));
  std::string const matched = op("Gather") + " arg { name: 'axis' i: 1 } arg { name: 'match_outer' i: 1 }";
  auto const unmatched = [&](shape const& list) {
    return test::error_of<B>(table<B>(), matched,
                             {{"x", test::counted<B, float>({2, 3})}, {"i", test::counted<B, std::int32_t>(list)}});
  };
  CHECK(test::has(unmatched({}), "at least 1 dimensions"));
  CHECK(test::has(unmatched({3}), "have the extents of float32 2x3 before axis 1"));
}

}  // namespace
