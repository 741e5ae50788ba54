// Blobs of a net that are never in use at once become one blob, so that a runtime which keeps a tensor a name needs
// less memory.
//
// Follows Caffe2's memonger: optimize_inference_fast and optimize_interference for ops that run in order,
// compute_blob_recycling_for_dag (share_grad_blobs, optimize_inference_for_dag) for those that run as soon as they can.
// Unlike there, nested nets and control inputs count as uses, aliases are left alone, and in order the number of blobs
// is the least that there can be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/net/detail/name_map.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/dependency_graph.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/blob_colouring.hpp>
#include <plait/transform/detail/blob_uses.hpp>
#include <plait/transform/detail/rename_blobs.hpp>

namespace plait {

struct share_options {
  /// Blobs that stay what they are. External ones do anyway, and those that are not made by the net itself.
  std::vector<std::string> keep = {};
  /// Which blobs may be shared; all, where it is empty.
  std::function<bool(std::string_view)> only = {};
  /// For runtimes that run an op as soon as what it waits for is done: a blob takes another's place only where every
  /// use of that comes before by dependencies, so that ops can overlap as they could.
  bool any_order = false;
  /// Shared blobs are called `<scope>/__m<k>_shared`; without a scope `__m<k>_shared`.
  std::string scope = {};
  /// Bytes of a blob, where known: a blob then takes the place of one of its own size, or near it.
  std::function<std::optional<std::uint64_t>(std::string_view)> bytes = {};
};

/// What sharing did.
struct blob_sharing {
  name_map renamed;                ///< in the order in which the ops write the blobs
  std::size_t candidates = 0;      ///< blobs that could have been shared
  std::size_t shared = 0;          ///< and how many there are in their place
  std::uint64_t bytes = 0;         ///< of the candidates, by share_options::bytes
  std::uint64_t shared_bytes = 0;  ///< of what is in their place: each as large as the largest it stands for
};

namespace detail {

// What may share a place with others, in the order of first uses.
template <has_text N>
std::vector<blob_colouring::candidate> sharing_candidates(N const& n, ssa_form<N> const& ssa, blob_uses const& uses,
                                                          share_options const& options) {
  // By blob: the device of the ops that write it.
  constexpr std::size_t unknown = static_cast<std::size_t>(-1);
  constexpr std::size_t several = unknown - 1;
  std::vector<std::size_t> device(ssa.blob_bound(), unknown);
  std::vector<std::optional<device_spec>> devices;
  op_index at = 0;
  for (auto&& op : plait::ops(n)) {
    std::size_t number = 0;
    if constexpr (device_net<N>) {
      std::optional<device_spec> const here = net_traits_of<N>::device(n, op);
      number = static_cast<std::size_t>(std::ranges::find(devices, here) - devices.begin());
      if (number == devices.size()) devices.push_back(here);
    }
    for (value v : ssa.writes(at))
      device[v.blob] = device[v.blob] == unknown || device[v.blob] == number ? number : several;
    ++at;
  }

  boost::unordered_flat_set<std::string_view> const kept(options.keep.begin(), options.keep.end());
  std::vector<blob_colouring::candidate> candidates;
  for (blob_index b = 0; b != ssa.blob_bound(); ++b) {
    if (uses.ops(b).empty() || !uses.is_internal(b) || device[b] == several) continue;
    auto const key = ssa.name(b);  // a string of its own in some nets
    std::string_view const name = key;
    if (kept.contains(name) || (options.only && !options.only(name))) continue;
    candidates.push_back({b, device[b], options.bytes ? options.bytes(name).value_or(0) : 0});
  }
  std::ranges::stable_sort(candidates, {}, [&](auto const& c) { return uses.first(c.blob); });
  return candidates;
}

}  // namespace detail

/// Finds blobs that can be one, by the uses that blob_uses counts: of those the net makes for itself, all of a place
/// are never in use at once, and an op writes nothing to where it reads another blob, so that no op becomes one in
/// place. Blobs that ops on several devices write are left alone. Nothing is changed.
///
/// O(operands + blobs · free places). With any_order an op knows of 64 uses before it at most, which are the latest:
/// where more places than that are free at once, some are not found.
template <fully_renamable_net N>
[[nodiscard]] blob_sharing find_sharing(N const& n, share_options const& options = {}) {
  auto const ssa = get_ssa(n, {.subnets = true, .control_inputs = true});
  blob_uses const uses(n, ssa);

  std::vector<detail::blob_colouring::candidate> const candidates = detail::sharing_candidates(n, ssa, uses, options);
  detail::blob_colouring colouring(uses);
  std::vector<std::uint32_t> const colours =
      options.any_order
          ? colouring.colour_in_any_order(
                candidates, dependency_graph(n, ssa, {.write_after_read = true, .write_after_write = true}))
          : colouring.colour_in_order(candidates);

  boost::unordered_flat_set<std::string> elsewhere(options.keep.begin(), options.keep.end());
  for (auto&& op : plait::ops(n)) visit_nested_names(n, op, [&](std::string_view name) { elsewhere.emplace(name); });
  std::vector<std::uint32_t> held(colouring.size());
  for (std::uint32_t colour : colours) ++held[colour];
  std::vector<std::string> names(held.size());
  std::size_t number = 0;
  std::string const scope = options.scope.empty() || options.scope.ends_with('/') ? options.scope : options.scope + '/';
  blob_sharing made;
  made.candidates = candidates.size();
  made.shared = held.size();
  for (auto const& c : candidates) made.bytes += c.bytes;
  made.shared_bytes = colouring.bytes();
  for (std::size_t c = 0; c != candidates.size(); ++c) {
    std::string& name = names[colours[c]];
    if (held[colours[c]] < 2) continue;
    while (name.empty()) {
      std::string wanted = scope + "__m" + std::to_string(number++) + "_shared";
      if (!ssa.contains(std::string_view(wanted)) && !elsewhere.contains(wanted)) name = std::move(wanted);
    }
    made.renamed.set(std::string_view(ssa.name(candidates[c].blob)), name);
  }
  return made;
}

/// Does what find_sharing finds and says what that was. The net computes what it did, op by op, and has the same ops in
/// place; a second time finds nothing (but see find_sharing). Strong guarantee: throws net_error, changing nothing,
/// where a nested net cannot be read.
template <fully_renamable_net N>
blob_sharing share_blobs(N& n, share_options const& options = {}) {
  blob_sharing made = find_sharing(std::as_const(n), options);
  if (!made.renamed.empty()) rename_blobs(n, made.renamed, name_capture::merge);
  return made;
}

}  // namespace plait
