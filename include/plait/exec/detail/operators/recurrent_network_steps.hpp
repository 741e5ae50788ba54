// A step net that is run at each place of sequences: its plan, and the places its blobs stand at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/kernels/standing_team.hpp>
#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/detail/operand_frame.hpp>
#include <plait/exec/detail/operators/recurrent_links.hpp>
#include <plait/exec/detail/operators/recurrent_network_arguments.hpp>
#include <plait/exec/detail/operators/recurrent_network_executor.hpp>
#include <plait/exec/detail/operators/recurrent_network_links.hpp>
#include <plait/exec/detail/operators/recurrent_network_places.hpp>
#include <plait/exec/detail/operators/recurrent_network_series.hpp>
#include <plait/exec/detail/run_options.hpp>
#include <plait/exec/detail/step_workspaces.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>

namespace plait::detail {

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
  /// Steps that are put off at a time: enough to make meetings rare, and few enough that sequences stay in the cache.
  /// With the executor no more are under way either.
  static constexpr std::size_t most_deferred = 64;

  recurrent_steps() = default;

  void compile(nets_of_op<B> const& nets, std::string argument, std::vector<std::string> const* keep) {
    costs_ = nets.costs();
    passes_ = nets.passes();
    argument_ = std::move(argument);
    if (keep == nullptr) {
      plan_ = nets.compile(argument_, blank_, nullptr);
      return;
    }
    std::vector<std::string> all = nets.names_made(argument_, "rnn_internal_apply_link");
    all.insert(all.end(), keep->begin(), keep->end());
    plan_ = nets.compile(argument_, blank_, &all);
  }
  plait::plan<B> const& plan() const noexcept { return *plan_; }
  void for_each_net(typename runs_nets<B>::visitor const& visit) const {
    if (plan_ != nullptr) visit(argument_, *plan_, how_);
  }
  std::vector<linked_place>& links() noexcept { return links_; }
  std::vector<linked_place> const& links() const noexcept { return links_; }

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
      // With several places it belongs to the others, and in place it would be made in the first.
      link.copied = link.source && made && count > 1 && !backward;
    }
  }

  /// After connect: see step_series::compile.
  template <class OwnPlaces>
  void find_series(std::vector<blob<B> const*> around, std::vector<blob<B> const*> changing, OwnPlaces own_places) {
    find_filled(links_);
    if (!link_ops().empty()) forbid_fusion();
    if (plan_ != nullptr) series_.compile(*plan_, links_, std::move(around), std::move(changing), own_places);
  }

  /// After connect: has ops keep, from run to run, what they make of blobs of the net around; see op_kernel.
  template <class IsConstant>
  void keep_constants(IsConstant is_constant) {
    if (plan_ == nullptr) return;
    std::vector<bool> values(plan_->layout().value_count(), false);
    for (std::uint32_t const v : plan_->layout().given()) {
      std::string_view const name = plan_->value_name(v);
      values[v] = is_constant(name) && std::ranges::find(links_, name, &linked_place::internal) == links_.end();
    }
    plan_->keep_constants(values);
  }

  /// Linked values overlap otherwise than in whole places, so ops run one by one.
  void forbid_fusion() {
    if (plan_ != nullptr) plan_->forbid_fusion();
  }
  /// After find_series: steps of later runs may be under way at once, up to a limit, where the backend has tasks and
  /// that can be gained from.
  void use_executor(executor_limits const& limits, bool backward) {
    if (plan_ != nullptr && link_ops().empty() && passes_.overlap_steps)
      executor_.compile(*plan_, links_, limits, backward, costs_);
  }
  /// In how many workspaces steps are run whose blobs nobody needs afterwards.
  std::size_t in_flight() const noexcept { return std::max<std::size_t>(2, overlapping()); }
  /// How many steps the executor has under way; 0 if there is none.
  std::size_t overlapping() const noexcept { return executor_.in_flight(); }

  /// Runs so many steps, backward from the last one on. `make(done)` sees to it that what steps read is there, when so
  /// many are over and none is under way, and returns for how many it is. `open(t)` makes a workspace ready for step t,
  /// which is run in the workspace of the number it returns; `given(link, t, add)` calls add(elements) for what is to
  /// be added to the place of a target when step t has been there; `delivered(link, t)` is told of a target that step t
  /// has taken to its places. These three are called for one step after the other, or for several at once, in the
  /// executor's tasks. What is thrown is what the first step in this order throws.
  template <class Make, class Open, class Given, class Delivered>
  void run(std::span<recurrent_sequence const> sequences, std::int64_t steps, bool backward, run_options const& options,
           Make const& make, Open const& open, Given const& given, Delivered const& delivered) {
    steps_ = static_cast<std::size_t>(steps);
    backward_ = backward;
    begun_ = false;
    defers_ = false;
    how_ = "step by step";
    if (blobs_.size() > steps_) blobs_.resize(steps_);
    recurrent_run const all{sequences, steps, backward, &options};
    std::optional<standing_team<B>> team;
    bool overlap = false;
    std::int64_t ready = 0;
    for (std::int64_t done = 0; done != steps;) {
      if (done == ready) {
        run_deferred();
        ready = make(done);
      }
      if (overlap) {
        std::int64_t const before = done;
        done = executor_.run(*plan_, links_, series_, told_, all, {done, ready}, argument_, open, given, delivered);
        plan_->count_runs(static_cast<std::uint64_t>(done - before));
        overlap = done == ready;
        if (overlap) continue;
      }
      run_step(all, all.step(done), open(all.step(done)), given, delivered);
      ++done;
      if (plan_ == nullptr) continue;
      if (done == 1) {
        overlap = executor_.pays(*plan_, steps);
        if (overlap) {
          how_ = "steps overlap op by op after the first";
        } else {
          defers_ = may_defer(all);
          if (defers_) how_ = "each thread several steps of its rows";
          team.emplace();
        }
      }
      if (plan_->deferred() == most_deferred) run_deferred();
    }
    run_deferred();
    if (plan_ != nullptr) run_inside(argument_, [&] { plan_->end_loop(true); });
    series_.drop();
  }

  /// What a step takes, before it is run.
  struct step_memory {
    std::size_t workspace = 0;  ///< bytes in a workspace
    std::size_t once = 0;       ///< bytes for all of them
    std::vector<step_forecast::blob> blobs = {};
  };
  using given_type = typename plait::plan<B>::given_type;
  /// `sequences` by the numbers given to connect; `type_of(name)`, a given_type, is asked for what is not linked.
  template <class TypeOf>
  step_memory forecast(std::span<tensor_spec const> sequences, TypeOf&& type_of) {
    step_memory made;
    auto const places = [&](linked_place const& link) {
      tensor_spec type = sequences[link.sequence];
      type.dims.set(0, link.window);
      return type;
    };
    for (linked_place const& link : links_) {
      if (link.filled && link.first_source) made.workspace += memory_pool<B>::block_size(places(link).bytes());
      made.blobs.push_back({link.internal, places(link)});
    }
    if (plan_ == nullptr) return made;
    typename plait::plan<B>::given_types given;
    for (std::uint32_t const v : plan_->layout().given()) {
      std::string_view const name = plan_->value_name(v);
      auto const link = std::ranges::find_if(links_, [&](auto const& l) { return l.source && l.internal == name; });
      given.push_back(link != links_.end() ? given_type{places(*link)} : type_of(name));
    }
    typename plait::plan<B>::forecast plan = plan_->forecast_run(given);
    for (linked_place const& link : links_)  // what is put where it is to be has no memory of its own
      if (link.may_be_put() && !link.added)
        if (std::uint32_t const home = plan.homes[link.value]; home != npos) plan.kept[home] = 0;
    for (std::size_t const bytes : plan.kept) made.workspace += bytes;
    made.once = plan.blocks + plan.inside;
    for (std::uint32_t const v : plan_->layout().published())
      made.blobs.push_back({std::string(plan_->value_name(v)), plan.types[v], std::move(plan.elements[v])});
    return made;
  }

  /// Lets go of the workspaces.
  void release() {
    if (plan_ == nullptr) return;
    run_inside(argument_, [&] { plan_->end_loop(false); });
    series_.drop();
    rebind_blank();
    executor_.release();
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
  step_blobs const& find_blobs(opened_step<B> const& at) {
    if (at.number >= blobs_.size()) blobs_.resize(at.number + 1);
    step_blobs& found = blobs_[at.number];
    workspace<B>& blobs = *at.blobs;
    if (found.own == blobs.revision() && found.shared == blobs.parent()->revision()) return found;
    found.links.clear();
    for (linked_place const& link : links_) found.links.push_back(&blobs.get(link.internal));
    if (plan_ != nullptr) found.plan = plan_->find_blobs(blobs);
    found.own = blobs.revision();
    found.shared = blobs.parent()->revision();
    return found;
  }
  // To blobs that hold nothing.
  void rebind_blank() {
    if (blank_places_.given.empty() && blank_places_.published.empty()) blank_places_ = plan_->find_blobs(blank_);
    plan_->rebind(blank_places_);
  }
  template <class Given, class Delivered>
  void run_step(recurrent_run const& all, std::int64_t t, opened_step<B> const& at, Given const& given,
                Delivered const& delivered) {
    step_blobs const& blobs = find_blobs(at);
    auto const sequence = [&](linked_place const& link) -> recurrent_sequence const& {
      return all.sequences[link.sequence];
    };
    for (std::size_t i = 0; i != links_.size(); ++i) {
      linked_place const& link = links_[i];
      if (link.source && link.first_source) open_source<B>(*blobs.links[i], link, sequence(link), t);
      if (link.filled) fill_source<B>(*blobs.links[i], link, sequence(link), t);
    }
    bool put_off = false;
    if (plan_ != nullptr) run_inside(argument_, t, [&] { put_off = run_plan(blobs, all, t, given); });
    for (std::size_t i = 0; i != links_.size(); ++i)
      if (links_[i].target && !series_.sums(links_[i].value))
        deliver<B>(plan_.get(), *blobs.links[i], links_[i], sequence(links_[i]), t);
    if (!put_off)
      for (linked_place const& link : links_)
        if (link.target) add_given<B>(link, sequence(link), t, given);
    for (linked_place const& link : links_)
      if (link.target) delivered(link, t);
  }
  // Whether the run was put off, with all that is given for its targets.
  template <class Given>
  bool run_plan(step_blobs const& blobs, recurrent_run const& all, std::int64_t t, Given const& given) {
    auto const put = [&] {
      put_targets<B>(*plan_, links_, series_, all.sequences, t);
      plan_->bind();
    };
    plan_->rebind(blobs.plan);
    if (!begun_) {
      series_.tell(*plan_, steps_, backward_);
      plan_->bind();  // places can be given only where sizes are known
    }
    put();
    // Types of later stages may be known after the first step only.
    if (!std::exchange(begun_, true)) {
      plan_->begin_loop();
      told_ = true;
    } else if (told_ && !(plan_->in_loop() && series_.holds(*plan_, all.sequences, t))) {
      told_ = defers_ = false;
      run_deferred();
      plan_->end_loop(true);
      series_.drop();
      plan_->set_loop({});
      rebind_blank();
      plan_->rebind(blobs.plan);
      put();
    }
    if (!defers_ || !targets_in_place(all, t)) {
      run_deferred();
      plan_->run_bound(*all.options);
      return false;
    }
    if (plan_->deferred() == 0) first_deferred_ = t;
    plan_->defer_run();
    for (linked_place const& link : links_)
      if (link.target) given(link, t, [&](void const* elements) { plan_->add_deferred(link.value, elements); });
    return true;
  }

  // After the first step: whether threads can run several steps each for its rows. Steps may pass rows on to others by
  // links that move from place to place, and in memory that is the plan's.
  bool may_defer(recurrent_run const& all) const {
    if (!passes_.defer_steps || all.options->observer != nullptr || all.options->stop.stop_possible()) return false;
    if (!told_ || !plan_->may_defer()) return false;
    auto const given = plan_->layout().given();
    return std::ranges::all_of(links_, [&](linked_place const& link) {
      if (link.value != npos && series_.sums(link.value)) return true;
      if (link.filled || link.added || link.window != 1 || !link.moves) return false;
      if (link.value != npos && plan_->has_whole(link.value)) return false;
      std::uint32_t const source = find(given, link.internal);
      return source == npos || !plan_->has_whole(source);
    });
  }
  bool targets_in_place(recurrent_run const& all, std::int64_t t) const {
    return std::ranges::all_of(links_, [&](linked_place const& link) {
      return !link.target ||
             (link.value != npos && plan_->value(link.value).data == all.sequences[link.sequence].at(link.place(t)));
    });
  }
  void run_deferred() {
    if (plan_ == nullptr || plan_->deferred() == 0) return;
    std::size_t failed = 0;
    try {
      plan_->run_deferred(failed);
    } catch (...) {
      auto const later = static_cast<std::int64_t>(failed);
      run_inside(argument_, backward_ ? first_deferred_ - later : first_deferred_ + later, [] { throw; });
    }
  }

  std::string argument_;
  workspace<B> blank_;
  typename plait::plan<B>::blob_places blank_places_;
  std::unique_ptr<plait::plan<B>> plan_;
  std::vector<linked_place> links_;
  step_series<B> series_;
  recurrent_executor<B> executor_;
  cost_model costs_;
  plan_passes passes_;
  std::vector<step_blobs> blobs_;  // by number
  std::size_t steps_ = 0;
  bool backward_ = false;
  bool begun_ = false;  // the first step of the run has been
  bool told_ = false;   // ops know that they are in a series
  bool defers_ = false;
  std::string_view how_ = "";  // see schedule::how
  std::int64_t first_deferred_ = 0;
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
