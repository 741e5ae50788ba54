#include "tensors.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace conformance {

namespace {

using storage = plait::tensor_value::storage;

template <class T>
T element(json const& given) {
  if constexpr (std::is_floating_point_v<T>) {
    if (given == "nan") return std::numeric_limits<T>::quiet_NaN();
    if (given == "inf") return std::numeric_limits<T>::infinity();
    if (given == "-inf") return -std::numeric_limits<T>::infinity();
  }
  if constexpr (std::is_same_v<T, bool>)
    if (given.is_number_integer()) return given.get<std::int64_t>() != 0;
  return given.get<T>();
}

template <class T>
storage elements(json const& data) {
  std::vector<T> made;
  made.reserve(data.size());
  for (json const& one : data) made.push_back(element<T>(one));
  return made;
}

storage read_elements(std::string const& dtype, json const& data, std::string const& name) {
  if (dtype == "float32") return elements<float>(data);
  if (dtype == "float64") return elements<double>(data);
  if (dtype == "int8") return elements<std::int8_t>(data);
  if (dtype == "int16") return elements<std::int16_t>(data);
  if (dtype == "int32") return elements<std::int32_t>(data);
  if (dtype == "int64") return elements<std::int64_t>(data);
  if (dtype == "uint8") return elements<std::uint8_t>(data);
  if (dtype == "uint16") return elements<std::uint16_t>(data);
  if (dtype == "bool") return elements<bool>(data);
  if (dtype == "string") return elements<std::string>(data);
  throw malformed_case("tensor '" + name + "' has the unknown dtype '" + dtype + "'");
}

template <class T>
json element_to_json(T const& value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  }
  return value;
}

}  // namespace

plait::tensor_value tensor_from_json(json const& given, std::string const& name) {
  if (given.is_string()) return {{}, std::vector<std::string>{given.get<std::string>()}};
  if (!given.is_object()) throw malformed_case("tensor '" + name + "' is no object");
  json const data = member<json>(given, "data");
  if (!data.is_array()) throw malformed_case("tensor '" + name + "': data is no list");
  try {
    return {member<std::vector<std::int64_t>>(given, "shape"),
            read_elements(member<std::string>(given, "dtype"), data, name)};
  } catch (json::exception const& problem) {
    throw malformed_case("tensor '" + name + "': " + problem.what());
  }
}

json tensor_to_json(plait::tensor_value const& tensor) {
  json data = json::array();
  std::visit(
      [&]<class T>(std::vector<T> const& elements) {
        for (T const& one : elements) data.push_back(element_to_json<T>(one));
      },
      tensor.data);
  return {{"dtype", plait::to_string(tensor.type())}, {"shape", tensor.shape}, {"data", std::move(data)}};
}

std::vector<plait::parameter> parameters(case_inputs const& in) {
  std::vector<plait::parameter> made;
  json const given = member<json>(in.data(), "params", json::object());
  if (!given.is_object()) throw malformed_case("key 'params' is no object");
  for (auto const& [name, tensor] : given.items()) made.push_back({name, tensor_from_json(tensor, name)});
  return made;
}

plait::tensor_value as_recorded(plait::tensor_value tensor) {
  if (auto* const doubles = std::get_if<std::vector<double>>(&tensor.data))
    for (double& number : *doubles)
      if (std::isfinite(number)) {
        std::array<char, 32> text;
        auto const end = std::to_chars(text.begin(), text.end(), number, std::chars_format::general, 9).ptr;
        std::from_chars(text.begin(), end, number);
      }
  return tensor;
}

}  // namespace conformance
