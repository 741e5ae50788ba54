// How a plan runs: members of plan<B>, included by plan.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <plait/core/assert.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/plan.hpp>

namespace plait {

template <backend B>
void plan<B>::run_bound(run_options const& options) {
  op_index op = 0;
  bool const watched = is_watched(options);
  if (repeats_ && !watched) return run_again();
  try {
    for (std::size_t stage = 0; stage != layout_.stages().size(); ++stage) {
      enter(stage);
      for (op_index const last = stage_end(stage); op != last; ++op) {
        step const& s = steps_[op];
        if (is_cancelled()) throw run_cancelled(op);
        if (s.runs <= dispatch::publish && !watched) {
          run_plainly(op);
        } else if (s.runs == dispatch::group && !watched) {
          run_group(op);
        } else {
          if (options.stop.stop_requested()) throw run_cancelled(op);
          if (s.runs == dispatch::streamed && options.observer == nullptr) {
            stream_->begin();
            details_[stage_end(0) - 1].resources.results->streamed = stream_.get();
          } else {
            run_with_care(op, options);
          }
        }
      }
      if (stage == 0 && stream_ != nullptr) stream_->end();
    }
  } catch (...) {
    if (stream_ != nullptr) stream_->end();
    restore_given(op);
    rethrow(op);
  }
  repeats_ = !watched && !places_.empty();
}

template <backend B>
void plan<B>::bind() {
  repeats_ = false;
  for (value_number v : layout_.published())
    if (replaced_[v].owner() != nullptr) replaced_[v] = tensor<B>();
  for (input const& in : inputs_) {
    if (!in.source->is_set && in.required) {
      // The message tells what is given, and does not tell what was.
      for (slot& s : slots_) s.type = {element_type::none, detail::no_elements};
      for (input const& each : inputs_) slots_[each.value].type = each.source->spec();
      ready_[0] = false;
      std::string_view const name = value_name(in.value);
      throw problem(reader_of(in.value), "the workspace has no blob '" + std::string(name) + '\'', name);
    }
    // At once: what follows may throw, and the next bind() will not see the change.
    void const* const before = slots_[in.value].data;
    if (take(in)) {
      inputs_moved_ = true;
      if (in.inferred) ready_[0] = false;
    }
    inputs_moved_ = inputs_moved_ || slots_[in.value].data != before;
  }
  if (inputs_moved_ && !nested_) separate_overwritten();
  inputs_moved_ = false;
  if (ready_.empty()) return;
  if (!ready_[0]) prepare_stage(0);
  refresh(0);
  if (!constants_.empty()) tell_constants();
}

// Takes what the blob holds. Whether it is of another type than before.
template <backend B>
bool plan<B>::take(input const& in) {
  slot& at = slots_[in.value];
  blob<B>& from = *in.source;
  auto const is_other = [&at](tensor_spec const& type) {
    if (at.type == type) return false;
    at.type = type;
    return true;
  };
  if (!from.is_set || from.object != nullptr) {
    at.data = from.is_set ? &from.object : nullptr;
    return is_other(from.spec());
  }
  if (from.value.is_contiguous()) {
    at.data = from.value.raw();
  } else if (in.overwritten) {
    take_memory(npos, "a copy of", in.value, [&] { from.value = from.value.contiguous(); });
    at.data = from.value.raw();
  } else {
    take_memory(npos, "a copy of", in.value, [&] { at.data = gather(in); });
    inputs_moved_ = true;  // what the view is of may have, though the copy has not
  }
  return is_other(from.value.spec());
}

// Anew in each run: what a view was fed of may have changed.
template <backend B>
void* plan<B>::gather(input const& in) {
  gathered_.resize(inputs_.size());
  tensor<B> const& from = in.source->value;
  tensor<B>& to = gathered_[static_cast<std::size_t>(&in - inputs_.data())];
  if (to.spec() != from.spec() || to.owner() == nullptr) to = tensor<B>::uninitialized(from.type(), from.dims());
  copy_strided<B>(to.raw(), from.raw(), from.type(), from.dims(), from.strides());
  return to.raw();
}

// Where the inputs stand, sorted; those of no bytes are left out.
template <backend B>
void plan<B>::find_extents() {
  extents_.clear();
  for (input const& in : inputs_) {
    if (!in.source->is_set || in.source->object != nullptr) continue;
    auto const [first, last] = in.source->value.extent();
    if (first != last) extents_.push_back({first, last, last, &in});
  }
  std::ranges::sort(extents_, std::less<>(), &input_extent::first);
  for (std::size_t i = 1; i < extents_.size(); ++i)
    extents_[i].reach = std::max(extents_[i].reach, extents_[i - 1].reach, std::less<>());
}

// What ops overwrite must not be seen to change in another blob that was fed with the same memory: it becomes a copy.
// Of what overlaps what they overwrite, sorted by where it begins, only the last before can reach into the next.
template <backend B>
void plan<B>::separate_overwritten() {
  find_extents();
  if (std::ranges::none_of(inputs_, &input::overwritten)) return;
  bool copied = false;
  auto const copy = [&](input const& in) {
    take_memory(npos, "a copy of", in.value, [&] { in.source->value = in.source->value.clone(); });
    slots_[in.value].data = in.source->value.raw();
    copied = true;
  };
  std::byte const* end = nullptr;  // of all before that stay
  input_extent const* overwritten = nullptr;
  for (input_extent const& r : extents_) {
    bool const overlaps = end != nullptr && std::less<>()(r.first, end);
    if (r.of->overwritten && overlaps) {
      copy(*r.of);
      continue;
    }
    if (overwritten != nullptr && std::less<>()(r.first, overwritten->last)) {
      copy(*overwritten->of);
      overwritten = nullptr;
    }
    if (r.of->overwritten) overwritten = &r;
    if (end == nullptr || std::less<>()(end, r.last)) end = r.last;
  }
  if (copied) find_extents();
}

// Whether an input stands in some of the memory.
template <backend B>
bool plan<B>::is_given(tensor<B> const& memory) const {
  auto const [first, last] = memory.extent();
  auto const after = std::ranges::lower_bound(extents_, last, std::less<>(), &input_extent::first);
  return after != extents_.begin() && std::less<>()(first, std::prev(after)->reach);
}

template <backend B>
auto plan<B>::find_blobs(workspace<B>& blobs) const -> blob_places {
  blob_places found;
  for (input const& in : inputs_) found.given.push_back(&blobs.get(value_name(in.value)));
  for (value_number v : layout_.published()) found.published.push_back(&blobs.get(value_name(v)));
  return found;
}

template <backend B>
void plan<B>::rebind(blob_places const& blobs) {
  for (std::size_t i = 0; i != inputs_.size(); ++i) inputs_[i].source = blobs.given[i];
  sort_sources();
  auto const published = layout_.published();
  for (std::size_t i = 0; i != published.size(); ++i) {
    blob<B>* const target = blobs.published[i];
    if (std::exchange(blobs_[layout_.blob_of(published[i])], target) != target)
      memory_.move_home(published[i], target->value, slots_);
  }
  find_places();
}

// Whether the blob is one that something is given in.
template <backend B>
bool plan<B>::is_source(blob<B> const* at) const {
  if (!sources_.empty()) return std::ranges::binary_search(sources_, at, std::less<>());
  return std::ranges::any_of(inputs_, [&](input const& in) { return in.source == at; });
}

template <backend B>
void plan<B>::refresh(std::size_t stage) {
  auto const in_use = [this](value_number v, tensor<B> const& memory) {
    blob<B>* const target = blobs_[layout_.blob_of(layout_[layout_.storage_of(v)].kept)];
    bool const there = target->is_set && target->value.shares_memory(memory);
    // What a nested net has made is handed on: somebody may still have need of it.
    if (nested_ && memory.owner().use_count() > (there ? 2 : 1)) return true;
    if (there && is_source(target)) return true;
    return !nested_ && is_given(memory);  // fed under another name, perhaps through foreign hands
  };
  try {
    memory_.refresh(layout_, stage, slots_, in_use);
  } catch (typename plan_memory<B>::shortage const& e) {
    std::throw_with_nested(problem(e));
  }
}

template <backend B>
bool plan<B>::infer(op_index op, known_elements* known) {
  std::array<tensor_spec const*, 64> few;
  std::vector<tensor_spec const*> many_inputs;
  auto const reads = layout_.reads(op);
  auto const writes = layout_.writes(op);
  std::span<tensor_spec const*> inputs(few.data(), std::min(reads.size(), few.size()));
  if (reads.size() > few.size()) {
    many_inputs.resize(reads.size());
    inputs = many_inputs;
  }
  bool const objects = details_[op].type->schema.may_take_objects();
  for (std::size_t i = 0; i != reads.size(); ++i) {
    inputs[i] = &slots_[reads[i]].type;
    if (size_of(inputs[i]->type) == 0 && !objects)
      throw problem(op,
                    "input '" + std::string(value_name(reads[i])) + "' is " + to_string(*inputs[i]) + ", not a tensor",
                    value_name(reads[i]));
  }
  inferred_.assign(writes.size(), {element_type::none, detail::no_elements});
  struct source {
    plan* self;
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
void plan<B>::prepare_stage(std::size_t stage, bool first_is_inferred) {
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
void plan<B>::place_stage(std::size_t stage) {
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
void plan<B>::reach(op_index op) {
  if (std::size_t const stage = stage_of(op); layout_.stages()[stage] == op) enter(stage);
}

template <backend B>
void plan<B>::enter(std::size_t stage) {
  ++entered_;
  if (stage == 0) ++*runs_;
  op_index const op = layout_.stages()[stage];
  bool const asks = layout_.reads_elements(op);
  bool const changed = asks && infer(op);
  if (!ready_[stage] || changed) prepare_stage(stage, asks);
  if (stage != 0 || changed) refresh(stage);
}

template <backend B>
void plan<B>::restore_given(op_index op) {
  for (plan_layout::passing_value const& p : layout_.passing()) {
    if (p.made >= op || p.followed < op) continue;
    slot const& at = slots_[p.value];
    blob<B>& target = *blobs_[layout_.blob_of(p.value)];
    if (at.type.type == element_type::none) continue;
    if (at.type.type == element_type::object) {
      target = {{}, *static_cast<std::shared_ptr<blob_object>*>(at.data), true};
    } else if (!target.is_set || target.object != nullptr || !target.value.stands_at(at.data, at.type)) {
      auto made = tensor<B>::uninitialized(at.type.type, at.type.dims);
      B::copy(made.raw(), at.data, at.type.bytes());
      target = {std::move(made), nullptr, true};
    }
  }
}

template <backend B>
void plan<B>::run_with_care(op_index op, run_options const& options) {
  step& s = steps_[op];
  if (s.runs == dispatch::streamed) {
    details_[stage_end(0) - 1].resources.results->streamed = nullptr;
    take_memory(op, "output", layout_.writes(op)[0], [&] { stream_->make_room(); });
  }
  using backup_of = std::pair<value_number, std::shared_ptr<void>>;
  boost::container::small_vector<backup_of, 4> backups;
  auto const restore = [this](backup_of const& b) {
    B::copy(slots_[b.first].data, b.second.get(), slots_[b.first].type.bytes());
  };
  for (value_number v : layout_.endangered(op)) {
    if (nested_) break;  // the plan around has one
    if (options.observer == nullptr && schema(op).has_checked_first()) break;
    take_memory(op, "a copy of", v, [&] { backups.emplace_back(v, pooled_memory<B>(slots_[v].type.bytes())); });
    B::copy(backups.back().second.get(), slots_[v].data, slots_[v].type.bytes());
  }
  try {
    std::optional<op_event> seen;
    if (options.observer != nullptr) options.observer->before(seen.emplace(event(op, options)));
    for (plan_layout::copy const& c : layout_.copies(op))
      B::copy(slots_[c.to].data, slots_[c.from].data, slots_[c.from].type.bytes());
    if (details_[op].resources.results == nullptr)
      run_kernel(op);
    else
      run_for_results(op, options, seen ? &*seen : nullptr);
    // Where results stand elsewhere, nets inside may have written other values into given memory before.
    for (std::size_t o = 0; details_[op].resources.results != nullptr && o != layout_.writes(op).size(); ++o) {
      value_number const v = layout_.writes(op)[o];
      auto const backup = std::ranges::find(backups, layout_.stands_in(v), &backup_of::first);
      if (backup != backups.end() && slots_[v].data != slots_[backup->first].data) restore(*backup);
    }
    if (options.observer != nullptr) options.observer->after(*seen);
  } catch (...) {
    for (backup_of const& b : backups) restore(b);
    rethrow(op);
  }
  for (value_number v : layout_.published(op)) publish(v);
}

template <backend B>
void plan<B>::run_for_results(op_index op, run_options const& options, op_event const* event) {
  op_results<B>& results = *details_[op].resources.results;
  auto const reads = layout_.reads(op);
  for (std::size_t i = 0; i != results.listed_inputs; ++i)
    if (slots_[reads[i]].type.type == element_type::none && schema(op).requires_input(i, results.listed_inputs))
      throw problem(op, "blob '" + std::string(value_name(reads[i])) + "' holds nothing", value_name(reads[i]));
  for (blob<B>& result : results.values) result.clear();
  for (value_number v : layout_.writes(op)) memory_.drop(v);
  run_options inside = options;
  inside.within = event;
  results.options = &inside;
  steps_[op].kernel->run(steps_[op].context);
  accept_results(op);
}

template <backend B>
void plan<B>::accept_results(op_index op) {
  op_results<B>& results = *details_[op].resources.results;
  bool changed = false;
  for (std::size_t o = 0; o != results.values.size(); ++o) {
    blob<B>& result = results.values[o];
    value_number const v = layout_.writes(op)[o];
    slot& at = slots_[v];
    tensor_spec const type = result.spec();
    if (type.type == element_type::none) {
      at.data = nullptr;
    } else if (type.type == element_type::object) {
      at.data = &result.object;
    } else {
      PLAIT_ASSERT(result.value.is_contiguous(), "plan: a result is not contiguous");
      at.data = result.value.raw();
      memory_.accept(v, layout_.stands_in(v), std::move(result.value));
    }
    changed = changed || at.type != type;
    at.type = type;
  }
  if (std::size_t const next = stage_of(op) + 1; changed && next != ready_.size()) ready_[next] = false;
}

template <backend B>
void plan<B>::publish(value_number v) {
  blob<B>& target = *blobs_[layout_.blob_of(v)];
  slot const& at = slots_[v];
  if (at.type.type == element_type::none) return;
  target.is_set = true;
  if (at.type.type == element_type::object) {
    target.object = *static_cast<std::shared_ptr<blob_object>*>(at.data);
    target.value = tensor<B>();
    return;
  }
  target.object = nullptr;
  tensor<B> const* const kept = memory_.kept(v);
  if (kept != nullptr && kept->owner() == nullptr)
    target.value.view(at.data, at.type);
  else if (kept != nullptr && !(target.value.shares_memory(*kept) && target.value.raw() == kept->raw())) {
    // Others may be reading what was given here: at the same time, or on demand.
    if (is_source(&target)) std::swap(replaced_[v], target.value);
    target.value = *kept;
  }
  if (target.value.spec() != at.type)
    target.value = tensor<B>::adopt(target.value.raw(), at.type, row_major(at.type.dims), target.value.owner());
}

}  // namespace plait
