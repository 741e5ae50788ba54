// Constant fill ops: the op that produces a given tensor in an init net.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/net/mutation.hpp>

namespace plait {

/// Available fill ops.
enum class fill_set {
  /// The fill ops of the last Caffe2, with which every type but int8 and uint16 keeps its type.
  caffe2_2022,
  /// The fill ops that Caffe2's mobile exporter and detectron2 use: float32, int32, int64, and uint8 as one string in a
  /// tensor of strings of shape [1]. Other types are refused.
  caffe2_2018,
};

struct fill_options {
  fill_set fills = fill_set::caffe2_2022;
  /// NetDef's lists of numbers hold float32, so most float64 numbers cannot be stored. Round them instead of refusing.
  bool round_float64 = false;
};

namespace detail {

template <class T>
std::vector<std::int64_t> as_ints(std::vector<T> const& elements) {
  return {elements.begin(), elements.end()};
}

inline std::string as_bytes(std::vector<std::uint8_t> const& elements) { return {elements.begin(), elements.end()}; }

class fill_maker {
 public:
  fill_maker(parameter const& p, fill_options const& options) : p_(p), options_(options) {}

  op_spec make() const {
    if (!is_well_formed(p_.value))
      raise(net_error("plait: parameter '" + p_.name + "' has " + std::to_string(p_.value.size()) +
                          " elements, which does not match its shape",
                      {}, p_.name));
    return p_.value.quantised ? quantised(*p_.value.quantised) : std::visit(*this, p_.value.data);
  }

  op_spec operator()(std::vector<float> const& elements) const { return fill("GivenTensorFill", elements); }
  op_spec operator()(std::vector<std::int32_t> const& elements) const {
    return fill("GivenTensorIntFill", as_ints(elements));
  }
  op_spec operator()(std::vector<std::int64_t> const& elements) const { return fill("GivenTensorInt64Fill", elements); }
  op_spec operator()(std::vector<std::uint8_t> const& elements) const {
    std::vector<std::string> bytes{as_bytes(elements)};
    if (options_.fills == fill_set::caffe2_2018) return fill("GivenTensorStringFill", std::move(bytes), {1});
    return fill("GivenTensorByteStringToUInt8Fill", std::move(bytes));
  }
  op_spec operator()(std::vector<double> const& elements) const {
    require_2022();
    std::vector<float> rounded;
    rounded.reserve(elements.size());
    for (double element : elements) {
      rounded.push_back(static_cast<float>(element));
      if (!options_.round_float64 && !std::isnan(element) && static_cast<double>(rounded.back()) != element)
        raise(refused("has elements that float32, the element type of a NetDef, cannot represent"));
    }
    return fill("GivenTensorDoubleFill", std::move(rounded));
  }
  op_spec operator()(std::vector<std::int16_t> const& elements) const {
    require_2022();
    return fill("GivenTensorInt16Fill", as_ints(elements));
  }
  op_spec operator()(std::vector<bool> const& elements) const {
    require_2022();
    return fill("GivenTensorBoolFill", as_ints(elements));
  }
  op_spec operator()(std::vector<std::string> const& elements) const {
    require_2022();
    return fill("GivenTensorStringFill", elements);
  }
  template <class T>
  op_spec operator()(std::vector<T> const&) const {
    raise(refused("has a type that no fill op produces"));
  }

 private:
  op_spec quantised(quantisation const& q) const {
    if (p_.device) raise(refused("is quantised and cannot have a device"));
    op_spec op;
    if (auto const* bytes = std::get_if<std::vector<std::uint8_t>>(&p_.value.data))
      op = fill("Int8GivenTensorFill", as_bytes(*bytes));
    else if (auto const* ints = std::get_if<std::vector<std::int32_t>>(&p_.value.data))
      op = fill("Int8GivenIntTensorFill", as_ints(*ints));
    else
      raise(refused("is quantised, but neither uint8 nor int32"));
    op.arguments.push_back({"Y_scale", q.scale});
    op.arguments.push_back({"Y_zero_point", std::int64_t{q.zero_point}});
    return op;
  }
  op_spec fill(std::string type, argument_value values) const {
    return fill(std::move(type), std::move(values), p_.value.shape);
  }
  op_spec fill(std::string type, argument_value values, std::vector<std::int64_t> shape) const {
    return {std::move(type), {}, {p_.name}, {{"shape", std::move(shape)}, {"values", std::move(values)}}, p_.device};
  }
  void require_2022() const {
    if (options_.fills == fill_set::caffe2_2018)
      raise(refused("has a type that this set of fill ops does not produce"));
  }
  net_error refused(std::string_view why) const {
    return net_error(
        "plait: parameter '" + p_.name + "' (" + std::string(to_string(p_.value.type())) + ") " + std::string(why), {},
        p_.name);
  }

  parameter const& p_;
  fill_options options_;
};

}  // namespace detail

/// Returns the op that produces a parameter: GivenTensorFill and its like, or Int8Given(Int)TensorFill for a quantised
/// one (detectron2's create_const_fill_op). Throws net_error with the parameter's name if the number of its elements
/// does not match its shape, or if no op can represent them exactly (see fill_options). O(elements).
[[nodiscard]] inline op_spec const_fill_op(parameter const& p, fill_options const& options = {}) {
  return detail::fill_maker(p, options).make();
}

}  // namespace plait
