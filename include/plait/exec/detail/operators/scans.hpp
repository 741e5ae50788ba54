// CumSum and CumProd: scans (prefix sums and products) along an axis, in the order of its elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Task: scans `Width` columns of [outer, n, inner]; 1 on devices. Each element is read before its place is written.
template <class R, class T, std::size_t Width>
struct scanned_columns {
  T const* x;
  T* y;
  std::size_t n;
  std::size_t inner;
  std::size_t strips;
  bool exclusive;
  bool reverse;
  PLAIT_HOST_DEVICE void operator()(std::size_t task) const {
    std::size_t const first = task % strips * Width;
    std::size_t const columns = inner - first < Width ? inner - first : Width;
    std::size_t const start = task / strips * n * inner + first;
    T totals[Width];
    for (std::size_t c = 0; c < columns; ++c) totals[c] = R::template identity<T>();
    for (std::size_t step = 0; step < n; ++step) {
      std::size_t const at = start + (reverse ? n - 1 - step : step) * inner;
      for (std::size_t c = 0; c < columns; ++c) {
        T const before = totals[c];
        totals[c] = R::combine(before, x[at + c]);
        y[at + c] = exclusive ? before : totals[c];
      }
    }
  }
};

}  // namespace detail

/// CumSum and CumProd, by R.
template <backend B, class R>
class scan_kernel final : public op_kernel<B> {
 public:
  explicit scan_kernel(op_arguments const& a)
      : axis_(a.integer("axis")), exclusive_(a.flag("exclusive")), reverse_(a.flag("reverse")) {}

  void infer(shape_context& c) override {
    c.template expect_type<float, double, std::int32_t, std::int64_t>(0);
    std::size_t const axis = c.axis(0, c.input_count() == 2 ? c.only_integer(1) : axis_);
    shape const& dims = c.dims(0);
    outer_ = static_cast<std::size_t>(dims.size_to(axis));
    n_ = static_cast<std::size_t>(dims[axis]);
    inner_ = static_cast<std::size_t>(dims.size_from(axis + 1));
    c.output(0, c.type(0), dims);
  }
  void run(op_context<B>& c) override {
    if (c.size(0) == 0) return;
    constexpr std::size_t width = B::on_device ? 1 : 256;
    std::size_t const strips = (inner_ + width - 1) / width;
    visit_type<float, double, std::int32_t, std::int64_t>(c.type(0), [&]<class T>(T) {
      for_each_row<B>(outer_ * strips, n_ * std::min(width, inner_),
                      detail::scanned_columns<R, T, width>{c.template input<T>(0), c.template output<T>(0), n_, inner_,
                                                           strips, exclusive_, reverse_});
    });
  }

 private:
  std::int64_t axis_;
  bool exclusive_;
  bool reverse_;
  std::size_t outer_ = 1;
  std::size_t n_ = 0;
  std::size_t inner_ = 1;
};

/// CumSum, CumProd: float, double, int32 and int64.
template <backend B>
void add_scan_operators(operators<B>& table) {
  auto const scan = [](std::string_view type, std::string_view text) {
    return op_schema(type)
        .inputs(1, 2)
        .outputs(1)
        .in_place(0, 0)
        .shape_from(1)
        .checks_first()
        .argument("axis", std::int64_t{0}, "the axis, unless the second input says it; from the end if negative")
        .argument("exclusive", std::int64_t{0}, "whether an element is left out of its own result")
        .argument("reverse", std::int64_t{0}, "whether the elements after each one count, not those before it")
        .describe(text);
  };
  table.template add<scan_kernel<B, sum_reduction>>(
      scan("CumSum", "Y = the sum of each element of X and of those before it along the axis"));
  table.template add<scan_kernel<B, product_reduction>>(
      scan("CumProd", "Y = the product of each element of X and of those before it along the axis"));
}

}  // namespace plait

PLAIT_KERNELS_END
