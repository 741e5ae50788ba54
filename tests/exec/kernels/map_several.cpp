#include <plait/exec/detail/kernels/map_several.hpp>

#include <array>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <support/run_op.hpp>

namespace {

TEST_CASE_TEMPLATE("map_several: elements of all operands are mapped, in place of any", B, PLAIT_HOST_BACKENDS) {
  struct combine {
    double by;
    double operator()(double x, double y, double z) const { return x * y - by * z; }
  };
  for (std::size_t const count : {0u, 1u, 7u, 16'384u, 16'385u, 100'003u}) {
    std::array<std::vector<double>, 3> x;
    for (std::size_t k = 0; k != 3; ++k)
      for (std::size_t i = 0; i != count; ++i) x[k].push_back(static_cast<double>((i * 7 + k * 5) % 31));
    std::vector<double> expected;
    for (std::size_t i = 0; i != count; ++i) expected.push_back(x[0][i] * x[1][i] - 0.5 * x[2][i]);
    auto const apply = [&](std::vector<double>& out) {
      plait::map_several<B, combine, double, 3>({x[0].data(), x[1].data(), x[2].data()}, out.data(), count,
                                                combine{0.5});
      return out == expected;
    };
    std::vector<double> out(count);
    CHECK(apply(out));
    for (std::size_t k = 0; k != 3; ++k) {
      std::vector<double> const before = x[k];
      CHECK(apply(x[k]));
      x[k] = before;
    }
  }
}

}  // namespace
