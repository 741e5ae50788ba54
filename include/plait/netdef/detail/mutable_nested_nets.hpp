// Mutable nested nets of a NetDef op, and the blobs that its arguments name (see net/detail/nested_names.hpp).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/net/detail/name_map.hpp>
#include <plait/net/detail/nested_arguments.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/detail/nested_nets.hpp>
#include <plait/netdef/detail/text_writer.hpp>
#include <plait/netdef/model.hpp>

namespace plait {

/// Nested net of an op, for changing. A net stored as a message is referenced; a net stored as text is a parsed copy,
/// which store_nested_net() writes back.
struct mutable_nested_net {
  std::shared_ptr<netdef> net;
  subnet_scope scope = subnet_scope::shared;
  std::string argument;  ///< the argument that holds it
  bool stored_as_text = false;
};

/// Returns the nets of nested_nets(n, op) in the same order, for changing. Throws net_error if a step net in text form
/// cannot be read.
[[nodiscard]] inline std::vector<mutable_nested_net> mutable_nested_nets(netdef& n, op_def& op) {
  std::vector<mutable_nested_net> found;
  for (nested_net& nested : nested_nets(n, op)) {
    // Only a parsed net has an owner: a message belongs to the op, which is mutable here.
    bool const parsed = nested.net.use_count() != 0;
    auto net = parsed ? std::make_shared<netdef>(*nested.net) : std::const_pointer_cast<netdef>(nested.net);
    found.push_back({std::move(net), nested.scope, std::move(nested.argument), parsed});
  }
  return found;
}

/// Writes back a net that mutable_nested_nets() returned for the same op.
inline void store_nested_net(netdef& n, op_def& op, mutable_nested_net const& nested) {
  if (!nested.stored_as_text) return;
  if (arg_def* argument = find_argument(n, op, nested.argument)) argument->s = to_text(*nested.net);
}

/// Returns the blobs that the arguments of an op name: for RecurrentNetwork and its gradient every list of strings, the
/// timestep and both sides of `<blob>.rename`, which the memory planner leaves there. The views refer to the op.
[[nodiscard]] inline std::vector<std::string_view> argument_blobs(netdef const& n, op_def const& op) {
  if (!detail::is_recurrence(n.text(op.type))) return {};
  return detail::recurrence_argument_blobs(detail::netdef_op_view<netdef const, op_def const>{n, op});
}

/// Renames the blobs that argument_blobs() returns.
inline void rename_argument_blobs(netdef& n, op_def& op, name_map const& names) {
  if (!detail::is_recurrence(n.text(op.type))) return;
  detail::rename_recurrence_arguments(detail::netdef_op_view<netdef, op_def>{n, op}, names);
}

}  // namespace plait
