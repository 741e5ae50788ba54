// Lane: a step of a recurrence in flight, with the addresses of linked values and their delivery to places.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/blob.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/engine/engine.hpp>
#include <plait/exec/detail/kernels/accumulate.hpp>
#include <plait/exec/detail/moving_storage.hpp>
#include <plait/exec/detail/operators/recurrent_network_arguments.hpp>
#include <plait/exec/detail/operators/recurrent_network_links.hpp>
#include <plait/exec/detail/run_options.hpp>
#include <plait/exec/tensor.hpp>
#include <plait/exec/workspace.hpp>

namespace plait::detail {

/// One run of a recurrence.
template <backend B>
struct recurrent_run {
  std::vector<recurrent_sequence> sequences = {};
  std::int64_t steps = 0;
  bool backward = false;
  run_options const* options = nullptr;
  /// Gradients added to the place of a target after a step: `to` is the number of the link.
  std::vector<moving_addend> addends = {};
  /// Sources that are blobs step by step, instead of places of a sequence: the number of the link, and these blobs.
  std::vector<std::pair<std::size_t, std::vector<blob<B>> const*>> each = {};

  bool is_each(std::size_t link) const {
    return std::ranges::any_of(each, [link](auto const& e) { return e.first == link; });
  }
  /// Returns the step that runs after so many others.
  std::int64_t step(std::int64_t done) const { return backward ? steps - 1 - done : done; }
};

/// to[i] += from[i], for tensors of float or double.
template <backend B>
void add_elements(void* to, void const* from, element_type type, std::size_t count) {
  if (!accumulate<B>(type, to, from, count))
    refuse_recurrence("gradients of " + std::string(to_string(type)) + " cannot be added");
}

/// Repeats a place of a ring buffer behind its end, if windows reach it there.
template <backend B>
void repeat_place(recurrent_sequence const& s, std::int64_t place) {
  if (s.again == 0) return;
  std::byte* const at = s.at(place);
  if (at < s.data + s.again * s.step_bytes()) B::copy(at + s.places * s.step_bytes(), at, s.step_bytes());
}

/// One plan, the blobs of its links, and, once types are known, the slots of linked values. `leader` is the plan that
/// has begun the loop: this one, or one that shares its kernels. Both are nullptr if the step net only passes on what
/// is linked.
template <backend B>
class recurrent_lane {
 public:
  void connect(engine<B>* p, engine<B> const* leader, std::span<linked_place const> links, workspace<B>& blobs) {
    plan_ = p;
    leader_ = leader;
    links_ = links;
    blobs_.clear();
    for (linked_place const& link : links) blobs_.push_back(&blobs.local(link.internal));
    filled_.resize(links_.size());
  }

  // ---- steps that bind blobs
  /// Sets the blobs of sources: to views of their places, or to copies or sums of them.
  void open(recurrent_run<B> const& run, std::int64_t t) {
    for (std::size_t i = 0; i != links_.size(); ++i) {
      linked_place const& link = links_[i];
      if (!link.source) {
        if (link.leftover) blobs_[i]->clear();
        continue;
      }
      if (run.is_each(i)) continue;
      recurrent_sequence const& s = run.sequences[link.sequence];
      if (link.filled) {
        if (link.first_source) make_room(i, s);
        fill(i, s, t);
      } else {
        blobs_[i]->value.view(s.at(link.place(t)), s.window(link.window));
        blobs_[i]->object = nullptr;
        blobs_[i]->is_set = true;
      }
    }
    for (auto const& [i, blobs] : run.each) *blobs_[i] = (*blobs)[static_cast<std::size_t>(t)];
  }
  /// Directs values to the places of their targets.
  void put(recurrent_run<B> const& run, std::int64_t t) {
    for (linked_place const& link : links_)
      if (is_put(link)) {
        recurrent_sequence const& s = run.sequences[link.sequence];
        plan_->write_to(link.value, s.at(link.place(t)), s.step_bytes() * static_cast<std::size_t>(link.window));
      }
  }
  /// Returns true if all values that are put are at their places.
  bool is_in_place(recurrent_run<B> const& run, std::int64_t t) const {
    return std::ranges::all_of(links_, [&](linked_place const& link) {
      if (!is_put(link)) return true;
      tensor<B> const* const kept = plan_->memory().kept(link.value);
      return kept != nullptr && kept->raw() == run.sequences[link.sequence].at(link.place(t));
    });
  }

  // ---- steps that move addresses
  /// Finds the slots that move, after a step that was bound. O(links · values).
  void find_moving() {
    moving_.clear();
    storages_.clear();
    for (std::size_t i = 0; i != links_.size(); ++i) {
      linked_place const& link = links_[i];
      bool const reads = link.source && !link.filled && link.given != npos;
      if (!reads && !is_put(link)) continue;
      std::uint32_t const v = reads ? link.given : link.value;
      storages_.push_back({plan_->value(v).storage, i});
      slots_.clear();
      plan_->find_slots(v, slots_);
      for (slot* const s : slots_) moving_.push_back({s, i});
    }
  }
  /// Allocates the memory of filled blobs in this lane.
  void make_filled(recurrent_run<B> const& run) {
    for (std::size_t i = 0; i != links_.size(); ++i) {
      if (!links_[i].filled || !links_[i].first_source) continue;
      make_room(i, run.sequences[links_[i].sequence]);
      if (links_[i].given == npos) continue;
      slots_.clear();
      plan_->find_slots(links_[i].given, slots_);
      for (slot* const s : slots_) s->data = filled(i).raw();
    }
  }
  void move(recurrent_run<B> const& run, std::int64_t t) {
    for (auto const& [at, i] : moving_) at->data = run.sequences[links_[i].sequence].at(links_[i].place(t));
  }
  /// Fills the blob of a source, or adds to it.
  void fill(std::size_t i, recurrent_sequence const& s, std::int64_t t) {
    linked_place const& link = links_[i];
    tensor<B>& to = filled(i);
    std::size_t const bytes = s.step_bytes() * static_cast<std::size_t>(link.window);
    if (link.first_source) return B::copy(to.raw(), s.at(link.place(t)), bytes);
    if (to.bytes() != bytes || to.type() != s.type.type)
      refuse_recurrence("'" + link.internal + "' is linked to sequences of different steps");
    add_elements<B>(to.raw(), s.at(link.place(t)), s.type.type,
                    s.step_elements() * static_cast<std::size_t>(link.window));
  }
  void fill(recurrent_run<B> const& run, std::int64_t t) {
    for (std::size_t i = 0; i != links_.size(); ++i)
      if (links_[i].filled && links_[i].source) fill(i, run.sequences[links_[i].sequence], t);
  }
  /// Collects the places of moving values from step `first` on, and what is added to them.
  void collect(recurrent_run<B> const& run, std::int64_t first, std::vector<moving_storage>& places,
               std::vector<moving_addend>& addends) const {
    places.clear();
    addends.clear();
    for (auto const& [storage, i] : storages_) {
      for (moving_addend a : run.addends) {
        if (a.to != i) continue;
        a.to = places.size();
        addends.push_back(a);
      }
      places.push_back(links_[i].moving(run.sequences[links_[i].sequence], storage, first, run.backward));
    }
  }

  // ---- after a step
  void deliver_all(recurrent_run<B> const& run, std::int64_t t) {
    for (std::size_t i = 0; i != links_.size(); ++i)
      if (links_[i].target) deliver(run, i, t);
    for (std::size_t i = 0; i != links_.size(); ++i)
      if (links_[i].target) complete(run, i, t);
  }
  /// Copies or adds the value of a target to its place, unless the plan has written it there.
  void deliver(recurrent_run<B> const& run, std::size_t i, std::int64_t t) {
    linked_place const& link = links_[i];
    recurrent_sequence const& s = run.sequences[link.sequence];
    std::byte* const to = s.at(link.place(t));
    if (link.value == npos || !leader_->accumulates(link.value)) {
      auto const [from, type] = value_of(run, i, t);
      tensor_spec const room = s.window(link.window);
      if (type.type != room.type || type.bytes() != room.bytes())
        refuse_recurrence("'" + link.internal + "' is " + to_string(type) + " after step " + std::to_string(t) +
                          ", but linked to " + to_string(room));
      if (link.added)
        add_elements<B>(to, from, type.type, static_cast<std::size_t>(type.dims.size()));
      else if (from != to)
        B::copy(to, from, room.bytes());
      if (link.in_place && from != to)
        refuse_recurrence("'" + link.internal +
                          "' is read through a window in the step that makes it, by an op that cannot write it there");
    }
  }
  /// Adds the addends of a target and repeats places of ring buffers, once the value is at all its places.
  void complete(recurrent_run<B> const& run, std::size_t i, std::int64_t t) {
    linked_place const& link = links_[i];
    recurrent_sequence const& s = run.sequences[link.sequence];
    std::byte* const to = s.at(link.place(t));
    for (moving_addend const& a : run.addends)
      if (a.to == i)
        if (std::byte const* const from = a.at(link.place(t)); from != nullptr)
          add_elements<B>(to, from, a.type, a.elements);
    repeat_place<B>(s, link.place(t));
  }

 private:
  struct moving_slot {
    slot* at;
    std::size_t link;
  };
  struct linked_storage {
    std::uint32_t storage;
    std::size_t link;
  };
  struct held {
    void const* data;
    tensor_spec type;
  };

  bool is_put(linked_place const& link) const {
    return link.may_be_put() && (!link.added || leader_->accumulates(link.value));
  }
  // Value of a target: that of the plan, or, for a blob that the net only passes on, that of its source.
  held value_of(recurrent_run<B> const& run, std::size_t i, std::int64_t t) const {
    linked_place const& link = links_[i];
    if (link.value != npos) return {plan_->value(link.value).data, plan_->value(link.value).type};
    for (std::size_t k = 0; k != links_.size(); ++k) {
      linked_place const& from = links_[k];
      if (!from.source || from.internal != link.internal) continue;
      if (from.filled) return {filled(k).raw(), filled(k).spec()};
      recurrent_sequence const& s = run.sequences[from.sequence];
      return {s.at(from.place(t)), s.window(from.window)};
    }
    return {nullptr, {}};
  }
  // Memory of a filled blob: the blob itself has another when the plan has published a new value of it.
  tensor<B>& filled(std::size_t i) {
    auto const is_first = [&](linked_place const& l) { return l.first_source && l.internal == links_[i].internal; };
    return filled_[static_cast<std::size_t>(std::ranges::find_if(links_, is_first) - links_.begin())];
  }
  tensor<B> const& filled(std::size_t i) const { return const_cast<recurrent_lane*>(this)->filled(i); }
  void make_room(std::size_t i, recurrent_sequence const& s) {
    tensor<B>& room = filled(i);
    tensor_spec const type = s.window(links_[i].window);
    if (room.spec() != type || room.owner() == nullptr) room = tensor<B>::uninitialized(type.type, type.dims);
    blobs_[i]->value.view(room.raw(), type);
    blobs_[i]->object = nullptr;
    blobs_[i]->is_set = true;
  }

  engine<B>* plan_ = nullptr;
  engine<B> const* leader_ = nullptr;
  std::span<linked_place const> links_;
  std::vector<blob<B>*> blobs_;    // by link
  std::vector<tensor<B>> filled_;  // by link, of first sources
  std::vector<moving_slot> moving_;
  std::vector<linked_storage> storages_;  // of these
  std::vector<slot*> slots_;
};

}  // namespace plait::detail
