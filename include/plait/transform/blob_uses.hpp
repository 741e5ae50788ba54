// Which ops a blob is in use by: what decides whether two blobs can be one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>

#include <plait/core/csr.hpp>
#include <plait/core/npos.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/nested_names.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// By blob number of an ssa_form: the ops that read, write or mention each blob, nets inside them included. By name,
/// not by version: a blob that is written again is in use in between. What an `Alias` makes stands in the memory of
/// what it reads, so both are in use as long as either is.
///
/// Follows Caffe2's memonger.compute_ranges, which knows of no nested nets, control inputs and aliases.
class blob_uses {
 public:
  /// `ssa` must count subnets and control inputs (ssa_options). O(operands + nested nets).
  template <has_text N>
  blob_uses(N const& n, ssa_form<N> const& ssa);

  /// Ascending, without repeats; empty for numbers that no blob has.
  std::span<op_index const> ops(blob_index b) const { return ops_[alias_of_[b]]; }
  op_index first(blob_index b) const { return ops(b).front(); }
  op_index last(blob_index b) const { return ops(b).back(); }
  /// Whether all that is in it is made by the net, and nobody outside knows it: no external of the net, not read before
  /// it is written, and written first by an output of an op that is always run. Not where it is another name of a blob
  /// for which this does not hold.
  bool is_internal(blob_index b) const { return internal_[alias_of_[b]]; }

 private:
  std::vector<blob_index> alias_of_;  // by blob: the least number of those in the same memory
  csr<op_index> ops_;                 // by blob, of all that share its memory, where it is the least number of these
  std::vector<bool> internal_;
};

template <has_text N>
blob_uses::blob_uses(N const& n, ssa_form<N> const& ssa) : alias_of_(ssa.blob_bound()), internal_(ssa.blob_bound()) {
  std::iota(alias_of_.begin(), alias_of_.end(), blob_index{0});
  auto const root = [this](blob_index b) {
    while (alias_of_[b] != b) b = alias_of_[b] = alias_of_[alias_of_[b]];
    return b;
  };
  std::vector<std::vector<op_index>> touching(ssa.blob_bound());
  std::vector<bool> outside(ssa.blob_bound());
  op_index at = 0;
  for (auto&& op : plait::ops(n)) {
    bool always = true;  // nets inside may be run or not, and write what is the outer net's
    if constexpr (has_subnets<N>)
      for (auto&& s : subnets(n, op)) always = always && s.scope == subnet_scope::child;
    auto const own = ssa.writes(at).first(static_cast<std::size_t>(std::ranges::distance(outputs(n, op))));
    auto const touch = [&](blob_index b) {
      auto& all = touching[b];
      if (!all.empty() && all.back() == at) return;
      if (all.empty() && (!always || std::ranges::find(own, b, &value::blob) == own.end())) outside[b] = true;
      all.push_back(at);
    };
    for (value v : ssa.reads(at)) touch(v.blob);
    for (value v : ssa.writes(at)) touch(v.blob);
    if constexpr (has_subnets<N>)
      visit_nested_names(n, op, [&](std::string_view name) {
        blob_index const b = ssa.find(name);
        if (b == npos) return;
        touch(b);
        if constexpr (!nested_editable_net<N>) outside[b] = true;  // its name cannot be changed there
      });
    if constexpr (typed_net<N>)
      if (op_type(n, op) == "Alias" && !std::ranges::empty(inputs(n, op)))
        for (value v : own) {
          blob_index const from = root(ssa.reads(at).front().blob);
          blob_index const to = root(v.blob);
          alias_of_[std::max(from, to)] = std::min(from, to);
        }
    ++at;
  }
  for (blob_index b : ssa.undefined()) outside[b] = true;
  for (value v : ssa.external_inputs()) outside[v.blob] = true;
  for (value v : ssa.external_outputs()) outside[v.blob] = true;
  for (blob_index b : ssa.unwritten_outputs()) outside[b] = true;

  for (blob_index b = 0; b != ssa.blob_bound(); ++b) internal_[b] = !outside[b] && !touching[b].empty();
  for (blob_index b = 0; b != ssa.blob_bound(); ++b) {
    blob_index const to = alias_of_[b] = root(b);
    if (to == b) continue;
    internal_[to] = internal_[to] && internal_[b];
    touching[to].insert(touching[to].end(), touching[b].begin(), touching[b].end());
  }
  for (auto& all : touching) {
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    for (op_index op : all) ops_.push(op);
    ops_.end_row();
  }
}

}  // namespace plait
