// Schedule of a plan: which ops run together, and why others run alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// How the ops of a group run.
enum class group_kind : unsigned char {
  alone,     ///< a single op
  rows,      ///< each thread runs all ops for its rows
  elements,  ///< all ops run for a block of elements, then for the next
  epilogue,  ///< a product, with the sum and the Relu of its result
  streamed,  ///< a single op, computed in blocks when its consumer needs them
};

constexpr std::string_view to_string(group_kind kind) {
  switch (kind) {
    case group_kind::alone:
      return "alone";
    case group_kind::rows:
      return "rows";
    case group_kind::elements:
      return "elements";
    case group_kind::epilogue:
      return "epilogue";
    case group_kind::streamed:
      return "streamed";
  }
  return "";
}

/// Groups of the ops of a net, in the order in which they run, and the schedules of the nets inside its ops.
struct schedule {
  struct group {
    group_kind kind = group_kind::alone;
    op_index first = 0;
    op_index count = 1;
    std::string why = {};  ///< why an op runs alone
  };
  op_index within = npos;             ///< the op with the net; npos for the outermost net
  std::string argument = {};          ///< the argument of that op
  std::string how = {};               ///< how a step net runs: "step by step"; empty for other nets
  std::vector<std::string> ops = {};  ///< types
  std::vector<group> groups = {};     ///< of all ops, in order; empty if the net has not run
  std::vector<schedule> nets = {};    ///< ascending by `within`
};

/// Writes a line for each group, with the nets inside an op below it. O(ops log nets).
inline void write_schedule(std::ostream& out, schedule const& s) {
  struct place {
    schedule const* at;
    std::size_t next;   // group
    std::size_t depth;  // of indentation
  };
  std::vector<place> left{{&s, 0, 0}};
  auto const indent = [&](std::size_t depth) -> std::ostream& { return out << std::string(2 * depth, ' '); };
  while (!left.empty()) {
    schedule const& of = *left.back().at;
    std::size_t const depth = left.back().depth;
    if (left.back().next == 0 && of.within != npos) {
      indent(depth - 1) << of.argument << (of.how.empty() ? "" : ", ") << of.how;
      out << (of.groups.empty() ? ": not run\n" : ":\n");
    }
    if (left.back().next == of.groups.size()) {
      left.pop_back();
      continue;
    }
    schedule::group const& g = of.groups[left.back().next++];
    indent(depth) << g.first;
    if (g.count != 1) out << ".." << g.first + g.count - 1;
    out << ' ' << to_string(g.kind) << ':';
    for (op_index op = g.first; op != g.first + g.count; ++op) out << ' ' << of.ops[op];
    if (!g.why.empty()) out << " (" << g.why << ')';
    out << '\n';
    auto const first = std::ranges::lower_bound(of.nets, g.first, {}, &schedule::within);
    auto last = std::ranges::lower_bound(of.nets, g.first + g.count, {}, &schedule::within);
    while (last != first) left.push_back({&*--last, 0, depth + 2});  // the first is written first
  }
}

}  // namespace plait
