// Ftrl and SparseFtrl: the optimiser FTRL-Proximal.
//
// After H. B. McMahan et al., "Ad click prediction: a view from the trenches", KDD 2013.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/optimizer_steps.hpp>
#include <plait/exec/detail/operators/sparse_optimizers.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Arguments of Ftrl.
struct ftrl_arguments {
  ftrl_arguments(op_arguments const& a, std::size_t alpha_input)
      : alpha(a.real("alpha")),
        beta(a.real("beta")),
        lambda1(a.real("lambda1")),
        lambda2(a.real("lambda2")),
        alpha_at(a.input_count() > alpha_input ? alpha_input : npos) {
    if (alpha_at != npos && a.has("alpha")) a.fail("alpha", "is given beside an input for it");
  }
  float alpha;
  float beta;
  float lambda1;
  float lambda2;
  std::size_t alpha_at;  ///< the input that alpha is; npos: an argument
};

/// Step of one element: n' = n + g², z' = z + g - w (√n' - √n) / alpha; w' = 0 where |z'| ≤ lambda1, else
/// (±lambda1 - z') / ((beta + √n') / alpha + lambda2).
template <class T, class Number>
struct ftrl_step {
  Number given;  ///< alpha, if it is an input
  T alpha;
  T beta;
  T lambda1;
  T lambda2;
  bool is_given;

  template <backend B>
  static ftrl_step of(op_context<B> const& c, ftrl_arguments const& a) {
    bool const is_given = a.alpha_at != npos;
    return {is_given ? read_number<T>(c, a.alpha_at) : Number{},
            static_cast<T>(a.alpha),
            static_cast<T>(a.beta),
            static_cast<T>(a.lambda1),
            static_cast<T>(a.lambda2),
            is_given};
  }
  /// `nz` and `to_nz` are the addresses of n and z.
  PLAIT_HOST_DEVICE void operator()(T w, T const* nz, T g, T& to_w, T* to_nz) const {
    T const inverse = T(1) / (is_given ? given() : alpha);
    T const n = nz[0] + g * g;
    T const root = std::sqrt(n);
    T const z = nz[1] + g - (root - std::sqrt(nz[0])) * inverse * w;
    to_nz[0] = n;
    to_nz[1] = z;
    T const bound = z > T(0) ? lambda1 : -lambda1;
    to_w = (z > T(0) ? z : -z) > lambda1 ? (bound - z) / ((beta + root) * inverse + lambda2) : T(0);
  }
};

template <class T, class Number>
struct dense_ftrl_step {
  ftrl_step<T, Number> step;
  T const* parameter_before;
  T const* moments_before;
  T const* gradient;
  T* parameter;
  T* moments;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    step(parameter_before[i], moments_before + 2 * i, gradient[i], parameter[i], moments + 2 * i);
  }
};

template <class T, class Number>
struct sparse_ftrl_step {
  static constexpr bool whole_rows = false;
  ftrl_step<T, Number> step;
  T* parameter;
  T* moments;
  T const* gradient;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t i, std::size_t first, std::size_t last) const {
    for (std::size_t d = first; d < last; ++d) {
      std::size_t const at = row * width + d;
      step(parameter[at], moments + 2 * at, gradient[i * width + d], parameter[at], moments + 2 * at);
    }
  }
};

/// Throws unless input 1 has two numbers for each element of input 0.
inline void expect_ftrl_moments(shape_context const& c) {
  c.expect_same_type(0, 1);
  c.expect(c.dims(1).size() == 2 * c.dims(0).size(), 1, "have two elements for each of ", c.input_text(0));
}

}  // namespace detail

template <backend B>
class ftrl_kernel final : public op_kernel<B> {
 public:
  explicit ftrl_kernel(op_arguments const& a) : arguments_(a, 3) {}
  void infer(shape_context& c) override {
    detail::expect_like_first(c, {2});
    detail::expect_ftrl_moments(c);
    if (arguments_.alpha_at != npos) detail::expect_number(c, arguments_.alpha_at);
    detail::pass_on_types(c, 2);
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      using number = detail::number_at<B, T>;
      for_each_index<B>(c.size(0), detail::dense_ftrl_step<T, number>{detail::ftrl_step<T, number>::of(c, arguments_),
                                                                      c.template input<T>(0), c.template input<T>(1),
                                                                      c.template input<T>(2), c.template output<T>(0),
                                                                      c.template output<T>(1)});
    });
  }

 private:
  detail::ftrl_arguments arguments_;
};

/// Ftrl for each i in turn, with the row indices[i] of the parameter and row i of the gradient. Throws shape_error,
/// before anything is written, for an index that is not a row.
template <backend B>
class sparse_ftrl_kernel final : public op_kernel<B> {
 public:
  explicit sparse_ftrl_kernel(op_arguments const& a) : arguments_(a, 4) {}
  void infer(shape_context& c) override {
    detail::expect_rows(c, operands());
    detail::expect_ftrl_moments(c);
    detail::pass_on_types(c, 2);
  }
  void run(op_context<B>& c) override {
    detail::run_sparse_step(c, operands(), [&]<class T>(T, std::size_t width) {
      using number = detail::number_at<B, T>;
      return detail::sparse_ftrl_step<T, number>{detail::ftrl_step<T, number>::of(c, arguments_),
                                                 c.template output<T>(0), c.template output<T>(1),
                                                 c.template input<T>(3), width};
    });
  }

 private:
  detail::sparse_operands operands() const {
    return {.parameter = 0, .indices = 2, .gradient = 3, .rate = arguments_.alpha_at};
  }

  detail::ftrl_arguments arguments_;
};

/// Adds Ftrl, SparseFtrl: float and double.
template <backend B>
void add_ftrl_operators(operators<B>& table) {
  auto const schema = [](std::string_view type, std::size_t inputs) {
    return op_schema(type)
        .inputs(inputs, inputs + 1)
        .outputs(2)
        .checks_first()
        .argument("alpha", 0.005f, "learning rate, unless it is an input")
        .argument("beta", 1.0f, "added to the roots of n")
        .argument("lambda1", 0.001f, "factor of the L1 penalty")
        .argument("lambda2", 0.001f, "factor of the L2 penalty")
        .no_doubles_in_caffe2();
  };
  table.template add<ftrl_kernel>(schema("Ftrl", 3).in_place(0, 0).in_place(1, 1).describe(
      "P', M' from P: …, M: …×2, n and z, gradient: …[, alpha: 1]"));
  table.template add<sparse_ftrl_kernel>(
      schema("SparseFtrl", 4)
          .updates(0, 0)
          .updates(1, 1)
          .in_caffe2(detail::caffe2::must_be_in_place<0, 1>)
          .describe("P', M' at rows of P: N×…, M: N×…×2, n and z, indices: int, gradient: indices×…[, alpha: 1]"));
}

}  // namespace plait

PLAIT_KERNELS_END
