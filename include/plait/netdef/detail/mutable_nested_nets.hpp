// Changing the nets inside a NetDef op, and the blobs its arguments name (net/detail/nested_names.hpp).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/net/detail/name_map.hpp>
#include <plait/net/detail/nested_arguments.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/detail/text_writer.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/nested_nets.hpp>

namespace plait {

/// A net inside an op, to be changed. One stored as a message is referred to; one stored as text is a copy, which
/// store_nested_net writes back.
struct mutable_nested_net {
  std::shared_ptr<netdef> net;
  subnet_scope scope = subnet_scope::shared;
  std::string argument;  ///< the argument that holds it
  bool stored_as_text = false;
};

/// The same nets in the same order as nested_nets(n, op). Throws net_error where a step net in text form cannot be
/// read.
[[nodiscard]] inline std::vector<mutable_nested_net> mutable_nested_nets(netdef& n, op_def& op) {
  std::vector<mutable_nested_net> found;
  for (nested_net& nested : nested_nets(n, op)) {
    // Only a parsed net has an owner: a message belongs to the op, which may be changed here.
    bool const parsed = nested.net.use_count() != 0;
    auto net = parsed ? std::make_shared<netdef>(*nested.net) : std::const_pointer_cast<netdef>(nested.net);
    found.push_back({std::move(net), nested.scope, std::move(nested.argument), parsed});
  }
  return found;
}

/// Puts a net back that mutable_nested_nets gave, of the same op.
inline void store_nested_net(netdef& n, op_def& op, mutable_nested_net const& nested) {
  if (!nested.stored_as_text) return;
  if (arg_def* argument = find_argument(n, op, nested.argument)) argument->s = to_text(*nested.net);
}

/// Blobs that the arguments of an op name: of RecurrentNetwork and its gradient every list of strings, the timestep and
/// both sides of `<blob>.rename`, which the memory planner leaves there. Views into the op.
[[nodiscard]] inline std::vector<std::string_view> argument_blobs(netdef const& n, op_def const& op) {
  if (!detail::is_recurrence(n.text(op.type))) return {};
  return detail::recurrence_argument_blobs(detail::netdef_op_view<netdef const, op_def const>{n, op});
}

/// Renames what argument_blobs lists.
inline void rename_argument_blobs(netdef& n, op_def& op, name_map const& names) {
  if (!detail::is_recurrence(n.text(op.type))) return;
  detail::rename_recurrence_arguments(detail::netdef_op_view<netdef, op_def>{n, op}, names);
}

}  // namespace plait
