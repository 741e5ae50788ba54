// PadImage and its gradient: constant, reflected and replicated padding of images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/window_arguments.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Source of the padding's elements.
enum class padding_mode : std::uint8_t {
  constant,
  reflect,  ///< the image mirrored at its border elements, which are not repeated
  edge,     ///< the nearest border element
  wrap      ///< the image repeated; Pad only
};

namespace detail {

/// One axis of a padded image; negative padding crops.
struct padded_axis {
  std::int64_t in = 0;
  std::int64_t head = 0;
  std::int64_t tail = 0;

  PLAIT_HOST_DEVICE constexpr std::int64_t out() const { return head + in + tail; }

  /// Returns the index in the image of element `o` of the padded image; -1 for constant padding.
  PLAIT_HOST_DEVICE constexpr std::int64_t source(padding_mode mode, std::int64_t o) const {
    std::int64_t const i = o - head;
    if (i >= 0 && i < in) return i;
    if (mode == padding_mode::constant) return -1;
    if (mode == padding_mode::edge) return i < 0 ? 0 : in - 1;
    if (mode == padding_mode::wrap) return i % in + (i % in < 0 ? in : 0);
    return i < 0 ? -i : 2 * (in - 1) - i;
  }

  /// Calls each(o) for the elements of the padded image that are copies of element i, in ascending order.
  template <class Each>
  PLAIT_HOST_DEVICE constexpr void for_each_copy(padding_mode mode, std::int64_t i, Each const& each) const {
    auto const stretch = [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t o = first < 0 ? 0 : first; o < last && o < out(); ++o) each(o);
    };
    std::int64_t const end = head + in;
    if (mode == padding_mode::edge && i == 0) stretch(0, head);
    if (mode == padding_mode::reflect && i > 0) stretch(head - i, head - i + 1);
    stretch(head + i, head + i + 1);
    if (mode == padding_mode::reflect && i < in - 1)
      stretch(2 * (end - 1) - (head + i), 2 * (end - 1) - (head + i) + 1);
    if (mode == padding_mode::edge && i == in - 1) stretch(end, out());
  }
};

// A row is a line of a plane or, with channels last, of an image: breadth.out() * channels elements.
template <class T>
struct padded_line {
  T const* x;
  T* y;
  padded_axis height;
  padded_axis breadth;
  std::int64_t channels;  // per pixel; 1 for planes
  padding_mode mode;
  T value;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    auto const line = static_cast<std::int64_t>(row) % height.out();
    auto const plane = static_cast<std::int64_t>(row) / height.out();
    std::int64_t const from = height.source(mode, line);
    std::int64_t const width = breadth.out() * channels;
    T* const to = y + static_cast<std::int64_t>(row) * width;
    std::int64_t const line_from = (plane * height.in + from) * breadth.in;
    for (auto i = static_cast<std::int64_t>(first); i < static_cast<std::int64_t>(last); ++i) {
      std::int64_t const at = channels == 1 ? i : i / channels;
      std::int64_t const place = breadth.source(mode, at);
      to[i] = from < 0 || place < 0 ? value : x[(line_from + place) * channels + (i - at * channels)];
    }
  }
};

template <class T>
struct unpadded_line {
  T const* dy;
  T* dx;
  padded_axis height;
  padded_axis breadth;
  std::int64_t channels;
  padding_mode mode;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    auto const line = static_cast<std::int64_t>(row) % height.in;
    auto const plane = static_cast<std::int64_t>(row) / height.in;
    std::int64_t const width = breadth.in * channels;
    T* const to = dx + static_cast<std::int64_t>(row) * width;
    for (auto i = static_cast<std::int64_t>(first); i < static_cast<std::int64_t>(last); ++i) {
      std::int64_t const at = channels == 1 ? i : i / channels;
      T sum = T(0);
      height.for_each_copy(mode, line, [&](std::int64_t from) {
        std::int64_t const begin = (plane * height.out() + from) * breadth.out();
        breadth.for_each_copy(mode, at,
                              [&](std::int64_t place) { sum += dy[(begin + place) * channels + (i - at * channels)]; });
      });
      to[i] = sum;
    }
  }
};

/// Arguments and shapes that padding and its gradient share.
class padding_shape {
 public:
  explicit padding_shape(op_arguments const& a) : pads_(read_pads(a, -largest_extent)), last(read_channels_last(a)) {
    if (pads_.size() != 1 && pads_.size() != 4) a.fail("pads", "must be four: top, left, bottom, right");
    if (a.text("mode") == "reflect")
      mode = padding_mode::reflect;
    else if (a.text("mode") == "edge")
      mode = padding_mode::edge;
    else if (a.text("mode") != "constant")
      a.fail("mode", "must be constant, reflect or edge");
  }

  /// Returns the shape of the output: without padding if input 0 is `padded`, else with padding.
  shape infer(shape_context const& c, bool padded) {
    c.expect_type<float, double>(0);
    c.expect_rank(0, 4, 4);
    shape made = c.dims(0);
    std::size_t const first = last ? 1 : 2;
    for (std::size_t axis = 0; axis != 2; ++axis) {
      padded_axis& at = axis == 0 ? height : breadth;
      at.head = pads_.size() == 1 ? pads_[0] : pads_[axis];
      at.tail = pads_.size() == 1 ? pads_[0] : pads_[axis + 2];
      std::int64_t const margin = padded ? at.head + at.tail : 0;
      at.in = made[first + axis] - margin;
      c.expect(at.in >= 0, 0, "be larger than its margin in axis ", first + axis);
      c.expect(at.out() >= 0, 0, "have as many places in axis ", first + axis, " as are cut off");
      if (mode == padding_mode::reflect)
        c.expect((at.head <= 0 || at.head < at.in) && (at.tail <= 0 || at.tail < at.in), 0, "have more places in axis ",
                 first + axis, " than a reflected margin has");
      if (mode == padding_mode::edge) c.expect(at.in > 0 || at.out() == 0, 0, "have an edge in axis ", first + axis);
      made.set(first + axis, padded ? at.in : at.out());
    }
    planes = made[0] * (last ? 1 : made[1]);
    channels = last ? made[3] : 1;
    return made;
  }

 private:
  std::vector<std::int64_t> pads_;

 public:
  bool last;
  padding_mode mode = padding_mode::constant;
  padded_axis height;
  padded_axis breadth;
  std::int64_t planes = 0;
  std::int64_t channels = 1;
};

}  // namespace detail

template <backend B>
class pad_image_kernel final : public op_kernel<B> {
 public:
  explicit pad_image_kernel(op_arguments const& a) : s_(a), value_(a.real("value")) {}
  void infer(shape_context& c) override { c.output(0, c.type(0), s_.infer(c, false)); }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_row_part<B>(static_cast<std::size_t>(s_.planes * s_.height.out()),
                           static_cast<std::size_t>(s_.breadth.out() * s_.channels), 1,
                           detail::padded_line<T>{c.template input<T>(0), c.template output<T>(0), s_.height,
                                                  s_.breadth, s_.channels, s_.mode, static_cast<T>(value_)});
    });
  }

 private:
  detail::padding_shape s_;
  float value_;
};

/// PadImageGradient: input dY.
template <backend B>
class pad_image_gradient_kernel final : public op_kernel<B> {
 public:
  explicit pad_image_gradient_kernel(op_arguments const& a) : s_(a) {}
  void infer(shape_context& c) override { c.output(0, c.type(0), s_.infer(c, true)); }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_row_part<B>(static_cast<std::size_t>(s_.planes * s_.height.in),
                           static_cast<std::size_t>(s_.breadth.in * s_.channels), 2,
                           detail::unpadded_line<T>{c.template input<T>(0), c.template output<T>(0), s_.height,
                                                    s_.breadth, s_.channels, s_.mode});
    });
  }

 private:
  detail::padding_shape s_;
};

/// PadImage, PadImageGradient: float and double.
template <backend B>
void add_pad_image_operators(operators<B>& table) {
  auto const add = [&]<class Kernel>(op_schema schema, char const* text) {
    detail::describe_pads(schema)
        .inputs(1)
        .outputs(1)
        .argument("mode", std::string("constant"), "what the margin holds: constant, reflect or edge")
        .argument("value", 0.0f, "of a constant margin")
        .rows_independent()
        .checks_first()
        .describe(text);
    table.template add<Kernel>(std::move(schema));
  };
  add.template operator()<pad_image_kernel<B>>(op_schema("PadImage").no_doubles_in_caffe2(),
                                               "Y = pictures X with a margin around them; a negative one cuts off");
  add.template operator()<pad_image_gradient_kernel<B>>(
      op_schema("PadImageGradient"),
      "dX = the sums of dY by the place of X that it comes from; of a constant margin it does not");
}

}  // namespace plait

PLAIT_KERNELS_END
