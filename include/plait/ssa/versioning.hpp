// SSA form of a net: the version of each blob that every op reads and writes.
//
// A blob is a variable; each write creates a new version; version 0 is the value on entry. The rules are those of
// Caffe2's core.get_ssa (2018): the versions of all outputs of an op are incremented first and then assigned, so an
// in-place op reads v and writes v + 1, and an op that lists one output twice writes only the second of the two
// versions, in both slots. Unlike the original, the result includes blobs that are read without being declared.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/raise.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/core/detail/uninitialized_allocator.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/blob_table.hpp>
#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/op_index.hpp>

namespace plait {

/// One version of a blob.
struct value {
  blob_index blob = npos;
  std::uint32_t version = 0;
  friend constexpr bool operator==(value const&, value const&) = default;
  friend constexpr auto operator<=>(value const&, value const&) = default;
};

/// An operand of an op: its `slot`-th input, or output. Implicit operands (ssa_options) follow the explicit ones, so
/// their slots are at or above the number of the op's explicit inputs or outputs.
struct operand {
  op_index op = npos;
  std::uint32_t slot = 0;
  friend constexpr bool operator==(operand const&, operand const&) = default;
  friend constexpr auto operator<=>(operand const&, operand const&) = default;
};

struct ssa_options {
  /// Adds the outer blobs that nested nets read and write to the operands of their op (implicit_operands.hpp).
  bool subnets = false;
  /// Adds control inputs to the reads; with subnets, also those of ops in nested nets.
  bool control_inputs = false;
  /// Skips nested nets that cannot be read: their op has its explicit operands only. Otherwise they cause a net_error.
  bool skip_unreadable = false;
};

/// SSA form of a net: a side table that refers to the net, which must outlive it unchanged. Queries are O(1) unless
/// noted; compute() is O(operands + blobs) time and space, in a few arrays that a second compute() reuses.
template <net N>
class ssa_form {
 public:
  using key_type = name_key_t<N>;

  constexpr explicit ssa_form(N const& n) : blobs_(n) {}
  template <class Because = because::it_refers_to_the_net_so_a_temporary_is_refused>
  explicit ssa_form(N const&&) = delete;

  /// Computes the form of `n`. `initial` yields (key, version) pairs: the versions of blobs before the net runs, such
  /// as versions() of the net before it, but not of this object. Throws net_error for an initial version of 2^31 or
  /// more.
  template <std::ranges::input_range Versions>
  constexpr void compute(N const& n, Versions&& initial, ssa_options const& options = {});
  template <class Because = because::it_refers_to_the_net_so_a_temporary_is_refused, class... More>
  void compute(N const&&, More&&...) = delete;

  /// Returns the options, which define what counts as an operand.
  constexpr ssa_options const& options() const noexcept { return options_; }

  // ---- ops
  constexpr std::size_t op_count() const noexcept { return reads_.size(); }
  constexpr std::span<value const> reads(op_index op) const { return reads_[op]; }
  constexpr std::span<value const> writes(op_index op) const { return writes_[op]; }
  /// Returns the number of reads of all ops.
  constexpr std::size_t read_count() const noexcept { return reads_.item_count(); }

  /// The values that one op reads and writes.
  struct op_values {
    ssa_form const* form;
    op_index index;
    constexpr std::span<value const> reads() const { return form->reads(index); }
    constexpr std::span<value const> writes() const { return form->writes(index); }
  };
  /// Returns the ops in order, as op_values.
  constexpr auto ops() const {
    return std::views::iota(op_index{0}, static_cast<op_index>(op_count())) |
           std::views::transform([this](op_index op) {
             return op_values{this, op};
           });
  }

  // ---- blobs
  /// Returns the blobs that occur in the net or have an initial version, in the order of the blob numbers.
  constexpr auto blobs() const {
    return std::views::iota(blob_index{0}, static_cast<blob_index>(blob_bound())) |
           std::views::filter([this](blob_index b) { return occurs(b); });
  }
  /// Returns one more than the largest blob number, for side tables.
  constexpr std::size_t blob_bound() const noexcept { return shift_.size() - 1; }
  constexpr key_type name(blob_index b) const { return blobs_.name(b); }
  constexpr key_type name(value v) const { return blobs_.name(v.blob); }
  /// Returns the number of a blob, npos if it does not occur.
  constexpr blob_index find(key_type const& key) const {
    blob_index const b = blobs_.find(key);
    return b != npos && occurs(b) ? b : npos;
  }
  constexpr bool contains(key_type const& key) const { return find(key) != npos; }
  /// Looks up by string_view where keys are std::string.
  template <std::same_as<std::string_view> Text>
    requires std::same_as<key_type, std::string>
  constexpr blob_index find(Text text) const {
    return find(key_type(text));
  }
  template <std::same_as<std::string_view> Text>
    requires std::same_as<key_type, std::string>
  constexpr bool contains(Text text) const {
    return find(text) != npos;
  }

  /// Returns the last version of a blob: after the net has run.
  constexpr std::uint32_t version(blob_index b) const { return first_value(b + 1) - shift_[b] - 1; }
  /// Returns the last version of a blob by name; throws net_error if there is none. TRAP: where names are of type
  /// blob_index, this overload does not exist: use version(find(name)).
  constexpr std::uint32_t version(key_type const& key) const
    requires(!std::is_same_v<key_type, blob_index>)
  {
    blob_index const b = find(key);
    if (b == npos) raise(net_error("plait: the net has no blob '" + blob_text(key) + '\'', {}, blob_text(key)));
    return version(b);
  }
  /// Returns the first version of a blob: 0, or the initial one.
  constexpr std::uint32_t first_version(blob_index b) const { return first_.empty() ? 0 : first_[b]; }
  /// Returns (key, last version) of every blob: the initial versions of a net that runs after this one.
  constexpr auto versions() const {
    return blobs() | std::views::transform([this](blob_index b) { return std::pair(name(b), version(b)); });
  }

  // ---- values
  constexpr std::size_t value_count() const noexcept { return producers_.size(); }
  constexpr bool contains(value v) const {
    return occurs(v.blob) && v.version >= first_version(v.blob) && v.version <= version(v.blob);
  }
  /// Returns the number of a value, below value_count(); the values of a blob are consecutive.
  constexpr std::uint32_t index(value v) const {
    PLAIT_ASSERT(contains(v), "ssa_form: no such value");
    return shift_[v.blob] + v.version;
  }
  /// Returns the op that writes a value; npos for a value on entry.
  constexpr op_index producing_op(value v) const { return producers_[index(v)]; }
  /// Returns the output that writes a value; nullopt for a value on entry. O(outputs of that op).
  constexpr std::optional<operand> producer(value v) const {
    op_index const op = producers_[index(v)];
    if (op == npos) return std::nullopt;
    std::span<value const> const row = writes(op);
    std::size_t slot = row.size();  // from the end: of two slots with one value, the last is the producer
    while (row[--slot] != v) {
    }
    return operand{op, static_cast<std::uint32_t>(slot)};
  }
  /// Returns the inputs that read a value, in op order; an op that reads it twice is listed twice.
  constexpr std::span<operand const> consumers(value v) const { return consumers_[index(v)]; }

  // ---- the net's boundary
  /// Returns the external inputs, in order, at their first version.
  constexpr std::span<value const> external_inputs() const noexcept { return external_inputs_; }
  /// Returns the external outputs, in order, at their last version.
  constexpr std::span<value const> external_outputs() const noexcept { return external_outputs_; }
  /// Returns the blobs read at version 0: the inputs that the net needs, declared or not, in order of first read.
  /// O(operands).
  constexpr std::vector<blob_index> undefined() const;
  /// Returns the blobs that are read before any write and missing from the net's external inputs; empty for a net that
  /// declares none.
  constexpr std::span<blob_index const> undeclared_inputs() const noexcept { return undeclared_; }
  /// Returns the external outputs that are neither written nor inputs.
  constexpr std::span<blob_index const> unwritten_outputs() const noexcept { return unwritten_; }

 private:
  static constexpr std::uint32_t unseen = npos;
  static constexpr std::uint32_t version_limit = std::uint32_t{1} << 31;

  static std::string blob_text(key_type const& key) {
    if constexpr (std::is_convertible_v<key_type const&, std::string_view>)
      return std::string(std::string_view(key));
    else
      return {};
  }

  static constexpr std::size_t external_total(N const& n) {
    if constexpr (std::ranges::sized_range<decltype(plait::external_inputs(n))>)
      return static_cast<std::size_t>(std::ranges::size(plait::external_inputs(n)));
    else
      return 0;
  }

  // Returns the index of a blob's first value; that of the next blob's if it has none.
  constexpr std::uint32_t first_value(blob_index b) const { return shift_[b] + first_version(b); }
  constexpr bool occurs(blob_index b) const { return b < blob_bound() && first_value(b) != first_value(b + 1); }

  // During compute(), shift_ holds the last version so far of each blob. It grows with the blob numbers.
  constexpr std::uint32_t& last(blob_index b) {
    while (b >= shift_.size()) shift_.push_back(unseen);
    return shift_[b];
  }
  constexpr void read(blob_index b, bool declares_inputs) {
    std::uint32_t& version = last(b);
    if (version == unseen) {
      version = 0;
      if (declares_inputs) undeclared_.push_back(b);
    }
    reads_.push({b, version});
  }
  constexpr void write(blob_index b) {
    std::uint32_t& version = last(b);
    version = version == unseen ? 1 : version + 1;
    writes_.push({b, version});
  }
  // `shadowed`: values that no output has, since their op lists the blob twice.
  constexpr void index_values(std::span<value const> shadowed);

  blob_table<N> blobs_;
  ssa_options options_;
  csr<value> reads_;
  csr<value> writes_;
  std::vector<std::uint32_t> shift_ = {0};  // by blob, and one more: index of a value minus its version, mod 2^32
  std::vector<std::uint32_t> first_;        // by blob, and one more: its first version; empty without initial versions
  std::vector<op_index, uninitialized_allocator<op_index>> producers_;  // by value
  csr<operand> consumers_;                                              // by value
  std::vector<value> external_inputs_;
  std::vector<value> external_outputs_;
  std::vector<blob_index> undeclared_;
  std::vector<blob_index> unwritten_;
};

namespace detail {
template <class N, class Op>
void compute_implicit(implicit_operands<N>& implicit, N const& n, Op const& op, ssa_options const& options) {
  if (!options.skip_unreadable) return implicit.compute(n, op, options.control_inputs);
  attempt<net_error>([&] { implicit.compute(n, op, options.control_inputs); },
                     [&](net_error const&) { implicit.clear(); });
}
}  // namespace detail

template <net N>
template <std::ranges::input_range Versions>
constexpr void ssa_form<N>::compute(N const& n, Versions&& initial, ssa_options const& options) {
  options_ = options;
  blobs_.reset(n);
  external_inputs_.reserve(external_total(n));
  if constexpr (std::ranges::sized_range<detail::ops_range_t<N>>) {
    auto const op_total = static_cast<std::size_t>(std::ranges::size(plait::ops(n)));
    std::size_t const blob_total = op_total + external_total(n);  // estimate: each op adds one
    blobs_.reserve(blob_total);
    shift_.reserve(blob_total + 1);
    reads_.reserve(op_total, 2 * op_total);
    writes_.reserve(op_total, op_total);
  }
  reads_.clear();
  writes_.clear();
  shift_.assign(blobs_.size(), unseen);
  external_inputs_.clear();
  external_outputs_.clear();
  undeclared_.clear();
  unwritten_.clear();

  bool any_given = false;
  for (auto const& [key, version] : initial) {
    any_given = true;
    if (static_cast<std::uint64_t>(version) >= version_limit)
      raise(net_error("plait: initial version of 2^31 or more", {}, blob_text(key_type(key))));
    blob_index const b = blobs_.intern_key(key);
    last(b) = static_cast<std::uint32_t>(version);
  }

  first_.clear();
  if (any_given) {
    first_ = shift_;
    std::ranges::replace(first_, unseen, 0u);
  }

  bool declares_inputs = false;
  for (auto const& name : plait::external_inputs(n)) {
    declares_inputs = true;
    blob_index const b = blobs_.intern(name);
    std::uint32_t& version = last(b);
    if (version == unseen) version = 0;
    external_inputs_.push_back({b, version});
  }

  std::vector<value> shadowed;
  implicit_operands<N> implicit;
  for (auto&& op : plait::ops(n)) {
    detail::prefetch(std::addressof(op), 3072);
    reads_.prefetch();
    writes_.prefetch();
    for (auto const& name : plait::inputs(n, op)) read(blobs_.intern(name), declares_inputs);
    if (options.control_inputs)
      for (auto const& name : plait::control_inputs(n, op)) read(blobs_.intern(name), declares_inputs);
    if constexpr (has_subnets<N>) {
      if (options.subnets) {
        detail::compute_implicit(implicit, n, op, options);
        for (auto const& key : implicit.reads()) read(blobs_.intern_key(key), declares_inputs);
        for (auto const& key : implicit.weak_updates())
          if (blob_index const b = blobs_.intern_key(key); last(b) != unseen) read(b, declares_inputs);
      }
    }
    reads_.end_row();

    for (auto const& name : plait::outputs(n, op)) write(blobs_.intern(name));
    if constexpr (has_subnets<N>)
      if (options.subnets)
        for (auto const& key : implicit.writes()) write(blobs_.intern_key(key));
    for (value& v : writes_.open_row()) {
      if (v.version != shift_[v.blob]) shadowed.push_back(v);
      v.version = shift_[v.blob];
    }
    writes_.end_row();
  }

  for (auto const& name : plait::external_outputs(n)) {
    blob_index const b = blobs_.intern(name);
    std::uint32_t& version = last(b);
    if (version == unseen) {
      version = 0;
      unwritten_.push_back(b);
    }
    external_outputs_.push_back({b, version});
  }
  if (any_given) first_.resize(shift_.size() + 1, 0);
  index_values(shadowed);
}

template <net N>
constexpr void ssa_form<N>::index_values(std::span<value const> shadowed) {
  producers_.resize(shift_.size() + writes_.item_count());
  std::uint32_t values = 0;
  for (blob_index b = 0; b != shift_.size(); ++b) {
    std::uint32_t const last_version = std::exchange(shift_[b], values - first_version(b));
    if (last_version == unseen) continue;
    producers_[values] = npos;
    values += last_version - first_version(b) + 1;
  }
  shift_.push_back(values);
  producers_.resize(values);
  for (value v : shadowed) producers_[index(v)] = npos;

  consumers_.start_counting(values);
  for (value const& v : reads_.items()) {
    detail::prefetch(&v, 1024);
    consumers_.count(index(v));
  }
  consumers_.end_counting();
  for (op_index op = 0; op != op_count(); ++op) {
    std::span<value const> const row = writes(op);
    detail::prefetch(row.data(), 1024);
    for (value v : row) {
      op_index& producer = producers_[index(v)];
      detail::prefetch(&producer, 1024);
      producer = op;
    }
  }
  for (auto op = static_cast<op_index>(op_count()); op-- != 0;) {
    std::span<value const> const row = reads(op);
    detail::prefetch(row.data(), -1024);
    for (auto slot = static_cast<std::uint32_t>(row.size()); slot-- != 0;)
      consumers_.place_descending(index(row[slot]), {op, slot});
  }
}

template <net N>
constexpr std::vector<blob_index> ssa_form<N>::undefined() const {
  std::vector<blob_index> found;
  std::vector<char> seen(blob_bound(), 0);  // not vector<bool>, whose libstdc++ 12 form clang cannot evaluate
  for (value v : reads_.items())
    if (v.version == 0 && seen[v.blob] == 0) {
      seen[v.blob] = 1;
      found.push_back(v.blob);
    }
  return found;
}

/// Returns the SSA form of a net.
template <net N>
[[nodiscard]] constexpr ssa_form<N> get_ssa(N const& n, ssa_options const& options = {}) {
  ssa_form<N> form(n);
  form.compute(n, std::vector<std::pair<name_key_t<N>, std::uint32_t>>(), options);
  return form;
}

/// Returns the SSA form of a net with initial versions: a range of (key, version) pairs, such as a map.
template <net N, std::ranges::input_range Versions>
[[nodiscard]] constexpr ssa_form<N> get_ssa(N const& n, Versions&& initial, ssa_options const& options = {}) {
  ssa_form<N> form(n);
  form.compute(n, std::forward<Versions>(initial), options);
  return form;
}

/// Returns the SSA form of a net that runs after another one (init net, then predict net): numbering continues.
template <net N, net Before>
[[nodiscard]] constexpr ssa_form<N> get_ssa(N const& n, ssa_form<Before> const& before,
                                            ssa_options const& options = {}) {
  return get_ssa(n, before.versions(), options);
}

template <net N, class Because = because::it_refers_to_the_net_so_a_temporary_is_refused, class... More>
void get_ssa(N const&&, More&&...) = delete;

}  // namespace plait
