// Random nets in neutral form: with in-place ops, overwritten blobs, ops without operands and blobs listed twice.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <net/test_nets.hpp>

namespace test {

struct random_net_options {
  std::size_t most_ops = 10;
  std::size_t blobs = 7;
  bool declared = true;  ///< every read is declared or written before
  bool repeated_outputs = true;
};

inline struct_net random_net(std::mt19937& random, random_net_options const& options = {}) {
  auto const below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  auto const blob = [&] { return "b" + std::to_string(below(options.blobs)); };
  char const* const types[] = {"Relu", "Sum", "Scale", "Split"};

  struct_net n;
  std::vector<std::string> known;
  auto const know = [&](std::string const& name) {
    for (std::string const& k : known)
      if (k == name) return;
    known.push_back(name);
  };
  for (std::size_t i = 0, count = 1 + below(3); i != count; ++i) {
    n.external_inputs.push_back("b" + std::to_string(i));
    know(n.external_inputs.back());
  }
  for (std::size_t i = 0, count = below(options.most_ops + 1); i != count; ++i) {
    plait::op_spec op;
    op.type = types[below(4)];
    for (std::size_t slot = 0, inputs = below(4); slot != inputs; ++slot)
      op.inputs.push_back(options.declared ? known[below(known.size())] : blob());
    for (std::size_t slot = 0, outputs = below(6) == 0 ? 0 : 1 + below(2); slot != outputs; ++slot) {
      std::string const name = blob();
      if (!options.repeated_outputs && !op.outputs.empty() && op.outputs.front() == name) continue;
      op.outputs.push_back(name);
    }
    for (std::string const& name : op.outputs) know(name);
    n.ops.push_back(std::move(op));
  }
  for (std::string const& name : known)
    if (below(3) == 0) n.external_outputs.push_back(name);
  return n;
}

/// Returns a net of `count` ops with fan-in, fan-out, in-place ops and reused names, for tests and measurements of
/// linear time.
inline struct_net long_net(std::size_t count) {
  struct_net n;
  n.external_inputs = {"x"};
  n.ops.reserve(count);
  std::string last = "x";
  for (std::size_t i = 0; i != count; ++i) {
    std::string const made = i % 4 == 1 ? last : "v" + std::to_string(i);
    n.ops.push_back({i % 3 == 0 ? "Sum" : "Relu", {last, i % 3 == 0 ? std::string("x") : last}, {made}});
    if (i % 5 != 4) last = made;  // every fifth result is not used
  }
  n.external_outputs = {last};
  return n;
}

}  // namespace test
