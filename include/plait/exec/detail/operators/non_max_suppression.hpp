// NonMaxSuppression: by image and class, the boxes with the highest scores that do not overlap one another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <plait/exec/detail/kernels/boxes.hpp>
#include <plait/exec/detail/kernels/non_maximum_suppression.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// NonMaxSuppression: on the host for every backend, as the number of boxes that are kept determines shapes.
template <backend B>
class non_max_suppression_kernel final : public op_kernel<B> {
 public:
  explicit non_max_suppression_kernel(op_arguments const& a) : centred_(a.flag("center_point_box")) {}

  void infer(shape_context& c) override {
    c.expect_type<float>(0);
    c.expect_same_type(0, 1);
    c.expect_rank(0, 3, 3, "images×boxes×4");
    c.expect_rank(1, 3, 3, "images×classes×boxes");
    std::int64_t const images = c.dims(0)[0];
    std::int64_t const boxes = c.dims(0)[1];
    std::int64_t const classes = c.dims(1)[1];
    c.expect(boxes <= std::numeric_limits<detail::box_index>::max(), 0, "have fewer boxes");
    c.expect(c.dims(0)[2] == 4, 0, "have 4 numbers by box");
    c.expect(c.dims(1) == shape{images, classes, boxes}, 1, "have a score by class for each box of ", c.input_text(0));
    std::int64_t const most = std::min(most_kept(c), boxes);
    float const overlap = number(c, 3).value_or(0);
    c.expect(overlap >= 0 && overlap <= 1, 3, "be 0 to 1");
    std::optional<float> const least = number(c, 4);
    c.elements<float>(0, corners_);
    c.elements<float>(1, scores_);
    kept_.clear();
    suppression_ = {overlap, 0};
    if (most > 0)
      for (std::int64_t image = 0; image != images; ++image) {
        read_boxes(static_cast<std::size_t>(image * boxes), static_cast<std::size_t>(boxes));
        for (std::int64_t of_class = 0; of_class != classes; ++of_class) {
          suppress(scores_.data() + (image * classes + of_class) * boxes, static_cast<std::size_t>(most), least);
          for (detail::box_index const each : selected_)
            kept_.insert(kept_.end(), {image, of_class, static_cast<std::int64_t>(each)});
        }
      }
    c.output(0, element_type::int64, {static_cast<std::int64_t>(kept_.size() / 3), 3});
  }
  void run(op_context<B>& c) override { B::copy_from_host(c.raw_output(0), kept_.data(), c.output_spec(0).bytes()); }

 private:
  // Returns the largest number of boxes of a class: 0 without input 2.
  std::int64_t most_kept(shape_context& c) {
    if (c.input_count() < 3) return 0;
    c.expect(c.dims(2).size() == 1, 2, "be one number");
    c.integers(2, limits_);
    return limits_[0];
  }
  // Returns the number that an input is; nothing if the op lacks it.
  static std::optional<float> number(shape_context const& c, std::size_t i) {
    if (c.input_count() <= i) return std::nullopt;
    c.expect_type<float>(i);
    c.expect(c.dims(i).size() == 1, i, "be one number");
    return c.elements<float>(i)[0];
  }
  // Reads the boxes of an image: two opposite corners y, x in any order, or the centre x, y, the width and the height.
  void read_boxes(std::size_t first, std::size_t count) {
    boxes_.resize(count);
    for (std::size_t i = 0; i != count; ++i) {
      float const* const at = corners_.data() + (first + i) * 4;
      if (centred_)
        boxes_[i] = {at[0] - at[2] / 2, at[1] - at[3] / 2, at[0] + at[2] / 2, at[1] + at[3] / 2};
      else
        boxes_[i] = {std::min(at[1], at[3]), std::min(at[0], at[2]), std::max(at[1], at[3]), std::max(at[0], at[2])};
    }
  }
  // Selects boxes of a class by descending score. An empty box overlaps none.
  void suppress(float const* scores, std::size_t most, std::optional<float> const& least) {
    pending_.clear();
    for (std::size_t i = 0; i != boxes_.size(); ++i)
      if (!least || scores[i] > *least) pending_.push_back(static_cast<detail::box_index>(i));
    detail::sort_by_score(pending_, scores, pending_.size());
    selected_.clear();
    suppression_.clear();
    for (detail::box_index const i : pending_) {
      if (selected_.size() == most) return;
      if (!(boxes_[i].area(0) > 0) || suppression_.keep(boxes_[i])) selected_.push_back(i);
    }
  }

  bool centred_;
  std::vector<std::int64_t> limits_;
  std::vector<float> corners_;
  std::vector<float> scores_;
  std::vector<detail::box<float>> boxes_;  // of an image
  std::vector<detail::box_index> pending_;
  std::vector<detail::box_index> selected_;
  detail::box_suppression<float> suppression_;
  std::vector<std::int64_t> kept_;  // triples
};

/// NonMaxSuppression: float.
template <backend B>
void add_non_max_suppression_operators(operators<B>& table) {
  table.template add<non_max_suppression_kernel>(
      op_schema("NonMaxSuppression")
          .inputs(2, 5)
          .outputs(1)
          .shape_from(0)
          .shape_from(1)
          .shape_from(2)
          .shape_from(3)
          .shape_from(4)
          .checks_first()
          .argument("center_point_box", std::int64_t{0},
                    "whether a box is its centre x, y and its width and height, not two corners y, x")
          .describe("the image, class and number of each box that is kept, int64, by descending score in each class; "
                    "inputs: boxes (images×boxes×4), scores (images×classes×boxes), the largest number of boxes of a "
                    "class, int64 (0 without it), the largest intersection over union (0 without it), and the score "
                    "that boxes must exceed"));
}

}  // namespace plait
