// Forward net of a backward pass: its SSA values, ops and names by dense index.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/symbols.hpp>
#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/gradient/detail/gradient_tape.hpp>
#include <plait/net/check_mutable_net.hpp>
#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// A differentiable net: ops have types, names have text, ops can be appended, and, if ops have arguments, an appended
/// op can inherit them.
template <class N>
concept gradient_net = typed_net<N> && has_text<N> && nameable_net<N> && extensible_net<N> &&
                       (!argument_readable_net<N> || inheriting_net<N>);

namespace detail {
template <class N>
concept mentions_arguments = gives_argument<N> || argument_is_there_but_not_for_a_const_net<N> ||
                             argument_is_a_function_with_other_parameters<N>;
}  // namespace detail

/// Checks gradient_net<N> with one message per missing member. Use next to an adaptation:
/// PLAIT_CHECK_GRADIENT_NET(my::net);
template <class N>
consteval bool check_gradient_net() {
  static_assert(check_net<N>());
  if constexpr (net<N>) {
    static_assert(typed_net<N> || detail::gives_type<N>,
                  "plait: gradients need net_traits<N>::type(n, op), the type of an op");
    static_assert(has_text<N>, "plait: gradients need names that are text, or net_traits<N>::text(n, name)");
    if constexpr (has_text<N>) static_assert(detail::check_making_hooks<N>());
    // One hook alone would leave ops without arguments.
    if constexpr (detail::mentions_arguments<N>) {
      static_assert(detail::check_argument_hooks<N>());
      static_assert(detail::check_inheriting_hook<N>());
    }
  }
  return gradient_net<N>;
}

#define PLAIT_CHECK_GRADIENT_NET(...) static_assert(::plait::check_gradient_net<__VA_ARGS__>())

namespace detail {

// Random access to the ops of a net. Indexes a random-access range on demand, so that the net may grow meanwhile;
// stores the iterators of other ranges.
template <class N>
class numbered_ops {
  using traits = net_traits_of<std::remove_const_t<N>>;
  using range = decltype(traits::ops(std::declval<N&>()));
  static_assert(std::is_lvalue_reference_v<range> || std::ranges::borrowed_range<range>,
                "plait: gradients need ops(n) to be a reference to the net's ops or a view of them");
  using iterator = std::ranges::iterator_t<std::remove_reference_t<range>>;

 public:
  static constexpr bool may_grow = std::ranges::random_access_range<range>;

  explicit numbered_ops(N& n) : net_(&n) {
    if constexpr (!may_grow) {
      auto&& all = traits::ops(n);
      for (auto it = std::ranges::begin(all); it != std::ranges::end(all); ++it) places_.push_back(it);
    }
  }
  decltype(auto) operator[](std::size_t i) const {
    if constexpr (may_grow)
      return std::ranges::begin(traits::ops(*net_))[static_cast<std::ptrdiff_t>(i)];
    else
      return *places_[i];
  }

 private:
  N* net_;
  std::vector<iterator> places_;
};

}  // namespace detail

/// A net in SSA form, its ops by index and its blobs by name, with names as symbols of a tape. Refers to the net, which
/// must outlive it unchanged.
template <gradient_net N>
class forward_net {
  using traits = detail::net_traits_of<N>;

 public:
  /// `given`: blobs that are set before the net runs, in addition to its declared or inferred inputs.
  explicit forward_net(N const& n, std::vector<std::string> given = {})
      : net_(&n), form_(n), ops_(n), given_(std::move(given)) {}

  /// Computes the SSA form and resets the tape. `implicit`: blobs that nested nets read and write count as operands of
  /// their ops.
  void compute(gradient_tape& tape, bool implicit) {
    std::vector<std::pair<name_key_t<N>, std::uint32_t>> versions;
    if constexpr (std::constructible_from<name_key_t<N>, std::string const&>)
      for (std::string const& name : given_) versions.emplace_back(name_key_t<N>(name), 0);
    form_.compute(*net_, versions, ssa_options{.subnets = implicit});
    tape = gradient_tape(form_.value_count());
    std::size_t const names = 2 * form_.blob_bound();
    if constexpr (symbol_named_net<N>)
      tape.texts = symbol_table(traits::symbols(*net_), names);
    else
      tape.texts.reserve(names);
    tape_ = &tape;
    intern_blobs(tape.texts);
    blobs_.assign(tape.texts.size(), npos);
    blob_of_value_.resize(form_.value_count());
    for (blob_index b : form_.blobs()) {
      blobs_[symbols_[b].id] = b;
      for (std::uint32_t k = form_.first_version(b); k <= form_.version(b); ++k)
        blob_of_value_[form_.index({b, k})] = b;
    }
    number_types(tape.texts);
  }

  N const& net() const noexcept { return *net_; }
  ssa_form<N> const& form() const noexcept { return form_; }

  // ---- ops
  op_ref_t<N> op(op_index i) const { return ops_[i]; }
  std::string_view type(op_index op) const { return text_of_type(type_number(op)); }
  /// Returns the dense number of an op's type. Much faster in large nets than a look at the op.
  std::uint32_t type_number(op_index op) const { return type_of_[op]; }
  std::size_t type_count() const noexcept { return types_.size(); }
  std::string_view text_of_type(std::uint32_t number) const { return tape_->texts[types_[number]]; }
  std::size_t input_count(op_index op) const {
    return static_cast<std::size_t>(std::ranges::distance(plait::inputs(*net_, ops_[op])));
  }
  std::size_t output_count(op_index op) const {
    return static_cast<std::size_t>(std::ranges::distance(plait::outputs(*net_, ops_[op])));
  }
  std::optional<device_spec> device(op_index op) const {
    if constexpr (device_net<N>)
      return traits::device(*net_, ops_[op]);
    else
      return std::nullopt;
  }
  bool has_nets(op_index op) const { return !std::ranges::empty(subnets(*net_, ops_[op])); }
  /// Returns the op's label in messages: op 3 (FC 'name').
  std::string label(op_index op) const {
    std::string made = "op " + std::to_string(op) + " (" + std::string(type(op));
    if (std::string_view const name = op_name(*net_, ops_[op]); !name.empty()) made += " '" + std::string(name) + '\'';
    return made + ')';
  }

  // ---- blobs
  symbol name(blob_index b) const { return symbols_[b]; }
  symbol name_of_value(std::uint32_t v) const { return symbols_[blob_of_value_[v]]; }
  std::string text(blob_index b) const { return std::string(tape_->texts[symbols_[b]]); }
  /// Returns the blob of this name, npos if there is none in the net.
  blob_index find(std::string_view text) const {
    symbol const s = tape_->texts.find(text);
    return s && s.id < blobs_.size() ? blobs_[s.id] : npos;
  }
  gradient_operand operand(value v) const { return {form_.index(v)}; }
  /// Returns the value with this index, the inverse of operand().
  value value_at(std::uint32_t number) const {
    blob_index const b = blob_of_value_[number];
    std::uint32_t const first = form_.first_version(b);
    return {b, first + (number - form_.index({b, first}))};
  }
  value last(blob_index b) const { return {b, form_.version(b)}; }
  /// Returns all ops that write a blob, in order.
  std::vector<op_index> writers(blob_index b) const {
    std::vector<op_index> made;
    for (std::uint32_t k = form_.first_version(b); k <= form_.version(b); ++k)
      if (op_index const op = form_.producing_op({b, k}); op != npos) made.push_back(op);
    return made;
  }
  bool is_read(blob_index b) const {
    for (std::uint32_t k = form_.first_version(b); k <= form_.version(b); ++k)
      if (!form_.consumers({b, k}).empty()) return true;
    return false;
  }

 private:
  std::string_view text_of(blob_index b) const { return std::string_view(form_.name(b)); }

  void intern_blobs(symbol_table& texts) {
    symbols_.resize(form_.blob_bound());
    blob_index first = 0;
    if constexpr (symbol_named_net<N>) {  // all are in the table, except names that occur in nested nets only
      first = static_cast<blob_index>(traits::symbols(*net_).size());
      for (blob_index b = 0; b != first; ++b) symbols_[b] = symbol{b};
    }
    constexpr blob_index names_ahead = 16;
    auto const bound = static_cast<blob_index>(form_.blob_bound());
    for (blob_index b = first; b < bound; ++b) {
      if (b + names_ahead < bound) texts.prefetch(text_of(b + names_ahead));
      if (form_.contains({b, form_.first_version(b)})) symbols_[b] = texts.intern(text_of(b));
    }
  }

  void number_types(symbol_table& texts) {
    boost::unordered_flat_map<std::uint32_t, std::uint32_t> numbers;  // by symbol
    types_.clear();
    type_of_.clear();
    type_of_.reserve(form_.op_count());
    for (auto&& op : plait::ops(*net_)) {
      symbol const type = texts.intern(op_type(*net_, op));
      auto const [at, added] = numbers.try_emplace(type.id, static_cast<std::uint32_t>(types_.size()));
      if (added) types_.push_back(type);
      type_of_.push_back(at->second);
    }
  }

  N const* net_;
  ssa_form<N> form_;
  gradient_tape const* tape_ = nullptr;
  detail::numbered_ops<N const> ops_;
  std::vector<std::string> given_;
  std::vector<symbol> types_;           // by number
  std::vector<std::uint32_t> type_of_;  // by op
  std::vector<symbol> symbols_;         // by blob
  std::vector<blob_index> blobs_;       // by symbol of a blob's name
  std::vector<blob_index> blob_of_value_;
};

/// Gives rules access to the op that a context is at.
template <gradient_net N>
class forward_op_reader final : public op_reader {
 public:
  forward_op_reader(forward_net<N> const& net, gradient_tape const& tape) : net_(&net), tape_(&tape) {}

  void look_at(op_index op) { op_ = op; }

  std::optional<argument_value> argument(std::string_view key) const override {
    if constexpr (argument_readable_net<N>)
      return detail::net_traits_of<N>::argument(net_->net(), net_->op(op_), key);
    else
      return std::nullopt;
  }
  std::shared_ptr<netdef const> net(std::string_view key) const override {
    if constexpr (has_subnets<N>)
      for (auto const& s : subnets(net_->net(), net_->op(op_)))
        if constexpr (requires {
                        { s.net } -> std::convertible_to<std::shared_ptr<netdef const>>;
                        { s.argument } -> std::convertible_to<std::string_view>;
                      })
          if (std::string_view(s.argument) == key) return s.net;
    return nullptr;
  }
  std::string_view name() const override { return op_name(net_->net(), net_->op(op_)); }
  std::string text(gradient_operand v) const override {
    while (tape_->is_made(v)) {
      if (tape_->made(v).like == npos) return tape_->wish(v);
      v = {tape_->made(v).like};
    }
    return std::string(tape_->texts[net_->name_of_value(v.id)]);
  }

 private:
  forward_net<N> const* net_;
  gradient_tape const* tape_;
  op_index op_ = npos;
};

}  // namespace plait
