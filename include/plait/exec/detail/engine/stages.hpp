// Stages: inference, and all that follows a change of types. Members of engine<B>, included by engine.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <plait/core/errors.hpp>
#include <plait/exec/detail/engine/engine.hpp>

namespace plait {

template <backend B>
auto engine<B>::usual_dispatch(op_index op) const -> dispatch {
  bool const plain = !layout_.gives_results(op) && layout_.copies(op).empty() && !may_spoil(op);
  return !plain ? dispatch::general : layout_.published(op).empty() ? dispatch::kernel : dispatch::publish;
}

template <backend B>
bool engine<B>::infer(op_index op, known_elements* known) {
  auto const reads = layout_.reads(op);
  auto const writes = layout_.writes(op);
  boost::container::small_vector<tensor_spec const*, 64> inputs;
  bool const objects = details_[op].type->schema.may_take_objects();
  for (std::size_t i = 0; i != reads.size(); ++i) {
    inputs.push_back(&slots_[reads[i]].type);
    if (size_of(inputs[i]->type) == 0 && !objects)
      throw problem(op,
                    "input '" + std::string(value_name(reads[i])) + "' is " + to_string(*inputs[i]) + ", not a tensor",
                    value_name(reads[i]));
  }
  inferred_.assign(writes.size(), {element_type::none, detail::no_elements});
  struct source {
    engine* self;
    op_index op;
    known_elements* known;
  } state{this, op, known};
  shape_context context(
      inputs, inferred_,
      [](void* s, std::size_t i, void* to, std::size_t bytes) {
        auto const& [self, at, elements] = *static_cast<source*>(s);
        value_number const v = self->layout_.reads(at)[i];
        if (elements == nullptr)
          B::copy_to_host(to, self->slots_[v].data, bytes);
        else
          self->read_known(*elements, v, to);
      },
      &state);
  context.name_inputs([](void* s, std::size_t i) {
    auto const& at = *static_cast<source const*>(s);
    return at.self->value_name(at.self->layout_.reads(at.op)[i]);
  });
  if (known != nullptr) {
    known->told.assign(writes.size(), {});
    context.listen(known->told);
  }
  try {
    for (auto const& asks : details_[op].asks) asks(context);
    steps_[op].kernel->infer(context);
    context.expect_outputs();
  } catch (...) {
    for (value_number v : writes) slots_[v].type = {element_type::none, detail::no_elements};
    rethrow(op);
  }
  bool changed = false;
  for (std::size_t o = 0; o != writes.size(); ++o) {
    slot& at = slots_[writes[o]];
    changed = changed || at.type != inferred_[o];
    at.type = inferred_[o];
  }
  for (std::size_t o = 0; o != writes.size(); ++o)
    if (slots_[writes[o]].type != inferred_[o])
      throw problem(op,
                    "output '" + std::string(value_name(writes[o])) + "' is listed twice, as " +
                        to_string(inferred_[o]) + " and as " + to_string(slots_[writes[o]].type),
                    value_name(writes[o]));
  for (plan_layout::copy const& c : layout_.copies(op))
    if (slots_[c.from].type != slots_[c.to].type)
      throw problem(op, "an input that is updated and its output differ in type");
  changed = changed || details_[op].scratch != context.scratch_bytes();
  details_[op].scratch = context.scratch_bytes();
  return changed;
}

template <backend B>
void engine<B>::prepare_stage(std::size_t stage, bool first_is_inferred) {
  op_index const first = layout_.stages()[stage];
  op_index const last = stage_end(stage);
  if (stage == 0) end_loop(true);
  // Stages behind one that is not ready are prepared when they are reached.
  ready_[stage] = false;
  for (std::size_t later = stage + 1; later != ready_.size() && ready_[later]; ++later) ready_[later] = false;
  for (op_index op = first; op != last; ++op)
    if (!layout_.gives_results(op) && (op != first || !first_is_inferred)) infer(op);
  schedule_stage(stage, memory_);
  place_stage(stage);
  ready_[stage] = true;
  if (stage == 0)
    find_places();
  else if (in_loop_)
    begin_loop(stage);
}

template <backend B>
void engine<B>::place_stage(std::size_t stage) {
  op_index const first = layout_.stages()[stage];
  op_index const last = stage_end(stage);
  std::vector<std::pair<std::size_t, void*>> scratch;
  for (op_index op = first; op != last; ++op) scratch.emplace_back(details_[op].scratch, nullptr);
  try {
    memory_.place(layout_, stage, first, last, groups_, slots_, scratch);
  } catch (typename plan_memory<B>::shortage const& e) {
    std::throw_with_nested(problem(e));
  }
  for (op_index op = first; op != last; ++op) steps_[op].context.set_scratch(scratch[op - first].second);
}

template <backend B>
void engine<B>::reset_memory(plan_memory<B>& memory) const {
  memory.reset(layout_, shares_memory());
  if (parallel_ && passes_.share_memory) memory.set_order(layout_, op_order(memory_dependencies(layout_, controls_)));
}

template <backend B>
void engine<B>::reach(op_index op) {
  if (std::size_t const stage = stage_of(op); layout_.stages()[stage] == op) enter(stage);
}

template <backend B>
void engine<B>::enter(std::size_t stage) {
  ++entered_;
  if (stage == 0) ++*runs_;
  op_index const op = layout_.stages()[stage];
  bool const asks = layout_.reads_elements(op);
  bool const changed = asks && infer(op);
  if (!ready_[stage] || changed) prepare_stage(stage, asks);
  if (stage != 0 || changed) refresh(stage);
}

template <backend B>
void engine<B>::refresh(std::size_t stage) {
  auto const in_use = [this](value_number v, tensor<B> const& memory) {
    blob<B>* const target = blobs_[layout_.blob_of(layout_[layout_.storage_of(v)].kept)];
    bool const there = target->is_set && target->value.shares_memory(memory);
    // What a nested net has made is handed on: somebody may still have need of it.
    if (nested_ && memory.owner().use_count() > (there ? 2 : 1)) return true;
    if (there && inputs_.is_source(target)) return true;
    return !nested_ && inputs_.overlaps(memory);  // fed under another name, perhaps through foreign hands
  };
  try {
    memory_.refresh(layout_, stage, slots_, in_use);
  } catch (typename plan_memory<B>::shortage const& e) {
    std::throw_with_nested(problem(e));
  }
}

}  // namespace plait
