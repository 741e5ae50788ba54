#include <plait/exec/detail/kernels/broadcast.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::broadcast_layout;
using plait::shape;

static_assert(std::is_trivially_copyable_v<broadcast_layout>);

// Function that is exact, and neither commutative nor associative.
struct mix {
  double operator()(float a, float b) const { return 1000.0 * static_cast<double>(a) - static_cast<double>(b); }
};

// Returns the place of an operand's element for an index of the result, from the definition.
std::size_t operand_place(shape const& operand, test::index const& at) {
  test::index own;
  for (std::size_t axis = 0; axis != operand.rank(); ++axis)
    own.push_back(operand[axis] == 1 ? 0 : at[at.size() - operand.rank() + axis]);
  return test::place(operand, own);
}

template <class B>
void check(shape const& a, shape const& b) {
  CAPTURE(to_string(a));
  CAPTURE(to_string(b));
  shape const result = plait::broadcast_shape(a, b);
  auto const x = test::numbered<float>(a, 1);
  auto const y = test::numbered<float>(b, 7);
  std::vector<double> expected;
  for (test::index const& at : test::indices(result))
    expected.push_back(mix()(x[operand_place(a, at)], y[operand_place(b, at)]));
  std::vector<double> got(expected.size(), -1);
  plait::broadcast<B, mix>(broadcast_layout(result, a, b), x.data(), y.data(), got.data());
  CHECK(got == expected);
}

TEST_CASE("broadcast_shape: shapes align at their last axes, and an extent of one is repeated") {
  CHECK(plait::broadcast_shape({2, 3}, {2, 3}) == shape{2, 3});
  CHECK(plait::broadcast_shape({2, 3, 4}, {4}) == shape{2, 3, 4});
  CHECK(plait::broadcast_shape({4}, {2, 3, 1}) == shape{2, 3, 4});
  CHECK(plait::broadcast_shape({2, 1, 4}, {3, 1}) == shape{2, 3, 4});
  CHECK(plait::broadcast_shape({}, {2, 3}) == shape{2, 3});
  CHECK(plait::broadcast_shape({0, 3}, {1, 3}) == shape{0, 3});
  CHECK(plait::broadcast_shape({1}, {0}) == shape{0});
  CHECK_THROWS_WITH_AS(static_cast<void>(plait::broadcast_shape({2, 3}, {2, 4})),
                       "plait: shapes 2x3 and 2x4 do not broadcast to each other", plait::shape_error);
  CHECK_THROWS_AS(static_cast<void>(plait::broadcast_shape({2, 3}, {0, 3})), plait::shape_error);
}

TEST_CASE("broadcast_layout: axes along which the same operands advance are merged") {
  broadcast_layout const same({2, 3, 4}, {2, 3, 4}, {2, 3, 4});
  CHECK(same.rank == 1);
  CHECK(same.extent[0] == 24);
  broadcast_layout const row({2, 3, 4}, {2, 3, 4}, {4});
  CHECK(row.rank == 2);
  CHECK(row.extent[0] == 6);
  CHECK(row.right[0] == 0);
  broadcast_layout const middle({2, 3, 4}, {2, 3, 4}, {3, 1});
  CHECK(middle.rank == 3);
  CHECK(middle.left[0] == 12);
  CHECK(middle.right[1] == 1);
  broadcast_layout const scalar({}, {}, {});
  CHECK(scalar.rank == 1);
  CHECK(scalar.count == 1);
}

TEST_CASE_TEMPLATE("broadcast: random small shapes give the results of the definition", B, PLAIT_HOST_BACKENDS) {
  std::mt19937 random(3);
  for (int turn = 0; turn != 400; ++turn) {
    shape a;
    shape b;
    std::size_t const rank = random() % 6;
    for (std::size_t axis = 0; axis != rank; ++axis) {
      std::int64_t const extent = static_cast<std::int64_t>(random() % 5);
      unsigned const kind = random() % 4;
      if (kind != 1 || a.rank() != 0 || random() % 2) a.push_back(kind == 1 ? 1 : extent);
      if (kind != 2 || b.rank() != 0 || random() % 2) b.push_back(kind == 2 ? 1 : extent);
    }
    check<B>(a, b);
  }
}

TEST_CASE_TEMPLATE("broadcast: tiles may end within rows", B, PLAIT_HOST_BACKENDS) {
  check<B>({50'000}, {50'000});
  check<B>({50'000}, {1});
  check<B>({1}, {50'000});
  check<B>({3, 20'001}, {20'001});
  check<B>({3, 20'001}, {3, 1});
  check<B>({3, 1}, {3, 20'001});
  check<B>({70, 7, 101}, {7, 1});
  check<B>({70, 1, 101}, {7, 101});
  check<B>({7, 70, 3, 40}, {7, 1, 3, 1});
}

TEST_CASE_TEMPLATE("broadcast: several narrow rows are processed as one", B, PLAIT_HOST_BACKENDS) {
  for (std::int64_t const width : {2, 3, 7, 16, 64, 65, 255, 256, 257}) {
    std::int64_t const rows = 40'000 / width + 1;
    check<B>({rows, width}, {width});
    check<B>({width}, {rows, width});
    check<B>({rows, width}, {rows, 1});
    check<B>({rows, 1}, {rows, width});
    check<B>({rows, 1}, {width});
    check<B>({width}, {rows, 1});
  }
}

TEST_CASE_TEMPLATE("broadcast: the result may alias an operand", B, PLAIT_HOST_BACKENDS) {
  struct subtract {
    float operator()(float a, float b) const { return a - b; }
  };
  std::vector<float> left(40'000, 5);
  std::vector<float> const right = test::numbered<float>({200});
  plait::broadcast<B, subtract>(broadcast_layout({200, 200}, {200, 200}, {200}), left.data(), right.data(),
                                left.data());
  std::vector<float> wide = test::numbered<float>({200, 200});
  std::vector<float> const column = test::numbered<float>({200, 1});
  plait::broadcast<B, subtract>(broadcast_layout({200, 200}, {200, 1}, {200, 200}), column.data(), wide.data(),
                                wide.data());
  bool right_everywhere = true;
  for (std::size_t i = 0; i != 40'000; ++i)
    right_everywhere = right_everywhere && left[i] == 5.0f - static_cast<float>(i % 200) &&
                       wide[i] == static_cast<float>(i / 200) - static_cast<float>(i);
  CHECK(right_everywhere);
}

}  // namespace
