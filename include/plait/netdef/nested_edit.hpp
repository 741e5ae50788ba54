// Changing the nets inside a NetDef op, and the blobs its arguments name (net/nested_names.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/net/name_map.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/nested_nets.hpp>
#include <plait/netdef/text_writer.hpp>

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

namespace detail {

inline constexpr std::string_view rename_suffix = ".rename";

// Whether the arguments of an op name blobs beyond its operands: a recurrence lists its links, aliases and states.
inline bool arguments_name_blobs(netdef const& n, op_def const& op) {
  return n.text(op.type).starts_with("RecurrentNetwork");
}

}  // namespace detail

/// Blobs that the arguments of an op name: of RecurrentNetwork and its gradient every list of strings, the timestep and
/// both sides of `<blob>.rename`, which the memory planner leaves there. Views into the op.
[[nodiscard]] inline std::vector<std::string_view> argument_blobs(netdef const& n, op_def const& op) {
  std::vector<std::string_view> found;
  if (!detail::arguments_name_blobs(n, op)) return found;
  for (arg_def const& argument : op.arg) {
    std::string_view const name = n.text(argument.name);
    found.insert(found.end(), argument.strings.begin(), argument.strings.end());
    if (!argument.s) continue;
    if (name.ends_with(detail::rename_suffix)) {
      found.push_back(name.substr(0, name.size() - detail::rename_suffix.size()));
      found.push_back(*argument.s);
    } else if (name == "timestep") {
      found.push_back(*argument.s);
    }
  }
  return found;
}

/// Renames what argument_blobs lists. Follows the remap function of Caffe2's recurrent networks, which leaves
/// `<blob>.rename` as it is, and with it a name that is gone.
inline void rename_argument_blobs(netdef& n, op_def& op, name_map const& names) {
  if (!detail::arguments_name_blobs(n, op)) return;
  auto const renamed = [&](std::string& text) {
    if (auto const to = names.find(text)) text = *to;
  };
  for (arg_def& argument : op.arg) {
    std::string_view const name = n.text(argument.name);
    for (std::string& text : argument.strings) renamed(text);
    if (!argument.s) continue;
    if (name.ends_with(detail::rename_suffix)) {
      renamed(*argument.s);
      if (auto const to = names.find(name.substr(0, name.size() - detail::rename_suffix.size())))
        argument.name = n.intern(std::string(*to) += detail::rename_suffix);
    } else if (name == "timestep") {
      renamed(*argument.s);
    }
  }
}

}  // namespace plait
