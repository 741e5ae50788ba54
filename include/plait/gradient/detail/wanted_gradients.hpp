// Activity of values and ops: which gradients a backward pass needs, and where there can be none.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/gradient/detail/backward_problems.hpp>
#include <plait/gradient/detail/forward_net.hpp>
#include <plait/gradient/detail/gradient_options.hpp>
#include <plait/gradient/detail/inactive_blobs.hpp>
#include <plait/gradient/detail/op_rules.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Activity analysis of a net: the values that depend on gradient_options::only, and the inactive ones, which no
/// gradient can flow through. Refers to its constructor arguments. Time and space are linear in the net.
template <gradient_net N>
class wanted_gradients {
 public:
  wanted_gradients(forward_net<N> const& net, op_rules<N> const& rules, gradient_options const& options)
      : net_(&net), rules_(&rules), options_(&options) {}

  /// Sets the analysis of nested nets, which the passes over all of them share. `inside`: this net is a nested one.
  void look_into(inactive_blobs& nets, bool inside) {
    nets_ = &nets;
    inside_ = inside;
  }

  /// Marks the values that depend on requested blobs. Reports requested blobs that the net lacks. Call it after
  /// forward_net::compute.
  void mark(backward_problems<N>& problems) {
    ssa_form<N> const& form = net_->form();
    asked_.assign(form.blob_bound(), false);
    if (options_->only.empty()) return;
    reached_.assign(form.value_count(), false);
    for (std::string const& name : options_->only) {
      blob_index const b = net_->find(name);
      if (b == npos) {
        problems.add(std::nullopt, name, "the net has no blob '" + name + "', whose gradient is requested");
        continue;
      }
      asked_[b] = true;
      for (std::uint32_t k = form.first_version(b); k <= form.version(b); ++k) reached_[form.index({b, k})] = true;
    }
    for (op_index op = 0; op != form.op_count(); ++op)
      if (std::ranges::any_of(form.reads(op), [&](value v) { return reached_[form.index(v)]; }))
        for (value v : form.writes(op)) reached_[form.index(v)] = true;
  }

  /// Returns true if the gradient of a blob is requested.
  bool is_asked_for(blob_index b) const { return options_->only.empty() || asked_[b]; }
  /// Returns true if a value depends on blobs whose gradients are requested ("varied" in activity analysis).
  bool is_reached(value v) const { return reached_.empty() || reached_[net_->form().index(v)]; }
  bool is_reached(op_index op) const {
    return reached_.empty() || std::ranges::any_of(net_->form().reads(op), [&](value v) { return is_reached(v); });
  }

  /// Returns true if an op reads inactive values only (see gradient_rule::has_inactive_outputs), and no blob that is
  /// requested by name: then it needs no gradient. Always false for Caffe2, where each op on the path needs one.
  bool is_inactive(op_index op) {
    if (options_->as_caffe2) return false;
    mark_inactive();
    return reads_only_inactive(op);
  }

  /// Marks inactive values, once.
  void mark_inactive() {
    if (!inactive_.empty()) return;
    ssa_form<N> const& form = net_->form();
    inactive_.assign(form.value_count(), false);
    if constexpr (std::same_as<N, netdef>)
      if (inside_)
        for (std::string const& name : nets_->before(net_->net()))
          if (blob_index const b = net_->find(name); b != npos)
            inactive_[form.index({b, form.first_version(b)})] = !asked_[b];
    for (op_index op = 0; op != form.op_count(); ++op) {
      if (mark_nets(op)) continue;
      gradient_rule const* const rule = (*rules_)[op];
      bool const inactive = rule != nullptr && rule->how == gradient_rule::kind::none && rule->has_inactive_outputs;
      if (!inactive && !reads_only_inactive(op)) continue;
      for (value v : form.writes(op)) inactive_[form.index(v)] = !asked_[v.blob];
    }
  }

 private:
  bool reads_only_inactive(op_index op) const {
    auto const reads = net_->form().reads(op);
    return !reads.empty() && std::ranges::all_of(reads, [&](value v) { return inactive_[net_->form().index(v)] != 0; });
  }

  // Marks the outputs of an op with nested nets. Returns false for other ops.
  bool mark_nets(op_index op) {
    if constexpr (std::same_as<N, netdef>) {
      if (nets_ == nullptr || !inactive_blobs::has_nets(net_->type(op))) return false;
      ssa_form<N> const& form = net_->form();
      inactive_blobs::names const inactive = inside_ ? nets_->after(net_->net(), op) : walk(op);
      for (value v : form.writes(op))
        inactive_[form.index(v)] = !asked_[v.blob] && inactive.contains(net_->text(v.blob));
      return true;
    } else {
      return false;
    }
  }
  inactive_blobs::names walk(op_index op) {
    ssa_form<N> const& form = net_->form();
    inactive_blobs::op seen{std::string(net_->type(op)), subnets(net_->net(), net_->op(op)), {}};
    for (value v : form.writes(op)) seen.outputs.push_back(net_->text(v.blob));
    inactive_blobs::names before;
    for (value v : form.reads(op))
      if (inactive_[form.index(v)] != 0) before.insert(net_->text(v.blob));
    return nets_->walk(std::move(seen), [&](std::string_view name) { return before.contains(std::string(name)); });
  }

  forward_net<N> const* net_;
  op_rules<N> const* rules_;
  gradient_options const* options_;
  std::vector<char> asked_;     // by blob
  std::vector<char> reached_;   // by value; empty: all
  std::vector<char> inactive_;  // by value; empty until mark_inactive
  inactive_blobs* nets_ = nullptr;
  bool inside_ = false;
};

}  // namespace plait
