// Gradients of reductions: float and double.
//
// Every element that equals the extreme gets the whole gradient. The gradients of a magnitude of 0 and of a norm of 0
// are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/kernels/reduction_backward.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/reductions.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Computes the gradient of one of `count` reduced elements: dy times the partial derivative of y by x.
template <reduction_kind Kind, class T>
struct reduction_slope {
  static constexpr bool is_extreme = Kind == reduction_kind::max || Kind == reduction_kind::min;
  static constexpr bool reads_elements = is_extreme || Kind == reduction_kind::l1 || Kind == reduction_kind::l2;
  static constexpr bool reads_results = is_extreme || Kind == reduction_kind::l2;
  T count;
  PLAIT_HOST_DEVICE T operator()(T dy, T x, T y) const {
    if constexpr (Kind == reduction_kind::sum) return dy;
    if constexpr (Kind == reduction_kind::mean) return dy / count;
    if constexpr (is_extreme) return static_cast<bool>((x == y) | ((x != x) & (y != y))) ? dy : T(0);
    if constexpr (Kind == reduction_kind::l1) return x > T(0) ? dy : x < T(0) ? -dy : x;
    if constexpr (Kind == reduction_kind::l2) return y == T(0) ? T(0) : dy * (x / y);
  }
};

// Gradient of reduce_prefix: 0 outside the prefixes.
template <reduction_kind Kind, bool Front, class T, class I>
struct prefix_slopes {
  T const* dy;
  T const* x;
  T const* y;
  I const* lengths;
  T* dx;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i < last; ++i) {
      std::size_t const result = Front ? i : row;
      auto const length = static_cast<std::size_t>(lengths[result]);
      std::size_t const at = row * width + i;
      reduction_slope<Kind, T> const slope{static_cast<T>(length)};
      bool const counts = (Front ? row : i) < length;
      dx[at] = counts ? slope(dy[result], slope.reads_elements ? x[at] : T(0), slope.reads_results ? y[result] : T(0))
                      : T(0);
    }
  }
};

}  // namespace detail

/// Input numbers of the gradient of a reduction.
struct reduction_operands {
  std::size_t dy;
  std::size_t x;
  std::size_t y = npos;
};

/// Base of the gradients of reductions: derived classes choose the reduced axes by calling `reduction_backward` in
/// infer.
template <backend B, reduction_kind Kind>
class reduction_gradient_kernel : public op_kernel<B> {
 public:
  using slope = detail::reduction_slope<Kind, float>;

  explicit reduction_gradient_kernel(reduction_operands at) : at_(at) {}

  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(at_.x), [&]<class T>(T) {
      plait::reduction_backward<B>(layout_, c.template input<T>(at_.dy), elements<T>(c), results<T>(c),
                                   c.template output<T>(0), detail::reduction_slope<Kind, T>{static_cast<T>(count_)});
    });
  }

 protected:
  /// Infers dX. `out` is the shape of the reduction of input x; a dY or Y of a single element may have any shape.
  void reduction_backward(shape_context& c, axis_mask const& reduced, shape const& out) {
    c.template expect_type<float, double>(at_.x);
    expect(c, at_.dy, out);
    if (slope::reads_results) expect(c, at_.y, out);
    shape const& dims = c.dims(at_.x);
    layout_ = reduction_backward_layout(dims, reduced);
    count_ = 1;
    for (std::size_t axis = 0; axis != dims.rank(); ++axis)
      if (reduced[axis]) count_ *= dims[axis];
    c.output(0, c.type(at_.x), dims);
  }
  reduction_operands const& operands() const noexcept { return at_; }
  template <class T>
  T const* elements(op_context<B> const& c) const {
    return slope::reads_elements ? c.template input<T>(at_.x) : nullptr;
  }
  template <class T>
  T const* results(op_context<B> const& c) const {
    return slope::reads_results ? c.template input<T>(at_.y) : nullptr;
  }

 private:
  void expect(shape_context const& c, std::size_t i, shape const& out) const {
    c.expect_same_type(at_.x, i);
    c.expect(c.dims(i) == out || (out.size() == 1 && c.dims(i).size() == 1), i, "be ", out, ", as the reduction of ",
             c.dims(at_.x), " is");
  }

  reduction_operands at_;
  reduction_backward_layout layout_;
  std::int64_t count_ = 1;
};

/// Gradients of ReduceSum, -Mean, -Max, -Min, -L1, -L2: inputs dY, X, Y, [axes].
template <backend B, reduction_kind Kind>
class reduce_gradient_kernel final : public reduction_gradient_kernel<B, Kind> {
 public:
  explicit reduce_gradient_kernel(op_arguments const& a) : reduction_gradient_kernel<B, Kind>({0, 1, 2}), axes_(a, 3) {}
  void infer(shape_context& c) override {
    axis_mask const reduced = axes_.reduced(c, 1);
    this->reduction_backward(c, reduced, detail::shape_without(c.dims(1), reduced, axes_.keeps()));
  }

 private:
  detail::axes_to_reduce axes_;
};

/// Gradients of ReduceFront- and ReduceBackSum, -Mean, -Max: inputs dY, X, Y for -Max only, and optional lengths.
template <backend B, reduction_kind Kind, bool Front>
class reduce_end_gradient_kernel final : public reduction_gradient_kernel<B, Kind> {
  using base = reduction_gradient_kernel<B, Kind>;

 public:
  static constexpr std::size_t lengths = base::slope::reads_results ? 3 : 2;

  explicit reduce_end_gradient_kernel(op_arguments const& a) : base({0, 1, 2}), axes_(a, a.input_count() > lengths) {}
  void infer(shape_context& c) override {
    shape const out = axes_.infer(c, 1, lengths);
    this->reduction_backward(c, axes_.reduced, out);
  }
  void run(op_context<B>& c) override {
    if (!axes_.with_lengths) return base::run(c);
    axes_.check_lengths(c, lengths);
    visit_type<float, double>(c.type(1), [&]<class T>(T) {
      visit_type<std::int32_t, std::int64_t>(c.type(lengths), [&]<class I>(I) {
        for_each_row_part<B>(axes_.rows, axes_.columns, 1,
                             detail::prefix_slopes<Kind, Front, T, I>{
                                 c.template input<T>(0), this->template elements<T>(c), this->template results<T>(c),
                                 c.template input<I>(lengths), c.template output<T>(0), axes_.columns});
      });
    });
  }

 private:
  detail::end_axes<Front> axes_;
};

/// SumElementsGradient: inputs X and dY.
template <backend B>
class reduce_all_gradient_kernel final : public op_kernel<B> {
 public:
  explicit reduce_all_gradient_kernel(op_arguments const& a) : average_(a.flag("average")) {}
  void infer(shape_context& c) override {
    c.expect_type<float, double>(0);
    c.expect_same_type(0, 1);
    c.expect(c.dims(1).size() == 1, 1, "have one element, as the sum of all of X has");
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      reduction_backward_layout all;
      all.width = c.size(0);
      all.moves = false;
      // A sum is a mean with divisor 1.
      plait::reduction_backward<B>(
          all, c.template input<T>(1), static_cast<T const*>(nullptr), static_cast<T const*>(nullptr),
          c.template output<T>(0),
          detail::reduction_slope<reduction_kind::mean, T>{average_ ? static_cast<T>(c.size(0)) : T(1)});
    });
  }

 private:
  bool average_;
};

/// RowwiseMaxGradient, ColwiseMaxGradient: inputs X[b, i, j], Y and dY; Axis was reduced.
template <backend B, std::size_t Axis>
class reduce_some_gradient_kernel final : public reduction_gradient_kernel<B, reduction_kind::max> {
 public:
  explicit reduce_some_gradient_kernel(op_arguments const&)
      : reduction_gradient_kernel<B, reduction_kind::max>({2, 0, 1}) {}
  void infer(shape_context& c) override {
    c.expect_rank(0, 3, 3);
    axis_mask reduced = {};
    reduced[Axis] = true;
    this->reduction_backward(c, reduced, detail::shape_without(c.dims(0), reduced, false));
  }
};

/// Gradients of ReduceSum, -Mean, -Max, -Min, -L1, -L2, ReduceFront- and ReduceBackSum, -Mean, -Max, RowwiseMax,
/// ColwiseMax, SumElements.
template <backend B>
void add_reduction_gradient_operators(operators<B>& table) {
  using kind = reduction_kind;
  auto const axes = [](std::string_view type, std::size_t least, std::string_view what) {
    op_schema made(type);
    made.inputs(least, 4).outputs(1).in_place(0, 0).in_place(1, 0).shape_from(3).checks_first();
    return detail::describe_axes_to_reduce(made).describe("dX = dY" + std::string(what) +
                                                          " along the axes of a reduction (inputs dY, X, " +
                                                          (least == 2 ? "[Y]" : "Y") + ", [axes])");
  };
  table.template add<reduce_gradient_kernel<B, kind::sum>>(axes("ReduceSumGradient", 2, ""));
  table.template add<reduce_gradient_kernel<B, kind::mean>>(
      axes("ReduceMeanGradient", 2, " divided by the number of elements"));
  table.template add<reduce_gradient_kernel<B, kind::max>>(axes("ReduceMaxGradient", 3, " where X is Y, 0 elsewhere,"));
  table.template add<reduce_gradient_kernel<B, kind::min>>(axes("ReduceMinGradient", 3, " where X is Y, 0 elsewhere,"));
  table.template add<reduce_gradient_kernel<B, kind::l1>>(axes("ReduceL1Gradient", 2, " with the sign of X"));
  table.template add<reduce_gradient_kernel<B, kind::l2>>(axes("ReduceL2Gradient", 3, " X/Y, 0 where Y is,"));

  auto const end = [](std::string_view type, bool with_results, std::string_view what, bool front) {
    return op_schema(type)
        .inputs(with_results ? 3 : 2, with_results ? 4 : 3)
        .outputs(1)
        .in_place(0, 0)
        .in_place(1, 0)
        .argument("num_reduce_dim", std::int64_t{1}, "how many axes were reduced")
        .checks_first()
        .describe("dX = dY" + std::string(what) + " along the " + (front ? "first" : "last") + " axes (inputs dY, X, " +
                  (with_results ? "Y, " : "") + "[lengths])");
  };
  std::string_view const divided = " divided by the number of elements";
  std::string_view const chosen = " where X is Y, 0 elsewhere,";
  table.template add<reduce_end_gradient_kernel<B, kind::sum, true>>(end("ReduceFrontSumGradient", false, "", true));
  table.template add<reduce_end_gradient_kernel<B, kind::mean, true>>(
      end("ReduceFrontMeanGradient", false, divided, true));
  table.template add<reduce_end_gradient_kernel<B, kind::max, true>>(end("ReduceFrontMaxGradient", true, chosen, true));
  table.template add<reduce_end_gradient_kernel<B, kind::sum, false>>(end("ReduceBackSumGradient", false, "", false));
  table.template add<reduce_end_gradient_kernel<B, kind::mean, false>>(
      end("ReduceBackMeanGradient", false, divided, false));
  table.template add<reduce_end_gradient_kernel<B, kind::max, false>>(
      end("ReduceBackMaxGradient", true, chosen, false));

  auto const some = [](std::string_view type, std::string_view what) {
    return op_schema(type).inputs(3).outputs(1).in_place(0, 0).rows_independent().checks_first().describe(what);
  };
  table.template add<reduce_some_gradient_kernel<B, 1>>(
      some("ColwiseMaxGradient", "dX[b, i, j] = dY[b, j] where X[b, i, j] is Y[b, j], 0 elsewhere (inputs X, Y, dY)")
          .no_doubles_in_caffe2());
  table.template add<reduce_some_gradient_kernel<B, 2>>(
      some("RowwiseMaxGradient", "dX[b, i, j] = dY[b, i] where X[b, i, j] is Y[b, i], 0 elsewhere (inputs X, Y, dY)"));

  table.template add<reduce_all_gradient_kernel>(
      op_schema("SumElementsGradient")
          .inputs(2)
          .outputs(1)
          .in_place(0, 0)
          .in_place(1, 0)
          .argument("average", std::int64_t{0}, "whether to divide by the number of elements")
          .checks_first()
          .describe("dX = dY everywhere (inputs X, dY)"));
}

}  // namespace plait

PLAIT_KERNELS_END
