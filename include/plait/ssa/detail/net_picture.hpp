// Contents of the picture of a net: which ops and values are drawn, in which cluster, and which are marked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/op_roles.hpp>
#include <plait/ssa/detail/repeated_ops.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait::detail {

/// Contents of the picture of one net. A node is a value in SSA form, else a blob.
template <net N>
class net_picture {
 public:
  /// Ops [first, drawn_end) in a frame; ops [drawn_end, end) repeat them and are not drawn.
  struct cluster {
    op_index first;
    op_index drawn_end;
    op_index end;
    std::string title;
    bool upwards = false;
  };
  /// A read of a repeated op that its first block does not have: of a value of the block before.
  struct carried_read {
    value from;
    op_index to;
  };

  net_picture(ssa_form<N> const& form, bool ssa) : form_(&form), ssa_(ssa), chains_(in_place_chains(form)) {
    hidden_.resize(ssa ? form.value_count() : form.blob_bound());
  }

  /// Adds clusters of `counts` ops each, one after the other.
  void add_cluster(std::size_t ops, std::string title, bool upwards) {
    op_index const first = clusters_.empty() ? 0 : clusters_.back().end;
    auto const end = static_cast<op_index>(std::min<std::size_t>(first + ops, form_->op_count()));
    clusters_.push_back({first, end, end, std::move(title), upwards});
  }
  /// Makes each repeat a cluster of its first block, whose values represent those of the other blocks.
  void fold(std::span<std::string const> labels);
  void mark_dead_ops(std::vector<bool> dead) { dead_ = std::move(dead); }
  /// Hides the values on entry for which `is_parameter` holds by value.
  void hide(std::vector<bool> const& is_parameter) {
    for (blob_index b : form_->blobs()) {
      value const v{b, form_->first_version(b)};
      if (!is_parameter[form_->index(v)] || form_->producing_op(v) != npos) continue;
      if (!ssa_ && form_->version(b) != v.version) continue;  // the node is that of later versions, too
      hidden_[node(v)] = true;
      ++hidden_parameters_;
    }
  }
  /// Assigns each node to the cluster of the drawn op that mentions it first. To be called last.
  void place();

  std::vector<cluster> const& clusters() const { return clusters_; }
  std::vector<carried_read> const& carried_reads() const { return carried_; }
  std::size_t hidden_parameters() const { return hidden_parameters_; }
  std::size_t folded_ops() const { return folded_ops_; }
  bool is_dead(op_index op) const { return !dead_.empty() && dead_[op]; }
  /// Returns the number of the in-place chain of a value; npos if it is in none.
  std::uint32_t chain(value v) const { return chains_[form_->index(v)]; }
  /// Returns true if the op overwrites the value with one computed from it.
  bool is_overwritten_by(value v, op_index op) const {
    value const after{v.blob, v.version + 1};
    return chain(v) != npos && form_->contains(after) && chain(after) == chain(v) && form_->producing_op(after) == op;
  }
  /// Returns true if the value is the result of an op that overwrites the value before.
  bool overwrites(value v) const {
    if (v.version == form_->first_version(v.blob) || form_->producing_op(v) == npos) return false;
    return is_overwritten_by({v.blob, v.version - 1}, form_->producing_op(v));
  }

  /// Returns the value that is drawn in place of a value.
  value shown(value v) const { return shown_.empty() ? v : shown_[form_->index(v)]; }
  std::size_t node(value v) const { return ssa_ ? form_->index(v) : v.blob; }
  bool is_hidden(value v) const { return hidden_[node(v)]; }
  /// Returns the cluster of a value's node; clusters().size() for none.
  std::size_t cluster_of(value v) const { return cluster_of_.empty() ? 0 : cluster_of_[node(v)]; }

 private:
  ssa_form<N> const* form_;
  bool ssa_;
  std::vector<std::uint32_t> chains_;    // by value
  std::vector<bool> dead_;               // by op; empty: unknown
  std::vector<bool> hidden_;             // by node
  std::vector<value> shown_;             // by value; empty: the value itself
  std::vector<std::size_t> cluster_of_;  // by node
  std::vector<cluster> clusters_;
  std::vector<carried_read> carried_;
  std::size_t hidden_parameters_ = 0;
  std::size_t folded_ops_ = 0;
};

template <net N>
void net_picture<N>::fold(std::span<std::string const> labels) {
  std::vector<repeated_ops> const repeats = repeat_finder<N>(*form_, labels).find();
  if (repeats.empty()) return;
  for (blob_index b : form_->blobs())
    for (std::uint32_t version = form_->first_version(b); version <= form_->version(b); ++version)
      shown_.push_back({b, version});
  std::vector<bool> is_drawn(form_->op_count(), true);
  for (repeated_ops const& r : repeats) {
    op_index const end = r.first + r.count * r.period;
    clusters_.push_back(
        {r.first, r.first + r.period, end,
         "\u00d7 " + std::to_string(r.count) + ": ops " + std::to_string(r.first) + " to " + std::to_string(end - 1)});
    folded_ops_ += end - r.first - r.period;
    for (op_index op = r.first + r.period; op != end; ++op) {
      is_drawn[op] = false;
      auto const before = form_->writes(op - r.period);
      for (std::size_t slot = 0; slot != before.size(); ++slot)
        shown_[form_->index(form_->writes(op)[slot])] = shown_[form_->index(before[slot])];
    }
    for (op_index op = r.first; op != r.first + r.period; ++op) {
      auto const first = form_->reads(op);
      auto const second = form_->reads(op + r.period);
      for (std::size_t slot = 0; slot != first.size(); ++slot) {
        op_index const writer = form_->producing_op(second[slot]);
        if (writer != npos && writer >= r.first && writer < end &&
            node(shown(second[slot])) != node(shown(first[slot])))
          carried_.push_back({shown(second[slot]), op});
      }
    }
  }

  // A node is hidden if nothing that is drawn mentions one of its values.
  std::vector<bool> mentioned(hidden_.size());
  std::vector<bool> hides(hidden_.size());
  for (op_index op = 0; op != form_->op_count(); ++op)
    for (auto operands : {form_->reads(op), form_->writes(op)})
      for (value v : operands) (is_drawn[op] ? mentioned[node(shown(v))] : hides[node(v)]) = true;
  for (value v : form_->external_outputs()) mentioned[node(shown(v))] = true;
  for (std::size_t i = 0; i != hidden_.size(); ++i) hidden_[i] = hides[i] && !mentioned[i];
}

template <net N>
void net_picture<N>::place() {
  if (clusters_.empty()) return;
  cluster_of_.assign(hidden_.size(), npos);
  std::size_t at = 0;
  for (op_index op = 0; op != form_->op_count(); ++op) {
    while (at != clusters_.size() && op >= clusters_[at].end) ++at;
    std::size_t number = clusters_.size();
    if (at != clusters_.size() && op >= clusters_[at].first) {
      if (op >= clusters_[at].drawn_end) continue;
      number = at;
    }
    for (auto operands : {form_->reads(op), form_->writes(op)})
      for (value v : operands)
        if (std::size_t& placed = cluster_of_[node(shown(v))]; placed == npos) placed = number;
  }
  for (std::size_t& placed : cluster_of_)
    if (placed == npos) placed = clusters_.size();
}

}  // namespace plait::detail
