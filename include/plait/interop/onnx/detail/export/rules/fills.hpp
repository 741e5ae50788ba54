// Export rules of fills, and the reasons why some operators have no equivalent in ONNX.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/detail/export/context.hpp>
#include <plait/interop/onnx/detail/export/rules/elementwise.hpp>
#include <plait/interop/onnx/detail/export/rules/shapes.hpp>

namespace plait {
namespace detail::onnx_out {

/// Returns the shape that a fill with an input makes.
inline std::string onnx_fill_shape(onnx_export_context const& c) {
  std::string const x = c.input(0);
  std::string const shape = c.integer("input_as_shape", 0) != 0 ? onnx_as_int64(c, x) : c.shape_of(x);
  std::vector<std::int64_t> const more = c.integers("extra_shape");
  if (more.empty()) return shape;
  return c.step("Concat", {shape, c.constant(more, "extra_shape")}, {onnx_attr("axis", 0)});
}

inline void onnx_export_constant_fill(onnx_export_context& c) {
  auto const value = c.op().argument("value");
  auto const* whole = value ? std::get_if<std::int64_t>(&*value) : nullptr;
  bool const follows = c.input_count() > 0 && c.integer("input_as_shape", 0) == 0 && whole == nullptr &&
                       c.type_of(c.input(0)) == onnx_type::float64;
  onnx_type const type = onnx_type_argument(c, "dtype",
                                            whole != nullptr ? onnx_type::int64
                                            : follows        ? onnx_type::float64
                                                             : onnx_type::float32);
  double const number = whole != nullptr ? static_cast<double>(*whole) : static_cast<double>(c.real("value", 0));
  tensor_value one = type == onnx_type::int64 && whole != nullptr ? tensor_value{{1}, std::vector<std::int64_t>{*whole}}
                                                                  : onnx_filled(type, {1}, number);
  if (c.input_count() > 0) return c.give(0, "ConstantOfShape", {onnx_fill_shape(c)}, {onnx_attr("value", one)});
  std::vector<std::int64_t> const shape = c.integers("shape");
  constexpr std::size_t most = 64;
  std::size_t const count = element_count(shape).value_or(0);
  if (count > most) return c.give(0, "ConstantOfShape", {c.constant(shape, "shape")}, {onnx_attr("value", one)});
  tensor_value all = std::visit(
      [&]<class T>(std::vector<T> const& each) {
        return tensor_value{shape, std::vector<T>(count, each.front())};
      },
      one.data);
  c.give(0, "Constant", {}, {onnx_attr("value", all)});
  if (auto list = onnx_integers_of(all)) c.exporter().types().set_integers(c.output(0), std::move(*list));
}

inline void onnx_give_constant(onnx_export_context& c, tensor_value value) {
  if (c.input_count() > 0) return c.give(0, "Reshape", {c.constant(std::move(value), "values"), onnx_fill_shape(c)});
  if (!is_well_formed(value)) c.unsupported("its values do not fill its shape");
  c.give(0, "Constant", {}, {onnx_attr("value", value)});
  if (auto list = onnx_integers_of(value)) c.exporter().types().set_integers(c.output(0), std::move(*list));
}

/// Returns the numbers that a fill lists, in the shape of its argument, or as a list if its input has the shape.
inline tensor_value onnx_given_values(onnx_export_context const& c, onnx_type type) {
  std::vector<std::int64_t> dims = c.integers("shape");
  auto const values = c.op().argument("values");
  if (!values) c.unsupported("it has no values");
  tensor_value made = onnx_filled(type, {0}, 0);
  std::visit(
      [&]<class To>(std::vector<To>& to) {
        std::visit(
            [&]<class From>(From const& from) {
              if constexpr (std::is_same_v<From, std::vector<float>> ||
                            std::is_same_v<From, std::vector<std::int64_t>>) {
                if constexpr (!std::is_same_v<To, std::string>)
                  for (auto const each : from) to.push_back(static_cast<To>(each));
              } else {
                c.unsupported("its values are no list of numbers");
              }
            },
            *values);
      },
      made.data);
  made.shape =
      c.input_count() > 0 ? std::vector<std::int64_t>{static_cast<std::int64_t>(made.size())} : std::move(dims);
  return made;
}
inline void onnx_export_given(onnx_export_context& c, onnx_type type) {
  if (c.type() == "GivenTensorFill") type = onnx_type_argument(c, "dtype", type);
  onnx_give_constant(c, onnx_given_values(c, type));
}
inline void onnx_export_halves(onnx_export_context& c) {
  std::string made = c.constant(onnx_given_values(c, onnx_type::float32), "values");
  if (c.input_count() > 0) made = c.step("Reshape", {made, onnx_fill_shape(c)});
  c.give(0, "Cast", {made}, {onnx_attr("to", static_cast<std::int64_t>(onnx_type::float16))});
}
inline void onnx_export_strings(onnx_export_context& c) {
  std::vector<std::string> texts = c.texts("values");
  std::vector<std::int64_t> dims = c.integers("shape");
  if (c.input_count() > 0) dims = {std::ssize(texts)};
  onnx_give_constant(c, {std::move(dims), std::move(texts)});
}

inline void onnx_export_bytes(onnx_export_context& c) {
  std::vector<std::string> const texts = c.texts("values");
  std::vector<std::uint8_t> bytes;
  for (std::string const& each : texts)
    for (char const letter : each) bytes.push_back(static_cast<std::uint8_t>(letter));
  std::vector<std::int64_t> dims = c.integers("shape");
  if (c.input_count() > 0) dims = {std::ssize(bytes)};
  onnx_give_constant(c, {std::move(dims), std::move(bytes)});
}

}  // namespace detail::onnx_out

inline void add_onnx_fills_export(onnx_export_rules& rules) {
  using context = onnx_export_context;
  rules.set("ConstantFill", detail::onnx_out::onnx_export_constant_fill);
  for (auto const& [type, element] :
       std::vector<std::pair<char const*, onnx_type>>{{"GivenTensorFill", onnx_type::float32},
                                                      {"GivenTensorDoubleFill", onnx_type::float64},
                                                      {"GivenTensorIntFill", onnx_type::int32},
                                                      {"GivenTensorInt64Fill", onnx_type::int64},
                                                      {"GivenTensorInt16Fill", onnx_type::int16},
                                                      {"GivenTensorBoolFill", onnx_type::boolean}})
    rules.set(type, [element = element](context& c) { detail::onnx_out::onnx_export_given(c, element); });
  rules.set("GivenTensorByteStringToUInt8Fill", detail::onnx_out::onnx_export_bytes);
  rules.set("GivenTensorFp16Fill", detail::onnx_out::onnx_export_halves);
  rules.set("GivenTensorStringFill", detail::onnx_out::onnx_export_strings);
  rules.set("ZerosLike", [](context& c) {
    onnx_type const type = c.type_of(c.input(0)) == onnx_type::float64 ? onnx_type::float64 : onnx_type::float32;
    c.give(0, "ConstantOfShape", {c.shape_of(c.input(0))},
           {detail::onnx_out::onnx_attr("value", detail::onnx_filled(type, {1}, 0))});
  });
  struct reason {
    char const* type;
    char const* why;
    char const* alternative;
  };
  constexpr char const* parameter = "run it and pass its output as a parameter";
  for (reason const& each :
       {reason{"XavierFill", "draws random numbers", parameter},
        {"MSRAFill", "draws random numbers", parameter},
        {"UniformFill", "draws random numbers", parameter},
        {"UniformIntFill", "draws random numbers", parameter},
        {"GaussianFill", "draws random numbers", parameter},
        {"LearningRate", "is part of training", "export the net without its training ops"},
        {"DropoutGrad", "is a gradient operator", "export the net without its backward pass"},
        {"HasScope", "reads a stack of workspaces", "a boolean that the ops around pass on"},
        {"ScatterWeightedSum", "scales rows once for each time that they are listed",
         "Gather, WeightedSum and ScatterAssign, if no row is listed twice"},
        {"Int8GivenTensorFill", "makes a quantised tensor", "GivenTensorFill of its numbers"},
        {"Int8GivenIntTensorFill", "makes a quantised tensor", "GivenTensorFill of its numbers"},
        {"rnn_internal_apply_link", "is part of how a recurrence is run", "RecurrentNetwork"},
        {"rnn_internal_accumulate_gradient_input", "is part of how a recurrence is run", "RecurrentNetwork"},
        {"Iter", "has a state of its own between runs", "an input of the net"},
        {"AtomicIter", "has a state of its own between runs", "an input of the net"}})
    rules.set(each.type, [each](context& c) { c.unsupported(each.why, each.alternative); });
  for (char const* type : {"Adagrad", "Adam", "MomentumSGD", "MomentumSGDUpdate", "RmsProp", "RowWiseSparseAdagrad",
                           "RowWiseSparseAdam", "SparseAdagrad", "SparseAdam", "SparseMomentumSGDUpdate"})
    rules.set(type, [](context& c) { c.unsupported("is an optimiser", "export the net without its training ops"); });
  // The blob has no value afterwards.
  rules.set("Free", [](context&) {});
}

}  // namespace plait
