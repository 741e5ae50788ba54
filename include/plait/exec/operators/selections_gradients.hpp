// The gradient of ElementwiseLinear.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <plait/exec/kernels/reduce.hpp>
#include <plait/exec/operators/selections.hpp>

namespace plait {

namespace detail {

// Width columns of some rows, in one way through memory: dX, and their parts of dw and db.
template <class T, std::size_t Width>
struct elementwise_linear_gradient_strip {
  T const* dy;
  T const* x;
  T const* w;
  T* dx;
  T* dw;  ///< a row for each chunk
  T* db;
  std::size_t rows;
  std::size_t width;
  std::size_t chunk_rows;
  std::size_t strips;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t task) const {
    std::size_t const chunk = task / strips;
    std::size_t const column = task % strips * Width;
    std::size_t const columns = width - column < Width ? width - column : Width;
    std::size_t const first = chunk * chunk_rows;
    std::size_t const last = rows - first < chunk_rows ? rows : first + chunk_rows;
    T const* const factors = w + column;
    T of_w[Width];
    T of_b[Width];
    for (std::size_t c = 0; c < columns; ++c) of_w[c] = of_b[c] = T(0);
    for (std::size_t r = first; r < last; ++r) {
      T const* const g = dy + r * width + column;
      T const* const from = x + r * width + column;
      T* const to = dx + r * width + column;
      PLAIT_INDEPENDENT
      for (std::size_t c = 0; c < columns; ++c) {
        T const gradient = g[c];
        of_w[c] += gradient * from[c];
        of_b[c] += gradient;
        to[c] = gradient * factors[c];
      }
    }
    T* const to_w = dw + chunk * width + column;
    T* const to_b = db + chunk * width + column;
    for (std::size_t c = 0; c < columns; ++c) {
      to_w[c] = of_w[c];
      to_b[c] = of_b[c];
    }
  }
};

}  // namespace detail

/// Operands dY, X, w; dX = dY w, dw and db the sums of dY X and dY over all rows.
template <backend B>
class elementwise_linear_gradient_kernel final : public op_kernel<B> {
 public:
  explicit elementwise_linear_gradient_kernel(op_arguments const& a) : axis_(a.integer("axis")) {}
  void infer(shape_context& c) override {
    std::int64_t const width = detail::linear_width(c, 1, axis_);
    detail::expect_linear_factors(c, 1, 2, width);
    c.expect_same_type(0, 1);
    c.expect_same_dims(0, 1);
    c.output(0, c.type(1), c.dims(1));
    for (std::size_t i = 1; i != 3; ++i) c.output(i, c.type(1), c.dims(2));
    width_ = static_cast<std::size_t>(width);
    rows_ = width_ == 0 ? 0 : static_cast<std::size_t>(c.dims(1).size()) / width_;
    chunks_ = detail::column_chunks(rows_, width_);
    if (chunks_ != 1) c.scratch(2 * chunks_ * width_ * size_of(c.type(1)));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(1), [&]<class T>(T) { run_as<T>(c); });
  }

 private:
  template <class T>
  void run_as(op_context<B>& c) {
    constexpr std::size_t strip = B::on_device ? 1 : 256;
    std::size_t const strips = (width_ + strip - 1) / strip;
    std::size_t const chunk_rows = detail::strip_rows(width_);
    T* const dw = c.template output<T>(1);
    T* const db = c.template output<T>(2);
    T* const part_w = chunks_ == 1 ? dw : static_cast<T*>(c.scratch());
    T* const part_b = chunks_ == 1 ? db : part_w + chunks_ * width_;
    for_each_row<B>(chunks_ * strips, 2 * std::min(rows_, chunk_rows) * std::min(width_, strip),
                    detail::elementwise_linear_gradient_strip<T, strip>{
                        c.template input<T>(0), c.template input<T>(1), c.template input<T>(2), c.template output<T>(0),
                        part_w, part_b, rows_, width_, chunk_rows, strips});
    if (chunks_ == 1) return;
    auto const sum = [&](T const* parts, T* to) {
      detail::launch_columns<B, sum_reduction>(parts, 1, chunks_, width_, chunks_, as_it_is{}, to);
    };
    sum(part_w, dw);
    sum(part_b, db);
  }

  std::int64_t axis_;
  std::size_t rows_ = 0;
  std::size_t width_ = 0;
  std::size_t chunks_ = 1;
};

/// ElementwiseLinearGradient: float and double.
template <backend B>
void add_selection_gradient_operators(operators<B>& table) {
  table.template add<elementwise_linear_gradient_kernel>(
      op_schema("ElementwiseLinearGradient")
          .inputs(3)
          .outputs(3)
          .in_place(0, 0)
          .in_place(1, 0)
          .checks_first()
          .argument("axis", std::int64_t{1}, "the first axis of a row of X")
          .describe("dX = dY w, dw and db = the sums of dY X and dY over the rows; inputs dY, X, w"));
}

}  // namespace plait
