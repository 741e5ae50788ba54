// Reductions along axes: sums, means, norms and extremes.
//
// The order of additions depends on the shape only (kernels/reduce.hpp). Extremes propagate NaN.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/reduce_axes.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

enum class reduction_kind : unsigned char { sum, mean, max, min, l1, l2, sum_of_squares, mean_of_squares };

namespace detail {

// Divides a sum; integers are rounded towards zero.
template <class T>
PLAIT_HOST_DEVICE constexpr T mean_of(T sum, std::size_t count) {
  if constexpr (std::floating_point<T>)
    return sum / static_cast<T>(count);
  else
    return static_cast<T>(static_cast<std::int64_t>(sum) / static_cast<std::int64_t>(count));
}

template <class T>
struct divide_results {
  T* y;
  std::size_t divisor;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { y[i] = mean_of(y[i], divisor); }
};
template <class T>
struct root_of_results {
  T* y;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { y[i] = std::sqrt(y[i]); }
};

// Reduces a prefix of each row, or column.
template <class R, class T>
struct reduce_prefix {
  T const* x;
  void const* lengths;
  T* y;
  std::size_t from_one_to_next;
  std::size_t step;
  bool wide_lengths;
  bool mean;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    auto const n = static_cast<std::size_t>(wide_lengths ? static_cast<std::int64_t const*>(lengths)[i]
                                                         : static_cast<std::int32_t const*>(lengths)[i]);
    T const* const first = x + i * from_one_to_next;
    std::size_t const apart = step;
    T total = n == 0 ? T(0) : reduce_row<R, T>(n, [first, apart](std::size_t r) { return first[r * apart]; });
    y[i] = mean && n != 0 ? mean_of(total, n) : total;
  }
};

/// Returns the axes of an input that a list names, counted from the end if negative; all axes if the list is empty.
inline axis_mask named_axes(shape_context const& c, std::size_t input, std::vector<std::int64_t> const& names) {
  axis_mask named = {};
  for (std::int64_t const given : names) {
    std::size_t const axis = c.axis(input, given);
    if (named[axis]) c.fail("argument 'axes' has axis " + std::to_string(given) + " twice");
    named[axis] = true;
  }
  if (names.empty()) named.fill(true);
  return named;
}

inline shape shape_without(shape const& dims, axis_mask const& reduced, bool keep) {
  shape made;
  for (std::size_t axis = 0; axis != dims.rank(); ++axis) {
    if (!reduced[axis])
      made.push_back(dims[axis]);
    else if (keep)
      made.push_back(1);
  }
  return made;
}

/// Axes that an op reduces: those of argument 'axes', or the elements of input `list`, if there is one.
class axes_to_reduce {
 public:
  axes_to_reduce(op_arguments const& a, std::size_t list)
      : names_(a.integers("axes")),
        keeps_(a.flag("keepdims")),
        none_if_empty_(a.flag("noop_with_empty_axes")),
        list_(list),
        is_listed_(a.input_count() > list) {
    if (is_listed_ && a.has("axes")) a.fail("axes", "is given besides the input that lists the axes");
  }
  /// Returns the axes of an input that are reduced.
  axis_mask reduced(shape_context const& c, std::size_t input) {
    if (is_listed_) {
      c.expect_rank(list_, 1, 1);
      c.integers(list_, names_);
    }
    return names_.empty() && none_if_empty_ ? axis_mask() : named_axes(c, input, names_);
  }
  bool keeps() const noexcept { return keeps_; }

 private:
  std::vector<std::int64_t> names_;
  bool keeps_;
  bool none_if_empty_;
  std::size_t list_;
  bool is_listed_;
};

/// Adds the arguments and restrictions of axes_to_reduce to a schema.
inline op_schema& describe_axes_to_reduce(op_schema& schema) {
  return schema.argument("axes", std::vector<std::int64_t>(), "the axes to reduce; all if there are none")
      .argument("keepdims", std::int64_t{1}, "whether they stay, of extent 1")
      .argument("noop_with_empty_axes", std::int64_t{0}, "whether an empty list of axes is none of them, not all")
      .ignored_in_caffe2("noop_with_empty_axes");
}

/// Leading axes, or trailing ones, that are reduced; with lengths, only a prefix of their elements.
template <bool Front>
struct end_axes {
  explicit end_axes(op_arguments const& a, bool lengths) : count(a.integer("num_reduce_dim")), with_lengths(lengths) {
    if (count < 0) a.fail("num_reduce_dim", "is negative");
    if (with_lengths && count != 1) a.fail("num_reduce_dim", "must be 1 where lengths are given");
  }
  /// Returns the shape without the reduced axes; `lengths` is the input of lengths, if there is one.
  shape infer(shape_context const& c, std::size_t input, std::size_t lengths) {
    shape const& dims = c.dims(input);
    c.expect_rank(input, static_cast<std::size_t>(count));
    std::size_t const split = Front ? static_cast<std::size_t>(count) : dims.rank() - static_cast<std::size_t>(count);
    for (std::size_t axis = 0; axis != dims.rank(); ++axis) reduced[axis] = (axis < split) == Front;
    rows = static_cast<std::size_t>(dims.size_to(split));
    columns = static_cast<std::size_t>(dims.size_from(split));
    if (with_lengths) {
      c.expect_type<std::int32_t, std::int64_t>(lengths);
      std::size_t const wanted = Front ? columns : rows;
      c.expect(static_cast<std::size_t>(c.dims(lengths).size()) == wanted, lengths, "have a length for each of ",
               wanted, " results");
    }
    return shape_without(dims, reduced, false);
  }
  /// Throws shape_error if a length is negative or exceeds extent().
  template <backend B>
  void check_lengths(op_context<B> const& c, std::size_t lengths) const {
    visit_type<std::int32_t, std::int64_t>(c.type(lengths), [&]<class I>(I) {
      check_indices<B>(c.template input<I>(lengths), c.size(lengths), static_cast<std::int64_t>(extent()) + 1);
    });
  }
  std::size_t extent() const noexcept { return Front ? rows : columns; }

  std::int64_t count;
  bool with_lengths;
  axis_mask reduced = {};
  std::size_t rows = 0;
  std::size_t columns = 0;
};

}  // namespace detail

/// Base of reductions: derived classes choose the reduced axes by calling `reduce` in infer. Sums, sums of magnitudes,
/// extremes and, with `whole_means`, means accept float, double, int32 and int64, the others float and double.
template <backend B>
class reduction_kernel : public op_kernel<B> {
 public:
  explicit reduction_kernel(reduction_kind kind, bool whole_means = false) : kind_(kind), whole_means_(whole_means) {}

  void run(op_context<B>& c) override {
    visit_type<float, double, std::int32_t, std::int64_t>(
        c.type(0), [&]<class T>(T) { run_as<T>(c, c.template input<T>(0), c.template output<T>(0)); });
  }

 protected:
  /// Reduces the axes of input 0 in the mask to an output of shape `out`. A reduction of no elements returns 0 if
  /// `empty_is_zero`, else the value of the kind: 0 for sums, NaN for means, an infinity for extremes.
  void reduce(shape_context& c, axis_mask const& reduced, shape const& out, bool empty_is_zero = false) {
    if (kind_ == reduction_kind::sum || kind_ == reduction_kind::l1 || kind_ == reduction_kind::max ||
        kind_ == reduction_kind::min || (kind_ == reduction_kind::mean && whole_means_))
      c.template expect_type<float, double, std::int32_t, std::int64_t>(0);
    else
      c.template expect_type<float, double>(0);
    axes_ = reduction_axes(c.dims(0), reduced, size_of(c.type(0)));
    zero_ = empty_is_zero && axes_.count() == 0;
    c.output(0, c.type(0), out);
    c.scratch(axes_.scratch() * size_of(c.type(0)));
  }
  reduction_kind kind() const noexcept { return kind_; }

 private:
  template <class T>
  void run_as(op_context<B>& c, T const* x, T* y) {
    T* const scratch = static_cast<T*>(c.scratch());
    std::size_t const results = c.output_size(0);
    if (zero_) return fill<B>(y, results, T(0));
    switch (kind_) {
      case reduction_kind::sum:
      case reduction_kind::mean:
        reduce_axes<B, sum_reduction>(axes_, x, as_it_is{}, y, scratch);
        break;
      case reduction_kind::l1:
        return reduce_axes<B, sum_reduction>(axes_, x, magnitude_of{}, y, scratch);
      case reduction_kind::max:
        return reduce_axes<B, max_reduction>(axes_, x, as_it_is{}, y, scratch);
      case reduction_kind::min:
        return reduce_axes<B, min_reduction>(axes_, x, as_it_is{}, y, scratch);
      case reduction_kind::l2:
      case reduction_kind::sum_of_squares:
      case reduction_kind::mean_of_squares:
        if constexpr (std::floating_point<T>) reduce_axes<B, sum_reduction>(axes_, x, square_of{}, y, scratch);
        break;
    }
    if (kind_ == reduction_kind::mean || kind_ == reduction_kind::mean_of_squares)
      for_each_index<B>(results, detail::divide_results<T>{y, axes_.count()});
    if constexpr (std::floating_point<T>)
      if (kind_ == reduction_kind::l2) for_each_index<B>(results, detail::root_of_results<T>{y});
  }

  reduction_kind kind_;
  bool whole_means_;
  reduction_axes axes_;
  bool zero_ = false;
};

/// ReduceSum, -Mean, -Max, -Min, -L1, -L2: inputs X, [axes].
template <backend B, reduction_kind Kind>
class reduce_kernel final : public reduction_kernel<B> {
 public:
  explicit reduce_kernel(op_arguments const& a) : reduction_kernel<B>(Kind), axes_(a, 1) {}
  void infer(shape_context& c) override {
    axis_mask const reduced = axes_.reduced(c, 0);
    this->reduce(c, reduced, detail::shape_without(c.dims(0), reduced, axes_.keeps()));
  }

 private:
  detail::axes_to_reduce axes_;
};

/// ReduceFront- and ReduceBackSum, -Mean, -Max; an optional second input has the lengths of the prefixes of columns or
/// rows that are reduced. Means of integers are rounded towards zero.
template <backend B, reduction_kind Kind, bool Front>
class reduce_end_kernel final : public reduction_kernel<B> {
 public:
  explicit reduce_end_kernel(op_arguments const& a) : reduction_kernel<B>(Kind, true), axes_(a, a.input_count() == 2) {}
  void infer(shape_context& c) override {
    shape const out = axes_.infer(c, 0, 1);
    this->reduce(c, axes_.reduced, out, true);
  }
  void run(op_context<B>& c) override {
    if (!axes_.with_lengths) return reduction_kernel<B>::run(c);
    axes_.check_lengths(c, 1);
    bool const wide = c.type(1) == element_type::int64;
    visit_type<float, double, std::int32_t, std::int64_t>(c.type(0), [&]<class T>(T) {
      using combine = std::conditional_t<Kind == reduction_kind::max, max_reduction, sum_reduction>;
      for_each_row<B>(c.output_size(0), axes_.extent(),
                      detail::reduce_prefix<combine, T>{c.template input<T>(0), c.raw_input(1), c.template output<T>(0),
                                                        Front ? 1 : axes_.columns, Front ? axes_.columns : 1, wide,
                                                        Kind == reduction_kind::mean});
    });
  }

 private:
  detail::end_axes<Front> axes_;
};

/// SumElements, SumSqrElements and AveragedLoss.
template <backend B, reduction_kind Sum, reduction_kind Mean, bool Always>
class reduce_all_kernel final : public reduction_kernel<B> {
 public:
  explicit reduce_all_kernel(op_arguments const& a) : reduction_kernel<B>(Always || a.flag("average") ? Mean : Sum) {}
  void infer(shape_context& c) override {
    axis_mask all = {};
    all.fill(true);
    this->reduce(c, all, {}, true);
  }
};

/// RowwiseMax, ColwiseMax and ReduceTailSum: reduce axes [First, Last) of an input of rank Rank (0: any rank above 0).
template <backend B, reduction_kind Kind, std::size_t First, std::size_t Last, std::size_t Rank>
class reduce_some_kernel final : public reduction_kernel<B> {
 public:
  explicit reduce_some_kernel(op_arguments const&) : reduction_kernel<B>(Kind) {}
  void infer(shape_context& c) override {
    if constexpr (Rank == 0)
      c.expect_rank(0, 1);
    else
      c.expect_rank(0, Rank, Rank);
    axis_mask reduced = {};
    for (std::size_t axis = 0; axis != c.dims(0).rank(); ++axis) reduced[axis] = axis >= First && axis < Last;
    this->reduce(c, reduced, detail::shape_without(c.dims(0), reduced, false));
  }
};

/// ReduceSum, -Mean, -Max, -Min, -L1, -L2, ReduceFront- and ReduceBackSum, -Mean, -Max, ReduceTailSum, RowwiseMax,
/// ColwiseMax, SumElements, SumElementsInt, SumSqrElements, AveragedLoss.
template <backend B>
void add_reduction_operators(operators<B>& table) {
  using kind = reduction_kind;
  constexpr std::size_t all = shape::max_rank;
  auto const axes = [](std::string_view type, std::string_view what) {
    op_schema made(type);
    made.inputs(1, 2).outputs(1).shape_from(1).checks_first().in_caffe2(detail::caffe2::inputs_up_to<1>);
    return detail::describe_axes_to_reduce(made).describe("Y = " + std::string(what) +
                                                          " of X[d0, d1, ...] along axes (inputs X, [axes])");
  };
  table.template add<reduce_kernel<B, kind::sum>>(axes("ReduceSum", "the sums"));
  table.template add<reduce_kernel<B, kind::mean>>(axes("ReduceMean", "the means").no_doubles_in_caffe2());
  table.template add<reduce_kernel<B, kind::max>>(axes("ReduceMax", "the maxima"));
  table.template add<reduce_kernel<B, kind::min>>(axes("ReduceMin", "the minima"));
  table.template add<reduce_kernel<B, kind::l1>>(axes("ReduceL1", "the sums of magnitudes"));
  table.template add<reduce_kernel<B, kind::l2>>(axes("ReduceL2", "the roots of the sums of squares"));

  auto const end = [](std::string_view type, std::string_view what, bool front) {
    return op_schema(type)
        .inputs(1, 2)
        .outputs(1)
        .argument("num_reduce_dim", std::int64_t{1}, "how many axes to reduce")
        .checks_first()
        .describe("Y = " + std::string(what) + " of X along its " + (front ? "first" : "last") +
                  " axes; 0 of nothing. [lengths]: how many elements count, of each " + (front ? "column" : "row"));
  };
  table.template add<reduce_end_kernel<B, kind::sum, true>>(end("ReduceFrontSum", "the sums", true));
  table.template add<reduce_end_kernel<B, kind::mean, true>>(end("ReduceFrontMean", "the means", true));
  table.template add<reduce_end_kernel<B, kind::max, true>>(
      end("ReduceFrontMax", "the maxima", true).in_caffe2(detail::caffe2::type_of_first<float>));
  table.template add<reduce_end_kernel<B, kind::sum, false>>(end("ReduceBackSum", "the sums", false));
  table.template add<reduce_end_kernel<B, kind::mean, false>>(end("ReduceBackMean", "the means", false));
  table.template add<reduce_end_kernel<B, kind::max, false>>(
      end("ReduceBackMax", "the maxima", false).in_caffe2(detail::caffe2::type_of_first<float>));

  auto const some = [](std::string_view type, std::string_view what) {
    return op_schema(type).inputs(1).outputs(1).rows_independent().checks_first().describe(what);
  };
  table.template add<reduce_some_kernel<B, kind::sum, 1, all, 0>>(
      some("ReduceTailSum", "Y[i] = the sum of X[i, ...]").in_caffe2(detail::caffe2::type_of_first<float>));
  table.template add<reduce_some_kernel<B, kind::max, 1, 2, 3>>(
      some("ColwiseMax", "Y[b, j] = the maximum of X[b, :, j]").no_doubles_in_caffe2());
  table.template add<reduce_some_kernel<B, kind::max, 2, 3, 3>>(
      some("RowwiseMax", "Y[b, i] = the maximum of X[b, i, :]").no_doubles_in_caffe2());

  auto const whole = [](std::string_view type, std::string_view what) {
    return op_schema(type)
        .inputs(1)
        .outputs(1)
        .argument("average", std::int64_t{0}, "whether to divide by the number of elements, if there are any")
        .checks_first()
        .describe(what);
  };
  table.template add<reduce_all_kernel<B, kind::sum, kind::mean, false>>(
      whole("SumElements", "Y = the sum of all of X, a scalar").in_caffe2(detail::caffe2::type_of_first<float>));
  table.template add<reduce_all_kernel<B, kind::sum, kind::mean, false>>(
      whole("SumElementsInt", "Y = the sum of all of X, a scalar"));
  table.template add<reduce_all_kernel<B, kind::sum_of_squares, kind::mean_of_squares, false>>(
      whole("SumSqrElements", "Y = the sum of the squares of all of X, a scalar").no_doubles_in_caffe2());
  table.template add<reduce_all_kernel<B, kind::sum, kind::mean, true>>(
      op_schema("AveragedLoss")
          .inputs(1)
          .outputs(1)
          .checks_first()
          .no_doubles_in_caffe2()
          .describe("Y = the mean of X, a scalar; 0 of nothing"));
}

}  // namespace plait

PLAIT_KERNELS_END
