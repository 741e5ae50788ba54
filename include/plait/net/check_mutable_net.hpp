// What an adaptation lacks that transforms may ask for, in sentences.
#pragma once

#include <plait/net/implicit_operands.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/nested_names.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

/// Put next to an adaptation that all transforms are to work with: PLAIT_CHECK_MUTABLE_NET(my::net). One that offers
/// less is fine for transforms that ask for less, and is refused by the others in terms of their concepts.
template <class N>
consteval bool check_mutable_net() {
  check_net<N>();
  if constexpr (net<N>) {
    static_assert(renamable_net<N>,
                  "plait: net_traits<N> lacks set_input(n, op, slot, name) or set_output(n, op, slot, name)");
    static_assert(renamable_externals<N>,
                  "plait: net_traits<N> declares externals but lacks set_external_input(n, slot, name) or "
                  "set_external_output(n, slot, name)");
    static_assert(renamable_controls<N>,
                  "plait: net_traits<N> has control inputs but lacks set_control_input(n, op, slot, name)");
    static_assert(op_erasable_net<N>, "plait: net_traits<N> lacks erase_ops(n, indices)");
    static_assert(input_erasable_net<N>, "plait: net_traits<N> lacks erase_external_inputs(n, slots)");
    static_assert(output_erasable_net<N>, "plait: net_traits<N> lacks erase_external_outputs(n, slots)");
    static_assert(external_extensible_net<N>,
                  "plait: net_traits<N> lacks add_external_input(n, name) or add_external_output(n, name)");
    static_assert(extensible_net<N>, "plait: net_traits<N> lacks append_op(n, op_spec) or insert_op(n, at, op_spec)");
    static_assert(adopting_net<N>, "plait: net_traits<N> lacks adopt_op(n, from, op)");
    static_assert(
        nameable_net<N>,
        "plait: names of N cannot be made from text: net_traits<N> lacks make_name(n, text), or names have no "
        "text");
    static_assert(typed_net<N>, "plait: net_traits<N> lacks type(n, op)");
    static_assert(retypable_net<N>, "plait: net_traits<N> lacks set_type(n, op, type)");
    static_assert(attributed_net<N>,
                  "plait: net_traits<N> lacks int_argument(n, op, key) -> optional<int64_t> or string_argument(n, op, "
                  "key) -> optional<string_view>");
    static_assert(argument_readable_net<N>,
                  "plait: net_traits<N> lacks has_argument(n, op, key) -> bool or argument(n, op, key) -> "
                  "optional<argument_value>");
    static_assert(argument_mutable_net<N>,
                  "plait: net_traits<N> lacks set_argument(n, op, argument_spec) or erase_argument(n, op, key)");
    static_assert(device_net<N>, "plait: net_traits<N> lacks device(n, op) -> optional<device_spec>");
    static_assert(device_mutable_net<N>, "plait: net_traits<N> lacks set_device(n, op, optional<device_spec>)");
    static_assert(named_net<N>, "plait: net_traits<N> lacks net_name(n) or set_net_name(n, text)");
    static_assert(inheriting_net<N>, "plait: net_traits<N> lacks inherit(n, op, from, from_op, inherited)");
    static_assert(
        !has_subnets<N> || nested_editable_net<N>,
        "plait: net_traits<N> has nets inside ops but lacks mutable_subnets(n, op) or store_subnet(n, op, s)");
  }
  return net<N>;
}

#define PLAIT_CHECK_MUTABLE_NET(...) static_assert(::plait::check_mutable_net<__VA_ARGS__>())

}  // namespace plait
