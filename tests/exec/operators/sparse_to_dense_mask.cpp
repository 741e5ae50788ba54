#include <plait/exec/detail/operators/sparse_to_dense_mask.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::has;
using test::of;
using test::table;

template <class B, class T, class I>
void check_mask() {
  auto const blobs = test::run_net<B>(table<B>(), R"(
      op { type: "SparseToDenseMask" input: "i" input: "v" input: "d" input: "l" output: "y" output: "m"
           arg { name: "mask" ints: 999999999 ints: 2 ints: 6 } arg { name: "return_presence_mask" i: 1 } }
      op { type: "SparseToDenseMask" input: "i" input: "v" input: "d" output: "z" arg { name: "mask" ints: 2 ints: 7 } }
      op { type: "SparseToDenseMask" input: "i" input: "r" input: "e" input: "l" output: "w"
           arg { name: "mask" ints: 2 ints: 6 } })",
                                      {{"i", of<B, I>({7}, {2, 4, 6, 1, 2, 999, 2})},
                                       {"v", test::counted<B, T>({7}, T(1))},
                                       {"r", test::counted<B, T>({7, 2}, T(1))},
                                       {"d", of<B, T>({}, {T(100)})},
                                       {"e", of<B, T>({2}, {T(100), T(101)})},
                                       {"l", of<B, std::int32_t>({3}, {3, 0, 4})}});
  CHECK(blobs.view("y").dims() == shape{3, 3});
  CHECK(blobs.template fetch<T>("y") == std::vector<T>{100, 1, 3, 100, 100, 100, 100, 7, 100});
  CHECK(blobs.template fetch<bool>("m") ==
        std::vector<bool>{false, true, true, false, false, false, false, true, false});
  CHECK(blobs.view("z").dims() == shape{2});
  CHECK(blobs.template fetch<T>("z") == std::vector<T>{7, 100});
  CHECK(blobs.view("w").dims() == shape{3, 2, 2});
  CHECK(blobs.template fetch<T>("w") == std::vector<T>{1, 2, 5, 6, 100, 101, 100, 101, 13, 14, 100, 101});
}

TEST_CASE_TEMPLATE("SparseToDenseMask: the last value of each id of the mask, or the default", B, PLAIT_HOST_BACKENDS) {
  check_mask<B, float, std::int64_t>();
  check_mask<B, double, std::int32_t>();
  check_mask<B, std::int64_t, std::int64_t>();
}

TEST_CASE_TEMPLATE("SparseToDenseMaskGradient: only values that were taken have gradients", B, PLAIT_HOST_BACKENDS) {
  auto const gradient = [](std::string const& lengths, plait::tensor<B> const& dy) {
    return test::run_op<B>(table<B>(),
                           "type: 'SparseToDenseMaskGradient' input: 'i' input: 'g'" + lengths +
                               " output: 'v' arg { name: 'mask' ints: 2 ints: 6 ints: 7 }",
                           {{"i", of<B, std::int32_t>({7}, {2, 4, 6, 1, 2, -1, 2})},
                            {"g", dy.clone()},
                            {"l", of<B, std::int32_t>({2}, {3, 4})}});
  };
  auto const lists = gradient(" input: 'l'", test::counted<B, float>({2, 3}, 1));
  CHECK(lists.template fetch<float>("v") == std::vector<float>{1, 0, 2, 0, 0, 0, 4});
  auto const one = gradient("", test::counted<B, double>({3, 2}, 1));
  CHECK(one.view("v").dims() == shape{7, 2});
  CHECK(one.template fetch<double>("v") == std::vector<double>{0, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 1, 2});
}

TEST_CASE("SparseToDenseMask: masks and operands that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& arguments, std::vector<std::int64_t> const& ids, shape const& fallback,
                          std::vector<std::int32_t> const& lengths) {
    return test::error_of<B>(
        table<B>(), "type: 'SparseToDenseMask' input: 'i' input: 'v' input: 'd' input: 'l' output: 'y' " + arguments,
        {{"i", of<B>({static_cast<std::int64_t>(ids.size())}, ids)},
         {"v", test::counted<B, float>({3})},
         {"d", test::counted<B, float>(fallback)},
         {"l", of<B>({static_cast<std::int64_t>(lengths.size())}, lengths)}});
  };
  std::string const mask = "arg { name: 'mask' ints: 2 } ";
  std::vector<std::int64_t> const ids = {2, 3, 4};
  CHECK(refusal(mask, ids, {}, {1, 1}).empty());
  CHECK(has(refusal("", ids, {}, {3}), "'mask' must not be empty"));
  CHECK(has(refusal("arg { name: 'mask' ints: 2 ints: 2 }", ids, {}, {3}), "has the id 2 twice"));
  CHECK(has(refusal("arg { name: 'mask' ints: -2 }", ids, {}, {3}), "must not have negative ids"));
  CHECK(has(refusal(mask + "arg { name: 'return_presence_mask' i: 1 }", ids, {}, {3}), "second output"));
  CHECK(has(refusal(mask, ids, {1}, {3}), "be scalar, as a row of"));
  CHECK(has(refusal(mask, {2, 3}, {}, {2}), "have a row for each of 2 ids"));
  CHECK(has(refusal(mask, ids, {}, {2, 2}), "add up to 4 where there are 3 ids"));
  CHECK(has(refusal(mask, ids, {}, {-1, 2}), "negative length -1"));
  std::string const one = mask + "arg { name: 'max_skipped_indices' i: 1 }";
  CHECK(refusal(one, {-5, 3, 4}, {}, {3}).empty());
  CHECK(has(refusal(one, {-5, 3, std::int64_t{1} << 40}, {}, {3}), "id 1099511627776 at place 2 is invalid"));
}

}  // namespace
