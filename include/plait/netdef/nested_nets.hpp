// The nets inside a NetDef op: messages in its arguments, or, as RecurrentNetwork stored them until 2017, text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/net/implicit_operands.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/text_reader.hpp>

namespace plait {

/// A net inside an op. One stored as a message is referred to and lives as long as its op; one stored as text is parsed
/// and owned.
struct nested_net {
  std::shared_ptr<netdef const> net;
  subnet_scope scope = subnet_scope::shared;
  std::vector<std::string> locals;  ///< names the op binds inside (links and timestep of a recurrence)
  std::string argument;             ///< the argument that holds it
};

namespace detail {

/// How Caffe2 runs the nets of an op type. Types it does not know are taken for `shared`, where nothing is hidden.
inline subnet_scope nested_scope(std::string_view op_type) {
  if (op_type == "Do") return subnet_scope::closed;
  if (op_type.starts_with("RecurrentNetwork")) return subnet_scope::child;
  return subnet_scope::shared;
}

/// Whether a string argument is a net in text form.
inline bool holds_text_net(std::string_view op_type, std::string_view argument) {
  return op_type.starts_with("RecurrentNetwork") && argument.ends_with("step_net");
}

}  // namespace detail

/// All nets inside an op, in argument order. Throws net_error where a step net in text form cannot be read.
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
        throw net_error("plait: argument '" + std::string(n.text(argument.name)) + "' of " + std::string(type) +
                        " is no net in text form: " + problem.what());
      }
    }
  }
  if (found.empty() || found.front().scope != subnet_scope::child) return found;

  std::vector<std::string> bound;
  for (std::string_view links : {"link_internal", "backward_link_internal"})
    if (arg_def const* argument = find_argument(n, op, links))
      bound.insert(bound.end(), argument->strings.begin(), argument->strings.end());
  arg_def const* timestep = find_argument(n, op, "timestep");
  bound.push_back(timestep != nullptr && timestep->s ? *timestep->s : "timestep");
  // Backward nets run in the workspace of the forward step, where all that wrote is at hand.
  std::vector<std::string> made;
  for (nested_net const& nested : found)
    if (!nested.argument.starts_with("backward"))
      for (op_def const& step : nested.net->op)
        for (symbol const blob : step.output) made.emplace_back(nested.net->text(blob));
  for (nested_net& nested : found) {
    nested.locals = bound;
    if (nested.argument.starts_with("backward")) nested.locals.insert(nested.locals.end(), made.begin(), made.end());
  }
  return found;
}

}  // namespace plait
