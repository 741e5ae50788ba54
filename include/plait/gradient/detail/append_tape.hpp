// Tape emission: appends the ops of a gradient tape to a net once its values have names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/symbols.hpp>
#include <plait/gradient/detail/forward_net.hpp>
#include <plait/gradient/detail/gradient_tape.hpp>
#include <plait/gradient/detail/value_names.hpp>
#include <plait/net/detail/name_map.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

namespace detail {

// Appends ops whose operands are values of a tape. If the net takes names instead of text, looks each up once, or not
// at all if the tape's symbols are names of the net.
template <gradient_net N>
class op_appender {
  using traits = net_traits_of<N>;
  using names_t = std::vector<name_t<N>>;
  static constexpr bool by_name =
      requires(N& n, op_spec const& op, names_t const& blobs) { traits::append_op(n, op, blobs, blobs); };

 public:
  /// `texts`: the symbol table of the tape. `shared`: it is the net's own table.
  op_appender(N& target, symbol_table const& texts, value_names const& names, bool shared)
      : target_(&target), texts_(&texts), names_(&names), shared_(shared) {
    if (by_name && !shared) known_.resize(texts.size());
  }

  /// Prefetches the name-table slots of an op's operands. Call it some ops ahead: a cache miss takes longer than the
  /// construction of an op.
  void prefetch(std::span<gradient_operand const> operands) {
    if (shared_) return;
    if constexpr (requires { traits::prefetch_name(*target_, std::string_view()); })
      for (gradient_operand const v : operands)
        if (symbol const s = (*names_)[v]; !known_[s.id]) traits::prefetch_name(*target_, (*texts_)[s]);
  }
  void append(op_spec& spec, std::span<gradient_operand const> inputs, std::span<gradient_operand const> outputs) {
    if constexpr (by_name) {
      name_all(inputs, inputs_);
      name_all(outputs, outputs_);
      traits::append_op(*target_, spec, inputs_, outputs_);
    } else {
      write_all(inputs, spec.inputs);
      write_all(outputs, spec.outputs);
      traits::append_op(*target_, spec);
    }
  }

 private:
  void name_all(std::span<gradient_operand const> operands, names_t& made) {
    made.clear();
    for (gradient_operand const v : operands) made.push_back(name_of((*names_)[v]));
  }
  name_t<N> name_of(symbol s) {
    if constexpr (symbol_named_net<N>)
      if (shared_) return s;
    std::optional<name_t<N>>& name = known_[s.id];
    if (!name) name = make_name(*target_, (*texts_)[s]);
    return *name;
  }
  void write_all(std::span<gradient_operand const> operands, std::vector<std::string>& texts) {
    texts.resize(operands.size());
    for (std::size_t i = 0; i != operands.size(); ++i) texts[i] = (*texts_)[(*names_)[operands[i]]];
  }

  N* target_;
  symbol_table const* texts_;
  value_names const* names_;
  bool shared_;
  std::vector<std::optional<name_t<N>>> known_;  // by symbol
  names_t inputs_;                               // of the current op
  names_t outputs_;
};

// Counts the distinct names of the ops' operands, with `made_only` of values that the tape defines.
inline std::size_t count_names(gradient_tape const& tape, std::span<std::uint32_t const> order,
                               value_names const& names, bool made_only) {
  std::vector<char> seen(tape.texts.size());
  std::size_t count = 0;
  for (std::uint32_t const op : order)
    for (gradient_operand const v : tape.operands(op))
      if (char& known = seen[names[v].id]; known == 0 && (!made_only || tape.is_made(v))) {
        known = 1;
        ++count;
      }
  return count;
}

template <gradient_net N>
void add_nets(N& target, mutable_op_ref_t<N> op, symbol_table const& texts, value_names const& names,
              gradient_tape::details const& more) {
  if constexpr (subnet_extensible_net<N>) {
    for (auto const& [key, inner] : more.nets) net_traits_of<N>::add_subnet(target, op, key, *inner);
    if constexpr (nested_editable_net<N>) {
      // Nested nets refer to operands by the names these had when the nets were built.
      name_map changed;
      for (auto const& [v, called] : more.bound)
        if (std::string_view const name = texts[names[v]]; name != called) changed.set(called, name);
      if (!changed.empty()) rename_nested(target, op, changed, [](N&, subnet_scope) {});
    }
  }
}

}  // namespace detail

/// Ownership of the tape's names: the tape keeps them or they move to the net.
enum class tape_names { keep, move };

/// Appends the ops in `order` of a tape to `target`, which may be the forward net itself. With tape_names::move, a
/// target that is the forward net or new takes over the tape's symbol table if it can (symbol_named_net), which leaves
/// the tape without names. O(operands).
template <gradient_net N>
void append_tape(N& target, forward_net<N> const& made_for, gradient_tape& tape, std::span<std::uint32_t const> order,
                 value_names const& names, tape_names whose) {
  using traits = detail::net_traits_of<N>;
  bool const same = &target == &made_for.net();
  bool shared = false;
  symbol_table const* texts = &tape.texts;
  if constexpr (symbol_named_net<N>) {
    symbol_table& own = traits::symbols(target);
    shared = whose == tape_names::move && (same || own.size() == symbol_table().size());
    if (shared) own.swap(tape.texts);
    if (shared) texts = &own;
  }
  auto const before = static_cast<std::size_t>(std::ranges::distance(plait::ops(std::as_const(target))));
  if constexpr (requires { traits::reserve(target, before, before); }) {
    constexpr std::size_t names_of_ops = 64;  // estimate for op types and arguments
    traits::reserve(target, order.size(), shared ? 0 : names_of_ops + detail::count_names(tape, order, names, same));
  }

  // Copies what the op inherits from its source and adds its nested nets.
  auto const complete = [&](std::uint32_t number, mutable_op_ref_t<N> made, auto const& sources) {
    gradient_tape::op const& op = tape[number];
    if (op.source != npos) {
      if constexpr (inheriting_net<N>)
        traits::inherit(target, made, made_for.net(), sources[op.source], op.takes);
      else if constexpr (device_mutable_net<N>)
        if (op.takes.placement)
          if (auto const device = traits::device(made_for.net(), sources[op.source]))
            traits::set_device(target, made, device);
    }
    if (gradient_tape::details const* const more = tape.find_details(number))
      detail::add_nets(target, made, *texts, names, *more);
  };
  // With random access to ops each op is completed while it is in cache, otherwise all are completed at the end.
  using made_ops = detail::numbered_ops<N>;
  using source_ops = detail::numbered_ops<N const>;
  constexpr bool at_once = made_ops::may_grow && source_ops::may_grow;

  detail::op_appender<N> ops(target, *texts, names, shared);
  constexpr std::size_t names_ahead = 8;
  op_spec spec;
  for (std::size_t i = 0; i != order.size(); ++i) {
    std::uint32_t const number = order[i];
    if (i + names_ahead < order.size()) ops.prefetch(tape.operands(order[i + names_ahead]));
    spec.type = (*texts)[tape[number].type];
    gradient_tape::details const* const more = tape.find_details(number);
    spec.arguments = more != nullptr ? more->arguments : std::vector<argument_spec>();
    spec.name = more != nullptr ? more->name : std::string();
    ops.append(spec, tape.inputs(number), tape.outputs(number));
    if constexpr (at_once) complete(number, made_ops(target)[before + i], source_ops(made_for.net()));
  }
  if constexpr (!at_once) {
    made_ops const made(target);
    source_ops const sources(made_for.net());
    for (std::size_t i = 0; i != order.size(); ++i) complete(order[i], made[before + i], sources);
  }
}

}  // namespace plait
