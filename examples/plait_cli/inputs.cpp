#include "inputs.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <plait/core/errors.hpp>
#include <plait/exec/detail/kernels/convert.hpp>
#include <plait/exec/npy.hpp>

#include "io.hpp"
#include "names.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

using nlohmann::json;
using plait::element_type;

// Calls f with a zero of each element type that tensors of the tool may have, and returns whether `type` is one.
template <class F>
bool visit_element(element_type type, F&& f) {
  return plait::visit_type<float, double, plait::float16, plait::bfloat16, std::int8_t, std::int16_t, std::int32_t,
                           std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, bool>(type, f);
}

template <class T>
inline constexpr bool is_real =
    std::floating_point<T> || std::same_as<T, plait::float16> || std::same_as<T, plait::bfloat16>;

element_type type_named(std::string_view name) {
  constexpr element_type all[] = {
      element_type::float32, element_type::float64, element_type::float16, element_type::bfloat16, element_type::int8,
      element_type::int16,   element_type::int32,   element_type::int64,   element_type::uint8,    element_type::uint16,
      element_type::uint32,  element_type::uint64,  element_type::boolean};
  std::vector<std::string> names;
  for (element_type const type : all) {
    if (to_string(type) == name) return type;
    names.emplace_back(to_string(type));
  }
  throw wrong_usage('\'' + visible(name) + "' is not an element type" + suggest_names(name, names));
}

// Parses a whole number or real; nothing if the text is something else.
template <class T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

plait::shape parse_shape(std::string_view text) {
  plait::shape dims;
  if (text == "scalar") return dims;
  for (std::string_view left = text;;) {
    std::size_t const end = left.find('x');
    auto const extent = parsed<std::int64_t>(left.substr(0, end));
    if (!extent || *extent < 0) throw wrong_usage('\'' + visible(text) + "' is not a shape, such as 2x3 or scalar");
    dims.push_back(*extent);
    if (end == left.npos) return dims;
    left.remove_prefix(end + 1);
  }
}

// ---- constants

// Returns the shape of nested arrays, and appends their leaves. Throws wrong_usage for a ragged array.
plait::shape flatten(json const& value, std::vector<json const*>& leaves) {
  std::vector<json const*> level{&value};
  plait::shape dims;
  while (level.front()->is_array()) {
    std::size_t const extent = level.front()->size();
    dims.push_back(static_cast<std::int64_t>(extent));
    std::vector<json const*> next;
    for (json const* array : level) {
      if (!array->is_array() || array->size() != extent)
        throw wrong_usage("the arrays of one level have different lengths");
      for (json const& item : *array) next.push_back(&item);
    }
    level = std::move(next);
    if (level.empty()) return dims;
  }
  for (json const* leaf : level) {
    if (leaf->is_array()) throw wrong_usage("the arrays of one level have different lengths");
    if (!leaf->is_number() && !leaf->is_boolean())
      throw wrong_usage(leaf->dump() + " is neither a number nor a boolean");
  }
  leaves = std::move(level);
  return dims;
}

template <class T>
T element_of(json const& value) {
  std::string const type(to_string(plait::element_type_of<T>));
  if constexpr (std::same_as<T, bool>) {
    if (value.is_boolean()) return value.get<bool>();
    if (value == 0 || value == 1) return value == 1;
    throw wrong_usage(value.dump() + " is not a bool");
  } else {
    if (!value.is_number()) throw wrong_usage(value.dump() + " is not a number, but a bool");
    if constexpr (is_real<T>) {
      T const made = plait::convert<T>(value.get<double>());
      if (!std::isfinite(plait::convert<double>(made)))
        throw wrong_usage(value.dump() + " is out of the range of " + type);
      return made;
    } else {
      if (!value.is_number_integer()) throw wrong_usage(value.dump() + " is not an integer, as " + type + " requires");
      bool const fits = value.is_number_unsigned()
                            ? std::cmp_less_equal(value.get<std::uint64_t>(), std::numeric_limits<T>::max())
                            : std::cmp_greater_equal(value.get<std::int64_t>(), std::numeric_limits<T>::min()) &&
                                  std::cmp_less_equal(value.get<std::int64_t>(), std::numeric_limits<T>::max());
      if (!fits) throw wrong_usage(value.dump() + " is out of the range of " + type);
      return static_cast<T>(value.get<std::int64_t>());
    }
  }
}

tensor constant(json const& value, std::string_view type_name) {
  std::vector<json const*> leaves;
  plait::shape const dims = flatten(value, leaves);
  bool const flags = !leaves.empty() && leaves.front()->is_boolean();
  element_type const type = !type_name.empty() ? type_named(type_name)
                            : flags            ? element_type::boolean
                                               : element_type::float32;
  tensor made;
  visit_element(type, [&]<class T>(T) {
    std::vector<T> elements;
    for (json const* leaf : leaves) elements.push_back(element_of<T>(*leaf));
    made = tensor::from(elements, dims);
  });
  return made;
}

tensor read_tensor(std::string const& path) {
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
    throw failure(visible(path) + ": is a folder");
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw failure(visible(path) +
                  ": cannot be opened; a constant is a number, true, false or an array, such as 0.5 or "
                  "[[1,2],[3,4]]:int64");
  try {
    return plait::read_npy<plait::serial>(file);
  } catch (plait::error const& problem) {
    throw about(path, problem);
  }
}

// ---- random tensors

template <class T>
struct value_range {
  T low, high;
};

template <class T>
value_range<T> parse_range(std::string_view text, std::string const& type) {
  auto const refuse = [&](std::string const& why) -> wrong_usage {
    return wrong_usage('\'' + visible(text) + "' is not a range, such as [0,100): " + why);
  };
  std::size_t const comma = text.find(',');
  if (!text.starts_with('[') || !text.ends_with(')') || comma == text.npos)
    throw refuse("it is written [LOW,HIGH), without HIGH itself");
  auto const low = parsed<T>(text.substr(1, comma - 1));
  auto const high = parsed<T>(text.substr(comma + 1, text.size() - comma - 2));
  if (!low || !high) throw refuse("its bounds are not of type " + type);
  if (!(*low < *high)) throw refuse("it has no elements");
  return {*low, *high};
}

}  // namespace

std::pair<std::string, std::string> split_pair(std::string const& text, char const* option, char const* form) {
  std::size_t const at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    throw wrong_usage("plait: " + std::string(option) + " expects " + form + ", not '" + visible(text) + "'");
  return {text.substr(0, at), text.substr(at + 1)};
}

tensor fed_tensor(std::string const& value) {
  auto const parse = [](std::string_view text) { return json::parse(text, nullptr, false); };
  auto const is_constant = [](json const& j) { return j.is_array() || j.is_number() || j.is_boolean(); };
  if (json const whole = parse(value); is_constant(whole)) return constant(whole, {});
  if (std::size_t const colon = value.rfind(':'); colon != std::string::npos)
    if (json const before = parse(std::string_view(value).substr(0, colon)); is_constant(before))
      return constant(before, std::string_view(value).substr(colon + 1));
  if (value.starts_with('[')) throw wrong_usage('\'' + visible(value) + "' is not an array of numbers");
  return read_tensor(value);
}

tensor random_tensor(std::string const& spec, plait::random_stream from) {
  std::string_view const text = spec;
  std::size_t const colon = text.find(':');
  std::string_view const typed = colon == text.npos ? "float32" : text.substr(colon + 1);
  std::size_t const bracket = std::min(typed.find('['), typed.size());
  std::string const name(typed.substr(0, bracket));
  std::string_view const range = typed.substr(bracket);
  plait::shape const dims = parse_shape(text.substr(0, colon));
  auto const count = static_cast<std::size_t>(dims.size());
  tensor made;
  visit_element(type_named(name), [&]<class T>(T) {
    std::vector<T> elements(count);
    if constexpr (is_real<T>) {
      using wide = std::conditional_t<std::same_as<T, double>, double, float>;
      auto const [low, high] = range.empty() ? value_range<wide>{-1, 1} : parse_range<wide>(range, name);
      for (std::size_t i = 0; i != count; ++i)
        elements[i] =
            plait::convert<T>(std::min(low + (high - low) * from.template uniform<wide>(i), std::nextafter(high, low)));
    } else {
      auto const [low, high] = range.empty() ? value_range<std::int64_t>{0, 2} : parse_range<std::int64_t>(range, name);
      using limits = std::numeric_limits<T>;
      if (std::cmp_less(low, +limits::min()) || std::cmp_greater(high - 1, +limits::max()))
        throw wrong_usage('\'' + visible(range) + "' exceeds the range of " + name);
      std::uint64_t const first = static_cast<std::uint64_t>(low);
      std::uint64_t const width = static_cast<std::uint64_t>(high) - first;
      for (std::size_t i = 0; i != count; ++i)
        elements[i] = static_cast<T>(static_cast<std::int64_t>(first + from.below(width, i)));
    }
    made = tensor::from(elements, dims);
  });
  return made;
}

}  // namespace cli
