// Row-wise dot products, distances and cosine similarities of two tensors.
//
// A row is X[i, ...]; in vectors each element is a row.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/kernels/thread_team.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Computes sums over i < n with the row's thread team (kernels/thread_team.hpp).
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline T dot_row(T const* a, T const* b, std::size_t n) {
  return reduce_team_row<sum_reduction, T>(n, [a, b](std::size_t i) { return a[i] * b[i]; });
}

struct squared_distance_of_rows {
  template <class T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE T operator()(T const* a, T const* b, std::size_t n) const {
    return T(0.5) * reduce_team_row<sum_reduction, T>(n, [a, b](std::size_t i) {
             T const d = a[i] - b[i];
             return d * d;
           });
  }
};
struct distance_of_rows {
  template <class T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE T operator()(T const* a, T const* b, std::size_t n) const {
    return reduce_team_row<sum_reduction, T>(n, [a, b](std::size_t i) { return magnitude_of()(a[i] - b[i]); });
  }
};
struct product_of_rows {
  template <class T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE T operator()(T const* a, T const* b, std::size_t n) const {
    return dot_row(a, b, n);
  }
};
struct cosine_of_rows {
  template <class T>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE T operator()(T const* a, T const* b, std::size_t n) const {
    T const least = T(1e-12);
    T const product = dot_row(a, b, n);
    T const aa = dot_row(a, a, n);
    T const bb = dot_row(b, b, n);
    // Multiplies the roots instead of the squares, which overflow first.
    return product / (std::sqrt(max_reduction::combine(aa, least)) * std::sqrt(max_reduction::combine(bb, least)));
  }
};

template <class Compare, class T>
struct compare_rows {
  T const* a;
  T const* b;
  T* y;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    y[row] = Compare()(a + row * width, b + row * width, width);
  }
};

// Dot product of rows, the shorter one padded or repeated to the length of the longer.
template <class T>
struct padded_product_rows {
  T const* longer;
  T const* shorter;
  T* y;
  std::size_t long_width;
  std::size_t short_width;
  T pad;
  bool repeat;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const a = longer + row * long_width;
    T const* const b = shorter + row * short_width;
    T sum = dot_row(a, b, short_width);
    if (repeat) {
      for (std::size_t first = short_width; first < long_width; first += short_width)
        sum += dot_row(a + first, b, short_width);
    } else if (long_width != short_width) {
      T const* const rest = a + short_width;
      sum +=
          pad * reduce_team_row<sum_reduction, T>(long_width - short_width, [rest](std::size_t i) { return rest[i]; });
    }
    y[row] = sum;
  }
};

/// Rows of inputs 0 and 1, equal in number and length.
struct row_pairs {
  std::size_t rows = 0;
  std::size_t width = 0;

  static row_pairs of(shape_context const& c) {
    c.expect_type<float, double>(0);
    c.expect_same_type(0, 1);
    c.expect_same_dims(0, 1);
    shape const& dims = c.dims(0);
    if (dims.rank() == 0) return {1, 1};
    return {static_cast<std::size_t>(dims[0]), static_cast<std::size_t>(dims.size_from(1))};
  }
  /// Returns the shape of the results, one per row, and of their gradient.
  shape results() const { return {static_cast<std::int64_t>(rows)}; }
};

/// Rows of inputs 0 and 1, equal in number but perhaps not in length.
struct padded_row_pairs {
  std::size_t rows = 0;
  std::size_t long_width = 0;
  std::size_t short_width = 0;
  std::size_t longer = 0;  ///< the input with the longer rows

  static padded_row_pairs of(shape_context const& c, bool repeat) {
    c.expect_type<float, double>(0);
    c.expect_same_type(0, 1);
    c.expect_rank(0, 1);
    shape const& a = c.dims(0);
    shape const& b = c.dims(1);
    c.expect(b.rank() == a.rank() && b[0] == a[0], 1, "have as many rows and axes as input 0, ", c.input(0));
    padded_row_pairs made{static_cast<std::size_t>(a[0]), static_cast<std::size_t>(a.size_from(1)),
                          static_cast<std::size_t>(b.size_from(1)), 0};
    if (made.short_width > made.long_width) {
      std::swap(made.short_width, made.long_width);
      made.longer = 1;
    }
    if (repeat)
      c.expect(made.short_width != 0 ? made.long_width % made.short_width == 0 : made.long_width == 0, made.shorter(),
               "fit a whole number of times into the other");
    return made;
  }
  std::size_t shorter() const { return 1 - longer; }
  shape results() const { return {static_cast<std::int64_t>(rows)}; }
};

}  // namespace detail

/// Kernel of SquaredL2Distance, L1Distance, DotProduct and CosineSimilarity.
template <backend B, class Compare>
class row_comparison_kernel final : public op_kernel<B> {
 public:
  explicit row_comparison_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    pairs_ = detail::row_pairs::of(c);
    c.output(0, c.type(0), pairs_.results());
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_team<B>(pairs_.rows, pairs_.width, 2 * pairs_.width,
                       detail::compare_rows<Compare, T>{c.template input<T>(0), c.template input<T>(1),
                                                        c.template output<T>(0), pairs_.width});
    });
  }

 private:
  detail::row_pairs pairs_;
};

template <backend B>
class padded_product_kernel final : public op_kernel<B> {
 public:
  explicit padded_product_kernel(op_arguments const& a) : pad_(a.real("pad_value")), repeat_(a.flag("replicate")) {}
  void infer(shape_context& c) override {
    pairs_ = detail::padded_row_pairs::of(c, repeat_);
    c.output(0, c.type(0), pairs_.results());
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_team<B>(
          pairs_.rows, pairs_.long_width, pairs_.long_width + pairs_.short_width,
          detail::padded_product_rows<T>{c.template input<T>(pairs_.longer), c.template input<T>(pairs_.shorter()),
                                         c.template output<T>(0), pairs_.long_width, pairs_.short_width,
                                         static_cast<T>(pad_), repeat_});
    });
  }

 private:
  float pad_;
  bool repeat_;
  detail::padded_row_pairs pairs_;
};

/// Adds SquaredL2Distance, L1Distance, DotProduct, CosineSimilarity, DotProductWithPadding.
template <backend B>
void add_distance_operators(operators<B>& table) {
  auto const schema = [](std::string_view type, std::string_view text) {
    return op_schema(type).inputs(2).outputs(1).rows_independent().checks_first().no_doubles_in_caffe2().describe(text);
  };
  table.template add<row_comparison_kernel<B, detail::squared_distance_of_rows>>(
      schema("SquaredL2Distance", "Z[i] = the sum of (X[i, ...] - Y[i, ...])^2 / 2"));
  table.template add<row_comparison_kernel<B, detail::distance_of_rows>>(
      schema("L1Distance", "Z[i] = the sum of |X[i, ...] - Y[i, ...]|"));
  table.template add<row_comparison_kernel<B, detail::product_of_rows>>(
      schema("DotProduct", "Z[i] = the sum of X[i, ...] * Y[i, ...]"));
  table.template add<row_comparison_kernel<B, detail::cosine_of_rows>>(
      schema("CosineSimilarity", "Z[i] = X[i, ...] . Y[i, ...] / (|X[i, ...]| |Y[i, ...]|), norms at least 1e-6"));
  table.template add<padded_product_kernel<B>>(
      schema("DotProductWithPadding", "Z[i] = X[i, ...] . Y[i, ...], the shorter padded or repeated")
          .argument("pad_value", 0.0f, "what the shorter row is padded with")
          .argument("replicate", std::int64_t{0}, "whether the shorter row is repeated instead"));
}

}  // namespace plait

PLAIT_KERNELS_END
