// Default accessors (net/net_traits.hpp) of user-defined nets: net_traits forwards each to the member of the same name
// of the net, or of the op.
#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <string_view>
#include <type_traits>

#include <plait/net/detail/member_hooks.hpp>

namespace plait::detail {

// Members of the net take precedence over members of the op.
template <class N, class Op>
concept net_gives_type = requires(N const& n, Op const& op) { n.type(op); };

template <class N>
struct member_accessors {
  static constexpr decltype(auto) ops(N const& n)
    requires requires { n.ops(); }
  {
    return n.ops();
  }
  static constexpr auto const& ops(N const& n)
    requires std::ranges::range<decltype(n.ops)>
  {
    return n.ops;
  }
  static constexpr decltype(auto) ops(N& n)
    requires requires { n.ops(); }
  {
    return n.ops();
  }
  static constexpr auto& ops(N& n)
    requires std::ranges::range<decltype(n.ops)>
  {
    return n.ops;
  }

  template <class Op>
  static constexpr decltype(auto) inputs(N const& n, Op const& op)
    requires net_gives_inputs<N, Op>
  {
    return n.inputs(op);
  }
  template <class Op>
  static constexpr decltype(auto) inputs(N const&, Op const& op)
    requires(!net_gives_inputs<N, Op> && requires(pointee_t<Op> const& o) { o.inputs(); })
  {
    return pointee(op).inputs();
  }
  template <class Op>
  static constexpr auto const& inputs(N const&, Op const& op)
    requires(!net_gives_inputs<N, Op> &&
             requires(pointee_t<Op> const& o) { requires std::ranges::range<decltype(o.inputs)>; })
  {
    return pointee(op).inputs;
  }

  template <class Op>
  static constexpr decltype(auto) outputs(N const& n, Op const& op)
    requires net_gives_outputs<N, Op>
  {
    return n.outputs(op);
  }
  template <class Op>
  static constexpr decltype(auto) outputs(N const&, Op const& op)
    requires(!net_gives_outputs<N, Op> && requires(pointee_t<Op> const& o) { o.outputs(); })
  {
    return pointee(op).outputs();
  }
  template <class Op>
  static constexpr auto const& outputs(N const&, Op const& op)
    requires(!net_gives_outputs<N, Op> &&
             requires(pointee_t<Op> const& o) { requires std::ranges::range<decltype(o.outputs)>; })
  {
    return pointee(op).outputs;
  }

  template <class Op>
  static constexpr decltype(auto) type(N const& n, Op const& op)
    requires net_gives_type<N, Op>
  {
    return n.type(op);
  }
  template <class Op>
  static constexpr decltype(auto) type(N const&, Op const& op)
    requires(!net_gives_type<N, Op> && requires(pointee_t<Op> const& o) { o.type(); })
  {
    return pointee(op).type();
  }
  template <class Op>
  static constexpr auto const& type(N const&, Op const& op)
    requires(!net_gives_type<N, Op> &&
             requires(pointee_t<Op> const& o) { requires std::is_convertible_v<decltype((o.type)), std::string_view>; })
  {
    return pointee(op).type;
  }

  static constexpr decltype(auto) external_inputs(N const& n)
    requires requires { n.external_inputs(); }
  {
    return n.external_inputs();
  }
  static constexpr auto const& external_inputs(N const& n)
    requires std::ranges::range<decltype(n.external_inputs)>
  {
    return n.external_inputs;
  }
  static constexpr decltype(auto) external_outputs(N const& n)
    requires requires { n.external_outputs(); }
  {
    return n.external_outputs();
  }
  static constexpr auto const& external_outputs(N const& n)
    requires std::ranges::range<decltype(n.external_outputs)>
  {
    return n.external_outputs;
  }

  template <class Op>
  static constexpr decltype(auto) op_name(N const& n, Op const& op)
    requires requires { n.op_name(op); }
  {
    return n.op_name(op);
  }
  template <class Op>
  static constexpr auto const& op_name(N const&, Op const& op)
    requires(
        !requires(N const& n) { n.op_name(op); } &&
        requires(pointee_t<Op> const& o) {
          { o.name } -> std::convertible_to<std::string_view>;
        })
  {
    return pointee(op).name;
  }

  template <class Op>
  static constexpr decltype(auto) control_inputs(N const& n, Op const& op)
    requires requires { n.control_inputs(op); }
  {
    return n.control_inputs(op);
  }
  template <class Op>
  static constexpr decltype(auto) subnets(N const& n, Op const& op)
    requires requires { n.subnets(op); }
  {
    return n.subnets(op);
  }
  template <class Name>
  static constexpr decltype(auto) text(N const& n, Name const& name)
    requires requires { n.text(name); }
  {
    return n.text(name);
  }
  static constexpr auto name_count(N const& n)
    requires requires { n.name_count(); }
  {
    return n.name_count();
  }
  template <class Name>
  static constexpr auto name_index(N const& n, Name const& name)
    requires requires { n.name_index(name); }
  {
    return n.name_index(name);
  }
  static constexpr decltype(auto) name_at(N const& n, std::size_t index)
    requires requires { n.name_at(index); }
  {
    return n.name_at(index);
  }
  static constexpr auto find_name(N const& n, std::string_view text)
    requires requires { n.find_name(text); }
  {
    return n.find_name(text);
  }
};

}  // namespace plait::detail
