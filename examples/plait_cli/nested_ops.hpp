// Iteration over the ops of a net and of its nested nets.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <plait/netdef/model.hpp>

namespace cli {

/// Net, or one of its nested nets.
struct net_place {
  plait::netdef const& net;
  std::vector<std::size_t> const& inside;  ///< the ops around it, outermost first
  std::string const& path;                 ///< "in then_net of op 1 (If): "; empty for the outermost net
};

/// Calls f with a net and its nested nets, outer ones first, and `unreadable` for each op with a nested net that cannot
/// be read. The places are valid during the call. No recursion.
void for_each_net(
    plait::netdef const& net, std::function<void(net_place const&)> const& f,
    std::function<void()> const& unreadable = [] {});

/// Op of a net or of one of its nested nets.
struct op_place {
  net_place const& of;
  std::size_t index;  ///< position in the innermost net

  plait::netdef const& net() const { return of.net; }
  plait::op_def const& op() const { return of.net.op[index]; }
  std::string_view type() const { return of.net.text(op().type); }
};

/// Calls f with each op, in the order of for_each_net.
void for_each_op(plait::netdef const& net, std::function<void(op_place const&)> const& f);

/// Returns "op 3 (Conv)", with the name of the op if it has one: "op 3 (Conv 'conv1')".
std::string op_title(plait::netdef const& net, std::size_t op);

}  // namespace cli
