// Loops: packed inputs and accumulated sums. Members of plan<B>, included by plan.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <plait/exec/plan.hpp>

namespace plait {

template <backend B>
void plan<B>::set_loop(loop_values const& values) {
  auto const packs = [this](loop_values const& of) { return of.runs >= costs_.pack_runs; };
  bool const stays = packs(values) == packs(loop_) && values.backward == loop_.backward && values.same == loop_.same &&
                     values.lasting == loop_.lasting && values.summed == loop_.summed;
  if (stays) return;
  end_loop(false);
  loop_ = values;
  ready_.assign(ready_.size(), false);
}

template <backend B>
void plan<B>::begin_loop() {
  end_loop(false);
  in_loop_ = true;
  for (std::size_t stage = 0; stage != ready_.size() && ready_[stage]; ++stage) begin_loop(stage);
}

template <backend B>
void plan<B>::begin_loop(std::size_t stage) {
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

// Loop-invariant inputs that are packed, if the loop is long enough.
template <backend B>
void plan<B>::choose_packing(op_index op) {
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
void plan<B>::choose_sums(op_index op) {
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
void plan<B>::pack(op_index op, std::uint32_t nth) {
  step& s = steps_[op];
  if (s.context.packed(nth) != nullptr) return;
  std::size_t const bytes = s.kernel->pack(s.context, nth, nullptr);
  if (bytes == 0) return;
  value_number const v = layout_.reads(op)[nth];
  take_memory(op, "a packed copy of", v, [&] { packed_.push_back({op, nth, pooled_memory<B>(bytes)}); });
  s.kernel->pack(s.context, nth, packed_.back().memory.get());
  details_[op].resources.packed.resize(layout_.reads(op).size(), nullptr);
  details_[op].resources.packed[nth] = packed_.back().memory.get();
}

// Releases all packed inputs, or those that do not outlive a loop.
template <backend B>
void plan<B>::unpack(bool all) {
  std::erase_if(packed_, [&](packed_input const& p) {
    if (!all && !stays_.empty() && stays_[layout_.reads(p.op)[p.input]]) return false;
    details_[p.op].resources.packed[p.input] = nullptr;
    return true;
  });
}

template <backend B>
void plan<B>::keep_constants(std::vector<bool> const& values) {
  unpack(true);
  stays_ = values;
  for (details& d : details_) {
    if (d.resources.results == nullptr) continue;
    d.resources.results->constants.clear();
    for (value_number v : layout_.reads(static_cast<op_index>(&d - details_.data())))
      d.resources.results->constants.push_back(values[v]);
    ++d.resources.results->constants_revision;
  }
}

template <backend B>
tensor<B> const& plan<B>::given(constant const& c) const {
  return std::ranges::lower_bound(inputs_, c.value, {}, &input::value)->source->value;
}

// Returns true if a constant has been replaced, also by a view of the same memory with other strides.
template <backend B>
bool plan<B>::has_other_constants() const {
  return std::ranges::any_of(constants_, [this](constant const& c) {
    tensor<B> const& held = given(c);
    bool const same_owner = !c.owner.owner_before(held.owner()) && !held.owner().owner_before(c.owner);
    return c.data != held.raw() || c.type != held.spec() || c.strides != held.strides() || !same_owner;
  });
}

// All runs are one loop while inputs have the same types.
template <backend B>
void plan<B>::tell_constants() {
  bool const changed = has_other_constants();
  if (!changed && in_loop_) return;
  if (changed) {
    keep_constants(loop_.same);
    for (constant& c : constants_) {
      tensor<B> const& held = given(c);
      c.data = held.raw();
      c.type = held.spec();
      c.strides = held.strides();
      c.owner = held.owner();
    }
  }
  begin_loop();
}

// Runs an op, or collects the rows of its sums and computes the other outputs.
template <backend B>
void plan<B>::run_kernel(op_index op) {
  step& s = steps_[op];
  row_sums<B>* const sums = sums_of(op);
  if (sums == nullptr) return s.kernel->run(s.context);
  sums->add(s.context);
  sums->run_others(s.context);
}

template <backend B>
void plan<B>::find_slots(value_number v, std::vector<slot*>& to) {
  for (slot& s : slots_)
    if (s.storage == slots_[v].storage) to.push_back(&s);
}

template <backend B>
void plan<B>::run_rows(std::size_t runs, std::span<moving_storage const> moving, std::span<moving_addend const> addends,
                       std::size_t& run) {
  *runs_ += runs;
  op_index op = 0;
  try {
    rows()->run_all(runs, moving, addends, run, op);
  } catch (...) {
    rethrow(op);
  }
}

template <backend B>
void plan<B>::end_loop(bool whole) {
  unpack(false);
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
