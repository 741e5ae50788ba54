#include <plait/exec/detail/operators/fill_examples.hpp>

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

TEST_CASE_TEMPLATE("FillExamplesWithIndicator: rows go where flags are set", B, PLAIT_HOST_BACKENDS) {
  auto const filled = [](plait::tensor<B> const& x, plait::tensor<B> const& flags) {
    return test::run_op<B>(table<B>(), "type: 'FillExamplesWithIndicator' input: 'x' input: 'f' output: 'y'",
                           {{"x", x.clone()}, {"f", flags.clone()}});
  };
  auto const rows = test::counted<B, float>({2, 2}, 1);
  std::vector<float> const wanted = {0, 0, 1, 2, 0, 0, 3, 4};
  CHECK(filled(rows, of<B, std::int32_t>({4}, {0, 1, 0, -7})).template fetch<float>("y") == wanted);
  CHECK(filled(rows, of<B, std::int64_t>({4}, {0, 1, 0, 2})).template fetch<float>("y") == wanted);
  auto const by_flags = filled(rows, of<B, bool>({4}, {false, true, false, true}));
  CHECK(by_flags.template fetch<float>("y") == wanted);
  CHECK(by_flags.view("y").dims() == shape{4, 2});
  CHECK(filled(test::counted<B, std::int64_t>({0, 1, 2}), of<B, std::int32_t>({1}, {0}))
            .template fetch<std::int64_t>("y") == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("FillExamplesWithIndicator: a number of rows that flags do not select is refused") {
  using B = plait::serial;
  CHECK(has(test::error_of<B>(table<B>(), "type: 'FillExamplesWithIndicator' input: 'x' input: 'f' output: 'y'",
                              {{"x", test::counted<B, float>({2, 2})}, {"f", of<B, std::int32_t>({2}, {0, 1})}}),
            "have 1 rows, one for each flag that is set"));
}

}  // namespace
