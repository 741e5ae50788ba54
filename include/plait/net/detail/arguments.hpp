// Typed arguments of ops: reading and setting, with net_error on a wrong type or a conflicting value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

namespace detail {
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

struct argument_text {
  std::string operator()(std::string const& text) const { return '\'' + text + '\''; }
  template <class T>
  std::string operator()(T number) const {
    return std::to_string(number);
  }
  template <class T>
  std::string operator()(std::vector<T> const& list) const {
    return "a list of " + std::to_string(list.size());
  }
};
}  // namespace detail

/// Returns the argument `key` of op number `index` as a T, one of the alternatives of argument_value, or nullopt if the
/// op has no such argument. Throws net_error if the argument has another type; an empty list is an empty list of any
/// type.
template <class T, argument_readable_net N, class Op>
[[nodiscard]] std::optional<T> get_argument(N const& n, Op const& op, std::size_t index, std::string_view key) {
  using traits = detail::net_traits_of<N>;
  if (!traits::has_argument(n, op, key)) return std::nullopt;
  std::optional<argument_value> found = traits::argument(n, op, key);
  if (found) {
    if (T* value = std::get_if<T>(&*found)) return std::move(*value);
    if constexpr (detail::is_list<T>) {
      auto const empty = []<class U>(U const& held) {
        if constexpr (detail::is_list<U>)
          return held.empty();
        else
          return false;
      };
      if (std::visit(empty, *found)) return T();
    }
  }
  raise(net_error("plait: argument '" + std::string(key) + "' of op " + std::to_string(index) + " (" +
                      std::string(op_type(n, op)) + ") is of another type than expected",
                  index));
}

/// Returns the argument like get_argument above, or `fallback` if the op has no such argument.
template <class T, argument_readable_net N, class Op>
[[nodiscard]] T get_argument(N const& n, Op const& op, std::size_t index, std::string_view key, T fallback) {
  return get_argument<T>(n, op, index, key).value_or(std::move(fallback));
}

/// Effect of setting an argument.
enum class argument_change { added, unchanged, overridden };

/// Returns the effect that set_argument_checked would have. Throws net_error, naming both values, if the op has the
/// argument with another value and `may_override` is false.
template <argument_readable_net N, class Op>
argument_change check_argument(N const& n, Op const& op, std::size_t index, argument_spec const& wanted,
                               bool may_override = false) {
  using traits = detail::net_traits_of<N>;
  if (!traits::has_argument(n, op, wanted.name)) return argument_change::added;
  std::optional<argument_value> const present = traits::argument(n, op, wanted.name);
  if (present == wanted.value) return argument_change::unchanged;
  if (may_override) return argument_change::overridden;
  std::string const before = present ? std::visit(detail::argument_text{}, *present) : "a net or tensor";
  raise(net_error("plait: argument '" + wanted.name + "' of op " + std::to_string(index) + " (" +
                      std::string(op_type(n, op)) + ") is " + before + " already and cannot be set to " +
                      std::visit(detail::argument_text{}, wanted.value),
                  index));
}

/// Sets an argument; throws like check_argument rather than silently changing one (detectron2's check_set_pb_arg).
template <class N, class Op>
  requires argument_readable_net<N> && argument_mutable_net<N>
argument_change set_argument_checked(N& n, Op&& op, std::size_t index, argument_spec const& wanted,
                                     bool may_override = false) {
  argument_change const change = check_argument(n, op, index, wanted, may_override);
  if (change != argument_change::unchanged) detail::net_traits_of<N>::set_argument(n, op, wanted);
  return change;
}

}  // namespace plait
