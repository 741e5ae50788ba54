#include <plait/exec/detail/operators/group_norm_gradient.hpp>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::table;

std::string arguments(std::int64_t groups, bool last) {
  return " arg { name: 'group' i: " + std::to_string(groups) + " } arg { name: 'order' s: '" +
         (last ? "NHWC" : "NCHW") + "' } arg { name: 'epsilon' f: 0.1 }";
}
constexpr char const* gradient =
    "type: 'GroupNormGradient' input: 'y_grad' input: 'x' input: 's' input: 'b' input: 'm' input: 'r' "
    "output: 'x_grad' output: 's_grad' output: 'b_grad'";

TEST_CASE_TEMPLATE("GroupNormGradient: agrees with differences in every layout", B, PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  for (auto const& [dims, groups, last] : std::vector<std::tuple<shape, std::int64_t, bool>>{{{2, 4, 3, 2}, 2, false},
                                                                                             {{2, 3, 2, 4}, 2, true},
                                                                                             {{3, 6, 5}, 3, false},
                                                                                             {{3, 5, 6}, 6, true},
                                                                                             {{4, 6}, 2, false},
                                                                                             {{4, 6}, 1, true},
                                                                                             {{2, 4, 3}, 4, false},
                                                                                             {{0, 4, 3}, 2, false},
                                                                                             {{2, 4, 0}, 2, false},
                                                                                             {{2, 0, 4}, 2, true},
                                                                                             {{1, 4, 900}, 2, false},
                                                                                             {{3, 700, 4}, 2, true}}) {
    shape const channels{dims[last ? dims.rank() - 1 : 1]};
    test::check_gradient_of_op(
        mine, reference,
        {.forward = "type: 'GroupNorm' input: 'x' input: 's' input: 'b' output: 'y' output: 'm' output: 'r'" +
                    arguments(groups, last),
         .gradient = gradient + arguments(groups, last),
         .fed = {{"x", test::random_tensor(dims, 1)},
                 {"s", test::random_tensor(channels, 2)},
                 {"b", test::random_tensor(channels, 3)}},
         .tolerance = 1e-6,
         .float_tolerance = 1e-3,
         .most_differences = 20});
  }
}

TEST_CASE("GroupNormGradient: operands that do not fit are refused") {
  using B = plait::serial;
  auto const error = [](shape const& dy, shape const& scale, shape const& mean) {
    auto const values = [](shape const& dims) {
      return test::of<B, float>(dims, std::vector<float>(static_cast<std::size_t>(dims.size()), 1));
    };
    try {
      test::run_op<B>(table<B>(), gradient + arguments(2, false),
                      {{"y_grad", values(dy)},
                       {"x", values({2, 4, 3})},
                       {"s", values(scale)},
                       {"b", values({4})},
                       {"m", values(mean)},
                       {"r", values({2, 2})}});
    } catch (plait::exec_error const& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(error({2, 4, 3}, {4}, {2, 2}).empty());
  CHECK(error({2, 3, 4}, {4}, {2, 2}).find("different shapes") != std::string::npos);
  CHECK(error({2, 4, 3}, {3}, {2, 2}).find("each of 4 channels") != std::string::npos);
  CHECK(error({2, 4, 3}, {4}, {2, 4}).find("each of 4 groups") != std::string::npos);
}

}  // namespace
