// GenerateProposals: the proposals of a region proposal network, after regression and non-maximum suppression.
//
// After S. Ren, K. He, R. Girshick, J. Sun, "Faster R-CNN", NIPS 2015.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <plait/exec/detail/kernels/boxes.hpp>
#include <plait/exec/detail/kernels/non_maximum_suppression.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/box_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {

/// Arguments of GenerateProposals.
struct proposal_rule {
  float stride;  ///< pixels of the image per place of the scores
  std::size_t most_ranked;
  std::size_t most_kept;
  float most_overlap;
  float least_size;
  bool plus_one;

  explicit proposal_rule(op_arguments const& a)
      : stride(1 / a.real("spatial_scale")),
        most_ranked(box_limit(a, "pre_nms_topN")),
        most_kept(box_limit(a, "post_nms_topN")),
        most_overlap(a.real("nms_thresh")),
        least_size(a.real("min_size")),
        plus_one(has_last_pixels(a)) {
    if (!(a.real("spatial_scale") > 0)) a.fail("spatial_scale", "is not above 0");
  }
};

/// Proposals of a batch of images, computed on the host.
template <class T>
class proposals {
 public:
  std::vector<T> rois;  ///< rows of image, x1, y1, x2, y2
  std::vector<T> probabilities;

  /// Reads the inputs: scores, deltas, image sizes, anchors.
  void compute(shape_context& c, proposal_rule const& rule) {
    c.elements<T>(0, scores_);
    c.elements<T>(1, deltas_);
    c.elements<T>(2, images_);
    c.elements<T>(3, anchors_);
    rois.clear();
    probabilities.clear();
    suppression_ = {static_cast<T>(rule.most_overlap), static_cast<T>(rule.plus_one)};
    shape const& dims = c.dims(0);
    for (std::int64_t image = 0; image != dims[0]; ++image)
      add_image(static_cast<std::size_t>(image), rule, static_cast<std::size_t>(dims.size_from(2)),
                static_cast<std::size_t>(dims[3]), static_cast<std::size_t>(dims.size_from(1)));
  }

 private:
  void add_image(std::size_t image, proposal_rule const& rule, std::size_t places, std::size_t width,
                 std::size_t count) {
    T const* const scores = scores_.data() + image * count;
    T const* const deltas = deltas_.data() + image * count * 4;
    T const* const info = images_.data() + image * 3;
    auto const plus_one = static_cast<T>(rule.plus_one);
    T const least = static_cast<T>(rule.least_size) * info[2];
    rank_by_score(ranking_, count, scores, rule.most_ranked);
    suppression_.clear();
    for (box_index const at : ranking_) {
      if (suppression_.size() == rule.most_kept) return;
      std::size_t const anchor = at / places;
      std::size_t const place = at % places;
      T const x = static_cast<T>(place % width) * static_cast<T>(rule.stride);
      T const y = static_cast<T>(place / width) * static_cast<T>(rule.stride);
      box<T> const from = box<T>::at(anchors_.data() + anchor * 4);
      T const* const d = deltas + anchor * 4 * places + place;
      box<T> const b = clip(regress<T>({from.x1 + x, from.y1 + y, from.x2 + x, from.y2 + y}, d[0], d[places],
                                       d[2 * places], d[3 * places], plus_one),
                            std::trunc(info[1]), std::trunc(info[0]), plus_one);
      if (!is_visible(b, least, info, plus_one) || !suppression_.keep(b)) continue;
      std::size_t const end = rois.size();
      rois.resize(end + 5, static_cast<T>(image));
      b.store(rois.data() + end + 1);
      probabilities.push_back(scores[at]);
    }
  }
  // Returns true if the box has the least size and its centre is in the image; false for NaN.
  static bool is_visible(box<T> const& b, T least, T const* info, T plus_one) {
    T const width = b.width(plus_one);
    T const height = b.height(plus_one);
    return width >= least && height >= least && b.x1 + width / 2 < info[1] && b.y1 + height / 2 < info[0];
  }

  std::vector<T> scores_;
  std::vector<T> deltas_;
  std::vector<T> images_;
  std::vector<T> anchors_;
  std::vector<box_index> ranking_;
  box_suppression<T> suppression_;
};

}  // namespace detail

/// GenerateProposals: on the host for every backend, as the number of proposals determines shapes.
template <backend B>
class generate_proposals_kernel final : public op_kernel<B> {
 public:
  explicit generate_proposals_kernel(op_arguments const& a) : rule_(a) {}

  void infer(shape_context& c) override {
    c.expect_type<float, double>(0);
    for (std::size_t const i : {1U, 2U, 3U}) c.expect_same_type(0, i);
    c.expect_rank(0, 4, 4, "N×A×H×W");
    c.expect_rank(3, 2, 2, "A×4");
    shape const& dims = c.dims(0);
    c.expect(c.dims(3)[1] != 5, 3, "not have rotated anchors, of five numbers, which are not supported");
    c.expect(c.dims(3) == shape{dims[1], 4}, 3, "be ", dims[1], "×4, as ", c.input_text(0));
    shape const deltas{dims[0], 4 * dims[1], dims[2], dims[3]};
    c.expect(c.dims(1) == deltas, 1, "be ", deltas, ", as ", c.input_text(0));
    c.expect(c.dims(2) == shape{dims[0], 3}, 2, "be ", dims[0], "×3: the height, width and scale of each image");
    c.expect(dims.size() <= std::numeric_limits<std::int32_t>::max(), 0, "have fewer elements");
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      auto& made = std::get<detail::proposals<T>>(made_);
      made.compute(c, rule_);
      auto const count = static_cast<std::int64_t>(made.probabilities.size());
      c.output(0, c.type(0), {count, 5});
      c.output(1, c.type(0), {count});
    });
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      auto const& made = std::get<detail::proposals<T>>(made_);
      B::copy_from_host(c.raw_output(0), made.rois.data(), c.output_spec(0).bytes());
      B::copy_from_host(c.raw_output(1), made.probabilities.data(), c.output_spec(1).bytes());
    });
  }

 private:
  detail::proposal_rule rule_;
  std::tuple<detail::proposals<float>, detail::proposals<double>> made_;
};

/// GenerateProposals and GenerateProposalsCPP, its other name: float and double.
template <backend B>
void add_proposal_operators(operators<B>& table) {
  for (char const* const type : {"GenerateProposals", "GenerateProposalsCPP"}) {
    auto schema =
        op_schema(type)
            .inputs(4)
            .outputs(2)
            .shape_from(0)
            .shape_from(1)
            .shape_from(2)
            .shape_from(3)
            .checks_first()
            .argument("spatial_scale", 0.0625f, "places of the scores per pixel")
            .argument("pre_nms_topN", std::int64_t{6000}, "of an image: how many boxes are considered; 0: all")
            .argument("post_nms_topN", std::int64_t{300}, "of an image: how many boxes are kept; 0: all")
            .argument("nms_thresh", 0.7f, "most intersection over union of two boxes that are kept")
            .argument("min_size", 16.0f, "least width and height, times the scale of the image")
            .no_doubles_in_caffe2()
            .describe(
                "rois (image, x1, y1, x2, y2) and their scores, by image and descending score; inputs: scores "
                "N×A×H×W, deltas N×4A×H×W, images N×3 (height, width, scale), anchors A×4");
    table.template add<generate_proposals_kernel>(detail::describe_regression(schema));
  }
}

}  // namespace plait
