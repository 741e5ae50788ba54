#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <vector>

#include <plait/exec/detail/shape.hpp>

namespace {

using plait::shape;

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

static_assert(shape{2, 3}.size() == 6, "shapes can stand in constant expressions");

std::vector<std::int64_t> extents(shape const& s) { return {s.begin(), s.end()}; }

}  // namespace

TEST_CASE("shape: has extents, a rank and a number of elements") {
  shape const scalar;
  CHECK(scalar.rank() == 0);
  CHECK(scalar.size() == 1);
  CHECK(to_string(scalar) == "scalar");

  shape const s{2, 3, 4};
  CHECK(s.rank() == 3);
  CHECK(s.size() == 24);
  CHECK(s[1] == 3);
  CHECK(to_string(s) == "2x3x4");
  CHECK(s.size(1, 3) == 12);
  CHECK(s.size(1, 1) == 1);
  CHECK(s.size_from(2) == 4);
  CHECK(s.size_from(3) == 1);
  CHECK(s.size_to(2) == 6);
  for (std::size_t axis = 0; axis <= s.rank(); ++axis) CHECK(s.size_to(axis) * s.size_from(axis) == s.size());
  CHECK(shape{5, 0, 7}.size() == 0);
}

TEST_CASE("shape: is constructed from any range of numbers") {
  CHECK(shape(std::vector<int>{2, 3}) == shape{2, 3});
  CHECK(shape(std::list<std::int64_t>{}) == shape{});
  CHECK(shape(std::vector<std::int64_t>{1}) == shape{1});
  CHECK(shape{1} != shape{});
  CHECK(shape{2, 3} != shape{3, 2});
}

TEST_CASE("shape: axes are inserted, erased and set") {
  shape s{2, 3};
  s.insert(0, 5);
  CHECK(extents(s) == std::vector<std::int64_t>{5, 2, 3});
  s.insert(3, 7);
  CHECK(extents(s) == std::vector<std::int64_t>{5, 2, 3, 7});
  CHECK(s.size() == 210);
  s.set(2, 0);
  CHECK(s.size() == 0);
  s.erase(2);
  CHECK(extents(s) == std::vector<std::int64_t>{5, 2, 7});
  CHECK(s.size() == 70);
  s.push_back(1);
  CHECK(s.size() == 70);
  // Erased extents do not enter comparisons.
  s.erase(3);
  s.erase(0);
  CHECK(s == shape{2, 7});
}

TEST_CASE("shape: insert and erase are inverse at every axis") {
  shape const s{3, 1, 4, 1, 5};
  for (std::size_t axis = 0; axis <= s.rank(); ++axis) {
    shape t = s;
    t.insert(axis, 9);
    CHECK(t[axis] == 9);
    CHECK(t.size() == 9 * s.size());
    t.erase(axis);
    CHECK(t == s);
  }
}

TEST_CASE("shape: invalid extents and axes are refused") {
  CHECK_THROWS_AS(shape({2, -1}), plait::shape_error);
  CHECK_THROWS_WITH_AS(shape({-3}), "plait: an extent of -3 is negative", plait::shape_error);
  CHECK_THROWS_AS(shape({1, 1, 1, 1, 1, 1, 1, 1, 1}), plait::shape_error);
  CHECK_NOTHROW(shape({1, 1, 1, 1, 1, 1, 1, 1}));
  CHECK_THROWS_AS(shape({huge, 2}), plait::shape_error);
  CHECK_THROWS_AS(shape({std::int64_t{1} << 32, std::int64_t{1} << 32}), plait::shape_error);
  CHECK_THROWS_AS(shape({0, huge}), plait::shape_error);
  CHECK(shape({std::int64_t{1} << 30, (std::int64_t{1} << 29) - 1}).size() == (std::int64_t{1} << 59) - (1 << 30));
  CHECK_THROWS_AS(shape({std::int64_t{1} << 30, std::int64_t{1} << 29}), plait::shape_error);
  shape s{2};
  CHECK_THROWS_AS(s[1], plait::precondition_error);
  CHECK_THROWS_AS(s.erase(1), plait::precondition_error);
  CHECK_THROWS_AS(static_cast<void>(s.size(1, 0)), plait::precondition_error);
}

TEST_CASE("shape: a refused extent leaves it unchanged") {
  shape s{2, 3};
  shape const before = s;
  CHECK_THROWS_AS(s.push_back(-1), plait::shape_error);
  CHECK(s == before);
  CHECK_THROWS_AS(s.insert(0, huge), plait::shape_error);
  CHECK(s == before);
  CHECK_THROWS_AS(s.set(1, huge), plait::shape_error);
  CHECK(s == before);
  CHECK_THROWS_AS(s.set(1, -2), plait::shape_error);
  CHECK(s == before);
  shape empty{0, 3};
  CHECK_THROWS_AS(empty.set(1, huge), plait::shape_error);
  CHECK(empty == shape{0, 3});
}

TEST_CASE("shape: extents that overflow are refused even if another is zero") {
  constexpr std::int64_t wide = std::int64_t{1} << 40;
  CHECK_THROWS_AS((plait::shape{0, wide, wide}), plait::shape_error);
  CHECK_THROWS_AS((plait::shape{wide, wide, 0}), plait::shape_error);
  CHECK(plait::shape{0, wide}.size() == 0);
}
