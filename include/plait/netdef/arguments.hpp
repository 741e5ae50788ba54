// Arguments of ops and nets: look-up by name, conversion from and to C++ values.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <plait/net/mutation.hpp>
#include <plait/netdef/model.hpp>

namespace plait {

/// Returns the argument called `name` of an op or a net, nullptr if there is none; the first one if a file repeats the
/// name.
template <class Owner>
  requires std::same_as<std::remove_const_t<Owner>, op_def> || std::same_as<std::remove_const_t<Owner>, netdef>
[[nodiscard]] auto* find_argument(netdef const& n, Owner& owner, std::string_view name) {
  for (auto& argument : owner.arg)
    if (n.text(argument.name) == name) return &argument;
  return decltype(&owner.arg.front()){nullptr};
}

/// Returns the value of an argument; nothing if it is a net, a tensor or of a kind that plait does not know. An
/// argument without any content is an empty list, since NetDef writes empty lists that way.
[[nodiscard]] inline std::optional<argument_value> read_argument(arg_def const& argument) {
  if (argument.f) return *argument.f;
  if (argument.i) return *argument.i;
  if (argument.s) return *argument.s;
  if (!argument.floats.empty()) return argument.floats;
  if (!argument.strings.empty()) return argument.strings;
  bool const other = argument.t || argument.n || !argument.tensors.empty() || !argument.nets.empty() ||
                     !argument.qtensors.empty() || !argument.unknown.empty();
  if (argument.ints.empty() && other) return std::nullopt;
  return argument.ints;
}

/// Returns the argument that `spec` describes, in the net's symbols. A list is stored as a list even if it is empty.
inline arg_def make_argument(netdef& n, argument_spec const& spec) {
  struct store {
    arg_def& made;
    void operator()(std::int64_t value) const { made.i = value; }
    void operator()(float value) const { made.f = value; }
    void operator()(std::string const& value) const { made.s = value; }
    void operator()(std::vector<std::int64_t> const& values) const { made.ints = values; }
    void operator()(std::vector<float> const& values) const { made.floats = values; }
    void operator()(std::vector<std::string> const& values) const { made.strings = values; }
  };
  arg_def made;
  made.name = n.intern(spec.name);
  std::visit(store{made}, spec.value);
  return made;
}

}  // namespace plait
