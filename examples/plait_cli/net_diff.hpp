// Semantic difference of two nets: ops added, removed and changed, and externals.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/netdef/model.hpp>

namespace cli {

/// Fact about an op that differs: "type", "inputs", "outputs", "device", or "argument NAME". An absent value is empty.
struct op_change {
  std::string what;
  std::string argument;  ///< its name, if `what` is "argument"
  std::optional<std::string> before;
  std::optional<std::string> after;
};

/// Two aligned ops that differ.
struct changed_op {
  std::size_t before;  ///< position in the first net
  std::size_t after;   ///< position in the second net
  std::vector<op_change> changes;
};

/// Names of one list of externals that only one net has. `reordered` if the lists differ in their order alone.
struct externals_change {
  std::vector<std::string> removed;
  std::vector<std::string> added;
  bool reordered = false;
  bool is_empty() const { return removed.empty() && added.empty() && !reordered; }
};

struct net_diff {
  std::vector<std::size_t> removed;  ///< positions in the first net
  std::vector<std::size_t> added;    ///< positions in the second net
  std::vector<changed_op> changed;
  externals_change inputs;
  externals_change outputs;
  bool is_empty() const {
    return removed.empty() && added.empty() && changed.empty() && inputs.is_empty() && outputs.is_empty();
  }
};

/// Compares two nets as plait::first_difference does, floats by their bits: ignores names of nets and ops, engines,
/// versions, the order of arguments and unknown fields. Ops are aligned by a longest common subsequence of equal ops;
/// in the gaps, by ops of equal type and outputs, then of equal outputs, then of equal type.
net_diff diff_nets(plait::netdef const& before, plait::netdef const& after);

}  // namespace cli
