// Activity analysis across nested nets: the blobs that no gradient can flow through
// (gradient_rule::has_inactive_outputs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/gradient/gradient_rules.hpp>
#include <plait/net/detail/implicit_operands.hpp>
#include <plait/netdef/detail/nested_nets.hpp>
#include <plait/netdef/model.hpp>

namespace plait {

/// Forward activity analysis through the branches of If, the bodies of While and the nets of Do: a blob is inactive if
/// it is so on every path, whichever branch is taken and however often a body runs. Runs once for all nets of a
/// backward pass, at the first op without a gradient. Visits a net once, and again if an enclosing loop loses an
/// inactive blob on its way to the fixpoint. No recursion.
class inactive_blobs {
 public:
  using names = std::set<std::string, std::less<>>;
  /// An op with nested nets, in the names of the enclosing net.
  struct op {
    std::string type;
    std::vector<nested_net> nets;
    std::vector<std::string> outputs;
  };

  /// `rules` must outlive it. `start`: calls walk() for the ops of the outermost net, at the first query.
  explicit inactive_blobs(gradient_rules const& rules, std::function<void()> start = {})
      : rules_(&rules), start_(std::move(start)) {}

  static bool has_nets(std::string_view type) { return type == "If" || type == "While" || type == "Do"; }

  /// Returns the inactive outputs of an op; `is_inactive(name)` is the state of a blob before the op.
  template <class IsInactive>
  names walk(op o, IsInactive is_inactive) {
    std::deque<level> levels;
    enter(levels, std::move(o), is_inactive);
    for (;;) {
      level& top = levels.back();
      if (top.net == nullptr) {
        if (top.next != top.around.nets.size()) {
          begin(top);
        } else if (std::exchange(top.less, false)) {
          top.next = 0;  // iterates the loop once more
        } else {
          names kept = std::move(top.kept);
          std::vector<std::string> const outputs = std::move(top.around.outputs);
          levels.pop_back();
          if (levels.empty()) return kept;
          level& below = levels.back();
          for (std::string const& out : outputs) below.set(below.net->find(out), kept.contains(out));
          after_[{below.net, below.at++}] = kept;
        }
      } else if (top.at == top.net->op.size()) {
        end(top);
      } else if (op_def const& next = top.net->op[top.at]; has_nets(top.net->text(next.type))) {
        op inner{std::string(top.net->text(next.type)), nested_nets(*top.net, next), {}};
        for (symbol const out : next.output) inner.outputs.emplace_back(top.net->text(out));
        enter(levels, std::move(inner), [&](std::string_view name) { return top.has(name); });
      } else {
        step(top, next);
      }
    }
  }

  /// Returns the blobs that are inactive at the entry of a net that walk() has visited.
  names const& before(netdef const& n) { return find(before_, &n); }
  /// Returns the inactive outputs of an op with nested nets in such a net.
  names const& after(netdef const& n, std::size_t at) { return find(after_, std::pair(&n, at)); }

 private:
  // An op with nested nets and the position of the walk in one of them.
  struct level {
    op around;
    names known;           // inactive before the op, restricted to names in its nets
    names kept;            // its outputs that are inactive so far
    std::size_t next = 0;  // index of the next nested net
    bool less = false;     // the loop lost an inactive blob: not yet a fixpoint
    netdef const* net = nullptr;
    std::size_t at = 0;
    boost::unordered_flat_set<std::uint32_t> inactive = {};  // symbols of the net

    bool has(std::string_view name) const { return inactive.contains(net->find(name).id); }
    void set(symbol blob, bool to) {
      if (to)
        inactive.insert(blob.id);
      else
        inactive.erase(blob.id);
    }
    bool loops() const { return around.type == "While"; }
    // Returns the name that an outer blob is bound to in a nested net; empty if it is not visible there.
    std::string_view inside(nested_net const& n, std::string_view outer) const {
      if (n.scope != subnet_scope::closed) return outer;
      for (auto const& [inner, bound] : n.bound)
        if (bound == outer) return inner;
      return {};
    }
    std::string_view outside(nested_net const& n, std::string_view inner) const {
      if (n.scope != subnet_scope::closed) return inner;
      for (auto const& [name, bound] : n.bound)
        if (name == inner) return bound;
      return {};
    }
  };

  template <class IsInactive>
  static void enter(std::deque<level>& levels, op o, IsInactive is_inactive) {
    level made{std::move(o), {}, {}};
    auto const note = [&](std::string_view name) {
      if (!name.empty() && is_inactive(name)) made.known.emplace(name);
    };
    for (nested_net const& n : made.around.nets)
      for (op_def const& inner : n.net->op) {
        for (symbol const blob : inner.input) note(made.outside(n, n.net->text(blob)));
        for (symbol const blob : inner.output) note(made.outside(n, n.net->text(blob)));
      }
    for (std::string const& out : made.around.outputs) note(out);
    // An output that no nested net writes for sure may keep its old value.
    bool const may_stay =
        made.around.nets.empty() || made.loops() || (made.around.type == "If" && made.around.nets.size() == 1);
    for (std::string const& out : made.around.outputs)
      if (!may_stay || made.known.contains(out)) made.kept.insert(out);
    levels.push_back(std::move(made));
  }

  void begin(level& l) {
    nested_net const& n = l.around.nets[l.next];
    l.net = n.net.get();
    l.at = 0;
    l.inactive.clear();
    names start;
    for (op_def const& inner : l.net->op) {
      auto const note = [&](symbol blob) {
        if (std::string_view const name = l.outside(n, l.net->text(blob));
            !name.empty() && l.known.contains(std::string(name)))
          start.emplace(l.net->text(blob));
      };
      for (symbol const blob : inner.input) note(blob);
      for (symbol const blob : inner.output) note(blob);
    }
    // Intersects with earlier entry states (monotone), so that nested loops converge after few iterations.
    auto const [seen, added] = before_.try_emplace(l.net, start);
    if (!added) {
      names both;
      for (std::string const& name : seen->second)
        if (start.contains(name)) both.insert(name);
      seen->second = std::move(both);
    }
    if (l.loops())
      for (std::string const& out : l.around.outputs)
        if (std::string const inner(l.inside(n, out)); start.contains(inner) && !seen->second.contains(inner))
          drop(l, out);
    for (std::string const& name : seen->second) l.set(l.net->find(name), true);
  }

  void end(level& l) {
    nested_net const& n = l.around.nets[l.next++];
    for (std::string const& out : l.around.outputs) {
      symbol const inner = l.net->find(l.inside(n, out));
      bool const inactive = inner ? l.inactive.contains(inner.id) : l.known.contains(out);
      if (!inactive) drop(l, out);
    }
    l.net = nullptr;
  }
  static void drop(level& l, std::string const& out) {
    if (l.kept.erase(out) == 0 || !l.loops()) return;
    l.known.erase(out);
    l.less = true;
  }

  void step(level& l, op_def const& o) const {
    gradient_rule const* const rule = rules_->find(l.net->text(o.type));
    bool inactive = rule != nullptr && rule->how == gradient_rule::kind::none && rule->has_inactive_outputs;
    if (!inactive && !o.input.empty()) {
      inactive = true;
      for (symbol const in : o.input) inactive = inactive && l.inactive.contains(in.id);
    }
    for (symbol const out : o.output) l.set(out, inactive);
    ++l.at;
  }

  template <class Map, class Key>
  names const& find(Map const& in, Key const& key) {
    if (start_) std::exchange(start_, {})();
    static names const none;
    auto const at = in.find(key);
    return at == in.end() ? none : at->second;
  }

  gradient_rules const* rules_;
  std::function<void()> start_;
  boost::unordered_flat_map<netdef const*, names> before_;
  boost::unordered_flat_map<std::pair<netdef const*, std::size_t>, names> after_;
};

}  // namespace plait
