// Nested nets of a NetDef op: messages in its arguments or, as RecurrentNetwork stored them until 2017, text.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/detail/nested_arguments.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/model.hpp>

namespace plait {

/// Nested net of an op. A net stored as a message is referenced and lives as long as its op; a net stored as text is
/// parsed and owned.
struct nested_net {
  std::shared_ptr<netdef const> net;
  subnet_scope scope = subnet_scope::shared;
  std::vector<std::string> locals;  ///< names the op binds inside (links and timestep of a recurrence)
  std::string argument;             ///< the argument that holds it
  std::vector<std::pair<std::string, std::string>> bound = {};  ///< inner name in a Do, and the outer name bound to it
};

namespace detail {

/// View of a NetDef op with the interface of net/detail/nested_arguments.hpp; Net and Op may be const.
template <class Net, class Op>
struct netdef_op_view {
  Net& net;
  Op& op;

  std::size_t argument_count() const { return op.arg.size(); }
  std::string_view argument_name(std::size_t i) const { return net.text(op.arg[i].name); }
  auto* argument_string(std::size_t i) const { return op.arg[i].s ? &*op.arg[i].s : nullptr; }
  auto& argument_strings(std::size_t i) const { return op.arg[i].strings; }
  auto const& argument_integers(std::size_t i) const { return op.arg[i].ints; }
  void rename_argument(std::size_t i, std::string_view text) const { op.arg[i].name = net.intern(text); }
  std::size_t input_count() const { return op.input.size(); }
  std::size_t output_count() const { return op.output.size(); }
  std::string_view input(std::size_t i) const { return net.text(op.input[i]); }
  std::string_view output(std::size_t i) const { return net.text(op.output[i]); }
};

// Throws net_error for an argument that is not a net in text form; names its op and net.
[[noreturn]] inline void refuse_text_net(netdef const& n, op_def const& op, arg_def const& argument,
                                         parse_error const& problem) {
  std::optional<std::size_t> at;
  for (std::size_t i = 0; i != n.op.size() && !at; ++i)
    if (&n.op[i] == &op) at = i;
  std::string message = "plait: argument '" + std::string(n.text(argument.name)) + "' of op";
  if (at) message += ' ' + std::to_string(*at);
  message += " (" + std::string(n.text(op.type)) + ')';
  if (n.name) message += " of net '" + std::string(n.text(n.name)) + '\'';
  throw net_error(message + " is not a net in text form: " + problem.what(), at);
}

}  // namespace detail

/// Returns the nested nets of an op in argument order. Throws net_error if a step net in text form cannot be read; its
/// `op` is the index among the ops of `n`.
[[nodiscard]] inline std::vector<nested_net> nested_nets(netdef const& n, op_def const& op) {
  std::vector<nested_net> found;
  if (op.arg.empty()) return found;
  std::string_view const type = n.text(op.type);
  auto const add = [&](std::shared_ptr<netdef const> net, arg_def const& argument) {
    found.push_back({std::move(net), detail::nested_scope(type), {}, std::string(n.text(argument.name))});
  };
  // Shares no ownership: the message belongs to the op.
  auto const refer = [](netdef const& net) { return std::shared_ptr<netdef const>(std::shared_ptr<void>(), &net); };

  for (arg_def const& argument : op.arg) {
    if (argument.n) add(refer(*argument.n), argument);
    for (netdef const& net : argument.nets) add(refer(net), argument);
    if (argument.s && !argument.s->empty() && detail::holds_text_net(type, n.text(argument.name))) {
      try {
        add(std::make_shared<netdef const>(read_netdef_text(*argument.s)), argument);
      } catch (parse_error const& problem) {
        detail::refuse_text_net(n, op, argument, problem);
      }
    }
  }
  detail::bind_nested(detail::netdef_op_view<netdef const, op_def const>{n, op}, found,
                      [](netdef const& net, auto visit) {
                        for (op_def const& step : net.op)
                          for (symbol const blob : step.output) visit(net.text(blob));
                      });
  return found;
}

}  // namespace plait
