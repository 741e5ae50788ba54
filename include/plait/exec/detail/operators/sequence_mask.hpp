// SequenceMask: masks elements past the end of a row, outside a window, or beside a diagonal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

enum class mask_mode : std::uint8_t { sequence, window, upper, lower, upper_diagonal, lower_diagonal };

/// Columns [first, last) of a row of the mask that keep their value. `I` is the type of lengths or centers.
template <class I>
struct kept_columns {
  mask_mode mode;
  I const* list;        ///< lengths or window centers
  std::int64_t radius;  ///< half-width of windows
  std::int64_t columns;

  struct range {
    std::int64_t first;
    std::int64_t last;
  };
  PLAIT_HOST_DEVICE range operator()(std::size_t row) const {
    auto const i = static_cast<std::int64_t>(row);
    switch (mode) {
      case mask_mode::sequence:
        return clamped(0, static_cast<std::int64_t>(list[row]));
      case mask_mode::window: {
        auto const center = static_cast<std::int64_t>(list[row]);
        // Far centers keep nothing; the test prevents overflow of the sums.
        if (center > columns + radius || center < -radius) return {0, 0};
        return clamped(center - radius, center + radius + 1);
      }
      case mask_mode::upper:
        return clamped(0, i + 1);
      case mask_mode::lower:
        return clamped(i, columns);
      case mask_mode::upper_diagonal:
        return clamped(0, i);
      case mask_mode::lower_diagonal:
        return clamped(i + 1, columns);
    }
    return {0, columns};
  }
  PLAIT_HOST_DEVICE range clamped(std::int64_t first, std::int64_t last) const {
    first = first < 0 ? 0 : first > columns ? columns : first;
    last = last > columns ? columns : last;
    return {first, last < first ? first : last};
  }
};

template <class T, class I>
struct masked_row {
  T* to;
  T const* from;
  kept_columns<I> kept;
  std::size_t period;   // rows of one mask
  std::size_t repeat;   // consecutive columns that a column of the mask covers
  std::size_t columns;  // of the tensor
  T filler;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    auto const range = kept(row % period);
    std::size_t const begin = within(static_cast<std::size_t>(range.first) * repeat, first, last);
    std::size_t const end = within(static_cast<std::size_t>(range.last) * repeat, first, last);
    T const* const in = from + row * columns;
    T* const out = to + row * columns;
    for (std::size_t i = first; i < begin; ++i) out[i] = filler;
    PLAIT_INDEPENDENT
    for (std::size_t i = begin; i < end; ++i) out[i] = in[i];
    for (std::size_t i = end; i < last; ++i) out[i] = filler;
  }
  PLAIT_HOST_DEVICE static std::size_t within(std::size_t at, std::size_t first, std::size_t last) {
    return at < first ? first : at > last ? last : at;
  }
};

}  // namespace detail

/// Views the tensor as rows × columns, split at `axis`. The mask has a row for each index of the axes between `batch`
/// and `axis`, and is repeated for all indices of the axes up to `batch`. With `repeat_from_axis` a column of the mask
/// covers all elements of the axes from there.
template <backend B>
struct sequence_mask_kernel : op_kernel<B> {
  explicit sequence_mask_kernel(op_arguments const& a)
      : axis_at(a.integer("axis")),
        batch_at(a.integer("batch")),
        repeat_at(a.integer("repeat_from_axis")),
        has_batch(a.has("batch")),
        has_repeat(a.has("repeat_from_axis")),
        radius(a.integer("radius")),
        filler(a.flag("grad") ? 0.0F : a.real("fill_val")),
        exact(a.flag("exact")) {
    static constexpr std::string_view names[] = {"sequence", "window", "upper", "lower", "upperdiag", "lowerdiag"};
    std::size_t found = 0;
    while (found != std::size(names) && names[found] != a.text("mode")) ++found;
    if (found == std::size(names))
      a.fail("mode", "must be sequence, window, upper, lower, upperdiag or lowerdiag, not '" + a.text("mode") + '\'');
    mode = static_cast<detail::mask_mode>(found);
    if (has_batch && has_repeat) a.fail("repeat_from_axis", "is given besides 'batch'");
    if (has_repeat && mode != detail::mask_mode::sequence) a.fail("repeat_from_axis", "needs the mode sequence");
    if (radius < 0 || radius > std::numeric_limits<std::int32_t>::max()) a.fail("radius", "is out of range");
    if (takes_list() && a.input_count() != 2)
      shape_context::fail("the mode " + a.text("mode") + " needs a second input");
  }

  void infer(shape_context& c) override {
    c.expect_type<float, double>(0);
    std::size_t const axis = c.axis(0, axis_at);
    shape const& dims = c.dims(0);
    std::size_t first_row_axis = 0;
    if (has_batch) {
      first_row_axis = c.axis(0, batch_at) + 1;
      c.expect(first_row_axis <= axis, 0, "have axis 'batch' before 'axis'");
    }
    period = static_cast<std::size_t>(dims.size(first_row_axis, axis));
    columns = static_cast<std::size_t>(dims.size_from(axis));
    rows = static_cast<std::size_t>(dims.size_to(axis));
    repeat = 1;
    if (has_repeat) {
      std::size_t const from = c.axis(0, repeat_at);
      c.expect(from >= axis, 0, "have axis 'repeat_from_axis' not before 'axis'");
      repeat = static_cast<std::size_t>(dims.size_from(from));
    }
    if (takes_list()) {
      c.expect_type<std::int32_t, std::int64_t>(1);
      auto const count = static_cast<std::size_t>(c.dims(1).size());
      c.expect(count >= period, 1, "have an element for each of ", period, " rows");
      c.expect(!exact || count == period, 1, "have no more than one element for each of ", period, " rows");
    }
    c.output(0, c.type(0), dims);
  }

  void run(op_context<B>& c) override {
    if (c.size(0) == 0) return;
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      if (takes_list())
        visit_type<std::int32_t, std::int64_t>(c.type(1), [&]<class I>(I) { mask<T, I>(c, c.template input<I>(1)); });
      else
        mask<T, std::int32_t>(c, nullptr);
    });
  }

  template <class T, class I>
  void mask(op_context<B>& c, I const* list) const {
    detail::kept_columns<I> const kept{mode, list, radius, static_cast<std::int64_t>(columns / repeat)};
    for_each_row_part<B>(rows, columns, 1,
                         detail::masked_row<T, I>{c.template output<T>(0), c.template input<T>(0), kept, period, repeat,
                                                  columns, static_cast<T>(filler)});
  }
  bool takes_list() const { return mode == detail::mask_mode::sequence || mode == detail::mask_mode::window; }

  detail::mask_mode mode = detail::mask_mode::sequence;
  std::int64_t axis_at;
  std::int64_t batch_at;
  std::int64_t repeat_at;
  bool has_batch;
  bool has_repeat;
  std::int64_t radius;
  float filler;
  bool exact;  // refuses a list that is longer than the rows
  std::size_t period = 1;
  std::size_t repeat = 1;
  std::size_t columns = 0;
  std::size_t rows = 0;
};

/// SequenceMask: float and double.
template <backend B>
void add_sequence_mask_operators(operators<B>& table) {
  table.template add<sequence_mask_kernel>(
      op_schema("SequenceMask")
          .inputs(1, 2)
          .outputs(1)
          .in_place(0, 0)
          .checks_first()
          .required_argument<std::string>(
              "mode",
              "sequence: columns from the row's length on are masked; window: those further "
              "than radius from the row's center; upper, lower: those above, below the "
              "diagonal; upperdiag, lowerdiag: and the diagonal")
          .argument("axis", std::int64_t{1}, "the first axis of the columns")
          .argument("batch", std::int64_t{0}, "the last axis that masks do not depend on; none if not given")
          .argument("repeat_from_axis", std::int64_t{0}, "the first axis whose places share the mask")
          .argument("radius", std::int64_t{10}, "of windows")
          .argument("grad", std::int64_t{0}, "masked elements become 0")
          .argument("fill_val", -std::numeric_limits<float>::infinity(), "what masked elements become")
          .argument("exact", std::int64_t{0}, "refuse lengths or centers of more rows than there are")
          .ignored_in_caffe2("exact")
          .no_doubles_in_caffe2()
          .describe("Y = X with some columns of each row masked; the second input has lengths or window centers"));
}

}  // namespace plait

PLAIT_KERNELS_END
