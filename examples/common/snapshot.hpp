// Checkpoint of a trained net: the current values of the blobs of an init net, as an init net.
#pragma once

#include <string>
#include <vector>

#include <plait/exec/backend.hpp>
#include <plait/exec/feed.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/init_net.hpp>

namespace example {

inline std::vector<std::string> blobs_made_by(plait::netdef const& net) {
  std::vector<std::string> names;
  for (plait::op_def const& op : net.op)
    for (plait::symbol const name : op.output) names.emplace_back(net.text(name));
  return names;
}

/// Returns the blobs that `init` writes and `net` reads but does not write: for plait::compile_options::constants.
inline std::vector<std::string> constants_of(plait::netdef const& net, plait::netdef const& init) {
  auto const form = plait::get_ssa(net, {.subnets = true});
  std::vector<std::string> names;
  for (std::string const& name : blobs_made_by(init)) {
    plait::blob_index const b = form.find(name);
    if (b != plait::npos && form.version(b) == form.first_version(b)) names.push_back(name);
  }
  return names;
}

/// A net that makes what the blobs hold now. Throws plait::net_error for a blob that is not there.
template <plait::backend B>
plait::netdef snapshot(plait::workspace<B> const& blobs, std::vector<std::string> const& names) {
  return plait::init_net_from_parameters<plait::netdef>(plait::fetch(blobs, names)).net;
}

}  // namespace example
