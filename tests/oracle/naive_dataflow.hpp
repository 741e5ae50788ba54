// Oracle for dataflow analyses: by definition, as searches of the paths from or to a program point. Names are strings;
// a point (block, place) is before the place-th op of a block; the last point of a block is its end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <support/random_program.hpp>

namespace oracle {

using test::net_program;

struct point {
  int block = 0;
  std::size_t place = 0;
  friend auto operator<=>(point const&, point const&) = default;
};

inline bool has(std::vector<std::string> const& names, std::string const& name) {
  return std::ranges::find(names, name) != names.end();
}

inline std::set<int> reachable(net_program const& p) {
  std::set<int> found = {0};
  std::vector<int> waiting = {0};
  while (!waiting.empty()) {
    int const at = waiting.back();
    waiting.pop_back();
    for (int const to : p.successors(at))
      if (found.insert(to).second) waiting.push_back(to);
  }
  return found;
}

/// Follows all paths from a point. at_op(point of the op) and at_end(block) return true if the path is to be followed
/// further.
template <class AtOp, class AtEnd>
void search_forward(net_program const& p, point from, AtOp at_op, AtEnd at_end) {
  std::set<point> seen = {from};
  std::vector<point> waiting = {from};
  while (!waiting.empty()) {
    point const at = waiting.back();
    waiting.pop_back();
    auto const go = [&](point to) {
      if (seen.insert(to).second) waiting.push_back(to);
    };
    if (at.place != p.block(at.block).ops.size()) {
      if (at_op(at)) go({at.block, at.place + 1});
    } else if (at_end(at.block)) {
      for (int const to : p.successors(at.block)) go({to, 0});
    }
  }
}

/// Follows all paths from the entry to a point, backwards. at_start(block) is called at the start of each block.
template <class AtOp, class AtStart>
void search_backward(net_program const& p, point from, AtOp at_op, AtStart at_start) {
  std::set<int> const reached = reachable(p);
  std::set<point> seen = {from};
  std::vector<point> waiting = {from};
  while (!waiting.empty()) {
    point const at = waiting.back();
    waiting.pop_back();
    auto const go = [&](point to) {
      if (seen.insert(to).second) waiting.push_back(to);
    };
    if (at.place != 0) {
      if (point const before{at.block, at.place - 1}; at_op(before)) go(before);
    } else if (at_start(at.block)) {
      for (int const b : reached)
        if (std::ranges::count(p.successors(b), at.block) != 0) go({b, p.block(b).ops.size()});
    }
  }
}

inline plait::op_spec const& op_at(net_program const& p, point at) { return p.block(at.block).ops[at.place]; }

inline bool is_live(net_program const& p, point at, std::string const& name) {
  bool live = false;
  search_forward(
      p, at,
      [&](point here) {
        plait::op_spec const& op = op_at(p, here);
        if (has(op.inputs, name)) live = true;
        return !has(op.inputs, name) && !has(op.outputs, name);
      },
      [&](int block) {
        if (p.successors(block).empty() && has(p.block(block).external_outputs, name)) live = true;
        return true;
      });
  return live;
}

/// Returns the definitions of the name that reach a point; {-1, 0} is the program entry.
inline std::set<point> reaching(net_program const& p, point at, std::string const& name) {
  std::set<point> found;
  search_backward(
      p, at,
      [&](point here) {
        bool const writes = has(op_at(p, here).outputs, name);
        if (writes) found.insert(here);
        return !writes;
      },
      [&](int block) {
        if (block == 0) found.insert({-1, 0});
        return true;
      });
  return found;
}

inline bool computes(plait::op_spec const& op, plait::op_spec const& expression) {
  return op.type == expression.type && op.inputs == expression.inputs;
}
inline bool changes(plait::op_spec const& op, plait::op_spec const& expression) {
  return std::ranges::any_of(expression.inputs, [&](std::string const& name) { return has(op.outputs, name); });
}

/// Returns true if the expression is available: computed on every path to the point, with no operand written since.
inline bool is_available(net_program const& p, point at, plait::op_spec const& expression) {
  bool available = true;
  search_backward(
      p, at,
      [&](point here) {
        if (changes(op_at(p, here), expression)) {
          available = false;
          return false;
        }
        return !computes(op_at(p, here), expression);
      },
      [&](int block) {
        if (block == 0) available = false;
        return true;
      });
  return available;
}

/// Returns true if the expression is very busy: computed on every path from the point to an exit, before an operand is
/// written.
inline bool is_very_busy(net_program const& p, point at, plait::op_spec const& expression) {
  bool busy = true;
  search_forward(
      p, at,
      [&](point here) {
        if (computes(op_at(p, here), expression)) return false;
        if (changes(op_at(p, here), expression)) busy = false;
        return true;
      },
      [&](int block) {
        if (p.successors(block).empty()) busy = false;
        return true;
      });
  return busy;
}

}  // namespace oracle
