// Time loop of a recurrence: steps one by one, overlapping, or interchanged with rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/engine/engine.hpp>
#include <plait/exec/detail/kernels/spinning_pool.hpp>
#include <plait/exec/detail/moving_storage.hpp>
#include <plait/exec/detail/nets_of_op.hpp>
#include <plait/exec/detail/operators/recurrent_network_executor.hpp>
#include <plait/exec/detail/operators/recurrent_network_lane.hpp>
#include <plait/exec/detail/operators/recurrent_network_links.hpp>
#include <plait/exec/detail/operators/recurrent_network_step_net.hpp>
#include <plait/exec/detail/run_options.hpp>
#include <plait/exec/detail/step_values.hpp>
#include <plait/exec/workspace.hpp>

namespace plait::detail {

/// Runs a step net once for each time step. The first step binds blobs. If all shapes are known before it, later steps
/// only move the addresses of linked values: one after the other, several at once on tasks (recurrent_executor), or, if
/// all ops are a row-parallel group, rows outside and time inside. Else each step binds blobs.
template <backend B>
class recurrent_steps {
 public:
  using plan_type = engine<B>;

  /// Connects to a net, after linked_step_net::finish. Steps may overlap if the backend has tasks and that pays.
  void connect(linked_step_net<B>& net, executor_limits const& limits, bool backward, bool may_overlap) {
    net_ = &net;
    lane_.connect(plan(), plan(), net.links(), net.blobs());
    if (plan() == nullptr) return;
    blank_places_ = plan()->find_blobs(blank_);
    if (may_overlap && net.link_ops().empty() && net.passes().overlap_steps)
      executor_.compile(*plan(), net.links(), limits, backward, net.costs());
  }
  void for_each_net(typename runs_nets<B>::visitor const& visit) const {
    if (plan() != nullptr) visit(net_->argument(), *plan(), how_);
  }
  /// Returns how many places of a state may be in use beyond those that a step reaches.
  std::size_t in_flight() const noexcept { return std::max<std::size_t>(2, overlapping()); }
  /// Returns how many steps the executor runs at once; 0 if there is none.
  std::size_t overlapping() const noexcept { return executor_.in_flight(); }

  /// Runs steps, backward from the last one on. make(done) ensures that what steps read is there, after so many steps,
  /// and returns how many may run then. Values that are kept go to `kept`. Throws what the first failing step in this
  /// order throws.
  template <class Make>
  void run(recurrent_run<B>& all, Make const& make, step_values<B>* kept);
  /// Releases what blobs and the plan hold of a run.
  void release();

 private:
  static constexpr std::int64_t most_steps_to_stop = 64;

  plan_type* plan() const { return net_->has_plan() ? &net_->plan() : nullptr; }
  blob<B>& local(std::string const& name) const { return net_->blobs().local(name); }
  void open_kept(recurrent_run<B>& all, step_values<B>& kept) const;
  void run_bound(recurrent_run<B>& all, std::int64_t t, bool first, step_values<B>* kept);
  void bind(recurrent_run<B>& all, std::int64_t t, bool first, step_values<B>* kept);
  void run_moved(recurrent_run<B> const& all, std::int64_t t);
  bool may_interchange(recurrent_run<B> const& all, std::int64_t t) const;
  void run_rows(recurrent_run<B> const& all, std::int64_t first, std::int64_t count);

  linked_step_net<B>* net_ = nullptr;
  workspace<B> blank_;
  typename plan_type::blob_places blank_places_;
  recurrent_executor<B> executor_;
  recurrent_lane<B> lane_;
  std::vector<moving_storage> moving_;
  std::vector<moving_addend> addends_;
  bool told_ = false;          // ops know that they are in a loop
  std::string_view how_ = "";  // see schedule::how
};

template <backend B>
template <class Make>
void recurrent_steps<B>::run(recurrent_run<B>& all, Make const& make, step_values<B>* kept) {
  how_ = "step by step";
  told_ = false;
  for (std::string const& name : net_->unbound()) local(name).clear();
  if (plan() != nullptr) plan()->rebind(net_->places());
  if (kept != nullptr) {
    auto const& each = net_->kept_each();
    kept->values.resize(each.size() + net_->links().size() - net_->first_kept());
    for (std::size_t k = 0; k != each.size(); ++k) {
      kept->values[k].name = each[k];
      kept->values[k].each.resize(static_cast<std::size_t>(all.steps));
    }
  }
  std::optional<spinning_pool<B>> team;
  bool moves = false;
  bool overlaps = false;
  bool interchanges = false;
  std::int64_t ready = 0;
  for (std::int64_t done = 0; done != all.steps;) {
    if (done == ready) ready = make(done);
    if (overlaps) {
      executor_.run(*plan(), net_->links(), all, {done, ready}, net_->argument());
      done = ready;
    } else if (interchanges) {
      // A request to stop is noticed between blocks.
      std::int64_t const count =
          all.options->stop.stop_possible() ? std::min(ready - done, most_steps_to_stop) : ready - done;
      run_rows(all, done, count);
      done += count;
    } else if (moves) {
      run_moved(all, all.step(done++));
    } else {
      std::int64_t const t = all.step(done);
      run_bound(all, t, done++ == 0, kept);
      if (plan() == nullptr || done != 1) continue;
      moves = told_ && all.each.empty() && plan()->is_static() && lane_.is_in_place(all, t);
      if (moves) lane_.find_moving();
      overlaps = moves && executor_.pays(*plan(), all.steps);
      interchanges = moves && !overlaps && may_interchange(all, t);
      if (overlaps) how_ = "steps overlap op by op after the first";
      if (interchanges) how_ = "each thread several steps of its rows";
      if (!overlaps) team.emplace();
    }
  }
  if (plan() != nullptr) run_inside(net_->argument(), [&] { plan()->end_loop(true); });
}

// Allocates memory for kept values, whose types are known.
template <backend B>
void recurrent_steps<B>::open_kept(recurrent_run<B>& all, step_values<B>& kept) const {
  for (std::size_t i = net_->first_kept(); i != net_->links().size(); ++i) {
    linked_place const& link = net_->links()[i];
    tensor_spec const& type = plan()->value(link.value).type;
    auto& to = kept.values[net_->kept_each().size() + i - net_->first_kept()];
    to.name = link.internal;
    step_values<B>::make_array(to, type, static_cast<std::size_t>(all.steps));
    all.sequences.push_back(recurrent_sequence::of_values(static_cast<std::byte*>(to.array.raw()), type));
  }
}

template <backend B>
void recurrent_steps<B>::run_bound(recurrent_run<B>& all, std::int64_t t, bool first, step_values<B>* kept) {
  lane_.open(all, t);
  auto const step = static_cast<std::size_t>(t);
  auto const& each = net_->kept_each();
  for (std::size_t k = 0; kept != nullptr && k != each.size(); ++k)
    local(each[k]) = std::exchange(kept->values[k].each[step], blob<B>());
  if (plan() != nullptr)
    run_inside(net_->argument(), t, [&] {
      bind(all, t, first, kept);
      plan()->run_bound(*all.options);
    });
  lane_.deliver_all(all, t);
  for (std::size_t k = 0; kept != nullptr && k != each.size(); ++k) kept->values[k].each[step] = local(each[k]);
}

template <backend B>
void recurrent_steps<B>::bind(recurrent_run<B>& all, std::int64_t t, bool first, step_values<B>* kept) {
  auto const put = [&] {
    lane_.put(all, t);
    plan()->bind();
  };
  if (first) {
    net_->loop().runs = static_cast<std::size_t>(all.steps);
    net_->loop().backward = all.backward;
    plan()->set_loop(net_->loop());
    plan()->bind();  // write_to needs known types
    if (kept != nullptr) open_kept(all, *kept);
  }
  put();
  if (first) {
    plan()->begin_loop();
    told_ = true;
  } else if (told_ && !(plan()->in_loop() && lane_.is_in_place(all, t))) {
    // A change of types ends the loop, and so does a value that is not at its place, as it does not persist.
    told_ = false;
    plan()->end_loop(true);
    plan()->set_loop({});
    plan()->rebind(blank_places_);
    plan()->rebind(net_->places());
    put();
  }
}

template <backend B>
void recurrent_steps<B>::run_moved(recurrent_run<B> const& all, std::int64_t t) {
  lane_.move(all, t);
  lane_.fill(all, t);
  run_inside(net_->argument(), t, [&] { plan()->run_bound(*all.options); });
  lane_.deliver_all(all, t);
}

// Returns true, after the first step, if the loops over rows and time may be interchanged: steps pass rows on by links
// that move from place to place, and otherwise use memory of the plan only.
template <backend B>
bool recurrent_steps<B>::may_interchange(recurrent_run<B> const& all, std::int64_t t) const {
  if (!net_->passes().interchange_steps || all.options->reads_values()) return false;
  row_group<B> const* const rows = plan()->rows();
  if (rows == nullptr || !rows->may_interchange()) return false;
  return std::ranges::all_of(net_->links(), [&](linked_place const& link) {
    if (plan()->accumulates(link.value)) return true;
    if (link.source && link.lasting) return true;
    if (link.filled || link.added || link.window != 1 || !link.moves) return false;
    for (std::uint32_t const v : {link.value, link.given})
      if (v != npos && rows->has_whole(plan()->value(v).storage)) return false;
    return !link.target ||
           (link.value != npos && plan()->value(link.value).data == all.sequences[link.sequence].at(link.place(t)));
  });
}

template <backend B>
void recurrent_steps<B>::run_rows(recurrent_run<B> const& all, std::int64_t first, std::int64_t count) {
  lane_.collect(all, all.step(first), moving_, addends_);
  std::size_t run = 0;
  try {
    plan()->run_rows(static_cast<std::size_t>(count), moving_, addends_, *all.options, run);
  } catch (...) {
    run_inside(net_->argument(), all.step(first + static_cast<std::int64_t>(run)), [] { throw; });
  }
}

template <backend B>
void recurrent_steps<B>::release() {
  if (plan() == nullptr) return;
  run_inside(net_->argument(), [&] { plan()->end_loop(false); });
  if (plan()->is_static()) return;
  plan()->rebind(blank_places_);
  for (std::string const& name : net_->kept_each()) local(name).clear();
}

}  // namespace plait::detail
