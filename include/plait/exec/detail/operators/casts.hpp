// Cast, FloatToHalf and HalfToFloat: conversion of element types.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <plait/exec/detail/kernels/convert.hpp>
#include <plait/exec/detail/kernels/map.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Returns the type that an argument names: by number in Caffe2's TensorProto.DataType, which ends below 100, or by
/// name, case-insensitively.
/// Throws shape_error for unknown types, and for those that ops here do not compute.
[[nodiscard]] inline element_type read_element_type(op_arguments const& a, std::string_view name) {
  struct known {
    std::int64_t number;  // -1: only by name
    std::string_view text;
    element_type type;
  };
  static constexpr known types[] = {{1, "FLOAT", element_type::float32},   {2, "INT32", element_type::int32},
                                    {3, "BYTE", element_type::uint8},      {5, "BOOL", element_type::boolean},
                                    {6, "UINT8", element_type::uint8},     {7, "INT8", element_type::int8},
                                    {8, "UINT16", element_type::uint16},   {9, "INT16", element_type::int16},
                                    {10, "INT64", element_type::int64},    {12, "FLOAT16", element_type::float16},
                                    {13, "DOUBLE", element_type::float64}, {112, "UINT32", element_type::uint32},
                                    {113, "UINT64", element_type::uint64}, {-1, "BFLOAT16", element_type::bfloat16}};
  bool const by_name = a.is_name(name);
  std::string wanted = by_name ? a.text(name) : std::to_string(a.integer(name));
  std::string capitals = wanted;
  for (char& letter : capitals)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  for (known const& each : types)
    if (by_name ? each.text == capitals : each.number != -1 && each.number == a.integer(name)) return each.type;
  a.fail(name, "is '" + wanted + "', which is no type that ops compute");
}

namespace functions {

template <element To, element From>
struct convert_to {
  PLAIT_HOST_DEVICE constexpr To operator()(From x) const { return convert<To>(x); }
};

/// Like convert_to, with numbers beyond the largest float16 saturated.
struct saturate_to_half {
  PLAIT_HOST_DEVICE constexpr float16 operator()(float x) const {
    constexpr float most = 65504;
    return convert<float16>(x < -most ? -most : x > most ? most : x);
  }
};

}  // namespace functions

/// Kernel of Cast. See convert.hpp for values that the other type does not have. int8, int16, uint16,
/// uint32 and uint64 convert from and to float, double, int32 and int64 only, to compile fewer loops.
template <backend B>
class cast_kernel : public op_kernel<B> {
 public:
  explicit cast_kernel(op_arguments const& a) : to_(read_element_type(a, "to")) {}
  void infer(shape_context& c) override {
    if (!visit_pair(to_, c.type(0), [](auto, auto) {})) {
      c.expect_type<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, bool, std::uint8_t,
                    std::uint16_t, std::uint32_t, std::uint64_t, float16, bfloat16>(0);
      c.expect_type<float, double, std::int32_t, std::int64_t>(0);
    }
    c.output(0, to_, c.dims(0));
  }
  void prepare(op_context<B>& c) override {
    visit_pair(to_, c.type(0), [&]<class To, class From>(To, From) { convert_ = &run_as<To, From>; });
  }
  void run(op_context<B>& c) override { convert_(c); }

 private:
  // Calls f with elements of both types. Returns false for a pair that is not computed.
  template <class F>
  static bool visit_pair(element_type to, element_type from, F const& f) {
    bool found = false;
    auto const call = [&](auto a, auto b) {
      f(a, b);
      found = true;
    };
    auto const visit_most = [](element_type type, auto const& g) {
      return visit_type<float, double, std::int32_t, std::int64_t, bool, std::uint8_t, float16, bfloat16>(type, g);
    };
    auto const visit_wide = [](element_type type, auto const& g) {
      return visit_type<float, double, std::int32_t, std::int64_t>(type, g);
    };
    auto const visit_other = [](element_type type, auto const& g) {
      return visit_type<std::int8_t, std::int16_t, std::uint16_t, std::uint32_t, std::uint64_t>(type, g);
    };
    visit_most(to, [&](auto a) { visit_most(from, [&](auto b) { call(a, b); }); });
    visit_other(to, [&](auto a) {
      visit_wide(from, [&](auto b) { call(a, b); });
      if (to == from) call(a, a);
    });
    visit_other(from, [&](auto b) { visit_wide(to, [&](auto a) { call(a, b); }); });
    return found;
  }
  template <class To, class From>
  static void run_as(op_context<B>& c) {
    if constexpr (std::same_as<To, From>)
      B::copy(c.raw_output(0), c.raw_input(0), c.output_spec(0).bytes());
    else
      map<B, functions::convert_to<To, From>>(c.template input<From>(0), c.template output<To>(0), c.size(0));
  }

  element_type to_;
  void (*convert_)(op_context<B>&) = nullptr;
};

template <backend B>
class float_to_half_kernel final : public op_kernel<B> {
 public:
  explicit float_to_half_kernel(op_arguments const& a) : saturates_(a.flag("clip")) {}
  void infer(shape_context& c) override {
    c.template expect_type<float>(0);
    c.output(0, element_type::float16, c.dims(0));
  }
  void run(op_context<B>& c) override {
    float const* const from = c.template input<float>(0);
    float16* const to = c.template output<float16>(0);
    if (saturates_)
      map<B, functions::saturate_to_half>(from, to, c.size(0));
    else
      map<B, functions::convert_to<float16, float>>(from, to, c.size(0));
  }

 private:
  bool saturates_;
};

template <backend B>
class half_to_float_kernel final : public op_kernel<B> {
 public:
  explicit half_to_float_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    c.template expect_type<float16>(0);
    c.output(0, element_type::float32, c.dims(0));
  }
  void run(op_context<B>& c) override {
    map<B, functions::convert_to<float, float16>>(c.template input<float16>(0), c.template output<float>(0), c.size(0));
  }
};

/// Adds Cast, FloatToHalf, HalfToFloat.
template <backend B>
void add_cast_operators(operators<B>& table) {
  auto const half = [](char const* type) {
    return op_schema(type).inputs(1).outputs(1).rows_independent().checks_first();
  };
  table.template add<float_to_half_kernel>(
      half("FloatToHalf")
          .argument("clip", std::int64_t{0}, "saturates numbers beyond 65504, which otherwise become infinite")
          .ignored_in_caffe2("clip")
          .describe("Y = X as float16, to nearest"));
  table.template add<half_to_float_kernel>(half("HalfToFloat").describe("Y = X, of float16, as float32"));
  table.template add<cast_kernel>(
      op_schema("Cast")
          .inputs(1)
          .outputs(1)
          .rows_independent()
          .checks_first()
          .number_or_name("to", 1, "the type, by its number or name in TensorProto.DataType; FLOAT")
          .describe("Y = X as elements of type to: towards zero, and the nearest there is"));
}

}  // namespace plait

PLAIT_KERNELS_END
