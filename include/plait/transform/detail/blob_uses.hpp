// Uses of blobs: the ops between whose first and last a blob is live, from which interference follows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>

#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

namespace detail {
/// Returns true for op types of Caffe2 whose output is an alias of the input.
constexpr bool makes_alias(std::string_view op_type) { return op_type == "Alias" || op_type == "AliasWithName"; }
}  // namespace detail

/// Lists, per blob of an ssa_form, the ops that read, write or mention it, nested nets included. By name, not by
/// version: a blob that is written again stays live in between.
///
/// Follows Caffe2's memonger.compute_ranges, which ignores nested nets and control inputs.
class blob_uses {
 public:
  /// `ssa` must count subnets and control inputs (ssa_options). O(operands + nested nets).
  template <net N>
  constexpr blob_uses(N const& n, ssa_form<N> const& ssa);

  /// Returns the ops of a blob, ascending, without repeats; empty for an index that no blob has.
  constexpr std::span<op_index const> ops(blob_index b) const { return ops_[b]; }
  constexpr op_index first(blob_index b) const { return ops(b).front(); }
  constexpr op_index last(blob_index b) const { return ops(b).back(); }
  /// Returns true if the net produces all that the blob holds, in memory without alias, under a name that can be
  /// changed. False for: externals; blobs read before they are written; inputs and outputs of an `Alias`; outputs of an
  /// op that holds nets, as they may alias memory of these (RecurrentNetwork) or not be written (If); blobs used by
  /// nested nets that see the outer blobs (If, While) or are bound to them (Do).
  constexpr bool is_internal(blob_index b) const { return internal_[b] != 0; }
  /// Returns true if an op may depend on another without a dependence of values: where an aliased blob is written
  /// again, so that memory is written under one name and read under another, or read before it is written; and where
  /// nested nets may do either, or may not run, which holds for all but plain steps of recurrences.
  constexpr bool has_hidden_dependencies() const noexcept { return has_hidden_dependencies_; }

 private:
  csr<op_index> ops_;           // by blob
  std::vector<char> internal_;  // not vector<bool>: see ssa_form::undefined
  bool has_hidden_dependencies_ = false;
};

template <net N>
constexpr blob_uses::blob_uses(N const& n, ssa_form<N> const& ssa) : internal_(ssa.blob_bound(), 0) {
  std::vector<std::vector<op_index>> touching(ssa.blob_bound());
  std::vector<op_index> written(ssa.blob_bound(), npos);  // by blob: the last op so far that outputs it
  std::vector<char> outside(ssa.blob_bound(), 0);
  op_index at = 0;
  for (auto&& op : plait::ops(n)) {
    auto const own = ssa.writes(at).first(static_cast<std::size_t>(std::ranges::distance(outputs(n, op))));
    for (value v : own) written[v.blob] = at;
    auto const touch = [&](blob_index b) {
      auto& all = touching[b];
      if (!all.empty() && all.back() == at) return;
      if (all.empty() && written[b] != at) outside[b] = 1;
      all.push_back(at);
    };
    for (value v : ssa.reads(at)) touch(v.blob);
    for (value v : ssa.writes(at)) touch(v.blob);

    if constexpr (has_subnets<N>) {
      bool nets = false;
      bool others = false;  // nets that run in the outer workspace, or on bound blobs
      for (auto&& s : subnets(n, op)) {
        nets = true;
        others = others || s.scope != subnet_scope::child;
        for (auto&& inner : plait::ops(*s.net))
          has_hidden_dependencies_ = has_hidden_dependencies_ || has_nested_nets(*s.net, inner);
        for (auto const& local : s.locals)  // may have the name of an outer blob
          if (blob_index const b = ssa.find(local); b != npos) outside[b] = 1;
      }
      visit_nested_names(n, op, [&](std::string_view name) {
        blob_index const b = ssa.find(name);
        if (b == npos) return;
        touch(b);
        if (others || !nested_editable_net<N>) outside[b] = 1;
      });
      if (nets)
        for (value v : ssa.writes(at)) outside[v.blob] = 1;
      if (others)
        for (value v : ssa.reads(at)) outside[v.blob] = 1;
      has_hidden_dependencies_ = has_hidden_dependencies_ || others;
    }
    if constexpr (typed_net<N>)
      if (detail::makes_alias(op_type(n, op)) && !std::ranges::empty(inputs(n, op))) {
        auto const pin = [&](value v, std::uint32_t writes) {
          outside[v.blob] = 1;
          has_hidden_dependencies_ = has_hidden_dependencies_ || ssa.version(v.blob) > writes;
        };
        value const source = ssa.reads(at).front();
        pin(source, source.version == 0 ? 0 : 1);
        for (value v : own) {
          pin(v, 1);
          // A read before the write sees the value of the previous run.
          has_hidden_dependencies_ = has_hidden_dependencies_ || !ssa.consumers({v.blob, 0}).empty();
        }
      }
    ++at;
  }
  for (blob_index b : ssa.undefined()) outside[b] = 1;
  for (value v : ssa.external_inputs()) outside[v.blob] = 1;
  for (value v : ssa.external_outputs()) outside[v.blob] = 1;

  ops_.reserve(ssa.blob_bound(), ssa.read_count());
  for (blob_index b = 0; b != ssa.blob_bound(); ++b) {
    internal_[b] = outside[b] == 0 && !touching[b].empty() ? 1 : 0;
    for (op_index op : touching[b]) ops_.push(op);
    ops_.end_row();
  }
}

}  // namespace plait
