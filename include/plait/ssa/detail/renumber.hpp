// SSA renaming of nets whose names are numbers or pointers: ssa_rewrite with names from the net's new_name.
//
//   plait::ssa_renaming const changed = plait::ssa_renumber(block);    // no register is written twice
//
// For nets with new_name and the renaming hooks (net/mutation.hpp), without nested nets. All names are created before
// anything else is changed. O(operands) time and space.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/blob_label.hpp>
#include <plait/ssa/detail/rewrite_names.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Old and new names of external inputs and outputs, in order.
template <class Name>
struct ssa_renaming {
  std::vector<std::pair<Name, Name>> inputs;
  std::vector<std::pair<Name, Name>> outputs;
};

/// A net for ssa_renumber.
template <class N>
concept ssa_renumberable_net =
    renamable_net<N> && renamable_externals<N> && renamable_controls<N> && naming_net<N> && !has_subnets<N>;

namespace detail {

template <net N>
class ssa_renumberer {
  using traits = net_traits_of<N>;
  using name = name_t<N>;

 public:
  explicit ssa_renumberer(N const& n)
      : ssa_(get_ssa(n, {.control_inputs = true})),
        old_(ssa_.blob_bound()),
        made_(ssa_.value_count()),
        occurs_(ssa_.value_count(), 0),
        versions_(ssa_.blob_bound(), 0) {
    if (!ssa_.unwritten_outputs().empty()) {
      std::string const blob = blob_label(ssa_, ssa_.unwritten_outputs().front());
      raise(net_error("plait: external output '" + blob + "' is neither written by an op nor an input of the net", {},
                      blob));
    }
    note_occurrences(external_inputs(n), ssa_.external_inputs());
    op_index at = 0;
    for (auto&& op : plait::ops(n)) {
      std::span<value const> const reads = ssa_.reads(at);
      note_occurrences(control_inputs(n, op), reads.subspan(note_occurrences(inputs(n, op), reads)));
      note_occurrences(outputs(n, op), ssa_.writes(at));
      ++at;
    }
    note_occurrences(external_outputs(n), ssa_.external_outputs());
  }

  // Creates all names. If it throws, nothing else of the net has changed.
  void make_names(N& n, ssa_naming naming) {
    boost::unordered_flat_set<name, std::hash<name>> taken;
    for (blob_index const b : ssa_.blobs())
      if (versions_[b] != 0) taken.insert(*old_[b]);
    for (blob_index const b : ssa_.blobs())
      for (value v{b, 0}; v.version <= ssa_.version(b); ++v.version) {
        std::size_t const i = ssa_.index(v);
        if (occurs_[i] == 0) continue;
        bool const keeps = naming == ssa_naming::several_versions && (v.version == 0 || versions_[b] == 1);
        made_[i] = keeps ? *old_[b] : static_cast<name>(traits::new_name(n, *old_[b]));
        if (keeps || taken.insert(*made_[i]).second) continue;
        auto const by = ssa_.producer(v);
        raise(net_error("plait: new_name(n, name) returned a name for version " + std::to_string(v.version) +
                            " of blob '" + label(b) + "' that the net has already",
                        by ? std::optional<std::size_t>(by->op) : std::nullopt, label(b)));
      }
  }

  ssa_renaming<name> apply(N& n) const {
    op_index at = 0;
    for (auto&& op : traits::ops(n)) {
      std::span<value const> const reads = ssa_.reads(at);
      std::size_t const inputs_end = count(inputs(std::as_const(n), op));
      std::size_t const controls_end = inputs_end + count(control_inputs(std::as_const(n), op));
      std::size_t const outputs_end = count(outputs(std::as_const(n), op));
      for (std::size_t slot = 0; slot != inputs_end; ++slot) traits::set_input(n, op, slot, new_name(reads[slot]));
      if constexpr (has_control_inputs<N>)
        for (std::size_t slot = inputs_end; slot != controls_end; ++slot)
          traits::set_control_input(n, op, slot - inputs_end, new_name(reads[slot]));
      else
        static_cast<void>(controls_end);
      for (std::size_t slot = 0; slot != outputs_end; ++slot)
        traits::set_output(n, op, slot, new_name(ssa_.writes(at)[slot]));
      ++at;
    }
    ssa_renaming<name> result;
    if constexpr (has_external_inputs<N>)
      for (value const v : ssa_.external_inputs()) {
        traits::set_external_input(n, result.inputs.size(), new_name(v));
        result.inputs.emplace_back(*old_[v.blob], new_name(v));
      }
    if constexpr (has_external_outputs<N>)
      for (value const v : ssa_.external_outputs()) {
        traits::set_external_output(n, result.outputs.size(), new_name(v));
        result.outputs.emplace_back(*old_[v.blob], new_name(v));
      }
    return result;
  }

 private:
  static std::size_t count(auto&& range) { return static_cast<std::size_t>(std::ranges::distance(range)); }
  name const& new_name(value v) const { return *made_[ssa_.index(v)]; }

  // Notes the names and occurrences of values. Returns the number of names.
  template <class Names>
  std::size_t note_occurrences(Names&& names, std::span<value const> values) {
    std::size_t slot = 0;
    for (auto&& each : names) {
      value const v = values[slot++];
      if (!old_[v.blob]) old_[v.blob] = static_cast<name const&>(each);
      if (std::exchange(occurs_[ssa_.index(v)], 1) == 0) ++versions_[v.blob];
    }
    return slot;
  }
  // Returns the label of a blob for messages. Not from its key: new_name may have moved the text.
  std::string label(blob_index b) const {
    if constexpr (std::is_integral_v<name>)
      return std::to_string(*old_[b]);
    else
      return '#' + std::to_string(b);
  }

  ssa_form<N> ssa_;
  std::vector<std::optional<name>> old_;   // by blob
  std::vector<std::optional<name>> made_;  // by value
  std::vector<char> occurs_;               // by value
  std::vector<std::uint32_t> versions_;    // by blob: number of versions that occur
};

}  // namespace detail

/// Renames the blobs of a net so that each version has a distinct name, from the net's new_name. `naming` is as for
/// ssa_rewrite.
///
/// Throws net_error and changes nothing for an external output that is neither written nor an input, and if new_name
/// returns a name that the net has. Names created until then stay unused.
template <ssa_renumberable_net N>
ssa_renaming<name_t<N>> ssa_renumber(N& n, ssa_naming naming = ssa_naming::every_version) {
  detail::ssa_renumberer<N> renumberer(std::as_const(n));
  renumberer.make_names(n, naming);
  return renumberer.apply(n);
}

}  // namespace plait
