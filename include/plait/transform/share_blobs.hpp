// Blobs of a net that are never in use at once become one blob, so that a runtime which keeps a tensor a name needs
// less memory.
//
// Follows Caffe2's memonger: optimize_inference_fast and optimize_interference for ops that run in order,
// compute_blob_recycling_for_dag (share_grad_blobs, optimize_inference_for_dag) for those that run as soon as they can.
// Unlike there, nested nets and control inputs count as uses, aliases are left alone, and in order the number of blobs
// is the least that there can be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/npos.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/name_generator.hpp>
#include <plait/net/name_map.hpp>
#include <plait/net/nested_names.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/dependency_graph.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/blob_uses.hpp>
#include <plait/transform/rename_blobs.hpp>

namespace plait {

struct share_options {
  /// Blobs that stay what they are. External ones do anyway, and those that are not made by the net itself.
  std::vector<std::string> keep = {};
  /// Which blobs may be shared; all, where it is empty.
  std::function<bool(std::string_view)> only = {};
  /// For runtimes that run an op as soon as what it waits for is done: a blob takes another's place only where every
  /// use of that comes before by dependencies, so that ops can overlap as they could.
  bool any_order = false;
  /// Shared blobs are called `<scope>/__m<k>_shared`; without a scope `__m<k>_shared`.
  std::string scope = {};
  /// Bytes of a blob, where known: a blob then takes the place of one of its own size, or near it.
  std::function<std::optional<std::uint64_t>(std::string_view)> bytes = {};
};

/// What sharing did.
struct blob_sharing {
  name_map renamed;                ///< in the order in which the ops write the blobs
  std::size_t candidates = 0;      ///< blobs that could have been shared
  std::size_t shared = 0;          ///< and how many there are in their place
  std::uint64_t bytes = 0;         ///< of the candidates, by share_options::bytes
  std::uint64_t shared_bytes = 0;  ///< of what is in their place: each as large as the largest it stands for
};

namespace detail {

/// Gives numbers of places to blobs: blobs of one number are never in use at once.
class place_assignment {
 public:
  struct candidate {
    blob_index blob;
    std::size_t device;  // blobs of another one are not shared with it
    std::uint64_t bytes;
  };

  /// Uses that an op knows of in any order at most, lest time be quadratic: of more, the latest.
  static constexpr std::size_t most_known = 64;

  explicit place_assignment(blob_uses const& uses) : uses_(&uses) {}

  /// `all` in the order of their first ops. By candidate: its place.
  std::vector<std::uint32_t> in_order(std::vector<candidate> const& all);
  /// The same where a place is taken over only from ops that come before by `before`.
  std::vector<std::uint32_t> in_any_order(std::vector<candidate> const& all, dependency_graph const& before);

  std::size_t size() const noexcept { return places_.size(); }
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (place const& p : places_) sum += p.bytes;
    return sum;
  }

 private:
  // Takes from the free places the one nearest in size, among these the last one; npos if there is none.
  std::uint32_t choose(std::vector<std::uint32_t>& free, candidate const& c) const {
    std::size_t best = free.size();
    auto const distance = [&](std::size_t i) {
      place const& p = places_[free[i]];
      return p.bytes > c.bytes ? p.bytes - c.bytes : c.bytes - p.bytes;
    };
    for (std::size_t i = free.size(); i-- != 0;) {
      if (places_[free[i]].device != c.device) continue;
      if (best == free.size() || distance(i) < distance(best)) best = i;
      if (distance(best) == 0) break;
    }
    if (best == free.size()) return npos;
    std::uint32_t const found = free[best];
    free.erase(free.begin() + static_cast<std::ptrdiff_t>(best));
    return found;
  }
  std::uint32_t take(std::uint32_t p, candidate const& c, std::uint32_t number) {
    if (p == npos) {
      p = static_cast<std::uint32_t>(places_.size());
      places_.push_back({number, c.device, 0});
    }
    places_[p].holder = number;
    places_[p].bytes = std::max(places_[p].bytes, c.bytes);
    return p;
  }

  struct place {
    std::uint32_t holder;  // the candidate that has it
    std::size_t device;
    std::uint64_t bytes;  // the most that a candidate has had there
  };
  blob_uses const* uses_;
  std::vector<place> places_;
};

// The intervals of an order are coloured best by going through them from left to right, whichever free colour is taken.
inline std::vector<std::uint32_t> place_assignment::in_order(std::vector<candidate> const& all) {
  std::vector<std::uint32_t> given(all.size());
  std::vector<std::uint32_t> free;
  std::vector<std::uint32_t> ending;  // places that are taken, a heap: the one that is left first is on top
  auto const ends = [&](std::uint32_t p) { return uses_->last(all[places_[p].holder].blob); };
  auto const later = [&](std::uint32_t a, std::uint32_t b) { return ends(a) > ends(b); };
  for (std::uint32_t c = 0; c != all.size(); ++c) {
    while (!ending.empty() && ends(ending.front()) < uses_->first(all[c].blob)) {
      std::ranges::pop_heap(ending, later);
      free.push_back(ending.back());
      ending.pop_back();
    }
    given[c] = take(choose(free, all[c]), all[c], c);
    ending.push_back(given[c]);
    std::ranges::push_heap(ending, later);
  }
  return given;
}

// Each op knows of uses that come before it by dependencies, of candidates whose place nobody has taken over: the union
// of what those know that it waits for, and of their own. What an op uses that nobody waits for is never left.
inline std::vector<std::uint32_t> place_assignment::in_any_order(std::vector<candidate> const& all,
                                                                 dependency_graph const& before) {
  std::vector<std::uint32_t> given(all.size());
  std::size_t const ops = before.op_count();
  std::vector<std::size_t> waiting(ops);  // successors that have not been looked at
  for (op_index op = 0; op != ops; ++op) waiting[op] = before.successors(op).size();
  std::vector<std::vector<std::uint32_t>> used_by(ops);  // candidates
  for (std::uint32_t c = 0; c != all.size(); ++c) {
    auto const by = uses_->ops(all[c].blob);
    if (std::ranges::all_of(by, [&](op_index op) { return waiting[op] != 0; }))
      for (op_index op : by) used_by[op].push_back(c);
  }
  struct use {
    std::uint32_t candidate;
    op_index op;  // npos: all there are
    auto operator<=>(use const&) const = default;
  };
  std::vector<std::vector<use>> known(ops);
  std::vector<bool> over(all.size());  // its place is another's
  std::vector<use> merged;
  std::vector<std::uint32_t> free;
  std::uint32_t next = 0;

  // Of a candidate all of whose uses are known, one entry; and no more entries than most_known, the latest.
  auto const tidy = [&](std::vector<use>& own) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i != own.size();) {
      std::size_t const begin = i;
      std::uint32_t const c = own[begin].candidate;
      while (i != own.size() && own[i].candidate == c) ++i;
      if (over[c]) continue;
      if (own[i - 1].op == npos || i - begin == uses_->ops(all[c].blob).size())
        own[kept++] = {c, npos};
      else
        for (std::size_t u = begin; u != i; ++u) own[kept++] = own[u];
    }
    own.resize(kept);
    if (kept <= most_known) return;
    auto const last_use = [&](use const& u) {
      return std::pair(u.op == npos ? uses_->last(all[u.candidate].blob) : u.op, u.candidate);
    };
    std::ranges::nth_element(own, own.end() - std::ptrdiff_t{most_known}, {}, last_use);
    own.erase(own.begin(), own.end() - std::ptrdiff_t{most_known});
    std::ranges::sort(own);
  };

  for (op_index op = 0; op != ops; ++op) {
    std::vector<use>& own = known[op];
    for (op_index earlier : before.predecessors(op)) {
      if (earlier == before.entry()) continue;
      merged.clear();
      std::ranges::set_union(own, known[earlier], std::back_inserter(merged));
      std::swap(own, merged);
      if (own.size() > 2 * most_known) tidy(own);
      if (--waiting[earlier] == 0) std::vector<use>().swap(known[earlier]);
    }
    tidy(own);
    for (; next != all.size() && uses_->first(all[next].blob) == op; ++next) {
      free.clear();
      for (use const& u : own)
        if (u.op == npos && !over[u.candidate]) free.push_back(given[u.candidate]);
      std::ranges::sort(free, {}, [&](std::uint32_t p) { return uses_->last(all[places_[p].holder].blob); });
      std::uint32_t const found = choose(free, all[next]);
      if (found != npos) over[places_[found].holder] = true;
      given[next] = take(found, all[next], next);
    }
    if (waiting[op] == 0) {
      std::vector<use>().swap(own);
      continue;
    }
    // From here on for those that wait for this op.
    for (std::uint32_t c : used_by[op])
      if (!over[c]) own.push_back({c, op});
    std::ranges::sort(own);
  }
  return given;
}

// What may share a place with others, in the order of first uses.
template <has_text N>
std::vector<place_assignment::candidate> sharing_candidates(N const& n, ssa_form<N> const& ssa, blob_uses const& uses,
                                                            share_options const& options) {
  // By blob: the device of the ops that write it.
  constexpr std::size_t unknown = static_cast<std::size_t>(-1);
  constexpr std::size_t several = unknown - 1;
  std::vector<std::size_t> device(ssa.blob_bound(), unknown);
  std::vector<std::optional<device_spec>> devices;
  op_index at = 0;
  for (auto&& op : plait::ops(n)) {
    std::size_t number = 0;
    if constexpr (device_net<N>) {
      std::optional<device_spec> const here = net_traits_of<N>::device(n, op);
      number = static_cast<std::size_t>(std::ranges::find(devices, here) - devices.begin());
      if (number == devices.size()) devices.push_back(here);
    }
    for (value v : ssa.writes(at))
      device[v.blob] = device[v.blob] == unknown || device[v.blob] == number ? number : several;
    ++at;
  }

  boost::unordered_flat_set<std::string_view> const kept(options.keep.begin(), options.keep.end());
  std::vector<place_assignment::candidate> candidates;
  for (blob_index b = 0; b != ssa.blob_bound(); ++b) {
    if (uses.ops(b).empty() || !uses.is_internal(b) || device[b] == several) continue;
    auto const key = ssa.name(b);  // a string of its own in some nets
    std::string_view const name = key;
    if (kept.contains(name) || (options.only && !options.only(name))) continue;
    candidates.push_back({b, device[b], options.bytes ? options.bytes(name).value_or(0) : 0});
  }
  std::ranges::stable_sort(candidates, {}, [&](auto const& c) { return uses.first(c.blob); });
  return candidates;
}

}  // namespace detail

/// Finds blobs that can be one, by the uses that blob_uses counts: of those the net makes for itself, all of a place
/// are never in use at once, and an op writes nothing to where it reads another blob, so that no op becomes one in
/// place. Blobs that ops on several devices write are left alone. Nothing is changed.
///
/// O(operands + blobs · free places). With any_order an op knows of 64 uses before it at most, which are the latest:
/// where more places than that are free at once, some are not found.
template <fully_renamable_net N>
[[nodiscard]] blob_sharing find_sharing(N const& n, share_options const& options = {}) {
  auto const ssa = get_ssa(n, {.subnets = true, .control_inputs = true});
  blob_uses const uses(n, ssa);

  std::vector<detail::place_assignment::candidate> const candidates = detail::sharing_candidates(n, ssa, uses, options);
  detail::place_assignment assignment(uses);
  std::vector<std::uint32_t> const places =
      options.any_order
          ? assignment.in_any_order(candidates,
                                    dependency_graph(n, ssa, {.write_after_read = true, .write_after_write = true}))
          : assignment.in_order(candidates);

  unique_names taken;
  for (blob_index b : ssa.blobs()) taken.take(std::string_view(ssa.name(b)));
  for (std::string const& name : options.keep) taken.take(name);
  for (auto&& op : plait::ops(n)) visit_nested_names(n, op, [&](std::string_view name) { taken.take(name); });
  std::vector<std::uint32_t> held(assignment.size());
  for (std::uint32_t place : places) ++held[place];
  std::vector<std::string> names(held.size());
  std::size_t number = 0;
  std::string const scope = options.scope.empty() || options.scope.ends_with('/') ? options.scope : options.scope + '/';
  blob_sharing made;
  made.candidates = candidates.size();
  made.shared = held.size();
  for (auto const& c : candidates) made.bytes += c.bytes;
  made.shared_bytes = assignment.bytes();
  for (std::size_t c = 0; c != candidates.size(); ++c) {
    std::string& name = names[places[c]];
    if (held[places[c]] < 2) continue;
    while (name.empty()) {
      std::string wanted = scope + "__m" + std::to_string(number++) + "_shared";
      if (taken.take(wanted)) name = std::move(wanted);
    }
    made.renamed.set(std::string_view(ssa.name(candidates[c].blob)), name);
  }
  return made;
}

/// Does what find_sharing finds and says what that was. The net computes what it did, op by op, and has the same ops in
/// place; a second time finds nothing (but see find_sharing). Strong guarantee: throws net_error, changing nothing,
/// where a nested net cannot be read.
template <fully_renamable_net N>
blob_sharing share_blobs(N& n, share_options const& options = {}) {
  blob_sharing made = find_sharing(std::as_const(n), options);
  if (!made.renamed.empty()) rename_blobs(n, made.renamed, name_capture::merge);
  return made;
}

}  // namespace plait
