// Series of runs of a plan: packed inputs, accumulated sums, fusion groups. Members of plan<B>, included by plan.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/exec/plan.hpp>

namespace plait {

template <backend B>
std::vector<bool> const& plan<B>::begin_series(value_series const& values) {
  end_series(false);
  summed_by_ops_.assign(values.summed.size(), false);
  op_index const last = layout_.stages().empty() ? 0 : stage_end(0);
  for (op_index op = 0; op != last; ++op) {
    if (layout_.gives_results(op)) continue;
    try {
      auto const reads = layout_.reads(op);
      for (std::uint32_t i = 0; i != reads.size(); ++i) {
        if (!values.same[reads[i]]) continue;
        in_series_ = true;
        if (passes_.pack && values.runs >= costs_.pack_runs) pack(op, i);
      }
      if (std::ranges::none_of(layout_.writes(op), [&](value_number v) { return values.summed[v]; })) continue;
      in_series_ = true;
      begin_sums(op, values);
    } catch (...) {
      end_series(false);
      rethrow(op);
    }
  }
  // Whether operands of the outermost net share memory may change with each run.
  find_groups(!nested_ || !in_series_);
  if (keeps_schedule_) kept_groups_ = groups();
  find_places();
  return summed_by_ops_;
}

// Begins to accumulate the sums of an op (pattern_kind::sums), if only their totals over the series are used.
template <backend B>
void plan<B>::begin_sums(op_index op, value_series const& values) {
  step& s = steps_[op];
  patterns_.clear();
  s.kernel->patterns(s.context, patterns_);
  auto const by = std::ranges::find(patterns_, pattern_kind::sums, &op_pattern<B>::kind);
  if (!passes_.accumulate || by == patterns_.end()) return;
  auto const reads = layout_.reads(op);
  auto const writes = layout_.writes(op);
  for (std::size_t o = 0; o != writes.size(); ++o)
    if (by->is_whole_output(o) && !values.summed[writes[o]]) return;
  bool lasting = true;
  for (std::size_t i = 0; i != reads.size(); ++i)
    lasting = lasting && (by->is_whole_input(i) || values.lasting[reads[i]] || values.same[reads[i]]);
  if (details_[op].sums == nullptr) details_[op].sums = std::make_shared<row_sums<B>>();
  details_[op].sums->begin(*s.kernel, s.context, *by, lasting, values.backward);
  s.way = op_way::careful;
  for (std::size_t o = 0; o != writes.size(); ++o)
    if (by->is_whole_output(o)) summed_by_ops_[writes[o]] = true;
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

// Releases all packed inputs, or those that do not outlive a series.
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

// Whether one of the constants is another than was told of: a view of the same place with other strides is, too.
template <backend B>
bool plan<B>::has_other_constants() const {
  return std::ranges::any_of(constants_, [this](constant const& c) {
    tensor<B> const& held = given(c);
    bool const same_owner = !c.owner.owner_before(held.owner()) && !held.owner().owner_before(c.owner);
    return c.data != held.raw() || c.type != held.spec() || c.strides != held.strides() || !same_owner;
  });
}

// All runs are one series while what is given is of the same types.
template <backend B>
void plan<B>::tell_constants() {
  bool const changed = has_other_constants();
  if (!changed && constants_told_) return;
  value_series all{.runs = npos, .same = std::vector<bool>(layout_.value_count(), false), .lasting = {}, .summed = {}};
  all.summed = all.same;
  for (constant const& c : constants_) all.same[c.value] = true;
  all.lasting = all.same;
  if (changed) {
    keep_constants(all.same);
    for (constant& c : constants_) {
      tensor<B> const& held = given(c);
      c.data = held.raw();
      c.type = held.spec();
      c.strides = held.strides();
      c.owner = held.owner();
    }
  }
  static_cast<void>(begin_series(all));
  constants_told_ = true;
}

// Of the first stage: the others' types are not known before they are reached.
template <backend B>
void plan<B>::find_groups(bool large) {
  if (parallel_) return;
  op_index const last = layout_.stages().empty() ? 0 : stage_end(0);
  read_patterns(last);
  auto const at = [this](op_index op) {
    bool const alone = steps_[op].way == op_way::demanded || layout_.gives_results(op) || !layout_.copies(op).empty() ||
                       (!nested_ && may_spoil(op));
    return alone ? group_candidate<B>()
                 : group_candidate<B>{steps_[op].kernel, &steps_[op].context, patterns(op), sums_of(op)};
  };
  // When a later op of a group by rows fails, some rows of what this one overwrites have been written, and what it
  // makes in place of what was fed is not whole.
  auto const by_rows = [&](op_index op) {
    return !nested_ && layout_.replaces_given(op) ? group_candidate<B>() : at(op);
  };
  auto const in_no_group = [&](op_index op) {
    return groups_.contains(op) ? group_candidate<B>() : B::on_device ? by_rows(op) : at(op);
  };
  if (!passes_.fuse_rows)
    groups_.clear();
  else if (large)
    groups_.find_large(last, by_rows, costs_);
  else
    groups_.find(last, by_rows, costs_);
  use(groups_, op_way::grouped);
  if (!large) {
    if (passes_.fuse_columns) columns_.find(last, in_no_group, costs_);
    use(columns_, op_way::by_columns);
    // Where operands move with each run, to look at all of them costs a host more than chains gain.
    if (!B::on_device) return;
  }
  if (!passes_.fuse_elements) return;
  chains_.find(last, in_no_group,
               [&](slot const& s) {  // what was fed is changed where it stands, though the net may change it again
                 auto const v = static_cast<value_number>(&s - slots_.data());
                 if (layout_[layout_.storage_of(v)].given != npos) return static_cast<op_index>(npos);
                 return layout_.last_read(v) == npos ? 0 : layout_.last_read(v);
               });
  use(chains_, op_way::chained);
}

template <backend B>
void plan<B>::read_patterns(op_index ops) {
  patterns_.clear();
  pattern_ends_.clear();
  for (op_index op = 0; op != ops; ++op) {
    if (!layout_.gives_results(op)) steps_[op].kernel->patterns(steps_[op].context, patterns_);
    pattern_ends_.push_back(static_cast<std::uint32_t>(patterns_.size()));
  }
}

template <backend B>
std::span<op_pattern<B> const> plan<B>::patterns(op_index op) const {
  std::size_t const first = op == 0 ? 0 : pattern_ends_[op - 1];
  return std::span(patterns_).subspan(first, pattern_ends_[op] - first);
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
template <class Groups>
void plan<B>::use(Groups const& groups, op_way way) {
  for (op_index const first : groups.firsts()) steps_[first].way = way;
}

template <backend B>
template <class Groups>
void plan<B>::drop(Groups& groups) {
  for (op_index const first : groups.firsts()) steps_[first].way = usual_way(first);
  groups.clear();
}

// An op whose rows the one that ends the first stage can ask for: nobody else reads them. Decided on types, before
// memory is placed. Whether what they are made of is there until then can change from run to run: see inputs_last.
template <backend B>
void plan<B>::find_demand(plan_memory<B>& memory) {
  if (demand_ != nullptr) {
    steps_[demanded_].way = usual_way(demanded_);
    details_[stage_end(0) - 1].resources.results->demanded = nullptr;
    demand_ = nullptr;
  }
  memory.set_demanded(npos);
  op_index const end = layout_.stages().empty() ? 0 : stage_end(0);
  if (!passes_.stream || parallel_ || end == 0 || !layout_.gives_results(end - 1)) return;
  op_index const last = end - 1;
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
    if (steps_[maker].way != op_way::plain || layout_.writes(maker).size() != 1 || layout_.replaces_given(maker))
      continue;
    value_number const made = layout_.writes(maker)[0];
    auto const by = std::ranges::find_if(taken, [&](auto const& p) { return layout_.reads(last)[p.input] == made; });
    if (by == taken.end() || reads_of(made) != 1 || layout_.stands_in(made) != npos) continue;
    auto const is_overwritten = [&](value_number v) { return is_written_after(maker, v); };
    if (is_overwritten(made) || std::ranges::any_of(layout_.reads(maker), is_overwritten)) continue;
    demand_ = rows_on_demand<B>::find(*steps_[maker].kernel, steps_[maker].context, by->least_rows, costs_);
    if (demand_ == nullptr) continue;
    demanded_ = maker;
    memory.set_demanded(maker);
    steps_[maker].way = op_way::demanded;
    details_[last].resources.results->demanded_input = by->input;
    return;
  }
}

// Whether no op between this one and the last of the first stage writes to memory that this one reads: to what it
// makes, or to scratch, which may stand where a value stood that was needed no more.
template <backend B>
bool plan<B>::inputs_last(op_index op) const {
  auto const is_apart = [&](slot const& written) {
    return std::ranges::all_of(layout_.reads(op), [&](value_number v) { return are_apart(slots_[v], written); });
  };
  for (op_index between = op + 1; between != stage_end(0) - 1; ++between) {
    auto const scratch = static_cast<std::int64_t>(details_[between].scratch);
    if (!is_apart({steps_[between].context.scratch(), {element_type::uint8, {scratch}}})) return false;
    for (value_number written : layout_.writes(between))
      if (!is_apart(slots_[written])) return false;
  }
  return true;
}

// Leaves `op` at the last of its group, or at the one that has failed.
template <backend B>
template <class Groups>
void plan<B>::run_group(Groups& groups, op_index& op) {
  op_index const first = op;
  groups.run(op);
  for (op_index done = first; done <= op; ++done)
    for (value_number v : layout_.published(done)) publish(v);
}

template <backend B>
void plan<B>::defer_run() {
  ++*runs_;
  op_index op = 0;
  try {
    groups_.defer(op);
  } catch (...) {
    rethrow(op);
  }
  ++deferred_;
  for (op = 0; op != op_count(); ++op)
    for (value_number v : layout_.published(op)) publish(v);
}

template <backend B>
void plan<B>::run_deferred(std::size_t& run) {
  deferred_ = 0;
  op_index op = 0;
  try {
    groups_.run_deferred(run, op);
  } catch (...) {
    rethrow(op);
  }
}

template <backend B>
void plan<B>::end_series(bool whole) {
  deferred_ = 0;
  constants_told_ = false;
  unpack(false);
  drop(groups_);
  drop(columns_);
  drop(chains_);
  if (!std::exchange(in_series_, false)) return;
  for (op_index op = 0; op != op_count(); ++op) {
    row_sums<B>* const sums = sums_of(op);
    if (sums == nullptr) continue;
    steps_[op].way = usual_way(op);
    try {
      if (whole) sums->end(steps_[op].context);
    } catch (...) {
      in_series_ = true;
      end_series(false);
      rethrow(op);
    }
    sums->drop();
  }
}

}  // namespace plait
