// BoxWithNMSLimit: the detections of each image, after non-maximum suppression within each class.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
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

/// Arguments of BoxWithNMSLimit.
struct detection_rule {
  float least_score;
  float most_overlap;
  std::size_t most_kept;
  soft_suppression soft;
  bool one_box;          ///< boxes are the same for all classes
  bool with_background;  ///< class 0 of the inputs is the background; otherwise it is the last of the scores
  bool shown_background;
  bool plus_one;

  explicit detection_rule(op_arguments const& a)
      : least_score(a.real("score_thresh")),
        most_overlap(a.real("nms")),
        most_kept(box_limit(a, "detections_per_im")),
        soft{a.flag("soft_nms_enabled"), a.text("soft_nms_method") == "gaussian", a.real("soft_nms_sigma"),
             a.real("soft_nms_min_score_thres")},
        one_box(a.flag("cls_agnostic_bbox_reg")),
        with_background(a.flag("input_boxes_include_bg_cls")),
        shown_background(a.flag("output_classes_include_bg_cls")),
        plus_one(a.flag("legacy_plus_one")) {
    if (a.flag("rotated")) a.fail("rotated", "is set, but suppression of rotated boxes is not supported");
    if (!soft.gaussian && a.text("soft_nms_method") != "linear")
      a.fail("soft_nms_method", "should be linear or gaussian");
  }
  /// Returns the number of classes that have boxes in a row.
  std::int64_t box_classes(std::int64_t classes) const {
    return one_box ? 1 : std::max<std::int64_t>(0, classes - (with_background ? 0 : 1));
  }
};

/// Detections of a batch of images, computed on the host.
template <class T>
class detections {
 public:
  std::vector<T> scores;
  std::vector<T> boxes;
  std::vector<T> classes;
  std::vector<T> splits;                  ///< detections by image
  std::vector<std::int32_t> rows;         ///< by detection: row of its image
  std::vector<std::int32_t> class_sizes;  ///< detections by image and class

  /// Reads the inputs: scores, boxes. `images` has the number of rows of each image.
  void compute(shape_context& c, detection_rule const& rule, std::vector<std::int64_t> const& images) {
    c.elements<T>(0, given_scores_);
    c.elements<T>(1, given_boxes_);
    classes_ = static_cast<std::size_t>(c.dims(0)[1]);
    box_classes_ = static_cast<std::size_t>(rule.box_classes(c.dims(0)[1]));
    scores.clear();
    boxes.clear();
    classes.clear();
    splits.clear();
    rows.clear();
    class_sizes.assign(images.size() * classes_, 0);
    suppression_ = {static_cast<T>(rule.most_overlap), static_cast<T>(rule.plus_one)};
    std::size_t first = 0;
    for (std::size_t image = 0; image != images.size(); ++image) {
      auto const count = static_cast<std::size_t>(images[image]);
      add_image(rule, first, count, class_sizes.data() + image * classes_);
      first += count;
    }
  }

 private:
  struct detection {
    std::size_t of_class;
    box_index row;
  };

  box<T> box_of(detection_rule const& rule, std::size_t row, std::size_t of_class) const {
    std::size_t const column = rule.one_box ? 0 : rule.with_background ? of_class : of_class - 1;
    return box<T>::at(given_boxes_.data() + (row * box_classes_ + column) * 4);
  }

  void add_image(detection_rule const& rule, std::size_t first, std::size_t count, std::int32_t* sizes) {
    found_.clear();
    found_scores_.clear();
    for (std::size_t of_class = 1; count != 0 && of_class < classes_; ++of_class) {
      std::size_t const column = rule.with_background ? of_class : of_class - 1;
      class_scores_.resize(count);
      class_boxes_.resize(count);
      pending_.clear();
      for (std::size_t row = 0; row != count; ++row) {
        class_scores_[row] = given_scores_[(first + row) * classes_ + column];
        if (!(class_scores_[row] > static_cast<T>(rule.least_score))) continue;
        pending_.push_back(static_cast<box_index>(row));
        class_boxes_[row] = box_of(rule, first + row, of_class);
      }
      kept_.clear();
      if (rule.soft.enabled) {
        suppress_softly(rule.soft, static_cast<T>(rule.most_overlap), static_cast<T>(rule.plus_one),
                        class_boxes_.data(), class_scores_.data(), pending_, kept_);
      } else {
        sort_by_score(pending_, class_scores_.data(), pending_.size());
        suppression_.clear();
        for (box_index const row : pending_)
          if (suppression_.keep(class_boxes_[row])) kept_.push_back(row);
      }
      for (box_index const row : kept_) {
        found_.push_back({of_class, row});
        found_scores_.push_back(class_scores_[row]);
      }
    }
    append(rule, first, sizes);
  }
  // Appends the detections of an image: the best, by class.
  void append(detection_rule const& rule, std::size_t first, std::int32_t* sizes) {
    if (found_.size() > rule.most_kept) {
      rank_by_score(ranking_, found_.size(), found_scores_.data(), rule.most_kept);
      std::ranges::stable_sort(ranking_, {}, [this](box_index i) { return found_[i].of_class; });
    } else {
      ranking_.resize(found_.size());
      std::iota(ranking_.begin(), ranking_.end(), box_index{0});
    }
    for (box_index const i : ranking_) {
      auto const [of_class, row] = found_[i];
      scores.push_back(found_scores_[i]);
      boxes.resize(boxes.size() + 4);
      box_of(rule, first + row, of_class).store(boxes.data() + boxes.size() - 4);
      classes.push_back(static_cast<T>(of_class - (rule.shown_background ? 0 : 1)));
      rows.push_back(static_cast<std::int32_t>(row));
      ++sizes[of_class];
    }
    splits.push_back(static_cast<T>(ranking_.size()));
  }

  std::size_t classes_ = 0;
  std::size_t box_classes_ = 0;
  std::vector<T> given_scores_;
  std::vector<T> given_boxes_;
  std::vector<T> class_scores_;
  std::vector<box<T>> class_boxes_;  // by row; set for rows with a sufficient score
  std::vector<box_index> pending_;
  std::vector<box_index> kept_;
  std::vector<detection> found_;
  std::vector<T> found_scores_;
  std::vector<box_index> ranking_;
  box_suppression<T> suppression_;
};

}  // namespace detail

/// BoxWithNMSLimit: on the host for every backend, as the number of detections determines shapes.
template <backend B>
class box_with_nms_limit_kernel final : public op_kernel<B> {
 public:
  explicit box_with_nms_limit_kernel(op_arguments const& a) : rule_(a) {}

  void infer(shape_context& c) override {
    c.expect_type<float, double>(0);
    c.expect_same_type(0, 1);
    c.expect_rank(0, 2, 2, "boxes×classes");
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    std::int64_t const classes = c.dims(0)[1];
    c.expect(classes <= most && c.dims(0).size() <= most, 0, "have fewer elements");
    shape const boxes{c.dims(0)[0], 4 * rule_.box_classes(classes)};
    c.expect(c.dims(1) == boxes, 1, "be ", boxes, ", as ", c.input_text(0));
    read_splits(c);
    c.expect(classes == 0 || static_cast<std::int64_t>(images_.size()) <= most / classes, 0, "have fewer classes");
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      auto& made = std::get<detail::detections<T>>(made_);
      made.compute(c, rule_, images_);
      auto const count = static_cast<std::int64_t>(made.scores.size());
      auto const images = static_cast<std::int64_t>(images_.size());
      c.output(0, c.type(0), {count});
      c.output(1, c.type(0), {count, 4});
      c.output(2, c.type(0), {count});
      if (c.output_count() > 3) c.output(3, c.type(0), {images});
      if (c.output_count() > 4) c.output(4, element_type::int32, {count});
      if (c.output_count() > 5) c.output(5, element_type::int32, {images, classes});
    });
  }
  void run(op_context<B>& c) override {
    auto const copy = [&](std::size_t output, auto const& from) {
      if (output < c.output_count())
        B::copy_from_host(c.raw_output(output), from.data(), c.output_spec(output).bytes());
    };
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      auto const& made = std::get<detail::detections<T>>(made_);
      copy(0, made.scores);
      copy(1, made.boxes);
      copy(2, made.classes);
      copy(3, made.splits);
      copy(4, made.rows);
      copy(5, made.class_sizes);
    });
  }

 private:
  // Reads the number of rows of each image: all are of one image without a third input.
  void read_splits(shape_context& c) {
    std::int64_t const count = c.dims(0)[0];
    images_.assign(1, count);
    if (c.input_count() < 3) return;
    c.expect_rank(2, 1, 1);
    c.expect_type<float, double, std::int32_t>(2);
    images_.clear();
    std::int64_t sum = 0;
    visit_type<float, double, std::int32_t>(c.type(2), [&]<class T>(T) {
      for (T const rows : c.elements<T>(2)) {
        bool const valid = rows >= 0 && static_cast<double>(rows) <= static_cast<double>(count);
        if (valid) images_.push_back(static_cast<std::int64_t>(rows));
        c.expect(valid && static_cast<T>(images_.back()) == rows, 2, "have numbers of rows, from 0 to ", count);
        sum += images_.back();
      }
    });
    c.expect(sum == count, 2, "add up to ", count, ", the rows of ", c.input_text(0));
  }

  detail::detection_rule rule_;
  std::vector<std::int64_t> images_;
  std::tuple<detail::detections<float>, detail::detections<double>> made_;
};

/// BoxWithNMSLimit: float and double.
template <backend B>
void add_box_limit_operators(operators<B>& table) {
  table.template add<box_with_nms_limit_kernel>(
      op_schema("BoxWithNMSLimit")
          .inputs(2, 3)
          .outputs(3, 6)
          .shape_from(0)
          .shape_from(1)
          .shape_from(2)
          .checks_first()
          .argument("score_thresh", 0.05f, "boxes with this score, or less, are dropped")
          .argument("nms", 0.3f, "most intersection over union of two boxes of a class")
          .argument("detections_per_im", std::int64_t{100}, "how many boxes of an image are kept; 0: all")
          .argument("soft_nms_enabled", std::int64_t{0}, "whether overlaps lower scores instead (Soft-NMS)")
          .argument("soft_nms_method", std::string("linear"), "linear or gaussian")
          .argument("soft_nms_sigma", 0.5f, "of gaussian")
          .argument("soft_nms_min_score_thres", 0.001f, "of Soft-NMS: boxes with lower scores are dropped")
          .argument("rotated", std::int64_t{0}, "must be 0: boxes are upright")
          .argument("cls_agnostic_bbox_reg", std::int64_t{0}, "whether a row has one box for all classes")
          .argument("input_boxes_include_bg_cls", std::int64_t{1},
                    "whether class 0 is the background; otherwise it is the last of the scores, without boxes")
          .argument("output_classes_include_bg_cls", std::int64_t{1},
                    "whether the first class after the background is 1 in the output, not 0")
          .argument("legacy_plus_one", std::int64_t{1}, "whether x2 and y2 of a box are pixels of it")
          .no_doubles_in_caffe2()
          .describe(
              "scores, boxes and classes that are kept, by image and class; then the number by image, the row of each "
              "within its image, and the number by image and class; inputs: scores (rows×classes), boxes "
              "(rows×4·classes), the number of rows by image"));
}

}  // namespace plait
