// Oracle for dependence graphs: compares every pair of ops of a net. O(ops² · operands).
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <plait/ssa/dependency_graph.hpp>

#include <net/editable_nets.hpp>

namespace oracle {

/// (from, to, kind) and the blobs that cause the dependence.
using named_dependency = std::tuple<std::size_t, std::size_t, plait::dependency_kind, std::set<std::string>>;

inline std::vector<named_dependency> dependencies(test::struct_net const& net,
                                                  plait::dependency_options const& options) {
  auto const has = [](std::vector<std::string> const& list, std::string const& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  // Returns true if an op strictly between two others writes the blob.
  auto const written_between = [&](std::size_t a, std::size_t b, std::string const& name) {
    for (std::size_t i = a + 1; i < b; ++i)
      if (has(net.ops[i].outputs, name)) return true;
    return false;
  };
  std::vector<named_dependency> found;
  for (std::size_t to = 0; to != net.ops.size(); ++to)
    for (std::size_t from = 0; from != to; ++from) {
      plait::op_spec const& a = net.ops[from];
      plait::op_spec const& b = net.ops[to];
      std::set<std::string> raw;
      std::set<std::string> war;
      std::set<std::string> waw;
      for (std::string const& name : b.inputs)
        if (has(a.outputs, name) && !written_between(from, to, name)) raw.insert(name);
      for (std::string const& name : b.outputs) {
        if (has(a.outputs, name) && !written_between(from, to, name)) waw.insert(name);
        // An op that reads and writes the blob is its last writer, not a reader of what `to` overwrites.
        if (has(a.inputs, name) && !has(a.outputs, name) && !written_between(from, to, name)) war.insert(name);
      }
      if (!raw.empty()) found.emplace_back(from, to, plait::dependency_kind::raw, raw);
      if (!war.empty() && options.write_after_read) found.emplace_back(from, to, plait::dependency_kind::war, war);
      if (!waw.empty() && options.write_after_write) found.emplace_back(from, to, plait::dependency_kind::waw, waw);
    }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace oracle
