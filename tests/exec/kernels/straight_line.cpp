#include <plait/exec/detail/kernels/straight_line.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <support/instruction_sets.hpp>

using plait::instruction_set;
using plait::simple_function;
using plait::straight_line;

namespace {

// Applies one function; not inlined, so that nothing is fused.
template <class T>
[[gnu::noinline]] T apply(simple_function f, T x, T y) {
  switch (f) {
    case simple_function::add:
      return x + y;
    case simple_function::subtract:
      return x - y;
    case simple_function::subtract_from:
      return y - x;
    case simple_function::multiply:
      return x * y;
    case simple_function::divide:
      return x / y;
    case simple_function::divide_into:
      return y / x;
    case simple_function::negate:
      return -x;
    case simple_function::relu:
      return x < 0 ? T(0) : x;
    case simple_function::none:
      break;
  }
  return x;
}

// Returns true for equal bits, or two NaN: which of two NaN a sum yields is unspecified.
template <class T>
bool same(std::vector<T> const& a, std::vector<T> const& b) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i != a.size(); ++i)
    if (std::bit_cast<bits>(a[i]) != std::bit_cast<bits>(b[i]) && (a[i] == a[i] || b[i] == b[i])) return false;
  return true;
}

template <class T>
struct line_case {
  struct step {
    simple_function f;
    bool repeats;
    std::vector<T> y;
  };
  bool x_repeats;
  std::vector<T> x;
  std::vector<step> steps;

  line_case(std::mt19937& random, std::size_t length, std::size_t count) {
    std::size_t repeated = 0;
    auto const numbers = [&](bool repeats) {
      std::uniform_real_distribution<T> between(-2, 2);
      std::vector<T> made(repeats ? 1 : count);
      for (T& each : made) each = between(random);
      if (!made.empty() && random() % 4 == 0) made[random() % made.size()] = std::numeric_limits<T>::quiet_NaN();
      if (!made.empty() && random() % 4 == 0) made[random() % made.size()] = -std::numeric_limits<T>::infinity();
      if (!made.empty() && random() % 4 == 0) made[random() % made.size()] = -T(0);
      return made;
    };
    auto const repeats = [&] {
      bool const one = random() % 4 == 0 && repeated != straight_line::most_repeated;
      repeated += one;
      return one;
    };
    x_repeats = repeats();
    x = numbers(x_repeats);
    while (steps.size() != length) {
      auto const f = static_cast<simple_function>(1 + random() % static_cast<unsigned>(simple_function::relu));
      bool const one = takes_two(f) && repeats();
      steps.push_back({f, one, takes_two(f) ? numbers(one) : std::vector<T>()});
    }
  }

  straight_line line() const {
    straight_line made(x_repeats);
    for (step const& s : steps) CHECK(made.add(s.f, s.repeats));
    CHECK(made.size() == steps.size());
    return made;
  }
  std::vector<void*> operands(T* result) {
    std::vector<void*> made{x.data()};
    for (step& s : steps)
      if (takes_two(s.f)) made.push_back(s.y.data());
    made.push_back(result);
    return made;
  }
  std::vector<T> wanted(std::size_t count) const {
    std::vector<T> made(count);
    for (std::size_t i = 0; i != count; ++i) {
      made[i] = x[x_repeats ? 0 : i];
      for (step const& s : steps) made[i] = apply(s.f, made[i], takes_two(s.f) ? s.y[s.repeats ? 0 : i] : T(0));
    }
    return made;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("straight_line: results have the bits of separate functions with all instruction sets", T, float,
                   double) {
  std::mt19937 random(7);
  for (instruction_set const set : test::instruction_sets()) {
    CAPTURE(static_cast<int>(set));
    for (std::size_t count = 0; count != 300; ++count) {
      CAPTURE(count);
      line_case<T> x(random, 1 + count % straight_line::most_functions, count);
      std::vector<T> made(count + 1, T(5));
      x.line().template run<T>(x.operands(made.data()).data(), count, set);
      CHECK(made.back() == 5);
      made.pop_back();
      CHECK(same(made, x.wanted(count)));
    }
  }
}

TEST_CASE_TEMPLATE("straight_line: the function of loop() has the results of run()", T, float, double) {
  std::mt19937 random(3);
  for (std::size_t length = 1; length != 4; ++length)
    for (std::size_t count = 0; count != 150; ++count) {
      CAPTURE(length);
      CAPTURE(count);
      line_case<T> x(random, length, count);
      std::vector<T> made(count + 1, T(5));
      straight_line const line = x.line();
      line.template loop<T>()(&line, x.operands(made.data()).data(), count);
      CHECK(made.back() == 5);
      made.pop_back();
      CHECK(same(made, x.wanted(count)));
    }
}

TEST_CASE_TEMPLATE("straight_line: a product and a sum of two functions are not fused", T, float, double) {
  std::mt19937 random(5);
  for (instruction_set const set : test::instruction_sets())
    for (unsigned f = 1; f <= static_cast<unsigned>(simple_function::relu); ++f)
      for (unsigned g = 1; g <= static_cast<unsigned>(simple_function::relu); ++g)
        for (std::size_t const count : {31u, 64u, 1'001u}) {
          line_case<T> x(random, 2, count);
          x.steps[0].f = simple_function{static_cast<unsigned char>(f)};
          x.steps[1].f = simple_function{static_cast<unsigned char>(g)};
          for (auto& s : x.steps) {
            s.repeats = s.repeats && takes_two(s.f);
            if (takes_two(s.f) && s.y.empty()) s.y.assign(count, T(0.3));
          }
          std::vector<T> const wanted = x.wanted(count);
          std::vector<T> made(count);
          x.line().template run<T>(x.operands(made.data()).data(), count, set);
          CHECK(same(made, wanted));
        }
}

TEST_CASE_TEMPLATE("straight_line: the result may alias any operand that is not repeated", T, float, double) {
  std::mt19937 random(11);
  for (instruction_set const set : test::instruction_sets())
    for (std::size_t const count : {1u, 15u, 127u, 128u, 129u, 1'000u})
      for (std::size_t place = 0; place != 4; ++place) {
        line_case<T> x(random, 3, count);
        std::vector<T> const wanted = x.wanted(count);
        std::vector<T>& in = place == 0 ? x.x : x.steps[place - 1].y;
        if (in.size() != count) continue;
        x.line().template run<T>(x.operands(in.data()).data(), count, set);
        CHECK(same(in, wanted));
      }
}

TEST_CASE("straight_line: add() limits the numbers of functions and of repeated operands") {
  straight_line full(false);
  for (std::size_t i = 0; i != straight_line::most_functions; ++i) CHECK(full.add(simple_function::negate, false));
  CHECK_FALSE(full.add(simple_function::negate, false));
  CHECK(full.size() == straight_line::most_functions);
  straight_line repeated(true);
  for (std::size_t i = 1; i != straight_line::most_repeated; ++i) CHECK(repeated.add(simple_function::add, true));
  CHECK_FALSE(repeated.add(simple_function::add, true));
  CHECK(repeated.add(simple_function::add, false));
  CHECK(repeated.size() == straight_line::most_repeated);
}
