// Compile-time net: ops and names in arrays of fixed size, usable in constant expressions.
//
//   constexpr plait::static_net net{plait::op("Mul", {"x", "w"}, {"y"}),
//                                   plait::op("Add", {"y", "b"}, {"y"})};
//   constexpr plait::static_net chain{plait::externals({1, 2}, {3}), plait::op("Mul", {1, 2}, {3})};
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>

#include <plait/core/assert.hpp>

namespace plait {

/// An empty list of names, written {}.
struct no_names {};

namespace detail {

// Stored type of a name: string literals become views, integers keep their type.
template <class T>
using static_name_t = std::conditional_t<std::convertible_to<T, std::string_view>, std::string_view, T>;

// Common name type of two lists. An empty list (no_names) fits any type.
template <class A, class B>
struct common_name {
  static_assert(std::is_same_v<A, B>,
                "plait::static_net: the blobs of a net are all strings, or all of one integer type");
  using type = A;
};
template <class A>
struct common_name<A, no_names> {
  using type = A;
};
template <class B>
struct common_name<no_names, B> {
  using type = B;
};
template <>
struct common_name<no_names, no_names> {
  using type = no_names;
};

template <class... Names>
struct net_name {
  using type = std::string_view;  // a net without blobs
};
template <class Name>
  requires(!std::is_same_v<Name, no_names>)
struct net_name<Name> {
  using type = Name;
};
template <class A, class B, class... Rest>
struct net_name<A, B, Rest...> : net_name<typename common_name<A, B>::type, Rest...> {};

/// Two lists of names: inputs and outputs of an op, or external inputs and outputs of a net.
template <class Name, std::size_t First, std::size_t Second>
struct name_lists {
  using name = Name;
  std::array<Name, First> first;
  std::array<Name, Second> second;
};

template <class Name, std::size_t N, class T>
constexpr std::array<Name, N> static_names(T const (&list)[N]) {
  std::array<Name, N> names{};
  for (std::size_t i = 0; i != N; ++i) names[i] = list[i];
  return names;
}

template <class T, class U, std::size_t I, std::size_t O>
using lists_of = name_lists<typename common_name<static_name_t<T>, static_name_t<U>>::type, I, O>;

template <class T, std::size_t I, class U, std::size_t O>
constexpr lists_of<T, U, I, O> make_lists(T const (&first)[I], U const (&second)[O]) {
  return {static_names<static_name_t<T>>(first), static_names<static_name_t<U>>(second)};
}
template <class T, std::size_t I>
constexpr name_lists<static_name_t<T>, I, 0> make_lists(T const (&first)[I], no_names) {
  return {static_names<static_name_t<T>>(first), {}};
}
template <class U, std::size_t O>
constexpr name_lists<static_name_t<U>, 0, O> make_lists(no_names, U const (&second)[O]) {
  return {{}, static_names<static_name_t<U>>(second)};
}

}  // namespace detail

/// Argument of an op, a number. As in a NetDef it has the precision of a float.
struct static_argument {
  std::string_view key;
  double value = 0;
};

/// Description of an op, from which static_net is constructed.
template <class Name, std::size_t Inputs, std::size_t Outputs, std::size_t Arguments = 0>
struct op_description {
  std::string_view type;
  detail::name_lists<Name, Inputs, Outputs> names;
  std::array<static_argument, Arguments> arguments = {};

  /// Returns the description with an argument more: op("Clip", {"x"}, {"y"}).with("min", -1).with("max", 1).
  [[nodiscard]] constexpr op_description<Name, Inputs, Outputs, Arguments + 1> with(std::string_view key,
                                                                                    double value) const {
    op_description<Name, Inputs, Outputs, Arguments + 1> made{type, names, {}};
    for (std::size_t i = 0; i != Arguments; ++i) made.arguments[i] = arguments[i];
    made.arguments[Arguments] = {key, static_cast<double>(static_cast<float>(value))};
    return made;
  }
};

/// External inputs and outputs, from which static_net is constructed.
template <class Name, std::size_t Inputs, std::size_t Outputs>
struct static_externals {
  detail::name_lists<Name, Inputs, Outputs> names;
};

// Overloads for lists with names and without: an array bound cannot be deduced from {}.

/// Describes an op: its type, inputs and outputs. Either list may be {}. Refers to strings, copies none.
template <class T, std::size_t I, class U, std::size_t O>
[[nodiscard]] constexpr op_description<typename detail::lists_of<T, U, I, O>::name, I, O> op(std::string_view type,
                                                                                             T const (&inputs)[I],
                                                                                             U const (&outputs)[O]) {
  return {type, detail::make_lists(inputs, outputs), {}};
}
template <class T, std::size_t I>
[[nodiscard]] constexpr op_description<detail::static_name_t<T>, I, 0> op(std::string_view type, T const (&inputs)[I],
                                                                          no_names none) {
  return {type, detail::make_lists(inputs, none), {}};
}
template <class U, std::size_t O>
[[nodiscard]] constexpr op_description<detail::static_name_t<U>, 0, O> op(std::string_view type, no_names none,
                                                                          U const (&outputs)[O]) {
  return {type, detail::make_lists(none, outputs), {}};
}
[[nodiscard]] constexpr op_description<no_names, 0, 0> op(std::string_view type, no_names, no_names) {
  return {type, {}, {}};
}

/// Describes external inputs and outputs, as the first argument of static_net. Either list may be {}.
template <class T, std::size_t I, class U, std::size_t O>
[[nodiscard]] constexpr static_externals<typename detail::lists_of<T, U, I, O>::name, I, O> externals(
    T const (&inputs)[I], U const (&outputs)[O]) {
  return {detail::make_lists(inputs, outputs)};
}
template <class T, std::size_t I>
[[nodiscard]] constexpr static_externals<detail::static_name_t<T>, I, 0> externals(T const (&inputs)[I],
                                                                                   no_names none) {
  return {detail::make_lists(inputs, none)};
}
template <class U, std::size_t O>
[[nodiscard]] constexpr static_externals<detail::static_name_t<U>, 0, O> externals(no_names none,
                                                                                   U const (&outputs)[O]) {
  return {detail::make_lists(none, outputs)};
}
[[nodiscard]] constexpr static_externals<no_names, 0, 0> externals(no_names, no_names) { return {}; }

/// A net whose sizes are template arguments, deduced from its ops; allocates nothing and wastes no space. Models
/// typed_net; names are string_views or integers. Ops are identified by position.
template <class Name, std::size_t Ops, std::size_t Reads, std::size_t Writes, std::size_t ExternalInputs = 0,
          std::size_t ExternalOutputs = 0, std::size_t Arguments = 0>
class static_net {
 public:
  using op_type = std::uint32_t;

  template <class... Names, std::size_t... I, std::size_t... O, std::size_t... K>
    requires(sizeof...(Names) == Ops && (I + ... + 0) == Reads && (O + ... + 0) == Writes && (K + ... + 0) == Arguments)
  constexpr explicit static_net(op_description<Names, I, O, K> const&... ops)
      : static_net(static_externals<no_names, 0, 0>(), ops...) {}

  template <class Outer, std::size_t A, std::size_t B, class... Names, std::size_t... I, std::size_t... O,
            std::size_t... K>
    requires(sizeof...(Names) == Ops && (I + ... + 0) == Reads && (O + ... + 0) == Writes && (K + ... + 0) == Arguments)
  constexpr explicit static_net(static_externals<Outer, A, B> const& boundary,
                                op_description<Names, I, O, K> const&... ops) {
    copy(boundary.names.first, external_inputs_, 0);
    copy(boundary.names.second, external_outputs_, 0);
    std::size_t op = 0;
    [[maybe_unused]] std::size_t next = 0;
    (append(op++, next, ops), ...);
  }

  constexpr auto ops() const noexcept { return std::views::iota(op_type{0}, static_cast<op_type>(Ops)); }
  constexpr std::string_view type(op_type op) const { return types_[row(op)]; }
  constexpr std::span<Name const> inputs(op_type op) const { return slice(reads_, first_read_, row(op)); }
  constexpr std::span<Name const> outputs(op_type op) const { return slice(writes_, first_write_, row(op)); }
  constexpr std::span<Name const> external_inputs() const noexcept { return external_inputs_; }
  constexpr std::span<Name const> external_outputs() const noexcept { return external_outputs_; }

  /// Returns an argument of an op, `fallback` if it has none of this name.
  constexpr double argument_or(op_type op, std::string_view key, double fallback) const {
    if constexpr (Arguments != 0)
      for (argument const& a : arguments_)
        if (a.op == op && a.is.key == key) return a.is.value;
    return fallback;
  }

  // ---- renaming
  constexpr void set_input(op_type op, std::size_t slot, Name const& name) {
    reads_[first_read_[row(op)] + slot] = name;
  }
  constexpr void set_output(op_type op, std::size_t slot, Name const& name) {
    writes_[first_write_[row(op)] + slot] = name;
  }
  constexpr void set_external_input(std::size_t slot, Name const& name) { external_inputs_[slot] = name; }
  constexpr void set_external_output(std::size_t slot, Name const& name) { external_outputs_[slot] = name; }

 private:
  using offsets = std::array<std::uint32_t, Ops + 1>;
  struct argument {
    op_type op = 0;
    static_argument is;
  };

  static constexpr std::size_t row(op_type op) {
    PLAIT_ASSERT(op < Ops, "static_net: no such op");
    return op;
  }
  template <std::size_t N>
  static constexpr std::span<Name const> slice(std::array<Name, N> const& names, offsets const& first, std::size_t op) {
    return std::span<Name const>(names).subspan(first[op], first[op + 1] - first[op]);
  }
  template <class From, std::size_t N, std::size_t M>
  static constexpr std::uint32_t copy(std::array<From, N> const& from, std::array<Name, M>& to, std::size_t at) {
    if constexpr (N != 0)
      for (From const& name : from) to[at++] = name;
    return static_cast<std::uint32_t>(at);
  }
  template <class From, std::size_t I, std::size_t O, std::size_t K>
  constexpr void append(std::size_t at, [[maybe_unused]] std::size_t& next, op_description<From, I, O, K> const& op) {
    types_[at] = op.type;
    first_read_[at + 1] = copy(op.names.first, reads_, first_read_[at]);
    first_write_[at + 1] = copy(op.names.second, writes_, first_write_[at]);
    if constexpr (K != 0)
      for (static_argument const& a : op.arguments) arguments_[next++] = {static_cast<op_type>(at), a};
  }

  std::array<std::string_view, Ops> types_{};
  offsets first_read_{};
  offsets first_write_{};
  std::array<Name, Reads> reads_{};
  std::array<Name, Writes> writes_{};
  std::array<Name, ExternalInputs> external_inputs_{};
  std::array<Name, ExternalOutputs> external_outputs_{};
  [[no_unique_address]] std::array<argument, Arguments> arguments_{};
};

template <class... Names, std::size_t... I, std::size_t... O, std::size_t... K>
static_net(op_description<Names, I, O, K>...)
    -> static_net<typename detail::net_name<no_names, Names...>::type, sizeof...(Names), (I + ... + 0), (O + ... + 0),
                  0, 0, (K + ... + 0)>;
template <class Outer, std::size_t A, std::size_t B, class... Names, std::size_t... I, std::size_t... O,
          std::size_t... K>
static_net(static_externals<Outer, A, B>, op_description<Names, I, O, K>...)
    -> static_net<typename detail::net_name<Outer, Names...>::type, sizeof...(Names), (I + ... + 0), (O + ... + 0), A,
                  B, (K + ... + 0)>;

}  // namespace plait
