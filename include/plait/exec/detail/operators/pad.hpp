// Pad: constant, reflected, replicated and cyclic padding of any axes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/strided_copy.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/pad_image.hpp>
#include <plait/exec/detail/operators/window_arguments.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Geometry of a padded tensor. Trivially copyable, as kernels require.
struct padded_tensor {
  std::array<padded_axis, shape::max_rank> axes = {};
  strides from = {};
  std::size_t rank = 0;
  padding_mode mode = padding_mode::constant;
};

// A row is a line of the last axis.
template <class T>
struct padded_row {
  T const* x;
  T* y;
  T const* value;  // of a constant margin; nullptr: 0
  padded_tensor s;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    std::size_t const inner = s.rank - 1;
    padded_axis const line = s.axes[inner];
    T* const to = y + row * static_cast<std::size_t>(line.out());
    T const filler = value == nullptr ? T(0) : *value;
    auto rest = static_cast<std::int64_t>(row);
    std::int64_t offset = 0;
    bool outside = line.in == 0;
    for (std::size_t axis = shape::max_rank - 1; axis-- != 0;) {  // constant indices: see broadcast_layout::find
      if (axis >= inner) continue;
      std::int64_t const at = s.axes[axis].source(s.mode, take_place(rest, s.axes[axis].out()));
      if (at < 0) outside = true;
      offset += at * s.from[axis];
    }
    auto const begin = static_cast<std::int64_t>(first);
    auto const end = static_cast<std::int64_t>(last);
    if (outside) {
      for (std::int64_t i = begin; i < end; ++i) to[i] = filler;
      return;
    }
    T const* const source = x + offset;
    auto const margin = [&](std::int64_t from, std::int64_t past) {
      for (std::int64_t i = from; i < past; ++i) {
        std::int64_t const at = line.source(s.mode, i);
        to[i] = at < 0 ? filler : source[at];
      }
    };
    auto const within = [&](std::int64_t at) { return at < begin ? begin : at > end ? end : at; };
    std::int64_t const inside = within(line.head);
    std::int64_t const behind = within(line.head + line.in);
    margin(begin, inside);
    PLAIT_INDEPENDENT
    for (std::int64_t i = inside; i < behind; ++i) to[i] = source[i - line.head];
    margin(behind, end);
  }
};

}  // namespace detail

/// Pad: inputs X, [pads unless an argument], [value], [axes].
template <backend B>
class pad_kernel final : public op_kernel<B> {
 public:
  explicit pad_kernel(op_arguments const& a)
      : pads_(a.integers("pads")), axes_(a.integers("axes")), given_(a.has("pads")) {
    std::string const& mode = a.text("mode");
    if (mode == "reflect")
      s_.mode = padding_mode::reflect;
    else if (mode == "edge")
      s_.mode = padding_mode::edge;
    else if (mode == "wrap")
      s_.mode = padding_mode::wrap;
    else if (mode != "constant")
      a.fail("mode", "must be constant, reflect, edge or wrap");
    if (!given_ && a.input_count() < 2) a.fail("pads", "is missing, and there is no second input");
    if (given_ && a.input_count() > 3) a.fail("pads", "is given besides the input that lists the pads");
  }

  void infer(shape_context& c) override {
    std::size_t const value = given_ ? 1 : 2;
    if (!given_) {
      c.expect_rank(1, 1, 1);
      c.integers(1, pads_);
    }
    if (c.input_count() > value) {
      c.expect_same_type(0, value);
      c.expect(c.dims(value).size() == 1, value, "have one element");
    }
    if (c.input_count() > value + 1) {
      c.expect_rank(value + 1, 1, 1);
      c.integers(value + 1, axes_);
    }
    has_value_ = c.input_count() > value;
    shape made = c.dims(0);
    s_.rank = made.rank();
    s_.from = row_major(made);
    for (std::size_t axis = 0; axis != made.rank(); ++axis) s_.axes[axis] = {made[axis], 0, 0};
    std::size_t const count = axes_.empty() ? made.rank() : axes_.size();
    if (pads_.size() != 2 * count)
      c.fail(std::to_string(pads_.size()) + " pads are given for " + std::to_string(count) + " axes of " +
             to_string(c.input(0)));
    std::array<bool, shape::max_rank> seen = {};
    for (std::size_t k = 0; k != count; ++k) {
      std::size_t const axis = axes_.empty() ? k : c.axis(0, axes_[k]);
      if (seen[axis]) c.fail("axis " + std::to_string(axis) + " has pads twice");
      seen[axis] = true;
      detail::padded_axis& at = s_.axes[axis];
      at.head = pads_[k];
      at.tail = pads_[k + count];
      if (std::max({at.head, -at.head, at.tail, -at.tail}) > detail::largest_extent || at.in > detail::largest_extent)
        c.fail("a pad of axis " + std::to_string(axis) + " or its extent is very large");
      c.expect(at.out() >= 0, 0, "have as many places in axis ", axis, " as are cut off");
      if (s_.mode == padding_mode::reflect)
        c.expect((at.head <= 0 || at.head < at.in) && (at.tail <= 0 || at.tail < at.in), 0, "have more places in axis ",
                 axis, " than a reflected margin has");
      if (s_.mode == padding_mode::edge || s_.mode == padding_mode::wrap)
        c.expect(at.in > 0 || at.out() == 0, 0, "have places in axis ", axis, " to repeat");
      made.set(axis, at.out());
    }
    c.output(0, c.type(0), made);
  }

  void run(op_context<B>& c) override {
    if (c.output_size(0) == 0) return;
    visit_word(c.type(0), [&]<class T>(T) {
      auto* const y = static_cast<T*>(c.raw_output(0));
      auto const* const x = static_cast<T const*>(c.raw_input(0));
      if (s_.rank == 0) return B::copy(y, x, sizeof(T));
      auto const* const value = has_value_ ? static_cast<T const*>(c.raw_input(given_ ? 1 : 2)) : nullptr;
      auto const width = static_cast<std::size_t>(s_.axes[s_.rank - 1].out());
      for_each_row_part<B>(c.output_size(0) / width, width, 1, detail::padded_row<T>{x, y, value, s_});
    });
  }

 private:
  std::vector<std::int64_t> pads_;
  std::vector<std::int64_t> axes_;
  bool given_;
  bool has_value_ = false;
  detail::padded_tensor s_;
};

/// Pad: any element type.
template <backend B>
void add_pad_operators(operators<B>& table) {
  op_schema schema("Pad");
  schema.inputs(1, 4)
      .outputs(1)
      .checks_first()
      .argument("pads", std::vector<std::int64_t>(), "places before each axis, then after each; negative ones cut off")
      .argument("axes", std::vector<std::int64_t>(), "the axes that have pads; all if empty")
      .argument("mode", std::string("constant"), "what the margin holds: constant, reflect, edge or wrap")
      .without_caffe2_schema()
      .describe("Y = X with margins around it (inputs X, [pads unless an argument], [the constant], [axes])");
  for (std::size_t const i : {1U, 3U}) schema.shape_from(i);
  schema.shape_from_where([](op_arguments const& a) { return !a.has("pads"); });
  table.template add<pad_kernel>(std::move(schema));
}

}  // namespace plait

PLAIT_KERNELS_END
