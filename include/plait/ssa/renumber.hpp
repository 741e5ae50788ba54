// SSA form in names that the net makes itself: ssa_rewrite for nets whose names are numbers or pointers.
//
//   plait::ssa_renaming const changed = plait::ssa_renumber(block);    // no register is written twice
//
// For nets with the hook new_name and those that rename (net/mutation.hpp), without nets inside ops. All names are made
// before anything else is changed. O(operands) time and space.
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
#include <plait/ssa/rewrite.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Old and new names of declared externals, in order.
template <class Name>
struct ssa_renaming {
  std::vector<std::pair<Name, Name>> inputs;
  std::vector<std::pair<Name, Name>> outputs;
};

/// A net that can be renumbered.
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

  // Makes all names. Nothing else of the net has changed where it throws.
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
        raise(net_error("plait: new_name(n, name) made a name for version " + std::to_string(v.version) + " of blob '" +
                            label(b) + "' that the net has already",
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

  // Names and the values they stand for. Returns how many there are.
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
  // Not by its key, which may be text that making names has moved.
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
  std::vector<std::uint32_t> versions_;    // by blob: how many occur
};

}  // namespace detail

/// Renames the blobs of a net so that each version has its own name, as ssa_rewrite does, which see for `naming`: here
/// new names are what the net's new_name makes.
///
/// Throws net_error, changing nothing: for an external output that is neither written nor given, and where new_name
/// makes a name that the net has. What it made until then is not used.
template <ssa_renumberable_net N>
ssa_renaming<name_t<N>> ssa_renumber(N& n, ssa_naming naming = ssa_naming::every_version) {
  detail::ssa_renumberer<N> renumberer(std::as_const(n));
  renumberer.make_names(n, naming);
  return renumberer.apply(n);
}

}  // namespace plait
