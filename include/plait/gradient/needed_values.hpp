// Values of the net that gradient ops read although a later op of the net overwrites them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/npos.hpp>
#include <plait/gradient/forward_net.hpp>
#include <plait/gradient/gradient_options.hpp>
#include <plait/gradient/gradient_tape.hpp>
#include <plait/gradient/scope_names.hpp>
#include <plait/gradient/value_names.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// A value that is gone when a gradient op needs it.
struct overwritten_value {
  plait::value what;
  op_index reader;  ///< the op of the net whose gradient it is; npos: of several
};

/// Finds such values on a tape, and provides them in one of the ways of overwritten_values. O(operands).
template <gradient_net N>
class needed_values {
 public:
  /// `repeatable`: whether an op of the net gives the same when it runs again.
  needed_values(gradient_tape& tape, forward_net<N> const& net, std::function<bool(op_index)> repeatable)
      : tape_(&tape), net_(&net), form_(&net.form()), repeatable_(std::move(repeatable)) {}

  /// Changes the tape's operands where a value is provided otherwise; ops that run again join the order.
  void provide(std::vector<std::uint32_t>& order, overwritten_values how) {
    how_ = how;
    std::vector<std::uint32_t> provided;
    provided.reserve(order.size());
    for (std::uint32_t op : order) {
      for (std::uint32_t i = 0; i != tape_->ops()[op].inputs; ++i) {
        gradient_operand const wanted = tape_->inputs(op)[i];
        gradient_operand const there = provide(wanted, tape_->ops()[op].source, provided);
        if (there == wanted) continue;
        tape_->inputs(op)[i] = there;
        if (tape_->find_details(op) != nullptr)  // nets inside know it by what it was called
          for (auto& [v, called] : tape_->edit_details(op).called)
            if (v == wanted) v = there;
      }
      provided.push_back(op);
    }
    order = std::move(provided);
  }
  /// The same for an operand that the result of the pass names: what stands in for it, itself unless it is gone.
  gradient_operand provide_result(gradient_operand v, std::vector<std::uint32_t>& order) {
    return provide(v, npos, order);
  }

  std::vector<overwritten_value> const& missing() const noexcept { return missing_; }
  /// In the order of their positions.
  std::vector<saved_value> const& saved() const noexcept { return saved_; }

  /// Gives the copies names that nothing else in the scope has, and lets them stand from the start.
  void name_saved(value_names& names, scope_names const& scope) {
    boost::unordered_flat_map<blob_index, std::uint32_t> next;
    for (auto const& [id, made] : copies_) {
      value const v = net_->value_at(id);
      std::string const blob = net_->text(v.blob);
      std::string name = blob + "_saved";
      for (std::uint32_t& k = next[v.blob]; scope.contains(name);) name = blob + "_saved_" + std::to_string(k++);
      names.hold(tape_->texts.intern(name), made);
      names.keep(made);
      op_index const producer = form_->producing_op(v);
      saved_.push_back({{}, producer == npos ? 0 : producer + 1, blob, name});
    }
    std::ranges::stable_sort(saved_, {}, &saved_value::position);
  }

 private:
  bool is_gone(gradient_operand v) const {
    if (tape_->is_made(v)) return false;
    value const at = net_->value_at(v.id);
    return at.version != form_->version(at.blob);
  }

  // What stands in for an operand, which is the operand itself unless it is gone.
  gradient_operand provide(gradient_operand v, op_index reader, std::vector<std::uint32_t>& order) {
    if (!is_gone(v)) return v;
    gradient_operand instead;
    if (how_ == overwritten_values::copy)
      instead = save(v);
    else if (how_ == overwritten_values::recompute)
      instead = repeat(v, order);
    if (instead) return instead;
    note_missing(v, reader);
    return v;
  }

  gradient_operand save(gradient_operand v) {
    auto const [at, added] = again_.try_emplace(v.id);
    if (added) copies_.emplace_back(v.id, at->second = tape_->make_value(symbol()));
    return at->second;
  }

  // The value anew, from ops that run once more after the net; none if one of them cannot.
  gradient_operand repeat(gradient_operand wanted, std::vector<std::uint32_t>& order) {
    struct step {
      std::uint32_t id;
      bool entered = false;  // it waits for what lies above it
    };
    std::vector<step> pending = {{wanted.id}};
    while (!pending.empty()) {
      step& top = pending.back();
      if (again_.contains(top.id)) {
        pending.pop_back();
        continue;
      }
      op_index const producer = form_->producing_op(net_->value_at(top.id));
      if (top.entered) {
        run_again(producer, order);
        continue;
      }
      top.entered = true;
      if (producer == npos || !repeatable_(producer) || lost_.contains(top.id)) {
        for (step const& s : pending)
          if (s.entered) lost_.insert(s.id);
        return {};
      }
      for (value u : form_->reads(producer))
        if (gradient_operand const in{form_->index(u)}; is_gone(in) && !again_.contains(in.id))
          pending.push_back({in.id});
    }
    return again_.at(wanted.id);
  }
  void run_again(op_index op, std::vector<std::uint32_t>& order) {
    std::vector<gradient_operand> inputs;
    for (value u : form_->reads(op)) {
      gradient_operand const in{form_->index(u)};
      inputs.push_back(is_gone(in) ? again_.at(in.id) : in);
    }
    std::vector<gradient_operand> outputs;
    for (value w : form_->writes(op)) outputs.push_back(tape_->make_value(net_->text(w.blob) + "_again"));
    order.push_back(tape_->add(net_->type(op), op, inputs, outputs, {true, true, false}));
    std::size_t slot = 0;
    for (value w : form_->writes(op)) again_.try_emplace(form_->index(w), outputs[slot++]);
  }

  void note_missing(gradient_operand v, op_index reader) {
    value const what = net_->value_at(v.id);
    if (noted_.insert((std::uint64_t{v.id} << 32) | reader).second) missing_.push_back({what, reader});
  }

  gradient_tape* tape_;
  forward_net<N> const* net_;
  ssa_form<N> const* form_;
  std::function<bool(op_index)> repeatable_;
  std::vector<std::pair<std::uint32_t, gradient_operand>> copies_;
  std::vector<saved_value> saved_;
  boost::unordered_flat_map<std::uint32_t, gradient_operand> again_;  // what stands in for values
  boost::unordered_flat_set<std::uint32_t> lost_;                     // what nothing can stand in for
  overwritten_values how_ = overwritten_values::refuse;
  boost::unordered_flat_set<std::uint64_t> noted_;
  std::vector<overwritten_value> missing_;
};

}  // namespace plait
