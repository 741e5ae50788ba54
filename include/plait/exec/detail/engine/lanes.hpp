// Plans that share kernels, each for a time step of its own: members of engine<B>, included by engine.hpp.
#pragma once

#include <cstddef>

#include <plait/core/assert.hpp>
#include <plait/exec/detail/engine/engine.hpp>

namespace plait {

template <backend B>
bool engine<B>::is_static() const noexcept {
  if (layout_.stages().size() > 1) return false;
  for (op_index op = 0; op != op_count(); ++op)
    if (layout_.gives_results(op) || layout_.reads_elements(op)) return false;
  return true;
}

template <backend B>
engine<B>::engine(engine const& leader, workspace<B>& blobs)
    : kernels_(leader.kernels_),
      layout_(leader.layout_),
      slots_(leader.slots_.size()),
      inputs_(leader.inputs_),
      blobs_(leader.blobs_.size(), nullptr),
      ready_(leader.ready_.size(), false),
      controls_(leader.controls_),
      parallel_(true),
      nested_(leader.nested_),
      op_names_(leader.op_names_),
      blob_names_(leader.blob_names_) {
  PLAIT_ASSERT(leader.is_static(), "plan: shapes are not all known before the first op");
  for (value_number v = 0; v != slots_.size(); ++v) slots_[v].storage = v;
  operand_slots_.reserve(leader.operand_slots_.size());
  for (slot* const at : leader.operand_slots_) operand_slots_.push_back(slots_.data() + (at - leader.slots_.data()));
  slot* const* next = operand_slots_.data();
  details_.reserve(leader.details_.size());
  for (op_index op = 0; op != leader.op_count(); ++op) {
    std::size_t const inputs = layout_.reads(op).size();
    std::size_t const outputs = layout_.writes(op).size();
    details_.push_back({leader.details_[op].type});
    details_.back().resources.runs = runs_.get();
    steps_.push_back(
        {leader.steps_[op].kernel, op_context<B>({next, inputs}, {next + inputs, outputs}), usual_dispatch(op)});
    steps_.back().context.set_resources(&details_.back().resources);
    next += inputs + outputs;
  }
  replaced_.resize(slots_.size());
  memory_.reset(layout_, false);
  rebind(find_blobs(blobs));
}

template <backend B>
void engine<B>::follow(engine const& leader) {
  if (ready_.empty()) return;
  for (op_index op = 0; op != op_count(); ++op) {
    details_[op].resources.packed = leader.details_[op].resources.packed;
    details_[op].sums = leader.details_[op].sums;
    steps_[op].runs = sums_of(op) != nullptr ? dispatch::general : usual_dispatch(op);
  }
  bool same = ready_[0];
  for (value_number v = 0; v != slots_.size(); ++v) same = same && slots_[v].type == leader.slots_[v].type;
  for (op_index op = 0; op != op_count(); ++op) same = same && details_[op].scratch == leader.details_[op].scratch;
  if (!same) {
    ready_[0] = false;
    for (value_number v = 0; v != slots_.size(); ++v) slots_[v].type = leader.slots_[v].type;
    for (op_index op = 0; op != op_count(); ++op) details_[op].scratch = leader.details_[op].scratch;
    find_storages(0, static_cast<op_index>(op_count()));
    place_stage(0);
    ready_[0] = true;
  }
  // Values in given memory.
  for (value_number v = 0; v != slots_.size(); ++v)
    if (memory_.home(v) == npos) slots_[v].data = leader.slots_[v].data;
}

}  // namespace plait
