// Graphviz DOT output of a net: ops, blobs and nested nets as a digraph.
//
// Ops are boxes, blobs ellipses. In plain form a blob is one node, no matter how often it is written; in SSA form each
// version is a node, which makes the graph acyclic. Nets inside ops are clusters, nested as the nets are. Consecutive
// ops, such as a forward and a backward pass, can be drawn as clusters side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Consecutive ops of a net that are drawn as a cluster.
struct dot_cluster {
  std::string title;
  std::size_t ops = 0;  ///< number of ops, which follow those of the cluster before
  /// Draws edges from bottom to top, which puts gradient ops beside the forward ops that they belong to.
  bool upwards = false;
};

struct dot_options {
  /// Draws one node per version of a blob instead of one per blob.
  bool ssa = false;
  /// Draws the nets inside ops.
  bool subnets = true;
  /// Clusters of the outermost net, in op order. Ops behind the last cluster are in none; a blob is in the cluster of
  /// the op that mentions it first.
  std::vector<dot_cluster> clusters = {};
};

namespace detail {

// Escapes quotes, backslashes and newlines and drops other control characters; DOT takes the rest literally.
inline std::string dot_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n')
      quoted += "\\n";
    else if (static_cast<unsigned char>(c) >= ' ')
      quoted += c;
  }
  return quoted += '"';
}

template <net N>
class dot_writer {
 public:
  dot_writer(std::ostream& out, dot_options const& options) : out_(out), options_(options) {}

  void write(N const& outer, std::string_view title) {
    out_ << "digraph " << dot_quoted(title) << " {\n"
         << "  compound=true; rankdir=TB;\n"
         << "  node [fontname=\"Helvetica\", fontsize=10]; edge [arrowsize=0.7];\n";
    open(outer, nullptr);
    while (!levels_.empty()) {
      level& top = *levels_.back();
      if (!top.drawn) enter_clusters(top);
      if (top.next == top.form.op_count()) {
        if (top.owner != nullptr) out_ << indent() << "}\n";
        levels_.pop_back();
        continue;
      }
      if (!top.drawn) draw_op(top);
      if (top.pending.empty()) {
        top.drawn = false;
        ++top.op;
        ++top.next;
      } else {
        enter_subnet(top);
      }
    }
    // Written outside of all clusters: an edge inside a cluster would draw both its ends into it.
    for (std::string const& edge : between_) out_ << "  " << edge;
    out_ << "}\n";
  }

 private:
  struct no_subnet {};
  template <class M>
  struct subnet_of {
    using type = no_subnet;
  };
  template <has_subnets M>
  struct subnet_of<M> {
    using type =
        std::ranges::range_value_t<decltype(plait::subnets(std::declval<M const&>(), std::declval<op_ref_t<M>>()))>;
  };
  using subnet_t = typename subnet_of<N>::type;

  // A net that is being drawn. On the heap, since the SSA form refers to other members.
  struct level {
    level(N const& drawn_net, std::size_t number)
        : n(&drawn_net),
          id(number),
          form(get_ssa(drawn_net)),
          ops(std::views::all(plait::ops(drawn_net))),
          op(std::ranges::begin(ops)) {}

    N const* n;
    std::size_t id;
    ssa_form<N> form;
    std::views::all_t<detail::ops_range_t<N>> ops;
    std::ranges::iterator_t<decltype(ops)> op;
    op_index next = 0;
    bool drawn = false;             // the op at `next` is drawn
    std::vector<subnet_t> pending;  // its nets, in reverse
    std::optional<subnet_t> owner_storage;
    subnet_t const* owner = nullptr;
  };

  std::string indent() const { return std::string(2 * (levels_.size() + (in_cluster_ ? 1 : 0)), ' '); }
  std::string op_id(level const& at, op_index op) const {
    return "n" + std::to_string(at.id) + "_op" + std::to_string(op);
  }
  std::string blob_id(level const& at, value v) const {
    return "n" + std::to_string(at.id) +
           (options_.ssa ? "_v" + std::to_string(at.form.index(v)) : "_b" + std::to_string(v.blob));
  }
  std::string key_text(name_key_t<N> const& key) const {
    if constexpr (std::is_convertible_v<name_key_t<N> const&, std::string_view>)
      return std::string(std::string_view(key));
    else
      return {};
  }

  void open(N const& n, std::optional<subnet_t> owner) {
    auto made = std::make_unique<level>(n, count_++);
    made->owner_storage = std::move(owner);
    if (made->owner_storage) made->owner = &*made->owner_storage;
    levels_.push_back(std::move(made));
    level const& at = *levels_.back();
    if (at.owner == nullptr && !options_.clusters.empty())
      place_blobs(at);
    else
      draw_blobs(at, std::nullopt);
  }
  void open(N const& n, std::nullptr_t) { open(n, std::optional<subnet_t>()); }

  // ---- clusters of the outermost net; the number behind the last means none
  bool has_clusters(level const& at) const { return at.owner == nullptr && !options_.clusters.empty(); }
  std::size_t& place(level const& at, value v) { return cluster_of_[options_.ssa ? at.form.index(v) : v.blob]; }
  // Puts each blob's node into the cluster of the op that mentions the blob first.
  void place_blobs(level const& at) {
    std::size_t const none = options_.clusters.size();
    cluster_of_.assign(options_.ssa ? at.form.value_count() : at.form.blob_bound(), npos);
    std::size_t cluster = 0;
    std::size_t left = options_.clusters.front().ops;
    for (op_index op = 0; op != at.form.op_count(); ++op) {
      while (cluster != none && left == 0) left = ++cluster == none ? 0 : options_.clusters[cluster].ops;
      if (cluster != none) --left;
      for (auto operands : {at.form.reads(op), at.form.writes(op)})
        for (value v : operands)
          if (std::size_t& placed = place(at, v); placed == npos) placed = cluster;
    }
    for (std::size_t& placed : cluster_of_)
      if (placed == npos) placed = none;
  }
  // Closes the cluster that ends before the next op, and opens the one that begins there.
  void enter_clusters(level const& at) {
    if (!has_clusters(at)) return;
    std::size_t const none = options_.clusters.size();
    while (cluster_ != none && (!in_cluster_ || at.next == cluster_end_)) {
      if (in_cluster_) {
        in_cluster_ = false;
        out_ << indent() << "}\n";
        if (++cluster_ == none) break;
      }
      out_ << indent() << "subgraph cluster_part" << cluster_
           << " { label=" << dot_quoted(options_.clusters[cluster_].title) << "; style=rounded;\n";
      in_cluster_ = true;
      cluster_end_ = std::min<std::size_t>(at.next + options_.clusters[cluster_].ops, at.form.op_count());
      draw_blobs(at, cluster_);
    }
    if (cluster_ == none && !rest_drawn_) draw_blobs(at, none);
    rest_drawn_ = cluster_ == none;
  }

  // Draws an edge between a blob and an op of the level.
  void draw_edge(level const& at, value v, std::string const& from, std::string const& to) {
    std::string edge = from + " -> " + to;
    if (has_clusters(at)) {
      if (place(at, v) != cluster_) {
        between_.push_back(edge + ";\n");
        return;
      }
      if (in_cluster_ && options_.clusters[cluster_].upwards) edge = to + " -> " + from + " [dir=back]";
    }
    out_ << indent() << edge << ";\n";
  }

  // Draws the nodes of all blobs, or of those in one cluster.
  void draw_blobs(level const& at, std::optional<std::size_t> cluster) {
    std::vector<bool> given(at.form.blob_bound());
    std::vector<bool> promised(at.form.blob_bound());
    for (value v : at.form.external_inputs()) given[v.blob] = true;
    for (value v : at.form.external_outputs()) promised[v.blob] = true;
    for (blob_index b : at.form.blobs()) {
      std::uint32_t const last = at.form.version(b);
      for (std::uint32_t version = options_.ssa ? at.form.first_version(b) : last; version <= last; ++version) {
        value const v{b, version};
        if (cluster && place(at, v) != *cluster) continue;
        bool const initial = version == at.form.first_version(b);
        bool const used = at.form.producing_op(v) != npos || !at.form.consumers(v).empty() || (initial && given[b]) ||
                          (version == last && promised[b]);
        if (options_.ssa && !used) continue;
        std::string label = key_text(at.form.name(b));
        if (options_.ssa) label += " : " + std::to_string(version);
        out_ << indent() << blob_id(at, v) << " [label=" << dot_quoted(label);
        if (given[b] && (initial || !options_.ssa)) out_ << ", style=filled, fillcolor=\"#dce8f7\"";
        if (promised[b] && version == last) out_ << ", penwidth=2";
        out_ << "];\n";
      }
    }
  }

  void draw_op(level& at) {
    at.drawn = true;
    std::string const id = op_id(at, at.next);
    std::string label = std::to_string(at.next);
    if constexpr (typed_net<N>) label += " " + std::string(op_type(*at.n, *at.op));
    out_ << indent() << id << " [shape=box, style=filled, fillcolor=\"#f2f2f2\", label=" << dot_quoted(label) << "];\n";
    for (value v : at.form.reads(at.next)) draw_edge(at, v, blob_id(at, v), id);
    for (value v : at.form.writes(at.next)) draw_edge(at, v, id, blob_id(at, v));
    if constexpr (has_subnets<N>) {
      if (!options_.subnets) return;
      auto&& op = *at.op;
      for (auto&& s : plait::subnets(*at.n, op)) at.pending.insert(at.pending.begin(), std::move(s));
    }
  }

  void enter_subnet(level& at) {
    if constexpr (has_subnets<N>) {
      subnet_t inner = std::move(at.pending.back());
      at.pending.pop_back();
      N const& n = *inner.net;
      std::string title;
      if constexpr (requires { inner.argument; }) title = inner.argument;
      std::size_t const id = count_;
      // An anchor for the arrow from the op: a cluster is no node, and a net without ops has no node in it.
      out_ << indent() << op_id(at, at.next) << " -> n" << id << "_in [style=dashed, arrowhead=none, lhead=cluster_"
           << id << "];\n"
           << indent() << "subgraph cluster_" << id << " { label=" << dot_quoted(title) << "; style=rounded;\n"
           << indent() << "  n" << id << "_in [shape=point, style=invis];\n";
      open(n, std::optional<subnet_t>(std::move(inner)));
    }
  }

  std::ostream& out_;
  dot_options options_;
  std::vector<std::unique_ptr<level>> levels_;
  std::size_t count_ = 0;

  std::vector<std::size_t> cluster_of_;  // by value or blob
  std::size_t cluster_ = 0;              // the cluster of the next op, or the number of clusters
  std::size_t cluster_end_ = 0;
  bool in_cluster_ = false;
  bool rest_drawn_ = false;
  std::vector<std::string> between_;  // edges
};

}  // namespace detail

/// Writes a net whose names have text as a DOT digraph. O(net and nested nets + clusters × blobs) time.
template <has_text N>
void write_dot(std::ostream& out, N const& n, dot_options const& options = {}) {
  std::string title = "net";
  if constexpr (requires { net_traits<N>::net_name(n); }) title = std::string(net_traits<N>::net_name(n));
  detail::dot_writer<N>(out, options).write(n, title);
}

}  // namespace plait
