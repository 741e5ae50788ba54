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
#include <plait/exec/operators/recurrent_links.hpp>
#include <plait/exec/operators/recurrent_network_arguments.hpp>
#include <plait/exec/operators/recurrent_network_links.hpp>
#include <plait/exec/operators/recurrent_network_series.hpp>
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

/// A link that is an op of the step net.
struct link_op {
  recurrent_link link;
  bool is_target;  ///< the net goes on to write the blob, whose last value goes to the place
};

/// Runs a plan at the places of sequences, or only hands on what is linked there, if none was compiled. The workspaces
/// have blobs for all the names beforehand.
template <backend B>
class recurrent_steps {
 public:
  recurrent_steps() = default;

  void compile(nets_of_op<B> const& nets, std::string argument, std::vector<std::string> const* keep) {
    argument_ = std::move(argument);
    plan_ = nets.compile(argument_, blank_, keep);
    std::vector<link_op> const linked = link_ops();
    if (keep == nullptr || linked.empty()) return;
    std::vector<std::string> more = *keep;
    for (link_op const& op : linked) more.push_back(op.link.internal);
    plan_ = nets.compile(argument_, blank_, &more);
  }
  plait::plan<B> const& plan() const noexcept { return *plan_; }
  std::vector<linked_place>& links() noexcept { return links_; }

  /// The number of the value a blob has after the net, npos if the net does not write it.
  std::uint32_t written(std::string_view name) const {
    return plan_ == nullptr ? npos : find(plan_->layout().published(), name);
  }
  /// Whether the net reads what the blob holds before it. An op that may leave its output as it was does not.
  bool reads(std::string_view name) const {
    if (plan_ == nullptr) return false;
    plan_layout const& layout = plan_->layout();
    std::uint32_t const given = find(layout.given(), name);
    if (given == npos) return false;
    for (op_index op = 0; op != plan_->op_count(); ++op) {
      auto const row = layout.reads(op);
      auto const at = static_cast<std::size_t>(std::ranges::find(row, given) - row.begin());
      if (at == row.size()) continue;
      bool const leaves = std::ranges::any_of(
          layout.writes(op), [&](std::uint32_t v) { return layout.blob_of(v) == layout.blob_of(given); });
      if (!leaves || at < plan_->listed_inputs(op)) return true;
    }
    return false;
  }

  /// The ops rnn_internal_apply_link of the net.
  std::vector<link_op> link_ops() const {
    std::vector<link_op> found;
    if (plan_ == nullptr) return found;
    plan_layout const& layout = plan_->layout();
    for (op_index op = 0; op != plan_->op_count(); ++op) {
      auto const* const kernel = dynamic_cast<apply_link_kernel<B> const*>(&plan_->kernel(op));
      if (kernel == nullptr) continue;
      blob_index const made = layout.blob_of(layout.writes(op)[0]);
      bool written_again = false;
      for (op_index later = op + 1; later != plan_->op_count(); ++later)
        for (std::uint32_t const v : layout.writes(later)) written_again = written_again || layout.blob_of(v) == made;
      found.push_back({{std::string(plan_->blob_name(made)), std::string(plan_->value_name(layout.reads(op)[1])),
                        kernel->offset, kernel->window},
                       written_again});
    }
    return found;
  }
  /// Links that are ops of the net take the place of the same ones in the list; those that are targets are appended to
  /// it. To be called before connect. Returns how many are appended.
  std::size_t take_link_ops(std::vector<recurrent_link>& links) const {
    std::vector<recurrent_link> targets;
    for (link_op const& op : link_ops()) {
      std::erase(links, op.link);
      if (op.is_target) targets.push_back(op.link);
    }
    links.insert(links.end(), targets.begin(), targets.end());
    return targets.size();
  }

  /// Takes the links, `sequence` numbering what each is linked to. Forward a blob comes from its first place in time,
  /// backward from the last, or, with several of them, from their sum. The last `by_ops` of them are targets only, as
  /// take_link_ops says.
  template <class Sequence>
  void connect(std::vector<recurrent_link> const& links, std::size_t by_ops, bool backward, Sequence&& sequence) {
    for (recurrent_link const& link : links)
      links_.push_back(
          {link.internal, sequence(link), link.offset, link.window, false, false, false, written(link.internal)});
    for (std::size_t i = 0; i != links_.size(); ++i) {
      linked_place& link = links_[i];
      if (i + by_ops >= links_.size()) {
        link.target = true;
        continue;
      }
      std::size_t count = 0;
      bool first = true;  // in time, or in the list of those
      bool last = true;
      for (std::size_t k = 0; k != links_.size(); ++k) {
        linked_place const& other = links_[k];
        if (other.internal != link.internal || k + by_ops >= links_.size()) continue;
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

  /// After connect: see step_series::compile.
  template <class OwnPlaces>
  void find_series(std::vector<blob<B> const*> around, std::vector<blob<B> const*> changing, OwnPlaces own_places) {
    if (plan_ != nullptr) series_.compile(*plan_, links_, std::move(around), std::move(changing), own_places);
  }

  /// Before a run of so many steps.
  void begin(std::int64_t steps) {
    steps_ = static_cast<std::size_t>(steps);
    begun_ = false;
    if (blobs_.size() > steps_) blobs_.resize(steps_);
  }
  /// Whether names stand for the same blobs as when the workspace was given to find_blobs under this number; if not, it
  /// must be again.
  bool knows(std::size_t number, workspace<B> const& blobs) const {
    return number < blobs_.size() && blobs_[number].own == blobs.revision() &&
           blobs_[number].shared == blobs.parent()->revision();
  }
  void find_blobs(std::size_t number, workspace<B>& blobs) {
    if (number >= blobs_.size()) blobs_.resize(number + 1);
    step_blobs& found = blobs_[number];
    found.links.clear();
    for (linked_place const& link : links_) found.links.push_back(&blobs.get(link.internal));
    if (plan_ != nullptr) found.plan = plan_->find_blobs(blobs);
    found.own = blobs.revision();
    found.shared = blobs.parent()->revision();
  }
  /// Runs step `t` in the workspace of a number.
  void run(std::size_t number, std::span<recurrent_sequence const> sequences, std::int64_t t,
           run_options const& options) {
    step_blobs const& blobs = blobs_[number];
    for (std::size_t i = 0; i != links_.size(); ++i)
      if (links_[i].source) find_source(*blobs.links[i], sequences, t, i);
    if (plan_ != nullptr) run_plan(blobs, sequences, t, options);
    for (std::size_t i = 0; i != links_.size(); ++i)
      if (links_[i].target && !series_.sums(links_[i].value))
        deliver(*blobs.links[i], sequences[links_[i].sequence], t, links_[i]);
  }
  /// After the last step: what ops have summed is complete.
  void finish() {
    if (plan_ != nullptr) inside([&] { plan_->end_series(true); });
    series_.drop();
  }

  /// Lets go of the workspaces.
  void release() {
    if (plan_ == nullptr) return;
    inside([&] { plan_->end_series(false); });
    series_.drop();
    plan_->rebind(blank_);
  }

  static void set_view(blob<B>& at, recurrent_sequence const& s, std::int64_t place, std::int64_t window) {
    tensor_spec view = s.type;
    view.dims.set(0, window);
    at.value = tensor<B>::adopt(s.at(place), view, row_major(view.dims), nullptr);
    at.object = nullptr;
    at.is_set = true;
  }

 private:
  // Where the blobs of a step are, and what the names were then.
  struct step_blobs {
    std::uint64_t own = 0;
    std::uint64_t shared = 0;
    typename plait::plan<B>::blob_places plan = {};
    std::vector<blob<B>*> links = {};
  };

  std::uint32_t find(std::span<std::uint32_t const> values, std::string_view name) const {
    for (std::uint32_t const v : values)
      if (plan_->value_name(v) == name) return v;
    return npos;
  }

  void run_plan(step_blobs const& blobs, std::span<recurrent_sequence const> sequences, std::int64_t t,
                run_options const& options) {
    inside([&] {
      plan_->rebind(blobs.plan);
      if (!begun_) plan_->bind();  // places can be given only where sizes are known
      put(sequences, t);
      if (!begun_) {
        begun_ = true;
        if (steps_ > 1 && series_.begin(*plan_, steps_)) put(sequences, t);
      } else if (told_ && !series_.holds(*plan_, [&](linked_place const& link) {
                   return static_cast<void*>(sequences[link.sequence].at(link.place(t)));
                 })) {
        plan_->end_series(true);
        series_.drop();
        plan_->rebind(blank_);
        plan_->rebind(blobs.plan);
        put(sequences, t);
      }
      told_ = plan_->in_series();
      plan_->run_bound(options);
    });
  }
  // Has the plan write values where they are to be in the end.
  void put(std::span<recurrent_sequence const> sequences, std::int64_t t) {
    for (linked_place const& link : links_)
      if (link.target && link.value != npos && (!link.added || series_.sums(link.value))) {
        recurrent_sequence const& s = sequences[link.sequence];
        plan_->write_to(link.value, s.at(link.place(t)), s.step_bytes() * static_cast<std::size_t>(link.window));
      }
    plan_->bind();
  }
  template <class F>
  void inside(F&& f) {
    try {
      f();
    } catch (exec_error const& e) {
      std::throw_with_nested(nested_net_error(argument_, e.what(), e.blob));
    }
  }
  void find_source(blob<B>& at, std::span<recurrent_sequence const> sequences, std::int64_t t, std::size_t i) {
    linked_place const& link = links_[i];
    recurrent_sequence const& s = sequences[link.sequence];
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
  void deliver(blob<B> const& from, recurrent_sequence const& s, std::int64_t t, linked_place const& link) {
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
  step_series<B> series_;
  std::vector<step_blobs> blobs_;  // by number
  std::size_t steps_ = 0;
  bool begun_ = false;  // the first step of the run has been
  bool told_ = false;   // ops know that they are in a series
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

/// The blobs of a list of whatever else and a blob.
template <backend B, class Pairs>
std::vector<blob<B> const*> blobs_of(Pairs const& pairs) {
  std::vector<blob<B> const*> made;
  for (auto const& [other, at] : pairs) made.push_back(at);
  return made;
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
