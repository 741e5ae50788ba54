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

TEST_CASE("caffe2_operators: arguments introduced later are ignored") {
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
      {"type: 'AveragePool' input: 'image' output: 'y' arg { name: 'kernel' i: 2 } arg { name: 'pad' i: 1 }",
       "arg { name: 'count_include_pad' i: 1 }",
       {{"image", test::counted<B, float>({1, 1, 2, 3}, 1)}}},
      {"type: 'AveragePoolGradient' input: 'image' input: 'out' input: 'out' output: 'y' arg { name: 'kernel' i: 2 } "
       "arg { name: 'pad' i: 1 }",
       "arg { name: 'count_include_pad' i: 1 }",
       {{"image", test::counted<B, float>({1, 1, 2, 3}, 1)}, {"out", test::counted<B, float>({1, 1, 3, 4}, 1)}}},
      {"type: 'SpatialBNGradient' input: 'cube' input: 's' input: 'cube' input: 's' input: 's' output: 'y' output: "
       "'ds' output: 'db'",
       "arg { name: 'is_test' i: 1 }",
       {{"cube", test::counted<B, float>({2, 2, 3}, 1)}, {"s", test::of<B, float>({2}, {3, 4})}}},
      {"type: 'PackSegments' input: 'l' input: 'x' output: 'y'",
       "arg { name: 'max_length' i: 1 }",
       {{"x", x}, {"l", lengths}}},
      {"type: 'SoftmaxWithLoss' input: 'x' input: 'i' input: 'w' output: 'p' output: 'y'",
       "arg { name: 'average_by_batch_size' i: 1 }",
       {{"x", x}, {"i", places}, {"w", test::of<B, float>({2}, {3, 4})}}},
      {"type: 'Adagrad' input: 'x' input: 'y' input: 'g' input: 'r' output: 'x' output: 'y'",
       "arg { name: 'weight_decay' f: 0.5 }",
       {{"x", x}, {"y", x.clone()}, {"g", x.clone()}, {"r", rate}}},
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

TEST_CASE("caffe2_operators: ops that Caffe2 refused are refused") {
  struct refusal {
    std::string op;
    test::feeds<B> fed;
    std::string why;
  };
  auto const x = test::counted<B, float>({2, 3}, 1);
  auto const cube = test::counted<B, float>({2, 4, 3}, 1);
  auto const lengths = test::of<B, std::int32_t>({2}, {1, 1});
  auto const one = test::of<B, float>({1}, {1});
  auto const count = test::of<B, std::int64_t>({1}, {1});
  auto const batch_norm = [](std::string const& x_name, std::string const& arguments, std::string const& mean = "m") {
    return "type: 'SpatialBN' input: '" + x_name +
           "' input: 's' input: 's' input: 'm' input: 'v' output: 'y' output: '" + mean +
           "' output: 'v' output: 'sm' output: 'sv' " + arguments;
  };
  auto const normed = [](plait::tensor<B> const& of) {
    test::feeds<B> made;
    for (char const* name : {"s", "m", "v"}) made.emplace_back(name, test::counted<B, float>({of.dims()[1]}, 1));
    made.emplace_back(of.dims().rank() == 2 ? "x" : "cube", of);
    return made;
  };
  std::vector<refusal> const all = {
      {batch_norm("x", ""), normed(x), "'is_test' is missing"},
      {batch_norm("x", "arg { name: 'is_test' i: 0 }"), normed(x), "at least 3 dimensions"},
      {batch_norm("cube", "arg { name: 'is_test' i: 0 } arg { name: 'epsilon' f: 0 }"), normed(cube), "'epsilon'"},
      {batch_norm("cube", "arg { name: 'is_test' i: 0 } arg { name: 'momentum' f: 2 }"), normed(cube), "'momentum'"},
      {batch_norm("cube", "arg { name: 'is_test' i: 0 }", "m2"), normed(cube), "the name of input 3"},
      {"type: 'TopK' input: 'x' output: 'v' output: 'i' arg { name: 'k' i: 4 }", {{"x", x}}, "k = 4"},
      {"type: 'TopK' input: 'x' output: 'v' output: 'i' arg { name: 'k' i: 1 } arg { name: 'axis' i: -2 }",
       {{"x", x}},
       "'axis'"},
      {"type: 'TopK' input: 'x' input: 'n' output: 'v' output: 'i'", {{"x", x}, {"n", count}}, "at most 1"},
      {"type: 'ReduceSum' input: 'x' input: 'n' output: 'y'", {{"x", x}, {"n", count}}, "at most 1"},
      {"type: 'Tile' input: 'x' output: 'y' arg { name: 'tiles' i: 2 }", {{"x", x}}, "'axis' is missing"},
      {"type: 'Tile' input: 'x' output: 'y' arg { name: 'axis' i: 0 }", {{"x", x}}, "'tiles' is missing"},
      {"type: 'Range' input: 's' output: 'y'", {{"s", test::of<B, std::int32_t>({1}, {3})}}, "0 dimensions"},
      {"type: 'Copy' input: 'x' output: 'x'", {{"x", x}}, "the name of input 0"},
      {"type: 'Div' input: 'x' input: 'z' output: 'z'", {{"x", x}, {"z", x}}, "the name of input 1"},
      {"type: 'ScatterWeightedSum' input: 'x' input: 'a' input: 'i' input: 'r' input: 'a' output: 'y'",
       {{"x", x}, {"a", test::of<B, float>({1}, {1})}, {"i", lengths}, {"r", x}},
       "should have the name of input 0"},
      {"type: 'SparseAdam' input: 'x' input: 'm' input: 'v' input: 'i' input: 'g' input: 'a' input: 't' output: 'x' "
       "output: 'm' output: 'w'",
       {{"x", x}, {"m", x}, {"v", x}, {"i", lengths}, {"g", x}, {"a", one}, {"t", count}},
       "should have the name of input 2"},
      {"type: 'RowWiseSparseAdam' input: 'x' input: 'm' input: 'v' input: 'i' input: 'g' input: 'a' input: 't' output: "
       "'x' output: 'w' output: 'v'",
       {{"x", x}, {"m", x}, {"v", test::counted<B, float>({2}, 1)}, {"i", lengths}, {"g", x}, {"a", one}, {"t", count}},
       "should have the name of input 1"},
      {"type: 'RowWiseSparseAdagrad' input: 'x' input: 'v' input: 'i' input: 'g' input: 'a' output: 'x' output: 'w'",
       {{"x", x}, {"v", test::counted<B, float>({2}, 1)}, {"i", lengths}, {"g", x}, {"a", one}},
       "should have the name of input 1"},
      {"type: 'SparseMomentumSGDUpdate' input: 'g' input: 'm' input: 'a' input: 'x' input: 'i' output: 'g' output: 'm' "
       "output: 'y'",
       {{"g", x}, {"m", x}, {"a", one}, {"x", x}, {"i", lengths}},
       "should have the name of input 3"},
      {"type: 'Add' input: 'x' input: 'z' output: 'y' arg { name: 'broadcast' i: 1 }",
       {{"x", cube}, {"z", test::counted<B, float>({2, 1, 3}, 1)}},
       "along axes between"},
      {"type: 'PackRNNSequence' input: 'x' input: 'l' output: 'y'",
       {{"x", test::counted<B, float>({2})}, {"l", lengths}},
       "at least 2 dimensions"},
      {"type: 'Accuracy' input: 'x' input: 'l' output: 'y'",
       {{"x", x}, {"l", test::of<B, std::int32_t>({2, 1}, {1, 1})}},
       "1 dimensions"},
      {"type: 'LayerNorm' input: 'x' output: 'y' output: 'm' output: 's' arg { name: 'axis' i: 0 }",
       {{"x", test::counted<B, float>({3})}},
       "at least 2 dimensions"},
      {"type: 'ReversePackedSegs' input: 'x' input: 'l' output: 'y'",
       {{"x", x}, {"l", test::of<B, std::int32_t>({3}, {1, 1, 2})}},
       "3 dimensions"},
      {"type: 'Transpose' input: 'x' output: 'y' arg { name: 'axes' ints: 0 ints: -1 }", {{"x", x}}, "below 0"},
      {"type: 'Flatten' input: 'x' output: 'y' arg { name: 'axis' i: -1 }", {{"x", x}}, "below 0"},
      {"type: 'Concat' input: 'x' input: 'x' output: 'y' output: 's' arg { name: 'axis' i: 0 } "
       "arg { name: 'order' s: 'NCHW' }",
       {{"x", x}},
       "beside axis"},
      {"type: 'Dropout' input: 'x' output: 'y' arg { name: 'is_test' i: 0 }", {{"x", x}}, "no output for the mask"},
      {"type: 'Dropout' input: 'x' output: 'y' output: 'm'", {{"x", x}}, "'is_test' is missing"},
      {"type: 'Concat' input: 'x' output: 'y'", {{"x", x}}, "1 outputs, which should be 2"},
      {"type: 'Reshape' input: 'x' output: 'y' arg { name: 'shape' ints: 6 }", {{"x", x}}, "1 outputs"},
      {"type: 'Scale' input: 'x' output: 'y' arg { name: 'scale' i: 2 }", {{"x", x}}, "'scale' is an integer"},
      {"type: 'GivenTensorFill' output: 'y' arg { name: 'shape' ints: 0 }", {}, "'values' is missing"},
      {"type: 'Iter' input: 'i' output: 'y'", {{"i", test::of<B, std::int64_t>({1}, {3})}}, "name of input 0"},
      {"type: 'SumElements' input: 'x' output: 'y'", {{"x", lengths}}, "float32"},
      {"type: 'Unique' input: 'x' output: 'y'", {{"x", test::of<B, std::int32_t>({1, 1}, {3})}}, "1 dimensions"},
      {"type: 'Max' input: 'z' input: 'x' output: 'x'", {{"x", x}, {"z", x}}, "the name of input 1"},
      {"type: 'Swish' input: 'x' output: 'x'", {{"x", x}}, "the name of input 0"},
      {"type: 'Tanh' input: 'x' output: 'y'", {{"x", test::counted<B, double>({2, 3}, 1)}}, "not hold doubles"},
  };
  plait::operators<B> const old = plait::caffe2_operators<B>();
  for (refusal const& r : all) {
    CAPTURE(r.op);
    CHECK(test::has(test::error_of<B>(old, r.op, r.fed), r.why));
    CHECK(test::error_of<B>(plait::standard_operators<B>(), r.op, r.fed).empty());
  }
  auto const face = [&](plait::shape const& dims) {
    return test::error_of<B>(old, "type: 'Add' input: 'x' input: 'z' output: 'x' arg { name: 'broadcast' i: 1 }",
                             {{"x", cube}, {"z", test::counted<B, float>(dims, 1)}});
  };
  CHECK(face({1, 4, 1}).empty());
  CHECK(test::error_of<B>(old, "type: 'Add' input: 'x' input: 'z' output: 'x' arg { name: 'broadcast' i: 1 }",
                          {{"x", test::counted<B, float>({2, 1, 3}, 1)}, {"z", test::counted<B, float>({2, 1, 3}, 1)}})
            .empty());
  CHECK(face({1}).empty());
}

TEST_CASE("caffe2_operators: Sum and comparisons accept fewer types") {
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
