#include <plait/exec/detail/operators/integer_products.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <support/image_oracle.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::has;
using test::index;
using test::of;
using test::table;

// Returns random elements, many of them the extremes, whose products add up to the largest sums.
template <class Q>
std::vector<Q> elements(shape const& dims, unsigned seed) {
  using limits = std::numeric_limits<Q>;
  std::mt19937 random(seed);
  std::vector<Q> made(static_cast<std::size_t>(dims.size()));
  for (Q& each : made)
    each = static_cast<Q>(random() % 3 == 0 ? limits::max() : random() % 3 == 0 ? limits::min() : int(random() % 256));
  return made;
}

struct product_case {
  shape a;
  shape b;
};
std::vector<product_case> const products = {
    {{1, 1}, {1, 1}},          {{3, 5}, {5, 2}},          {{7, 64}, {64, 33}}, {{13, 31}, {31, 100}},
    {{1, 300}, {300, 40}},     {{60, 3}, {3, 17}},        {{2, 3, 5}, {5, 9}}, {{2, 3, 5}, {2, 5, 9}},
    {{4, 1, 3, 5}, {2, 5, 9}}, {{2, 2, 3, 5}, {1, 5, 9}}, {{3, 0}, {0, 4}},    {{0, 3}, {3, 4}}};

// Computes a product modulo 2^32 by its definition.
template <class A, class W>
std::vector<std::int32_t> multiplied(shape const& y, product_case const& of, std::vector<A> const& a,
                                     std::vector<W> const& b, int a_zero, std::vector<W> const& b_zeros) {
  std::vector<std::int32_t> made;
  std::size_t const k = static_cast<std::size_t>(of.a[of.a.rank() - 1]);
  // Index of an element of an operand: axes before the matrices are aligned at the last ones, and repeated.
  auto const place = [&](shape const& dims, index const& at, std::int64_t row, std::int64_t column) {
    index own(dims.rank(), 0);
    for (std::size_t axis = 0; axis + 2 < dims.rank(); ++axis)
      own[axis] = dims[axis] == 1 ? 0 : at[at.size() - dims.rank() + axis];
    own[dims.rank() - 2] = row;
    own[dims.rank() - 1] = column;
    return test::place(dims, own);
  };
  for (index const& at : test::indices(y)) {
    std::int64_t sum = 0;
    std::int64_t const row = at[at.size() - 2];
    std::int64_t const column = at.back();
    for (std::size_t i = 0; i != k; ++i) {
      auto const inner = static_cast<std::int64_t>(i);
      int const zero = b_zeros[b_zeros.size() == 1 ? 0 : static_cast<std::size_t>(column)];
      sum += static_cast<std::int64_t>(a[place(of.a, at, row, inner)] - a_zero) *
             (b[place(of.b, at, inner, column)] - zero);
    }
    made.push_back(static_cast<std::int32_t>(sum));
  }
  return made;
}

template <class B, class A, class W>
void check_products() {
  for (product_case const& each : products)
    for (int const zeros : {0, 1, 2, 3}) {  // inputs of zero points; 3: one for each column
      CAPTURE(to_string(each.a));
      CAPTURE(to_string(each.b));
      CAPTURE(zeros);
      auto const a = elements<A>(each.a, 1);
      auto const b = elements<W>(each.b, 2);
      std::int64_t const n = each.b[each.b.rank() - 1];
      std::vector<A> const a_zero = {static_cast<A>(zeros == 0 ? 0 : 100)};
      shape const b_zero_shape = zeros == 3 ? shape{n} : shape{};
      auto const b_zeros = zeros < 2 ? std::vector<W>{0} : elements<W>(b_zero_shape, 3);
      std::string text = "type: 'MatMulInteger' output: 'y' input: 'a' input: 'b'";
      if (zeros > 0) text += " input: 'za'";
      if (zeros > 1) text += " input: 'zb'";
      test::feeds<B> fed = {{"a", of<B, A>(each.a, a)}, {"b", of<B, W>(each.b, b)}};
      if (zeros > 0) fed.emplace_back("za", of<B, A>({}, a_zero));
      if (zeros > 1) fed.emplace_back("zb", of<B, W>(b_zero_shape, b_zeros));
      auto const made = test::run_op<B>(table<B>(), text, fed);
      shape const y = made.view("y").dims();
      CHECK(y[y.rank() - 2] == each.a[each.a.rank() - 2]);
      CHECK(y[y.rank() - 1] == n);
      auto const wanted = multiplied<A, W>(y, each, a, b, a_zero[0], b_zeros);
      CHECK(made.template fetch<std::int32_t>("y") == wanted);
      // Packed weights.
      plait::workspace<B> blobs;
      for (auto const& [name, value] : fed) blobs.feed(name, value);
      auto const net = plait::read_netdef_text("op { " + text + " }");
      plait::compile(net, table<B>(), blobs, {.fetch = {"y"}, .constants = {"b"}}).run();
      CHECK(blobs.template fetch<std::int32_t>("y") == wanted);
    }
}

TEST_CASE_TEMPLATE("MatMulInteger: exact for all types, zero points and batches", B, PLAIT_HOST_BACKENDS) {
  check_products<B, std::uint8_t, std::int8_t>();
  check_products<B, std::uint8_t, std::uint8_t>();
  check_products<B, std::int8_t, std::int8_t>();
  check_products<B, std::int8_t, std::uint8_t>();
}

TEST_CASE("MatMulInteger: sums wrap, and none of 16 bits saturates") {
  using B = plait::serial;
  std::int64_t const k = 70'000;
  auto const made = test::run_op<B>(table<B>(), "type: 'MatMulInteger' output: 'y' input: 'a' input: 'b'",
                                    {{"a", of<B, std::uint8_t>({1, k}, std::vector<std::uint8_t>(70'000, 255))},
                                     {"b", of<B, std::uint8_t>({k, 1}, std::vector<std::uint8_t>(70'000, 255))}});
  CHECK(made.fetch<std::int32_t>("y") ==
        std::vector<std::int32_t>{static_cast<std::int32_t>(static_cast<std::uint32_t>(255ull * 255 * 70'000))});
}

template <class B, class X, class W>
void check_convolutions() {
  for (test::window_case const& c : test::window_cases())
    for (std::int64_t const groups : {1, 2})
      for (int const zeros : {0, 1, 2, 3, 4}) {  // inputs behind W; 3: a zero point for each unit; 4: and a bias
        if (c.last || c.channels() % groups != 0) continue;
        CAPTURE(to_string(c.x));
        CAPTURE(groups);
        CAPTURE(zeros);
        std::int64_t const units = 8 * groups;
        std::int64_t const of_group = c.channels() / groups;
        shape weights = {units, of_group};
        for (std::int64_t const extent : c.kernel) weights.push_back(extent);
        shape const w_zero_shape = zeros >= 3 ? shape{units} : shape{};
        auto const x = elements<X>(c.x, 1);
        auto const w = elements<W>(weights, 2);
        int const x_zero = zeros == 0 ? 0 : 90;
        auto const w_zeros = zeros < 2 ? std::vector<W>{0} : elements<W>(w_zero_shape, 3);
        std::vector<std::int32_t> bias(static_cast<std::size_t>(units), 0);
        if (zeros == 4)
          for (std::size_t i = 0; i != bias.size(); ++i) bias[i] = static_cast<std::int32_t>(i) * 100'000'000 - 7;
        std::vector<std::int32_t> wanted;
        for (index const& at : test::indices(c.output(units))) {
          std::int64_t const unit = at[1];
          std::int64_t sum = bias[static_cast<std::size_t>(unit)];
          int const w_zero = w_zeros[w_zeros.size() == 1 ? 0 : static_cast<std::size_t>(unit)];
          c.for_taps(c.place_of(at), [&](index const& tap, index const& place) {
            if (place.empty()) return;
            for (std::int64_t channel = 0; channel != of_group; ++channel)
              sum += static_cast<std::int64_t>(w[test::place(weights, c.at(unit, channel, tap))] - w_zero) *
                     (x[test::place(c.x, c.at(at[0], unit / 8 * of_group + channel, place))] - x_zero);
          });
          wanted.push_back(static_cast<std::int32_t>(sum));
        }
        std::string text = "type: 'ConvInteger' output: 'y' input: 'x' input: 'w'";
        test::feeds<B> fed = {{"x", of<B, X>(c.x, x)}, {"w", of<B, W>(weights, w)}};
        if (zeros > 0) text += " input: 'zx'";
        if (zeros > 1) text += " input: 'zw'";
        if (zeros > 3) text += " input: 'b'";
        if (zeros > 0) fed.emplace_back("zx", of<B, X>({}, {static_cast<X>(x_zero)}));
        if (zeros > 1) fed.emplace_back("zw", of<B, W>(w_zero_shape, w_zeros));
        if (zeros > 3) fed.emplace_back("b", of<B, std::int32_t>({units}, bias));
        auto const made = test::run_op<B>(
            table<B>(), text + " " + c.arguments() + "arg { name: 'group' i: " + std::to_string(groups) + " }", fed);
        CHECK(made.view("y").dims() == c.output(units));
        CHECK(made.template fetch<std::int32_t>("y") == wanted);
      }
}

TEST_CASE_TEMPLATE("ConvInteger: exact for all types, zero points, groups and windows", B, PLAIT_HOST_BACKENDS) {
  check_convolutions<B, std::uint8_t, std::int8_t>();
  check_convolutions<B, std::uint8_t, std::uint8_t>();
  check_convolutions<B, std::int8_t, std::int8_t>();
}

TEST_CASE("Micro-kernels of integers: all instruction sets of this processor agree") {
  using plait::detail::integer_kernel;
  std::vector<integer_kernel const*> kernels = {&plait::detail::integer_kernel_of<plait::instruction_set::portable>()};
#if PLAIT_X86_DISPATCH
  if (plait::available_instructions() != plait::instruction_set::portable)
    kernels.push_back(&plait::detail::integer_kernel_of<plait::instruction_set::avx2>());
  if (plait::available_instructions() == plait::instruction_set::avx512)
    kernels.push_back(&plait::detail::integer_kernel_of<plait::instruction_set::avx512>());
#endif
  auto const check = [&]<class W>(W) {
    constexpr std::ptrdiff_t pairs = 37;
    for (integer_kernel const* const kernel : kernels)
      for (std::ptrdiff_t rows = 1; rows <= integer_kernel::rows; ++rows)
        for (std::ptrdiff_t const columns : {std::ptrdiff_t(kernel->width), std::ptrdiff_t(5)}) {
          std::vector<std::int16_t> a(static_cast<std::size_t>(rows * 2 * pairs));
          for (std::size_t i = 0; i != a.size(); ++i) a[i] = static_cast<std::int16_t>(i % 3 == 0 ? -255 : 255);
          auto const b = elements<W>({pairs * 2 * kernel->width}, 1);
          std::vector<std::int32_t> const start = {1, -2, 3, -4, 5, -6};
          std::vector<std::int32_t> c(static_cast<std::size_t>(rows * 40), 9);
          kernel->tiles<W>()[static_cast<std::size_t>(rows)](
              {pairs, a.data(), 2 * pairs, b.data(), c.data(), 40, columns, start.data()});
          bool same = true;
          for (std::ptrdiff_t i = 0; i != rows; ++i)
            for (std::ptrdiff_t j = 0; j != 40; ++j) {
              std::uint32_t sum = static_cast<std::uint32_t>(start[static_cast<std::size_t>(i)]);
              for (std::ptrdiff_t k = 0; k != 2 * pairs && j < columns; ++k)
                sum += static_cast<std::uint32_t>(a[static_cast<std::size_t>(i * 2 * pairs + k)]) *
                       static_cast<std::uint32_t>(b[static_cast<std::size_t>((k / 2 * kernel->width + j) * 2 + k % 2)]);
              same =
                  same && c[static_cast<std::size_t>(i * 40 + j)] == (j < columns ? static_cast<std::int32_t>(sum) : 9);
            }
          CHECK(same);
        }
  };
  check(std::int8_t{});
  check(std::int16_t{});
}

TEST_CASE("MatMulInteger, ConvInteger: operands that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& text, test::feeds<B> const& fed) -> std::string {
    try {
      test::run_op<B>(table<B>(), text, fed);
      return {};
    } catch (plait::error const& e) {
      return e.what();
    }
  };
  auto const bytes = [](shape const& dims) { return of<B, std::uint8_t>(dims, elements<std::uint8_t>(dims, 1)); };
  std::string const product = "type: 'MatMulInteger' output: 'y' input: 'a' input: 'b'";
  CHECK(has(refusal(product, {{"a", bytes({2, 3})}, {"b", bytes({4, 2})}}), "inner extents 3 and 4"));
  CHECK(has(refusal(product, {{"a", bytes({3})}, {"b", bytes({3, 2})}}), "at least 2 dimensions"));
  CHECK(has(refusal(product, {{"a", test::counted<B, float>({2, 3})}, {"b", bytes({3, 2})}}), "int8 or uint8"));
  CHECK(has(refusal(product + " input: 'z'", {{"a", bytes({2, 3})}, {"b", bytes({3, 2})}, {"z", bytes({2})}}),
            "have one element"));
  CHECK(has(refusal(product + " input: 'z' input: 'v'",
                    {{"a", bytes({2, 3})}, {"b", bytes({3, 2})}, {"z", bytes({})}, {"v", bytes({3})}}),
            "one for each column"));
  std::string const conv = "type: 'ConvInteger' output: 'y' input: 'x' input: 'w' arg { name: 'kernel' i: 1 }";
  CHECK(has(refusal(conv + " arg { name: 'order' s: 'NHWC' }", {{"x", bytes({1, 2, 3})}, {"w", bytes({2, 2, 1})}}),
            "must be NCHW"));
  CHECK(has(refusal(conv, {{"x", bytes({1, 3, 3})}, {"w", bytes({2, 2, 1})}}), "extent of 2 in axis 1"));
}

}  // namespace
