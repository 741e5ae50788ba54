// Dependence graph of the steps of a recurrence: nodes are ops and transfers over links.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/engine/engine.hpp>
#include <plait/exec/detail/operators/recurrent_network_links.hpp>
#include <plait/exec/detail/step_schedule.hpp>

namespace plait::detail {

/// Nodes of a step: its begin, filled blobs, ops, and targets that cannot be delivered as soon as their op has run.
/// Found once, on the plan's values.
class recurrent_nodes {
 public:
  recurrent_nodes() = default;
  template <backend B>
  recurrent_nodes(engine<B> const& p, std::span<linked_place const> links, std::size_t in_flight, bool backward);

  step_schedule const& schedule() const noexcept { return schedule_; }
  std::size_t first_op() const noexcept { return 1 + filled_.size(); }
  std::size_t first_target() const noexcept { return first_op() + after_op_.size(); }
  /// Returns the links that fill the blob of a node, from 1 on.
  std::vector<std::size_t> const& sources(std::size_t node) const { return filled_[node - 1]; }
  /// Returns the links that an op's node delivers.
  std::vector<std::size_t> const& targets(op_index op) const { return after_op_[op]; }
  /// Returns the links that a node from first_target() on delivers, of one value.
  std::vector<std::size_t> const& alone(std::size_t node) const { return alone_[node - first_target()]; }

 private:
  std::vector<std::vector<std::size_t>> filled_;    // links by node
  std::vector<std::vector<std::size_t>> after_op_;  // links by op
  std::vector<std::vector<std::size_t>> alone_;     // links by node
  step_schedule schedule_;
};

template <backend B>
recurrent_nodes::recurrent_nodes(engine<B> const& p, std::span<linked_place const> links, std::size_t in_flight,
                                 bool backward) {
  plan_layout const& layout = p.layout();
  auto const ops = static_cast<op_index>(p.op_count());
  auto const storages = static_cast<std::uint32_t>(layout.storage_count());
  auto const count = static_cast<std::uint32_t>(links.size());
  // Memory private to a step is storages and, if the net does not read it, the blob of a link; a control input is
  // modelled as a value that the other op writes. Sequences are shared by steps.
  std::uint32_t const controlled = storages + count;
  std::uint32_t const sequences = controlled + ops;
  std::vector<std::uint32_t> memory;
  for (linked_place const& link : links) {
    std::uint32_t found = npos;
    for (std::uint32_t const v : layout.given())
      if (p.value_name(v) == link.internal) found = layout.storage_of(v);
    for (std::uint32_t k = 0; found == npos; ++k)
      if (links[k].internal == link.internal) found = storages + k;
    memory.push_back(found);
  }
  auto const place = [&](std::uint32_t node, linked_place const& link, bool writes) {
    return step_access{
        node,       static_cast<std::uint32_t>(sequences + link.sequence), writes, false, link.moves, link.offset,
        link.window};
  };
  std::vector<step_access> accesses;
  for (std::size_t i = 0; i != links.size(); ++i) {
    if (!links[i].filled || !links[i].first_source) continue;
    filled_.emplace_back();
    for (std::size_t k = 0; k != links.size(); ++k)
      if (links[k].source && links[k].internal == links[i].internal) filled_.back().push_back(k);
  }
  for (std::size_t f = 0; f != filled_.size(); ++f) {
    auto const node = static_cast<std::uint32_t>(1 + f);
    accesses.push_back({node, memory[filled_[f].front()], true});
    for (std::size_t const i : filled_[f]) accesses.push_back(place(node, links[i], false));
  }

  // The links whose places a storage aliases.
  std::vector<std::vector<std::size_t>> stands_at(storages);
  for (std::size_t i = 0; i != links.size(); ++i) {
    linked_place const& link = links[i];
    if (link.source && !link.filled && memory[i] < storages) stands_at[memory[i]].push_back(i);
    if (link.may_be_put() && !(link.added && link.moves)) stands_at[layout.storage_of(link.value)].push_back(i);
  }
  after_op_.resize(ops);
  std::vector<op_index> writer(layout.value_count(), npos);
  for (op_index op = 0; op != ops; ++op) {
    auto const node = static_cast<std::uint32_t>(first_op() + op);
    auto const touch = [&](std::uint32_t v, bool writes) {
      accesses.push_back({node, layout.storage_of(v), writes});
      for (std::size_t const i : stands_at[layout.storage_of(v)]) accesses.push_back(place(node, links[i], writes));
    };
    for (std::uint32_t const v : layout.reads(op)) touch(v, false);
    for (std::uint32_t const v : layout.writes(op)) touch(v, true);
    for (std::uint32_t const v : layout.writes(op)) writer[v] = op;
    for (op_index const before : p.controls()[op]) {
      accesses.push_back({static_cast<std::uint32_t>(first_op() + before), controlled + before, true});
      accesses.push_back({node, controlled + before, false});
    }
  }

  // One node delivers a value to all targets: it may be at one of these places, added to only after the others are set.
  std::vector<bool> done(links.size(), false);
  for (std::size_t i = 0; i != links.size(); ++i) {
    linked_place const& link = links[i];
    if (!link.target || done[i]) continue;
    bool const has_op = link.value != npos;
    std::vector<std::size_t> targets;
    for (std::size_t k = i; k != links.size(); ++k)
      if (k == i || (has_op && links[k].target && links[k].value == link.value)) {
        targets.push_back(k);
        done[k] = true;
      }
    std::uint32_t const from = has_op ? layout.storage_of(link.value) : memory[i];
    std::uint32_t const alone = static_cast<std::uint32_t>(first_target() + alone_.size());
    std::uint32_t const with_op = has_op ? static_cast<std::uint32_t>(first_op() + writer[link.value]) : alone;
    // Delivery may change the value further, which no op of the step may read.
    std::vector<step_access> made{{alone, from, true}};
    for (std::size_t const k : targets) made.push_back(place(alone, links[k], true));
    bool const after_op = has_op && std::ranges::none_of(accesses, [&](step_access const& a) {
                            return a.node > with_op && std::ranges::any_of(made, [&](step_access const& m) {
                                     return step_schedule::least_distance(a, m, backward) == 0;
                                   });
                          });
    for (step_access access : made) {
      if (after_op) access.node = with_op;
      accesses.push_back(access);
    }
    if (after_op)
      after_op_[writer[link.value]].insert(after_op_[writer[link.value]].end(), targets.begin(), targets.end());
    else
      alone_.push_back(std::move(targets));
  }
  schedule_ = step_schedule(first_target() + alone_.size(), accesses, in_flight, backward);
}

}  // namespace plait::detail
