// BBoxTransform: proposals moved and scaled by regression deltas, one box per class, upright or rotated.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/exec/detail/kernels/boxes.hpp>
#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/box_arguments.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Arguments of BBoxTransform. Trivially copyable, as kernels require.
struct box_regression {
  float weights[4] = {1, 1, 1, 1};
  bool scales_back;
  bool rotated;
  bool bounds_angles;
  float least_angle;
  float most_angle;
  float clipped_angle;
  bool plus_one;

  explicit box_regression(op_arguments const& a)
      : scales_back(a.flag("apply_scale")),
        rotated(a.flag("rotated")),
        bounds_angles(a.flag("angle_bound_on")),
        least_angle(static_cast<float>(a.integer("angle_bound_lo"))),
        most_angle(static_cast<float>(a.integer("angle_bound_hi"))),
        clipped_angle(a.real("clip_angle_thresh")),
        plus_one(has_last_pixels(a)) {
    auto const& given = a.reals("weights");
    if (!given.empty() && given.size() != 4) a.fail("weights", "should have 4 numbers");
    for (std::size_t i = 0; i != given.size(); ++i) weights[i] = given[i];
    std::int64_t const period = a.integer("angle_bound_hi") - a.integer("angle_bound_lo");
    if (rotated && bounds_angles && (period <= 0 || period % 180 != 0))
      a.fail("angle_bound_hi", "should exceed angle_bound_lo by a multiple of 180");
  }
  std::int64_t numbers() const { return rotated ? 5 : 4; }
};

// Size of an image before it was scaled.
template <class T>
struct unscaled_image {
  T scale;
  T height;
  T width;
  PLAIT_HOST_DEVICE static unscaled_image at(T const* info) {
    T const scale = info[2];
    return {scale, std::trunc(info[0] / scale + T(0.5)), std::trunc(info[1] / scale + T(0.5))};
  }
};

// Computes the box of a row and class.
template <class T>
struct transformed_box {
  T const* rois;
  T const* deltas;
  T const* images;
  T* boxes;
  std::size_t classes;
  std::size_t columns;  ///< of a row of rois
  box_regression rule;

  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    std::size_t const numbers = rule.rotated ? 5 : 4;
    T const* const roi = rois + i / classes * columns;
    auto const image = unscaled_image<T>::at(images + (columns == numbers ? 0 : 3 * static_cast<std::size_t>(roi[0])));
    T const factor = rule.scales_back ? image.scale : T(1);
    T const* const from = roi + (columns - numbers);
    T const* const d = deltas + i * numbers;
    T* const to = boxes + i * numbers;
    if (rule.rotated)
      rotated(from, d, image, factor, to);
    else
      upright(from, d, image, factor, to);
  }

 private:
  PLAIT_HOST_DEVICE T weighted(T const* d, std::size_t k) const { return d[k] / static_cast<T>(rule.weights[k]); }

  PLAIT_HOST_DEVICE void upright(T const* from, T const* d, unscaled_image<T> const& image, T factor, T* to) const {
    auto const plus_one = static_cast<T>(rule.plus_one);
    box<T> const b{from[0] / image.scale, from[1] / image.scale, from[2] / image.scale, from[3] / image.scale};
    box<T> const moved = regress(b, weighted(d, 0), weighted(d, 1), weighted(d, 2), weighted(d, 3), plus_one);
    clip(moved, image.width, image.height, plus_one).scaled(factor).store(to);
  }
  // Rotated boxes are centre, size and angle in degrees. Only almost upright ones are clipped.
  PLAIT_HOST_DEVICE void rotated(T const* from, T const* d, unscaled_image<T> const& image, T factor, T* to) const {
    T const width = from[2] / image.scale;
    T const height = from[3] / image.scale;
    T x = weighted(d, 0) * width + from[0] / image.scale;
    T y = weighted(d, 1) * height + from[1] / image.scale;
    T new_width = growth(weighted(d, 2)) * width;
    T new_height = growth(weighted(d, 3)) * height;
    T angle = d[4] * 180 / static_cast<T>(3.141592653589793) + from[4];
    if (rule.bounds_angles) {
      T const period = static_cast<T>(rule.most_angle) - static_cast<T>(rule.least_angle);
      if (angle < static_cast<T>(rule.least_angle))
        angle += period;
      else if (angle > static_cast<T>(rule.most_angle))
        angle -= period;
    }
    if ((angle < 0 ? -angle : angle) <= static_cast<T>(rule.clipped_angle)) {
      auto const plus_one = static_cast<T>(rule.plus_one);
      T const half_width = (new_width - plus_one) / 2;
      T const half_height = (new_height - plus_one) / 2;
      box<T> const b = clip(box<T>{x - half_width, y - half_height, x + half_width, y + half_height}, image.width,
                            image.height, plus_one);
      x = (b.x1 + b.x2) / 2;
      y = (b.y1 + b.y2) / 2;
      new_width = b.width(plus_one);
      new_height = b.height(plus_one);
    }
    to[0] = x * factor;
    to[1] = y * factor;
    to[2] = new_width * factor;
    to[3] = new_height * factor;
    to[4] = angle;
  }
};

// Predicate: the row is of no image, or of an earlier one than the row before.
template <class T>
struct is_out_of_order {
  T const* rois;
  std::size_t columns;
  T images;
  PLAIT_HOST_DEVICE bool operator()(std::size_t row) const {
    T const image = rois[row * columns];
    bool const valid = image >= 0 && image < images;
    return !valid || (row != 0 && std::trunc(rois[(row - 1) * columns]) > std::trunc(image));
  }
};

// Counts the rows of an image: all, unless they name theirs.
template <class T>
struct rows_of_image {
  T const* rois;
  T* splits;
  std::size_t columns;
  std::size_t rows;
  bool named;
  PLAIT_HOST_DEVICE void operator()(std::size_t image) const {
    splits[image] = static_cast<T>(named ? first(image + 1) - first(image) : rows);
  }

 private:
  // Returns the first row whose image is at least `image`.
  PLAIT_HOST_DEVICE std::size_t first(std::size_t image) const {
    std::size_t low = 0;
    std::size_t high = rows;
    while (low < high) {
      std::size_t const middle = low + (high - low) / 2;
      if (static_cast<std::size_t>(rois[middle * columns]) < image)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

}  // namespace detail

/// BBoxTransform: inputs rois, deltas, images.
template <backend B>
class box_transform_kernel final : public op_kernel<B> {
 public:
  explicit box_transform_kernel(op_arguments const& a) : rule_(a) {}

  void infer(shape_context& c) override {
    std::int64_t const numbers = rule_.numbers();
    c.expect_type<float, double>(0);
    for (std::size_t const i : {1U, 2U}) c.expect_same_type(0, i);
    for (std::size_t const i : {0U, 1U, 2U}) c.expect_rank(i, 2, 2);
    std::int64_t const columns = c.dims(0)[1];
    c.expect(columns == numbers || columns == numbers + 1, 0, "have ", numbers, " or ", numbers + 1, " columns");
    c.expect(c.dims(1)[0] == c.dims(0)[0], 1, "have a row for each of ", c.input_text(0));
    c.expect(c.dims(1)[1] % numbers == 0, 1, "have ", numbers, " columns per class");
    c.expect(c.dims(2)[1] == 3, 2, "have 3 columns: the height, width and scale of each image");
    if (columns == numbers)
      c.expect(c.dims(2)[0] == 1, 2, "be of one image, as the boxes of ", c.input_text(0), " do not name theirs");
    c.output(0, c.type(0), c.dims(1));
    if (c.output_count() == 2) c.output(1, c.type(0), {c.dims(2)[0]});
  }
  void run(op_context<B>& c) override {
    auto const rows = static_cast<std::size_t>(c.dims(0)[0]);
    auto const columns = static_cast<std::size_t>(c.dims(0)[1]);
    auto const numbers = static_cast<std::size_t>(rule_.numbers());
    auto const images = static_cast<std::size_t>(c.dims(2)[0]);
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const rois = c.template input<T>(0);
      if (columns != numbers) {
        std::size_t const wrong =
            find_index<B>(rows, detail::is_out_of_order<T>{rois, columns, static_cast<T>(images)});
        if (wrong != rows)
          c.fail("row " + std::to_string(wrong) + " of the boxes should name one of " + std::to_string(images) +
                 " images, and none before that of the row before");
      }
      std::size_t const classes = static_cast<std::size_t>(c.dims(1)[1]) / numbers;
      for_each_row<B>(rows * classes, 32,
                      detail::transformed_box<T>{rois, c.template input<T>(1), c.template input<T>(2),
                                                 c.template output<T>(0), classes, columns, rule_});
      if (c.output_count() == 2)
        for_each_index<B>(images,
                          detail::rows_of_image<T>{rois, c.template output<T>(1), columns, rows, columns != numbers});
    });
  }

 private:
  detail::box_regression rule_;
};

/// BBoxTransform: float and double.
template <backend B>
void add_box_transform_operators(operators<B>& table) {
  auto schema =
      op_schema("BBoxTransform")
          .inputs(3)
          .outputs(1, 2)
          .checks_first()
          .argument("weights", std::vector<float>(), "4 numbers that dx, dy, dw and dh are divided by; empty: ones")
          .argument("apply_scale", std::int64_t{1}, "whether boxes are of the scaled image, as the inputs")
          .argument("rotated", std::int64_t{0}, "whether boxes are x, y, width, height and an angle in degrees")
          .argument("angle_bound_on", std::int64_t{1}, "whether angles are within the bounds")
          .argument("angle_bound_lo", std::int64_t{-90}, "least angle")
          .argument("angle_bound_hi", std::int64_t{90}, "most angle")
          .argument("clip_angle_thresh", 1.0f, "rotated boxes are clipped up to this angle; negative: none")
          .no_doubles_in_caffe2()
          .describe(
              "boxes (rows×4·classes), moved and scaled by deltas (the second input) and clipped to their image; the "
              "second output has the number of rows by image; inputs: boxes (rows×4, or rows×5 that begin with the "
              "image, in ascending order), deltas, images (height, width, scale)");
  table.template add<box_transform_kernel>(detail::describe_regression(schema));
}

}  // namespace plait

PLAIT_KERNELS_END
