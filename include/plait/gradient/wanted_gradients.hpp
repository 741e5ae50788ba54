// Which gradients a backward pass is asked for, and where there can be none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plait/core/npos.hpp>
#include <plait/gradient/backward_problems.hpp>
#include <plait/gradient/forward_net.hpp>
#include <plait/gradient/gradient_options.hpp>
#include <plait/gradient/op_rules.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// What gradient_options::only says of the values of a net. Refers to all it is made with. Time and space are linear in
/// the net.
template <gradient_net N>
class wanted_gradients {
 public:
  wanted_gradients(forward_net<N> const& net, op_rules<N> const& rules, gradient_options const& options)
      : net_(&net), rules_(&rules), options_(&options) {}

  /// Once the net is computed. A blob that is asked for and not there is a problem.
  void mark(backward_problems<N>& problems) {
    ssa_form<N> const& form = net_->form();
    asked_.assign(form.blob_bound(), false);
    if (options_->only.empty()) return;
    reached_.assign(form.value_count(), false);
    for (std::string const& name : options_->only) {
      blob_index const b = net_->find(name);
      if (b == npos) {
        problems.add(std::nullopt, name, "the net has no blob '" + name + "', whose gradient is asked for");
        continue;
      }
      asked_[b] = true;
      for (std::uint32_t k = form.first_version(b); k <= form.version(b); ++k) reached_[form.index({b, k})] = true;
    }
    for (op_index op = 0; op != form.op_count(); ++op)
      if (std::ranges::any_of(form.reads(op), [&](value v) { return reached_[form.index(v)]; }))
        for (value v : form.writes(op)) reached_[form.index(v)] = true;
  }

  /// Whether the result is to have the gradient of a blob.
  bool is_asked_for(blob_index b) const { return options_->only.empty() || asked_[b]; }
  /// Whether a value depends on blobs whose gradients are asked for.
  bool is_reached(value v) const { return reached_.empty() || reached_[net_->form().index(v)]; }
  bool is_reached(op_index op) const {
    return reached_.empty() || std::ranges::any_of(net_->form().reads(op), [&](value v) { return is_reached(v); });
  }

  /// Whether an op reads only what comes of ops whose results nobody wants gradients of (gradient_rule::ends), and no
  /// blob that is asked for by name: then it needs no gradient. Not in Caffe2, where each op on the way needs one.
  bool is_behind_an_end(op_index op) {
    if (options_->as_caffe2) return false;
    auto const reads = net_->form().reads(op);
    if (reads.empty()) return false;
    if (ended_.empty()) mark_ended();
    return std::ranges::all_of(reads, [&](value v) { return ended_[net_->form().index(v)] != 0; });
  }

 private:
  void mark_ended() {
    ssa_form<N> const& form = net_->form();
    ended_.assign(form.value_count(), false);
    for (op_index op = 0; op != form.op_count(); ++op) {
      gradient_rule const* const rule = (*rules_)[op];
      bool const ends = rule != nullptr && rule->how == gradient_rule::kind::none && rule->ends;
      if (!ends && !is_behind_an_end(op)) continue;
      for (value v : form.writes(op)) ended_[form.index(v)] = !asked_[v.blob];
    }
  }

  forward_net<N> const* net_;
  op_rules<N> const* rules_;
  gradient_options const* options_;
  std::vector<char> asked_;    // by blob
  std::vector<char> reached_;  // by value; empty: all
  std::vector<char> ended_;    // by value; empty until it is needed
};

}  // namespace plait
