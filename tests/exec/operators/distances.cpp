#include <plait/exec/detail/operators/distances.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;
using floats = std::vector<float>;

// Returns random numbers from -1 to 1 that are no multiples of a power of two: squares of odd integers are 1 modulo 8,
// so that all their sums would be rounded in the same direction.
template <class T>
std::vector<T> numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> made(static_cast<std::size_t>(count));
  for (T& x : made) x = static_cast<T>(static_cast<double>(random() >> 8) / 8388617.0 - 1.0);
  return made;
}

std::string op(std::string const& type, std::string const& more = {}) {
  return "type: \"" + type + "\" input: \"a\" input: \"b\" output: \"y\" " + more;
}

TEST_CASE_TEMPLATE("DotProduct, SquaredL2Distance, L1Distance, CosineSimilarity: reduce rows", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const check = [&]<class T>(T) {
    for (shape const& dims :
         {shape{5}, shape{3, 4}, shape{2, 2, 3}, shape{3, 1000}, shape{2, 20000}, shape{}, shape{0, 3}, shape{3, 0}}) {
      CAPTURE(plait::to_string(dims));
      auto const a = numbers<T>(dims.size(), 1);
      auto const b = numbers<T>(dims.size(), 2);
      std::int64_t const rows = dims.rank() == 0 ? 1 : dims[0];
      auto const width = static_cast<std::size_t>(dims.rank() == 0 ? 1 : dims.size_from(1));
      for (char const* type : {"DotProduct", "SquaredL2Distance", "L1Distance", "CosineSimilarity"}) {
        std::string const t = type;
        CAPTURE(t);
        auto const got = test::run_op<B>(operators, op(t), {{"a", test::of<B>(dims, a)}, {"b", test::of<B>(dims, b)}});
        CHECK(got.view("y").dims() == shape{rows});
        auto const y = got.template fetch<T>("y");
        for (std::size_t r = 0; r != static_cast<std::size_t>(rows); ++r) {
          long double dot = 0, aa = 0, bb = 0, l1 = 0, l2 = 0, scale = 1;
          for (std::size_t i = r * width; i != (r + 1) * width; ++i) {
            auto const p = static_cast<long double>(a[i]);
            auto const q = static_cast<long double>(b[i]);
            dot += p * q, aa += p * p, bb += q * q, l1 += std::abs(p - q), l2 += (p - q) * (p - q);
            scale += std::abs(p * q);
          }
          long double const wanted = t == "DotProduct"          ? dot
                                     : t == "SquaredL2Distance" ? l2 / 2
                                     : t == "L1Distance"        ? l1
                                                         : dot / std::sqrt(std::max(aa, 1e-12L) * std::max(bb, 1e-12L));
          long double const size = t == "DotProduct" ? scale : std::max(1.0L, std::abs(wanted));
          CHECK(std::abs(static_cast<long double>(y[r]) - wanted) <=
                8 * static_cast<long double>(std::numeric_limits<T>::epsilon()) * size);
        }
      }
    }
  };
  check(float{});
  check(double{});
  auto const zero =
      test::run_op<B>(operators, op("CosineSimilarity"),
                      {{"a", test::of<B, float>({1, 2}, {0, 0})}, {"b", test::of<B, float>({1, 2}, {1, 2})}});
  CHECK(zero.template fetch<float>("y") == floats{0});
  auto const large =
      test::run_op<B>(operators, op("CosineSimilarity"),
                      {{"a", test::of<B, float>({1, 1}, {1e15f})}, {"b", test::of<B, float>({1, 1}, {-1e15f})}});
  CHECK(large.template fetch<float>("y")[0] == doctest::Approx(-1));
}

TEST_CASE_TEMPLATE("DotProductWithPadding: the shorter row is padded or repeated", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  floats const a = {1, 2, 3, 4, 5, 6, 7, 8};
  floats const b = {1, -1, 2, 3};
  auto const run = [&](bool swapped, std::string const& arguments) {
    auto longer = test::of<B>({2, 4}, a);
    auto shorter = test::of<B>({2, 2}, b);
    return test::run_op<B>(operators, op("DotProductWithPadding", arguments),
                           {{swapped ? "b" : "a", std::move(longer)}, {swapped ? "a" : "b", std::move(shorter)}})
        .template fetch<float>("y");
  };
  for (bool const swapped : {false, true}) {
    CHECK(run(swapped, "") == floats{-1, 28});
    CHECK(run(swapped, "arg { name: \"pad_value\" f: 0.5 }") == floats{2.5f, 35.5f});
    CHECK(run(swapped, "arg { name: \"replicate\" i: 1 }") == floats{-2, 66});
  }
  auto const same = test::run_op<B>(operators, op("DotProductWithPadding", "arg { name: \"pad_value\" f: 9 }"),
                                    {{"a", test::of<B>({2, 2}, b)}, {"b", test::of<B>({2, 2}, b)}});
  CHECK(same.template fetch<float>("y") == floats{2, 13});
}

TEST_CASE("distances: shapes that do not fit are refused, and all backends agree") {
  using S = plait::serial;
  auto const refused = [&](std::string const& text, shape const& a, shape const& b, char const* why) {
    try {
      test::run_op<S>(table<S>(), text,
                      {{"a", test::of<S>(a, floats(static_cast<std::size_t>(a.size())))},
                       {"b", test::of<S>(b, floats(static_cast<std::size_t>(b.size())))}});
      FAIL("was not refused: " << text);
    } catch (plait::exec_error const& e) {
      CHECK(text.find(e.type) != std::string::npos);
      CHECK(std::string(e.what()).find(why) != std::string::npos);
    }
  };
  for (char const* type : {"DotProduct", "SquaredL2Distance", "L1Distance", "CosineSimilarity"}) {
    refused(op(type), {3, 4}, {2, 4}, "different shapes");
    refused(op(type), {4}, {4, 1}, "different shapes");
  }
  refused(op("DotProductWithPadding"), {3, 4}, {2, 4}, "as many rows");
  refused(op("DotProductWithPadding", "arg { name: \"replicate\" i: 1 }"), {2, 4}, {2, 3}, "whole number of times");
  refused(op("DotProductWithPadding", "arg { name: \"replicate\" i: 1 }"), {2, 0}, {2, 3}, "whole number of times");

  shape const dims{500, 333};
  auto const a = numbers<float>(dims.size(), 1);
  auto const b = numbers<float>(dims.size(), 2);
  for (char const* type : {"DotProduct", "SquaredL2Distance", "L1Distance", "CosineSimilarity"}) {
    auto const run = [&]<class B>(B) {
      return test::run_op<B>(table<B>(), op(type), {{"a", test::of<B>(dims, a)}, {"b", test::of<B>(dims, b)}})
          .template fetch<float>("y");
    };
    auto const wanted = run(S());
    test::for_parallel_backends([&]<class B>(B backend) { CHECK(test::agree<B>(run(backend), wanted)); });
  }
}

}  // namespace
