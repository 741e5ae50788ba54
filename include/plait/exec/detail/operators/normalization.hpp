// Softmax, LayerNorm and Normalize: normalisation of rows to a sum, a mean and variance, or a norm.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/normalize.hpp>
#include <plait/exec/detail/kernels/softmax.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/batch_norm.hpp>
#include <plait/exec/detail/operators/group_norm.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {

/// Input 0 as a matrix, whose rows are indexed by the axes before a given one.
struct matrix_rows {
  std::size_t rows = 0;
  std::size_t width = 0;

  static matrix_rows of(shape_context const& c, std::int64_t axis) {
    std::size_t const first = c.axis(0, axis);
    c.expect_type<float, double>(0);
    return {static_cast<std::size_t>(c.dims(0).size_to(first)), static_cast<std::size_t>(c.dims(0).size_from(first))};
  }
};

/// The vectors of input 0 along an axis.
struct axis_vectors {
  std::size_t outer = 0;
  std::size_t n = 0;
  std::size_t inner = 0;

  static axis_vectors of(shape_context const& c, std::int64_t axis) {
    std::size_t const at = c.axis(0, axis);
    c.expect_type<float, double>(0);
    shape const& dims = c.dims(0);
    return {static_cast<std::size_t>(dims.size_to(at)), static_cast<std::size_t>(dims[at]),
            static_cast<std::size_t>(dims.size_from(at + 1))};
  }
};

/// Throws unless there are `more` inputs beyond `always`, as LayerNorm's elementwise_affine requires.
inline void expect_affine_inputs(shape_context const& c, std::size_t always, std::size_t more) {
  if (c.input_count() != always + more)
    c.fail("elementwise_affine is " + std::string(more == 0 ? "0" : "1") + ", with which there are " +
           std::to_string(always + more) + " inputs, not " + std::to_string(c.input_count()));
}
/// Throws unless inputs `first` to `last` have a number for each place of a row.
inline void expect_row_numbers(shape_context const& c, std::size_t first, std::size_t last, std::size_t width) {
  for (std::size_t i = first; i <= last; ++i) {
    c.expect_same_type(0, i);
    c.expect(static_cast<std::size_t>(c.dims(i).size()) == width, i, "have a number for each of the ", width,
             " places of a row, as ", c.input_text(0));
  }
}

/// Returns the shape of LayerNorm's means and deviations.
inline shape moments_of(shape_context const& c, std::int64_t axis) {
  shape made;
  for (std::size_t i = 0; i != c.axis(0, axis); ++i) made.push_back(c.dims(0)[i]);
  made.push_back(1);
  return made;
}

}  // namespace detail

/// Kernel of Softmax and LogSoftmax of X as a matrix, whose rows are indexed by the axes before `axis`.
template <backend B, bool Log>
class softmax_kernel final : public op_kernel<B> {
 public:
  explicit softmax_kernel(op_arguments const& a) : axis_(a.integer("axis")) {}
  void infer(shape_context& c) override {
    x_ = detail::matrix_rows::of(c, axis_);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      if constexpr (Log)
        log_softmax<B>(c.template input<T>(0), c.template output<T>(0), x_.rows, x_.width);
      else
        softmax<B>(c.template input<T>(0), c.template output<T>(0), x_.rows, x_.width);
    });
  }

 private:
  std::int64_t axis_;
  detail::matrix_rows x_;
};

template <backend B>
class layer_norm_kernel final : public op_kernel<B> {
 public:
  explicit layer_norm_kernel(op_arguments const& a)
      : axis_(a.integer("axis")),
        epsilon_(a.real("epsilon")),
        // Caffe2 has three outputs, and ignores further inputs without elementwise_affine. Systems that derive from it
        // have one output, and scale if there are inputs for it.
        affine_(a.flag("elementwise_affine") ||
                (a.output_count() == 1 && a.input_count() == 3 && !a.has("elementwise_affine"))) {}
  void infer(shape_context& c) override {
    detail::expect_affine_inputs(c, 1, affine_ ? 2 : 0);
    x_ = detail::matrix_rows::of(c, axis_);
    if (affine_) detail::expect_row_numbers(c, 1, 2, x_.width);
    shape const moments = detail::moments_of(c, axis_);
    c.output(0, c.type(0), c.dims(0));
    for (std::size_t o = 1; o != c.output_count(); ++o) c.output(o, c.type(0), moments);
  }
  void run(op_context<B>& c) override { run_as(c, x_.rows); }

  void patterns(op_context<B> const& c, std::vector<op_pattern<B>>& to) const override {
    shape const& x = c.dims(0);
    if (x.rank() < 2 || x_.width == 0 || static_cast<std::int64_t>(x_.width) != x[x.rank() - 1]) return;
    to.push_back({.kind = pattern_kind::rows, .work = 4 * c.size(0), .whole_inputs = affine_ ? 0b110U : 0U});
  }
  void run_part(op_context<B>& c, op_part const&) override { run_as(c, c.size(0) / x_.width); }

 private:
  void run_as(op_context<B>& c, std::size_t rows) const {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const scale = affine_ ? c.template input<T>(1) : nullptr;
      T const* const bias = affine_ ? c.template input<T>(2) : nullptr;
      auto const moments = [&](std::size_t o) { return c.output_count() > o ? c.template output<T>(o) : nullptr; };
      layer_norm<B>(c.template input<T>(0), scale, bias, c.template output<T>(0), moments(1), moments(2), rows,
                    x_.width, static_cast<T>(epsilon_));
    });
  }

  std::int64_t axis_;
  float epsilon_;
  bool affine_;
  detail::matrix_rows x_;
};

/// Kernel of Normalize and NormalizeL1.
template <backend B, bool Magnitudes>
class normalize_kernel final : public op_kernel<B> {
 public:
  explicit normalize_kernel(op_arguments const& a) : axis_(a.integer("axis")) {}
  void infer(shape_context& c) override {
    x_ = detail::axis_vectors::of(c, axis_);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      normalize<B, Magnitudes>(c.template input<T>(0), c.template output<T>(0), x_.outer, x_.n, x_.inner);
    });
  }

 private:
  std::int64_t axis_;
  detail::axis_vectors x_;
};

namespace detail::caffe2 {

/// Checks Caffe2's restrictions of LayerNorm.
inline shape_check layer_norm(op_arguments const& a) {
  inputs_up_to<1>(a);
  outputs<3>(a);
  return least_rank_of_first<2>(a);
}

}  // namespace detail::caffe2

/// Adds Softmax, LogSoftmax, LayerNorm, Normalize, NormalizeL1, SpatialBN, GroupNorm.
template <backend B>
void add_normalization_operators(operators<B>& table) {
  auto const rows = [](std::string_view type) {
    return op_schema(type)
        .inputs(1)
        .outputs(1)
        .in_place(0, 0)
        .rows_independent(&rows_before_axis)
        .argument("axis", std::int64_t{1}, "the first axis of a row; those before it make the rows")
        .checks_first();
  };
  table.template add<softmax_kernel<B, false>>(rows("Softmax").no_doubles_in_caffe2().describe(
      "Y[r, :] = exp(X[r, :]) / sum(exp(X[r, :])), X taken for a matrix"));
  table.template add<softmax_kernel<B, true>>(
      rows("LogSoftmax")
          .without_caffe2_schema()
          .describe("Y[r, :] = X[r, :] - log(sum(exp(X[r, :]))), X taken for a matrix"));
  table.template add<layer_norm_kernel<B>>(
      rows("LayerNorm")
          .inputs(1, 3)
          .outputs(1, 3)
          .argument("epsilon", 1e-5f, "added to the variance")
          .argument(
              "elementwise_affine", std::int64_t{0},
              "1, also the default for three inputs and one output: inputs X, scale, bias, these as long as a row")
          .in_caffe2(detail::caffe2::layer_norm)
          .ignored_in_caffe2("elementwise_affine")
          .no_doubles_in_caffe2()
          .describe(
              "Y[r, :] = (X[r, :] - mean[r]) / stdev[r], stdev = sqrt(variance + epsilon)[, mean, stdev [.., 1]]; "
              "then Y = Y * scale + bias"));

  auto const vectors = [](std::string_view type) {
    return op_schema(type)
        .inputs(1)
        .outputs(1)
        .in_place(0, 0)
        .rows_independent(&rows_before_axis)
        .argument("axis", std::int64_t{-1}, "the axis along which vectors lie")
        .checks_first();
  };
  table.template add<normalize_kernel<B, false>>(
      vectors("Normalize")
          .no_doubles_in_caffe2()
          .describe("Y = X / max(|X|, 1e-12), |X| the Euclidean norms along the axis"));
  table.template add<normalize_kernel<B, true>>(
      vectors("NormalizeL1")
          .no_doubles_in_caffe2()
          .describe("Y = X / |X|, |X| the sums of magnitudes along the axis; X where they are 0"));

  add_batch_norm_operator(table);
  add_group_norm_operator(table);
}

}  // namespace plait
