// Concept check of a mutable net: static_asserts that name each missing or ill-formed mutation hook (net/mutation.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <plait/core/detail/member_faults.hpp>
#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

namespace detail {
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, set_input, (mutable_op_ref_t<T> op, std::size_t slot, name_t<T> const& blob),
                            (op, slot, blob))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, set_output,
                            (mutable_op_ref_t<T> op, std::size_t slot, name_t<T> const& blob), (op, slot, blob))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, set_control_input,
                            (mutable_op_ref_t<T> op, std::size_t slot, name_t<T> const& blob), (op, slot, blob))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, set_external_input, (std::size_t slot, name_t<T> const& blob), (slot, blob))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, set_external_output, (std::size_t slot, name_t<T> const& blob), (slot, blob))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, erase_ops, (std::span<std::uint32_t const> indices), (indices))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, erase_external_inputs, (std::span<std::uint32_t const> slots), (slots))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, erase_external_outputs, (std::span<std::uint32_t const> slots), (slots))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, add_external_input, (name_t<T> const& blob), (blob))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, add_external_output, (name_t<T> const& blob), (blob))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, append_op, (op_spec const& op), (op))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, insert_op, (std::size_t position, op_spec const& op), (position, op))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, adopt_op, (T const& from, op_ref_t<T> op), (from, op))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, make_name, (std::string_view text), (text))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, set_type, (mutable_op_ref_t<T> op, std::string_view type), (op, type))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, set_argument, (mutable_op_ref_t<T> op, argument_spec const& argument),
                            (op, argument))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, erase_argument, (mutable_op_ref_t<T> op, std::string_view key), (op, key))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, set_device, (mutable_op_ref_t<T> op, std::optional<device_spec> device),
                            (op, device))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, set_net_name, (std::string_view text), (text))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, inherit,
                            (mutable_op_ref_t<T> op, T const& from, op_ref_t<T> from_op, inherited const& what),
                            (op, from, from_op, what))
PLAIT_DETAIL_MEMBER(net_traits_of, net, int_argument, (op_ref_t<T> op, std::string_view key), (op, key))
PLAIT_DETAIL_MEMBER(net_traits_of, net, string_argument, (op_ref_t<T> op, std::string_view key), (op, key))
PLAIT_DETAIL_MEMBER(net_traits_of, net, has_argument, (op_ref_t<T> op, std::string_view key), (op, key))
PLAIT_DETAIL_MEMBER(net_traits_of, net, argument, (op_ref_t<T> op, std::string_view key), (op, key))
PLAIT_DETAIL_MEMBER(net_traits_of, net, device, (op_ref_t<T> op), (op))
PLAIT_DETAIL_MEMBER(net_traits_of, net, net_name, (), ())
template <class N>
concept returns_int_argument = requires(N const& n, op_ref_t<N> op, std::string_view key) {
  { net_traits_of<N>::int_argument(n, op, key) } -> std::convertible_to<std::optional<std::int64_t>>;
};
template <class N>
concept returns_string_argument = requires(N const& n, op_ref_t<N> op, std::string_view key) {
  { net_traits_of<N>::string_argument(n, op, key) } -> std::convertible_to<std::optional<std::string_view>>;
};
template <class N>
concept returns_has_argument = requires(N const& n, op_ref_t<N> op, std::string_view key) {
  { net_traits_of<N>::has_argument(n, op, key) } -> std::convertible_to<bool>;
};
template <class N>
concept returns_argument = requires(N const& n, op_ref_t<N> op, std::string_view key) {
  { net_traits_of<N>::argument(n, op, key) } -> std::convertible_to<std::optional<argument_value>>;
};
template <class N>
concept returns_net_name = requires(N const& n) {
  { net_traits_of<N>::net_name(n) } -> std::convertible_to<std::string_view>;
};
}  // namespace detail

/// Checks that an adaptation has every mutation hook, for PLAIT_CHECK_MUTABLE_NET(my::net) next to it. An adaptation
/// with fewer hooks works with the transforms that need no others; the remaining transforms reject it by their
/// concepts.
template <class N>
consteval bool check_mutable_net() {
  check_net<N>();
  if constexpr (net<N>) {
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, set_input, "net_traits<N>", "set_input(n, op, slot, name)");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, set_output, "net_traits<N>", "set_output(n, op, slot, name)");
    if constexpr (has_external_inputs<N>) {
      PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, set_external_input, "net_traits<N>", "set_external_input(n, slot, name)");
    }
    if constexpr (has_external_outputs<N>) {
      PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, set_external_output, "net_traits<N>", "set_external_output(n, slot, name)");
    }
    if constexpr (has_control_inputs<N>) {
      PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, set_control_input, "net_traits<N>", "set_control_input(n, op, slot, name)");
    }
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, erase_ops, "net_traits<N>",
                                      "erase_ops(n, indices), indices a std::span<std::uint32_t const>");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, erase_external_inputs, "net_traits<N>",
                                      "erase_external_inputs(n, slots), slots a std::span<std::uint32_t const>");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, erase_external_outputs, "net_traits<N>",
                                      "erase_external_outputs(n, slots), slots a std::span<std::uint32_t const>");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, add_external_input, "net_traits<N>", "add_external_input(n, name)");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, add_external_output, "net_traits<N>", "add_external_output(n, name)");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, append_op, "net_traits<N>", "append_op(n, op_spec)");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, insert_op, "net_traits<N>", "insert_op(n, position, op_spec)");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, adopt_op, "net_traits<N>", "adopt_op(n, from, op)");
    static_assert(
        !detail::make_name_is_there_but_with_other_parameters<N>,
        "plait: net_traits<N>::make_name(n, text) is there, but cannot be called so; wanted: make_name(n, text), "
        "text a std::string_view");
    static_assert(!detail::gives_make_name<N> || detail::has_make_name<N>,
                  "plait: net_traits<N>::make_name(n, text) is there, but returns another type; wanted: a name");
    static_assert(
        nameable_net<N>,
        "plait: names of N cannot be made from text: net_traits<N> lacks make_name(n, text), or names have no "
        "text");
    static_assert(typed_net<N> || detail::gives_type<N>, "plait: net_traits<N> lacks type(n, op)");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, set_type, "net_traits<N>", "set_type(n, op, type)");
    PLAIT_DETAIL_CHECK_MEMBER(N, detail::returns_int_argument<N>, "net_traits<N>", net, int_argument,
                              "int_argument(n, op, key)", "std::optional<std::int64_t>");
    PLAIT_DETAIL_CHECK_MEMBER(N, detail::returns_string_argument<N>, "net_traits<N>", net, string_argument,
                              "string_argument(n, op, key)", "std::optional<std::string_view>");
    PLAIT_DETAIL_CHECK_MEMBER(N, detail::returns_has_argument<N>, "net_traits<N>", net, has_argument,
                              "has_argument(n, op, key)", "bool");
    PLAIT_DETAIL_CHECK_MEMBER(N, detail::returns_argument<N>, "net_traits<N>", net, argument, "argument(n, op, key)",
                              "std::optional<argument_value>");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, set_argument, "net_traits<N>", "set_argument(n, op, argument_spec)");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, erase_argument, "net_traits<N>", "erase_argument(n, op, key)");
    PLAIT_DETAIL_CHECK_MEMBER(N, device_net<N>, "net_traits<N>", net, device, "device(n, op)",
                              "std::optional<device_spec>");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, set_device, "net_traits<N>", "set_device(n, op, optional<device_spec>)");
    PLAIT_DETAIL_CHECK_MEMBER(N, detail::returns_net_name<N>, "net_traits<N>", net, net_name, "net_name(n)",
                              "a std::string_view");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, set_net_name, "net_traits<N>", "set_net_name(n, text)");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, inherit, "net_traits<N>", "inherit(n, op, from, from_op, inherited)");
    static_assert(
        !has_subnets<N> || nested_editable_net<N>,
        "plait: net_traits<N> has nets inside ops but lacks mutable_subnets(n, op) or store_subnet(n, op, s)");
  }
  return net<N>;
}

#define PLAIT_CHECK_MUTABLE_NET(...) static_assert(::plait::check_mutable_net<__VA_ARGS__>())

}  // namespace plait
