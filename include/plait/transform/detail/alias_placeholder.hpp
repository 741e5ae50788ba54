// Alias placeholders: AliasWithName, an identity op that requests a name for its input, and its removal by renaming.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/name_map.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/net/detail/op_label.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/blob_label.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Returns an op that requests the name `name` for `input`, and for its `output` as well. Backward: the producer of the
/// input and all its readers take on the name; otherwise this op must be the only reader.
[[nodiscard]] inline op_spec alias_with_name(std::string input, std::string output, std::string name,
                                             bool is_backward = false) {
  return {"AliasWithName",
          {std::move(input)},
          {std::move(output)},
          {{"name", std::move(name)}, {"is_backward", std::int64_t{is_backward}}}};
}

/// Result of fuse_alias_placeholders. Positions are those before the removal.
struct alias_fusion {
  struct naming {
    op_index op;         ///< the alias, removed from the predict net
    std::string before;  ///< its input
    std::string output;  ///< its output
    std::string name;    ///< the new name of both
    friend bool operator==(naming const&, naming const&) = default;
  };
  std::vector<naming> aliases;
};

struct alias_options {
  /// Policy for a name that is taken. merge follows detectron2: an op may then read another value than before.
  name_capture capture = name_capture::refuse;
};

template <class N>
concept alias_fusible_net = attributed_net<N> && renamable_net<N> && renamable_externals<N> && renamable_controls<N> &&
                            op_erasable_net<N> && nameable_net<N>;

namespace detail {

// New names of the values of one net.
template <class N>
class alias_names {
 public:
  explicit alias_names(ssa_form<N> const& ssa) : ssa_(ssa), names_(ssa.value_count(), npos) {}

  ssa_form<N> const& ssa() const { return ssa_; }
  std::uint32_t& operator[](value v) { return names_[ssa_.index(v)]; }
  std::uint32_t operator[](value v) const { return names_[ssa_.index(v)]; }

  void apply(N& n, std::vector<std::string> const& texts) const {
    using traits = net_traits_of<N>;
    std::vector<std::optional<name_t<N>>> made(texts.size());
    auto const name = [&](std::uint32_t which) -> name_t<N> const& {
      if (!made[which]) made[which] = make_name(n, texts[which]);
      return *made[which];
    };
    op_index index = 0;
    for (auto&& op : traits::ops(n)) {
      auto const inputs = static_cast<std::size_t>(std::ranges::distance(plait::inputs(std::as_const(n), op)));
      auto const outputs = static_cast<std::size_t>(std::ranges::distance(plait::outputs(std::as_const(n), op)));
      std::size_t slot = 0;
      for (value v : ssa_.reads(index)) {
        if (std::uint32_t const which = (*this)[v]; which != npos) {
          if (slot < inputs) traits::set_input(n, op, slot, name(which));
          if constexpr (has_control_inputs<N>)
            if (slot >= inputs) traits::set_control_input(n, op, slot - inputs, name(which));
        }
        ++slot;
      }
      slot = 0;
      for (value v : ssa_.writes(index)) {
        if (std::uint32_t const which = (*this)[v]; which != npos && slot < outputs)
          traits::set_output(n, op, slot, name(which));
        ++slot;
      }
      ++index;
    }
    std::size_t slot = 0;
    if constexpr (has_external_inputs<N>)
      for (value v : ssa_.external_inputs()) {
        if (std::uint32_t const which = (*this)[v]; which != npos) traits::set_external_input(n, slot, name(which));
        ++slot;
      }
    slot = 0;
    if constexpr (has_external_outputs<N>)
      for (value v : ssa_.external_outputs()) {
        if (std::uint32_t const which = (*this)[v]; which != npos) traits::set_external_output(n, slot, name(which));
        ++slot;
      }
  }

 private:
  ssa_form<N> const& ssa_;
  std::vector<std::uint32_t> names_;  // by value: index of its new name, npos: keeps its name
};

template <class N>
class alias_fuser {
 public:
  // `init` may be null.
  alias_fuser(N const& predict, N const* init)
      : n_(predict),
        before_(init != nullptr ? std::optional(get_ssa(*init, all_operands)) : std::nullopt),
        ssa_(before_ ? get_ssa(predict, *before_, all_operands) : get_ssa(predict, all_operands)),
        names_(ssa_) {
    if (init != nullptr) init_names_.emplace(*before_);
    is_alias_.resize(ssa_.op_count());
  }

  // `init` is that of the constructor.
  void plan(N const* init, alias_options const& options) {
    op_index index = 0;
    for (auto&& op : plait::ops(n_)) {
      if (op_type(n_, op) == "AliasWithName") add(op, index);
      ++index;
    }
    if (removed_.empty()) return;
    check_nested(n_, names_);
    if (init != nullptr) check_nested(*init, *init_names_);
    if (options.capture == name_capture::refuse) check_capture();
  }

  alias_fusion apply(N& predict, N* init) {
    if (removed_.empty()) return {};
    if (init != nullptr) init_names_->apply(*init, texts_);
    names_.apply(predict, texts_);
    net_traits_of<N>::erase_ops(predict, removed_);
    return std::move(done_);
  }

 private:
  static constexpr ssa_options all_operands{.subnets = true, .control_inputs = true};

  template <class Op>
  void add(Op const& op, op_index index) {
    auto const refuse = [&](std::string const& what, value v = {}) {
      std::string const blob = v.blob == npos ? std::string() : blob_label(ssa_, v.blob);
      return net_error("plait: " + op_label(n_, index) + ' ' + what, index, blob);
    };
    if (std::ranges::distance(plait::inputs(n_, op)) != 1 || std::ranges::distance(plait::outputs(n_, op)) != 1)
      raise(refuse("does not have one input and one output"));
    std::optional<std::string_view> const text = net_traits_of<N>::string_argument(n_, op, "name");
    if (!text || text->empty()) raise(refuse("has no argument 'name'"));
    bool const backward = net_traits_of<N>::int_argument(n_, op, "is_backward").value_or(0) != 0;

    value const in = ssa_.reads(index)[0];
    value const out = ssa_.writes(index)[0];
    if (backward && !ssa_.producer(in))
      raise(
          refuse("names its input '" + blob_label(ssa_, in.blob) + "' backward, but no op of the net writes that", in));
    if (!backward)
      for (operand reader : ssa_.consumers(in))
        if (reader.op != index)
          raise(refuse("names its input '" + blob_label(ssa_, in.blob) + "', which " + op_label(n_, reader.op) +
                           " reads as well: name it backward, from its producer",
                       in));
    auto const [entry, added] = known_texts_.try_emplace(std::string(*text), static_cast<std::uint32_t>(texts_.size()));
    if (added) texts_.emplace_back(*text);
    for (value v : {in, out}) {
      std::uint32_t& name = names_[v];
      if (name != npos && name != entry->second)
        raise(refuse("names '" + blob_label(ssa_, v.blob) + "' '" + std::string(*text) +
                         "', but another alias names it '" + texts_[name] + "'",
                     v));
      name = entry->second;
    }
    // The last version of this name in the init net is the same value.
    if (before_ && in.version == ssa_.first_version(in.blob))
      if (blob_index const b = before_->find(ssa_.name(in.blob)); b != npos)
        (*init_names_)[{b, before_->version(b)}] = entry->second;
    is_alias_[index] = true;
    removed_.push_back(index);
    done_.aliases.push_back({index, blob_label(ssa_, in.blob), blob_label(ssa_, out.blob), texts_[entry->second]});
  }

  // Throws if a nested net uses a value to be renamed: one it refers to by name, or one bound to it where the op would
  // have two names for one blob, or one for two.
  void check_nested(N const& n, alias_names<N> const& names) const {
    if constexpr (has_subnets<N>) {
      ssa_form<N> const& ssa = names.ssa();
      op_index index = 0;
      for (auto&& op : plait::ops(n)) {
        op_index const at = index++;
        if (!has_nested_nets(n, op)) continue;
        boost::unordered_flat_set<std::string> mentioned;
        visit_nested_names(n, op, [&](std::string_view name) { mentioned.emplace(name); });
        bool const binds = binds_nested_net(n, op);
        boost::unordered_flat_map<blob_index, std::string_view> called;
        boost::unordered_flat_map<std::string_view, blob_index> stands_for;
        auto const check = [&](value v) {
          std::string_view const name = name_of(names, v);
          bool const bound_anew = binds && (called.try_emplace(v.blob, name).first->second != name ||
                                            stands_for.try_emplace(name, v.blob).first->second != v.blob);
          std::string const blob = blob_label(ssa, v.blob);
          if (bound_anew || (names[v] != npos && mentioned.contains(blob)))
            raise(net_error(
                "plait: '" + blob + "' cannot be renamed for an alias: a net inside " + op_label(n, at) + " uses it",
                at, blob));
        };
        for (value v : ssa.reads(at)) check(v);
        for (value v : ssa.writes(at)) check(v);
      }
    }
  }

  // Replays both nets under the new names, where a name denotes one value at a time, and throws if an op, or an
  // external output, would get another value than before. Values are numbered init net first; an alias has the number
  // of its input.
  void check_capture() {
    std::size_t const offset = before_ ? before_->value_count() : 0;
    std::vector<std::size_t> same(offset + ssa_.value_count());
    for (std::size_t i = 0; i != same.size(); ++i) same[i] = i;
    if (before_)
      for (blob_index b : before_->blobs()) {
        blob_index const here = ssa_.find(before_->name(b));
        if (here != npos)
          same[offset + ssa_.index({here, ssa_.first_version(here)})] = before_->index({b, before_->version(b)});
      }
    for (op_index op : removed_)
      same[offset + ssa_.index(ssa_.writes(op)[0])] = same[offset + ssa_.index(ssa_.reads(op)[0])];

    if (init_names_) define_inputs(*init_names_, 0, same);
    define_inputs(names_, offset, same);
    if (init_names_) replay(*init_names_, 0, same, {});
    replay(names_, offset, same, is_alias_);
  }

  std::string_view name_of(alias_names<N> const& names, value v) const {
    std::uint32_t const which = names[v];
    return which != npos ? std::string_view(texts_[which]) : std::string_view(names.ssa().name(v));
  }
  net_error captured(alias_names<N> const& names, value v, std::optional<op_index> op, std::string const& where) const {
    std::string const name(name_of(names, v));
    std::string const blob = blob_label(names.ssa(), v.blob);
    return net_error("plait: new name '" + name + "' is taken: with it " + where + " would get another value than '" +
                         blob + "' (version " + std::to_string(v.version) + ')',
                     op ? std::optional<std::size_t>(*op) : std::nullopt, name);
  }
  // Defines the blobs that exist before the nets run.
  void define_inputs(alias_names<N> const& names, std::size_t offset, std::vector<std::size_t> const& same) {
    auto const& ssa = names.ssa();
    std::vector<bool> declared(ssa.blob_bound());
    for (value v : ssa.external_inputs()) declared[v.blob] = true;
    for (value v : ssa.external_outputs())
      if (ssa.producing_op(v) == npos) declared[v.blob] = true;
    for (blob_index b : ssa.blobs()) {
      value const v{b, ssa.first_version(b)};
      std::size_t const which = same[offset + ssa.index(v)];
      bool const used = !ssa.consumers(v).empty() || declared[b];
      if (which != offset + ssa.index(v) || !used) continue;  // written by the init net, or first by the net itself
      auto const [entry, added] = current_.try_emplace(name_of(names, v), which);
      if (!added && entry->second != which) raise(captured(names, v, std::nullopt, "a blob given to the nets"));
    }
  }
  void replay(alias_names<N> const& names, std::size_t offset, std::vector<std::size_t> const& same,
              std::vector<bool> const& skipped) {
    auto const& ssa = names.ssa();
    auto const holds = [&](value v) {
      auto const found = current_.find(name_of(names, v));
      return found != current_.end() && found->second == same[offset + ssa.index(v)];
    };
    for (op_index op = 0; op != ssa.op_count(); ++op) {
      if (!skipped.empty() && skipped[op]) continue;
      for (value v : ssa.reads(op))
        if (!holds(v)) raise(captured(names, v, op, "op " + std::to_string(op)));
      for (value v : ssa.writes(op)) current_[name_of(names, v)] = same[offset + ssa.index(v)];
    }
    for (value v : ssa.external_outputs())
      if (!holds(v)) raise(captured(names, v, std::nullopt, "an external output"));
  }

  N const& n_;
  std::optional<ssa_form<N>> before_;  // form of the init net
  ssa_form<N> ssa_;
  alias_names<N> names_;
  std::optional<alias_names<N>> init_names_;
  std::vector<bool> is_alias_;  // by op
  std::vector<op_index> removed_;
  std::vector<std::string> texts_;
  boost::unordered_flat_map<std::string, std::uint32_t> known_texts_;
  boost::unordered_flat_map<std::string_view, std::size_t> current_;  // by name: the value it denotes during the replay
  alias_fusion done_;
};

}  // namespace detail

/// Gives the input and the output of every AliasWithName the requested name and removes the op, in `predict_net` and in
/// the `init_net` that runs before it: a parameter is also renamed where it is written. Versions are tracked, so that
/// other values of the same blobs keep their names.
///
/// Throws net_error with op and blob, changing neither net: for an alias without name, or without one input and one
/// output; a forward one whose input another op reads; a backward one whose input no op of the predict net writes; two
/// names for one value (an alias of an alias); a value that nested nets use; a name under which an op would then find
/// another value. O(operands). Follows detectron2's fuse_alias_placeholder, which does not detect a name that is taken.
template <alias_fusible_net N>
alias_fusion fuse_alias_placeholders(N& predict_net, N& init_net, alias_options const& options = {}) {
  detail::alias_fuser<N> fuser(predict_net, &init_net);
  fuser.plan(&init_net, options);
  return fuser.apply(predict_net, &init_net);
}

/// Fuses the aliases of a net without an init net.
template <alias_fusible_net N>
alias_fusion fuse_alias_placeholders(N& n, alias_options const& options = {}) {
  detail::alias_fuser<N> fuser(n, nullptr);
  fuser.plan(nullptr, options);
  return fuser.apply(n, nullptr);
}

}  // namespace plait
