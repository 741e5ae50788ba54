// Gradients of row-wise dot products, distances and cosine similarities, from one gradient per row.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/operators/distances.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Gradients of a pair of elements from that of their rows' result. Both are read before either is written.

struct squared_distance_gradient {
  template <class T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static void set(T a, T b, T dz, T& da, T& db) {
    T const d = (a - b) * dz;
    da = d;
    db = -d;
  }
};
/// Zero where the elements are equal; propagates NaN.
struct distance_gradient {
  template <class T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static void set(T a, T b, T dz, T& da, T& db) {
    T const d = a - b;
    T const slope = d > T(0) ? dz : d < T(0) ? -dz : d;
    da = slope;
    db = -slope;
  }
};
struct dot_product_gradient {
  template <class T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE static void set(T a, T b, T dz, T& da, T& db) {
    da = b * dz;
    db = a * dz;
  }
};

template <class Gradient, class T>
struct row_pair_gradient {
  T const* a;
  T const* b;
  T const* dz;
  T* da;
  T* db;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T const* const x = a + row * width;
    T const* const y = b + row * width;
    T* const dx = da + row * width;
    T* const dy = db + row * width;
    T const by = dz[row];
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) {
      T const x_i = x[i];
      T const y_i = y[i];
      Gradient::set(x_i, y_i, by, dx[i], dy[i]);
    }
  }
};

// A norm at its lower bound is constant: the cosine is then a dot product divided by constants.
template <class T>
struct cosine_gradient_rows {
  T const* a;
  T const* b;
  T const* dz;
  T* da;
  T* db;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const x = a + row * width;
    T const* const y = b + row * width;
    T* const dx = da + row * width;
    T* const dy = db + row * width;
    T const least = T(1e-12);
    T const xy = dot_row(x, y, width);
    T const xx = dot_row(x, x, width);
    T const yy = dot_row(y, y, width);
    T const by =
        dz[row] / (std::sqrt(max_reduction::combine(xx, least)) * std::sqrt(max_reduction::combine(yy, least)));
    T const by_x = xx < least ? T(0) : by * (xy / xx);
    T const by_y = yy < least ? T(0) : by * (xy / yy);
    for_team_elements(width, [=](std::size_t i) {
      T const x_i = x[i];
      T const y_i = y[i];
      dx[i] = by * y_i - by_x * x_i;
      dy[i] = by * x_i - by_y * y_i;
    });
  }
};

template <class T>
struct padded_product_gradient_rows {
  T const* longer;
  T const* shorter;
  T const* dz;
  T* d_longer;
  T* d_shorter;
  std::size_t long_width;
  std::size_t short_width;
  T pad;
  bool repeat;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const a = longer + row * long_width;
    T const* const b = shorter + row * short_width;
    T* const da = d_longer + row * long_width;
    T* const db = d_shorter + row * short_width;
    T const by = dz[row];
    std::size_t const count = short_width;
    PLAIT_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
      da[i] = by * b[i];
      db[i] = by * a[i];
    }
    if (repeat) {
      for (std::size_t first = count; first < long_width; first += count) {
        T const* const more = a + first;
        T* const to = da + first;
        PLAIT_INDEPENDENT
        for (std::size_t i = 0; i < count; ++i) {
          to[i] = by * b[i];
          db[i] += by * more[i];
        }
      }
    } else {
      T const of_rest = by * pad;
      for (std::size_t i = count; i < long_width; ++i) da[i] = of_rest;
    }
  }
};

}  // namespace detail

/// Base of gradients of pairs of rows: operands A, B and the gradient of the rows' results.
template <backend B>
class row_pair_gradient_kernel : public op_kernel<B> {
 public:
  void infer(shape_context& c) final {
    pairs_ = detail::row_pairs::of(c);
    c.expect_same_type(0, 2);
    c.expect(c.dims(2) == pairs_.results(), 2, "have an element for each of ", pairs_.rows, " rows");
    for (std::size_t i = 0; i != 2; ++i) c.output(i, c.type(0), c.dims(0));
  }

 protected:
  detail::row_pairs const& pairs() const noexcept { return pairs_; }

 private:
  detail::row_pairs pairs_;
};

/// Gradients of SquaredL2Distance, L1Distance and DotProduct.
template <backend B, class Gradient>
class row_comparison_gradient_kernel final : public row_pair_gradient_kernel<B> {
 public:
  explicit row_comparison_gradient_kernel(op_arguments const&) {}
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      std::size_t const width = this->pairs().width;
      for_each_row_part<B>(
          this->pairs().rows, width, 2,
          detail::row_pair_gradient<Gradient, T>{c.template input<T>(0), c.template input<T>(1), c.template input<T>(2),
                                                 c.template output<T>(0), c.template output<T>(1), width});
    });
  }
};

template <backend B>
class cosine_gradient_kernel final : public row_pair_gradient_kernel<B> {
 public:
  explicit cosine_gradient_kernel(op_arguments const&) {}
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      std::size_t const width = this->pairs().width;
      for_each_team<B>(
          this->pairs().rows, width, 6 * width,
          detail::cosine_gradient_rows<T>{c.template input<T>(0), c.template input<T>(1), c.template input<T>(2),
                                          c.template output<T>(0), c.template output<T>(1), width});
    });
  }
};

template <backend B>
class padded_product_gradient_kernel final : public op_kernel<B> {
 public:
  explicit padded_product_gradient_kernel(op_arguments const& a)
      : pad_(a.real("pad_value")), repeat_(a.flag("replicate")) {}
  void infer(shape_context& c) override {
    pairs_ = detail::padded_row_pairs::of(c, repeat_);
    c.expect_same_type(0, 2);
    c.expect(c.dims(2) == pairs_.results(), 2, "have an element for each of ", pairs_.rows, " rows");
    for (std::size_t i = 0; i != 2; ++i) c.output(i, c.type(0), c.dims(i));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_row<B>(
          pairs_.rows, 2 * pairs_.long_width,
          detail::padded_product_gradient_rows<T>{
              c.template input<T>(pairs_.longer), c.template input<T>(pairs_.shorter()), c.template input<T>(2),
              c.template output<T>(pairs_.longer), c.template output<T>(pairs_.shorter()), pairs_.long_width,
              pairs_.short_width, static_cast<T>(pad_), repeat_});
    });
  }

 private:
  float pad_;
  bool repeat_;
  detail::padded_row_pairs pairs_;
};

/// Adds SquaredL2DistanceGradient, L1DistanceGradient, DotProductGradient, CosineSimilarityGradient,
/// DotProductWithPaddingGradient.
template <backend B>
void add_distance_gradient_operators(operators<B>& table) {
  auto const schema = [](std::string_view type, std::string_view text) {
    return op_schema(type).inputs(3).outputs(2).rows_independent().checks_first().describe(text);
  };
  auto const pairs = [&](std::string_view type, std::string_view text) {
    return schema(type, text).in_place(0, 0).in_place(1, 1);
  };
  table.template add<row_comparison_gradient_kernel<B, detail::squared_distance_gradient>>(
      pairs("SquaredL2DistanceGradient", "dX = dZ[i] (X[i, ...] - Y[i, ...]), dY = -dX; inputs X, Y, dZ")
          .no_doubles_in_caffe2());
  table.template add<row_comparison_gradient_kernel<B, detail::distance_gradient>>(
      pairs("L1DistanceGradient", "dX = dZ[i] sign(X[i, ...] - Y[i, ...]), dY = -dX; inputs X, Y, dZ"));
  table.template add<row_comparison_gradient_kernel<B, detail::dot_product_gradient>>(
      pairs("DotProductGradient", "dX = dZ[i] Y[i, ...], dY = dZ[i] X[i, ...]; inputs X, Y, dZ")
          .no_doubles_in_caffe2());
  table.template add<cosine_gradient_kernel<B>>(
      pairs("CosineSimilarityGradient",
            "dX = dZ[i] (Y / (|X| |Y|) - cos X / |X|^2) of rows i, dY likewise; inputs X, Y, dZ")
          .no_doubles_in_caffe2());
  table.template add<padded_product_gradient_kernel<B>>(
      schema("DotProductWithPaddingGradient",
             "dX = dZ[i] Y[i, ...], dY = dZ[i] X[i, ...], the shorter padded or repeated; inputs X, Y, dZ")
          .argument("pad_value", 0.0f, "what the shorter row was padded with")
          .argument("replicate", std::int64_t{0}, "whether the shorter row was repeated instead"));
}

}  // namespace plait

PLAIT_KERNELS_END
