// Implicit operands: reads and writes of outer blobs by nested nets, beyond the operands that their op lists.
//
// A net adapts its nested nets with net_traits<N>::subnets(n, op): a range of objects s with
//   *s.net     the nested net (any net whose names have the same kind of key)
//   s.scope    which of its blobs are the outer net's (subnet_scope)
//   s.locals   names that the op binds inside, a range of keys
//   s.bound    optional, for a closed net: its bindings, a range of pairs of keys (inside, outside)
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/blob_table.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

/// Scope rule of a nested net: the blobs that it shares with the outer net.
enum class subnet_scope {
  shared,  ///< same workspace: reads and writes are the outer net's (branches of If, body and condition of While)
  child,   ///< child workspace: reads fall through to the outer net, writes stay inside (RecurrentNetwork's step net)
  closed,  ///< sees only what its op binds, and that the op lists as inputs and outputs (Do)
};

namespace detail {
template <class S>
concept bound_subnet = requires(S const& s) {
  { s.bound } -> std::ranges::input_range;
};
template <class S>
concept subnet_object = requires(S& s) {
  { s.scope } -> std::convertible_to<subnet_scope>;
  requires net<decltype(*s.net)>;
  requires std::ranges::input_range<decltype(s.locals)>;
};
}  // namespace detail

template <class N>
concept has_subnets = net<N> && requires(N const& n, op_ref_t<N> op) {
  { detail::net_traits_of<N>::subnets(n, op) } -> std::ranges::input_range;
  requires detail::subnet_object<std::ranges::range_value_t<decltype(detail::net_traits_of<N>::subnets(n, op))>>;
};

namespace detail {
template <class N>
consteval bool check_subnets() {
  if constexpr (gives_subnets<N>) {
    using subnets_t = decltype(net_traits_of<N>::subnets(std::declval<N const&>(), std::declval<op_ref_t<N>>()));
    static_assert(std::ranges::input_range<subnets_t>, "plait: net_traits<N>::subnets(n, op) must be a range");
    if constexpr (std::ranges::input_range<subnets_t>)
      static_assert(
          subnet_object<std::ranges::range_value_t<subnets_t>>,
          "plait: elements of net_traits<N>::subnets(n, op) must have `net`, which points to a net, `scope`, a "
          "plait::subnet_scope, and `locals`, a range of names");
  }
  return true;
}
}  // namespace detail

/// Returns the nets nested in an op; an empty range where the IR has none.
template <net N, class Op>
[[nodiscard]] constexpr decltype(auto) subnets(N const& n, Op const& op) {
  static_assert(detail::check_subnets<N>());
  if constexpr (has_subnets<N>)
    return detail::net_traits_of<N>::subnets(n, op);
  else
    return std::ranges::empty_view<int>();
}

namespace detail {
// Returns the nets nested in an op of a nested net. Errors number ops in the outermost net, so an error here drops the
// index that the op has in its own.
template <net N, class Op>
decltype(auto) inner_subnets(N const& n, Op const& op) {
  return attempt<net_error>([&]() -> decltype(auto) { return subnets(n, op); },
                            [](net_error const& problem) -> decltype(subnets(n, op)) {
                              raise(net_error(problem.what(), std::nullopt, problem.blob));
                            });
}
}  // namespace detail

/// Computes the reads and writes of outer blobs by the nets nested in one op, beyond the op's own inputs and outputs;
/// each blob once, in order of first appearance. Linear in the size of the nested nets; their depth costs memory, not
/// stack.
template <net N>
class implicit_operands {
  static_assert(detail::check_subnets<N>());
};

template <net N>
  requires has_subnets<N>
class implicit_operands<N> {
  using subnet_range =
      decltype(detail::net_traits_of<N>::subnets(std::declval<N const&>(), std::declval<op_ref_t<N>>()));
  using subnet_t = std::ranges::range_value_t<subnet_range>;
  using inner_net = std::remove_cvref_t<decltype(*std::declval<subnet_t&>().net)>;
  static_assert(std::is_same_v<inner_net, N>, "plait: nested nets must be of the type of the net around them");

 public:
  using key_type = std::conditional_t<has_text<N>, std::string, name_t<N>>;

  /// Returns the upward-exposed reads: blobs read before any nested net could have written them.
  std::vector<key_type> const& reads() const noexcept { return reads_.keys; }
  std::vector<key_type> const& writes() const noexcept { return writes_.keys; }
  /// Returns the weakly updated blobs beyond the op's inputs and reads(): their former value may survive, since a
  /// nested net may leave a blob it writes unwritten (a branch not taken), whether the op lists it as an output or not.
  std::vector<key_type> const& weak_updates() const noexcept { return weak_updates_.keys; }
  /// Returns true if a nested net may read the value that the blob has before the op.
  bool may_read(key_type const& key) const { return exposed_.contains(key); }

  void clear() {
    reads_.clear();
    writes_.clear();
    weak_updates_.clear();
    exposed_.clear();
    bound_.clear();
  }

  /// Computes the implicit operands of `op`. With `control_inputs`, control inputs of nested ops count as reads.
  template <class Op>
  void compute(N const& n, Op const& op, bool control_inputs = false) {
    clear();
    controls_ = control_inputs;
    bool any = false;
    for (auto&& s : detail::net_traits_of<N>::subnets(n, op)) {
      any = true;
      run(std::move(s));
    }
    if (!any) return;  // fast path of nearly all ops: touches no set, copies no name
    for (key_set const* read : {&reads_, &weak_updates_})
      for (key_type const& key : read->keys) exposed_.insert(key);
    for (key_type const& key : writes_.keys) weak_updates_.insert(key);
    weak_updates_.remove(reads_);
    for (key_type const& key : bound_.keys) writes_.insert(key);
    key_set own;
    for (auto const& name : plait::inputs(n, op)) own.insert(key_type(name_key(n, name)));
    if (controls_)
      for (auto const& name : plait::control_inputs(n, op)) own.insert(key_type(name_key(n, name)));
    reads_.remove(own);
    weak_updates_.remove(own);
    own.clear();
    for (auto const& name : plait::outputs(n, op)) own.insert(key_type(name_key(n, name)));
    writes_.remove(own);
  }

 private:
  // Ordered set of keys, in order of first appearance; each is marked as certain (must) or not (may).
  struct key_set {
    enum mark : unsigned char { absent, may, must };
    std::vector<key_type> keys;
    detail::key_index<key_type> known;
    std::vector<mark> marks;  // by number in `known`
    void insert(key_type const& key, bool certain = true) {
      std::uint32_t const number = known.intern(key);
      if (number == marks.size()) marks.push_back(absent);
      if (marks[number] == absent) {
        keys.push_back(key);
        marks[number] = may;
      }
      if (certain) marks[number] = must;
    }
    mark find(key_type const& key) const {
      std::uint32_t const number = known.find(key);
      return number == npos ? absent : marks[number];
    }
    bool contains(key_type const& key) const { return find(key) != absent; }
    bool certain(key_type const& key) const { return find(key) == must; }
    void remove(key_set const& others) {
      std::erase_if(keys, [&](key_type const& key) { return others.contains(key); });
      for (key_type const& key : others.keys)
        if (std::uint32_t const number = known.find(key); number != npos) marks[number] = absent;
    }
    void clear() {
      keys.clear();
      known.clear();
      marks.clear();
    }
  };

  using ops_view = std::views::all_t<detail::ops_range_t<N>>;

  // Traversal state of one nested net. It owns the subnet object, in which the net may live; so levels never move.
  struct level {
    explicit level(subnet_t&& s)
        : from(std::move(s)),
          ops(std::views::all(plait::ops(static_cast<N const&>(*from.net)))),
          next(std::ranges::begin(ops)),
          end(std::ranges::end(ops)) {
      for (auto const& local : from.locals) written.insert(key_type(local));
      locals = written.keys.size();
    }
    level(level const&) = delete;
    level& operator=(level const&) = delete;

    void note_read(key_type const& key) {
      if (written.certain(key)) return;
      (written.contains(key) ? passed : read).insert(key);
    }

    subnet_t from;
    ops_view ops;
    std::ranges::iterator_t<ops_view> next;
    std::ranges::sentinel_t<ops_view> end;
    std::vector<subnet_t> pending;  // nets nested in the op at `next`, not yet visited
    key_set by_nested;              // writes of visited nets; invisible to the others, which may be alternatives
    key_set by_bound;               // writes through bindings, which always happen
    bool entered = false;           // true once that op's own inputs are counted
    key_set read;                   // read before any write inside
    key_set passed;                 // read after a conditional write inside
    key_set written;                // the locals, then writes; unconditional, unless by a nested net
    std::size_t locals = 0;
  };

  void run(subnet_t&& outermost) {
    std::deque<level> stack;
    stack.emplace_back(std::move(outermost));
    while (true) {
      level& top = stack.back();
      N const& n = *top.from.net;
      if (top.next == top.end) {
        if (stack.size() == 1) break;
        fold(top, stack[stack.size() - 2]);
        stack.pop_back();
        continue;
      }
      auto&& op = *top.next;
      if (!top.entered) {
        top.entered = true;
        for (auto const& name : plait::inputs(n, op)) top.note_read(key_type(name_key(n, name)));
        if (controls_)
          for (auto const& name : plait::control_inputs(n, op)) top.note_read(key_type(name_key(n, name)));
        for (auto&& s : detail::inner_subnets(n, op)) top.pending.push_back(std::move(s));
        std::ranges::reverse(top.pending);
      }
      if (!top.pending.empty()) {
        subnet_t inner = std::move(top.pending.back());
        top.pending.pop_back();
        stack.emplace_back(std::move(inner));
        continue;
      }
      // An output that nested nets write is as certain as they are.
      for (auto const& name : plait::outputs(n, op)) {
        key_type const key(name_key(n, name));
        top.written.insert(key, !top.by_nested.contains(key));
      }
      for (key_type const& key : top.by_bound.keys) top.written.insert(key, !top.by_nested.contains(key));
      for (key_type const& key : top.by_nested.keys) top.written.insert(key, false);
      top.by_nested.clear();
      top.by_bound.clear();
      top.entered = false;
      ++top.next;
    }

    level const& done = stack.front();
    if (done.from.scope == subnet_scope::closed) {
      for_each_needed(done, [&](key_type const& key, bool) { weak_updates_.insert(key); });
      for_each_written(done, [&](key_type const& key) { bound_.insert(key); });
      return;
    }
    for (key_type const& key : done.read.keys) reads_.insert(key);
    for (key_type const& key : done.passed.keys) weak_updates_.insert(key);
    if (done.from.scope == subnet_scope::shared)
      for (std::size_t i = done.locals; i < done.written.keys.size(); ++i) writes_.insert(done.written.keys[i]);
  }

  // Calls each(outer name, may be left) for the bound blobs that a closed net writes and may read before, or may leave
  // as they were.
  template <class Each>
  static void for_each_needed(level const& done, Each&& each) {
    if constexpr (detail::bound_subnet<subnet_t>)
      for (auto const& [inside, outside] : done.from.bound) {
        key_type const key(inside);
        if (!done.written.contains(key)) continue;
        bool const left = !done.written.certain(key);
        if (left || done.passed.contains(key) || done.read.contains(key)) each(key_type(outside), left);
      }
  }

  // Calls each(outer name) for the bound blobs that a closed net writes, also those bound to an input alone.
  template <class Each>
  static void for_each_written(level const& done, Each&& each) {
    if constexpr (detail::bound_subnet<subnet_t>)
      for (auto const& [inside, outside] : done.from.bound)
        if (done.written.contains(key_type(inside))) each(key_type(outside));
  }

  // Propagates the effects of a finished net to the net around it.
  static void fold(level const& done, level& around) {
    if (done.from.scope == subnet_scope::closed) {
      for_each_needed(done, [&](key_type const& key, bool left) {
        if (left) around.by_nested.insert(key);
        if (!around.written.certain(key)) around.passed.insert(key);
      });
      for_each_written(done, [&](key_type const& key) { around.by_bound.insert(key); });
      return;
    }
    for (key_type const& key : done.read.keys) around.note_read(key);
    for (key_type const& key : done.passed.keys)
      if (!around.written.certain(key)) around.passed.insert(key);
    if (done.from.scope == subnet_scope::shared)
      for (std::size_t i = done.locals; i < done.written.keys.size(); ++i)
        around.by_nested.insert(done.written.keys[i]);
  }

  key_set reads_;
  key_set writes_;
  key_set weak_updates_;
  key_set exposed_;
  key_set bound_;  // writes of closed nets, by outer name
  bool controls_ = false;
};

}  // namespace plait
