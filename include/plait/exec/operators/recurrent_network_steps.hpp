// A step net that is run at each place of sequences: its plan, and the places its blobs stand at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/npos.hpp>
#include <plait/exec/element_type.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/operand_frame.hpp>
#include <plait/exec/operators/recurrent_network_arguments.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/run_options.hpp>
#include <plait/exec/workspace.hpp>

namespace plait::detail {

// nvcc takes no kernel inside another lambda, so each has a function of its own.
template <backend B, class T>
void add_typed(T* y, T const* x, std::size_t count) {
  for_each_index<B>(count, [=] PLAIT_HOST_DEVICE(std::size_t i) { y[i] += x[i]; });
}
template <backend B, class T>
void clear_typed(T* y, std::size_t count) {
  for_each_index<B>(count, [=] PLAIT_HOST_DEVICE(std::size_t i) { y[i] = T(0); });
}

/// to[i] += from[i], for tensors of float or double.
template <backend B>
void add_elements(void* to, void const* from, element_type type, std::size_t count) {
  bool const known = visit_type<float, double>(
      type, [&]<class T>(T) { add_typed<B>(static_cast<T*>(to), static_cast<T const*>(from), count); });
  if (!known) refuse_recurrence("gradients of " + std::string(to_string(type)) + " cannot be added");
}

template <backend B>
void clear_elements(void* to, element_type type, std::size_t count) {
  bool const known = visit_type<float, double>(type, [&]<class T>(T) { clear_typed<B>(static_cast<T*>(to), count); });
  if (!known) refuse_recurrence("there are no gradients of " + std::string(to_string(type)));
}

/// Memory of which the first axis is time.
struct recurrent_sequence {
  std::byte* data = nullptr;
  tensor_spec type = {};

  std::size_t step_bytes() const { return static_cast<std::size_t>(type.dims.size_from(1)) * size_of(type.type); }
  std::size_t step_elements() const { return static_cast<std::size_t>(type.dims.size_from(1)); }
  std::byte* at(std::int64_t place) const { return data + static_cast<std::size_t>(place) * step_bytes(); }
};

/// One link of a plan. What a net neither reads nor writes passes from a place it is linked to to the others.
struct linked_place {
  std::string internal;
  std::size_t sequence;  ///< for the caller to number
  std::int64_t offset;
  std::int64_t window;
  bool source = false;         ///< the net finds the blob to be this place
  bool target = false;         ///< what the net makes of the blob goes to this place
  bool added = false;          ///< and is added to what is there
  std::uint32_t value = npos;  ///< of the plan, if the net writes it
  bool moves = true;           ///< one place further at each step
  bool copied = false;         ///< the net changes the blob, but must not change the place

  std::int64_t place(std::int64_t t) const { return moves ? t + offset : offset; }
};

/// Whether one blob of a step is read where another one is put.
inline bool is_read_as_filled(linked_place const& made, linked_place const& read) {
  return made.target && read.source && made.sequence == read.sequence && made.internal != read.internal &&
         read.offset < made.offset + made.window && made.offset < read.offset + read.window;
}

/// Runs a plan at the places of sequences. The workspaces have blobs for all the names beforehand.
template <backend B>
class recurrent_steps {
 public:
  recurrent_steps() = default;

  void compile(nets_of_op<B> const& nets, std::string argument, std::vector<std::string> const* keep) {
    argument_ = std::move(argument);
    plan_ = nets.compile(argument_, blank_, keep);
  }
  plait::plan<B> const& plan() const noexcept { return *plan_; }
  std::vector<linked_place>& links() noexcept { return links_; }

  /// The number of the value a blob has after the net, npos if the net does not write it.
  std::uint32_t written(std::string_view name) const { return find(plan_->layout().published(), name); }
  bool reads(std::string_view name) const { return find(plan_->layout().given(), name) != npos; }

  /// Takes the links, `sequence` numbering what each is linked to. Forward a blob comes from its first place in time,
  /// backward from the last, or, with several of them, from their sum.
  template <class Sequence>
  void connect(std::vector<recurrent_link> const& links, bool backward, Sequence&& sequence) {
    for (recurrent_link const& link : links)
      links_.push_back(
          {link.internal, sequence(link), link.offset, link.window, false, false, false, written(link.internal)});
    for (std::size_t i = 0; i != links_.size(); ++i) {
      linked_place& link = links_[i];
      std::size_t count = 0;
      bool first = true;  // in time, or in the list of those
      bool last = true;
      for (std::size_t k = 0; k != links_.size(); ++k) {
        linked_place const& other = links_[k];
        if (other.internal != link.internal) continue;
        ++count;
        first = first && (link.offset < other.offset || (link.offset == other.offset && i <= k));
        last = last && link.offset >= other.offset;
      }
      bool const read = reads(link.internal);
      bool const made = link.value != npos;
      bool const comes = backward ? last : first;
      link.source = comes && (read || !made) && (read || !backward || count > 1);
      // What a net makes of a blob that it was given is a state again, but no gradient of the place it had.
      link.target = (made && (!read || (count == 1 && !backward))) || (count > 1 && !link.source);
    }
  }

  /// Runs step `t` in a workspace. `first` before the others of a run.
  void run(workspace<B>& blobs, std::span<recurrent_sequence const> sequences, std::int64_t t, bool first,
           run_options const& options) {
    for (std::size_t i = 0; i != links_.size(); ++i)
      if (links_[i].source) find_source(blobs, sequences, t, i);
    plan_->rebind(blobs);
    if (first) bind();
    for (linked_place const& link : links_)
      if (link.target && !link.added && link.value != npos) {
        recurrent_sequence const& s = sequences[link.sequence];
        plan_->write_to(link.value, s.at(link.place(t)), s.step_bytes() * static_cast<std::size_t>(link.window));
      }
    run_nested(*plan_, argument_, options);
    for (linked_place const& link : links_)
      if (link.target) deliver(blobs, sequences[link.sequence], t, link);
  }

  /// Lets go of the workspaces.
  void release() {
    if (plan_ != nullptr) plan_->rebind(blank_);
  }

  static void set_view(blob<B>& at, recurrent_sequence const& s, std::int64_t place, std::int64_t window) {
    tensor_spec view = s.type;
    view.dims.set(0, window);
    at.value = tensor<B>::adopt(s.at(place), view, row_major(view.dims), nullptr);
    at.object = nullptr;
    at.is_set = true;
  }

 private:
  std::uint32_t find(std::span<std::uint32_t const> values, std::string_view name) const {
    for (std::uint32_t const v : values)
      if (plan_->value_name(v) == name) return v;
    return npos;
  }

  // Places can be given only where sizes are known.
  void bind() {
    try {
      plan_->bind();
    } catch (exec_error const& e) {
      std::throw_with_nested(nested_net_error(argument_, e.what(), e.blob));
    }
  }
  void find_source(workspace<B>& blobs, std::span<recurrent_sequence const> sequences, std::int64_t t, std::size_t i) {
    linked_place const& link = links_[i];
    recurrent_sequence const& s = sequences[link.sequence];
    blob<B>& at = blobs.get(link.internal);
    bool summed = false;
    for (std::size_t k = 0; k != i; ++k) summed = summed || (links_[k].source && links_[k].internal == link.internal);
    if (!summed) {
      set_view(at, s, link.place(t), link.window);
      if (link.copied) at.value = at.value.clone();
      return;
    }
    std::size_t const bytes = s.step_bytes() * static_cast<std::size_t>(link.window);
    if (at.value.bytes() != bytes || at.value.type() != s.type.type)
      refuse_recurrence("'" + link.internal + "' is linked to sequences of different steps");
    tensor<B> sum = at.value.owner() != nullptr ? at.value : at.value.clone();
    add_elements<B>(sum.raw(), s.at(link.place(t)), s.type.type,
                    s.step_elements() * static_cast<std::size_t>(link.window));
    at.value = std::move(sum);
  }

  // What the plan could write there itself is there.
  void deliver(workspace<B>& blobs, recurrent_sequence const& s, std::int64_t t, linked_place const& link) {
    blob<B> const& from = blobs.get(link.internal);
    std::size_t const bytes = s.step_bytes() * static_cast<std::size_t>(link.window);
    std::byte* const to = s.at(link.place(t));
    tensor_spec const type = from.spec();
    if (type.type != s.type.type || type.bytes() != bytes) {
      tensor_spec room = s.type;
      room.dims.set(0, link.window);
      refuse_recurrence("'" + link.internal + "' is " + to_string(type) + " after step " + std::to_string(t) +
                        ", but linked to " + to_string(room));
    }
    if (link.added)
      add_elements<B>(to, from.value.raw(), type.type, static_cast<std::size_t>(type.dims.size()));
    else if (from.value.raw() != to)
      B::copy(to, from.value.raw(), bytes);
  }

  std::string argument_;
  workspace<B> blank_;
  std::unique_ptr<plait::plan<B>> plan_;
  std::vector<linked_place> links_;
};

/// Throws shape_error if a link leaves its sequence within `steps` steps.
inline void expect_room(linked_place const& link, std::string_view external, recurrent_sequence const& s,
                        std::int64_t steps) {
  if (s.type.dims.rank() == 0)
    refuse_recurrence("'" + std::string(external) + "' is " + to_string(s.type) + ", which has no steps");
  if (steps != 0 && steps - 1 + link.offset + link.window > s.type.dims[0])
    refuse_recurrence("the link of '" + link.internal + "' leaves '" + std::string(external) + "' of " +
                      std::to_string(s.type.dims[0]) + " places at step " + std::to_string(steps - 1) + ": offset " +
                      std::to_string(link.offset) + ", window " + std::to_string(link.window));
}

/// Binds names of the net around to where they stand in the frame of an op, until it goes.
template <backend B>
class bound_names {
 public:
  bound_names(workspace<B>& at, std::span<std::pair<std::string, blob<B>*> const> names) : at_(&at), names_(names) {
    for (auto const& [name, blob] : names_) at_->bind(name, *blob);
  }
  bound_names(bound_names const&) = delete;
  bound_names& operator=(bound_names const&) = delete;
  ~bound_names() {
    for (auto const& [name, blob] : names_) at_->unbind(name);
  }

 private:
  workspace<B>* at_;
  std::span<std::pair<std::string, blob<B>*> const> names_;
};

}  // namespace plait::detail
