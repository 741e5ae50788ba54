// On-the-fly SSA construction (Braun et al. 2013): SSA form while a front end emits code, without dominators.
//
//   plait::ssa_builder b;
//   auto const head = b.add_block(), body = b.add_block();     // the first block is the entry
//   b.add_edge(head, body);
//   b.seal(body);                                               // no more edges into body
//   b.write_variable(head, i, b.written(b.add_op(head, {}, 1), 0));
//   b.add_op(body, std::array{b.read_variable(body, i)}, 0);
//   b.finish();                                                 // b.form(), b.graph()
//
// Follows M. Braun, S. Buchwald, S. Hack, R. Leißa, C. Mallach, A. Zwinkau, "Simple and Efficient Construction of
// Static Single Assignment Form" (CC 2013, LNCS 7791, pp. 102–122), with worklists in place of recursion: a phi that a
// read creates waits until its arguments are looked up. A trivial phi is removed as soon as no phi waits; phis that
// have it as argument are checked again, each argument once in all. Phis are pruned, and minimal if the graph is
// reducible; finish() makes them minimal on any graph (redundant_phis.hpp).
//
// Reads and writes of a variable are O(1) amortised except for the blocks that a read walks up, which then cache the
// value; O(operands + phi arguments · α) in all. Memory: the program and the current definitions of blocks. No
// recursion. A variable that is read before any write has its value on entry, which undefined_uses reports.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/net/detail/blob_table.hpp>
#include <plait/ssa/detail/dense_ssa.hpp>
#include <plait/ssa/detail/redundant_phis.hpp>

namespace plait {

/// A variable of an ssa_builder, as numbered by add_variable.
using variable_index = std::uint32_t;

struct builder_options {
  /// Also removes phis that are redundant only as a set, which occur in irreducible graphs.
  bool minimal = true;
};

/// On-the-fly SSA builder. Values and ops have the builder's numbers until finish(), which renumbers those of reachable
/// blocks; value() and op() translate.
class ssa_builder {
 public:
  // ---- blocks; the first is the entry
  constexpr std::uint32_t add_block();
  /// Adds an edge. Precondition: `to` is not sealed.
  constexpr void add_edge(std::uint32_t from, std::uint32_t to);
  /// Declares that no more edges to the block follow. Reads in it and in blocks it dominates then create no incomplete
  /// phis.
  constexpr void seal(std::uint32_t block);

  // ---- variables
  constexpr variable_index add_variable() {
    outside_.push_back(npos);
    return static_cast<variable_index>(outside_.size() - 1);
  }
  /// Declares a variable as external input. Returns its value on entry.
  constexpr value_index add_external_input(variable_index variable) {
    value_index const v = outside(variable);
    values_[v].is_external_input = true;
    return v;
  }
  /// Returns the current definition at the end of a block. TRAP: the look-up walks up through sealed blocks and sees
  /// their current definitions, too; a later write there is missed. Fill blocks first.
  constexpr value_index read_variable(std::uint32_t block, variable_index variable);
  constexpr void write_variable(std::uint32_t block, variable_index variable, value_index v) {
    PLAIT_ASSERT(block < blocks_.size() && variable < outside_.size() && v < values_.size(),
                 "ssa_builder: no such block, variable or value");
    set(block, variable, v);
  }

  // ---- code
  /// Appends an op to a block; written(op, slot) returns its output values.
  constexpr op_index add_op(std::uint32_t block, std::span<value_index const> reads, std::size_t writes);
  constexpr value_index written(op_index op, std::size_t slot) const { return op_writes_[op][slot]; }
  /// Appends a program result, which is read if the program ends in this block.
  constexpr void add_result(std::uint32_t block, value_index v) { results_.emplace_back(block, v); }

  /// Seals the remaining blocks and builds the form. Precondition: there is a block. Nothing can be added afterwards.
  constexpr void finish(builder_options const& options = {});

  // ---- the result, by the numbers of a dense_graph; blocks and ops that the entry does not reach are not in it
  constexpr dense_graph const& graph() const noexcept { return graph_; }
  constexpr dense_ssa const& form() const noexcept { return form_; }
  constexpr std::uint32_t block(std::uint32_t added) const { return graph_.number(added); }
  constexpr op_index op(op_index added) const { return op_number_[added]; }
  /// Returns the number of a value in form(), or of the value that replaced it if its phi was removed; npos for a value
  /// of an unreachable block.
  constexpr value_index value(value_index added) const {
    while (values_[added].replaced_by != npos) added = values_[added].replaced_by;
    value_index const made = value_number_[added];
    return made == npos || replaced_by_.empty() ? made : replaced_by_[made];
  }
  /// Returns the variable of a phi's or entry value of form(); npos for an op's value.
  constexpr variable_index variable(value_index v) const { return variable_[v]; }
  /// Returns uses, by phis and by ops, of entry values of variables that are no external inputs.
  constexpr std::vector<ssa_use> undefined_uses() const;

 private:
  struct block_state {
    std::uint32_t last_in = npos;  // edge
    std::uint32_t edges_in = 0;
    phi_index incomplete = npos;  // list of phis that wait for seal()
    bool sealed = false;
  };
  struct edge {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t next_in;  // the edge to the same block that was added before
  };
  struct value_state {
    value_index replaced_by = npos;
    std::uint32_t first_use = npos;  // phi argument
    std::uint32_t last_use = npos;
    phi_index phi = npos;  // that defines it
    bool is_external_input = false;
  };
  struct phi_state {
    std::uint32_t block;
    variable_index variable;
    value_index result;
    std::uint32_t first = npos;  // argument; npos: not looked up yet
    std::uint32_t count = 0;
    // Every argument before `seen` is the phi itself or equals `only`.
    std::uint32_t only = npos;
    std::uint32_t seen = 0;
    phi_index next_incomplete = npos;
  };
  struct argument {
    value_index v;
    phi_index phi;
    std::uint32_t next_use;
  };
  struct flow {  // flow graph of the blocks
    csr<std::uint32_t> const* rows;
    constexpr std::size_t size() const { return rows->size(); }
    static constexpr std::uint32_t entry() { return 0; }
    constexpr std::span<std::uint32_t const> successors(std::uint32_t n) const { return (*rows)[n]; }
  };

  constexpr value_index add_value() {
    values_.push_back({});
    return static_cast<value_index>(values_.size() - 1);
  }
  constexpr value_index outside(variable_index variable) {
    PLAIT_ASSERT(variable < outside_.size(), "ssa_builder: no such variable");
    if (outside_[variable] == npos) outside_[variable] = add_value();
    return outside_[variable];
  }
  constexpr value_index current(value_index v) {
    value_index top = v;
    while (values_[top].replaced_by != npos) top = values_[top].replaced_by;
    while (v != top) v = std::exchange(values_[v].replaced_by, top);
    return top;
  }
  static constexpr std::uint64_t key(std::uint32_t block, variable_index variable) {
    return std::uint64_t{block} << 32 | variable;
  }
  constexpr void set(std::uint32_t block, variable_index variable, value_index v) {
    std::uint32_t const at = known_.intern(key(block, variable));
    if (at == known_value_.size()) known_value_.push_back(v);
    known_value_[at] = v;
  }

  constexpr value_index look_up(std::uint32_t block, variable_index variable);
  constexpr phi_index add_phi(std::uint32_t block, variable_index variable);
  constexpr void complete();
  constexpr void add_argument(phi_index phi, value_index v);
  constexpr void remove_trivial();
  constexpr void forget_unreachable();
  constexpr void make_form();

  std::vector<block_state> blocks_;
  std::vector<edge> edges_;
  std::vector<value_state> values_;
  std::vector<value_index> outside_;  // by variable
  std::vector<phi_state> phis_;
  std::vector<argument> arguments_;
  std::vector<std::uint32_t> op_block_;
  csr<value_index> op_reads_;
  csr<value_index> op_writes_;
  std::vector<std::pair<std::uint32_t, value_index>> results_;
  detail::key_index<std::uint64_t> known_;  // (block, variable)
  std::vector<value_index> known_value_;

  std::vector<std::uint32_t> chain_;
  std::vector<phi_index> waiting_;   // phis without arguments yet
  std::vector<phi_index> doubtful_;  // phis that may be trivial

  csr<std::uint32_t> successors_;
  flow_snapshot<flow> graph_;
  dense_ssa form_;
  std::vector<op_index> op_number_;
  std::vector<value_index> value_number_;
  std::vector<value_index> replaced_by_;  // by value of form()
  std::vector<variable_index> variable_;
};

constexpr std::uint32_t ssa_builder::add_block() {
  blocks_.push_back({});
  return static_cast<std::uint32_t>(blocks_.size() - 1);
}

constexpr void ssa_builder::add_edge(std::uint32_t from, std::uint32_t to) {
  PLAIT_ASSERT(from < blocks_.size() && to < blocks_.size(), "ssa_builder: no such block");
  PLAIT_ASSERT(!blocks_[to].sealed, "ssa_builder: the edge enters a sealed block");
  edges_.push_back({from, to, std::exchange(blocks_[to].last_in, static_cast<std::uint32_t>(edges_.size()))});
  ++blocks_[to].edges_in;
}

constexpr op_index ssa_builder::add_op(std::uint32_t block, std::span<value_index const> reads, std::size_t writes) {
  PLAIT_ASSERT(block < blocks_.size(), "ssa_builder: no such block");
  op_block_.push_back(block);
  for (value_index const v : reads) op_reads_.push(v);
  op_reads_.end_row();
  for (std::size_t i = 0; i != writes; ++i) op_writes_.push(add_value());
  op_writes_.end_row();
  return static_cast<op_index>(op_block_.size() - 1);
}

constexpr phi_index ssa_builder::add_phi(std::uint32_t block, variable_index variable) {
  auto const phi = static_cast<phi_index>(phis_.size());
  value_index const result = add_value();
  values_[result].phi = phi;
  phis_.push_back({block, variable, result});
  set(block, variable, result);
  return phi;
}

// Walks up to a block that knows the variable or has several predecessors, whose new phi complete() fills.
constexpr value_index ssa_builder::look_up(std::uint32_t block, variable_index variable) {
  chain_.clear();
  value_index found = npos;
  for (std::uint32_t at = block; found == npos;) {
    block_state& here = blocks_[at];
    if (std::uint32_t const known = known_.find(key(at, variable)); known != npos) {
      found = current(known_value_[known]);
    } else if (!here.sealed) {
      phi_index const phi = add_phi(at, variable);
      phis_[phi].next_incomplete = std::exchange(here.incomplete, phi);
      found = phis_[phi].result;
    } else if (here.edges_in == 0 || chain_.size() > blocks_.size()) {
      found = outside(variable);  // the entry, or unreachable blocks, which can even form a cycle
      chain_.push_back(at);
    } else if (here.edges_in == 1 && at != 0) {
      chain_.push_back(at);
      at = edges_[here.last_in].from;
    } else {
      waiting_.push_back(add_phi(at, variable));
      found = phis_[waiting_.back()].result;
    }
  }
  for (std::uint32_t const passed : chain_) set(passed, variable, found);
  return found;
}

constexpr value_index ssa_builder::read_variable(std::uint32_t block, variable_index variable) {
  PLAIT_ASSERT(block < blocks_.size() && variable < outside_.size(), "ssa_builder: no such block, variable or value");
  value_index const v = look_up(block, variable);
  complete();
  return current(v);
}

constexpr void ssa_builder::seal(std::uint32_t block) {
  PLAIT_ASSERT(block < blocks_.size() && !blocks_[block].sealed, "ssa_builder: no such block, or it is sealed already");
  blocks_[block].sealed = true;
  phi_index const none = npos;
  for (phi_index phi = std::exchange(blocks_[block].incomplete, none); phi != npos; phi = phis_[phi].next_incomplete)
    waiting_.push_back(phi);
  complete();
}

constexpr void ssa_builder::add_argument(phi_index phi, value_index v) {
  auto const at = static_cast<std::uint32_t>(arguments_.size());
  arguments_.push_back({v, phi, npos});
  value_state& used = values_[v];
  if (used.last_use != npos)
    arguments_[used.last_use].next_use = at;
  else
    used.first_use = at;
  used.last_use = at;
}

constexpr void ssa_builder::complete() {
  while (!waiting_.empty()) {
    phi_index const phi = waiting_.back();
    waiting_.pop_back();
    auto const first = static_cast<std::uint32_t>(arguments_.size());
    std::uint32_t const block = phis_[phi].block;
    variable_index const variable = phis_[phi].variable;
    for (std::uint32_t in = blocks_[block].last_in; in != npos; in = edges_[in].next_in)
      add_argument(phi, look_up(edges_[in].from, variable));
    if (block == 0) add_argument(phi, outside(variable));
    phis_[phi].first = first;
    phis_[phi].count = static_cast<std::uint32_t>(arguments_.size()) - first;
    doubtful_.push_back(phi);
  }
  remove_trivial();
}

constexpr void ssa_builder::remove_trivial() {
  while (!doubtful_.empty()) {
    phi_state& phi = phis_[doubtful_.back()];
    doubtful_.pop_back();
    if (phi.first == npos || values_[phi.result].replaced_by != npos) continue;
    value_index only = phi.only == npos ? npos : current(arguments_[phi.only].v);
    if (only == phi.result) only = npos;
    for (; phi.seen != phi.count; ++phi.seen) {
      std::uint32_t const at = phi.first + phi.seen;
      value_index const v = current(arguments_[at].v);
      if (v == phi.result || v == only) continue;
      if (only != npos) break;
      only = v;
      phi.only = at;
    }
    if (phi.seen != phi.count) continue;
    if (only == npos) only = outside(phi.variable);  // an unreachable cycle of blocks
    value_state& gone = values_[phi.result];
    value_state& kept = values_[only];
    gone.replaced_by = only;
    for (std::uint32_t use = gone.first_use; use != npos; use = arguments_[use].next_use)
      doubtful_.push_back(arguments_[use].phi);
    if (gone.first_use == npos) continue;
    if (kept.last_use != npos)
      arguments_[kept.last_use].next_use = gone.first_use;
    else
      kept.first_use = gone.first_use;
    kept.last_use = gone.last_use;
  }
}

// Removes phi arguments that come from unreachable blocks.
constexpr void ssa_builder::forget_unreachable() {
  for (phi_index i = 0; i != phis_.size(); ++i) {
    phi_state& phi = phis_[i];
    if (values_[phi.result].replaced_by != npos || graph_.number(phi.block) == npos) continue;
    std::uint32_t at = phi.first;
    for (std::uint32_t in = blocks_[phi.block].last_in; in != npos; in = edges_[in].next_in, ++at)
      if (graph_.number(edges_[in].from) == npos) arguments_[at].v = phi.result;
    phi.only = npos;
    phi.seen = 0;
    doubtful_.push_back(i);
  }
  remove_trivial();
}

constexpr void ssa_builder::finish(builder_options const& options) {
  PLAIT_ASSERT(!blocks_.empty(), "ssa_builder: the program has no blocks");
  for (std::uint32_t b = 0; b != blocks_.size(); ++b)
    if (!blocks_[b].sealed) seal(b);
  successors_.start_counting(blocks_.size());
  for (edge const& e : edges_) successors_.count(e.from);
  successors_.end_counting();
  for (std::size_t e = edges_.size(); e-- != 0;) successors_.place(edges_[e].from, edges_[e].to);
  flow const all{&successors_};
  graph_.compute(all);
  forget_unreachable();
  make_form();
  if (options.minimal) remove_redundant_phis(form_, &replaced_by_);
}

constexpr void ssa_builder::make_form() {
  dense_ssa& f = form_;
  f = dense_ssa();
  f.first_phi.clear();
  f.first_op.clear();
  value_number_.assign(values_.size(), npos);
  variable_.clear();
  op_number_.assign(op_block_.size(), npos);
  auto const define = [&](value_index v, ssa_site site, variable_index variable) {
    value_number_[v] = static_cast<value_index>(f.definitions.size());
    f.definitions.push_back(site);
    variable_.push_back(variable);
    return value_number_[v];
  };
  for (variable_index variable = 0; variable != outside_.size(); ++variable)
    if (outside_[variable] != npos) define(outside_[variable], ssa_site(), variable);

  csr<phi_index> phis;
  csr<op_index> ops;
  auto const by_block = [&](csr<std::uint32_t>& rows, std::size_t count, auto block_of) {
    rows.start_counting(graph_.size());
    for (std::uint32_t i = 0; i != count; ++i)
      if (block_of(i) != npos) rows.count(block_of(i));
    rows.end_counting();
    for (auto i = static_cast<std::uint32_t>(count); i-- != 0;)
      if (block_of(i) != npos) rows.place(block_of(i), i);
  };
  by_block(phis, phis_.size(), [&](phi_index phi) {
    return values_[phis_[phi].result].replaced_by != npos ? npos : graph_.number(phis_[phi].block);
  });
  by_block(ops, op_block_.size(), [&](op_index op) { return graph_.number(op_block_[op]); });

  for (std::uint32_t b = 0; b != graph_.size(); ++b) {
    f.first_phi.push_back(static_cast<phi_index>(f.phi_results.size()));
    f.first_op.push_back(static_cast<op_index>(f.op_block.size()));
    for (phi_index const phi : phis[b]) {
      ssa_site const site = ssa_site::of_phi(static_cast<phi_index>(f.phi_results.size()));
      f.phi_results.push_back(define(phis_[phi].result, site, phis_[phi].variable));
      f.phi_block.push_back(b);
    }
    for (op_index const op : ops[b]) {
      op_number_[op] = static_cast<op_index>(f.op_block.size());
      f.op_block.push_back(b);
      for (value_index const v : op_writes_[op]) f.op_writes.push(define(v, ssa_site::of_op(op_number_[op]), npos));
      f.op_writes.end_row();
    }
  }
  f.first_phi.push_back(static_cast<phi_index>(f.phi_results.size()));
  f.first_op.push_back(static_cast<op_index>(f.op_block.size()));

  auto const number = [&](value_index v) {
    value_index const made = value_number_[current(v)];
    PLAIT_ASSERT(made != npos, "ssa_builder: a reachable op reads a value of an unreachable block");
    return made;
  };
  for (std::uint32_t b = 0; b != graph_.size(); ++b) {
    std::span<std::uint32_t const> const before = graph_.predecessors(b);
    for (phi_index const phi : phis[b]) {
      f.phi_arguments.push_row(before.size() + (b == 0 ? 1 : 0), npos);
      std::span<value_index> const row = f.phi_arguments[f.phi_arguments.size() - 1];
      std::uint32_t at = phis_[phi].first;
      for (std::uint32_t in = blocks_[phis_[phi].block].last_in; in != npos; in = edges_[in].next_in, ++at) {
        std::uint32_t const from = graph_.number(edges_[in].from);
        if (from == npos) continue;
        // Parallel edges have the same argument.
        auto slot = static_cast<std::size_t>(std::ranges::lower_bound(before, from) - before.begin());
        if (row[slot] != npos) continue;
        for (; slot != before.size() && before[slot] == from; ++slot) row[slot] = number(arguments_[at].v);
      }
      if (b == 0) row.back() = number(arguments_[at].v);
    }
    for (op_index const op : ops[b]) {
      for (value_index const v : op_reads_[op]) f.op_reads.push(number(v));
      f.op_reads.end_row();
    }
  }
  f.block_results.start_counting(graph_.size());
  auto const each = [&](auto visit) {
    for (std::size_t i = results_.size(); i-- != 0;)
      if (std::uint32_t const b = graph_.number(results_[i].first); b != npos && graph_.successors(b).empty())
        visit(b, results_[i].second);
  };
  each([&](std::uint32_t b, value_index) { f.block_results.count(b); });
  f.block_results.end_counting();
  each([&](std::uint32_t b, value_index v) { f.block_results.place(b, number(v)); });
  f.index_uses();
}

constexpr std::vector<ssa_use> ssa_builder::undefined_uses() const {
  std::vector<ssa_use> found;
  for (value_index const v : outside_) {
    if (v == npos || values_[v].is_external_input) continue;
    auto const uses = form_.uses(value_number_[v]);
    found.insert(found.end(), uses.begin(), uses.end());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace plait
