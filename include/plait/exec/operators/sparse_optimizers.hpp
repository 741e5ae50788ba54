// Steps of gradient descent for a few rows of a parameter, and the scaling down of gradients that are too long.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/kernels/index_checks.hpp>
#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/op_schema.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/operators/optimizers.hpp>

namespace plait {

namespace detail {

/// Adagrad's step for the rows of one share: those whose number leaves the remainder `share`. A row that is listed
/// several times takes its steps in the order of the list, however many shares there are.
template <class T, class I, class Number>
struct sparse_adagrad_share {
  T* parameter;
  T* squares;
  I const* indices;
  T const* gradient;
  std::size_t count;
  std::size_t width;
  std::size_t shares;
  Number rate;
  T epsilon;
  T weight_decay;

  PLAIT_HOST_DEVICE void operator()(std::size_t share, std::size_t first, std::size_t last) const {
    T const eps = epsilon;
    T const decay = weight_decay;
    T const r = rate();
    for (std::size_t i = 0; i != count; ++i) {
      auto const row = static_cast<std::size_t>(indices[i]);
      if (row % shares != share) continue;
      T* const p = parameter + row * width;
      T* const h = squares + row * width;
      T const* const g = gradient + i * width;
      PLAIT_INDEPENDENT
      for (std::size_t d = first; d < last; ++d) {
        T const own = decayed_gradient(g[d], p[d], decay);
        T const sum = h[d] + own * own;
        h[d] = sum;
        p[d] += r * own / (std::sqrt(sum) + eps);
      }
    }
  }
};

// What one thread does: all columns of a share on the host, one on devices.
template <class F>
struct share_task {
  F f;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { f(i, 0, f.width); }
};
template <class F>
struct share_element {
  F f;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    std::size_t const column = i % f.width;
    f(i / f.width, column, column + 1);
  }
};

template <class T, class Number>
struct scale_down {
  T const* x;
  T* y;
  Number factor;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { y[i] = factor() * x[i]; }
};

}  // namespace detail

/// For each i in turn, with row = indices[i] and g = gradient[i] + weight_decay parameter[row]: h[row] += g²;
/// parameter[row] += rate g / (sqrt(h[row]) + epsilon). Throws shape_error, before anything is written, for an index
/// that is not a row.
template <backend B>
struct sparse_adagrad_kernel final : op_kernel<B> {
  float epsilon;
  float weight_decay;

  explicit sparse_adagrad_kernel(op_arguments const& a)
      : epsilon(a.real("epsilon")), weight_decay(a.real("weight_decay")) {}

  void infer(shape_context& c) override {
    detail::expect_like_first(c, {1});
    c.expect_rank(0, 1);
    c.template expect_type<std::int32_t, std::int64_t>(2);
    c.expect_same_type(0, 3);
    std::size_t const lead = c.dims(2).rank();
    c.expect_rank(3, lead);
    c.expect(c.dims(3).size_to(lead) == c.dims(2).size() && c.dims(3).size_from(lead) == c.dims(0).size_from(1), 3,
             "have a row of ", c.input(0), " for each index of ", c.input(2));
    detail::expect_number(c, 4);
    detail::pass_on_types(c, 2);
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      visit_type<std::int32_t, std::int64_t>(c.type(2), [&]<class I>(I) { run_as<T, I>(c); });
    });
  }

  template <class T, class I>
  void run_as(op_context<B>& c) {
    I const* const indices = c.template input<I>(2);
    std::size_t const count = c.size(2);
    check_indices<B>(indices, count, c.dims(0)[0]);
    auto const width = static_cast<std::size_t>(c.dims(0).size_from(1));
    if (count == 0 || width == 0) return;
    // Every share looks through the whole list; few on the host, where reading it costs as much as a short row.
    std::size_t const most = B::on_device ? 1'024 : 16;
    std::size_t const shares = std::min(most, 1 + count * width / tile_size * 4);
    detail::sparse_adagrad_share<T, I, detail::number_at<B, T>> const share{c.template output<T>(0),
                                                                            c.template output<T>(1),
                                                                            indices,
                                                                            c.template input<T>(3),
                                                                            count,
                                                                            width,
                                                                            shares,
                                                                            detail::read_number<T>(c, 4),
                                                                            static_cast<T>(epsilon),
                                                                            static_cast<T>(weight_decay)};
    if constexpr (B::on_device)
      for_each_index<B>(shares * width, detail::share_element<std::decay_t<decltype(share)>>{share});
    else
      for_each_row<B>(shares, tile_size, detail::share_task<std::decay_t<decltype(share)>>{share});
  }
};

/// Y = X threshold / norm where norm > threshold, else X; an additional threshold multiplies the threshold.
template <backend B>
struct clip_by_scaling_kernel final : op_kernel<B> {
  float threshold;

  explicit clip_by_scaling_kernel(op_arguments const& a) : threshold(a.real("threshold")) {
    if (!(threshold > 0)) a.fail("threshold", "must be positive");
  }

  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    detail::expect_number(c, 1);
    if (c.input_count() == 3) detail::expect_number(c, 2);
    c.output(0, c.type(0), c.dims(0));
    c.scratch(sizeof(double));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) { run_as<T>(c); });
  }

  template <class T>
  void run_as(op_context<B>& c) {
    auto const norm = detail::read_number<T>(c, 1);
    auto const additional = detail::read_number<T>(c, c.input_count() - 1);
    auto* const factor = static_cast<double*>(c.scratch());
    T const own = static_cast<T>(threshold);
    bool const both = c.input_count() == 3;
    for_each_index<B>(1, [=] PLAIT_HOST_DEVICE(std::size_t) {
      T const most = both ? own * additional() : own;
      T const found = norm() > most ? most / norm() : T(1);
      *factor = static_cast<double>(found);
    });
    for_each_index<B>(c.size(0), detail::scale_down<T, detail::number_at<B, T>>{
                                     c.template input<T>(0), c.template output<T>(0),
                                     detail::read_number<T, B>(factor, element_type::float64)});
  }
};

/// SparseAdagrad, ClipTensorByScaling.
template <backend B>
void add_sparse_optimizer_operators(operators<B>& table) {
  table.template add<sparse_adagrad_kernel>(
      op_schema("SparseAdagrad")
          .inputs(5)
          .outputs(2)
          .updates(0, 0)
          .updates(1, 1)
          .checks_first()
          .argument("epsilon", 1e-5f, "keeps the divisor from zero")
          .argument("weight_decay", 0.0f, "times P, is added to the gradient")
          .describe("P: N×…, H: sum of squares, at rows indices: int, by gradient: indices×…, rate: 1"));
  table.template add<clip_by_scaling_kernel>(
      op_schema("ClipTensorByScaling")
          .inputs(2, 3)
          .outputs(1)
          .in_place(0, 0)
          .checks_first()
          .template required_argument<float>("threshold", "the norm that may be, positive")
          .describe("Y = X · threshold / norm where norm > threshold from X: …, norm: 1[, factor of threshold: 1]"));
}

}  // namespace plait
