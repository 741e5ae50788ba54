// Buffer sharing: blobs whose live ranges do not overlap become one, which saves memory where each name is a tensor.
//
// Follows Caffe2's memonger: optimize_inference_fast and optimize_interference for ops that run in order,
// compute_blob_recycling_for_dag (share_grad_blobs, optimize_inference_for_dag) for ops that run as soon as their
// inputs are ready.
// Unlike there, nested nets and control inputs count as uses, aliased blobs are not shared, and in order the number of
// blobs is minimal (interval colouring, blob_colouring.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
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
  /// Blobs to keep. External blobs, and those that the net does not produce itself, are kept as well.
  std::vector<std::string> keep = {};
  /// Predicate of the blobs that may be shared; all if it is empty.
  std::function<bool(std::string_view)> only = {};
  /// For runtimes that run an op as soon as its dependences are satisfied: a blob reuses the buffer of another only if
  /// every use of that comes before by dependences, so that no parallelism is lost.
  bool any_order = false;
  /// Shared blobs are called `<scope>/__m<k>_shared`; without a scope `__m<k>_shared`.
  std::string scope = {};
  /// Bytes of a blob, where known: a blob then reuses a buffer of its own size, or near it.
  std::function<std::optional<std::uint64_t>(std::string_view)> bytes = {};
};

/// Result of sharing.
struct blob_sharing {
  name_map renamed;                ///< in the order in which the ops write the blobs
  std::size_t candidates = 0;      ///< blobs that could have been shared
  std::size_t shared = 0;          ///< buffers that replace them
  std::uint64_t bytes = 0;         ///< bytes of the candidates, by share_options::bytes
  std::uint64_t shared_bytes = 0;  ///< bytes of the buffers: each as large as its largest candidate
};

namespace detail {

// Returns the blobs that may share a buffer, in the order of first uses. `may_share`: predicate of names; `bytes`:
// their sizes.
template <has_text N, class MayShare, class Bytes>
constexpr std::vector<blob_colouring::candidate> sharing_candidates(N const& n, ssa_form<N> const& ssa,
                                                                    blob_uses const& uses, MayShare may_share,
                                                                    Bytes bytes) {
  // By blob: the device of the ops that write it.
  constexpr std::size_t unknown = static_cast<std::size_t>(-1);
  constexpr std::size_t several = unknown - 1;
  std::vector<std::size_t> device(ssa.blob_bound(), unknown);
  [[maybe_unused]] std::conditional_t<device_net<N>, std::vector<std::optional<device_spec>>, int> devices{};
  op_index at = 0;
  for ([[maybe_unused]] auto&& op : plait::ops(n)) {
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

  std::vector<blob_colouring::candidate> candidates;
  for (blob_index b = 0; b != ssa.blob_bound(); ++b) {
    if (uses.ops(b).empty() || !uses.is_internal(b) || device[b] == several) continue;
    auto const key = ssa.name(b);  // a std::string in some nets
    std::string_view const name = key;
    if (may_share(name)) candidates.push_back({b, device[b], bytes(name)});
  }
  std::ranges::sort(candidates, {}, [&](auto const& c) { return std::pair(uses.first(c.blob), c.blob); });
  return candidates;
}
inline auto may_share(share_options const& options) {
  boost::unordered_flat_set<std::string_view> kept(options.keep.begin(), options.keep.end());
  return [kept = std::move(kept), &options](std::string_view name) {
    return !kept.contains(name) && (!options.only || options.only(name));
  };
}
inline auto bytes_of(share_options const& options) {
  return
      [&options](std::string_view name) { return options.bytes ? options.bytes(name).value_or(0) : std::uint64_t{0}; };
}

}  // namespace detail

/// Finds blobs that can share a buffer, by the uses that blob_uses counts. Candidates are internal blobs of the net;
/// those of one buffer are never live at once, and an op writes no buffer from which it reads another blob, so that no
/// op becomes in-place. Blobs that ops on several devices write are kept. Changes nothing.
///
/// O(operands + blobs · free colours). With any_order, at most the latest 64 uses before an op are tracked: where more
/// colours than that are free at once, some are not found.
template <fully_renamable_net N>
[[nodiscard]] blob_sharing find_sharing(N const& n, share_options const& options = {}) {
  auto const ssa = get_ssa(n, {.subnets = true, .control_inputs = true});
  blob_uses const uses(n, ssa);

  std::vector<detail::blob_colouring::candidate> const candidates =
      detail::sharing_candidates(n, ssa, uses, detail::may_share(options), detail::bytes_of(options));
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

/// Applies what find_sharing finds and returns it. The net computes what it did, op by op, and has the same ops in
/// place; a second run finds nothing (but see find_sharing). Strong guarantee: throws net_error, changing nothing, if a
/// nested net cannot be read.
template <fully_renamable_net N>
blob_sharing share_blobs(N& n, share_options const& options = {}) {
  blob_sharing made = find_sharing(std::as_const(n), options);
  if (!made.renamed.empty()) rename_blobs(n, made.renamed, name_capture::merge);
  return made;
}

}  // namespace plait
