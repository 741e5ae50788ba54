// Tandem repeats of ops in a net: consecutive blocks of equal structure, such as the layers of a ResNet.
//
// Op i repeats op j if both have the same type, number of outputs and label and the same number of inputs, each of
// which
//   - is produced as many ops before its reader, by the same output, in both cases, or
//   - is the same value, or
//   - is a value on entry in both cases, a weight of its own for each block, or
//   - is produced by ops with equal labels a period apart in opposite order: the forward value that a gradient op of
//     each block reads, or
//   - is produced in the block before, and for the first block by no op of the repeat: the initial value of what blocks
//     carry to the next.
// A repeat of period L is a range of blocks of L ops each of which, but the first L, repeats the op L before it; it
// needs two blocks and four repeated ops. Candidates by type are found as in Main and Lorentz (J. Algorithms 5, 1984):
// for each L, positions L apart that are multiples of L, extended by binary search over hashes. Candidates are then
// compared op by op, which tells hash collisions, too; a first block that needs the last rule is tried where it makes
// the ops up to the end of the candidate a multiple of L. A block has at most eight periods of its types, so that n ops
// of one type are compared 8n times. The repeats that do not overlap and fold the most ops are chosen. O(n log² n) time
// and O(n) space, and a comparison of operands for each op of a candidate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/detail/hash.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait::detail {

/// Ops [first, first + count * period): `count` blocks of `period` ops.
struct repeated_ops {
  op_index first = 0;
  op_index period = 0;
  op_index count = 0;
  friend bool operator==(repeated_ops const&, repeated_ops const&) = default;
};

template <net N>
class repeat_finder {
 public:
  /// `labels`: by op, type and whatever else must be equal. An op with an empty label repeats none.
  repeat_finder(ssa_form<N> const& ssa, std::span<std::string const> labels) : ssa_(ssa), labels_(labels) {
    prefix_.assign(labels.size() + 1, 0);
    power_.assign(labels.size() + 1, 1);
    for (std::size_t i = 0; i != labels.size(); ++i) {
      prefix_[i + 1] = prefix_[i] * base + (static_cast<std::uint64_t>(hash_text(labels[i])) | 1);
      power_[i + 1] = power_[i] * base;
    }
  }

  /// Returns the chosen repeats in op order; they do not overlap.
  std::vector<repeated_ops> find() const {
    std::vector<candidate> candidates;
    auto const n = static_cast<op_index>(labels_.size());
    for (op_index period = 1; 2 * period <= n; ++period) {
      std::vector<op_index> const primes = prime_divisors(period);
      op_index done = 0;  // end of the last candidate of this period
      for (op_index at = 0; at + period < n; at += period) {
        if (at < done || labels_[at] != labels_[at + period]) continue;
        op_index const first = at - backwards(at, period);
        op_index const last = at + forwards(at, period);  // ops [first, last) have the label of the op a period later
        done = last;
        if (last - first >= period && period <= 8 * type_period(first, last + period, period, primes))
          add(first, last, period, candidates);
      }
    }
    return chosen(std::move(candidates));
  }

 private:
  static constexpr std::uint64_t base = 0x9e3779b97f4a7c15;

  std::uint64_t hashed(op_index first, op_index count) const {
    return prefix_[first + count] - prefix_[first] * power_[count];
  }
  // Returns the length of the longest range from `at`, or that ends before it, equal to that a period later.
  op_index forwards(op_index at, op_index period) const {
    op_index equal = 0;
    op_index differs = static_cast<op_index>(labels_.size()) - at - period + 1;
    while (equal + 1 != differs) {
      op_index const middle = equal + (differs - equal) / 2;
      (hashed(at, middle) == hashed(at + period, middle) ? equal : differs) = middle;
    }
    return equal;
  }
  op_index backwards(op_index at, op_index period) const {
    op_index equal = 0;
    op_index differs = at + 1;
    while (equal + 1 != differs) {
      op_index const middle = equal + (differs - equal) / 2;
      (hashed(at - middle, middle) == hashed(at + period - middle, middle) ? equal : differs) = middle;
    }
    return equal;
  }

  static std::vector<op_index> prime_divisors(op_index n) {
    std::vector<op_index> found;
    for (op_index p = 2; p * p <= n; ++p)
      for (bool first = true; n % p == 0; n /= p, first = false)
        if (first) found.push_back(p);
    if (n > 1) found.push_back(n);
    return found;
  }
  // Returns the smallest period of the labels of ops [first, last), which divides `period`: they are at least twice as
  // many.
  op_index type_period(op_index first, op_index last, op_index period, std::span<op_index const> primes) const {
    for (op_index const p : primes)
      while (period % p == 0) {
        op_index const smaller = period / p;
        op_index const count = last - first - smaller;
        if (hashed(first, count) != hashed(first + smaller, count)) break;
        period = smaller;
      }
    return period;
  }

  // Ops [first, last); only for ops from `strict` on the last rule is not needed.
  struct candidate {
    op_index first;
    op_index strict;
    op_index last;
    op_index period;
    op_index count() const { return last <= first ? 0 : (last - first) / period; }
    op_index covered() const { return count() * period; }
    bool is_long_enough() const { return count() >= 2 && covered() - period >= 4; }
  };

  // Splits ops [first, last) of equal labels into maximal ranges of ops that repeat.
  void add(op_index first, op_index last, op_index period, std::vector<candidate>& found) const {
    op_index begin = first;
    for (op_index op = first; op <= last; ++op) {
      if (op != last && repeats(op, op + period, npos)) continue;
      candidate const made{extended(first, begin, op, period), begin, op + period, period};
      if (made.is_long_enough()) found.push_back(made);
      begin = op + 1;
    }
  }
  // Returns the begin of a first block with initial values, not before `least`; else `begin`.
  op_index extended(op_index least, op_index begin, op_index end, op_index period) const {
    op_index const missing = period - (end - begin) % period;
    if (begin - least < missing) return begin;
    for (op_index op = begin - missing; op != begin; ++op)
      if (!repeats(op, op + period, begin - missing)) return begin;
    return begin - missing;
  }

  // `start`: begin of the first block, for the last rule.
  bool repeats(op_index a, op_index b, op_index start) const {
    if (labels_[a].empty() || labels_[a] != labels_[b]) return false;
    auto const in_a = ssa_.reads(a);
    auto const in_b = ssa_.reads(b);
    if (in_a.size() != in_b.size() || ssa_.writes(a).size() != ssa_.writes(b).size()) return false;
    for (std::size_t i = 0; i != in_a.size(); ++i) {
      if (in_a[i] == in_b[i]) continue;
      auto const from_a = ssa_.producer(in_a[i]);
      auto const from_b = ssa_.producer(in_b[i]);
      if (!from_a && !from_b) continue;
      if (from_a && from_b && from_a->slot == from_b->slot &&
          (a - from_a->op == b - from_b->op || are_mirrored(from_a->op, from_b->op, b - a)))
        continue;
      bool const starts = start != npos && (!from_a || from_a->op < start);
      if (!starts || !from_b || from_b->op < start || from_b->op >= start + (b - a)) return false;
    }
    return true;
  }

  bool are_mirrored(op_index from_a, op_index from_b, op_index period) const {
    return from_a == from_b + period && labels_[from_a] == labels_[from_b];
  }

  // Returns by how much the blocks should begin later, of the ops that are left behind the last: where the fewest
  // values cross from block to block, and of those last, since what precedes a block often ends as a block does.
  op_index shift(candidate const& r) const {
    op_index const left = r.last - r.first - r.covered();
    if (r.first < r.strict || left == 0) return 0;
    op_index const boundary = r.first + r.period;  // that of the second block
    std::vector<std::int64_t> crossing(left + 2);  // first changes from one boundary to the next, then sums
    for (op_index op = r.first; op != boundary + left; ++op)
      for (value v : ssa_.writes(op)) {
        if (ssa_.consumers(v).empty()) continue;
        op_index const last_read = ssa_.consumers(v).back().op;
        if (last_read < boundary || last_read <= op) continue;
        ++crossing[op < boundary ? 0 : op + 1 - boundary];
        --crossing[std::min(last_read - boundary, left) + 1];
      }
    op_index best = 0;
    for (op_index i = 1; i <= left; ++i) {
      crossing[i] += crossing[i - 1];
      if (crossing[i] <= crossing[best]) best = i;
    }
    return best;
  }

  // Moves the candidates that do not overlap and fold the most ops to the front, those of most blocks where several
  // sets do: weighted interval scheduling.
  static void put_best_first(std::vector<candidate>& candidates) {
    auto const end_of = [](candidate const& c) { return c.first + c.covered(); };
    std::ranges::sort(candidates, {}, end_of);
    using score = std::pair<std::size_t, std::size_t>;       // ops folded, blocks
    std::vector<score> best(candidates.size() + 1);          // of the first i candidates
    std::vector<std::size_t> before(candidates.size() + 1);  // number of candidates that end before this one begins
    for (std::size_t i = 0; i != candidates.size(); ++i) {
      candidate const& c = candidates[i];
      before[i] =
          static_cast<std::size_t>(std::ranges::upper_bound(candidates, c.first, {}, end_of) - candidates.begin());
      score const with{best[before[i]].first + c.covered() - c.period, best[before[i]].second + c.count()};
      best[i + 1] = std::max(best[i], with);
    }
    std::vector<bool> is_best(candidates.size());
    for (std::size_t i = candidates.size(); i != 0;)
      if (best[i] == best[i - 1]) {
        --i;
      } else {
        is_best[i - 1] = true;
        i = before[i - 1];
      }
    std::vector<candidate> ordered;
    for (std::size_t i = 0; i != candidates.size(); ++i)
      if (is_best[i]) ordered.push_back(candidates[i]);
    auto const rest = static_cast<std::ptrdiff_t>(ordered.size());
    for (std::size_t i = 0; i != candidates.size(); ++i)
      if (!is_best[i]) ordered.push_back(candidates[i]);
    std::sort(ordered.begin() + rest, ordered.end(), [](candidate const& x, candidate const& y) {
      if (x.covered() != y.covered()) return x.covered() > y.covered();
      return x.period != y.period ? x.period < y.period : x.first < y.first;
    });
    candidates = std::move(ordered);
  }

  // Returns the repeats that put_best_first chooses, and of the others what is left between them.
  std::vector<repeated_ops> chosen(std::vector<candidate> candidates) const {
    put_best_first(candidates);
    std::map<op_index, op_index> taken;  // from first op to the end
    std::vector<repeated_ops> found;
    for (candidate r : candidates) {
      auto const after = taken.upper_bound(r.first);
      if (after != taken.begin())
        if (op_index const end = std::prev(after)->second; end > r.first) r.first = std::max(r.strict, end);
      if (after != taken.end()) r.last = std::min(r.last, after->first);
      if (!r.is_long_enough()) continue;
      r.first += shift(r);
      taken[r.first] = r.first + r.covered();
      found.push_back({r.first, r.period, r.count()});
    }
    std::ranges::sort(found, {}, &repeated_ops::first);
    return found;
  }

  ssa_form<N> const& ssa_;
  std::span<std::string const> labels_;
  std::vector<std::uint64_t> prefix_;  // hashes of the labels of the first i ops
  std::vector<std::uint64_t> power_;
};

}  // namespace plait::detail
