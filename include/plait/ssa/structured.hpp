// Lowering of structured control flow (If, While, Do) to a control-flow graph of basic blocks.
//
//   plait::structured_program const p(n);
//   plait::program_ssa const ssa(p);      // a blob that a branch of an If writes has a phi at the join
//
// On the result, all algorithms on programs run on nets with nested nets. A member of the subnet object
// (implicit_operands.hpp) determines its role:
//   s.role        a subnet_role, or, without it,
//   s.argument    the name of the argument that holds it, as in Caffe2: then_net, else_net, loop_net, cond_net, net
// With the first input as condition, the lowered forms are
//   If            … If ─┬─ then_net ─┬─ …             While   … ─ cond_net, While ─┬─ loop_net ─┐
//                       └─ else_net ─┘                            └────────────────┼────────────┘ (back)
//                                                                                  └─ …
//   Do            … Do, net …: inner_blobs and outer_blobs_idx bind its names to outer blobs; its other names are
//                 local blobs
// The If, While or Do stays as an op: an If or While ends its basic block and reads the condition; its first successor
// is that of a true condition. Other ops with nested nets (RecurrentNetwork) are not lowered; they also read and write
// the outer blobs that their nets do.
//
// O(ops + operands, including nested ones) time and space; no recursion.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/raise.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/blob_table.hpp>
#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/detail/op_label.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Role of a nested net: when its op runs it.
enum class subnet_role {
  unknown,      ///< the op is not lowered
  then_branch,  ///< if the condition holds
  else_branch,  ///< if not
  loop_body,    ///< while the condition holds
  condition,    ///< before each read of the condition
  inline_body,  ///< once, with local names (subnet_scope::closed)
};

/// Returns the role of a subnet, from its `role` or its `argument`.
template <class S>
[[nodiscard]] constexpr subnet_role role_of(S const& s) {
  if constexpr (requires {
                  { s.role } -> std::convertible_to<subnet_role>;
                }) {
    return s.role;
  } else if constexpr (requires {
                         { s.argument } -> std::convertible_to<std::string_view>;
                       }) {
    std::string_view const name = s.argument;
    if (name == "then_net") return subnet_role::then_branch;
    if (name == "else_net") return subnet_role::else_branch;
    if (name == "loop_net") return subnet_role::loop_body;
    if (name == "cond_net") return subnet_role::condition;
    if (name == "net" && s.scope == subnet_scope::closed) return subnet_role::inline_body;
    return subnet_role::unknown;
  } else {
    return subnet_role::unknown;
  }
}

/// Program of a net with nested nets. Refers to the net, which must outlive it unchanged. Nodes are numbers, with entry
/// 0 and a single exit. Blobs are numbers: a name denotes one blob, except for the local names of a Do.
template <net N>
class structured_program {
  using key_type = std::conditional_t<has_text<N>, std::string, name_t<N>>;

 public:
  class basic_block;
  /// The net and index that an op was lowered from.
  struct origin {
    N const* net;
    op_index op;
  };

  /// Lowers a net. Throws net_error for an If or While without inputs or with mismatched nets, and for a Do whose
  /// inner_blobs and outer_blobs_idx do not match its inputs and outputs.
  explicit structured_program(N const& n) { build(n); }
  template <class Because = because::it_refers_to_the_net_so_a_temporary_is_refused>
  structured_program(N const&&) = delete;

  // ---- program interface
  std::size_t size() const noexcept { return blocks_.size(); }
  static std::uint32_t entry() noexcept { return 0; }
  std::span<std::uint32_t const> successors(std::uint32_t n) const { return successors_[n]; }
  basic_block block(std::uint32_t n) const { return basic_block(*this, n); }
  std::size_t name_count() const noexcept { return keys_.size(); }
  static std::size_t name_index(std::uint32_t name) { return name; }
  static std::uint32_t name_at(std::size_t i) { return static_cast<std::uint32_t>(i); }

  // ---- origins of blobs and ops
  /// Returns the name of a blob in its net.
  key_type const& key(std::uint32_t blob) const { return keys_[blob]; }
  /// Returns the blob of a name in the outermost net; npos if there is none.
  template <class Key>
  std::uint32_t find(Key const& name) const {
    std::uint32_t const at = scopes_.front().known.find(key_type(name));
    return at == npos ? npos : scopes_.front().blobs[at];
  }
  /// Returns the origin of the `place`-th op of a basic block.
  origin const& op(std::uint32_t n, std::size_t place) const { return origins_[blocks_[n].first + place]; }

  /// A basic block: a net handle, passed by value.
  class basic_block {
   public:
    basic_block(structured_program const& p, std::uint32_t n) : program_(&p), at_(n) {}
    auto ops() const { return std::views::iota(program_->blocks_[at_].first, program_->blocks_[at_].last); }
    std::span<std::uint32_t const> inputs(op_index op) const { return program_->reads_[op]; }
    std::span<std::uint32_t const> outputs(op_index op) const { return program_->writes_[op]; }
    std::string_view type(op_index op) const
      requires typed_net<N>
    {
      return program_->types_[op];
    }
    std::span<std::uint32_t const> external_inputs() const {
      return at_ == 0 ? std::span<std::uint32_t const>(program_->external_inputs_) : std::span<std::uint32_t const>();
    }
    std::span<std::uint32_t const> external_outputs() const {
      return at_ == program_->exit_ ? std::span<std::uint32_t const>(program_->promised_)
                                    : std::span<std::uint32_t const>();
    }
    std::string_view text(std::uint32_t name) const
      requires has_text<N>
    {
      return program_->keys_[name];
    }

   private:
    structured_program const* program_;
    std::uint32_t at_;
  };

 private:
  struct extent {
    op_index first = 0;
    op_index last = 0;
  };
  // A name space: of the outermost net and all nets that share its workspace, or of the net of a Do.
  struct scope {
    detail::key_index<key_type> known;
    std::vector<std::uint32_t> blobs;
  };
  struct no_subnet {
    N const* net = nullptr;
  };
  template <class M>
  struct subnet_of {
    using type = no_subnet;
  };
  template <has_subnets M>
  struct subnet_of<M> {
    using type = std::ranges::range_value_t<decltype(subnets(std::declval<M const&>(), std::declval<op_ref_t<M>>()))>;
  };
  using subnet_t = typename subnet_of<N>::type;
  using ops_view = std::views::all_t<detail::ops_range_t<N>>;

  enum class shape { plain, branch, loop, inlined };
  // A net that is being lowered, and the progress of its op at `next`.
  struct level {
    level(N const& n, std::uint32_t names)
        : net(&n),
          ops(std::views::all(plait::ops(n))),
          next(std::ranges::begin(ops)),
          end(std::ranges::end(ops)),
          scope(names) {}
    level(level const&) = delete;
    N const* net;
    ops_view ops;
    std::ranges::iterator_t<ops_view> next;
    std::ranges::sentinel_t<ops_view> end;
    std::uint32_t scope;
    op_index place = 0;
    shape what = shape::plain;
    int stage = 0;
    subnet_t const* first = nullptr;   // then branch, body, or inlined net
    subnet_t const* second = nullptr;  // else branch, or condition
    std::uint32_t head = npos;         // the block that branches
    std::uint32_t other = npos;        // the end of the then branch, or the loop header
  };

  void build(N const& n);
  void start_op(level& at);
  bool lower_step(std::deque<level>& stack);
  void classify_subnets(level& at, std::vector<subnet_t const*> const& nested);
  std::uint32_t bind(level const& at);
  [[noreturn]] static void refuse(level const& at, std::string const& why, std::string blob = {}) {
    raise(net_error("plait: " + op_label(*at.net, at.place) + ' ' + why, at.place, std::move(blob)));
  }

  template <class Key>
  std::uint32_t blob(std::uint32_t in, Key&& key) {
    scope& names = scopes_[in];
    std::uint32_t const at = names.known.intern(key);
    if (at == names.blobs.size()) {
      names.blobs.push_back(static_cast<std::uint32_t>(keys_.size()));
      keys_.push_back(names.known[at]);
    }
    return names.blobs[at];
  }
  template <class Name>
  std::uint32_t blob_of(level const& at, Name const& name) {
    return blob(at.scope, key_type(name_key(*at.net, name)));
  }
  std::uint32_t add_block() {
    blocks_.push_back({});
    return static_cast<std::uint32_t>(blocks_.size() - 1);
  }
  void connect(std::uint32_t from, std::uint32_t to) { edges_.emplace_back(from, to); }
  // Makes a block the insertion point. Each block is filled only once.
  void move_to(std::uint32_t n) {
    if (current_ != npos) blocks_[current_].last = static_cast<op_index>(origins_.size());
    current_ = n;
    blocks_[n].first = static_cast<op_index>(origins_.size());
  }
  void move_on(std::uint32_t from) {
    std::uint32_t const made = add_block();
    connect(from, made);
    move_to(made);
  }
  void end_op(level const& at) {
    reads_.end_row();
    writes_.end_row();
    origins_.push_back({at.net, at.place});
    if constexpr (typed_net<N>) types_.emplace_back(op_type(*at.net, *at.next));
  }

  std::vector<extent> blocks_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
  csr<std::uint32_t> successors_;
  csr<std::uint32_t> reads_;
  csr<std::uint32_t> writes_;
  std::vector<origin> origins_;
  std::vector<detail::op_type_key_t<N>> types_;
  std::vector<std::uint32_t> external_inputs_;
  std::vector<std::uint32_t> promised_;
  std::uint32_t exit_ = 0;
  std::uint32_t current_ = npos;
  std::deque<scope> scopes_;
  std::vector<key_type> keys_;  // by blob
  std::deque<subnet_t> held_;   // may own nets
  implicit_operands<N> implicit_;
};

template <net N>
void structured_program<N>::classify_subnets(level& at, std::vector<subnet_t const*> const& nested) {
  if constexpr (has_subnets<N>) {
    auto const take = [&](subnet_t const*& into, subnet_t const* s) {
      if (into != nullptr) refuse(at, "has two nets of one role");
      into = s;
    };
    bool unknown = false;
    subnet_t const *then_net = nullptr, *else_net = nullptr, *body = nullptr, *condition = nullptr, *inlined = nullptr;
    for (subnet_t const* s : nested) {
      switch (role_of(*s)) {
        case subnet_role::then_branch:
          take(then_net, s);
          break;
        case subnet_role::else_branch:
          take(else_net, s);
          break;
        case subnet_role::loop_body:
          take(body, s);
          break;
        case subnet_role::condition:
          take(condition, s);
          break;
        case subnet_role::inline_body:
          take(inlined, s);
          break;
        case subnet_role::unknown:
          unknown = true;
      }
    }
    if (unknown || nested.empty()) return;
    bool const branches = then_net != nullptr || else_net != nullptr;
    bool const loops = body != nullptr || condition != nullptr;
    if (branches + loops + (inlined != nullptr) != 1 || (branches ? then_net : loops ? body : inlined) == nullptr)
      refuse(at, "has nets of mismatched roles");
    if (inlined == nullptr && std::ranges::empty(inputs(*at.net, *at.next))) refuse(at, "has no condition");
    at.what = branches ? shape::branch : loops ? shape::loop : shape::inlined;
    at.first = branches ? then_net : loops ? body : inlined;
    at.second = branches ? else_net : condition;
  }
}

// Creates the scope of a Do's net: names bound to outer blobs, by the arguments of the op.
template <net N>
std::uint32_t structured_program<N>::bind(level const& at) {
  scope inside;
  if constexpr (argument_readable_net<N> && has_text<N>) {
    auto const inner = detail::net_traits_of<N>::argument(*at.net, *at.next, "inner_blobs");
    auto const outer = detail::net_traits_of<N>::argument(*at.net, *at.next, "outer_blobs_idx");
    std::vector<std::string> const none;
    std::vector<std::int64_t> const no_index;
    auto const* names = inner ? std::get_if<std::vector<std::string>>(&*inner) : &none;
    // An empty list has no element type: it may be read as a list of integers.
    if (names == nullptr && *inner == argument_value(no_index)) names = &none;
    auto const* places = outer ? std::get_if<std::vector<std::int64_t>>(&*outer) : &no_index;
    if (names == nullptr || places == nullptr || names->size() != places->size())
      refuse(at, "does not bind each of inner_blobs to an outer blob");
    std::vector<std::uint32_t> operands;
    auto&& op = *at.next;
    for (auto const& name : inputs(*at.net, op)) operands.push_back(blob_of(at, name));
    if (!operands.empty()) operands.pop_back();  // the workspace, which is last on both sides and not counted
    std::size_t const read = operands.size();
    for (auto const& name : outputs(*at.net, op)) operands.push_back(blob_of(at, name));
    if (operands.size() != read) operands.pop_back();
    for (std::size_t i = 0; i != names->size(); ++i) {
      std::int64_t const place = (*places)[i];
      if (place < 0 || static_cast<std::size_t>(place) >= operands.size())
        refuse(at, "binds '" + (*names)[i] + "' to none of its inputs and outputs", (*names)[i]);
      if (inside.known.intern(key_type((*names)[i])) != i) refuse(at, "binds '" + (*names)[i] + "' twice", (*names)[i]);
      inside.blobs.push_back(operands[static_cast<std::size_t>(place)]);
    }
  }
  scopes_.push_back(std::move(inside));
  return static_cast<std::uint32_t>(scopes_.size() - 1);
}

template <net N>
void structured_program<N>::start_op(level& at) {
  auto&& op = *at.next;
  at.what = shape::plain;
  at.stage = 0;
  std::vector<subnet_t const*> nested;
  if constexpr (has_subnets<N>) {
    at.first = at.second = nullptr;
    for (auto&& s : subnets(*at.net, op)) nested.push_back(&held_.emplace_back(std::move(s)));
    classify_subnets(at, nested);
  }
  if (at.what != shape::plain) return;
  for (auto const& name : inputs(*at.net, op)) reads_.push(blob_of(at, name));
  for (auto const& name : outputs(*at.net, op)) writes_.push(blob_of(at, name));
  if constexpr (has_subnets<N>) {
    if (!nested.empty()) {
      implicit_.compute(*at.net, op);
      for (key_type const& key : implicit_.reads()) reads_.push(blob(at.scope, key));
      for (key_type const& key : implicit_.weak_updates()) reads_.push(blob(at.scope, key));
      for (key_type const& key : implicit_.writes()) writes_.push(blob(at.scope, key));
    }
  }
  end_op(at);
}

// Lowers the next step of the current op; returns false when it is done. Pushes a nested net that must be lowered
// first.
template <net N>
bool structured_program<N>::lower_step(std::deque<level>& stack) {
  level& at = stack.back();
  auto const read_condition = [&] {
    auto&& op = *at.next;
    auto&& read = inputs(*at.net, op);
    reads_.push(blob_of(at, *std::ranges::begin(read)));
    end_op(at);
    at.head = current_;
  };
  auto const enter = [&](subnet_t const& s, std::uint32_t names) {
    N const& inner = *s.net;
    stack.emplace_back(inner, names);
    return true;
  };
  int const stage = at.stage++;
  switch (at.what) {
    case shape::plain:
      return false;
    case shape::branch:
      if (stage == 0) {
        read_condition();
        move_on(at.head);
        return enter(*at.first, at.scope);
      }
      if (stage == 1) {
        at.other = current_;
        if (at.second != nullptr) {
          move_on(at.head);
          return enter(*at.second, at.scope);
        }
      }
      {
        std::uint32_t const last = at.second != nullptr ? current_ : at.head;
        std::uint32_t const join = add_block();
        connect(at.other, join);
        connect(last, join);
        move_to(join);
        return false;
      }
    case shape::loop:
      if (stage == 0) {
        move_on(current_);
        at.other = current_;
        if (at.second != nullptr) return enter(*at.second, at.scope);
      }
      if (stage <= 1) {
        at.stage = 2;
        read_condition();
        move_on(at.head);
        return enter(*at.first, at.scope);
      }
      connect(current_, at.other);
      move_on(at.head);
      return false;
    case shape::inlined:
      if (stage != 0) return false;
      std::uint32_t const names = bind(at);
      std::vector<std::uint32_t> bound = scopes_[names].blobs;
      std::ranges::sort(bound);
      auto const is_bound = [&](std::uint32_t b) { return std::ranges::binary_search(bound, b); };
      auto&& op = *at.next;
      for (auto const& name : inputs(*at.net, op))
        if (std::uint32_t const b = blob_of(at, name); !is_bound(b)) reads_.push(b);
      for (auto const& name : outputs(*at.net, op))
        if (std::uint32_t const b = blob_of(at, name); !is_bound(b)) writes_.push(b);
      end_op(at);
      return enter(*at.first, names);
  }
  return false;
}

template <net N>
void structured_program<N>::build(N const& n) {
  scopes_.emplace_back();
  std::deque<level> stack;
  stack.emplace_back(n, 0u);
  for (auto const& name : external_inputs(n)) external_inputs_.push_back(blob_of(stack.back(), name));
  move_to(add_block());
  bool busy = false;  // with the current op of the innermost level
  while (true) {
    level& at = stack.back();
    if (!busy) {
      if (at.next == at.end) {
        if (stack.size() == 1) break;
        stack.pop_back();
        busy = true;
        continue;
      }
      start_op(at);
    }
    if (lower_step(stack)) {
      busy = false;
      continue;
    }
    busy = false;
    ++at.next;
    ++at.place;
  }
  exit_ = current_;
  blocks_[current_].last = static_cast<op_index>(origins_.size());
  for (auto const& name : external_outputs(n)) promised_.push_back(blob_of(stack.back(), name));

  successors_.start_counting(blocks_.size());
  for (auto const& [from, to] : edges_) successors_.count(from);
  successors_.end_counting();
  for (std::size_t e = edges_.size(); e-- != 0;) successors_.place(edges_[e].first, edges_[e].second);
}

}  // namespace plait
