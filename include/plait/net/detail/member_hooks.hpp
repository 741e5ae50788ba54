// Default mutation hooks (net/mutation.hpp) of user-defined nets: net_traits forwards each hook to the member function
// of the net of the same name, or else edits ops, operands and externals where they are mutable data members (a vector
// of structs that hold vectors of names). So plain structs can be transformed without any adaptation.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

// Returns the op itself, or the object it points to: ops are often pointers.
template <class Op>
constexpr decltype(auto) pointee(Op& op) {
  if constexpr (requires {
                  *op;
                  op.operator->();
                } || std::is_pointer_v<Op>)
    return *op;
  else
    return (op);
}
template <class Op>
using pointee_t = std::remove_reference_t<decltype(pointee(std::declval<Op const&>()))>;

template <class N, class Op>
concept net_gives_inputs = requires(N const& n, Op const& op) { n.inputs(op); };
template <class N, class Op>
concept net_gives_outputs = requires(N const& n, Op const& op) { n.outputs(op); };

// Where ops() of a net makes its ops anew, what is changed in one is lost, unless it is a pointer or holds a view.
template <class N, class Op, class Member>
concept stays_changed =
    !requires(N& n) { n.ops(); } || !std::same_as<std::remove_cvref_t<Op>, std::remove_cv_t<pointee_t<Op>>> ||
    std::ranges::view<Member> ||
    requires(N& n) { requires std::is_reference_v<decltype(n.ops())> || std::ranges::view<decltype(n.ops())>; };

template <class T>
concept erasable_sequence = std::ranges::random_access_range<T> && std::movable<std::ranges::range_value_t<T>> &&
                            requires(T& items) { items.erase(std::ranges::begin(items), std::ranges::end(items)); };

// Removes the items at ascending positions in one pass.
template <erasable_sequence T>
constexpr void erase_at(T& items, std::span<std::uint32_t const> positions) {
  if (positions.empty()) return;
  auto const first = std::ranges::begin(items);
  auto kept = first + positions.front();
  auto gone = positions.begin();
  for (auto it = kept; it != std::ranges::end(items); ++it) {
    if (gone != positions.end() && it - first == static_cast<std::ptrdiff_t>(*gone))
      ++gone;
    else
      *kept++ = std::move(*it);
  }
  items.erase(kept, std::ranges::end(items));
}

template <class N>
struct member_hooks {
  // ---- blobs of ops
  template <class Op, class Name>
  static constexpr void set_input(N& n, Op&& op, std::size_t slot, Name const& name)
    requires requires { n.set_input(op, slot, name); }
  {
    n.set_input(op, slot, name);
  }
  template <class Op, class Name>
  static constexpr void set_input(N&, Op&& op, std::size_t slot, Name const& name)
    requires(
        !requires(N& n) { n.set_input(op, slot, name); } && !net_gives_inputs<N, Op> &&
        requires {
          pointee(op).inputs[slot] = name;
          requires stays_changed<N, Op, decltype(pointee(op).inputs)>;
        })
  {
    pointee(op).inputs[slot] = name;
  }
  template <class Op, class Name>
  static constexpr void set_output(N& n, Op&& op, std::size_t slot, Name const& name)
    requires requires { n.set_output(op, slot, name); }
  {
    n.set_output(op, slot, name);
  }
  template <class Op, class Name>
  static constexpr void set_output(N&, Op&& op, std::size_t slot, Name const& name)
    requires(
        !requires(N& n) { n.set_output(op, slot, name); } && !net_gives_outputs<N, Op> &&
        requires {
          pointee(op).outputs[slot] = name;
          requires stays_changed<N, Op, decltype(pointee(op).outputs)>;
        })
  {
    pointee(op).outputs[slot] = name;
  }
  template <class Op, class Name>
  static constexpr void set_control_input(N& n, Op&& op, std::size_t slot, Name const& name)
    requires requires { n.set_control_input(op, slot, name); }
  {
    n.set_control_input(op, slot, name);
  }
  template <class Op>
  static constexpr void set_type(N& n, Op&& op, std::string_view type)
    requires requires { n.set_type(op, type); } || requires {
      pointee(op).type = type;
      requires stays_changed<N, Op, decltype(pointee(op).type)>;
    }
  {
    if constexpr (requires { n.set_type(op, type); })
      n.set_type(op, type);
    else
      pointee(op).type = type;
  }
  template <class Name>
  static constexpr decltype(auto) new_name(N& n, Name const& name)
    requires requires { n.new_name(name); }
  {
    return n.new_name(name);
  }
  static constexpr decltype(auto) make_name(N& n, std::string_view text)
    requires requires { n.make_name(text); }
  {
    return n.make_name(text);
  }

  // ---- externals
  template <class Name>
  static constexpr void set_external_input(N& n, std::size_t slot, Name const& name)
    requires requires { n.set_external_input(slot, name); } || requires { n.external_inputs[slot] = name; }
  {
    if constexpr (requires { n.set_external_input(slot, name); })
      n.set_external_input(slot, name);
    else
      n.external_inputs[slot] = name;
  }
  template <class Name>
  static constexpr void set_external_output(N& n, std::size_t slot, Name const& name)
    requires requires { n.set_external_output(slot, name); } || requires { n.external_outputs[slot] = name; }
  {
    if constexpr (requires { n.set_external_output(slot, name); })
      n.set_external_output(slot, name);
    else
      n.external_outputs[slot] = name;
  }
  template <class Name>
  static constexpr void add_external_input(N& n, Name const& name)
    requires requires { n.add_external_input(name); } || requires { n.external_inputs.push_back(name); }
  {
    if constexpr (requires { n.add_external_input(name); })
      n.add_external_input(name);
    else
      n.external_inputs.push_back(name);
  }
  template <class Name>
  static constexpr void add_external_output(N& n, Name const& name)
    requires requires { n.add_external_output(name); } || requires { n.external_outputs.push_back(name); }
  {
    if constexpr (requires { n.add_external_output(name); })
      n.add_external_output(name);
    else
      n.external_outputs.push_back(name);
  }
  static constexpr void erase_external_inputs(N& n, std::span<std::uint32_t const> slots)
    requires requires { n.erase_external_inputs(slots); } || erasable_sequence<decltype(n.external_inputs)>
  {
    if constexpr (requires { n.erase_external_inputs(slots); })
      n.erase_external_inputs(slots);
    else
      erase_at(n.external_inputs, slots);
  }
  static constexpr void erase_external_outputs(N& n, std::span<std::uint32_t const> slots)
    requires requires { n.erase_external_outputs(slots); } || erasable_sequence<decltype(n.external_outputs)>
  {
    if constexpr (requires { n.erase_external_outputs(slots); })
      n.erase_external_outputs(slots);
    else
      erase_at(n.external_outputs, slots);
  }

  // ---- ops
  static constexpr void erase_ops(N& n, std::span<std::uint32_t const> indices)
    requires requires { n.erase_ops(indices); } || erasable_sequence<decltype(n.ops)>
  {
    if constexpr (requires { n.erase_ops(indices); })
      n.erase_ops(indices);
    else
      erase_at(n.ops, indices);
  }
  template <class Spec>
  static constexpr void append_op(N& n, Spec const& op)
    requires requires { n.append_op(op); }
  {
    n.append_op(op);
  }
  template <class Spec>
  static constexpr void insert_op(N& n, std::size_t position, Spec const& op)
    requires requires { n.insert_op(position, op); }
  {
    n.insert_op(position, op);
  }
  template <class Op>
  static constexpr void adopt_op(N& n, N const& from, Op const& op)
    requires requires { n.adopt_op(from, op); }
  {
    n.adopt_op(from, op);
  }

  // ---- arguments, devices, the net's name
  template <class Op>
  static constexpr auto int_argument(N const& n, Op const& op, std::string_view key)
    requires requires { n.int_argument(op, key); }
  {
    return n.int_argument(op, key);
  }
  template <class Op>
  static constexpr auto string_argument(N const& n, Op const& op, std::string_view key)
    requires requires { n.string_argument(op, key); }
  {
    return n.string_argument(op, key);
  }
  template <class Op>
  static constexpr bool has_argument(N const& n, Op const& op, std::string_view key)
    requires requires { n.has_argument(op, key); }
  {
    return n.has_argument(op, key);
  }
  template <class Op>
  static constexpr auto argument(N const& n, Op const& op, std::string_view key)
    requires requires { n.argument(op, key); }
  {
    return n.argument(op, key);
  }
  template <class Op, class Spec>
  static constexpr void set_argument(N& n, Op&& op, Spec const& argument)
    requires requires { n.set_argument(op, argument); }
  {
    n.set_argument(op, argument);
  }
  template <class Op>
  static constexpr void erase_argument(N& n, Op&& op, std::string_view key)
    requires requires { n.erase_argument(op, key); }
  {
    n.erase_argument(op, key);
  }
  template <class Op, class FromOp, class What>
  static constexpr void inherit(N& n, Op&& op, N const& from, FromOp const& from_op, What const& what)
    requires requires { n.inherit(op, from, from_op, what); }
  {
    n.inherit(op, from, from_op, what);
  }
  template <class Op, class Subnet>
  static constexpr void add_subnet(N& n, Op&& op, std::string_view argument, Subnet const& inner)
    requires requires { n.add_subnet(op, argument, inner); }
  {
    n.add_subnet(op, argument, inner);
  }
  template <class Op>
  static constexpr auto device(N const& n, Op const& op)
    requires requires { n.device(op); }
  {
    return n.device(op);
  }
  template <class Op, class Device>
  static constexpr void set_device(N& n, Op&& op, Device const& device)
    requires requires { n.set_device(op, device); }
  {
    n.set_device(op, device);
  }
  static constexpr decltype(auto) net_name(N const& n)
    requires requires { n.net_name(); }
  {
    return n.net_name();
  }
  static constexpr void set_net_name(N& n, std::string_view text)
    requires requires { n.set_net_name(text); }
  {
    n.set_net_name(text);
  }
};

}  // namespace plait::detail
