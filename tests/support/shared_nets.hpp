// Oracle for memory plans: the dependences that blob sharing must preserve, on nets in neutral form.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <net/test_nets.hpp>

namespace test {

/// Returns the ops that read or write each blob, ascending.
inline std::map<std::string, std::vector<std::size_t>> touches(struct_net const& n) {
  std::map<std::string, std::vector<std::size_t>> found;
  for (std::size_t op = 0; op != n.ops.size(); ++op) {
    std::set<std::string> here(n.ops[op].inputs.begin(), n.ops[op].inputs.end());
    here.insert(n.ops[op].outputs.begin(), n.ops[op].outputs.end());
    for (std::string const& name : here) found[name].push_back(op);
  }
  return found;
}

/// Returns the internal blobs: written by the net, neither external nor read before.
inline std::set<std::string> internal_blobs(struct_net const& n) {
  std::set<std::string> found;
  std::set<std::string> known(n.external_inputs.begin(), n.external_inputs.end());
  known.insert(n.external_outputs.begin(), n.external_outputs.end());
  for (plait::op_spec const& op : n.ops) {
    known.insert(op.inputs.begin(), op.inputs.end());
    for (std::string const& name : op.outputs)
      if (!known.contains(name)) found.insert(name);
    known.insert(op.outputs.begin(), op.outputs.end());
  }
  return found;
}

/// Returns the maximum number of these blobs that are live at one op.
inline std::size_t most_at_once(struct_net const& n, std::set<std::string> const& blobs) {
  auto const used = touches(n);
  std::size_t most = 0;
  for (std::size_t op = 0; op != n.ops.size(); ++op) {
    std::size_t here = 0;
    for (std::string const& name : blobs) here += used.at(name).front() <= op && op <= used.at(name).back();
    most = std::max(most, here);
  }
  return most;
}

/// Returns the transitive dependence relation: by[a][b] is true if op b depends on op a (RAW, WAW or WAR).
inline std::vector<std::vector<bool>> must_precede(struct_net const& n) {
  std::size_t const ops = n.ops.size();
  std::vector<std::vector<bool>> by(ops, std::vector<bool>(ops));
  auto const meet = [](std::vector<std::string> const& a, std::vector<std::string> const& b) {
    return std::ranges::any_of(a, [&](std::string const& x) { return std::ranges::find(b, x) != b.end(); });
  };
  for (std::size_t a = 0; a != ops; ++a)
    for (std::size_t b = a + 1; b != ops; ++b)
      by[a][b] = meet(n.ops[a].outputs, n.ops[b].inputs) || meet(n.ops[a].outputs, n.ops[b].outputs) ||
                 meet(n.ops[a].inputs, n.ops[b].outputs);
  for (std::size_t k = 0; k != ops; ++k)
    for (std::size_t a = 0; a != k; ++a)
      for (std::size_t b = k + 1; b < ops; ++b) by[a][b] = by[a][b] || (by[a][k] && by[k][b]);
  return by;
}

}  // namespace test
