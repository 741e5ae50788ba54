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

// Task: `Width` columns of a line.
template <class T, class I, std::size_t Width>
struct gathered_elements {
  T const* from;
  I const* list;
  T* to;
  element_lines lines;
  std::size_t strips;
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
        to[row + column] = from[data_at + (at < 0 ? at + lines.bound : at) * lines.data_step + column];
      }
    }
  }
};

// Task: `Width` columns of a line, whose updates are applied in ascending order.
template <class T, class I, std::size_t Width, class Combine>
struct scattered_elements {
  T* to;
  I const* list;
  T const* updates;
  element_lines lines;
  std::size_t strips;
  Combine combine;
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
        T& out = to[data_at + (at < 0 ? at + lines.bound : at) * lines.data_step + column];
        out = combine(out, updates[row + column]);
      }
    }
  }
};

/// Runs a task of gathered_elements or scattered_elements for all strips of all lines.
template <backend B, std::size_t Width, class Task>
void for_each_strip(element_lines const& lines, Task task) {
  if (lines.columns == 0 || lines.count == 0) return;
  task.strips = (lines.columns + Width - 1) / Width;
  for_each_row<B>(lines.lines * task.strips, lines.count * std::min(Width, lines.columns), task);
}

template <backend B>
inline constexpr std::size_t element_strip = B::on_device ? 1 : 256;

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
        constexpr std::size_t width = detail::element_strip<B>;
        detail::for_each_strip<B, width>(
            lines_, detail::gathered_elements<T, I, width>{static_cast<T const*>(c.raw_input(0)), list,
                                                           static_cast<T*>(c.raw_output(0)), lines_, 0});
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
    if (mode_ != scatter_mode::assign)
      c.template expect_type<float, double, std::int32_t, std::int64_t, std::uint8_t>(0);
    c.expect_same_type(0, 2);
    c.expect_same_dims(1, 2);
    lines_ = detail::element_lines(c, 1, axis_);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(1), [&]<class I>(I) {
      check_indices<B>(c.template input<I>(1), c.size(1), lines_.bound, -lines_.bound);
      if (mode_ == scatter_mode::assign)
        visit_word(c.type(0), [&]<class T>(T) { scatter<T, I>(c, detail::assign_update{}); });
      else
        visit_type<float, double, std::int32_t, std::int64_t, std::uint8_t>(
            c.type(0), [&]<class T>(T) { scatter<T, I>(c, detail::combine_update{mode_}); });
    });
  }

 private:
  template <class T, class I, class Combine>
  void scatter(op_context<B>& c, Combine combine) const {
    constexpr std::size_t width = detail::element_strip<B>;
    detail::for_each_strip<B, width>(lines_, detail::scattered_elements<T, I, width, Combine>{
                                                 static_cast<T*>(c.raw_output(0)), c.template input<I>(1),
                                                 static_cast<T const*>(c.raw_input(2)), lines_, 0, combine});
  }

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
  table.template add<scatter_elements_kernel>(
      op_schema("ScatterElements")
          .inputs(3)
          .outputs(1)
          .updates(0, 0)
          .checks_first()
          .argument("axis", std::int64_t{0}, "of X; counted from the end if negative")
          .argument("reduction", std::string("none"),
                    "how an update is combined with the element: none (the last update stays), add, mul, max or min")
          .describe(
              "Y = X, but Y[i, indices[i, j, …], …] is combined with updates[i, j, …], with the index in the place "
              "of the axis"));
}

}  // namespace plait

PLAIT_KERNELS_END
