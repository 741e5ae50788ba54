// To-be-recorded (TBR) analysis: finds forward values that gradient ops read after a later op has overwritten them, and
// saves or rematerialises them.
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

#include <plait/core/detail/npos.hpp>
#include <plait/gradient/detail/equal_shapes.hpp>
#include <plait/gradient/detail/forward_net.hpp>
#include <plait/gradient/detail/forward_values.hpp>
#include <plait/gradient/detail/gradient_options.hpp>
#include <plait/gradient/detail/gradient_tape.hpp>
#include <plait/gradient/detail/operand_uses.hpp>
#include <plait/gradient/detail/scope_names.hpp>
#include <plait/gradient/detail/value_names.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// A forward value that is overwritten before a gradient op reads it.
struct overwritten_value {
  plait::value what;
  op_index reader;  ///< the forward op whose gradient reads it; npos: a result of the pass
};

/// Policy by which needed_values provides overwritten values.
struct value_policy {
  overwritten_values how = overwritten_values::refuse;
  bool copy_the_rest = false;   ///< save values that cannot be recomputed
  bool exact_operands = false;  ///< no substitutes for operands whose shape or device alone is read (Caffe2)
};

/// Finds overwritten operands on a tape and replaces them according to overwritten_values: by saved copies or by
/// recomputations. An operand whose shape or device alone is read is replaced by any value that agrees in it.
/// O(operands).
template <gradient_net N>
class needed_values final : public forward_values {
 public:
  /// `repeatable`: returns true for forward ops that may be recomputed (deterministic).
  needed_values(gradient_tape& tape, forward_net<N> const& net, std::function<bool(op_index)> repeatable)
      : tape_(&tape), net_(&net), form_(&net.form()), repeatable_(std::move(repeatable)), shapes_(net) {}

  /// Sets the policy, and what is known of a blob shared with the enclosing net. Call them first.
  void set_policy(value_policy policy) { policy_ = policy; }
  void share(blob_index b, shared_value const& outside) {
    if (outside.availability != value_availability::kept) outer_availability_.insert_or_assign(b, outside.availability);
    if (outside.is_set) first_set_.insert_or_assign(b, form_->first_version(b));
  }

  value_availability availability(gradient_operand v) override {
    if (tape_->is_made(v)) return value_availability::kept;
    value const at = net_->value_at(v.id);
    if (!is_gone(v)) {
      auto const known = outer_availability_.find(at.blob);
      return known == outer_availability_.end() ? value_availability::kept : known->second;
    }
    if (policy_.how == overwritten_values::refuse) return value_availability::refused;
    if (policy_.how == overwritten_values::recompute && can_repeat(v)) return value_availability::kept;
    if (policy_.how == overwritten_values::recompute && !policy_.copy_the_rest) return value_availability::overwritten;
    return is_set(at) ? value_availability::kept : value_availability::overwritten;
  }
  bool is_set(gradient_operand v) override { return tape_->is_made(v) || is_set(net_->value_at(v.id)); }
  gradient_operand find_shaped(gradient_operand like) override {
    if (tape_->is_made(like)) return like;
    auto const found =
        shapes_.find(net_->value_at(like.id), [&](value v) { return is_set(v) && is_kept(net_->operand(v)); });
    return found ? net_->operand(*found) : gradient_operand();
  }

  /// Replaces overwritten operands on the tape and inserts recomputed ops into the order.
  void provide(std::vector<std::uint32_t>& order) {
    std::vector<std::uint32_t> provided;
    provided.reserve(order.size());
    for (std::uint32_t op : order) {
      for (std::uint32_t i = 0; i != tape_->ops()[op].inputs; ++i) {
        gradient_operand const wanted = tape_->inputs(op)[i];
        gradient_operand const there = provide(wanted, op, i, provided);
        if (there == wanted) continue;
        tape_->inputs(op)[i] = there;
        if (tape_->find_details(op) != nullptr)  // nested nets keep their name for it
          for (auto& [v, called] : tape_->edit_details(op).bound)
            if (v == wanted) v = there;
      }
      provided.push_back(op);
    }
    order = std::move(provided);
  }
  /// Like provide(), for an operand that is a result of the pass. Returns its replacement, itself if it is not
  /// overwritten.
  gradient_operand provide_result(gradient_operand v, std::vector<std::uint32_t>& order) {
    return provide_elements(v, npos, order);
  }

  std::vector<overwritten_value> const& missing() const noexcept { return missing_; }
  /// Returns the copies to insert, by position.
  std::vector<saved_value> const& saved() const noexcept { return saved_; }

  /// Gives the saved copies names that are unique in the scope, and marks them live from the start.
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
      saved_.push_back({{}, producer == npos ? 0 : producer + 1, blob, name, !policy_.exact_operands && !is_set(v)});
    }
    std::ranges::stable_sort(saved_, {}, &saved_value::position);
  }

 private:
  bool is_gone(gradient_operand v) const {
    if (tape_->is_made(v)) return false;
    value const at = net_->value_at(v.id);
    if (at.version != form_->version(at.blob)) return true;
    auto const known = outer_availability_.find(at.blob);
    return known != outer_availability_.end() && known->second == value_availability::overwritten;
  }
  bool is_kept(gradient_operand v) const {
    return !is_gone(v) && (tape_->is_made(v) || !outer_availability_.contains(net_->value_at(v.id).blob));
  }
  // Returns true if a value exists in every run, so that an op of this net can copy it: nested nets may leave blobs
  // unset. Nested nets that read the elements of other values save these themselves.
  bool is_set(value v) {
    auto const [at, added] = first_set_.try_emplace(v.blob, npos);
    if (added)
      for (std::uint32_t k = form_->first_version(v.blob); k <= form_->version(v.blob) && at->second == npos; ++k) {
        op_index const producer = form_->producing_op({v.blob, k});
        if (producer == npos ? is_read({v.blob, k}) : !net_->has_nets(producer)) at->second = k;
      }
    op_index const producer = form_->producing_op(v);
    return (at->second <= v.version && (producer == npos || net_->type(producer) != "Free")) || is_read(v);
  }
  // A value is set if an op without nested nets reads it, or an If reads it as its condition. The other operands of ops
  // with nested nets may be unset, and so may declared external inputs.
  bool is_read(value v) const {
    return std::ranges::any_of(form_->consumers(v), [&](operand const& by) {
      std::string_view const type = net_->type(by.op);
      return net_->has_nets(by.op) ? type == "If" && by.slot == 0 : type != "ZerosLike";
    });
  }

  // Returns the replacement of an operand of a gradient op, itself if it is not overwritten.
  gradient_operand provide(gradient_operand v, std::uint32_t op, std::uint32_t input,
                           std::vector<std::uint32_t>& order) {
    if (!is_gone(v)) return v;
    if (!policy_.exact_operands) {
      operand_use const use = use_of(op, input);
      if (use == operand_use::shape)
        if (gradient_operand const shaped = find_shaped(v); shaped && may_read(op, shaped)) return shaped;
      if (use == operand_use::device && is_last_on_device(v, tape_->ops()[op].source))
        return net_->operand(net_->last(net_->value_at(v.id).blob));
    }
    return provide_elements(v, tape_->ops()[op].source, order);
  }
  gradient_operand provide_elements(gradient_operand v, op_index reader, std::vector<std::uint32_t>& order) {
    if (!is_gone(v)) return v;
    gradient_operand instead;
    if (policy_.how == overwritten_values::recompute) instead = repeat(v, order);
    if (!instead && (policy_.how == overwritten_values::copy || policy_.copy_the_rest)) instead = save(v);
    if (instead) return instead;
    note_missing(v, reader);
    return v;
  }
  operand_use use_of(std::uint32_t op, std::uint32_t input) const {
    gradient_tape::details const* const more = tape_->find_details(op);
    if (more == nullptr) return use_of_operand(tape_->texts[tape_->ops()[op].type], input);
    if (std::ranges::find(more->shapes, tape_->operands(op)[input]) != more->shapes.end()) return operand_use::shape;
    bool const from_shape =
        std::ranges::find(more->arguments, "input_as_shape", &argument_spec::name) != more->arguments.end();
    return use_of_operand(tape_->texts[tape_->ops()[op].type], input, from_shape);
  }
  // Returns true if an op can read a value in addition to its inputs: Do cannot bind a blob twice.
  bool may_read(std::uint32_t op, gradient_operand v) {
    gradient_tape::details const* const more = tape_->find_details(op);
    return more == nullptr || more->nets.empty() || std::ranges::find(tape_->inputs(op), v) == tape_->inputs(op).end();
  }
  // Returns true if the last value of a blob is on the device of an earlier value, which `reader`, a copy, reads.
  bool is_last_on_device(gradient_operand v, op_index reader) {
    value const at = net_->value_at(v.id);
    value const last = net_->last(at.blob);
    op_index const producer = form_->producing_op(at);
    return is_set(last) && is_kept(net_->operand(last)) &&
           net_->device(producer == npos ? reader : producer) == net_->device(form_->producing_op(last));
  }

  gradient_operand save(gradient_operand v) {
    auto const [at, added] = again_.try_emplace(v.id);
    if (added) copies_.emplace_back(v.id, at->second = tape_->make_value(symbol()));
    return at->second;
  }

  bool can_repeat(gradient_operand wanted) {
    return find_repeats(
        wanted, [this](std::uint32_t id, op_index) { repeats_.insert(id); }, repeats_);
  }
  // Rematerialises a value: appends its producers to the order. Returns none if one of them cannot be recomputed.
  gradient_operand repeat(gradient_operand wanted, std::vector<std::uint32_t>& order) {
    bool const found = find_repeats(
        wanted, [&](std::uint32_t, op_index op) { run_again(op, order); }, again_);
    return found ? again_.at(wanted.id) : gradient_operand();
  }
  // Calls f(value, op) for the ops to recompute for a value, producers first; `known`: values that are available by
  // then. Returns false if one of the ops cannot be recomputed.
  template <class F, class Known>
  bool find_repeats(gradient_operand wanted, F f, Known const& known) {
    struct step {
      std::uint32_t id;
      bool entered = false;  // waits for the steps above it
    };
    std::vector<step> pending = {{wanted.id}};
    while (!pending.empty()) {
      step& top = pending.back();
      if (known.contains(top.id)) {
        pending.pop_back();
        continue;
      }
      op_index const producer = form_->producing_op(net_->value_at(top.id));
      if (top.entered) {
        f(top.id, producer);
        continue;
      }
      top.entered = true;
      if (producer == npos || !repeatable_(producer) || lost_.contains(top.id)) {
        for (step const& s : pending)
          if (s.entered) lost_.insert(s.id);
        return false;
      }
      for (value u : form_->reads(producer))
        if (gradient_operand const in{form_->index(u)}; is_gone(in) && !known.contains(in.id))
          pending.push_back({in.id});
    }
    return true;
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
  boost::unordered_flat_map<std::uint32_t, gradient_operand> again_;  // replacements of values
  boost::unordered_flat_set<std::uint32_t> lost_;                     // values that cannot be recomputed
  boost::unordered_flat_set<std::uint32_t> repeats_;                  // values that can_repeat has accepted
  value_policy policy_;
  boost::unordered_flat_map<blob_index, value_availability>
      outer_availability_;                                          // of what the net leaves, unless it is kept
  boost::unordered_flat_map<blob_index, std::uint32_t> first_set_;  // the first version that is there in every run
  equal_shapes<N> shapes_;
  boost::unordered_flat_set<std::uint64_t> noted_;
  std::vector<overwritten_value> missing_;
};

}  // namespace plait
