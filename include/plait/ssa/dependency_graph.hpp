// Data dependence graph of a net: RAW, WAR and WAW dependences between its ops.
//
// Follows Caffe2's dag executors: an op that reads a value depends on the op that wrote it (RAW). On request, an op
// that overwrites a blob depends on the last op that wrote it (WAW) and on all that have read it since (WAR); with
// both, every topological order of the graph computes what the net computes. Unlike there, edges have a kind, and
// transitive edges are kept.
//
// Belongs to ssa/ since it is built from values; interop/detail/boost_dependency_graph.hpp adapts it to Boost.Graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Dependence kinds: RAW, WAR, WAW and control.
enum class dependency_kind : std::uint8_t {
  raw,      ///< read after write (true dependence)
  war,      ///< write after read (anti-dependence)
  waw,      ///< write after write (output dependence)
  control,  ///< reads a value as a control input
};

/// Selects WAR and WAW edges. RAW edges are always included, control edges where the ssa_form counts control inputs
/// (ssa_options).
struct dependency_options {
  bool write_after_read = false;
  bool write_after_write = false;
};

/// An edge: `to` depends on `from`. Edges are unique by (from, to, kind); `blob` is the first that causes the edge,
/// dependency_graph::values returns all.
struct dependency {
  op_index from = npos;
  op_index to = npos;
  dependency_kind kind = dependency_kind::raw;
  blob_index blob = npos;
  friend constexpr bool operator==(dependency const&, dependency const&) = default;
};

/// A node: an op.
struct dependency_node {
  op_index op = npos;
  friend constexpr bool operator==(dependency_node, dependency_node) = default;
};

/// An edge by number.
struct dependency_id {
  std::uint32_t index = npos;
  friend constexpr bool operator==(dependency_id, dependency_id) = default;
  friend constexpr auto operator<=>(dependency_id, dependency_id) = default;
};

/// Dependences between the ops of a net. Self-contained: outlives net and ssa_form. Acyclic: edges lead to later ops.
/// O(operands) time and space to build, all queries O(1).
///
/// Also a flow graph: its nodes are the ops by number and the entry, whose successors are the ops without dependences,
/// so that traversals and dominators reach every op. An op that depends on another with two kinds is its successor
/// twice.
class dependency_graph {
 public:
  constexpr dependency_graph() { finish(0); }
  /// Builds the graph of a net from its SSA form. Throws precondition_error for the form of a net with another number
  /// of ops.
  template <net N>
  constexpr dependency_graph(N const& n, ssa_form<N> const& form, dependency_options const& options = {}) {
    compute(n, form, options);
  }
  template <net N>
  constexpr void compute(N const& n, ssa_form<N> const& form, dependency_options const& options = {});

  constexpr std::size_t op_count() const noexcept { return in_.size(); }
  constexpr dependency_node operator[](op_index op) const { return {op}; }

  // ---- edges, ordered by `to`
  constexpr std::size_t edge_count() const noexcept { return edges_.size(); }
  constexpr std::span<dependency const> edges() const noexcept { return edges_; }
  constexpr dependency const& operator[](dependency_id e) const {
    PLAIT_ASSERT(e.index < edges_.size(), "dependency_graph: no such edge");
    return edges_[e.index];
  }
  /// Returns the values that cause an edge, which `from` writes or (war) reads, each once.
  constexpr std::span<value const> values(dependency_id e) const { return values_[e.index]; }
  /// Returns the numbers of all edges, ascending.
  constexpr std::span<dependency_id const> edge_ids() const noexcept { return in_.items(); }
  /// Returns the edges from ops that an op depends on, in the order of its inputs, then of its outputs.
  constexpr std::span<dependency_id const> in_edges(op_index op) const { return in_[op]; }
  /// Returns the edges to ops that depend on an op, in op order.
  constexpr std::span<dependency_id const> out_edges(op_index op) const { return out_[op]; }

  // ---- as a flow graph
  constexpr std::size_t size() const noexcept { return op_count() + 1; }
  constexpr op_index entry() const noexcept { return static_cast<op_index>(op_count()); }
  constexpr std::span<op_index const> successors(op_index node) const { return successors_[node]; }
  constexpr std::span<op_index const> predecessors(op_index node) const { return predecessors_[node]; }

 private:
  struct builder;
  constexpr void finish(std::size_t ops);

  std::vector<dependency> edges_;
  csr<value> values_;         // by edge
  csr<dependency_id> in_;     // by op
  csr<dependency_id> out_;    // by op
  csr<op_index> successors_;  // by op, then of the entry
  csr<op_index> predecessors_;
};

// Collects edges in order of `to`, and the values of each.
struct dependency_graph::builder {
  dependency_graph& made;
  std::vector<std::uint32_t> latest;  // by from and kind: the last edge added, which is current if it leads to `to`
  std::vector<std::uint32_t> listed;  // by value, twice: the edge it was last added to, as control input and otherwise
  struct link {
    std::uint32_t edge;
    value of;
  };
  std::vector<link> links;

  constexpr void add(op_index from, op_index to, dependency_kind kind, value of, std::size_t index_of) {
    std::uint32_t& edge = latest[std::size_t{from} * 4 + static_cast<std::size_t>(kind)];
    if (edge == npos || made.edges_[edge].to != to) {
      edge = static_cast<std::uint32_t>(made.edges_.size());
      made.edges_.push_back({from, to, kind, of.blob});
      made.in_.push({edge});
    }
    // An op's RAW edges are added before its WAR and WAW edges, so the edge that listed a value last has any duplicate.
    std::uint32_t& last = listed[index_of * 2 + (kind == dependency_kind::control ? 1 : 0)];
    if (last == edge) return;
    last = edge;
    links.push_back({edge, of});
  }
  constexpr void finish() {
    made.values_.start_counting(made.edges_.size());
    for (link const& l : links) made.values_.count(l.edge);
    made.values_.end_counting();
    for (std::size_t i = links.size(); i-- != 0;) made.values_.place(links[i].edge, links[i].of);
  }
};

template <net N>
constexpr void dependency_graph::compute(N const& n, ssa_form<N> const& form, dependency_options const& options) {
  edges_.clear();
  in_.clear();
  builder edges{*this,
                std::vector<std::uint32_t>(form.op_count() * 4, npos),
                std::vector<std::uint32_t>(form.value_count() * 2, npos),
                {}};
  edges_.reserve(form.read_count());  // estimates: most reads cause an edge, and each edge has one value
  in_.reserve(form.op_count(), form.read_count());
  edges.links.reserve(form.read_count());
  std::vector<std::uint32_t> version(form.blob_bound(), npos);  // of each blob before the current op
  for (blob_index b : form.blobs()) version[b] = form.first_version(b);

  op_index to = 0;
  for (auto&& op : plait::ops(n)) {
    detail::prefetch(form.reads(to).data(), 1024);
    detail::prefetch(edges_.data() + edges_.size(), 1024);
    detail::prefetch(edges.latest.data() + std::size_t{to} * 4, 1024);
    in_.prefetch();
    PLAIT_ASSERT(to < form.op_count(), "dependency_graph: the SSA form has another number of ops than the net");
    std::size_t first_control = form.reads(to).size();
    std::size_t last_control = first_control;
    if (form.options().control_inputs) {
      first_control = 0;
      for ([[maybe_unused]] auto&& name : plait::inputs(n, op)) ++first_control;
      last_control = first_control;
      for ([[maybe_unused]] auto&& name : plait::control_inputs(n, op)) ++last_control;
    }

    std::size_t slot = 0;
    for (value v : form.reads(to)) {
      bool const control = slot >= first_control && slot < last_control;
      if (op_index const writer = form.producing_op(v); writer != npos)
        edges.add(writer, to, control ? dependency_kind::control : dependency_kind::raw, v, form.index(v));
      ++slot;
    }
    for (value v : form.writes(to)) {
      if (version[v.blob] == v.version) continue;  // the op lists the output twice
      value const before{v.blob, version[v.blob]};
      version[v.blob] = v.version;
      if (options.write_after_write)
        if (op_index const writer = form.producing_op(before); writer != npos)
          edges.add(writer, to, dependency_kind::waw, before, form.index(before));
      if (options.write_after_read)
        for (operand reader : form.consumers(before))
          if (reader.op != to) edges.add(reader.op, to, dependency_kind::war, before, form.index(before));
    }
    in_.end_row();
    ++to;
  }
  PLAIT_ASSERT(to == form.op_count(), "dependency_graph: the SSA form has another number of ops than the net");
  edges.finish();
  finish(to);
}

constexpr void dependency_graph::finish(std::size_t ops) {
  out_.start_counting(ops);
  for (dependency const& e : edges_) out_.count(e.from);
  out_.end_counting();
  for (std::size_t e = edges_.size(); e-- != 0;) out_.place(edges_[e].from, {static_cast<std::uint32_t>(e)});

  auto const root = static_cast<op_index>(ops);
  successors_.clear();
  successors_.reserve(ops + 1, edges_.size() + ops);
  predecessors_.clear();
  predecessors_.reserve(ops + 1, edges_.size() + ops);
  for (std::size_t op = 0; op != ops; ++op) {
    successors_.prefetch();
    predecessors_.prefetch();
    for (dependency_id e : out_[op]) successors_.push(edges_[e.index].to);
    successors_.end_row();
    for (dependency_id e : in_[op]) predecessors_.push(edges_[e.index].from);
    if (in_[op].empty()) predecessors_.push(root);
    predecessors_.end_row();
  }
  for (std::size_t op = 0; op != ops; ++op)
    if (in_[op].empty()) successors_.push(static_cast<op_index>(op));
  successors_.end_row();
  predecessors_.end_row();
}

/// Returns the dependences of a net. `operands` selects what counts as an operand (control inputs, nested nets).
template <net N>
[[nodiscard]] constexpr dependency_graph dependencies(N const& n, dependency_options const& options = {},
                                                      ssa_options const& operands = {}) {
  return dependency_graph(n, get_ssa(n, operands), options);
}

}  // namespace plait
