// From a tape, when its values have names, to ops of a net.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/npos.hpp>
#include <plait/gradient/forward_net.hpp>
#include <plait/gradient/gradient_tape.hpp>
#include <plait/gradient/value_names.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/name_map.hpp>
#include <plait/net/nested_names.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

namespace detail {

template <gradient_net N>
void add_nets(N& target, mutable_op_ref_t<N> op, gradient_tape const& tape, value_names const& names,
              gradient_tape::details const& more) {
  if constexpr (subnet_extensible_net<N>) {
    for (auto const& [key, inner] : more.nets) net_traits_of<N>::add_subnet(target, op, key, *inner);
    if constexpr (nested_editable_net<N>) {
      // Nets inside know operands by the names these had when the nets were made.
      name_map changed;
      for (auto const& [v, called] : more.called)
        if (std::string_view const name = tape.texts[names[v]]; name != called) changed.set(called, name);
      if (!changed.empty()) rename_nested(target, op, changed, [](N&, subnet_scope) {});
    }
  }
}

}  // namespace detail

/// Appends ops of a tape to a net, which may be the one they were made for. O(operands).
template <gradient_net N>
void append_tape(N& target, forward_net<N> const& made_for, gradient_tape& tape, std::span<std::uint32_t const> order,
                 value_names const& names) {
  using traits = detail::net_traits_of<N>;
  auto const before = static_cast<std::size_t>(std::ranges::distance(plait::ops(std::as_const(target))));
  auto const name_all = [&](std::span<gradient_operand const> operands, std::vector<std::string>& texts) {
    texts.resize(operands.size());
    for (std::size_t i = 0; i != operands.size(); ++i) texts[i] = tape.texts[names[operands[i]]];
  };
  op_spec spec;
  for (std::uint32_t number : order) {
    spec.type = tape.texts[tape[number].type];
    name_all(tape.inputs(number), spec.inputs);
    name_all(tape.outputs(number), spec.outputs);
    gradient_tape::details const* const more = tape.find_details(number);
    spec.arguments = more != nullptr ? more->arguments : std::vector<argument_spec>();
    spec.name = more != nullptr ? more->name : std::string();
    traits::append_op(target, spec);
  }

  // What an op takes over from its source, and its nets: now that all ops are there, references to them last.
  op_list<N> const made(target);
  using iterators = std::vector<typename forward_net<N>::op_iterator>;
  bool const same = &target == &made_for.net();
  iterators const sources = same ? forward_net<N>::op_iterators(target) : iterators();
  iterators const& from = same ? sources : made_for.ops();
  for (std::size_t i = 0; i != order.size(); ++i) {
    gradient_tape::op const& op = tape[order[i]];
    if (op.source != npos) {
      if constexpr (inheriting_net<N>)
        traits::inherit(target, made[before + i], made_for.net(), *from[op.source], op.takes);
      else if constexpr (device_mutable_net<N>)
        if (op.takes.placement)
          if (auto const device = traits::device(made_for.net(), *from[op.source]))
            traits::set_device(target, made[before + i], device);
    }
    if (gradient_tape::details const* const more = tape.find_details(order[i]))
      detail::add_nets(target, made[before + i], tape, names, *more);
  }
}

}  // namespace plait
