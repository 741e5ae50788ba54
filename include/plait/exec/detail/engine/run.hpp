// How a plan runs. Members of engine<B>, included by engine.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/container/small_vector.hpp>

#include <plait/core/assert.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/detail/engine/engine.hpp>

namespace plait {

template <backend B>
void engine<B>::run(run_options const& options) {
  if (repeats_ && !is_watched(options) && stands()) return run_again();
  try {
    bind();
  } catch (...) {
    report_failure();
    throw;
  }
  run_bound(options);
}

template <backend B>
void engine<B>::run_bound(run_options const& options) {
  op_index op = 0;
  bool const watched = is_watched(options);
  bool const separate = options.reads_values();
  if (repeats_ && !watched) return run_again();
  try {
    for (std::size_t stage = 0; stage != layout_.stages().size(); ++stage) {
      enter(stage);
      for (op_index const last = stage_end(stage); op != last; ++op) {
        step const& s = steps_[op];
        if (is_cancelled() || (watched && options.stop.stop_requested())) throw run_cancelled(op);
        if (s.runs <= dispatch::publish && options.observer == nullptr) {
          run_plainly(op);
        } else if (s.runs == dispatch::group && !separate) {
          run_group(op, options);
        } else if (s.runs == dispatch::streamed && !separate) {
          begin_stream(op);
        } else {
          run_with_care(op, options);
        }
      }
      if (stage == 0) end_stream();
    }
  } catch (...) {
    end_stream();
    report_failure();
    restore_given(op);
    rethrow(op);
  }
  repeats_ = !watched && !places_.empty();
}

template <backend B>
void engine<B>::report_failure() noexcept {
  auto const report = [](blob<B> const& at) {
    if (at.is_set && at.object != nullptr) at.object->run_failed();
  };
  for (input const& in : inputs_) report(*in.source);
  for (auto const& each : details_)
    if (each.resources.results != nullptr)
      for (blob<B> const& result : each.resources.results->values) report(result);
}

template <backend B>
void engine<B>::bind() {
  repeats_ = false;
  for (value_number v : layout_.published())
    if (replaced_[v].owner() != nullptr) replaced_[v] = tensor<B>();
  for (input const& in : inputs_) {
    if (!in.source->is_set && in.required) {
      // The message tells the current types, not those of the last run.
      for (slot& s : slots_) s.type = {element_type::none, detail::no_elements};
      for (input const& each : inputs_) slots_[each.value].type = each.source->spec();
      ready_[0] = false;
      std::string_view const name = value_name(in.value);
      throw problem(reader_of(in.value), "the workspace has no blob '" + std::string(name) + '\'', name);
    }
    bool other = false;
    take_memory(npos, "a copy of", in.value, [&] { other = inputs_.read(in, slots_[in.value]); });
    if (other && in.inferred) ready_[0] = false;
  }
  if (!nested_)
    inputs_.separate_overwritten([this](input const& in) {
      take_memory(npos, "a copy of", in.value, [&] { in.source->value = in.source->value.clone(); });
      slots_[in.value].data = in.source->value.raw();
    });
  if (ready_.empty()) return;
  if (!ready_[0]) prepare_stage(0);
  refresh(0);
  if (!constants_.empty()) tell_constants();
}

template <backend B>
auto engine<B>::find_blobs(workspace<B>& blobs) const -> blob_places {
  blob_places found;
  for (input const& in : inputs_) found.given.push_back(&blobs.get(value_name(in.value)));
  for (value_number v : layout_.published()) found.published.push_back(&blobs.get(value_name(v)));
  return found;
}

template <backend B>
void engine<B>::rebind(blob_places const& blobs) {
  inputs_.bind(blobs.given);
  auto const published = layout_.published();
  for (std::size_t i = 0; i != published.size(); ++i) {
    blob<B>* const target = blobs.published[i];
    if (std::exchange(blobs_[layout_.blob_of(published[i])], target) != target)
      memory_.move_home(published[i], target->value, slots_);
  }
  find_places();
}

template <backend B>
void engine<B>::restore_given(op_index op) {
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
void engine<B>::run_with_care(op_index op, run_options const& options) {
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
  for (value_number v : layout_.needs_rollback(op)) {
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
    details_[op].resources.observer = options.observer;
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
    details_[op].resources.observer = nullptr;
    if (options.observer != nullptr) options.observer->after(*seen);
  } catch (...) {
    details_[op].resources.observer = nullptr;
    for (backup_of const& b : backups) restore(b);
    rethrow(op);
  }
  for (value_number v : layout_.published(op)) publish(v);
}

template <backend B>
void engine<B>::run_for_results(op_index op, run_options const& options, op_event const* event) {
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
void engine<B>::accept_results(op_index op) {
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
void engine<B>::publish(value_number v) {
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
    if (inputs_.is_source(&target)) std::swap(replaced_[v], target.value);
    target.value = *kept;
  }
  if (target.value.spec() != at.type)
    target.value = tensor<B>::adopt(target.value.raw(), at.type, row_major(at.type.dims), target.value.owner());
}

}  // namespace plait
