// Concept check of a mutable net: static_asserts that name each missing or ill-formed mutation hook (net/mutation.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
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
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, mutable_subnets, (mutable_op_ref_t<T> op), (op))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, store_subnet,
                            (mutable_op_ref_t<T> op, std::ranges::range_value_t<mutable_subnet_range_t<T>> nested),
                            (op, nested))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, rename_arguments, (mutable_op_ref_t<T> op, name_map const& names),
                            (op, names))
PLAIT_DETAIL_MUTABLE_MEMBER(net_traits_of, new_name, (name_t<T> const& blob), (blob))
PLAIT_DETAIL_MEMBER(net_traits_of, net, argument_blobs, (op_ref_t<T> op), (op))
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
  { net_traits_of<N>::string_argument(n, op, key) } -> optional_borrowed_text;
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
concept returns_mutable_subnets = requires(mutable_op_ref_t<N> op) {
  requires std::ranges::input_range<mutable_subnet_range_t<N>>;
} && requires(std::ranges::range_value_t<mutable_subnet_range_t<N>> nested) {
  { *nested.net } -> std::same_as<N&>;
  { nested.scope } -> std::convertible_to<subnet_scope>;
};
template <class N>
concept returns_net_name = requires(N const& n) {
  { net_traits_of<N>::net_name(n) } -> std::convertible_to<std::string_view>;
};

template <class N>
consteval bool check_renaming_hooks() {
  PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", set_input, "set_input(n, op, slot, name)",
                                    "slot a std::size_t, name a name_t<N> const&");
  PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", set_output, "set_output(n, op, slot, name)",
                                    "slot a std::size_t, name a name_t<N> const&");
  if constexpr (has_external_inputs<N>) {
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", set_external_input, "set_external_input(n, slot, name)",
                                      "slot a std::size_t, name a name_t<N> const&");
  }
  if constexpr (has_external_outputs<N>) {
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", set_external_output,
                                      "set_external_output(n, slot, name)",
                                      "slot a std::size_t, name a name_t<N> const&");
  }
  return true;
}

template <class N>
consteval bool check_making_hooks() {
  PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", append_op, "append_op(n, op_spec)",
                                    "a plait::op_spec const&");
  PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", insert_op, "insert_op(n, position, op_spec)",
                                    "position a std::size_t, op_spec a plait::op_spec const&");
  PLAIT_DETAIL_CHECK_OPTIONAL_MUTABLE_MEMBER(N, has_make_name<N>, "net_traits<N>", make_name, "make_name(n, text)",
                                             "a name_t<N>, text a std::string_view");
  static_assert(
      nameable_net<N> || (has_text<N> && (gives_make_name<N> || make_name_is_a_function_with_other_parameters<N>)),
      "plait: names of N cannot be made from text: net_traits<N> lacks make_name(n, text), or names have no "
      "text");
  return true;
}

template <class N>
consteval bool check_argument_hooks() {
  PLAIT_DETAIL_CHECK_MEMBER(N, returns_int_argument<N>, "net_traits<N>", net, int_argument, "int_argument(n, op, key)",
                            "std::optional<std::int64_t>");
  PLAIT_DETAIL_CHECK_MEMBER(N, returns_string_argument<N>, "net_traits<N>", net, string_argument,
                            "string_argument(n, op, key)", "std::optional<std::string_view>");
  PLAIT_DETAIL_CHECK_MEMBER(N, returns_has_argument<N>, "net_traits<N>", net, has_argument, "has_argument(n, op, key)",
                            "bool");
  PLAIT_DETAIL_CHECK_MEMBER(N, returns_argument<N>, "net_traits<N>", net, argument, "argument(n, op, key)",
                            "std::optional<argument_value>");
  return true;
}

template <class N>
consteval bool check_inheriting_hook() {
  PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", inherit, "inherit(n, op, from, from_op, what)",
                                    "from an N const&, what a plait::inherited const&");
  return true;
}

// Nets inside ops, and the names that arguments hold.
template <class N>
consteval bool check_nested_hooks() {
  static_assert(check_subnets<N>());
  if constexpr (has_subnets<N>) {
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, returns_mutable_subnets<N>, "net_traits<N>", mutable_subnets,
                                      "mutable_subnets(n, op)",
                                      "a range like subnets(n, op), whose `net` points to an N that can be changed");
    if constexpr (returns_mutable_subnets<N>) {
      PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", store_subnet, "store_subnet(n, op, subnet)",
                                        "subnet an element of mutable_subnets(n, op), as an lvalue");
    }
  }
  PLAIT_DETAIL_CHECK_OPTIONAL_MEMBER(N, has_argument_blobs<N>, "net_traits<N>", net, argument_blobs,
                                     "argument_blobs(n, op)", "a range of std::string_view; n and op are const");
  if constexpr (has_argument_blobs<N>) {
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", rename_arguments, "rename_arguments(n, op, names)",
                                      "names a plait::name_map const&, since there is argument_blobs(n, op)");
  }
  return true;
}
}  // namespace detail

/// Checks that an adaptation has every mutation hook, for PLAIT_CHECK_MUTABLE_NET(my::net) next to it. An adaptation
/// with fewer hooks works with the transforms that need no others; the remaining transforms reject it by their
/// concepts.
template <class N>
consteval bool check_mutable_net() {
  check_net<N>();
  if constexpr (net<N>) {
    static_assert(detail::ops_stay<N>,
                  "plait: transforms need ops(n) to be a reference to the net's ops or a view of them");
    static_assert(detail::check_renaming_hooks<N>());
    if constexpr (has_control_inputs<N>) {
      PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", set_control_input,
                                        "set_control_input(n, op, slot, name)",
                                        "slot a std::size_t, name a name_t<N> const&");
    }
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", erase_ops, "erase_ops(n, indices)",
                                      "indices a std::span<std::uint32_t const>");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", erase_external_inputs,
                                      "erase_external_inputs(n, slots)", "slots a std::span<std::uint32_t const>");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", erase_external_outputs,
                                      "erase_external_outputs(n, slots)", "slots a std::span<std::uint32_t const>");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", add_external_input, "add_external_input(n, name)",
                                      "name a name_t<N> const&");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", add_external_output, "add_external_output(n, name)",
                                      "name a name_t<N> const&");
    static_assert(detail::check_making_hooks<N>());
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", adopt_op, "adopt_op(n, from, op)", "from an N const&");
    PLAIT_DETAIL_CHECK_OPTIONAL_MUTABLE_MEMBER(N, naming_net<N>, "net_traits<N>", new_name, "new_name(n, name)",
                                               "a name_t<N>");
    static_assert(typed_net<N> || detail::gives_type<N>, "plait: net_traits<N> lacks type(n, op)");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", set_type, "set_type(n, op, type)",
                                      "type a std::string_view");
    static_assert(detail::check_argument_hooks<N>());
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", set_argument, "set_argument(n, op, argument_spec)",
                                      "a plait::argument_spec const&");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", erase_argument, "erase_argument(n, op, key)",
                                      "key a std::string_view");
    PLAIT_DETAIL_CHECK_MEMBER(N, device_net<N>, "net_traits<N>", net, device, "device(n, op)",
                              "std::optional<device_spec>");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", set_device, "set_device(n, op, device)",
                                      "device a std::optional<device_spec>");
    PLAIT_DETAIL_CHECK_MEMBER(N, detail::returns_net_name<N>, "net_traits<N>", net, net_name, "net_name(n)",
                              "a std::string_view");
    PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(N, true, "net_traits<N>", set_net_name, "set_net_name(n, text)",
                                      "text a std::string_view");
    static_assert(detail::check_inheriting_hook<N>());
    static_assert(detail::check_nested_hooks<N>());
  }
  return net<N>;
}

#define PLAIT_CHECK_MUTABLE_NET(...) static_assert(::plait::check_mutable_net<__VA_ARGS__>())

}  // namespace plait
