#include <plait/exec/detail/operators/convolution_relu.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;

template <class B, class T>
void check_type() {
  for (bool const last : {false, true})
    for (bool const with_bias : {false, true}) {
      shape const x = last ? shape{2, 5, 6, 4} : shape{2, 4, 5, 6};
      shape const w = last ? shape{6, 3, 3, 4} : shape{6, 4, 3, 3};
      auto const random = [](shape const& dims, std::uint64_t seed) {
        auto const x = test::random_tensor(dims, seed).values<double>();
        return test::of<B>(dims, std::vector<T>(x.begin(), x.end()));
      };
      test::feeds<B> fed;
      fed.emplace_back("x", random(x, 1));
      fed.emplace_back("w", random(w, 2));
      fed.emplace_back("b", random({6}, 3));
      std::string const rest = " input: 'x' input: 'w'" + std::string(with_bias ? " input: 'b'" : "") +
                               " arg { name: 'kernel' i: 3 } arg { name: 'pad' i: 1 } arg { name: 'order' s: '" +
                               (last ? "NHWC" : "NCHW") + "' }";
      auto const wanted = test::run_net<B>(
          test::table<B>(), "op { type: 'Conv' output: 'c'" + rest + " } op { type: 'Relu' input: 'c' output: 'y' }",
          fed);
      auto const got = test::run_op<B>(test::table<B>(), "type: 'ConvRelu' output: 'y'" + rest, fed);
      CHECK(got.view("y").spec() == wanted.view("y").spec());
      CHECK(test::agree<B>(got.template fetch<T>("y"), wanted.template fetch<T>("y")));
    }
}

TEST_CASE_TEMPLATE("ConvRelu: gives the bits of Conv and Relu", B, PLAIT_HOST_BACKENDS) {
  check_type<B, float>();
  check_type<B, double>();
}

TEST_CASE_TEMPLATE("ConvRelu: a sum that follows is added after Relu", B, PLAIT_HOST_BACKENDS) {
  auto const blobs = test::run_net<B>(
      test::table<B>(),
      "op { type: 'ConvRelu' input: 'x' input: 'w' output: 'y' arg { name: 'kernel' i: 1 } } op { type: 'Add' input: "
      "'y' input: 'a' output: 'z' } op { type: 'Relu' input: 'z' output: 'r' } external_output: 'z' external_output: "
      "'r'",
      {{"x", test::of<B, float>({1, 1, 1, 2}, {3, -4})},
       {"w", test::of<B, float>({1, 1, 1, 1}, {2})},
       {"a", test::of<B, float>({1, 1, 1, 2}, {-10, 5})}});
  CHECK(blobs.template fetch<float>("z") == std::vector<float>{-4, 5});
  CHECK(blobs.template fetch<float>("r") == std::vector<float>{0, 5});
}

}  // namespace
