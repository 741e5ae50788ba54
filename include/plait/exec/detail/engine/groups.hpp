// How the ops of a stage run: streamed, in fusion groups, or alone. Members of engine<B>, included by engine.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <plait/exec/detail/engine/engine.hpp>

namespace plait {

// After inference, and before memory is placed: decided on types and storages alone. Later stages are dropped.
template <backend B>
void engine<B>::schedule_stage(std::size_t stage, plan_memory<B>& memory) {
  op_index const first = layout_.stages()[stage];
  op_index const last = stage_end(stage);
  drop_groups(first);
  find_storages(first, last);
  if (stage == 0) accumulated_.assign(slots_.size(), false);
  for (op_index op = first; op != last; ++op) {
    steps_[op].runs = usual_dispatch(op);
    if (layout_.gives_results(op)) continue;
    try {
      choose_packing(op);
      steps_[op].kernel->prepare(steps_[op].context);
    } catch (...) {
      rethrow(op);
    }
  }
  read_patterns(first, last);
  if (stage == 0) {
    for (op_index op = first; op != last; ++op) choose_sums(op);
    find_stream(memory);
  }
  if (!parallel_) find_groups(first, last);
}

// Values of one storage have one address and size. Results of ops, which may alias an input, are storages of their own:
// such ops are in no group, and their input is dead then.
template <backend B>
void engine<B>::find_storages(op_index first, op_index last) {
  for (op_index op = first; op != last; ++op)
    for (value_number v : layout_.writes(op)) {
      value_number const source = layout_.stands_in(v);
      bool const shares =
          source != npos && !layout_.gives_results(op) && slots_[source].type.bytes() == slots_[v].type.bytes();
      slots_[v].storage = shares ? slots_[source].storage : v;
    }
}

template <backend B>
void engine<B>::drop_groups(op_index first) {
  while (!groups_.empty() && groups_.back()->first >= first) {
    steps_[groups_.back()->first].group = nullptr;
    groups_.pop_back();
  }
}

template <backend B>
void engine<B>::find_groups(op_index first, op_index last) {
  auto const at = [this](op_index op) -> fusion_candidate<B> {
    bool const alone = steps_[op].runs == dispatch::streamed || layout_.gives_results(op) ||
                       !layout_.copies(op).empty() || (!nested_ && may_spoil(op));
    if (alone) return {};
    return {steps_[op].kernel, &steps_[op].context, patterns(op), details_[op].sums.get(),
            !nested_ && layout_.replaces_given(op)};
  };
  auto const last_use = [this](slot const& s) -> op_index {
    // Memory that was fed is overwritten, even if the net overwrites the value again.
    auto const v = static_cast<value_number>(&s - slots_.data());
    if (layout_[layout_.storage_of(v)].given != npos) return npos;
    return layout_.last_read(v) == npos ? 0 : layout_.last_read(v);
  };
  bool const in_step = nested_ && !loop_.same.empty() && loop_.runs != npos;
  plait::find_groups<B>(first, last, at, last_use, in_step, passes_, costs_, groups_);
  for (auto group = groups_.rbegin(); group != groups_.rend() && (*group)->first >= first; ++group) {
    steps_[(*group)->first].runs = dispatch::group;
    steps_[(*group)->first].group = group->get();
  }
}

template <backend B>
row_group<B>* engine<B>::rows() const {
  if (groups_.size() != 1 || groups_[0]->size() != op_count()) return nullptr;
  return dynamic_cast<row_group<B>*>(groups_[0].get());
}

template <backend B>
void engine<B>::read_patterns(op_index first, op_index last) {
  pattern_ends_.resize(first);
  patterns_.resize(first == 0 ? 0 : pattern_ends_.back());
  for (op_index op = first; op != last; ++op) {
    if (!layout_.gives_results(op)) steps_[op].kernel->patterns(steps_[op].context, patterns_);
    pattern_ends_.push_back(static_cast<std::uint32_t>(patterns_.size()));
  }
}

template <backend B>
std::span<op_pattern<B> const> engine<B>::patterns(op_index op) const {
  if (op >= pattern_ends_.size()) return {};
  std::size_t const first = op == 0 ? 0 : pattern_ends_[op - 1];
  return std::span(patterns_).subspan(first, pattern_ends_[op] - first);
}

// Finds an op whose rows the one that ends the first stage can read in blocks: its only reader, and no op between them
// writes what they are computed from.
template <backend B>
void engine<B>::find_stream(plan_memory<B>& memory) {
  stream_ = nullptr;
  memory.set_streamed(npos);
  op_index const end = layout_.stages().empty() ? 0 : stage_end(0);
  if (end == 0 || !layout_.gives_results(end - 1)) return;
  op_index const last = end - 1;
  details_[last].resources.results->streamed = nullptr;
  if (!passes_.stream || parallel_) return;
  auto const is_written_after = [&](op_index op, value_number v) {
    while (++op != end)
      for (value_number written : layout_.writes(op))
        if (layout_.storage_of(written) == layout_.storage_of(v)) return true;
    return false;
  };
  std::vector<op_pattern<B>> taken;
  steps_[last].kernel->patterns(steps_[last].context, taken);
  std::erase_if(taken, [](op_pattern<B> const& p) { return p.kind != pattern_kind::in_order; });
  if (taken.empty()) return;
  auto const reads_of = [&](value_number v) {
    std::ptrdiff_t count = 0;
    for (op_index op = 0; op != op_count(); ++op) count += std::ranges::count(layout_.reads(op), v);
    return count;
  };
  for (op_index maker = 0; maker != last; ++maker) {
    if (steps_[maker].runs != dispatch::kernel || layout_.writes(maker).size() != 1 || layout_.replaces_given(maker))
      continue;
    value_number const made = layout_.writes(maker)[0];
    auto const by = std::ranges::find_if(taken, [&](auto const& p) { return layout_.reads(last)[p.input] == made; });
    if (by == taken.end() || reads_of(made) != 1 || layout_.stands_in(made) != npos) continue;
    auto const is_overwritten = [&](value_number v) { return is_written_after(maker, v); };
    if (is_overwritten(made) || std::ranges::any_of(layout_.reads(maker), is_overwritten)) continue;
    stream_ =
        row_stream<B>::find(*steps_[maker].kernel, steps_[maker].context, patterns(maker), by->least_rows, costs_);
    if (stream_ == nullptr) continue;
    streamed_ = maker;
    memory.set_streamed(maker);
    steps_[maker].runs = dispatch::streamed;
    details_[last].resources.results->streamed_input = by->input;
    return;
  }
}

template <backend B>
void engine<B>::begin_stream(op_index op) {
  for (std::uint32_t i = 0; i != layout_.reads(op).size(); ++i)
    if (stream_->packs(i)) pack(op, i);
  stream_->begin();
  details_[stage_end(0) - 1].resources.results->streamed = stream_.get();
}

template <backend B>
void engine<B>::end_stream() {
  if (stream_ == nullptr) return;
  stream_->end();
  packed_.release_others(details_[streamed_].resources);
}

// Leaves `op` at the last of its group, or at the one that has failed.
template <backend B>
void engine<B>::run_group(op_index& op, run_options const& options) {
  op_index const first = op;
  fused_group<B>& group = *steps_[op].group;
  std::optional<op_event> seen;
  if (options.observer != nullptr) options.observer->before(seen.emplace(event(group, options)));
  group.run(op);
  if (options.observer != nullptr) options.observer->after(*seen);
  for (op_index done = first; done <= op; ++done)
    for (value_number v : layout_.published(done)) publish(v);
}

}  // namespace plait
