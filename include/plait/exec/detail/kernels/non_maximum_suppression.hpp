// Non-maximum suppression: of overlapping boxes, the one with the highest score is kept. Sequential, on the host.
//
// Soft-NMS, which lowers scores instead, is after N. Bodla, B. Singh, R. Chellappa, L. Davis, "Soft-NMS", ICCV 2017.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <plait/exec/detail/kernels/boxes.hpp>

namespace plait::detail {

using box_index = std::uint32_t;

/// Order of indices by descending score. Equal scores keep the order of the indices, and NaN is last.
template <class T>
struct descending_scores {
  T const* scores;
  bool operator()(box_index a, box_index b) const {
    T const left = scores[a];
    T const right = scores[b];
    if (left > right) return true;
    if (left < right) return false;
    bool const left_is_nan = left != left;
    bool const right_is_nan = right != right;
    return left_is_nan != right_is_nan ? right_is_nan : a < b;
  }
};

/// Sorts indices by descending score, and drops all but the first `most`.
template <class T>
void sort_by_score(std::vector<box_index>& indices, T const* scores, std::size_t most) {
  descending_scores<T> const before{scores};
  if (most < indices.size()) {
    std::ranges::nth_element(indices, indices.begin() + static_cast<std::ptrdiff_t>(most), before);
    indices.resize(most);
  }
  std::ranges::sort(indices, before);
}

/// Sets the indices to those below `count`, sorted by descending score, and drops all but the first `most`.
template <class T>
void rank_by_score(std::vector<box_index>& indices, std::size_t count, T const* scores, std::size_t most) {
  indices.resize(count);
  std::iota(indices.begin(), indices.end(), box_index{0});
  sort_by_score(indices, scores, most);
}

/// Greedy suppression: boxes are offered by descending score.
template <class T>
class box_suppression {
 public:
  box_suppression() = default;
  box_suppression(T most_overlap, T plus_one) : most_(most_overlap), plus_one_(plus_one) {}

  void clear() { kept_.clear(); }
  std::size_t size() const noexcept { return kept_.size(); }
  /// Keeps the box, and returns true, unless its overlap with a box that is kept exceeds the limit or is NaN.
  bool keep(box<T> const& b) {
    for (box<T> const& other : kept_)
      if (!(overlap(other, b, plus_one_) <= most_)) return false;
    kept_.push_back(b);
    return true;
  }

 private:
  T most_ = 0;
  T plus_one_ = 0;
  std::vector<box<T>> kept_;
};

/// Soft-NMS.
struct soft_suppression {
  bool enabled = false;
  bool gaussian = false;  ///< otherwise linear, for overlaps above the limit
  float sigma = 0.5f;
  float least_score = 0.001f;  ///< boxes with lower scores are dropped
};

/// Moves the indices in `pending` to `kept`, in the order in which their boxes have the highest score. Each that is
/// kept lowers the scores of the others by their overlap with it.
template <class T>
void suppress_softly(soft_suppression const& how, T most_overlap, T plus_one, box<T> const* boxes, T* scores,
                     std::vector<box_index>& pending, std::vector<box_index>& kept) {
  while (!pending.empty()) {
    auto const highest =
        std::ranges::max_element(pending, {}, [scores](box_index i) { return scores[i]; });  // the first of equals
    std::swap(pending.front(), *highest);
    box_index const best = pending.front();
    kept.push_back(best);
    box<T> const around = boxes[best];
    std::size_t left = 0;
    for (std::size_t k = 1; k != pending.size(); ++k) {
      box_index const at = pending[k];
      T const shared = overlap(around, boxes[at], plus_one);
      if (how.gaussian)
        scores[at] *= std::exp(-(shared * shared) / static_cast<T>(how.sigma));
      else if (shared > most_overlap)
        scores[at] *= 1 - shared;
      if (scores[at] >= static_cast<T>(how.least_score)) pending[left++] = at;
    }
    pending.resize(left);
  }
}

}  // namespace plait::detail
