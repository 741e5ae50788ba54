// GatherElements and ScatterElements: single elements selected along an axis by a tensor of indices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/kernels/element_lines.hpp>
#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/scatter_combine.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Task: `Width` columns of a line, in ascending order of its indices. Calls f(place of the index, place in the data).
template <class I, std::size_t Width, class F>
struct element_strips {
  I const* list;
  element_lines lines;
  std::size_t strips;
  F f;
  PLAIT_HOST_DEVICE void operator()(std::size_t task) const {
    std::int64_t data_at = 0;
    std::int64_t list_at = 0;
    lines.find(task / strips, data_at, list_at);
    std::size_t const first = task % strips * Width;
    std::size_t const last = lines.columns - first < Width ? lines.columns : first + Width;
    for (std::size_t i = 0; i < lines.count; ++i) {
      std::int64_t const row = list_at + static_cast<std::int64_t>(i) * lines.list_step;
      for (auto column = static_cast<std::int64_t>(first); column < static_cast<std::int64_t>(last); ++column) {
        auto const at = static_cast<std::int64_t>(list[row + column]);
        PLAIT_INLINE_CALL f(row + column, data_at + (at < 0 ? at + lines.bound : at) * lines.data_step + column);
      }
    }
  }
};

template <class T>
struct gather_element {
  T const* from;
  T* to;
  PLAIT_HOST_DEVICE void operator()(std::int64_t i, std::int64_t at) const { to[i] = from[at]; }
};
template <class T, class Combine>
struct scatter_element {
  T* to;
  T const* updates;
  Combine combine;
  PLAIT_HOST_DEVICE void operator()(std::int64_t i, std::int64_t at) const { to[at] = combine(to[at], updates[i]); }
};

/// Calls f(i, at) for each index i of a list and the place in the data that it selects. Updates of one place are in
/// order.
template <backend B, class I, class F>
void for_each_element(element_lines const& lines, I const* list, F const& f) {
  if (lines.columns == 0 || lines.count == 0) return;
  constexpr std::size_t width = B::on_device ? 1 : 256;
  std::size_t const strips = (lines.columns + width - 1) / width;
  for_each_row<B>(lines.lines * strips, lines.count * std::min(width, lines.columns),
                  element_strips<I, width, F>{list, lines, strips, f});
}

}  // namespace detail

/// GatherElements: Y has the shape of the indices; each index replaces the coordinate of its own place along the axis.
template <backend B>
class gather_elements_kernel final : public op_kernel<B> {
 public:
  explicit gather_elements_kernel(op_arguments const& a) : axis_(a.integer("axis")) {}

  void infer(shape_context& c) override {
    lines_ = detail::element_lines(c, 1, axis_);
    c.output(0, c.type(0), c.dims(1));
  }
  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(1), [&]<class I>(I) {
      I const* const list = c.template input<I>(1);
      check_indices<B>(list, c.size(1), lines_.bound, -lines_.bound);
      visit_word(c.type(0), [&]<class T>(T) {
        detail::for_each_element<B>(
            lines_, list,
            detail::gather_element<T>{static_cast<T const*>(c.raw_input(0)), static_cast<T*>(c.raw_output(0))});
      });
    });
  }

 private:
  std::int64_t axis_;
  detail::element_lines lines_;
};

/// ScatterElements: the inverse of GatherElements, in a copy of input 0. Input 2 has the shape of the indices.
template <backend B>
class scatter_elements_kernel final : public op_kernel<B> {
 public:
  explicit scatter_elements_kernel(op_arguments const& a)
      : axis_(a.integer("axis")), mode_(detail::read_scatter_mode(a)) {}

  void infer(shape_context& c) override {
    detail::expect_combinable(c, mode_);
    c.expect_same_type(0, 2);
    c.expect_same_dims(1, 2);
    lines_ = detail::element_lines(c, 1, axis_);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(1), [&]<class I>(I) {
      I const* const list = c.template input<I>(1);
      check_indices<B>(list, c.size(1), lines_.bound, -lines_.bound);
      detail::visit_combine(c.type(0), mode_, [&]<class T, class Combine>(T, Combine combine) {
        detail::for_each_element<B>(
            lines_, list,
            detail::scatter_element<T, Combine>{static_cast<T*>(c.raw_output(0)), static_cast<T const*>(c.raw_input(2)),
                                                combine});
      });
    });
  }

 private:
  std::int64_t axis_;
  scatter_mode mode_;
  detail::element_lines lines_;
};

/// GatherElements: any element type; ScatterElements: any without a reduction, else float, double, int32, int64 and
/// uint8. Negative indices count from the end.
template <backend B>
void add_gather_elements_operators(operators<B>& table) {
  table.template add<gather_elements_kernel>(
      op_schema("GatherElements")
          .inputs(2)
          .outputs(1)
          .checks_first()
          .argument("axis", std::int64_t{0}, "of X; counted from the end if negative")
          .describe(
              "Y[i, j, …] = X[i, indices[i, j, …], …] with the index in the place of the axis; Y has the shape of "
              "the indices, which are int32 or int64"));
  op_schema scatter("ScatterElements");
  scatter.inputs(3)
      .outputs(1)
      .updates(0, 0)
      .checks_first()
      .argument("axis", std::int64_t{0}, "of X; counted from the end if negative")
      .describe(
          "Y = X, but Y[i, indices[i, j, …], …] is combined with updates[i, j, …], with the index in the place of the "
          "axis");
  table.template add<scatter_elements_kernel>(detail::describe_scatter_mode(scatter));
}

}  // namespace plait

PLAIT_KERNELS_END
