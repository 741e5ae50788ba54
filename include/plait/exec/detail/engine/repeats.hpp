// A run like the last one: members of engine<B>, included by engine.hpp.
#pragma once

#include <algorithm>
#include <cstddef>

#include <plait/exec/detail/engine/engine.hpp>

namespace plait {

// Whether a run finds all as the one before did is told by where operands of the net stand, unless a run does more than
// run its ops. To be asked for whenever groups are found anew, or blobs: until a run has ended, none can be repeated.
template <backend B>
void engine<B>::find_places() {
  repeats_ = false;
  places_.clear();
  if (nested_ || layout_.stages().size() != 1) return;
  if (layout_.reads_elements(0)) return;
  if (std::ranges::any_of(steps_, [](step const& s) { return s.runs >= dispatch::streamed; })) return;
  auto const given_back = [this](value_number v) { return inputs_.is_source(blobs_[layout_.blob_of(v)]); };
  if (std::ranges::any_of(layout_.published(), given_back)) return;
  for (input const& in : inputs_) places_.push_back({in.source, &slots_[in.value]});
  for (value_number v : layout_.published()) places_.push_back({blobs_[layout_.blob_of(v)], &slots_[v]});
}

// Whether all that is given and was published is where it was when the last run had ended.
template <backend B>
bool engine<B>::stands() const {
  for (auto const& [held_by, at] : places_) {
    if (!held_by->is_set || held_by->object != nullptr) return false;
    if (!held_by->value.stands_at(at->data, at->type)) return false;
  }
  return constants_.empty() || (in_loop_ && !constants_.have_changed(inputs_));
}

template <backend B>
void engine<B>::run_again() {
  op_index op = 0;
  ++entered_;
  ++*runs_;
  try {
    for (op_index const last = stage_end(0); op != last; ++op) {
      step& s = steps_[op];
      if (is_cancelled()) throw run_cancelled(op);
      if (s.runs <= dispatch::publish)
        s.kernel->run(s.context);
      else
        s.group->run_again(op);
    }
  } catch (...) {
    repeats_ = false;
    report_failure();
    rethrow(op);
  }
}

template <backend B>
void engine<B>::note(standing& now) const {
  now.stages = entered_;
  now.values.assign(slots_.begin(), slots_.end());
  now.holders.clear();
  for (value_number v : layout_.published())
    now.holders.push_back(blobs_[layout_.blob_of(v)]->value.owner().use_count());
}

template <backend B>
bool engine<B>::stands_as(standing const& then) const {
  auto const same = [](slot const& a, slot const& b) { return a.data == b.data && a.type == b.type; };
  if (then.stages != entered_ || !std::ranges::equal(slots_, then.values, same)) return false;
  auto const published = layout_.published();
  for (std::size_t i = 0; i != published.size(); ++i) {
    if (slots_[published[i]].type.type == element_type::none) continue;
    blob<B>& held = *blobs_[layout_.blob_of(published[i])];
    if (!held.is_set || held.value.owner().use_count() > then.holders[i]) return false;
    if (held.object == nullptr && !same(slot{held.value.raw(), held.spec()}, slots_[published[i]])) return false;
  }
  return true;
}

}  // namespace plait
