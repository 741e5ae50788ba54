// Oracle for get_ssa: Caffe2's algorithm (FEATURES 1.1), with a map from names to versions and vectors of pairs.
//
// One intentional difference: the map also contains blobs that are read without being declared.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <net/editable_nets.hpp>

namespace oracle {

using named_value = std::pair<std::string, std::uint32_t>;
using named_values = std::vector<named_value>;
using version_map = std::map<std::string, std::uint32_t>;

struct naive_ssa {
  std::vector<std::pair<named_values, named_values>> ops;
  version_map versions;
  version_map first_versions;
  std::vector<std::string> undefined;   // read at version 0, in order of first read
  std::vector<std::string> undeclared;  // read, but neither declared (while others are), nor given, nor written before
  std::vector<std::string> unwritten;   // declared as outputs, but neither written nor given
};

inline naive_ssa get_ssa(test::struct_net const& net, version_map versions = {}) {
  naive_ssa made;
  made.first_versions = versions;
  bool const declares = !net.external_inputs.empty();
  auto const known = [&](std::string const& name, std::uint32_t otherwise) {
    made.first_versions.emplace(name, 0);
    return versions.emplace(name, otherwise).second;
  };
  for (std::string const& name : net.external_inputs) known(name, 0);
  for (plait::op_spec const& op : net.ops) {
    named_values reads;
    named_values writes;
    for (std::string const& name : op.inputs) {
      if (known(name, 0) && declares) made.undeclared.push_back(name);
      reads.emplace_back(name, versions[name]);
      if (versions[name] == 0 && std::find(made.undefined.begin(), made.undefined.end(), name) == made.undefined.end())
        made.undefined.push_back(name);
    }
    for (std::string const& name : op.outputs) {
      known(name, 0);
      ++versions[name];
    }
    for (std::string const& name : op.outputs) writes.emplace_back(name, versions[name]);
    made.ops.emplace_back(reads, writes);
  }
  for (std::string const& name : net.external_outputs)
    if (known(name, 0)) made.unwritten.push_back(name);
  made.versions = versions;
  return made;
}

}  // namespace oracle
