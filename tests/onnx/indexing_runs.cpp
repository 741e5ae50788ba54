// Models of one node with indices, scans or remainders: constraints when read, and results that ONNX's own tests do not
// cover.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/core/errors.hpp>
#include <plait/interop/onnx/read.hpp>

#include <support/onnx_nodes.hpp>
#include <support/onnx_runs.hpp>

namespace {

using namespace onnx_nodes;
using plait::onnx_type;
using plait::tensor_value;

auto const i64 = onnx_type::int64;
auto const i32 = onnx_type::int32;
auto const u8 = onnx_type::uint8;
auto const boolean = onnx_type::boolean;

template <class T>
tensor_value tensor(numbers dims, std::vector<T> elements) {
  return {std::move(dims), std::move(elements)};
}
tensor_value floats(numbers dims, std::vector<float> elements) { return tensor(std::move(dims), std::move(elements)); }
tensor_value wide(numbers dims, std::vector<std::int64_t> elements) {
  return tensor(std::move(dims), std::move(elements));
}

/// Returns the reason for which a node is refused when it is read, empty if it is accepted.
std::string refusal(row const& each) {
  try {
    static_cast<void>(plait::read_onnx(model_of(each)));
    return {};
  } catch (plait::onnx_error const& e) {
    return e.problems.at(0).reason;
  }
}
void check(std::vector<row> const& rows) {
  for (row const& each : rows) {
    CAPTURE(each.type);
    CAPTURE(each.reason);
    std::string const found = refusal(each);
    CAPTURE(found);
    CHECK((each.reason.empty() ? found.empty() : found.find(each.reason) != std::string::npos));
  }
}

/// Returns "" if a node computes its first output from its non-constant inputs, else how it differs.
std::string off(row const& node, std::vector<tensor_value> const& given, tensor_value const& wanted) {
  plait::onnx_net const net = plait::read_onnx(model_of(node));
  onnx_runs::values inputs;
  for (std::size_t i = 0; i != given.size(); ++i) inputs.emplace(net.inputs.at(i), given[i]);
  try {
    return onnx_runs::run(net, inputs, {wanted});
  } catch (plait::exec_error const& e) {
    return e.what();
  }
}

TEST_CASE("ONNX indexing: constraints are checked when the model is read") {
  attribute const add = text("reduction", "add");
  check({{"GatherElements", {f({2, 3}), of(i64, {2})}, {}, "input 'i1' (2) should have 2 axes"},
         {"GatherElements", {f({2, 3}), of(i64, {2, 3})}, {flag("axis", 2)}, "its input has no axis 2"},
         {"GatherElements", {f({3}), ints({0, 3})}, {}, "axis 0 of input 'i0' (3) has no index 3"},
         {"GatherElements", {f({3}), ints({-3, 2, 2, 2})}, {}, ""},
         {"ScatterElements", {f({2, 3}), of(i64, {2, 2}), f({2, 3})}, {}, "input 'i2' (2x3) should be 2x2"},
         {"ScatterElements", {f({3}), of(i64, {1}), f({1})}, {text("reduction", "mean")}, "should be none, add", 18},
         {"ScatterElements", {of(boolean, {3}), of(i64, {1}), of(boolean, {1})}, {add}, "input 'i0' is bool", 18},
         {"ScatterElements", {of(boolean, {3}), of(i64, {1}), of(boolean, {1})}, {}, "", 18},
         {"GatherND", {f({2, 3}), of(i64, {4, 3})}, {}, "have 3 indices, where they should have 1 to 2"},
         {"GatherND", {f({2, 3}), of(i64, {2, 2})}, {flag("batch_dims", 1)}, "where they should have 1 to 1"},
         {"GatherND", {f({2, 3}), of(i64, {2, 1})}, {flag("batch_dims", -1)}, "batch_dims is -1"},
         {"ScatterND", {f({2, 3}), of(i64, {4, 1}), f({4, 2})}, {}, "input 'i2' (4x2) should be 4x3"},
         {"OneHot", {of(i64, {2}), one(0), f({2})}, {}, "the depth should be a number of at least 1"},
         {"OneHot", {of(i64, {2}), one(3), f({3})}, {}, "input 'i2' (3) should be 2"},
         {"OneHot", {of(i64, {2}), one(3), f({2})}, {flag("axis", 2)}, "axis 2 is out of range for a result of 2 axes"},
         {"Compress", {f({2, 3}), of(boolean, {2})}, {flag("axis", 2)}, "its input has no axis 2"},
         {"Compress", {f({2, 3}), of(boolean, {2, 3})}, {}, "input 'i1' (2x3) should have 1 axes"},
         {"Trilu", {f({3})}, {}, "input 'i0' (3) should have at least 2 axes", 14},
         {"Trilu", {f({3, 3}), ints({1, 2})}, {}, "input 'i1' (2) should be one number", 14},
         {"EyeLike", {f({3})}, {}, "input 'i0' (3) should have 2 axes"},
         {"CumSum", {f({2, 3}), one(2)}, {}, "its input has no axis 2", 14},
         {"CumSum", {of(u8, {2, 3}), one(1)}, {}, "input 'i0' is uint8", 14},
         {"Mod", {f({2}), f({2})}, {flag("fmod", 2)}, "'fmod' is"},
         {"BitShift", {of(u8, {2}), of(u8, {2})}, {text("direction", "UP")}, "'direction' is neither LEFT nor RIGHT"},
         {"Hardmax", {f({2, 3})}, {flag("axis", -3)}, "its input has no axis -3"}});
}

TEST_CASE("ONNX Einsum: malformed equations, and shapes that do not fit them, are refused with the reason") {
  auto const of_two = [](std::string equation, std::string reason) {
    return row{"Einsum", {f({2, 3}), f({3, 4})}, {text("equation", std::move(equation))}, std::move(reason)};
  };
  check({of_two("ij,jk->ik", ""), of_two("ij,jk", ""), of_two(" i j , j k -> i k ", ""),
         of_two("ij->ij", "has 1 terms, where it has 2 inputs"), of_two("ij,jk,k->i", "has 3 terms"),
         of_two("ij,jk->il", "has the letter 'l' in the result only"),
         of_two("ij,jk->ii", "has the letter 'i' in the result twice"),
         of_two("i.j,jk->ik", "which should have letters"), of_two("ij,jk->ik->i", "which should have letters"),
         of_two("i1,jk->i", "which should have letters"), of_two("......,jk->jk", "at most one ellipsis"),
         of_two("ijk,jk->i", "input 'i0' (2x3) should have 3 axes"),
         of_two("abc...,jk->j", "input 'i0' (2x3) should have at least 3 axes"),
         of_two("...,jk->jk", "has no ellipsis in the result"),
         of_two("ij,kj->ik", "axis 1 of input 'i1' (3x4) should have the extent 3")});
  row const unknown{"Einsum", {any_shape()}, {text("equation", "ii->i")}, "must be known before the model is run"};
  check({{"Einsum", {f({1, 3})}, {text("equation", "ii->i")}, "with the same letter have different extents"}});
  check({unknown, {"Einsum", {any_shape()}, {text("equation", "...i->i...")}, "must be known before"}});
}

TEST_CASE("ONNX Einsum: products of more than two inputs, diagonals and inputs of unknown shape") {
  row const chain{"Einsum", {any_shape(), any_shape(), any_shape()}, {text("equation", "ij,jk,k->i")}, ""};
  tensor_value const a = floats({2, 2}, {1, 2, 3, 4});
  CHECK(off(chain, {a, a, floats({2}, {1, -1})}, floats({2}, {-3, -7})) == "");
  CHECK(off(chain, {a, a, floats({2, 1}, {1, -1})}, a) != "");
  CHECK(off(chain, {floats({2, 3}, std::vector<float>(6)), a, floats({2}, {1, -1})}, a) != "");
  row const diagonal{"Einsum", {f({2, 2, 2})}, {text("equation", "iji->ij")}, ""};
  CHECK(off(diagonal, {floats({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7})}, floats({2, 2}, {0, 2, 5, 7})) == "");
  row const trace{"Einsum", {of(i64, {2, 2})}, {text("equation", "ii")}, ""};
  CHECK(off(trace, {wide({2, 2}, {1, 2, 3, 4})}, wide({}, {5})) == "");
  float const nan = std::nanf("");
  row const kept{"Einsum", {f({2, 2})}, {text("equation", "ii->i")}, ""};
  CHECK(off(kept, {floats({2, 2}, {1, nan, nan, 4})}, floats({2}, {1, 4})) == "");
}

TEST_CASE("ONNX indexing at run time: indices out of range are refused") {
  row const gather{"GatherElements", {any_shape(), any_shape(i64)}, {}, ""};
  CHECK(off(gather, {floats({2}, {5, 6}), wide({3}, {-1, 0, -2})}, floats({3}, {6, 5, 5})) == "");
  CHECK(off(gather, {floats({2}, {5, 6}), wide({1}, {2})}, floats({1}, {0})).find("index 2") != std::string::npos);
  row const compress{"Compress", {f({2}), any_shape(boolean)}, {flag("axis", 0)}, ""};
  CHECK(off(compress, {floats({2}, {5, 6}), tensor({1}, std::vector<bool>{true})}, floats({1}, {5})) == "");
  CHECK(off(compress, {floats({2}, {5, 6}), tensor({3}, std::vector<bool>{false, false, true})}, floats({0}, {})) !=
        "");
}

TEST_CASE("ONNX OneHot: indices wrap once, the depth may be known at run time only, and values have any type") {
  row const node{"OneHot", {of(i32, {4}), any_shape(i64), of(boolean, {2})}, {flag("axis", 0)}, ""};
  tensor_value const hot = tensor({2, 4}, std::vector<bool>{true, false, true, true, false, true, true, true});
  check({{"OneHot", node.inputs, node.attributes, "the number of axes of 'i1' must be known"}});
  row known = node;
  known.inputs[1] = of(i64, {1});
  tensor_value const places = tensor({4}, std::vector<std::int32_t>{1, 0, 2, -3});
  CHECK(off(known, {places, wide({1}, {2}), tensor({2}, std::vector<bool>{true, false})}, hot) == "");
  row const real{"OneHot", {f({2}), of(onnx_type::float32, {}), of(u8, {2})}, {}, ""};
  CHECK(off(real, {floats({2}, {-1, 7}), floats({}, {2}), tensor({2}, std::vector<std::uint8_t>{3, 4})},
            tensor({2, 2}, std::vector<std::uint8_t>{3, 4, 3, 3})) == "");
}

TEST_CASE("ONNX NonZero: coordinates of NaN, empty tensors and scalars") {
  row const node{"NonZero", {any_shape()}, {}, ""};
  CHECK(off(node, {floats({2, 1, 2}, {0, std::nanf(""), -1, 0})}, wide({3, 2}, {0, 1, 0, 0, 1, 0})) == "");
  CHECK(off(node, {floats({2, 0, 3}, {})}, wide({3, 0}, {})) == "");
  CHECK(off(node, {floats({}, {1})}, wide({0, 1}, {})) == "");
}

TEST_CASE("ONNX extremes: those of no bools are false and true, and the last of equals can be located") {
  row node{"ReduceMax", {of(boolean, {2, 0}), ints({1})}, {flag("keepdims", 0)}, "", 20};
  CHECK(off(node, {tensor({2, 0}, std::vector<bool>{})}, tensor({2}, std::vector<bool>{false, false})) == "");
  node.type = "ReduceMin";
  CHECK(off(node, {tensor({2, 0}, std::vector<bool>{})}, tensor({2}, std::vector<bool>{true, true})) == "");
  row const last{"ArgMax", {any_shape(u8)}, {flag("axis", -1), flag("select_last_index", 1)}, ""};
  CHECK(off(last, {tensor({2, 3}, std::vector<std::uint8_t>{200, 7, 200, 9, 9, 8})}, wide({2, 1}, {2, 1})) == "");
  CHECK(off(last, {tensor({2, 0}, std::vector<std::uint8_t>{})}, wide({2, 1}, {0, 0})) != "");
}

TEST_CASE("ONNX TopK: the smallest elements, the least integer and NaN included") {
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  row node{"TopK", {any_shape(i32), ints({2})}, {flag("largest", 0)}, "", 13, 2};
  CHECK(off(node, {tensor({3}, std::vector<std::int32_t>{5, least, -5})},
            tensor({2}, std::vector<std::int32_t>{least, -5})) == "");
  node.inputs[0] = any_shape(u8);
  CHECK(off(node, {tensor({3}, std::vector<std::uint8_t>{5, 255, 0})}, tensor({2}, std::vector<std::uint8_t>{0, 5})) ==
        "");
  node.inputs[0] = any_shape();
  CHECK(off(node, {floats({3}, {INFINITY, 1, -INFINITY})}, floats({2}, {-INFINITY, 1})) == "");
}

TEST_CASE("ONNX Mod, BitShift and Bitwise operators: signs, zeros and uint8") {
  row node{"Mod", {of(u8, {2}), of(u8, {2})}, {}, ""};
  auto const bytes = [](std::vector<std::uint8_t> elements) { return tensor({2}, std::move(elements)); };
  CHECK(off(node, {bytes({255, 7}), bytes({16, 9})}, bytes({15, 7})) == "");
  CHECK(off(node, {bytes({255, 7}), bytes({16, 0})}, bytes({0, 0})).find("divided by zero") != std::string::npos);
  row shift{"BitShift", {of(u8, {2}), of(u8, {2})}, {text("direction", "LEFT")}, ""};
  CHECK(off(shift, {bytes({129, 1}), bytes({1, 40})}, bytes({2, 0})) == "");
  shift.attributes[0].text = "RIGHT";
  CHECK(off(shift, {bytes({129, 255}), bytes({1, 8})}, bytes({64, 0})) == "");
  CHECK(off({"BitwiseNot", {of(u8, {2})}, {}, "", 18}, {bytes({0, 129})}, bytes({255, 126})) == "");
}

TEST_CASE("ONNX Round: halves become even, and infinities and NaN stay") {
  row const node{"Round", {any_shape()}, {}, ""};
  CHECK(off(node, {floats({9}, {0.5f, 1.5f, -0.5f, -1.5f, 0.49999997f, -0.49999997f, INFINITY, NAN, 1e30f})},
            floats({9}, {0, 2, 0, -2, 0, 0, INFINITY, NAN, 1e30f})) == "");
}

}  // namespace
