#include <plait/transform/detail/constant_folding.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <net/test_nets.hpp>

using plait::argument_spec;
using plait::tensor_value;
using floats = std::vector<float>;
using ints = std::vector<std::int64_t>;
using strings = std::vector<std::string>;

namespace {

std::optional<tensor_value> evaluate(std::string type, std::vector<argument_spec> arguments,
                                     std::vector<tensor_value> const& inputs = {},
                                     plait::constant_options const& options = {}) {
  test::edit_net n;
  n.ops.push_back({std::move(type), {}, {"y"}, std::move(arguments)});
  std::vector<tensor_value const*> pointers;
  for (tensor_value const& input : inputs) pointers.push_back(&input);
  return plait::evaluate_constant_op(n, n.ops[0], 0, std::span<tensor_value const* const>(pointers), options);
}

argument_spec number(std::string name, std::int64_t value) { return {std::move(name), value}; }

void check_refused(std::string type, std::vector<argument_spec> arguments,
                   std::vector<tensor_value> const& inputs = {}) {
  CAPTURE(type);
  try {
    static_cast<void>(evaluate(type, std::move(arguments), inputs));
    FAIL("accepted");
  } catch (plait::net_error const& refused) {
    CHECK(refused.op == 0);
    CHECK(std::string(refused.what()).find(type) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("evaluate_constant_op: ConstantFill, by the type of the value or by dtype") {
  CHECK(evaluate("ConstantFill", {{"shape", ints{2}}}) == tensor_value{{2}, floats{0, 0}});
  CHECK(evaluate("ConstantFill", {{"shape", ints{2}}, {"value", 1.5F}}) == tensor_value{{2}, floats{1.5F, 1.5F}});
  CHECK(evaluate("ConstantFill", {{"shape", ints{1}}, number("value", 3)}) ==
        tensor_value{{1}, std::vector<std::int64_t>{3}});
  auto const typed = [](std::int64_t type, plait::argument_value value) {
    return evaluate("ConstantFill", {{"shape", ints{1}}, number("dtype", type), {"value", std::move(value)}})->data;
  };
  CHECK(typed(1, 2.F) == tensor_value::storage(floats{2}));
  CHECK(typed(13, 2.F) == tensor_value::storage(std::vector<double>{2}));
  CHECK(typed(2, std::int64_t{2}) == tensor_value::storage(std::vector<std::int32_t>{2}));
  CHECK(typed(10, std::int64_t{2}) == tensor_value::storage(std::vector<std::int64_t>{2}));
  CHECK(typed(5, std::int64_t{2}) == tensor_value::storage(std::vector<bool>{true}));
  CHECK(typed(6, std::int64_t{255}) == tensor_value::storage(std::vector<std::uint8_t>{255}));
  CHECK(typed(7, std::int64_t{-128}) == tensor_value::storage(std::vector<std::int8_t>{-128}));
  CHECK(typed(8, std::int64_t{65535}) == tensor_value::storage(std::vector<std::uint16_t>{65535}));
  CHECK(typed(9, std::int64_t{-1}) == tensor_value::storage(std::vector<std::int16_t>{-1}));
  CHECK(typed(4, "a") == tensor_value::storage(strings{"a"}));

  check_refused("ConstantFill", {{"shape", ints{1}}, number("dtype", 2), {"value", 1.F}});
  check_refused("ConstantFill", {{"shape", ints{1}}, number("dtype", 6), number("value", 256)});
  check_refused("ConstantFill", {{"shape", ints{1}}, number("dtype", 12)});
  check_refused("ConstantFill", {{"shape", ints{1}}, {"value", "text"}});
  check_refused("ConstantFill", {{"shape", ints{-1}}});
  check_refused("ConstantFill", {{"shape", ints{1 << 20, 1 << 20}}});
  CHECK_THROWS_AS(static_cast<void>(evaluate("ConstantFill", {{"shape", ints{5}}}, {}, {.max_elements = 4})),
                  plait::net_error);
}

TEST_CASE("evaluate_constant_op: shapes from inputs") {
  tensor_value const like{{2, 1}, floats{5, 6}};
  tensor_value const given{{2}, std::vector<std::int64_t>{1, 3}};
  CHECK(evaluate("ConstantFill", {{"value", 1.F}}, {like}) == tensor_value{{2, 1}, floats{1, 1}});
  CHECK(evaluate("ConstantFill", {{"extra_shape", ints{2}}}, {like}) == tensor_value{{2, 1, 2}, floats(4)});
  CHECK(evaluate("ConstantFill", {number("input_as_shape", 1)}, {given}) == tensor_value{{1, 3}, floats(3)});
  check_refused("ConstantFill", {{"shape", ints{2}}}, {like});
  check_refused("ConstantFill", {number("input_as_shape", 1)}, {like});
  check_refused("ConstantFill", {number("input_as_shape", 1)});
  check_refused("ConstantFill", {{"extra_shape", ints{2}}});
  check_refused("ConstantFill", {number("shape", 2)});
}

TEST_CASE("evaluate_constant_op: given tensors") {
  auto const given = [](std::string type, plait::argument_value values) {
    return evaluate(std::move(type), {{"shape", ints{2}}, {"values", std::move(values)}});
  };
  CHECK(given("GivenTensorFill", floats{1, 2}) == tensor_value{{2}, floats{1, 2}});
  CHECK(given("GivenTensorDoubleFill", floats{1, 2}) == tensor_value{{2}, std::vector<double>{1, 2}});
  CHECK(given("GivenTensorIntFill", ints{1, -2}) == tensor_value{{2}, std::vector<std::int32_t>{1, -2}});
  CHECK(given("GivenTensorInt64Fill", ints{1, -2}) == tensor_value{{2}, std::vector<std::int64_t>{1, -2}});
  CHECK(given("GivenTensorInt16Fill", ints{1, -2}) == tensor_value{{2}, std::vector<std::int16_t>{1, -2}});
  CHECK(given("GivenTensorBoolFill", ints{0, 1}) == tensor_value{{2}, std::vector<bool>{false, true}});
  CHECK(given("GivenTensorStringFill", strings{"a", ""}) == tensor_value{{2}, strings{"a", ""}});
  CHECK(given("GivenTensorByteStringToUInt8Fill", strings{"A\xff"}) ==
        tensor_value{{2}, std::vector<std::uint8_t>{65, 255}});
  CHECK(evaluate("GivenTensorFill", {{"shape", ints{1}}, number("dtype", 2), {"values", ints{7}}}) ==
        tensor_value{{1}, std::vector<std::int32_t>{7}});
  check_refused("GivenTensorFill", {{"shape", ints{3}}, {"values", floats{1, 2}}});
  check_refused("GivenTensorFill", {{"shape", ints{1}}, {"values", ints{1}}});
  check_refused("GivenTensorIntFill", {{"shape", ints{1}}, {"values", ints{std::int64_t{1} << 31}}});
  check_refused("GivenTensorByteStringToUInt8Fill", {{"shape", ints{2}}, {"values", strings{"a", "b"}}});
}

TEST_CASE("evaluate_constant_op: arithmetic and copies") {
  tensor_value const a{{2}, floats{1, 2}};
  tensor_value const b{{2}, floats{4, 8}};
  CHECK(evaluate("Scale", {{"scale", 3.F}}, {a}) == tensor_value{{2}, floats{3, 6}});
  CHECK(evaluate("Negative", {}, {a}) == tensor_value{{2}, floats{-1, -2}});
  CHECK(evaluate("Add", {}, {a, b}) == tensor_value{{2}, floats{5, 10}});
  CHECK(evaluate("Sum", {}, {a, b, b}) == tensor_value{{2}, floats{9, 18}});
  CHECK(evaluate("Sub", {}, {a, b}) == tensor_value{{2}, floats{-3, -6}});
  CHECK(evaluate("Mul", {}, {a, b}) == tensor_value{{2}, floats{4, 16}});
  CHECK(evaluate("Div", {}, {b, a}) == tensor_value{{2}, floats{4, 4}});
  CHECK(evaluate("CopyGPUToCPU", {}, {a}) == a);
  CHECK(evaluate("Cast", {number("to", 2)}, {{{2}, floats{1.9F, -1.9F}}}) ==
        tensor_value{{2}, std::vector<std::int32_t>{1, -1}});
  CHECK(evaluate("Cast", {number("to", 5)}, {a}) == tensor_value{{2}, std::vector<bool>{true, true}});
  CHECK(evaluate("Cast", {number("to", 1)}, {{{1}, std::vector<bool>{true}}}) == tensor_value{{1}, floats{1}});
  check_refused("Add", {}, {a, {{1, 2}, floats{1, 2}}});
  check_refused("Add", {}, {});
  check_refused("Scale", {}, {{{1}, std::vector<double>{1}}});
  check_refused("Cast", {number("to", 2)}, {{{1}, floats{2147483648.F}}});
  check_refused("Cast", {number("to", 6)}, {{{1}, floats{-1.F}}});
  check_refused("Cast", {number("to", 2)}, {{{1}, floats{std::numeric_limits<float>::quiet_NaN()}}});
  check_refused("Cast", {number("to", 4)}, {a});
  check_refused("Cast", {}, {a});
  CHECK(evaluate("Cast", {number("to", 2)}, {{{1}, floats{-2147483648.F}}}) ==
        tensor_value{{1}, std::vector<std::int32_t>{std::numeric_limits<std::int32_t>::min()}});
}

TEST_CASE("evaluate_constant_op: other op types are unknown") {
  CHECK_FALSE(evaluate("XavierFill", {{"shape", ints{2}}}).has_value());
}
