// Sparse optimisers, which update the listed rows of a parameter, and gradient clipping by norm.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/optimizers.hpp>
#include <plait/exec/detail/operators/sparse_optimizer_steps.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Input numbers of a sparse optimiser.
struct sparse_operands {
  std::size_t parameter;
  std::size_t indices;
  std::size_t gradient;
  std::size_t rate;  ///< npos: none
};

inline void expect_rows(shape_context& c, sparse_operands at) {
  c.template expect_type<float, double>(at.parameter);
  c.expect_rank(at.parameter, 1);
  c.template expect_type<std::int32_t, std::int64_t>(at.indices);
  c.expect_same_type(at.parameter, at.gradient);
  std::size_t const lead = c.dims(at.indices).rank();
  c.expect_rank(at.gradient, lead);
  c.expect(c.dims(at.gradient).size_to(lead) == c.dims(at.indices).size() &&
               c.dims(at.gradient).size_from(lead) == c.dims(at.parameter).size_from(1),
           at.gradient, "have a row of ", c.input(at.parameter), " for each index of ", c.input(at.indices));
  if (at.rate == npos) return;
  if (c.type(at.rate) != element_type::float32) c.expect_same_type(at.parameter, at.rate);
  c.expect(c.dims(at.rate).size() == 1, at.rate, "be one number");
}
inline void expect_like_parameter(shape_context& c, sparse_operands at, std::size_t i) {
  c.expect_same_type(at.parameter, i);
  c.expect(c.dims(i).size() == c.dims(at.parameter).size(), i, "have as many elements as input ", at.parameter, ", ",
           c.input(at.parameter));
}
inline void expect_one_a_row(shape_context& c, sparse_operands at, std::size_t i) {
  c.expect_same_type(at.parameter, i);
  c.expect(c.dims(i).size() == c.dims(at.parameter)[0], i, "have one element for each row of ", c.input(at.parameter));
}

// Runs the step that make(T(), width) returns for each index in turn. Throws, before anything is written, for an index
// that is not a row.
template <backend B, class Make>
void run_sparse_step(op_context<B>& c, sparse_operands at, Make make) {
  visit_type<float, double>(c.type(at.parameter), [&]<class T>(T) {
    visit_type<std::int32_t, std::int64_t>(c.type(at.indices), [&]<class I>(I) {
      I const* const indices = c.template input<I>(at.indices);
      std::size_t const count = c.size(at.indices);
      check_indices<B>(indices, count, c.dims(at.parameter)[0]);
      auto const width = static_cast<std::size_t>(c.dims(at.parameter).size_from(1));
      if (count == 0 || width == 0) return;
      auto const step = make(T(), width);
      using step_type = std::remove_const_t<decltype(step)>;
      // Every shard scans the whole list; few on the host, where the scan costs as much as a short row.
      std::size_t const most = B::on_device ? 1'024 : 16;
      std::size_t const shares = std::min(most, 1 + count * width / tile_size * 4);
      row_share<I, step_type> const share{step, indices, count, width, shares};
      if constexpr (B::on_device && !step_type::whole_rows)
        for_each_index<B>(shares * width, share_element<row_share<I, step_type>>{share});
      else if constexpr (B::on_device)
        for_each_index<B>(shares, share_task<row_share<I, step_type>>{share});
      else
        for_each_row<B>(shares, tile_size, share_task<row_share<I, step_type>>{share});
    });
  });
}

}  // namespace detail

/// For each i in turn, with row = indices[i] and g = gradient[i] + weight_decay parameter[row]: h[row] += g²;
/// parameter[row] += rate g / (sqrt(h[row]) + epsilon). With RowWise h has one number for each row, to which the mean
/// of the g² is added. Throws shape_error, before anything is written, for an index that is not a row.
template <backend B, bool RowWise>
struct sparse_adagrad_kernel final : op_kernel<B> {
  static constexpr detail::sparse_operands operands{.parameter = 0, .indices = 2, .gradient = 3, .rate = 4};
  float epsilon;
  float weight_decay;

  explicit sparse_adagrad_kernel(op_arguments const& a)
      : epsilon(a.real("epsilon")), weight_decay(a.real("weight_decay")) {}

  void infer(shape_context& c) override {
    detail::expect_rows(c, operands);
    if constexpr (RowWise)
      detail::expect_one_a_row(c, operands, 1);
    else
      detail::expect_like_parameter(c, operands, 1);
    detail::pass_on_types(c, 2);
  }
  void run(op_context<B>& c) override {
    detail::run_sparse_step(c, operands, [&]<class T>(T, std::size_t width) {
      using number = detail::number_at<B, T>;
      using step =
          std::conditional_t<RowWise, detail::row_wise_adagrad_step<T, number>, detail::sparse_adagrad_step<T, number>>;
      return step{c.template output<T>(0),      c.template output<T>(1), c.template input<T>(3),      width,
                  detail::read_number<T>(c, 4), static_cast<T>(epsilon), static_cast<T>(weight_decay)};
    });
  }
};

/// Adam for each i in turn, with row = indices[i] and g = gradient[i]: m[row] = beta1 m[row] + (1 - beta1) g;
/// v[row] = beta2 v[row] + (1 - beta2) g²; parameter[row] += rate sqrt(1 - beta2^t) / (1 - beta1^t) m[row] /
/// (sqrt(v[row]) + epsilon), with t = iteration + 1. With RowWise v has one number for each row, of the mean of the g².
template <backend B, bool RowWise>
struct sparse_adam_kernel final : op_kernel<B> {
  static constexpr detail::sparse_operands operands{.parameter = 0, .indices = 3, .gradient = 4, .rate = 5};
  float beta1;
  float beta2;
  float epsilon;

  explicit sparse_adam_kernel(op_arguments const& a)
      : beta1(a.real("beta1")), beta2(a.real("beta2")), epsilon(a.real("epsilon")) {}

  void infer(shape_context& c) override {
    detail::expect_rows(c, operands);
    detail::expect_like_parameter(c, operands, 1);
    if constexpr (RowWise)
      detail::expect_one_a_row(c, operands, 2);
    else
      detail::expect_like_parameter(c, operands, 2);
    c.template expect_type<std::int64_t>(6);
    c.expect(c.dims(6).size() == 1, 6, "be one number");
    detail::pass_on_types(c, 3);
    if (c.output_count() == 4) c.output(3, c.type(4), c.dims(4));
    c.scratch(sizeof(double));
  }
  void run(op_context<B>& c) override {
    auto* const correction = static_cast<double*>(c.scratch());
    detail::write_adam_correction<B>(correction, c.template input<std::int64_t>(6), beta1, beta2);
    detail::run_sparse_step(c, operands, [&]<class T>(T, std::size_t width) {
      return detail::sparse_adam_step<T, detail::number_at<B, T>, RowWise>{
          c.template output<T>(0),
          c.template output<T>(1),
          c.template output<T>(2),
          c.template input<T>(4),
          c.output_count() == 4 ? c.template output<T>(3) : nullptr,
          width,
          detail::read_number<T>(c, 5),
          detail::read_number<T, B>(correction, element_type::float64),
          static_cast<T>(beta1),
          static_cast<T>(beta2),
          static_cast<T>(epsilon)};
    });
  }
};

/// MomentumSGDUpdate for each i in turn, with row = indices[i] and g = gradient[i]: m' = momentum m[row] + rate g;
/// step[i] = m', with nesterov (1 + momentum) m' - momentum m[row]; m[row] = m'; parameter[row] -= step[i].
template <backend B>
struct sparse_momentum_kernel final : op_kernel<B> {
  static constexpr detail::sparse_operands operands{.parameter = 3, .indices = 4, .gradient = 0, .rate = 2};
  float momentum;
  bool nesterov;

  explicit sparse_momentum_kernel(op_arguments const& a) : momentum(a.real("momentum")), nesterov(a.flag("nesterov")) {}

  void infer(shape_context& c) override {
    detail::expect_rows(c, operands);
    detail::expect_like_parameter(c, operands, 1);
    detail::pass_on_types(c, 2);
    c.output(2, c.type(3), c.dims(3));
  }
  void run(op_context<B>& c) override {
    detail::run_sparse_step(c, operands, [&]<class T>(T, std::size_t width) {
      return detail::sparse_momentum_step<T, detail::number_at<B, T>>{c.template input<T>(0),
                                                                      c.template output<T>(1),
                                                                      c.template output<T>(0),
                                                                      c.template output<T>(2),
                                                                      width,
                                                                      detail::read_number<T>(c, 2),
                                                                      static_cast<T>(momentum),
                                                                      nesterov};
    });
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

namespace detail::caffe2 {

/// Restriction of SparseMomentumSGDUpdate.
inline shape_check sparse_momentum(op_arguments const& a) {
  expect_in_place(a, {1, 1});
  expect_in_place(a, {3, 2});
  return {};
}

}  // namespace detail::caffe2

/// SparseAdagrad, RowWiseSparseAdagrad, SparseAdam, RowWiseSparseAdam, SparseMomentumSGDUpdate, ClipTensorByScaling.
template <backend B>
void add_sparse_optimizer_operators(operators<B>& table) {
  auto const adagrad = [](std::string_view type, std::string_view text) {
    return op_schema(type)
        .inputs(5)
        .outputs(2)
        .updates(0, 0)
        .updates(1, 1)
        .checks_first()
        .argument("epsilon", 1e-5f, "keeps the divisor from zero")
        .argument("weight_decay", 0.0f, "times P, is added to the gradient")
        .in_caffe2(detail::caffe2::must_be_in_place<0, 1>)
        .ignored_in_caffe2("weight_decay")
        .no_doubles_in_caffe2()
        .describe(text);
  };
  table.template add<sparse_adagrad_kernel<B, false>>(
      adagrad("SparseAdagrad", "P: N×…, H: sum of squares, at rows indices: int, by gradient: indices×…, rate: 1"));
  table.template add<sparse_adagrad_kernel<B, true>>(
      adagrad("RowWiseSparseAdagrad",
              "P: N×…, H: N, sum of mean squares, at rows indices: int, by gradient: indices×…, rate: 1"));
  auto const adam = [](std::string_view type, std::string_view text) {
    return op_schema(type)
        .inputs(7)
        .outputs(3, 4)
        .updates(0, 0)
        .updates(1, 1)
        .updates(2, 2)
        .checks_first()
        .argument("beta1", 0.9f, "how much of the mean is kept")
        .argument("beta2", 0.999f, "how much of the mean square is kept")
        .argument("epsilon", 1e-5f, "keeps the divisor from zero")
        .in_caffe2(detail::caffe2::must_be_in_place<0, 1, 2>)
        .no_doubles_in_caffe2()
        .describe(text);
  };
  table.template add<sparse_adam_kernel<B, false>>(
      adam("SparseAdam",
           "P', M', V'[, direction] at rows of P: N×…, M: mean, V: mean square, indices: int, gradient: indices×…, "
           "rate: 1, iteration: int64 1"));
  table.template add<sparse_adam_kernel<B, true>>(
      adam("RowWiseSparseAdam",
           "P', M', V'[, direction] at rows of P: N×…, M: mean, V: N, mean square of a row, indices: int, gradient: "
           "indices×…, rate: 1, iteration: int64 1"));
  table.template add<sparse_momentum_kernel>(
      op_schema("SparseMomentumSGDUpdate")
          .inputs(5)
          .outputs(3)
          .in_place(0, 0)
          .updates(1, 1)
          .updates(3, 2)
          .checks_first()
          .argument("momentum", 0.0f, "how much of the step before is taken again")
          .argument("nesterov", std::int64_t{0}, "step as from where momentum alone would lead")
          .in_caffe2(detail::caffe2::sparse_momentum)
          .no_doubles_in_caffe2()
          .describe("step, M', P' = P - step at rows from gradient: indices×…, M: …, rate: 1, P: N×…, indices: int"));
  table.template add<clip_by_scaling_kernel>(
      op_schema("ClipTensorByScaling")
          .inputs(2, 3)
          .outputs(1)
          .in_place(0, 0)
          .checks_first()
          .template required_argument<float>("threshold", "the norm that may be, positive")
          .no_doubles_in_caffe2()
          .describe("Y = X · threshold / norm where norm > threshold from X: …, norm: 1[, factor of threshold: 1]"));
}

}  // namespace plait

PLAIT_KERNELS_END
