// Memory-aware scheduling: an order of the ops of a net with a lower peak of live memory.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/dependency_graph.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/blob_colouring.hpp>
#include <plait/transform/detail/blob_uses.hpp>
#include <plait/transform/detail/clone_net.hpp>
#include <plait/transform/detail/share_blobs.hpp>

namespace plait {

/// A schedule of ops and its peak of live memory: in bytes where share_options has sizes, else in blobs. Only blobs
/// that could be shared count.
struct memory_schedule {
  std::vector<op_index> ops;
  std::uint64_t peak = 0;
  std::uint64_t peak_before = 0;  ///< peak of the original order
};

namespace detail {

class memory_scheduler {
 public:
  constexpr memory_scheduler(dependency_graph const& before, blob_uses const& uses,
                             std::vector<blob_colouring::candidate> const& all, bool count)
      : before_(&before), used_by_(before.op_count()) {
    for (auto const& c : all) {
      auto const number = static_cast<std::uint32_t>(blobs_.size());
      blobs_.push_back({count ? 1 : c.bytes, uses.ops(c.blob)});
      for (op_index op : uses.ops(c.blob)) used_by_[op].push_back(number);
    }
  }

  constexpr std::uint64_t peak(std::vector<op_index> const& order) const {
    std::vector<std::size_t> place(order.size(), 0);
    for (std::size_t i = 0; i != order.size(); ++i) place[order[i]] = i;
    std::vector<std::uint64_t> begins(order.size() + 1, 0);
    std::vector<std::uint64_t> ends(order.size() + 1, 0);
    for (auto const& b : blobs_) {
      auto const [first, last] = std::ranges::minmax(b.ops, {}, [&](op_index op) { return place[op]; });
      begins[place[first]] += b.weight;
      ends[place[last] + 1] += b.weight;
    }
    std::uint64_t now = 0;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i != order.size(); ++i) most = std::max(most, now += begins[i] - ends[i]);
    return most;
  }

  // Greedy list scheduling: always the ready op after which least is live; among equals, the one that became ready
  // last.
  constexpr std::vector<op_index> greedy_order() const {
    std::size_t const ops = before_->op_count();
    std::vector<std::size_t> left(blobs_.size(), 0);  // remaining uses
    for (std::size_t b = 0; b != blobs_.size(); ++b) left[b] = blobs_[b].ops.size();
    std::vector<std::size_t> waits(ops, 0);
    std::vector<char> done(ops, 0);  // not vector<bool>: see ssa_form::undefined
    std::vector<std::int64_t> since(ops, 0);
    std::vector<std::int64_t> growth(ops, 0);
    using entry = std::tuple<std::int64_t, std::int64_t, op_index>;
    std::vector<entry> ready;  // a heap, the least on top
    auto const push = [&](op_index op) {
      ready.emplace_back(growth[op], -since[op], op);
      std::ranges::push_heap(ready, std::greater<>());
    };
    auto const push_first = [&](op_index op) {
      for (std::uint32_t b : used_by_[op]) {
        auto const weight = static_cast<std::int64_t>(blobs_[b].weight);
        if (left[b] == blobs_[b].ops.size()) growth[op] += weight;
        if (left[b] == 1) growth[op] -= weight;
      }
      push(op);
    };
    for (op_index op = 0; op != ops; ++op) {
      for (op_index earlier : before_->predecessors(op)) waits[op] += earlier != before_->entry();
      if (waits[op] == 0) push_first(op);
    }
    std::vector<op_index> order;
    while (!ready.empty()) {
      std::ranges::pop_heap(ready, std::greater<>());
      op_index const op = std::get<op_index>(ready.back());
      ready.pop_back();
      if (done[op] != 0) continue;  // stale: pushed again with less growth, and scheduled since
      done[op] = 1;
      order.push_back(op);
      for (std::uint32_t b : used_by_[op]) {
        if (--left[b] != 1) continue;
        auto const last = std::ranges::find_if(blobs_[b].ops, [&](op_index user) { return done[user] == 0; });
        if (waits[*last] != 0) continue;
        growth[*last] -= static_cast<std::int64_t>(blobs_[b].weight);
        push(*last);
      }
      for (op_index later : before_->successors(op))
        if (--waits[later] == 0) {
          since[later] = static_cast<std::int64_t>(order.size());
          push_first(later);
        }
    }
    return order;
  }

  // Depth-first order: the producers of an op's inputs right before it, those of the longest dependence chain first.
  constexpr std::vector<op_index> depth_first_order() const {
    std::size_t const ops = before_->op_count();
    std::vector<std::uint32_t> height(ops, 0);
    for (op_index op = 0; op != ops; ++op)
      for (op_index earlier : before_->predecessors(op))
        if (earlier != before_->entry()) height[op] = std::max(height[op], height[earlier] + 1);
    std::vector<op_index> order;
    std::vector<char> entered(ops, 0);
    std::vector<std::pair<op_index, bool>> pending;  // true: all its predecessors are scheduled
    struct need {
      std::uint32_t height;
      std::size_t at;
      op_index op;
    };
    std::vector<need> needs;
    for (op_index sink = 0; sink != ops; ++sink) {
      if (!before_->successors(sink).empty()) continue;
      pending.emplace_back(sink, false);
      while (!pending.empty()) {
        auto const [op, is_next] = pending.back();
        pending.pop_back();
        if (is_next) {
          order.push_back(op);
          continue;
        }
        if (entered[op] != 0) continue;
        entered[op] = 1;
        pending.emplace_back(op, true);
        needs.clear();
        for (op_index earlier : before_->predecessors(op))
          if (earlier != before_->entry() && entered[earlier] == 0)
            needs.push_back({height[earlier], needs.size(), earlier});
        std::ranges::sort(needs, {}, [](need const& of) { return std::pair(of.height, of.at); });  // the last is next
        for (need const& of : needs) pending.emplace_back(of.op, false);
      }
    }
    return order;
  }

 private:
  struct blob {
    std::uint64_t weight;
    std::span<op_index const> ops;
  };
  dependency_graph const* before_;
  std::vector<blob> blobs_;
  std::vector<std::vector<std::uint32_t>> used_by_;  // by op
};

}  // namespace detail

namespace detail {

/// Schedules the candidates for sharing as find_memory_schedule does; `bytes`: sizes by name.
template <has_text N, class MayShare, class Bytes>
constexpr memory_schedule schedule_by_memory(N const& n, MayShare may_share, Bytes bytes, bool count) {
  auto const ssa = get_ssa(n, {.subnets = true, .control_inputs = true});
  blob_uses const uses(n, ssa);
  dependency_graph const before(n, ssa, {.write_after_read = true, .write_after_write = true});
  memory_scheduler const scheduler(before, uses, sharing_candidates(n, ssa, uses, may_share, bytes), count);
  memory_schedule best;
  for (op_index op = 0; op != ssa.op_count(); ++op) best.ops.push_back(op);
  best.peak = best.peak_before = scheduler.peak(best.ops);
  if (uses.has_hidden_dependencies()) return best;
  auto const consider = [&](std::vector<op_index> order) {
    std::uint64_t const peak = scheduler.peak(order);
    if (peak >= best.peak) return;
    best.peak = peak;
    best.ops = std::move(order);
  };
  consider(scheduler.greedy_order());
  consider(scheduler.depth_first_order());
  return best;
}

}  // namespace detail

/// Finds a topological order with a lower peak: each op stays after the ops whose values it reads, overwrites or names
/// as control inputs (RAW, WAW, WAR dependences); if ops may have other dependences
/// (blob_uses::has_hidden_dependencies), the original order stays. The optimum would take exponential time; this is the
/// best of three orders, the original one among them, which stays if no other is better. O(dependencies · log(ops)).
///
/// Replaces the orders of Caffe2's memonger (topological_sort_traversal, its longest path variant).
template <has_text N>
[[nodiscard]] memory_schedule find_memory_schedule(N const& n, share_options const& options = {}) {
  return detail::schedule_by_memory(n, detail::may_share(options), detail::bytes_of(options), !options.bytes);
}
/// Finds a memory schedule of all blobs, whose sizes `bytes(name)` returns. A constant expression for a constexpr net.
template <has_text N, std::invocable<std::string_view> Bytes>
  requires std::convertible_to<std::invoke_result_t<Bytes&, std::string_view>, std::uint64_t>
[[nodiscard]] constexpr memory_schedule find_memory_schedule(N const& n, Bytes bytes) {
  return detail::schedule_by_memory(
      n, [](std::string_view) { return true; }, bytes, false);
}

/// Result of schedule_and_share_blobs: the new order, by original positions, and what was shared.
struct scheduled_sharing {
  memory_schedule schedule;
  blob_sharing sharing;
};

/// Reorders the ops by find_memory_schedule, then shares blobs. Follows Caffe2's memonger.optimize_interference. Strong
/// guarantee.
template <clonable_net N>
  requires adopting_net<N>
scheduled_sharing schedule_and_share_blobs(N& n, share_options const& options = {}) {
  scheduled_sharing made{find_memory_schedule(std::as_const(n), options), {}};
  N changed = detail::copy_of_ops(std::as_const(n), made.schedule.ops);
  made.sharing = share_blobs(changed, options);
  n = std::move(changed);
  return made;
}

}  // namespace plait
