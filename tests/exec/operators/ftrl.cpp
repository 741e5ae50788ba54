#include <plait/exec/detail/operators/ftrl.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/check_close.hpp>
#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;

std::string const usual = " arg { name: 'beta' f: 1.5 } arg { name: 'lambda1' f: 0.5 } arg { name: 'lambda2' f: 0.25 }";

struct state {
  std::vector<double> w;
  std::vector<double> nz;
};

// Steps element i with gradient g, by definition, with alpha 0.25.
void step(state& s, std::size_t i, double g) {
  double const n = s.nz[2 * i] + g * g;
  double const z = s.nz[2 * i + 1] + g - (std::sqrt(n) - std::sqrt(s.nz[2 * i])) / 0.25 * s.w[i];
  s.nz[2 * i] = n;
  s.nz[2 * i + 1] = z;
  s.w[i] = std::abs(z) <= 0.5 ? 0 : (std::copysign(0.5, z) - z) / ((1.5 + std::sqrt(n)) / 0.25 + 0.25);
}

state first_state(std::int64_t elements) {
  return {test::random_tensor({elements}, 1).values<double>(),
          test::random_tensor({2 * elements}, 2, 0, 2).values<double>()};
}

TEST_CASE_TEMPLATE("Ftrl: steps by definition, alpha being an argument or an input", B, PLAIT_HOST_BACKENDS) {
  for (std::int64_t const count : {0, 1, 20, 40'000})
    for (bool const given : {false, true}) {
      state s = first_state(count);
      auto const g = test::random_tensor({count}, 3).values<double>();
      auto const blobs = test::run_op<B>(test::table<B>(),
                                         "type: 'Ftrl' input: 'w' input: 'nz' input: 'g' output: 'w' output: 'nz'" +
                                             usual + (given ? " input: 'a'" : " arg { name: 'alpha' f: 0.25 }"),
                                         {{"w", test::of<B>(shape{count}, s.w)},
                                          {"nz", test::of<B>(shape{count, 2}, s.nz)},
                                          {"g", test::of<B>(shape{count}, g)},
                                          {"a", test::of<B, float>({1}, {0.25f})}});
      for (std::size_t i = 0; i != g.size(); ++i) step(s, i, g[i]);
      // Here and in the definition, roots up to 1.8 are rounded, and their difference is multiplied by 4 w.
      test::check_close(blobs.template fetch<double>("w"), s.w, 20, 1);
      test::check_close(blobs.template fetch<double>("nz"), s.nz, 20, 1);
    }
}

TEST_CASE_TEMPLATE("SparseFtrl: steps rows in the order of the list", B, PLAIT_HOST_BACKENDS) {
  for (bool const given : {false, true}) {
    state s = first_state(6);
    std::vector<std::int32_t> const rows = {2, 0, 2};
    auto const g = test::random_tensor({6}, 3).values<double>();
    std::string const op = "type: 'SparseFtrl' input: 'w' input: 'nz' input: 'i' input: 'g' output: 'w' output: 'nz'" +
                           usual + (given ? " input: 'a'" : " arg { name: 'alpha' f: 0.25 }");
    test::feeds<B> fed;
    fed.emplace_back("w", test::of<B>(shape{3, 2}, s.w));
    fed.emplace_back("nz", test::of<B>(shape{3, 2, 2}, s.nz));
    fed.emplace_back("i", test::of<B>(shape{3}, rows));
    fed.emplace_back("g", test::of<B>(shape{3, 2}, g));
    fed.emplace_back("a", test::of<B, float>({1}, {0.25f}));
    auto const blobs = test::run_op<B>(test::table<B>(), op, fed);
    for (std::size_t i = 0; i != g.size(); ++i) step(s, static_cast<std::size_t>(rows[i / 2]) * 2 + i % 2, g[i]);
    test::check_close(blobs.template fetch<double>("w"), s.w, 8, 1);
    test::check_close(blobs.template fetch<double>("nz"), s.nz, 8, 1);
    fed[2].second = test::of<B, std::int32_t>({3}, {0, 3, 1});
    CHECK(test::has(test::error_of<B>(test::table<B>(), op, fed), "3"));
  }
}

TEST_CASE("Ftrl: two sources of alpha, and moments that do not fit, are refused") {
  using B = plait::serial;
  auto const error = [](shape const& moments, std::string const& arguments) {
    return test::error_of<B>(
        test::table<B>(),
        "type: 'Ftrl' input: 'w' input: 'nz' input: 'g' input: 'a' output: 'w' output: 'nz'" + arguments,
        {{"w", test::counted<B, float>({2})},
         {"nz", test::counted<B, float>(moments)},
         {"g", test::counted<B, float>({2})},
         {"a", test::counted<B, float>({1}, 1)}});
  };
  CHECK(test::has(error({2, 2}, " arg { name: 'alpha' f: 0.25 }"), "'alpha' is given beside an input"));
  CHECK(test::has(error({3}, ""), "have two elements for each"));
  CHECK(error({2, 2}, "").empty());
}

}  // namespace
