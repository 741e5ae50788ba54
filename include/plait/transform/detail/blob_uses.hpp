// Which ops a blob is in use by: what decides whether two blobs can be one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>

#include <plait/core/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

namespace detail {
/// Op types of Caffe2 whose output is another name of what the input holds.
inline bool makes_alias(std::string_view op_type) { return op_type == "Alias" || op_type == "AliasWithName"; }
}  // namespace detail

/// By blob number of an ssa_form: the ops that read, write or mention each blob, nets inside them included. By name,
/// not by version: a blob that is written again is in use in between.
///
/// Follows Caffe2's memonger.compute_ranges, which knows of no nested nets and control inputs.
class blob_uses {
 public:
  /// `ssa` must count subnets and control inputs (ssa_options). O(operands + nested nets).
  template <has_text N>
  blob_uses(N const& n, ssa_form<N> const& ssa);

  /// Ascending, without repeats; empty for numbers that no blob has.
  std::span<op_index const> ops(blob_index b) const { return ops_[b]; }
  op_index first(blob_index b) const { return ops(b).front(); }
  op_index last(blob_index b) const { return ops(b).back(); }
  /// Whether the net makes all that is in it, in memory that is nobody else's, under a name that can be changed. Not
  /// so: externals; what is read before it is written; what an `Alias` reads or makes; what an op makes that holds
  /// nets, as it may be in their memory (RecurrentNetwork) or not be made (If); what nets use that see the blobs around
  /// them (If, While) or are bound to them (Do).
  bool is_internal(blob_index b) const { return internal_[b]; }
  /// Whether an op may have to wait for another though no dependency of values says so: where an aliased blob is
  /// written again, so that memory is written under one name and read under another, or read before it is made; and
  /// where there are nets inside ops that may do either, or may be run or not, which are all but plain steps of
  /// recurrences.
  bool has_hidden_dependencies() const noexcept { return has_hidden_dependencies_; }

 private:
  csr<op_index> ops_;  // by blob
  std::vector<bool> internal_;
  bool has_hidden_dependencies_ = false;
};

template <has_text N>
blob_uses::blob_uses(N const& n, ssa_form<N> const& ssa) : internal_(ssa.blob_bound()) {
  std::vector<std::vector<op_index>> touching(ssa.blob_bound());
  std::vector<op_index> written(ssa.blob_bound(), npos);  // the last op so far that has it as an output
  std::vector<bool> outside(ssa.blob_bound());
  op_index at = 0;
  for (auto&& op : plait::ops(n)) {
    auto const own = ssa.writes(at).first(static_cast<std::size_t>(std::ranges::distance(outputs(n, op))));
    for (value v : own) written[v.blob] = at;
    auto const touch = [&](blob_index b) {
      auto& all = touching[b];
      if (!all.empty() && all.back() == at) return;
      if (all.empty() && written[b] != at) outside[b] = true;
      all.push_back(at);
    };
    for (value v : ssa.reads(at)) touch(v.blob);
    for (value v : ssa.writes(at)) touch(v.blob);

    if constexpr (has_subnets<N>) {
      bool nets = false;
      bool others = false;  // that are run in the workspace around, or on what is bound
      for (auto&& s : subnets(n, op)) {
        nets = true;
        others = others || s.scope != subnet_scope::child;
        for (auto&& inner : plait::ops(*s.net))
          has_hidden_dependencies_ = has_hidden_dependencies_ || has_nested_nets(*s.net, inner);
        for (auto const& local : s.locals)  // of the same name as a blob around
          if (blob_index const b = ssa.find(local); b != npos) outside[b] = true;
      }
      visit_nested_names(n, op, [&](std::string_view name) {
        blob_index const b = ssa.find(name);
        if (b == npos) return;
        touch(b);
        if (others || !nested_editable_net<N>) outside[b] = true;
      });
      if (nets)
        for (value v : ssa.writes(at)) outside[v.blob] = true;
      if (others)
        for (value v : ssa.reads(at)) outside[v.blob] = true;
      has_hidden_dependencies_ = has_hidden_dependencies_ || others;
    }
    if constexpr (typed_net<N>)
      if (detail::makes_alias(op_type(n, op)) && !std::ranges::empty(inputs(n, op))) {
        auto const pin = [&](value v, std::uint32_t writes) {
          outside[v.blob] = true;
          has_hidden_dependencies_ = has_hidden_dependencies_ || ssa.version(v.blob) > writes;
        };
        value const source = ssa.reads(at).front();
        pin(source, source.version == 0 ? 0 : 1);
        for (value v : own) {
          pin(v, 1);
          // What a run before this one left there is read.
          has_hidden_dependencies_ = has_hidden_dependencies_ || !ssa.consumers({v.blob, 0}).empty();
        }
      }
    ++at;
  }
  for (blob_index b : ssa.undefined()) outside[b] = true;
  for (value v : ssa.external_inputs()) outside[v.blob] = true;
  for (value v : ssa.external_outputs()) outside[v.blob] = true;

  ops_.reserve(ssa.blob_bound(), ssa.read_count());
  for (blob_index b = 0; b != ssa.blob_bound(); ++b) {
    internal_[b] = !outside[b] && !touching[b].empty();
    for (op_index op : touching[b]) ops_.push(op);
    ops_.end_row();
  }
}

}  // namespace plait
