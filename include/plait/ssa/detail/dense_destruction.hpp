// SSA destruction with coalescing (Boissinot et al. 2009), by number; see destruction.hpp.
//
// Follows B. Boissinot, A. Darte, F. Rastello, B. D. de Dinechin, C. Guillon, "Revisiting Out-of-SSA Translation for
// Correctness, Code Quality and Efficiency" (CGO 2009, pp. 114–125): each phi gets a separate location, which parallel
// copies at the ends of the predecessors write and one at the start of its block reads. This solves the swap
// and lost-copy problems without splitting critical edges. Then locations that never hold different values at once are
// coalesced, which removes the copies between them. Interference is value-based and found in one walk down the
// dominator tree for a whole congruence class (Algorithm 2 there, which improves on Budimlić's dominance forest). A
// class starts as everything that phis connect; units that interfere are left out and tried again among themselves, in
// `rounds` rounds, so the time is not quadratic in a class, as it is with pairwise merging.
//
// O((values + phi arguments) · log of it) time, and what the live ranges take (dense_live_ranges.hpp); O(values + phi
// arguments) space beyond them. No recursion.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/ssa/detail/dense_live_ranges.hpp>
#include <plait/ssa/detail/dense_ssa.hpp>
#include <plait/ssa/detail/parallel_copy.hpp>

namespace plait {

struct destruction_options {
  /// Coalesces phis, their arguments and results into one location where they do not interfere. Otherwise each has a
  /// separate one.
  bool coalesce = true;
  /// Insertion points by block: the op within it that copies at its end precede, since a branch must come last. Ops
  /// from there on can read, but not define phi arguments. Empty: behind all ops.
  std::span<std::uint32_t const> copy_places = {};
  /// Groups by value: also coalesces values of the same group, such as versions of one blob. Empty: phis only. Costs
  /// time and space for the live ranges of all values.
  std::span<std::uint32_t const> groups = {};
};

/// Locations of values, and copies between locations. Precondition: SSA form (verify_ssa). compute() reuses the memory.
class dense_destruction {
 public:
  static constexpr int rounds = 8;

  /// Computes locations and copies. Throws net_error, and changes nothing, if parallel edges have different arguments
  /// in a phi, or an op behind the copies defines an argument that they read: split the edge.
  constexpr void compute(dense_graph const& g, dense_dominators const& tree, dense_ssa const& s,
                         destruction_options const& options = {});

  /// Returns the number of locations, 0 … location_count() - 1, which are in the order of their first values.
  constexpr std::size_t location_count() const noexcept { return location_count_; }
  /// Returns the location of a value; npos for one that nothing defines or reads. Values from outside do not share one.
  constexpr std::uint32_t location(value_index v) const { return location_[v]; }
  /// Returns the location that breaks cycles of copies, location_count(); npos if there are none.
  constexpr std::uint32_t temporary() const noexcept { return temporary_; }

  /// Returns the copies at the start of a block, in order, before its ops.
  constexpr std::span<location_copy const> copies_at_start(std::uint32_t block) const { return at_start_[block]; }
  /// Returns the copies at the end of a block, in order, which run for every successor.
  constexpr std::span<location_copy const> copies_at_end(std::uint32_t block) const { return at_end_[block]; }
  /// Returns the copies on entry to the program, in order, for phis of the entry. None unless edges lead to the entry.
  constexpr std::span<location_copy const> copies_outside() const { return at_end_[at_end_.size() - 1]; }
  constexpr std::size_t copy_count() const noexcept { return at_start_.item_count() + at_end_.item_count(); }

 private:
  enum unit_state : char { open, kept, waiting, left_out, placed };
  static constexpr int passes = 4;

  // Variables are the values, then the targets of the phis' parallel copies, then the targets of the copies for their
  // arguments. A unit is coalesced as a whole: a value, or a phi with all its copies. Sets of units are congruence
  // classes.
  constexpr std::uint32_t phi_variable(phi_index phi) const { return value_count_ + phi; }
  constexpr bool is_phi_unit(std::uint32_t unit) const { return unit >= value_count_; }

  constexpr void check(dense_graph const& g, dense_ssa const& s) const;
  constexpr void make_variables(dense_graph const& g, dense_ssa const& s, destruction_options const& options);
  constexpr void sort_variables(dense_dominators const& tree);
  constexpr void join_units(dense_ssa const& s, destruction_options const& options);
  constexpr void try_sets(dense_dominators const& tree);
  constexpr void leave_out(std::span<std::uint32_t const> variables, dense_dominators const& tree);
  constexpr void try_set(std::span<std::uint32_t const> variables, dense_dominators const& tree);
  constexpr std::uint32_t find_root(std::uint32_t unit);
  constexpr bool interferes(std::uint32_t earlier, std::uint32_t later) const;
  constexpr bool dominates(dense_dominators const& tree, std::uint32_t a, std::uint32_t b) const;
  constexpr void number_locations(dense_ssa const& s);
  constexpr void make_copies(dense_graph const& g, dense_ssa const& s);

  std::uint32_t value_count_ = 0;
  std::uint32_t outside_ = 0;  // the number of the pseudo-block outside the program
  std::size_t location_count_ = 0;
  std::uint32_t temporary_ = npos;
  std::vector<std::uint32_t> location_;  // by value
  csr<location_copy> at_start_;          // by block
  csr<location_copy> at_end_;            // by block, and outside

  dense_live_ranges ranges_;
  std::vector<std::uint32_t> places_;  // by block: the op that copies at its end precede
  std::vector<char> exists_;           // by value: defined or read
  std::vector<char> wanted_;           // by value: a candidate for coalescing
  struct variable {
    ssa_point made;
    std::uint32_t unit = npos;
    value_index holds = npos;
    std::uint32_t equal = npos;  // the closest dominating variable that holds the same value and is live here
  };
  std::vector<variable> variables_;
  std::vector<std::uint32_t> order_;            // candidates, down the dominator tree
  std::vector<std::uint32_t> root_;             // by unit: union-find; finally, the root of its set
  std::vector<char> state_;                     // by unit
  std::vector<std::uint32_t> interferes_with_;  // by unit that is left out: the unit it interferes with
  csr<std::uint32_t> sets_;
  std::vector<std::uint32_t> set_number_;  // by unit
  std::vector<std::uint32_t> stack_;
  std::vector<std::uint32_t> first_of_group_;
  csr<location_copy> parallel_copies_;
  copy_sequencer sequencer_;
  std::vector<location_copy> here_;
  std::vector<location_copy> in_order_;
};

constexpr void dense_destruction::check(dense_graph const& g, dense_ssa const& s) const {
  for (std::uint32_t b = 0; b != s.block_count(); ++b) {
    std::span<std::uint32_t const> const before = g.predecessors(b);
    for (phi_index const phi : s.phis(b)) {
      std::span<value_index const> const arguments = s.arguments(phi);
      for (std::size_t slot = 0; slot != before.size(); ++slot) {
        auto const refuse = [&](char const* why) {
          raise(net_error("plait: phi " + std::to_string(phi) + " takes value " + std::to_string(arguments[slot]) +
                          " from block " + std::to_string(before[slot]) + ", " + why));
        };
        if (slot != 0 && before[slot] == before[slot - 1] && arguments[slot] != arguments[slot - 1])
          refuse("but another one over a parallel edge");
        ssa_point const made = dense_live_ranges::definition(s, arguments[slot]);
        if (made.block == before[slot] && made.position > ssa_point::before_op(places_[made.block]))
          refuse("which defines it behind the copies");
      }
    }
  }
}

constexpr void dense_destruction::make_variables(dense_graph const& g, dense_ssa const& s,
                                                 destruction_options const& options) {
  auto const phis = static_cast<std::uint32_t>(s.phi_count());
  variables_.assign(value_count_ + phis + s.phi_arguments.item_count(), variable());
  exists_.assign(value_count_, 0);
  for (value_index v = 0; v != value_count_; ++v) exists_[v] = s.definition(v) != ssa_site() ? 1 : 0;
  for (csr<value_index> const* reads : {&s.phi_arguments, &s.op_reads, &s.block_results})
    for (value_index const v : reads->items()) exists_[v] = 1;
  wanted_.assign(value_count_, 0);
  if (!options.groups.empty()) wanted_ = exists_;
  std::uint32_t next = value_count_ + phis;
  for (phi_index phi = 0; phi != phis; ++phi) {
    std::uint32_t const block = s.block_of_phi(phi);
    wanted_[s.result(phi)] = 1;
    variables_[phi_variable(phi)] = {{block, 0}, phi_variable(phi), s.result(phi), npos};
    std::span<std::uint32_t const> const before = g.predecessors(block);
    std::span<value_index const> const arguments = s.arguments(phi);
    for (std::size_t slot = 0; slot != arguments.size(); ++slot) {
      wanted_[arguments[slot]] = 1;
      ssa_point const copied = slot == before.size()
                                   ? ssa_point{outside_, 1}
                                   : ssa_point{before[slot], ssa_point::before_op(places_[before[slot]])};
      variables_[next++] = {copied, phi_variable(phi), arguments[slot], npos};
    }
  }
  for (value_index v = 0; v != value_count_; ++v) variables_[v] = {dense_live_ranges::definition(s, v), v, v, npos};
}

constexpr void dense_destruction::sort_variables(dense_dominators const& tree) {
  order_.clear();
  for (std::uint32_t x = 0; x != variables_.size(); ++x)
    if (x >= value_count_ || wanted_[x] != 0) order_.push_back(x);
  auto const place = [&](std::uint32_t block) { return block == outside_ ? 0 : tree.place(block) + 1; };
  std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
    ssa_point const x = variables_[a].made;
    ssa_point const y = variables_[b].made;
    if (x.block != y.block) return place(x.block) < place(y.block);
    return x.position != y.position ? x.position < y.position : a < b;
  });
}

constexpr std::uint32_t dense_destruction::find_root(std::uint32_t unit) {
  while (root_[unit] != unit) unit = root_[unit] = root_[root_[unit]];
  return unit;
}

// Unites the open units that phis and groups connect into sets.
constexpr void dense_destruction::join_units(dense_ssa const& s, destruction_options const& options) {
  std::ranges::replace(state_, char{left_out}, char{open});
  auto const join = [&](std::uint32_t a, std::uint32_t b) {
    if (state_[a] == open && state_[b] == open) root_[find_root(a)] = find_root(b);
  };
  for (phi_index phi = 0; phi != s.phi_count(); ++phi) {
    join(s.result(phi), phi_variable(phi));
    for (value_index const v : s.arguments(phi)) join(v, phi_variable(phi));
  }
  if (options.groups.empty()) return;
  std::uint32_t most = 0;
  for (std::uint32_t const group : options.groups) most = std::max(most, group);
  first_of_group_.assign(most + std::size_t{1}, npos);
  for (value_index v = 0; v != value_count_; ++v) {
    if (state_[v] != open) continue;
    std::uint32_t& first = first_of_group_[options.groups[v]];
    if (first == npos) first = v;
    join(v, first);
  }
}

// Returns true if the earlier of two variables, which dominates the later, is live at the definition of the later. Two
// with the same definition point interfere, since both are written.
constexpr bool dense_destruction::interferes(std::uint32_t earlier, std::uint32_t later) const {
  ssa_point const at = variables_[later].made;
  ssa_point const from = variables_[earlier].made;
  if (at == from) return true;
  if (earlier < value_count_) return ranges_.is_live_after(earlier, at);
  // Live from the copy at the end of a block to the one at the start of the next.
  return from.position != 0 && at.block == from.block && at.position > from.position;
}

constexpr bool dense_destruction::dominates(dense_dominators const& tree, std::uint32_t a, std::uint32_t b) const {
  std::uint32_t const x = variables_[a].made.block;
  std::uint32_t const y = variables_[b].made.block;
  return x == outside_ || (y != outside_ && tree.dominates(x, y));
}

constexpr void dense_destruction::try_sets(dense_dominators const& tree) {
  std::uint32_t count = 0;
  set_number_.assign(root_.size(), npos);
  auto const set_of = [&](std::uint32_t x) -> std::uint32_t& { return set_number_[find_root(variables_[x].unit)]; };
  for (std::uint32_t const x : order_)
    if (state_[variables_[x].unit] == open && set_of(x) == npos) set_of(x) = count++;
  sets_.start_counting(count);
  for (std::uint32_t const x : order_)
    if (state_[variables_[x].unit] == open) sets_.count(set_of(x));
  sets_.end_counting();
  for (std::size_t i = order_.size(); i-- != 0;)
    if (state_[variables_[order_[i]].unit] == open) sets_.place(set_of(order_[i]), order_[i]);
  for (std::uint32_t set = 0; set != count; ++set) try_set(sets_[set], tree);
}

// Leaves out units until no two variables of the set interfere.
constexpr void dense_destruction::try_set(std::span<std::uint32_t const> variables, dense_dominators const& tree) {
  for (int pass = 0; pass != passes; ++pass) {
    leave_out(variables, tree);
    // A unit that interferes only with a left-out one gets another try, ranked below the units that are in.
    bool again = false;
    for (std::uint32_t const x : variables) {
      char& state = state_[variables_[x].unit];
      if (state == open) state = kept;
      if (state != left_out || state_[interferes_with_[variables_[x].unit]] != left_out) continue;
      state = pass + 1 == passes ? left_out : waiting;
      again = true;
    }
    if (!again) break;
    for (std::uint32_t const x : variables)
      if (char& state = state_[variables_[x].unit]; state == waiting) state = open;
  }
  std::uint32_t first = npos;
  for (std::uint32_t const x : variables) {
    std::uint32_t const unit = variables_[x].unit;
    if (state_[unit] == left_out) {
      root_[unit] = unit;
    } else {
      if (first == npos) first = unit;
      root_[unit] = first;
      state_[unit] = placed;
    }
  }
}

// Leaves out units that interfere. stack_ holds the dominating variables. Checking the top and those above that hold
// the same value and were live there suffices: any other one live here would be live there, too.
constexpr void dense_destruction::leave_out(std::span<std::uint32_t const> variables, dense_dominators const& tree) {
  stack_.clear();
  auto const is_left_out = [&](std::uint32_t x) { return state_[variables_[x].unit] == left_out; };
  // Leaves out values rather than phis, for which all copies would be needed.
  auto const rank = [&](std::uint32_t unit) { return (state_[unit] == kept ? 2 : 0) + (is_phi_unit(unit) ? 1 : 0); };
  for (std::uint32_t const x : variables) {
    while (!is_left_out(x)) {
      while (!stack_.empty() && (is_left_out(stack_.back()) || !dominates(tree, stack_.back(), x))) stack_.pop_back();
      std::uint32_t const above = stack_.empty() ? npos : stack_.back();
      std::uint32_t met = above;
      while (met != npos && (is_left_out(met) || !interferes(met, x))) met = variables_[met].equal;
      if (met == npos || variables_[met].holds == variables_[x].holds) {
        variables_[x].equal = met;
        stack_.push_back(x);
        break;
      }
      std::uint32_t const unit = variables_[x].unit;
      std::uint32_t const other = variables_[met].unit;
      bool const stays = rank(unit) > rank(other);
      state_[stays ? other : unit] = left_out;
      interferes_with_[stays ? other : unit] = stays ? unit : other;
    }
  }
}

constexpr void dense_destruction::number_locations(dense_ssa const& s) {
  set_number_.assign(root_.size(), npos);
  location_.assign(value_count_, npos);
  location_count_ = 0;
  for (value_index v = 0; v != value_count_; ++v) {
    if (exists_[v] == 0) continue;
    std::uint32_t& number = set_number_[find_root(v)];
    if (number == npos) number = static_cast<std::uint32_t>(location_count_++);
    location_[v] = number;
  }
  // Locations of phis that share theirs with no value.
  for (phi_index phi = 0; phi != s.phi_count(); ++phi) {
    std::uint32_t& number = set_number_[find_root(phi_variable(phi))];
    if (number == npos) number = static_cast<std::uint32_t>(location_count_++);
  }
}

constexpr void dense_destruction::make_copies(dense_graph const& g, dense_ssa const& s) {
  auto const phi_location = [&](phi_index phi) { return set_number_[find_root(phi_variable(phi))]; };
  auto const temporary = static_cast<std::uint32_t>(location_count_);
  temporary_ = npos;
  auto const sequentialise = [&](std::span<location_copy const> copies, csr<location_copy>& into) {
    in_order_.clear();
    if (sequencer_.run(copies, location_count_ + 1, temporary, in_order_)) temporary_ = temporary;
    for (location_copy const& c : in_order_) into.push(c);
    into.end_row();
  };

  at_start_.clear();
  std::vector<location_copy>& here = here_;
  for (std::uint32_t b = 0; b != s.block_count(); ++b) {
    here.clear();
    for (phi_index const phi : s.phis(b)) here.push_back({location_[s.result(phi)], phi_location(phi)});
    sequentialise(here, at_start_);
  }

  auto const each = [&](auto copy) {
    for (phi_index phi = 0; phi != s.phi_count(); ++phi) {
      std::span<std::uint32_t const> const before = g.predecessors(s.block_of_phi(phi));
      std::span<value_index const> const arguments = s.arguments(phi);
      for (std::size_t slot = 0; slot != arguments.size(); ++slot)
        copy(slot == before.size() ? outside_ : before[slot],
             location_copy{phi_location(phi), location_[arguments[slot]]});
    }
  };
  parallel_copies_.start_counting(outside_ + std::size_t{1});
  each([&](std::uint32_t block, location_copy const&) { parallel_copies_.count(block); });
  parallel_copies_.end_counting();
  each([&](std::uint32_t block, location_copy const& c) { parallel_copies_.place(block, c); });
  at_end_.clear();
  for (std::uint32_t b = 0; b <= outside_; ++b) sequentialise(parallel_copies_[b], at_end_);
}

constexpr void dense_destruction::compute(dense_graph const& g, dense_dominators const& tree, dense_ssa const& s,
                                          destruction_options const& options) {
  PLAIT_ASSERT(options.copy_places.empty() || options.copy_places.size() == s.block_count(),
               "dense_destruction: copy_places and form have different numbers of blocks");
  PLAIT_ASSERT(options.groups.empty() || options.groups.size() == s.value_count(),
               "dense_destruction: groups and form have different numbers of values");
  places_.clear();
  for (std::uint32_t b = 0; b != s.block_count(); ++b)
    places_.push_back(options.copy_places.empty() ? static_cast<std::uint32_t>(s.ops(b).size())
                                                  : options.copy_places[b]);
  check(g, s);
  value_count_ = static_cast<std::uint32_t>(s.value_count());
  outside_ = static_cast<std::uint32_t>(s.block_count());
  make_variables(g, s, options);
  root_.resize(value_count_ + s.phi_count(), 0);
  std::iota(root_.begin(), root_.end(), 0u);
  state_.assign(root_.size(), left_out);
  interferes_with_.assign(root_.size(), 0);
  for (value_index v = 0; v != value_count_; ++v)
    if (wanted_[v] == 0) state_[v] = placed;
  if (options.coalesce) {
    ranges_.compute(g, s, wanted_, places_);
    sort_variables(tree);
    for (int round = 0; round != rounds; ++round) {
      join_units(s, options);
      try_sets(tree);
      if (std::ranges::find(state_, char{left_out}) == state_.end()) break;
    }
  }
  // Units still left out get separate locations.
  for (std::uint32_t unit = 0; unit != root_.size(); ++unit)
    if (state_[unit] == left_out) root_[unit] = unit;
  number_locations(s);
  make_copies(g, s);
}

}  // namespace plait
