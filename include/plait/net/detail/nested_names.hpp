// Names in nested nets: visits and renames the blobs that they mention, so that a transform can rename a blob without
// breaking the nested nets that refer to it by name. Nets of scope `closed` see no name of the outer net and are not
// entered.
//
//   net_traits<N> member                 what it does
//   mutable_subnets(n, op)               like subnets(n, op), in the same order, with mutable nets
//   store_subnet(n, op, s)               writes a changed net back, where s holds a copy (a net stored as text)
//   argument_blobs(n, op)                optional: blobs named by arguments of op, a range of text
//   rename_arguments(n, op, names)       required with it: renames these
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/detail/name_map.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

namespace detail {
template <class N>
using mutable_subnet_range_t =
    decltype(net_traits_of<N>::mutable_subnets(std::declval<N&>(), std::declval<mutable_op_ref_t<N>>()));

template <class N>
concept has_argument_blobs = requires(N const& n, op_ref_t<N> op) {
  { net_traits_of<N>::argument_blobs(n, op) } -> std::ranges::input_range;
};
}  // namespace detail

/// A net whose nested nets can be changed.
template <class N>
concept nested_editable_net =
    has_subnets<N> && renamable_net<N> && nameable_net<N> &&
    std::ranges::input_range<detail::mutable_subnet_range_t<N>> &&
    requires(N& n, mutable_op_ref_t<N> op, std::ranges::range_value_t<detail::mutable_subnet_range_t<N>> s) {
      { *s.net } -> std::same_as<N&>;
      { s.scope } -> std::convertible_to<subnet_scope>;
      detail::net_traits_of<N>::store_subnet(n, op, s);
    };

/// Returns true if an op holds nets.
template <net N, class Op>
[[nodiscard]] constexpr bool has_nested_nets(N const& n, Op const& op) {
  return !std::ranges::empty(subnets(n, op));
}

/// Returns true if an op binds names of a nested net to its operands (subnet_scope::closed). The nested net does not
/// mention these operands, yet each is bound once: a blob that such an op reads and writes must keep one name for both.
template <net N, class Op>
[[nodiscard]] constexpr bool binds_nested_net(N const& n, Op const& op) {
  if constexpr (has_subnets<N>)
    for (auto&& s : subnets(n, op))
      if (s.scope == subnet_scope::closed) return true;
  return false;
}

/// Calls visit(text) for every blob that the nets nested in an op or its arguments mention, once for each mention.
/// Linear in the size of the nets; their depth costs memory, not stack.
template <has_text N, class Op, std::invocable<std::string_view> Visit>
constexpr void visit_nested_names(N const& n, Op const& op, Visit visit) {
  if constexpr (has_subnets<N>) {
    auto const arguments_of = [&](N const& of, auto const& o) {
      if constexpr (detail::has_argument_blobs<N>)
        for (std::string_view text : detail::net_traits_of<N>::argument_blobs(of, o)) visit(text);
    };
    using subnet_t = std::ranges::range_value_t<decltype(subnets(n, op))>;
    std::vector<subnet_t> held;  // kept to the end: one net may live in the subnet object of another
    auto const enter = [&](N const& of, auto const& o, auto&& nested) {
      bool any = false;
      for (auto&& s : nested) {
        any = true;
        if (s.scope != subnet_scope::closed) held.push_back(std::move(s));
      }
      if (any) arguments_of(of, o);
    };
    enter(n, op, subnets(n, op));
    for (std::size_t i = 0; i != held.size(); ++i) {
      N const& inner = *held[i].net;
      auto const each = [&](auto const& names) {
        for (auto const& name : names) visit(name_text(inner, static_cast<name_t<N> const&>(name)));
      };
      each(external_inputs(inner));
      for (auto&& o : ops(inner)) {
        each(inputs(inner, o));
        each(control_inputs(inner, o));
        each(outputs(inner, o));
        enter(inner, o, detail::inner_subnets(inner, o));
      }
      each(external_outputs(inner));
    }
  }
}

namespace detail {

// Maps names to their new names; numbered names without reading their text.
template <class N>
class renamer {
 public:
  renamer(N& n, name_map const& names) : net_(&n), names_(&names) {
    if constexpr (has_dense_names<N>) {
      std::size_t const count = net_traits_of<N>::name_count(n);
      made_.resize(count);
      for (auto const& [from, to] : names)
        if (std::size_t const at = net_traits_of<N>::find_name(n, from); at < count) made_[at] = make_name(n, to);
    }
  }
  std::optional<name_t<N>> operator()(name_t<N> const& name) const {
    if constexpr (has_dense_names<N>) {
      return made_[net_traits_of<N>::name_index(*net_, name)];
    } else {
      auto const to = names_->find(name_text(*net_, name));
      return to ? std::optional(make_name(*net_, *to)) : std::nullopt;
    }
  }

 private:
  N* net_;
  name_map const* names_;
  std::vector<std::optional<name_t<N>>> made_;
};

// Renames every mention of the blobs in one net, excluding its nested nets.
template <class N>
void rename_mentions(N& n, name_map const& names) {
  struct change {
    std::size_t slot;
    name_t<N> name;
  };
  renamer<N> const renamed(n, names);
  std::vector<change> changes;
  // Collects all changes first: the range traversed may be the one that changes.
  auto const collect = [&](auto const& range) -> std::vector<change> const& {
    changes.clear();
    std::size_t slot = 0;
    for (auto const& name : range) {
      if (auto to = renamed(name)) changes.push_back({slot, *std::move(to)});
      ++slot;
    }
    return changes;
  };
  using traits = net_traits_of<N>;
  for (auto&& op : traits::ops(n)) {
    for (auto const& [slot, name] : collect(inputs(n, op))) traits::set_input(n, op, slot, name);
    for (auto const& [slot, name] : collect(outputs(n, op))) traits::set_output(n, op, slot, name);
    if constexpr (has_control_inputs<N>)
      for (auto const& [slot, name] : collect(control_inputs(n, op))) traits::set_control_input(n, op, slot, name);
  }
  if constexpr (has_external_inputs<N>)
    for (auto const& [slot, name] : collect(external_inputs(n))) traits::set_external_input(n, slot, name);
  if constexpr (has_external_outputs<N>)
    for (auto const& [slot, name] : collect(external_outputs(n))) traits::set_external_output(n, slot, name);
}

}  // namespace detail

/// Renames blobs in the nets nested in an op, at every depth, and in the arguments that name them; the op's own
/// operands stay. Calls finish(net, scope) for each nested net that was entered, inner ones first, nets of one op in
/// order. The caller checks that the new names are free. Throws only what reading a nested net throws, before any
/// change, and std::bad_alloc.
template <nested_editable_net N, class Finish>
void rename_nested(N& n, mutable_op_ref_t<N> op, name_map const& names, Finish finish) {
  using traits = detail::net_traits_of<N>;
  using subnet_t = std::ranges::range_value_t<detail::mutable_subnet_range_t<N>>;
  using op_iterator = std::ranges::iterator_t<std::remove_reference_t<detail::mutable_ops_range_t<N>>>;
  struct frame {
    subnet_t subnet;
    N* around;                        // the net that holds its op
    std::optional<op_iterator> from;  // the op; empty for the outermost
  };
  auto const rename_arguments = [&](N& of, auto&& o) {
    if constexpr (detail::has_argument_blobs<N>) traits::rename_arguments(of, o, names);
  };

  // Pushed last child first, so that the reverse order has inner nets first and those of one op in order.
  std::vector<frame> pending;
  std::vector<frame> entered;
  for (auto&& s : traits::mutable_subnets(n, op)) pending.push_back({std::move(s), &n, std::nullopt});
  bool const any = !pending.empty();
  while (!pending.empty()) {
    if (pending.back().subnet.scope == subnet_scope::closed) {
      pending.pop_back();
      continue;
    }
    entered.push_back(std::move(pending.back()));
    pending.pop_back();
    N& inner = *entered.back().subnet.net;
    auto&& all = traits::ops(inner);
    for (auto it = std::ranges::begin(all); it != std::ranges::end(all); ++it)
      for (auto&& s : traits::mutable_subnets(inner, *it)) pending.push_back({std::move(s), &inner, it});
  }

  if (any) rename_arguments(n, op);
  for (std::size_t i = entered.size(); i-- != 0;) {
    frame& f = entered[i];
    N& inner = *f.subnet.net;
    detail::rename_mentions(inner, names);
    for (auto&& o : traits::ops(inner))
      if (has_nested_nets(inner, o)) rename_arguments(inner, o);
    finish(inner, f.subnet.scope);
    if (f.from)
      traits::store_subnet(*f.around, **f.from, f.subnet);
    else
      traits::store_subnet(n, op, f.subnet);
  }
}

}  // namespace plait
