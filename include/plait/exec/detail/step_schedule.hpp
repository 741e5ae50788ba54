// Dependence graph of a loop with several iterations (steps) of a net in flight, with distances in steps.
//
// A step is a list of nodes. Node b of step t + d waits for node a of step t if the schedule has an edge from a to b at
// distance d. Edges are dependences (RAW, WAR, WAW) on memory private to a step, and on places of sequences, which move
// by one place per step. Writes keep the order of the steps, so results are those of sequential steps, bit for bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>

namespace plait {

/// Access of a node to a resource.
struct step_access {
  std::uint32_t node;
  std::uint32_t resource;  ///< memory of the step, or a sequence
  bool writes;
  bool of_step = true;      ///< private to each step
  bool moves = true;        ///< of a sequence: one place further at each step
  std::int64_t offset = 0;  ///< of a sequence: the first place, at step 0
  std::int64_t window = 1;  ///< of a sequence: how many
};

/// Edges by node, and how many each waits for. Node 0 begins a step: the others of the step follow it.
class step_schedule {
 public:
  using node_number = std::uint32_t;
  struct edge {
    node_number to;
    std::uint32_t distance;
    friend bool operator==(edge const&, edge const&) = default;
    friend auto operator<=>(edge const&, edge const&) = default;
  };

  step_schedule() = default;
  /// Finds the edges from `accesses` of nodes 0 to `nodes` - 1, in the order of a single step. At most `in_flight`
  /// steps are in flight. `backward`: steps run from the last to the first. A node runs for one step at a time, in the
  /// order of the steps. Either all accesses of a resource are of_step, or none. O(accesses² per resource that is not
  /// of_step + edges * edges per node).
  step_schedule(std::size_t nodes, std::span<step_access const> accesses, std::size_t in_flight, bool backward);

  std::size_t node_count() const noexcept { return edges_.size(); }
  std::size_t in_flight() const noexcept { return in_flight_; }
  /// Returns the edges from a node, ascending; distances are less than in_flight().
  std::span<edge const> followers(node_number n) const { return edges_[n]; }
  /// Returns the number of edges to a node in step `step` of a run, counted from 0.
  std::uint32_t waits(node_number n, std::size_t step) const {
    return waits_[std::min(step, in_flight_ - 1) * node_count() + n];
  }
  /// Returns the speedup over sequential steps with unlimited threads, for nodes of these costs: the cost of a step
  /// over what a step adds to the critical path. O(in_flight * edges).
  double speedup(std::span<double const> costs) const;

  /// Returns the least number of steps, 0 or more, after which b accesses what a has accessed, one of them writing; -1
  /// if never.
  static std::int64_t least_distance(step_access const& a, step_access const& b, bool backward);

 private:
  csr<edge> edges_;                   // by node
  std::vector<std::uint32_t> waits_;  // by number of steps before, in_flight of them, and node
  std::size_t in_flight_ = 1;
};

inline std::int64_t step_schedule::least_distance(step_access const& a, step_access const& b, bool backward) {
  if (a.resource != b.resource || (!a.writes && !b.writes)) return -1;
  std::int64_t const least = a.node < b.node ? 0 : 1;
  if (a.of_step) return least == 0 ? 0 : -1;
  if (!a.moves || !b.moves) return least;
  // b's places overlap a's if b is between `low` and `high` steps later.
  std::int64_t low = a.offset - b.offset - b.window + 1;
  std::int64_t high = a.offset - b.offset + a.window - 1;
  if (backward) std::tie(low, high) = std::pair(-high, -low);
  std::int64_t const found = std::max(low, least);
  return found <= high ? found : -1;
}

inline step_schedule::step_schedule(std::size_t nodes, std::span<step_access const> accesses, std::size_t in_flight,
                                    bool backward)
    : in_flight_(in_flight) {
  PLAIT_ASSERT(nodes != 0 && in_flight != 0, "step_schedule: no nodes, or no steps");
  struct found_edge {
    node_number from;
    edge to;
  };
  std::vector<found_edge> found;
  for (node_number n = 0; n != nodes; ++n) found.push_back({n, {n, 1}});
  std::vector<step_access> sorted(accesses.begin(), accesses.end());
  std::ranges::stable_sort(sorted, {}, [](step_access const& a) { return std::pair(a.resource, a.node); });
  std::vector<node_number> readers;
  for (auto first = sorted.begin(); first != sorted.end();) {
    auto const last =
        std::ranges::find_if(first, sorted.end(), [&](step_access const& a) { return a.resource != first->resource; });
    if (first->of_step) {  // waiting for the last writer and the readers since it implies waiting for all
      readers.clear();
      for (node_number writer = npos; first != last;) {
        node_number const node = first->node;
        bool writes = false;
        for (; first != last && first->node == node; ++first) writes = writes || first->writes;
        if (writer != npos) found.push_back({writer, {node, 0}});
        if (!writes) {
          readers.push_back(node);
          continue;
        }
        for (node_number const reader : readers) found.push_back({reader, {node, 0}});
        readers.clear();
        writer = node;
      }
      continue;
    }
    for (auto a = first; a != last; ++a)
      for (auto b = first; b != last; ++b)
        if (a->node != b->node)
          if (std::int64_t const d = least_distance(*a, *b, backward); d >= 0)
            found.push_back({a->node, {b->node, static_cast<std::uint32_t>(std::min<std::int64_t>(d, npos - 1))}});
    first = last;
  }
  // The shortest edge between two nodes implies the others, since a node waits for itself in the step before. Edges
  // over more steps than are in flight are implied, too.
  // TRAP: g++ 13.2 fails to compile this with operator<=> of the local struct.
  std::ranges::sort(
      found, [](found_edge const& a, found_edge const& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
  found.erase(std::ranges::unique(found, {}, [](found_edge const& e) { return std::pair(e.from, e.to.to); }).begin(),
              found.end());
  std::erase_if(found, [&](found_edge const& e) { return e.to.distance >= in_flight; });
  csr<edge> all;
  for (std::size_t at = 0, n = 0; n != nodes; ++n) {
    for (; at != found.size() && found[at].from == n; ++at) all.push(found[at].to);
    all.end_row();
  }
  // Transitive reduction: drops edges that follow from two others. These are shorter in distance * nodes + difference
  // of node numbers, which is above 0 for each edge, so none is dropped because of itself.
  auto const follows = [&](node_number from, edge const& e) {
    return std::ranges::any_of(all[from], [&](edge const& first) {
      if (first.to == e.to || first.to == from || first.distance > e.distance) return false;
      auto const row = all[first.to];
      auto const second = std::ranges::lower_bound(row, e.to, {}, &edge::to);
      return second != row.end() && second->to == e.to && first.distance + second->distance <= e.distance;
    });
  };
  std::vector<bool> begun(nodes, false);
  for (node_number n = 0; n != nodes; ++n)
    for (edge const& e : all[n])
      if (e.distance == 0) begun[e.to] = true;
  for (node_number n = 0; n != nodes; ++n) {
    if (n == 0)
      for (node_number other = 1; other != nodes; ++other)
        if (!begun[other]) edges_.push({other, 0});
    for (edge const& e : all[n])
      if (!follows(n, e)) edges_.push(e);
    std::ranges::sort(edges_.open_row(), {}, [](edge const& e) { return std::pair(e.distance, e.to); });
    edges_.end_row();
  }
  waits_.assign(in_flight * nodes, 0);
  for (node_number n = 0; n != nodes; ++n)
    for (edge const& e : edges_[n])
      for (std::size_t step = e.distance; step < in_flight; ++step) ++waits_[step * nodes + e.to];
}

inline double step_schedule::speedup(std::span<double const> costs) const {
  std::size_t const nodes = node_count();
  std::size_t const steps = 4 * in_flight_;
  std::vector<double> starts(steps * nodes, 0);
  std::vector<double> ends(steps, 0);
  double step_cost = 0;
  for (double const cost : costs) step_cost += cost;
  // Node numbers are a topological order within a step.
  for (std::size_t t = 0; t != steps; ++t)
    for (node_number n = 0; n != nodes; ++n) {
      double& start = starts[t * nodes + n];
      if (n == 0 && t >= in_flight_) start = std::max(start, ends[t - in_flight_]);
      double const end = start + costs[n];
      ends[t] = std::max(ends[t], end);
      for (edge const& e : edges_[n])
        if (t + e.distance < steps) {
          double& other = starts[(t + e.distance) * nodes + e.to];
          other = std::max(other, end);
        }
    }
  double const longest = (ends[steps - 1] - ends[steps - 1 - 2 * in_flight_]) / static_cast<double>(2 * in_flight_);
  return longest > 0 ? step_cost / longest : 1;
}

}  // namespace plait
