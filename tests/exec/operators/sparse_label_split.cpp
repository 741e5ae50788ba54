#include <plait/exec/detail/operators/sparse_label_split.hpp>

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

std::string const split =
    "type: 'SparseLabelSplit' input: 'l' input: 'c' input: 'v' output: 'v0' output: 'v1' output: 'v2' output: 'e0' "
    "output: 'e1' output: 'e2' ";

template <class B, class T>
void check_split() {
  auto const blobs = test::run_op<B>(
      table<B>(), split + "output: 'm' arg { name: 'num_labels' i: 3 } arg { name: 'keep_gradient_offset_map' i: 1 }",
      {{"l", of<B, std::int32_t>({4}, {2, 0, 3, 1})},
       {"c", of<B, std::int64_t>({6}, {2, 0, 2, 2, 0, 2})},
       {"v", test::counted<B, T>({6}, T(10))}});
  CHECK(blobs.template fetch<T>("v0") == std::vector<T>{11, 14});
  CHECK(blobs.template fetch<T>("v1").empty());
  CHECK(blobs.template fetch<T>("v2") == std::vector<T>{10, 12, 13, 15});
  using numbers = std::vector<std::int32_t>;
  CHECK(blobs.template fetch<std::int32_t>("e0") == numbers{0, 2});
  CHECK(blobs.template fetch<std::int32_t>("e1").empty());
  CHECK(blobs.template fetch<std::int32_t>("e2") == numbers{0, 2, 2, 3});
  CHECK(blobs.template fetch<std::int32_t>("m") == numbers{0, 0, 1, 2, 1, 3});
}

TEST_CASE_TEMPLATE("SparseLabelSplit: values and examples by label", B, PLAIT_HOST_BACKENDS) {
  check_split<B, float>();
  check_split<B, double>();
  check_split<B, std::int32_t>();
  auto const empty = test::run_op<B>(
      table<B>(), split + "arg { name: 'num_labels' i: 3 }",
      {{"l", of<B, std::int32_t>({2}, {0, 0})}, {"c", of<B, std::int64_t>({0}, {})}, {"v", of<B, float>({0}, {})}});
  for (std::string const name : {"v0", "v1", "v2", "e0", "e1", "e2"}) CHECK(empty.view(name).dims() == shape{0});
}

TEST_CASE_TEMPLATE("SparseLabelSplitGradient: gradients return to the places of their values", B, PLAIT_HOST_BACKENDS) {
  for (std::string const map : {"", " input: 'm'"}) {
    auto const blobs =
        test::run_op<B>(table<B>(),
                        "type: 'SparseLabelSplitGradient' input: 'l' input: 'c' input: 'g0' input: 'g1' output: 'g'" +
                            map + " arg { name: 'num_labels' i: 2 }",
                        {{"l", of<B, std::int32_t>({2}, {1, 3})},
                         {"c", of<B, std::int64_t>({4}, {1, 0, 1, 0})},
                         {"g0", of<B, float>({2}, {1, 2})},
                         {"g1", of<B, float>({2}, {3, 4})},
                         {"m", of<B, std::int32_t>({4}, {0, 0, 1, 1})}});
    CHECK(blobs.template fetch<float>("g") == std::vector<float>{3, 1, 4, 2});
  }
}

TEST_CASE("SparseLabelSplit: operands that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& arguments, std::vector<std::int32_t> const& lengths,
                          std::vector<std::int64_t> const& labels) {
    return test::error_of<B>(table<B>(), split + arguments,
                             {{"l", of<B>({static_cast<std::int64_t>(lengths.size())}, lengths)},
                              {"c", of<B>({static_cast<std::int64_t>(labels.size())}, labels)},
                              {"v", test::counted<B, float>({2})}});
  };
  std::string const three = "arg { name: 'num_labels' i: 3 }";
  CHECK(has(refusal(three, {2}, {0, 3}), "label 3 is not from 0"));
  CHECK(has(refusal(three, {2}, {0, -1}), "label -1 is not from 0"));
  CHECK(has(refusal(three, {1}, {0, 1}), "have 1 labels, as the lengths add up to"));
  CHECK(has(refusal(three, {3, -1}, {0, 1}), "negative length -1"));
  CHECK(has(refusal(three, {3}, {0, 1, 2}), "have a value for each of 3 labels"));
  CHECK(has(refusal("arg { name: 'num_labels' i: 2 }", {2}, {0, 1}), "'num_labels' is 2, where there are 6 outputs"));
  CHECK(has(refusal("arg { name: 'num_labels' i: 0 }", {2}, {0, 1}), "'num_labels' must be positive"));
  CHECK(has(refusal(three + "arg { name: 'keep_gradient_offset_map' i: 1 }", {2}, {0, 1}),
            "'keep_gradient_offset_map' is needed"));
}

}  // namespace
