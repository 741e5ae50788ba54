// Op specifications with arguments of any kind, nested nets included, and append_op(), which adds them to a netdef.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/net/mutation.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/traits.hpp>

namespace plait {

namespace detail {
template <class T>
concept text_argument = std::convertible_to<T const&, std::string_view>;
}  // namespace detail

/// Argument of an op: a number, text, a list of either, a net, or nets. Converts from C++ values: {"axis", 1},
/// {"scale", 0.5}, {"broadcast", true}, {"shape", {2, 3}}, {"policy", "fixed"}. As in NetDef, integers and bool become
/// int64, floating-point numbers float; the elements of a list have one type.
class net_argument {
 public:
  using value_type = std::variant<argument_value, netdef, std::vector<netdef>>;

  template <class T>
    requires std::is_arithmetic_v<T> || detail::text_argument<T>
  net_argument(std::string_view name, T const& value)
      : name_(name), value_(std::in_place_type<argument_value>, converted(value)) {}
  template <class T>
    requires std::is_arithmetic_v<T> || detail::text_argument<T>
  net_argument(std::string_view name, std::initializer_list<T> values) : name_(name), value_(list(values)) {}
  template <class T>
    requires std::is_arithmetic_v<T> || detail::text_argument<T>
  net_argument(std::string_view name, std::vector<T> const& values) : name_(name), value_(list(values)) {}
  net_argument(std::string_view name, argument_value value) : name_(name), value_(std::move(value)) {}
  net_argument(std::string_view name, netdef net) : name_(name), value_(std::move(net)) {}
  net_argument(std::string_view name, std::vector<netdef> nets) : name_(name), value_(std::move(nets)) {}
  net_argument(argument_spec spec) : name_(std::move(spec.name)), value_(std::move(spec.value)) {}

  std::string const& name() const noexcept { return name_; }
  value_type const& value() const& noexcept { return value_; }
  value_type&& value() && noexcept { return std::move(value_); }

 private:
  template <class T>
  static auto converted(T const& value) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<std::int64_t>(value);
    else if constexpr (std::is_floating_point_v<T>)
      return static_cast<float>(value);
    else
      return std::string(std::string_view(value));
  }
  template <class List>
  static argument_value list(List const& values) {
    std::vector<decltype(converted(*values.begin()))> made;
    made.reserve(values.size());
    for (auto const& value : values) made.push_back(converted(value));
    return made;
  }

  std::string name_;
  value_type value_;
};

/// Specification of an op, like op_spec, but with arguments that can be nets.
struct built_op {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<net_argument> arguments = {};
  std::optional<device_spec> device = {};
  std::string name = {};
  std::string engine = {};
  std::vector<std::string> control_inputs = {};
  std::optional<std::uint32_t> random_seed = {};  ///< stored in the device option, as in NetDef
};

/// Appends the op to a net and returns it; the reference is valid until the next op is added. Blobs are identified by
/// name, whether the net has them or not. Nested nets are moved, not copied.
inline op_def& append_op(netdef& n, built_op op) {
  op_def& made = n.op.emplace_back();
  made.type = n.intern(op.type);
  for (std::string const& name : op.inputs) made.input.push_back(n.intern(name));
  for (std::string const& name : op.outputs) made.output.push_back(n.intern(name));
  for (net_argument& argument : op.arguments) {
    std::string const name = argument.name();
    net_argument::value_type value = std::move(argument).value();
    if (auto* const plain = std::get_if<argument_value>(&value)) {
      made.arg.push_back(make_argument(n, {name, std::move(*plain)}));
      continue;
    }
    arg_def holds;
    holds.name = n.intern(name);
    if (auto* const net = std::get_if<netdef>(&value))
      holds.n = std::move(*net);
    else
      holds.nets = std::get<std::vector<netdef>>(std::move(value));
    made.arg.push_back(std::move(holds));
  }
  net_traits<netdef>::set_device(n, made, op.device);
  if (op.random_seed) {
    if (!made.device_option) made.device_option.emplace();
    made.device_option->random_seed = *op.random_seed;
  }
  if (!op.name.empty()) made.name = n.intern(op.name);
  if (!op.engine.empty()) made.edit_extras().engine = n.intern(op.engine);
  for (std::string const& blob : op.control_inputs) made.edit_extras().control_input.push_back(n.intern(blob));
  return made;
}

}  // namespace plait
