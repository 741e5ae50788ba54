#include <plait/exec/detail/operators/reshape.hpp>

#include <plait/exec/detail/operators/shape_values.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::element_type;
using plait::shape;
using test::table;

// Returns the shape of the result of an op with one input x; checks that it is a copy of the elements of x.
template <class B>
shape shape_of(std::string const& op, shape const& dims) {
  auto const blobs =
      test::run_op<B>(table<B>(), op + R"( input: "x" output: "y")", {{"x", test::counted<B, float>(dims)}});
  CHECK(blobs.template fetch<float>("y") == test::numbered<float>(dims));
  CHECK_FALSE(blobs.view("y").shares_memory(blobs.view("x")));
  return blobs.view("y").dims();
}

template <class B>
std::string refusal(std::string const& op, shape const& dims) {
  return test::error_of<B>(table<B>(), op + R"( input: "x" output: "y")", {{"x", test::counted<B, float>(dims)}});
}

std::string const reshape = R"(type: "Reshape" )";
std::string shape_argument(std::vector<std::int64_t> const& extents) {
  std::string text = reshape + R"(arg { name: "shape")";
  for (std::int64_t const extent : extents) text += " ints: " + std::to_string(extent);
  return text + " }";
}

TEST_CASE_TEMPLATE("Reshape: the argument sets the shape", B, PLAIT_HOST_BACKENDS) {
  CHECK(shape_of<B>(shape_argument({3, 4}), {2, 6}) == shape{3, 4});
  CHECK(shape_of<B>(shape_argument({-1, 4}), {2, 3, 4}) == shape{6, 4});
  CHECK(shape_of<B>(shape_argument({0, -1}), {2, 3, 4}) == shape{2, 12});
  CHECK(shape_of<B>(shape_argument({4, 0, 2}), {2, 3, 4}) == shape{4, 3, 2});
  CHECK(shape_of<B>(shape_argument({}), {1}) == shape{});
  CHECK(shape_of<B>(shape_argument({0, 5}), {0, 5}) == shape{0, 5});
  CHECK(shape_of<B>(shape_argument({-1, 5}), {0, 5}) == shape{0, 5});
}

// A gradient can thus restore any previous shape.
TEST_CASE("Reshape: 0 in the shape of an empty tensor may mean an extent of 0") {
  using B = plait::serial;
  CHECK(shape_of<B>(shape_argument({0}), {1, 0}) == shape{0});
  CHECK(shape_of<B>(shape_argument({3, 0, 2}), {4, 2, 0}) == shape{3, 0, 2});
  CHECK(shape_of<B>(shape_argument({0, 0, 0}), {0, 0}) == shape{0, 0, 0});
  CHECK(shape_of<B>(shape_argument({0, 7}), {0, 5}) == shape{0, 7});
  CHECK(shape_of<B>(shape_argument({2, -1}), {0, 5}) == shape{2, 0});
  CHECK(test::has(refusal<B>(shape_argument({3, 2}), {0, 5}), "the elements of 0x5 do not make 3x2"));
  CHECK(test::has(refusal<B>(shape_argument({0, -1}), {0, 5}), "leave no extent"));
}

TEST_CASE_TEMPLATE("Reshape: the shape may be an input, and the old shape is an output", B, PLAIT_HOST_BACKENDS) {
  std::string const op = reshape + R"(input: "x" input: "s" output: "y" output: "old")";
  auto const x = test::counted<B, std::int64_t>({2, 6});
  auto const narrow = test::run_op<B>(table<B>(), op, {{"x", x}, {"s", test::of<B, std::int32_t>({3}, {0, 2, 3})}});
  CHECK(narrow.view("y").spec() == plait::tensor_spec{element_type::int64, {2, 2, 3}});
  CHECK(narrow.template fetch<std::int32_t>("old") == std::vector<std::int32_t>{2, 6});
  auto const wide = test::run_op<B>(table<B>(), op, {{"x", x}, {"s", test::of<B, std::int64_t>({2}, {4, -1})}});
  CHECK(wide.view("y").dims() == shape{4, 3});
  CHECK(wide.template fetch<std::int64_t>("old") == std::vector<std::int64_t>{2, 6});

  auto const in_place = test::run_op<B>(table<B>(), shape_argument({12}) + R"(input: "x" output: "x" output: "old")",
                                        {{"x", test::counted<B, float>({2, 6})}});
  CHECK(in_place.view("x").dims() == shape{12});
  CHECK(in_place.template fetch<float>("x") == test::numbered<float>({12}));
  CHECK(in_place.template fetch<std::int64_t>("old") == std::vector<std::int64_t>{2, 6});
}

// If y were a view of x, the op's last write to y would overwrite x.
TEST_CASE_TEMPLATE("Reshape: listing one blob as both outputs leaves the input unchanged", B, PLAIT_HOST_BACKENDS) {
  auto const blobs = test::run_net<B>(table<B>(), R"(op { type: "Copy" input: "a" output: "x" }
      op { type: "Reshape" input: "x" output: "y" output: "y" arg { name: "shape" ints: 2 } }
      op { type: "Copy" input: "y" output: "w" } op { type: "Copy" input: "x" output: "z" }
      external_output: "w" external_output: "z")",
                                      {{"a", test::of<B, std::int64_t>({1, 2}, {7, 8})}});
  CHECK(blobs.template fetch<std::int64_t>("w") == std::vector<std::int64_t>{1, 2});
  CHECK(blobs.template fetch<std::int64_t>("z") == std::vector<std::int64_t>{7, 8});
}

TEST_CASE("Reshape: the result follows a shape tensor that changes between runs") {
  using B = plait::serial;
  plait::workspace<B> blobs;
  blobs.feed("x", test::counted<B, float>({12}));
  blobs.feed("s", test::of<B, std::int32_t>({2}, {3, 4}));
  auto plan = plait::compile(plait::read_netdef_text(R"(op { type: "Reshape" input: "x" input: "s" output: "y" }
    op { type: "Shape" input: "y" output: "d" })"),
                             table<B>(), blobs);
  plan.run();
  CHECK(blobs.fetch<std::int64_t>("d") == std::vector<std::int64_t>{3, 4});
  blobs.feed("s", test::of<B, std::int32_t>({2}, {-1, 2}));
  plan.run();
  CHECK(blobs.fetch<std::int64_t>("d") == std::vector<std::int64_t>{6, 2});
  CHECK(blobs.fetch<float>("y") == test::numbered<float>({12}));
}

TEST_CASE("Reshape: a new stage starts only where elements decide the shape") {
  using B = plait::serial;
  plait::workspace<B> blobs;
  blobs.feed("x", test::counted<B, float>({12}));
  blobs.feed("s", test::of<B, std::int32_t>({2}, {3, 4}));
  auto const plan = plait::compile(plait::read_netdef_text(R"(op { type: "FlattenToVec" input: "x" output: "a" }
        op { type: "Reshape" input: "a" output: "b" arg { name: "shape" ints: 6 ints: 2 } }
        op { type: "Reshape" input: "b" input: "s" output: "c" })"),
                                   table<B>(), blobs);
  auto const stages = plait::detail::engine_of(plan).layout().stages();
  CHECK(std::vector<plait::op_index>(stages.begin(), stages.end()) == std::vector<plait::op_index>{0, 2});
}

TEST_CASE("plan stages: a stage starts only where elements decide shapes") {
  using B = plait::serial;
  plait::workspace<B> blobs;
  blobs.feed("x", test::counted<B, float>({2, 3}));
  blobs.feed("s", test::of<B, std::int32_t>({2}, {1, 0}));
  auto const stages = [&](std::string const& op) {
    auto const plan = plait::compile(
        plait::read_netdef_text("op { type: 'Relu' input: 'x' output: 'r' } op { " + op + " }"), table<B>(), blobs);
    return plait::detail::engine_of(plan).layout().stages().size();
  };
  CHECK(stages("type: 'ConstantFill' input: 'r' output: 'y'") == 1);
  CHECK(stages("type: 'ConstantFill' input: 's' output: 'y' arg { name: 'input_as_shape' i: 1 }") == 2);
  CHECK(stages("type: 'UnsortedSegmentSum' input: 'r' input: 's' output: 'y'") == 2);
  CHECK(stages("type: 'UnsortedSegmentSum' input: 'r' input: 's' output: 'y' arg { name: 'num_segments' i: 2 }") == 1);
  CHECK(stages("type: 'SparseToDense' input: 's' input: 'r' output: 'y'") == 2);
  CHECK(stages("type: 'SparseToDense' input: 's' input: 'r' input: 'x' output: 'y'") == 1);
  CHECK(stages("type: 'SliceGradient' input: 'x' input: 'r' output: 'y' arg { name: 'starts' ints: 0 ints: 0 } "
               "arg { name: 'ends' ints: -1 ints: -1 }") == 1);
  CHECK(stages("type: 'SliceGradient' input: 'x' input: 's' input: 's' input: 'r' output: 'y'") == 2);
}

TEST_CASE("Reshape: shapes that do not fit are refused") {
  using B = plait::serial;
  CHECK(test::has(refusal<B>(shape_argument({5, -1}), {2, 6}), "Reshape: plait: op 0 (Reshape): 12 elements leave no"));
  CHECK(test::has(refusal<B>(shape_argument({5, 2}), {2, 6}), "2x6 do not make 5x2"));
  CHECK(test::has(refusal<B>(shape_argument({-1, -1}), {2, 6}), "one -1 only"));
  CHECK(test::has(refusal<B>(shape_argument({12, 1, 0}), {2, 6}), "axis 2, which 2x6 does not have"));
  CHECK(test::has(refusal<B>(shape_argument({-2, -6}), {2, 6}), "cannot have -2"));
  CHECK(test::has(refusal<B>(shape_argument({0, -1}), {0, 5}), "multiply to 0"));
  CHECK(test::has(refusal<B>(shape_argument({1LL << 40, 1LL << 40}), {2, 6}), "more elements than memory can hold"));
  CHECK(test::has(refusal<B>(reshape, {2, 6}), "argument 'shape' is missing"));
  CHECK(
      test::has(test::error_of<B>(table<B>(), shape_argument({12}) + R"( input: "x" input: "s" output: "y")",
                                  {{"x", test::counted<B, float>({12})}, {"s", test::of<B, std::int32_t>({1}, {12})}}),
                "argument 'shape' is given besides the input"));
  CHECK(test::has(test::error_of<B>(table<B>(), reshape + R"( input: "x" input: "s" output: "y")",
                                    {{"x", test::counted<B, float>({12})}, {"s", test::of<B, float>({1}, {12})}}),
                  "float32 1, which should hold int32 or int64"));
  CHECK(test::has(
      test::error_of<B>(table<B>(), reshape + R"( input: "x" input: "s" output: "y" output: "old")",
                        {{"x", test::of<B, float>({0, 1LL << 32}, {})}, {"s", test::of<B, std::int32_t>({1}, {0})}}),
      "an extent of 4294967296 does not fit an int32"));
}

TEST_CASE_TEMPLATE("shape ops: Flatten, Squeeze, ResizeLike and others set the shape", B, PLAIT_HOST_BACKENDS) {
  CHECK(shape_of<B>(R"(type: "Flatten")", {2, 3, 4}) == shape{2, 12});
  CHECK(shape_of<B>(R"(type: "Flatten" arg { name: "axis" i: 0 })", {2, 3, 4}) == shape{1, 24});
  CHECK(shape_of<B>(R"(type: "Flatten" arg { name: "axis" i: 3 })", {2, 3, 4}) == shape{24, 1});
  CHECK(shape_of<B>(R"(type: "FlattenToVec")", {2, 3, 4}) == shape{24});
  CHECK(shape_of<B>(R"(type: "FlattenToVec")", {}) == shape{1});
  CHECK(shape_of<B>(R"(type: "ExpandDims" arg { name: "dims" ints: 0 })", {2, 3}) == shape{1, 2, 3});
  CHECK(shape_of<B>(R"(type: "ExpandDims" arg { name: "dims" ints: 3 ints: 0 ints: 0 })", {2, 3}) == shape{1, 2, 3, 1});
  CHECK(shape_of<B>(R"(type: "Squeeze" arg { name: "dims" ints: 2 ints: 0 })", {1, 3, 1}) == shape{3});
  CHECK(shape_of<B>(R"(type: "Squeeze" arg { name: "dims" ints: 0 })", {1, 3, 1}) == shape{3, 1});
  CHECK(shape_of<B>(R"(type: "ExpandDims" arg { name: "dims" ints: -1 ints: 0 })", {2, 3}) == shape{1, 2, 3, 1});
  CHECK(shape_of<B>(R"(type: "Squeeze" arg { name: "dims" ints: -1 })", {1, 3, 1}) == shape{1, 3});
  CHECK(shape_of<B>(R"(type: "Squeeze")", {1, 3, 1}) == shape{3});
  CHECK(shape_of<B>(R"(type: "MergeDim")", {2, 3, 4}) == shape{6, 4});
  CHECK(shape_of<B>(R"(type: "PrependDim" arg { name: "dim_size" i: 2 })", {4, 3}) == shape{2, 2, 3});

  auto const like = test::run_op<B>(table<B>(), R"(type: "ResizeLike" input: "x" input: "s" output: "y")",
                                    {{"x", test::counted<B, float>({2, 6})}, {"s", test::counted<B, double>({3, 4})}});
  CHECK(like.view("y").spec() == plait::tensor_spec{element_type::float32, {3, 4}});
  CHECK(like.template fetch<float>("y") == test::numbered<float>({12}));
}

TEST_CASE("shape ops: axes and extents that do not fit are refused") {
  using B = plait::serial;
  CHECK(test::has(refusal<B>(R"(type: "Flatten" arg { name: "axis" i: 4 })", {2, 3, 4}), "has no axis 4"));
  CHECK(
      test::has(refusal<B>(R"(type: "ExpandDims" arg { name: "dims" ints: 5 })", {2}), "axis 5 is out of range for 2"));
  CHECK(test::has(refusal<B>(R"(type: "ExpandDims" arg { name: "dims" ints: -3 })", {2}), "axis -3 is out of range"));
  CHECK(test::has(refusal<B>(R"(type: "ExpandDims" arg { name: "dims" ints: -1 ints: 2 })", {2}), "listed twice"));
  CHECK(test::has(refusal<B>(R"(type: "ExpandDims" arg { name: "dims" })", {2}), "'dims' lists no axis"));
  CHECK(test::has(refusal<B>(R"(type: "ExpandDims")", {2}), "'dims' is missing"));
  CHECK(test::has(refusal<B>(R"(type: "Squeeze" arg { name: "dims" ints: 0 })", {2, 1}), "extent of 1 in axis 0"));
  CHECK(test::has(refusal<B>(R"(type: "Squeeze" arg { name: "dims" ints: 2 })", {1, 1}), "axis 2 is out of range"));
  CHECK(test::has(refusal<B>(R"(type: "MergeDim")", {2}), "at least 2 dimensions"));
  CHECK(test::has(refusal<B>(R"(type: "PrependDim" arg { name: "dim_size" i: 3 })", {4}), "that 3 divides"));
  CHECK(test::has(refusal<B>(R"(type: "PrependDim" arg { name: "dim_size" i: 0 })", {4}), "must be above zero"));
  CHECK(test::has(test::error_of<B>(table<B>(), R"(type: "ResizeLike" input: "x" input: "s" output: "y")",
                                    {{"x", test::counted<B, float>({12})}, {"s", test::counted<B, float>({15})}}),
                  "float32 12 and float32 15, of different numbers of elements"));
}

TEST_CASE_TEMPLATE("Shape, Size, HasElements, IsEmpty: results describe the input's shape", B, PLAIT_HOST_BACKENDS) {
  auto const facts = [](shape const& dims) {
    return test::run_net<B>(table<B>(), R"(op { type: "Shape" input: "x" output: "dims" }
      op { type: "Size" input: "x" output: "size" } op { type: "HasElements" input: "x" output: "any" }
      op { type: "IsEmpty" input: "x" output: "none" })",
                            {{"x", test::counted<B, double>(dims)}});
  };
  auto const some = facts({2, 3, 4});
  CHECK(some.template fetch<std::int64_t>("dims") == std::vector<std::int64_t>{2, 3, 4});
  CHECK(some.template fetch<std::int64_t>("size") == std::vector<std::int64_t>{24});
  CHECK(some.view("size").rank() == 0);
  CHECK(some.template fetch<bool>("any") == std::vector<bool>{true});
  CHECK(some.template fetch<bool>("none") == std::vector<bool>{false});
  auto const none = facts({3, 0});
  CHECK(none.template fetch<std::int64_t>("dims") == std::vector<std::int64_t>{3, 0});
  CHECK(none.template fetch<std::int64_t>("size") == std::vector<std::int64_t>{0});
  CHECK(none.template fetch<bool>("any") == std::vector<bool>{false});
  CHECK(none.template fetch<bool>("none") == std::vector<bool>{true});
  CHECK(facts({}).view("dims").dims() == shape{0});
}

TEST_CASE_TEMPLATE("Shape: the argument axes selects extents", B, PLAIT_HOST_BACKENDS) {
  auto const extents = [](std::string const& axes) {
    return test::run_op<B>(table<B>(), "type: 'Shape' input: 'x' output: 'y' arg { name: 'axes' " + axes + " }",
                           {{"x", test::counted<B, float>({2, 3, 4})}})
        .template fetch<std::int64_t>("y");
  };
  using list = std::vector<std::int64_t>;
  CHECK(extents("ints: 1") == list{3});
  CHECK(extents("ints: -1 ints: 0") == list{4, 2});
  CHECK(extents("ints: 2 ints: 2 ints: 1 ints: 0 ints: 0 ints: 1 ints: 2 ints: 2 ints: 2") ==
        list{4, 4, 3, 2, 2, 3, 4, 4, 4});
  CHECK(test::has(refusal<B>(R"(type: "Shape" arg { name: "axes" ints: 1 })", {2}), "has no axis 1"));
}

}  // namespace
