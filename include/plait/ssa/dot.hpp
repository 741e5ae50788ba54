// Graphviz DOT output of a net: ops, blobs and nested nets as a digraph.
//
// Ops are boxes, blobs ellipses. In plain form a blob is one node, no matter how often it is written; in SSA form each
// version is a node "blob.version", which makes the graph acyclic. Nets inside ops are clusters, nested as the nets
// are. Consecutive ops, such as a forward and a backward pass, can be drawn as clusters side by side.
//
// Dead ops are grey and dashed; the ops and values of an in-place chain share a colour, and the edge to the value that
// overwrites another ends in a diamond. For large nets, parameters can be hidden and repeated blocks drawn once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/text.hpp>
#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/net_picture.hpp>
#include <plait/ssa/detail/op_roles.hpp>
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
  /// Leaves out parameters: inputs named in `parameters`, also of nested nets, or, if that is empty, inputs of the
  /// outermost net that no op reads as its first input.
  bool hide_parameters = false;
  std::vector<std::string> parameters = {};
  /// Draws consecutive blocks of ops with equal structure (detail/repeated_ops.hpp) in the outermost net once, as a
  /// cluster. Reads of the block before are dashed edges; later readers refer to the drawn values. Ignored with
  /// `clusters`.
  bool fold_repeats = false;
  /// Adds a legend of the marks in the picture.
  bool legend = false;
  /// Lines for the tooltips of an op of the outermost net, such as its arguments, and of a blob, such as its shape. Ops
  /// with different lines do not repeat each other.
  std::function<std::string(std::size_t op)> op_note = {};
  std::function<std::string(std::string_view blob)> blob_note = {};
};

namespace detail {

template <net N>
class dot_writer {
 public:
  dot_writer(std::ostream& out, dot_options const& options)
      : out_(out), options_(options), parameters_(options.parameters.begin(), options.parameters.end()) {}

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
    if (options_.legend) draw_legend();
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
    level(N const& drawn_net, std::size_t number, bool ssa)
        : n(&drawn_net),
          id(number),
          form(get_ssa(drawn_net)),
          picture(form, ssa),
          ops(std::views::all(plait::ops(drawn_net))),
          op(std::ranges::begin(ops)) {}

    N const* n;
    std::size_t id;
    ssa_form<N> form;
    net_picture<N> picture;
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
    return "n" + std::to_string(at.id) + (options_.ssa ? "_v" : "_b") + std::to_string(at.picture.node(v));
  }
  std::string key_text(name_key_t<N> const& key) const {
    if constexpr (std::is_convertible_v<name_key_t<N> const&, std::string_view>)
      return std::string(std::string_view(key));
    else
      return {};
  }

  void open(N const& n, std::optional<subnet_t> owner) {
    auto made = std::make_unique<level>(n, count_++, options_.ssa);
    made->owner_storage = std::move(owner);
    if (made->owner_storage) made->owner = &*made->owner_storage;
    levels_.push_back(std::move(made));
    level& at = *levels_.back();
    if (at.owner == nullptr) plan(at);
    if (options_.hide_parameters && (at.owner == nullptr || !parameters_.empty())) at.picture.hide(parameters(at.form));
    if (at.owner == nullptr) {
      at.picture.place();
      report(at.picture);
    }
    draw_blobs(at, at.picture.clusters().size());
  }
  void open(N const& n, std::nullptr_t) { open(n, std::optional<subnet_t>()); }

  // ---- the outermost net
  // Nested nets may write blobs of the outer net: their declared outputs do not tell dead ops.
  void plan(level& at) {
    ssa_form<N> const all = get_ssa(*at.n, {.subnets = true, .control_inputs = true, .skip_unreadable = true});
    at.picture.mark_dead_ops(dead_ops(all, [](op_index) { return false; }));
    for (dot_cluster const& c : options_.clusters) at.picture.add_cluster(c.ops, c.title, c.upwards);
    if (!options_.fold_repeats || !options_.clusters.empty()) return;
    std::vector<std::string> labels;
    for (auto&& op : plait::ops(*at.n)) {
      std::string label = "op";
      if constexpr (typed_net<N>) label += op_type(*at.n, op);
      if (options_.op_note) label += '\n' + options_.op_note(labels.size());
      if constexpr (has_subnets<N>) {
        auto const no_repeat = [&] { label.clear(); };
        attempt<net_error>(
            [&] {
              for ([[maybe_unused]] auto&& inner : plait::subnets(*at.n, op)) no_repeat();
            },
            [&](net_error const&) { no_repeat(); });
      }
      labels.push_back(std::move(label));
    }
    at.picture.fold(labels);
  }
  std::vector<bool> parameters(ssa_form<N> const& form) const {
    if (parameters_.empty()) return likely_parameters(form, [](op_index) { return true; });
    std::vector<bool> is_parameter(form.value_count());
    for (blob_index b : form.blobs())
      if (parameters_.contains(key_text(form.name(b)))) is_parameter[form.index({b, form.first_version(b)})] = true;
    return is_parameter;
  }
  void report(net_picture<N> const& picture) {
    if (picture.hidden_parameters() != 0) out_ << "  // " << picture.hidden_parameters() << " parameters are hidden\n";
    if (picture.folded_ops() != 0)
      out_ << "  // " << picture.folded_ops() << " ops repeat others and are folded into " << picture.clusters().size()
           << " clusters\n";
  }

  // Closes the cluster that ends before the next op, and opens the one that begins there; skips folded ops.
  void enter_clusters(level& at) {
    if (at.owner != nullptr) return;
    auto const& clusters = at.picture.clusters();
    while (true) {
      if (in_cluster_) {
        if (at.next < clusters[cluster_].drawn_end) return;
        in_cluster_ = false;
        out_ << indent() << "}\n";
        for (; at.next < clusters[cluster_].end; ++at.next) ++at.op;
        ++cluster_;
      }
      if (cluster_ == clusters.size() || at.next < clusters[cluster_].first) return;
      out_ << indent() << "subgraph cluster_part" << cluster_ << " { label=" << dot_quoted(clusters[cluster_].title)
           << "; style=rounded;\n";
      in_cluster_ = true;
      seen_.repeat |= clusters[cluster_].end != clusters[cluster_].drawn_end;
      draw_blobs(at, cluster_);
      for (auto const& read : at.picture.carried_reads())
        if (read.to >= clusters[cluster_].first && read.to < clusters[cluster_].drawn_end)
          between_.push_back(blob_id(at, read.from) + " -> " + op_id(at, read.to) +
                             " [style=dashed, constraint=false, tooltip=\"of the block before\"];\n");
    }
  }

  // Draws an edge between a blob and an op of the level. `style`: attributes, or empty.
  void draw_edge(level const& at, value v, std::string const& from, std::string const& to, std::string style) {
    auto const& clusters = at.picture.clusters();
    std::size_t const here = in_cluster_ ? cluster_ : clusters.size();
    bool const between = at.owner == nullptr && !clusters.empty() && at.picture.cluster_of(v) != here;
    std::string edge = from + " -> " + to;
    if (at.owner == nullptr && in_cluster_ && !between && clusters[cluster_].upwards) {
      edge = to + " -> " + from;
      if (std::size_t const head = style.find("arrowhead"); head != std::string::npos)
        style.replace(head, 9, "arrowtail");
      style += style.empty() ? "dir=back" : ", dir=back";
    }
    if (!style.empty()) edge += " [" + style + ']';
    if (between)
      between_.push_back(edge + ";\n");
    else
      out_ << indent() << edge << ";\n";
  }

  // ---- marks
  static std::string chain_colour(std::uint32_t chain) {
    static constexpr char const* colours[] = {"#c2571a", "#1b7a5a", "#6a4fb3", "#a8326e", "#1f6fb2", "#7a6a12"};
    return "color=\"" + std::string(colours[chain % std::size(colours)]) + "\", penwidth=2";
  }
  static constexpr std::string_view dead_style = "style=\"filled,dashed\", color=gray60, fontcolor=gray60";
  static constexpr std::string_view input_style = "style=filled, fillcolor=\"#dce8f7\"";

  // Draws the nodes of the values in one cluster, or of those in none, whose number follows that of the last cluster.
  void draw_blobs(level const& at, std::size_t cluster) {
    std::vector<bool> given(at.form.blob_bound());
    std::vector<bool> promised(at.form.value_count());
    for (value v : at.form.external_inputs()) given[v.blob] = true;
    for (value v : at.form.external_outputs()) promised[at.form.index(at.picture.shown(v))] = true;
    for (blob_index b : at.form.blobs()) {
      std::uint32_t const last = at.form.version(b);
      bool any_promised = false;
      for (std::uint32_t version = at.form.first_version(b); version <= last; ++version) {
        value const v{b, version};
        bool const initial = version == at.form.first_version(b);
        any_promised |= promised[at.form.index(v)];
        if (!options_.ssa && version != last) continue;  // the node of the blob
        if (at.picture.is_hidden(v) || at.picture.cluster_of(v) != cluster) continue;
        bool const is_output = options_.ssa ? promised[at.form.index(v)] : any_promised;
        bool const used =
            at.form.producing_op(v) != npos || !at.form.consumers(v).empty() || (initial && given[b]) || is_output;
        if (options_.ssa && !used) continue;
        std::string label = key_text(at.form.name(b));
        std::string const note = options_.blob_note ? options_.blob_note(label) : "";
        if (options_.ssa) label += '.' + std::to_string(version);
        out_ << indent() << blob_id(at, v) << " [label=" << dot_quoted(label);
        if (!note.empty()) out_ << ", tooltip=" << dot_quoted(label + '\n' + note);
        bool const is_input = given[b] && (initial || !options_.ssa);
        if (is_input) out_ << ", " << input_style;
        std::uint32_t const chain = at.picture.chain(v);
        if (chain != npos) out_ << ", " << chain_colour(chain);
        if (is_output) out_ << ", peripheries=2";
        out_ << "];\n";
        seen_.input |= is_input;
        seen_.output |= is_output;
      }
    }
  }

  void draw_op(level& at) {
    at.drawn = true;
    std::string const id = op_id(at, at.next);
    std::string label = std::to_string(at.next);
    if constexpr (typed_net<N>) label += " " + std::string(op_type(*at.n, *at.op));
    out_ << indent() << id << " [shape=box, fillcolor=\"#f2f2f2\", label=" << dot_quoted(label);
    std::string tooltip(op_name(*at.n, *at.op));
    if (options_.op_note && at.owner == nullptr)
      if (std::string const note = options_.op_note(at.next); !note.empty())
        tooltip += (tooltip.empty() ? "" : "\n") + note;
    if (!tooltip.empty()) out_ << ", tooltip=" << dot_quoted(label + '\n' + tooltip);
    bool const dead = at.picture.is_dead(at.next);
    seen_.dead |= dead;
    std::string colour;  // that of the in-place chain
    for (value v : at.form.writes(at.next))
      if (colour.empty() && at.picture.overwrites(v)) colour = chain_colour(at.picture.chain(v));
    seen_.overwrites |= !colour.empty();
    if (dead)
      out_ << ", " << dead_style << "];\n";
    else
      out_ << ", style=filled" << (colour.empty() ? "" : ", ") << colour << "];\n";

    std::string const plain = dead ? "color=gray60" : "";
    for (value read : at.form.reads(at.next)) {
      value const v = at.picture.shown(read);
      if (at.picture.is_hidden(v)) continue;
      bool const marked = at.picture.is_overwritten_by(read, at.next);
      draw_edge(at, v, blob_id(at, v), id, marked ? chain_colour(at.picture.chain(read)) : plain);
    }
    for (value v : at.form.writes(at.next)) {
      bool const marked = at.picture.overwrites(v);
      draw_edge(at, v, id, blob_id(at, v), marked ? chain_colour(at.picture.chain(v)) + ", arrowhead=diamond" : plain);
    }
    if constexpr (has_subnets<N>) {
      if (!options_.subnets) return;
      auto&& op = *at.op;
      for (auto&& s : plait::subnets(*at.n, op)) at.pending.insert(at.pending.begin(), std::move(s));
    }
  }

  void draw_legend() {
    out_ << "  subgraph cluster_legend { label=\"legend\"; style=rounded; color=gray60;\n";
    auto const item = [&](bool is_seen, std::string_view id, std::string_view text, std::string_view style) {
      if (is_seen) out_ << "    legend_" << id << " [label=" << dot_quoted(text) << style << "];\n";
    };
    item(true, "op", "number and type of an op", ", shape=box, style=filled, fillcolor=\"#f2f2f2\"");
    item(true, "blob", options_.ssa ? "blob.version" : "blob", "");
    item(seen_.input, "input", "external input", ", style=filled, fillcolor=\"#dce8f7\"");
    item(seen_.output, "output", "external output", ", peripheries=2");
    item(seen_.dead, "dead", "dead op", ", shape=box, fillcolor=\"#f2f2f2\", " + std::string(dead_style));
    item(seen_.overwrites, "chain", "overwrites its input",
         ", shape=box, style=filled, fillcolor=\"#f2f2f2\", " + chain_colour(0));
    item(seen_.repeat, "repeat", "\u00d7 n: n blocks, the first one drawn;\ndashed edges: of the block before",
         ", shape=plaintext");
    out_ << "  }\n";
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
  dot_options const& options_;
  std::unordered_set<std::string> parameters_;
  std::vector<std::unique_ptr<level>> levels_;
  std::size_t count_ = 0;

  std::size_t cluster_ = 0;  // of the outermost net: the current or the next one
  bool in_cluster_ = false;
  std::vector<std::string> between_;  // edges
  struct {
    bool input = false, output = false, dead = false, overwrites = false, repeat = false;
  } seen_;  // what the legend explains
};

}  // namespace detail

/// Writes a net whose names have text as a DOT digraph. O(net and nested nets + clusters × blobs) time; with
/// fold_repeats, also what repeated_ops.hpp says.
template <has_text N>
void write_dot(std::ostream& out, N const& n, dot_options const& options = {}) {
  std::string title = "net";
  if constexpr (requires { net_traits<N>::net_name(n); }) title = std::string(net_traits<N>::net_name(n));
  detail::dot_writer<N>(out, options).write(n, title);
}

}  // namespace plait
