#include <plait/exec/detail/kernels/fast_path.hpp>

#include <array>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/kernels/map.hpp>
#include <plait/exec/detail/kernels/map_several.hpp>
#include <support/run_op.hpp>

namespace {

// Function whose result shows which path was taken.
struct marked {
  static bool is_fast(double x) { return x >= 0; }
  static double fast(double x, double y = 0) { return 2 * x + y; }
  double operator()(double x, double y = 0) const { return -1000 + x - y; }
};
static_assert(plait::detail::has_fast_path<marked, double>);

struct plain {
  double operator()(double x) const { return x; }
};
static_assert(!plait::detail::has_fast_path<plain, double>);

TEST_CASE_TEMPLATE("fast_path: an element's path does not depend on its neighbours, also in place", B,
                   PLAIT_HOST_BACKENDS) {
  for (std::size_t const count : {0u, 1u, 511u, 513u, 40'000u})
    for (std::size_t const every : {1u, 3u, 700u, 100'000u}) {
      std::vector<double> x;
      std::vector<double> y;
      std::vector<double> of_one;
      std::vector<double> of_two;
      for (std::size_t i = 0; i != count; ++i) {
        auto const at = static_cast<double>(i);
        x.push_back(i % every == every - 1 ? -at - 1 : at);
        y.push_back(at / 4);
        of_one.push_back(x[i] >= 0 ? 2 * x[i] : -1000 + x[i]);
        of_two.push_back(x[i] >= 0 ? 2 * x[i] + y[i] : -1000 + x[i] - y[i]);
      }
      std::vector<double> out(count);
      plait::map_several<B, marked, double, 2>({x.data(), y.data()}, out.data(), count);
      CHECK(out == of_two);
      plait::map<B, marked>(x.data(), x.data(), count);
      CHECK(x == of_one);
    }
}

}  // namespace
