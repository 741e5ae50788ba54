// Loops: packed inputs and accumulated sums. Members of engine<B>, included by engine.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <plait/exec/detail/engine/engine.hpp>

namespace plait {

template <backend B>
void engine<B>::set_loop(loop_values const& values) {
  auto const packs = [this](loop_values const& of) { return of.runs >= costs_.pack_runs; };
  if (packs(values) == packs(loop_) && values.is_like(loop_)) return;
  end_loop(false);
  loop_ = values;
  ready_.assign(ready_.size(), false);
}

template <backend B>
void engine<B>::begin_loop() {
  end_loop(false);
  in_loop_ = true;
  for (std::size_t stage = 0; stage != ready_.size() && ready_[stage]; ++stage) begin_loop(stage);
}

template <backend B>
void engine<B>::begin_loop(std::size_t stage) {
  for (op_index op = layout_.stages()[stage]; op != stage_end(stage); ++op) {
    try {
      for (std::uint32_t i = 0; i != 64 && details_[op].resources.packs >> i != 0; ++i)
        if (steps_[op].context.is_packed(i)) pack(op, i);
      if (details_[op].sums != nullptr) details_[op].sums->begin(steps_[op].context);
    } catch (...) {
      end_loop(false);
      rethrow(op);
    }
  }
}

template <backend B>
void engine<B>::pack(op_index op, std::uint32_t nth) {
  value_number const v = layout_.reads(op)[nth];
  take_memory(op, "a packed copy of", v,
              [&] { packed_.pack(*steps_[op].kernel, steps_[op].context, details_[op].resources, nth, v); });
}

// Loop-invariant inputs that are packed, if the loop is long enough.
template <backend B>
void engine<B>::choose_packing(op_index op) {
  op_resources<B>& resources = details_[op].resources;
  resources.packs = 0;
  if (!passes_.pack || loop_.runs < costs_.pack_runs) return;
  auto const reads = layout_.reads(op);
  for (std::size_t i = 0; i != std::min<std::size_t>(reads.size(), 64); ++i)
    if (loop_.same[reads[i]] && steps_[op].kernel->pack(steps_[op].context, i, nullptr) != 0)
      resources.packs |= std::uint64_t{1} << i;
}

// Sums of an op (pattern_kind::sums) that it accumulates itself, as only their totals over the loop are used.
template <backend B>
void engine<B>::choose_sums(op_index op) {
  details_[op].sums = nullptr;
  auto const reads = layout_.reads(op);
  auto const writes = layout_.writes(op);
  auto const is_summed = [this](value_number v) { return loop_.summed[v]; };
  if (!passes_.accumulate || loop_.summed.empty() || std::ranges::none_of(writes, is_summed)) return;
  auto const all = patterns(op);
  auto const by = std::ranges::find(all, pattern_kind::sums, &op_pattern<B>::kind);
  if (by == all.end()) return;
  for (std::size_t o = 0; o != writes.size(); ++o)
    if (by->is_whole_output(o) && !is_summed(writes[o])) return;
  bool lasting = true;
  for (std::size_t i = 0; i != reads.size(); ++i)
    lasting = lasting && (by->is_whole_input(i) || loop_.lasting[reads[i]] || loop_.same[reads[i]]);
  details_[op].sums = std::make_shared<row_sums<B>>(*steps_[op].kernel, *by, lasting, loop_.backward);
  steps_[op].runs = dispatch::general;
  for (std::size_t o = 0; o != writes.size(); ++o)
    if (by->is_whole_output(o)) accumulated_[writes[o]] = true;
}

template <backend B>
void engine<B>::keep_constants(std::vector<bool> const& values) {
  packed_.keep(values);
  for (details& d : details_) {
    if (d.resources.results == nullptr) continue;
    d.resources.results->constants.clear();
    for (value_number v : layout_.reads(static_cast<op_index>(&d - details_.data())))
      d.resources.results->constants.push_back(values[v]);
    ++d.resources.results->constants_revision;
  }
}

// All runs are one loop while inputs have the same types.
template <backend B>
void engine<B>::tell_constants() {
  bool const changed = constants_.have_changed(inputs_);
  if (!changed && in_loop_) return;
  if (changed) {
    keep_constants(loop_.same);
    constants_.accept(inputs_);
  }
  begin_loop();
}

// Runs an op, or collects the rows of its sums and computes the other outputs.
template <backend B>
void engine<B>::run_kernel(op_index op) {
  step& s = steps_[op];
  row_sums<B>* const sums = sums_of(op);
  if (sums == nullptr) return s.kernel->run(s.context);
  sums->add(s.context);
  sums->run_others(s.context);
}

template <backend B>
void engine<B>::find_slots(value_number v, std::vector<slot*>& to) {
  for (slot& s : slots_)
    if (s.storage == slots_[v].storage) to.push_back(&s);
}

template <backend B>
void engine<B>::run_rows(std::size_t runs, std::span<moving_storage const> moving,
                         std::span<moving_addend const> addends, run_options const& options, std::size_t& run) {
  *runs_ += runs;
  op_index op = 0;
  try {
    if (options.stop.stop_requested()) throw run_cancelled(op);
    std::optional<op_event> seen;
    if (options.observer != nullptr) options.observer->before(seen.emplace(event(*rows(), options)));
    rows()->run_all(runs, moving, addends, run, op);
    if (options.observer != nullptr) options.observer->after(*seen);
  } catch (...) {
    rethrow(op);
  }
}

template <backend B>
void engine<B>::end_loop(bool whole) {
  packed_.end_loop();
  if (!std::exchange(in_loop_, false)) return;
  for (op_index op = 0; op != op_count(); ++op) {
    row_sums<B>* const sums = sums_of(op);
    if (sums == nullptr) continue;
    try {
      if (whole) sums->end(steps_[op].context);
    } catch (...) {
      in_loop_ = true;
      end_loop(false);
      rethrow(op);
    }
    sums->drop();
  }
}

}  // namespace plait
