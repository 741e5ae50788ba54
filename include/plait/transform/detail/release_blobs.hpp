// Early release: inserts an op `Free` after the last use of each blob.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/blob_uses.hpp>

namespace plait {

struct release_options {
  /// Blobs to keep. External outputs of the net are kept as well.
  std::vector<std::string> keep = {};
  /// Predicate of the blobs that may be freed; all if it is empty.
  std::function<bool(std::string_view)> only = {};
};

/// A blob and the op that reads it last.
struct released_blob {
  op_index after = npos;
  std::string name;
  friend bool operator==(released_blob const&, released_blob const&) = default;
};

/// Finds the blobs that can be freed: written by an op that always writes them, before they are read; read at least
/// once; neither external outputs nor sources of an `Alias`. An input of the net is among them if the net overwrites it
/// unread. The result is in the order of the ops, and for each op in reverse order of its reads. Changes nothing.
/// O(operands + nested nets).
///
/// Follows Caffe2's memonger.release_blobs_when_used, except that reads by control inputs and by nested nets count, and
/// that a blob which an If may leave unwritten is not freed.
template <has_text N>
[[nodiscard]] std::vector<released_blob> find_released_blobs(N const& n, release_options const& options = {}) {
  auto const ssa = get_ssa(n, {.subnets = true, .control_inputs = true});
  std::vector<std::vector<blob_index>> reads;            // by op, without repeats
  std::vector<op_index> listed(ssa.blob_bound(), npos);  // the last op that lists it
  std::vector<bool> read(ssa.blob_bound());
  std::vector<bool> made(ssa.blob_bound());   // written by an op before any read
  std::vector<bool> stays(ssa.blob_bound());  // aliased, or needed after the run
  for (value v : ssa.external_outputs()) stays[v.blob] = true;
  for (auto&& op : plait::ops(n)) {
    auto const at = static_cast<op_index>(reads.size());
    std::vector<blob_index>& here = reads.emplace_back();
    auto const add = [&](blob_index b) {
      if (std::exchange(listed[b], at) != at) here.push_back(b);
    };
    bool alias = false;
    if constexpr (typed_net<N>) alias = detail::makes_alias(op_type(n, op));
    for (value v : ssa.reads(at)) add(v.blob);
    if (alias && !here.empty()) stays[here.front()] = true;
    std::size_t const reads_itself = here.size();
    // Nested nets also name what the op writes. (Weak updates are among the reads.)
    for (value v : ssa.writes(at)) listed[v.blob] = at;
    if constexpr (has_subnets<N>)
      visit_nested_names(n, op, [&](std::string_view name) {
        if (blob_index const b = ssa.find(name); b != npos) add(b);
      });
    if (alias) continue;
    for (std::size_t i = 0; i != reads_itself; ++i) read[here[i]] = true;
    for (value v : ssa.writes(at))
      if (!read[v.blob]) made[v.blob] = true;
  }

  boost::unordered_flat_set<std::string_view> const kept(options.keep.begin(), options.keep.end());
  std::vector<released_blob> found;
  for (auto at = static_cast<op_index>(reads.size()); at-- != 0;)
    for (blob_index b : reads[at]) {
      if (!read[b] || !made[b] || stays[b]) continue;
      stays[b] = true;               // earlier readers are not the last
      auto const key = ssa.name(b);  // a std::string in some nets
      std::string_view const name = key;
      if (!kept.contains(name) && (!options.only || options.only(name))) found.push_back({at, std::string(name)});
    }
  std::ranges::reverse(found);
  return found;
}

/// Inserts an op `Free` for each blob that find_released_blobs finds, in place, and returns these. Not idempotent: an
/// op `Free` reads the blob. Strong guarantee.
template <extensible_net N>
  requires has_text<N>
std::vector<released_blob> release_blobs(N& n, release_options const& options = {}) {
  std::vector<released_blob> found = find_released_blobs(std::as_const(n), options);
  std::vector<std::uint32_t> positions;
  std::vector<op_spec> specs;
  for (released_blob const& r : found) {
    positions.push_back(r.after + 1);
    specs.push_back({.type = "Free", .inputs = {r.name}, .outputs = {r.name}});
  }
  insert_ops(n, positions, specs);
  return found;
}

}  // namespace plait
