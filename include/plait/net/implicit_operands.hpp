// Nets inside ops: what they read and write of the net around them without its op saying so.
//
// A net adapts its nested nets with net_traits<N>::subnets(n, op): a range of objects s with
//   *s.net     the nested net (any net whose names have the same kind of key)
//   s.scope    which of its blobs are the outer net's (subnet_scope)
//   s.locals   names the op itself binds inside, a range of keys
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/net/net_traits.hpp>

namespace plait {

/// How the blobs of a nested net relate to those of the net around it.
enum class subnet_scope {
  shared,  ///< same workspace: reads and writes are the outer net's (branches of If, body and condition of While)
  child,   ///< child workspace: reads fall through to the outer net, writes stay inside (RecurrentNetwork's step net)
  closed,  ///< sees only what its op binds, and that the op lists as inputs and outputs (Do)
};

namespace detail {
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

/// The nets inside an op; an empty range for nets that know no such thing.
template <net N, class Op>
[[nodiscard]] constexpr decltype(auto) subnets(N const& n, Op const& op) {
  if constexpr (has_subnets<N>)
    return detail::net_traits_of<N>::subnets(n, op);
  else
    return std::ranges::empty_view<int>();
}

/// Reads and writes of the outer net's blobs by the nets inside one op, beyond the op's own inputs and outputs; each
/// blob once, in order of first appearance. Linear in the size of the nested nets; their depth costs memory, not stack.
template <net N>
class implicit_operands {};

template <net N>
  requires has_subnets<N>
class implicit_operands<N> {
  using subnet_range = decltype(detail::net_traits_of<N>::subnets(std::declval<N const&>(), std::declval<op_ref_t<N>>()));
  using subnet_t = std::ranges::range_value_t<subnet_range>;
  using inner_net = std::remove_cvref_t<decltype(*std::declval<subnet_t&>().net)>;
  static_assert(std::is_same_v<inner_net, N>, "plait: nested nets must be of the type of the net around them");

 public:
  using key_type = std::conditional_t<has_text<N>, std::string, name_t<N>>;

  std::vector<key_type> const& reads() const noexcept { return reads_.keys; }
  std::vector<key_type> const& writes() const noexcept { return writes_.keys; }
  /// Blobs that nested nets write, listed as outputs or not, and that are neither inputs nor among reads(). A nested net
  /// may leave one unwritten (a branch not taken); the op then passes on what the blob was before.
  std::vector<key_type> const& passes() const noexcept { return passes_.keys; }

  template <class Op>
  void compute(N const& n, Op const& op) {
    reads_.clear();
    writes_.clear();
    std::vector<level> stack;
    for (auto&& s : detail::net_traits_of<N>::subnets(n, op)) {
      stack.emplace_back(std::move(s));
      run(stack);
    }
    passes_.clear();
    for (key_type const& key : writes_.keys)
      if (!reads_.contains(key)) passes_.insert(key);
    for (auto const& name : plait::inputs(n, op)) {
      reads_.erase(key_type(name_key(n, name)));
      passes_.erase(key_type(name_key(n, name)));
    }
    for (auto const& name : plait::outputs(n, op)) writes_.erase(key_type(name_key(n, name)));
  }

 private:
  // Keys in order of first appearance.
  struct key_set {
    std::vector<key_type> keys;
    boost::unordered_flat_map<key_type, bool> known;
    void insert(key_type const& key) {
      if (known.emplace(key, true).second) keys.push_back(key);
    }
    bool contains(key_type const& key) const { return known.contains(key); }
    void erase(key_type const& key) {
      if (known.erase(key) != 0) std::erase(keys, key);
    }
    void clear() {
      keys.clear();
      known.clear();
    }
  };

  // One nested net being walked. It owns the subnet object: the net may live in it.
  struct level {
    explicit level(subnet_t&& s) : from(std::move(s)), next(std::ranges::begin(range())), end(std::ranges::end(range())) {
      for (auto const& local : from.locals) written.insert(key_type(local));
      locals = written.keys.size();
    }
    decltype(auto) range() const { return plait::ops(static_cast<N const&>(*from.net)); }

    subnet_t from;
    std::ranges::iterator_t<decltype(plait::ops(std::declval<N const&>()))> next;
    std::ranges::sentinel_t<decltype(plait::ops(std::declval<N const&>()))> end;
    std::vector<subnet_t> pending;  // nets inside the op at `next` that have not been walked yet
    bool entered = false;           // whether that op's own inputs have been counted
    key_set read;                   // before any write inside
    key_set written;                // after the locals
    std::size_t locals = 0;
  };

  void run(std::vector<level>& stack) {
    std::size_t const bottom = stack.size() - 1;
    while (stack.size() > bottom) {
      level& top = stack.back();
      N const& n = *top.from.net;
      if (top.next == top.end) {
        level done = std::move(top);
        stack.pop_back();
        if (stack.size() > bottom)
          fold(done, stack.back().read, stack.back().written, &stack.back().written);
        else
          fold(done, reads_, writes_, nullptr);
        continue;
      }
      auto&& op = *top.next;
      if (!top.entered) {
        top.entered = true;
        for (auto const& name : plait::inputs(n, op)) {
          key_type const key(name_key(n, name));
          if (!top.written.contains(key)) top.read.insert(key);
        }
        for (auto&& s : detail::net_traits_of<N>::subnets(n, op)) top.pending.push_back(std::move(s));
        std::ranges::reverse(top.pending);
      }
      if (!top.pending.empty()) {
        subnet_t inner = std::move(top.pending.back());
        top.pending.pop_back();
        stack.emplace_back(std::move(inner));
        continue;
      }
      for (auto const& name : plait::outputs(n, op)) top.written.insert(key_type(name_key(n, name)));
      top.entered = false;
      ++top.next;
    }
  }

  // What escapes from a finished net, into the net around it or out to the op.
  static void fold(level const& done, key_set& reads, key_set& writes, key_set const* hides) {
    if (done.from.scope == subnet_scope::closed) return;
    for (key_type const& key : done.read.keys)
      if (hides == nullptr || !hides->contains(key)) reads.insert(key);
    if (done.from.scope == subnet_scope::shared)
      for (std::size_t i = done.locals; i < done.written.keys.size(); ++i) writes.insert(done.written.keys[i]);
  }

  key_set reads_;
  key_set writes_;
  key_set passes_;
};

}  // namespace plait
