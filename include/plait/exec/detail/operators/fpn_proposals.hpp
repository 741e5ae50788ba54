// CollectRpnProposals, DistributeFpnProposals and both in one: proposals of the levels of a feature pyramid.
//
// After T.-Y. Lin et al., "Feature Pyramid Networks for Object Detection", CVPR 2017, equation 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/kernels/boxes.hpp>
#include <plait/exec/detail/kernels/non_maximum_suppression.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/box_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {

/// Returns the number of levels from argument `least` to `most`.
inline std::size_t level_count(op_arguments const& a, std::string_view least, std::string_view most) {
  std::int64_t const first = a.integer(least);
  std::int64_t const last = a.integer(most);
  if (last < first) a.fail(most, "is less than " + std::string(least));
  if (first < -64 || last > 64) a.fail(most, "is no level from -64 to 64");
  return static_cast<std::size_t>(last - first) + 1;
}

/// Arguments that choose the level of a box from its size.
struct level_rule {
  std::int64_t canonical_scale;
  std::int64_t canonical_level;
  std::int64_t least;
  std::size_t count;
  bool plus_one;

  explicit level_rule(op_arguments const& a)
      : canonical_scale(a.integer("roi_canonical_scale")),
        canonical_level(a.integer("roi_canonical_level")),
        least(a.integer("roi_min_level")),
        count(level_count(a, "roi_min_level", "roi_max_level")),
        plus_one(a.flag("legacy_plus_one")) {
    if (canonical_scale <= 0) a.fail("roi_canonical_scale", "is not above 0");
  }
  /// Returns the level of a box of this area, from 0 to count - 1.
  template <class T>
  std::size_t level(T area) const {
    T const size = std::sqrt(area) / static_cast<T>(canonical_scale);
    T const exact = std::floor(static_cast<T>(canonical_level) + std::log2(size + static_cast<T>(1e-6)));
    T const place = exact - static_cast<T>(least);
    return static_cast<std::size_t>(std::min(std::max(place, T(0)), static_cast<T>(count - 1)));
  }
};

/// Boxes of a pyramid, on the host, as their number by level determines shapes.
template <class T>
class pyramid_boxes {
 public:
  std::vector<T> rois;                  ///< rows of image, x1, y1, x2, y2
  std::vector<std::vector<T>> levels;   ///< the same rows, by level
  std::vector<std::int32_t> restoring;  ///< by row of rois: its place among the rows of all levels

  /// Collects the boxes with the highest scores: inputs boxes by level, then scores by level.
  void collect(shape_context const& c, std::size_t count, std::size_t most) {
    given_.clear();
    scores_.clear();
    for (std::size_t level = 0; level != count; ++level) {
      c.elements<T>(level, read_);
      given_.insert(given_.end(), read_.begin(), read_.end());
      c.elements<T>(count + level, read_);
      scores_.insert(scores_.end(), read_.begin(), read_.end());
    }
    rank_by_score(ranking_, scores_.size(), scores_.data(), most);
    rois.clear();
    for (box_index const at : ranking_) append(rois, given_.data() + at * std::size_t{5});
  }
  /// Reads boxes from input 0, which are of image 0 if it has no column for the image.
  void read(shape_context const& c) {
    if (c.dims(0)[1] == 5) {
      c.elements<T>(0, rois);
      return;
    }
    c.elements<T>(0, read_);
    rois.clear();
    for (std::size_t first = 0; first != read_.size(); first += 4) {
      rois.push_back(0);
      rois.insert(rois.end(), read_.data() + first, read_.data() + first + 4);
    }
  }

  /// Distributes the rows of rois to levels. Throws shape_error for a box without an area.
  void distribute(level_rule const& rule) {
    levels.resize(rule.count);
    for (auto& level : levels) level.clear();
    std::size_t const rows = rois.size() / 5;
    level_of_.resize(rows);
    starts_.assign(rule.count + 1, 0);
    for (std::size_t row = 0; row != rows; ++row) {
      T const* const roi = rois.data() + row * 5;
      T const area = box<T>::at(roi + 1).area(static_cast<T>(rule.plus_one));
      if (!(area >= 0)) shape_context::fail("box " + std::to_string(row) + " has a negative area, or is not a number");
      level_of_[row] = rule.level(area);
      append(levels[level_of_[row]], roi);
      ++starts_[level_of_[row] + 1];
    }
    for (std::size_t level = 0; level != rule.count; ++level) starts_[level + 1] += starts_[level];
    restoring.resize(rows);
    for (std::size_t row = 0; row != rows; ++row) restoring[row] = starts_[level_of_[row]]++;
  }

 private:
  static void append(std::vector<T>& to, T const* row) { to.insert(to.end(), row, row + 5); }

  std::vector<T> read_;
  std::vector<T> given_;
  std::vector<T> scores_;
  std::vector<box_index> ranking_;
  std::vector<std::size_t> level_of_;
  std::vector<std::int32_t> starts_;
};

/// Most inputs of an operator that collects: schemas name each input whose elements determine shapes.
inline constexpr std::size_t most_pyramid_inputs = 64;

/// Inputs of the operators that collect: arguments and checks.
struct collected_levels {
  std::size_t count;
  std::size_t most;

  explicit collected_levels(op_arguments const& a)
      : count(level_count(a, "rpn_min_level", "rpn_max_level")), most(box_limit(a, "rpn_post_nms_topN")) {
    if (a.input_count() != 2 * count)
      a.fail("rpn_max_level", "asks for " + std::to_string(2 * count) + " inputs, boxes and scores of each level");
  }
  void infer(shape_context const& c) const {
    c.expect_type<float, double>(0);
    std::int64_t sum = 0;
    for (std::size_t level = 0; level != count; ++level) {
      std::size_t const scores = count + level;
      if (level != 0) c.expect_same_type(0, level);
      c.expect_same_type(0, scores);
      c.expect_rank(level, 2, 2);
      c.expect(c.dims(level)[1] == 5, level, "have 5 columns: image, x1, y1, x2, y2");
      std::int64_t const rows = c.dims(level)[0];
      c.expect(c.dims(scores) == shape{rows} || c.dims(scores) == shape{rows, 1}, scores, "have ", rows, " scores, as ",
               c.input_text(level));
      sum += rows;
    }
    c.expect(sum <= std::numeric_limits<std::int32_t>::max(), 0, "have fewer rows, with the other levels");
  }
};

}  // namespace detail

/// CollectRpnProposals, DistributeFpnProposals or both: on the host for every backend, as numbers of boxes determine
/// shapes.
template <backend B, bool Collects, bool Distributes>
class fpn_proposals_kernel final : public op_kernel<B> {
 public:
  explicit fpn_proposals_kernel(op_arguments const& a) {
    if constexpr (Collects) collected_.emplace(a);
    if constexpr (Distributes) {
      rule_.emplace(a);
      std::size_t const outputs = rule_->count + (Collects ? 2 : 1);
      if (a.output_count() != outputs) a.fail("roi_max_level", "asks for " + std::to_string(outputs) + " outputs");
    }
  }

  void infer(shape_context& c) override {
    c.expect_type<float, double>(0);
    if constexpr (Collects) {
      collected_->infer(c);
    } else {
      c.expect_rank(0, 2, 2);
      c.expect(c.dims(0)[1] == 4 || c.dims(0)[1] == 5, 0, "have 5 columns: image, x1, y1, x2, y2, or the last 4");
      c.expect(c.dims(0)[0] <= std::numeric_limits<std::int32_t>::max(), 0, "have fewer rows");
    }
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      auto& made = std::get<detail::pyramid_boxes<T>>(made_);
      if constexpr (Collects)
        made.collect(c, collected_->count, collected_->most);
      else
        made.read(c);
      auto const rows = static_cast<std::int64_t>(made.rois.size()) / 5;
      if constexpr (Collects) c.output(0, c.type(0), {rows, 5});
      if constexpr (Distributes) {
        made.distribute(*rule_);
        std::size_t next = Collects ? 1 : 0;
        for (auto const& level : made.levels)
          c.output(next++, c.type(0), {static_cast<std::int64_t>(level.size()) / 5, 5});
        c.output(next, element_type::int32, {rows});
      }
    });
  }
  void run(op_context<B>& c) override {
    std::size_t next = 0;
    auto const copy = [&](auto const& from) {
      B::copy_from_host(c.raw_output(next), from.data(), c.output_spec(next).bytes());
      ++next;
    };
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      auto const& made = std::get<detail::pyramid_boxes<T>>(made_);
      if constexpr (Collects) copy(made.rois);
      if constexpr (Distributes) {
        for (auto const& level : made.levels) copy(level);
        copy(made.restoring);
      }
    });
  }

 private:
  std::optional<detail::collected_levels> collected_;
  std::optional<detail::level_rule> rule_;
  std::tuple<detail::pyramid_boxes<float>, detail::pyramid_boxes<double>> made_;
};

namespace detail {

inline op_schema& describe_collection(op_schema& made) {
  for (std::size_t input = 0; input != most_pyramid_inputs; ++input) made.shape_from(input);
  return made.inputs(2, most_pyramid_inputs)
      .argument("rpn_min_level", std::int64_t{2}, "first level of the inputs")
      .argument("rpn_max_level", std::int64_t{6}, "last level of the inputs")
      .argument("rpn_post_nms_topN", std::int64_t{2000}, "how many boxes are kept; 0: all");
}
inline op_schema& describe_distribution(op_schema& made, std::size_t least_outputs) {
  return made.outputs(least_outputs, npos)
      .argument("roi_canonical_scale", std::int64_t{224}, "size of a box of the canonical level, in pixels")
      .argument("roi_canonical_level", std::int64_t{4}, "canonical level")
      .argument("roi_min_level", std::int64_t{2}, "first level of the outputs")
      .argument("roi_max_level", std::int64_t{5}, "last level of the outputs")
      .argument("legacy_plus_one", std::int64_t{1}, "whether x2 and y2 of a box are pixels of it");
}

}  // namespace detail

/// CollectRpnProposals, DistributeFpnProposals, CollectAndDistributeFpnRpnProposals: float and double.
template <backend B>
void add_fpn_proposal_operators(operators<B>& table) {
  auto collect = op_schema("CollectRpnProposals")
                     .outputs(1)
                     .checks_first()
                     .no_doubles_in_caffe2()
                     .describe(
                         "the boxes (image, x1, y1, x2, y2) with the highest scores, by descending score; inputs: the "
                         "boxes of each level, then their scores");
  table.template add<fpn_proposals_kernel<B, true, false>>(detail::describe_collection(collect));
  auto distribute = op_schema("DistributeFpnProposals")
                        .inputs(1)
                        .shape_from(0)
                        .checks_first()
                        .no_doubles_in_caffe2()
                        .describe(
                            "the boxes of each level, by size, then int32 the place of each box of X among those of "
                            "all levels");
  table.template add<fpn_proposals_kernel<B, false, true>>(detail::describe_distribution(distribute, 2));
  auto both = op_schema("CollectAndDistributeFpnRpnProposals")
                  .checks_first()
                  .no_doubles_in_caffe2()
                  .describe("the outputs of CollectRpnProposals, and of DistributeFpnProposals for these boxes");
  detail::describe_collection(both);
  table.template add<fpn_proposals_kernel<B, true, true>>(detail::describe_distribution(both, 3));
}

}  // namespace plait
