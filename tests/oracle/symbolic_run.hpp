// Symbolic execution of a net: each value is a hash of the op's type and the values it reads. Two nets compute the same
// function, as far as names and order can tell, if their external outputs get the same hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <net/test_nets.hpp>

namespace test {

using symbolic_value = std::uint64_t;

inline symbolic_value mix(symbolic_value a, symbolic_value b) {
  a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
  a ^= a >> 29;
  return a * 0xbf58476d1ce4e5b9u;
}
inline symbolic_value mix(symbolic_value a, std::string const& b) { return mix(a, std::hash<std::string>{}(b)); }

/// The initial value of an external input: by name or by position.
enum class given_by { name, slot };

/// Returns the values of all blobs after the run, by name. A blob that is read without being declared or written has
/// its name as value. Ops of transparent types (copies, say) return their first input.
inline std::map<std::string, symbolic_value> symbolic_run(struct_net const& n, given_by how = given_by::name,
                                                          std::set<std::string> const& transparent = {}) {
  std::map<std::string, symbolic_value> blobs;
  auto const given = [&](std::string const& name) { return mix(1, name); };
  for (std::size_t slot = 0; slot != n.external_inputs.size(); ++slot)
    blobs.emplace(n.external_inputs[slot], how == given_by::slot ? mix(2, slot + 1) : given(n.external_inputs[slot]));
  for (plait::op_spec const& op : n.ops) {
    symbolic_value result = mix(3, op.type);
    for (std::string const& name : op.inputs) result = mix(result, blobs.try_emplace(name, given(name)).first->second);
    bool const passes = transparent.contains(op.type);
    symbolic_value const passed = passes ? blobs.at(op.inputs.front()) : 0;
    for (std::size_t slot = 0; slot != op.outputs.size(); ++slot)
      blobs[op.outputs[slot]] = passes ? passed : mix(result, slot + 1);
  }
  return blobs;
}

/// Returns the values of the external outputs, in order.
inline std::vector<symbolic_value> symbolic_outputs(struct_net const& n, given_by how = given_by::name,
                                                    std::set<std::string> const& transparent = {}) {
  auto const blobs = symbolic_run(n, how, transparent);
  std::vector<symbolic_value> found;
  for (std::string const& name : n.external_outputs) {
    auto const at = blobs.find(name);
    if (at == blobs.end()) throw std::logic_error("symbolic_outputs: no op writes " + name);
    found.push_back(at->second);
  }
  return found;
}

}  // namespace test
