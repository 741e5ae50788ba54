// The nets inside a NetDef op: messages in its arguments, or, as RecurrentNetwork stored them until 2017, text.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
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
  std::vector<std::pair<std::string, std::string>> bound = {};  ///< names inside a Do, and around it
};

namespace detail {

/// How Caffe2 runs the nets of an op type. Types it does not know are taken for `shared`, where nothing is hidden.
inline subnet_scope nested_scope(std::string_view op_type) {
  if (op_type == "Do") return subnet_scope::closed;
  if (op_type.starts_with("RecurrentNetwork")) return subnet_scope::child;
  return subnet_scope::shared;
}

/// What a blob that arguments of an op name is called in truth: memory planners leave arguments `<blob>.rename`.
inline std::string const& renamed_blob(netdef const& n, op_def const& op, std::string const& blob) {
  arg_def const* const found = find_argument(n, op, blob + ".rename");
  return found != nullptr && found->s ? *found->s : blob;
}

/// Whether a string argument is a net in text form.
inline bool holds_text_net(std::string_view op_type, std::string_view argument) {
  return op_type.starts_with("RecurrentNetwork") && argument.ends_with("step_net");
}

/// What a Do calls blobs inside, and how they are called around it. What does not fit together is left out.
inline std::vector<std::pair<std::string, std::string>> bound_blobs(netdef const& n, op_def const& op) {
  std::vector<std::pair<std::string, std::string>> made;
  arg_def const* const inner = find_argument(n, op, "inner_blobs");
  arg_def const* const outer = find_argument(n, op, "outer_blobs_idx");
  if (inner == nullptr || outer == nullptr || inner->strings.size() != outer->ints.size()) return made;
  if (op.input.empty() || op.output.empty()) return made;
  std::size_t const inputs = op.input.size() - 1;  // the last of them is the workspace, as is the last output
  for (std::size_t i = 0; i != inner->strings.size(); ++i) {
    auto const at = static_cast<std::size_t>(outer->ints[i]);
    if (at >= inputs + op.output.size() - 1) continue;
    made.emplace_back(inner->strings[i], n.text(at < inputs ? op.input[at] : op.output[at - inputs]));
  }
  return made;
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
  if (found.empty()) return found;
  if (found.front().scope == subnet_scope::closed)
    for (nested_net& nested : found) nested.bound = detail::bound_blobs(n, op);
  if (found.front().scope != subnet_scope::child) return found;

  std::vector<std::string> bound;
  for (std::string_view links : {"link_internal", "backward_link_internal"})
    if (arg_def const* argument = find_argument(n, op, links))
      for (std::string const& blob : argument->strings) bound.push_back(detail::renamed_blob(n, op, blob));
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
