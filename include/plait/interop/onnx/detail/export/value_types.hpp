// Types, shapes and known elements of the values of an exported graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/interop/onnx/detail/model.hpp>

namespace plait::detail::onnx_out {

using onnx_shape = std::optional<std::vector<std::int64_t>>;  ///< none: of unknown rank; -1: an unknown extent

/// Knowledge of export about values, by name. An unknown value is a float32 tensor of unknown rank.
class onnx_value_types {
 public:
  onnx_type type(std::string const& name) const {
    auto const found = values_.find(name);
    return found == values_.end() || found->second.type == onnx_type::undefined ? onnx_type::float32
                                                                                : found->second.type;
  }
  onnx_shape const& dims(std::string const& name) const {
    auto const found = values_.find(name);
    return found == values_.end() ? none_ : found->second.dims;
  }
  /// Returns the elements of a constant list of integers.
  std::optional<std::vector<std::int64_t>> const& integers(std::string const& name) const {
    auto const found = values_.find(name);
    return found == values_.end() ? none_ : found->second.integers;
  }
  void set(std::string const& name, onnx_type type, onnx_shape dims) {
    values_[name].type = type;
    values_[name].dims = std::move(dims);
  }
  void set_dims(std::string const& name, onnx_shape dims) { values_[name].dims = std::move(dims); }
  void set_integers(std::string const& name, std::vector<std::int64_t> list) {
    values_[name].integers = std::move(list);
  }

 private:
  struct known {
    onnx_type type = onnx_type::undefined;
    onnx_shape dims = {};
    std::optional<std::vector<std::int64_t>> integers = {};
  };
  boost::unordered_flat_map<std::string, known> values_;
  onnx_shape none_;
};

}  // namespace plait::detail::onnx_out
