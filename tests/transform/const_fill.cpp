#include <plait/transform/detail/const_fill.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using plait::argument_spec;
using plait::fill_set;
using plait::op_spec;
using plait::parameter;
using floats = std::vector<float>;
using ints = std::vector<std::int64_t>;
using strings = std::vector<std::string>;

namespace {

op_spec made_by(std::string type, ints shape, plait::argument_value values) {
  return {std::move(type), {}, {"p"}, {{"shape", std::move(shape)}, {"values", std::move(values)}}};
}

}  // namespace

TEST_CASE("const_fill_op: each type has its fill op") {
  auto const made = [](plait::tensor_value value) { return plait::const_fill_op({"p", std::move(value)}); };
  CHECK(made({{2}, floats{1.5F, 2}}) == made_by("GivenTensorFill", {2}, floats{1.5F, 2}));
  CHECK(made({{}, floats{7}}) == made_by("GivenTensorFill", {}, floats{7}));
  CHECK(made({{0, 3}, floats{}}) == made_by("GivenTensorFill", {0, 3}, floats{}));
  CHECK(made({{1}, std::vector<double>{0.25}}) == made_by("GivenTensorDoubleFill", {1}, floats{0.25F}));
  CHECK(made({{2}, std::vector<std::int32_t>{-1, 4}}) == made_by("GivenTensorIntFill", {2}, ints{-1, 4}));
  CHECK(made({{1}, std::vector<std::int64_t>{1099511627776}}) ==
        made_by("GivenTensorInt64Fill", {1}, ints{1099511627776}));
  CHECK(made({{1}, std::vector<std::int16_t>{-7}}) == made_by("GivenTensorInt16Fill", {1}, ints{-7}));
  CHECK(made({{2}, std::vector<bool>{true, false}}) == made_by("GivenTensorBoolFill", {2}, ints{1, 0}));
  CHECK(made({{2}, strings{"a", "\xff"}}) == made_by("GivenTensorStringFill", {2}, strings{"a", "\xff"}));
  CHECK(made({{3}, std::vector<std::uint8_t>{0, 65, 255}}) ==
        made_by("GivenTensorByteStringToUInt8Fill", {3}, strings{std::string("\0A\xff", 3)}));
}

TEST_CASE("const_fill_op: quantised tensors") {
  auto expected = made_by("Int8GivenTensorFill", {2}, std::string("\x01\x80"));
  expected.arguments.push_back({"Y_scale", 0.5F});
  expected.arguments.push_back({"Y_zero_point", std::int64_t{128}});
  parameter p{"p", {{2}, std::vector<std::uint8_t>{1, 128}, plait::quantisation{0.5F, 128}}};
  CHECK(plait::const_fill_op(p) == expected);
  CHECK(plait::const_fill_op(p, {fill_set::caffe2_2018}) == expected);
  p.value.data = std::vector<std::int32_t>{-5, 6};
  CHECK(plait::const_fill_op(p).type == "Int8GivenIntTensorFill");
  CHECK(plait::const_fill_op(p).arguments[1] == argument_spec{"values", ints{-5, 6}});
  p.device = plait::device_spec{plait::device_kind::cuda, 0};
  CHECK_THROWS_AS(static_cast<void>(plait::const_fill_op(p)), plait::net_error);
  p.device.reset();
  p.value.data = floats{1, 2};
  CHECK_THROWS_AS(static_cast<void>(plait::const_fill_op(p)), plait::net_error);
}

TEST_CASE("const_fill_op: devices are kept") {
  plait::device_spec const gpu{plait::device_kind::cuda, 2};
  CHECK(plait::const_fill_op({"p", {{1}, floats{1}}, gpu}).device == gpu);
}

TEST_CASE("const_fill_op: caffe2_2018 fills fewer types and refuses the rest") {
  auto const older = [](plait::tensor_value value) {
    return plait::const_fill_op({"p", std::move(value)}, {fill_set::caffe2_2018});
  };
  CHECK(older({{1}, floats{1}}) == made_by("GivenTensorFill", {1}, floats{1}));
  CHECK(older({{3}, std::vector<std::uint8_t>{65, 66, 67}}) == made_by("GivenTensorStringFill", {1}, strings{"ABC"}));
  for (plait::tensor_value const& value : std::vector<plait::tensor_value>{{{1}, std::vector<bool>{true}},
                                                                           {{1}, std::vector<double>{1}},
                                                                           {{1}, std::vector<std::int16_t>{1}},
                                                                           {{1}, strings{"a"}}})
    CHECK_THROWS_AS(older(value), plait::net_error);
}

TEST_CASE("const_fill_op: refusals name the parameter") {
  auto const refusal = [](plait::tensor_value value) {
    try {
      static_cast<void>(plait::const_fill_op({"p", std::move(value)}));
    } catch (plait::net_error const& refused) {
      CHECK(refused.blob == "p");
      return std::string(refused.what());
    }
    return std::string();
  };
  CHECK(refusal({{2}, floats{1}}).find("1 elements") != std::string::npos);
  CHECK(refusal({{-1}, floats{1}}) != "");
  CHECK(refusal({{1}, std::vector<std::int8_t>{1}}).find("int8") != std::string::npos);
  CHECK(refusal({{1}, std::vector<std::uint16_t>{1}}).find("uint16") != std::string::npos);
  CHECK(refusal({{1}, std::vector<double>{0.1}}).find("float32") != std::string::npos);
  CHECK(refusal({{1}, std::vector<double>{std::numeric_limits<double>::quiet_NaN()}}).empty());
  CHECK(plait::const_fill_op({"p", {{1}, std::vector<double>{0.1}}}, {.round_float64 = true}) ==
        made_by("GivenTensorDoubleFill", {1}, floats{0.1F}));
}
