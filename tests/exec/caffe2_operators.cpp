#include <plait/exec/caffe2_operators.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using B = plait::serial;
using plait::shape;

TEST_CASE("caffe2_operators: arguments that came later count for nothing") {
  plait::operators<B> const old = plait::caffe2_operators<B>();
  plait::operators<B> const& standard = plait::standard_operators<B>();
  CHECK(old.size() == standard.size());
  struct later {
    std::string op;
    std::string arguments;
    test::feeds<B> fed;
  };
  auto const x = test::counted<B, float>({2, 3}, 1);
  auto const places = test::of<B, std::int32_t>({2}, {1, 0});
  auto const rows = test::of<B, std::int32_t>({2, 1}, {1, 0});
  auto const rate = test::of<B, float>({1}, {0.5});
  auto const lengths = test::of<B, std::int32_t>({1}, {2});
  std::vector<later> const all = {
      {"type: 'Shape' input: 'x' output: 'y'", "arg { name: 'axes' ints: 1 }", {{"x", x}}},
      {"type: 'Gather' input: 'x' input: 'i' output: 'y'", "arg { name: 'axis' i: 1 }", {{"x", x}, {"i", places}}},
      {"type: 'BatchGather' input: 'x' input: 'i' output: 'y'",
       "arg { name: 'match_outer' i: 1 }",
       {{"x", x}, {"i", rows}}},
      {"type: 'GivenTensorFill' output: 'y' arg { name: 'shape' ints: 1 } arg { name: 'values' ints: 7 }",
       "arg { name: 'dtype' i: 2 }",
       {}},
      {"type: 'PackSegments' input: 'l' input: 'x' output: 'y'",
       "arg { name: 'max_length' i: 1 }",
       {{"x", x}, {"l", lengths}}},
      {"type: 'SoftmaxWithLoss' input: 'x' input: 'i' input: 'w' output: 'p' output: 'y'",
       "arg { name: 'average_by_batch_size' i: 1 }",
       {{"x", x}, {"i", places}, {"w", test::of<B, float>({2}, {3, 4})}}},
      {"type: 'Adagrad' input: 'x' input: 'y' input: 'x' input: 'r' output: 'x' output: 'y'",
       "arg { name: 'weight_decay' f: 0.5 }",
       {{"x", x}, {"y", x.clone()}, {"r", rate}}},
  };
  for (later const& l : all) {
    CAPTURE(l.op);
    auto const made = [&](plait::operators<B> const& table, std::string const& arguments) {
      test::feeds<B> fed;
      for (auto const& [name, value] : l.fed) fed.emplace_back(name, value.clone());
      auto const view = test::run_op(table, l.op + ' ' + arguments, fed).view("y");
      auto bytes = std::vector<unsigned char>(view.bytes());
      B::copy_to_host(bytes.data(), view.raw(), bytes.size());
      return std::pair(plait::to_string(view.spec()), bytes);
    };
    CHECK(made(old, l.arguments) == made(old, ""));
    CHECK(made(old, "") == made(standard, ""));
    CHECK(made(standard, l.arguments) != made(standard, ""));
  }
  CHECK(test::has(test::error_of<B>(old,
                                    "type: 'Gather' input: 'x' input: 'i' output: 'y' "
                                    "arg { name: 'wrap_indices' i: 1 }",
                                    {{"x", x}, {"i", test::of<B, std::int32_t>({1}, {-1})}}),
                  "index -1"));
}

TEST_CASE("caffe2_operators: sums and comparisons take fewer types") {
  auto const takes = [](plait::operators<B> const& table, std::string const& type, plait::tensor<B> const& x) {
    return test::error_of<B>(table, "type: '" + type + "' input: 'x' input: 'x' output: 'y'", {{"x", x}}).empty();
  };
  plait::operators<B> const old = plait::caffe2_operators<B>();
  plait::tensor<B> const of[] = {test::counted<B, float>({2}), test::of<B, std::int32_t>({2}, {1, 2}),
                                 test::counted<B, double>({2}), test::of<B, std::int64_t>({2}, {1, 2}),
                                 test::of<B, bool>({2}, {true, false})};
  auto const check = [&](std::string const& type, std::vector<bool> const& wanted, std::vector<bool> const& standard) {
    for (std::size_t i = 0; i != wanted.size(); ++i) {
      CAPTURE(type);
      CAPTURE(i);
      CHECK(takes(old, type, of[i]) == wanted[i]);
      CHECK(takes(plait::standard_operators<B>(), type, of[i]) == standard[i]);
    }
  };
  check("Sum", {true, true, false, false, false}, {true, true, true, true, false});
  check("EQ", {false, true, false, true, true}, {true, true, true, true, true});
  for (std::string const type : {"LT", "LE", "GT", "GE"})
    check(type, {true, true, true, true, false}, {true, true, true, true, true});
}

}  // namespace
