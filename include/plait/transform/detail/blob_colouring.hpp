// Interval colouring of blobs: the assignment of buffers behind share_blobs.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/ssa/dependency_graph.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/blob_uses.hpp>

namespace plait::detail {

/// Assigns colours to blobs: blobs of one colour are never live at once.
class blob_colouring {
 public:
  struct candidate {
    blob_index blob;
    std::size_t device;  // blobs of different devices never share a colour
    std::uint64_t bytes;
  };

  /// Bound on the uses that colour_in_any_order tracks per op, lest time be quadratic: of more, it tracks the latest.
  static constexpr std::size_t most_known = 64;

  constexpr explicit blob_colouring(blob_uses const& uses) : uses_(&uses) {}

  /// Colours live intervals in the order of the net. `all` is sorted by first op. Returns the colour of each candidate.
  constexpr std::vector<std::uint32_t> colour_in_order(std::vector<candidate> const& all);
  /// Colours for ops that may overlap: a colour is reused only if all its uses come before by the dependences `before`.
  std::vector<std::uint32_t> colour_in_any_order(std::vector<candidate> const& all, dependency_graph const& before);

  constexpr std::size_t size() const noexcept { return colours_.size(); }
  /// Returns the bytes of a colour: those of its largest candidate.
  constexpr std::uint64_t bytes(std::uint32_t p) const { return colours_[p].bytes; }
  constexpr std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (colour const& p : colours_) sum += p.bytes;
    return sum;
  }

 private:
  // Removes from the free colours the one nearest in size, the last among equals, and returns it; npos if there is
  // none.
  constexpr std::uint32_t choose(std::vector<std::uint32_t>& free, candidate const& c) const {
    std::size_t best = free.size();
    auto const distance = [&](std::size_t i) {
      colour const& p = colours_[free[i]];
      return p.bytes > c.bytes ? p.bytes - c.bytes : c.bytes - p.bytes;
    };
    for (std::size_t i = free.size(); i-- != 0;) {
      if (colours_[free[i]].device != c.device) continue;
      if (best == free.size() || distance(i) < distance(best)) best = i;
      if (distance(best) == 0) break;
    }
    if (best == free.size()) return npos;
    std::uint32_t const found = free[best];
    free.erase(free.begin() + static_cast<std::ptrdiff_t>(best));
    return found;
  }
  constexpr std::uint32_t take(std::uint32_t p, candidate const& c, std::uint32_t number) {
    if (p == npos) {
      p = static_cast<std::uint32_t>(colours_.size());
      colours_.push_back({number, c.device, 0});
    }
    colours_[p].holder = number;
    colours_[p].bytes = std::max(colours_[p].bytes, c.bytes);
    return p;
  }

  struct colour {
    std::uint32_t holder;  // the candidate that has it now
    std::size_t device;
    std::uint64_t bytes;  // of its largest candidate
  };
  blob_uses const* uses_;
  std::vector<colour> colours_;
};

// Left-edge algorithm: colouring intervals from left to right needs the fewest colours, whichever free colour is taken.
constexpr std::vector<std::uint32_t> blob_colouring::colour_in_order(std::vector<candidate> const& all) {
  std::vector<std::uint32_t> colour_of(all.size(), 0);
  std::vector<std::uint32_t> free;
  std::vector<std::uint32_t> ending;  // colours in use, a heap: the first to become free is on top
  auto const ends = [&](std::uint32_t p) { return uses_->last(all[colours_[p].holder].blob); };
  auto const later = [&](std::uint32_t a, std::uint32_t b) { return ends(a) > ends(b); };
  for (std::uint32_t c = 0; c != all.size(); ++c) {
    while (!ending.empty() && ends(ending.front()) < uses_->first(all[c].blob)) {
      std::ranges::pop_heap(ending, later);
      free.push_back(ending.back());
      ending.pop_back();
    }
    colour_of[c] = take(choose(free, all[c]), all[c], c);
    ending.push_back(colour_of[c]);
    std::ranges::push_heap(ending, later);
  }
  return colour_of;
}

// Tracks for each op the uses that come before it by dependences, of candidates whose colour is not reused yet: the
// union over its predecessors of the uses they know and of their own. The colour of a candidate that an op without
// successors uses is never reused.
inline std::vector<std::uint32_t> blob_colouring::colour_in_any_order(std::vector<candidate> const& all,
                                                                      dependency_graph const& before) {
  std::vector<std::uint32_t> colour_of(all.size());
  std::size_t const ops = before.op_count();
  std::vector<std::size_t> waiting(ops);  // successors not visited yet
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
  std::vector<bool> reused(all.size());  // its colour has another holder
  std::vector<use> merged;
  std::vector<std::uint32_t> free;
  std::uint32_t next = 0;

  // Merges the uses of a candidate that are all known into one entry; keeps at most most_known entries, the latest.
  auto const tidy = [&](std::vector<use>& own) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i != own.size();) {
      std::size_t const begin = i;
      std::uint32_t const c = own[begin].candidate;
      while (i != own.size() && own[i].candidate == c) ++i;
      if (reused[c]) continue;
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
        if (u.op == npos && !reused[u.candidate]) free.push_back(colour_of[u.candidate]);
      std::ranges::sort(free, {}, [&](std::uint32_t p) { return uses_->last(all[colours_[p].holder].blob); });
      std::uint32_t const found = choose(free, all[next]);
      if (found != npos) reused[colours_[found].holder] = true;
      colour_of[next] = take(found, all[next], next);
    }
    if (waiting[op] == 0) {
      std::vector<use>().swap(own);
      continue;
    }
    // Visible to the successors of this op from here on.
    for (std::uint32_t c : used_by[op])
      if (!reused[c]) own.push_back({c, op});
    std::ranges::sort(own);
  }
  return colour_of;
}

}  // namespace plait::detail
