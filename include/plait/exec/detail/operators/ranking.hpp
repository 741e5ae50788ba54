// ArgMax, ArgMin and TopK: the largest and smallest elements along an axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/ranking.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape_context.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// ArgMax and ArgMin, by R.
template <backend B, class R>
class locate_kernel final : public op_kernel<B> {
 public:
  explicit locate_kernel(op_arguments const& a) : axis_(a.integer("axis")), keep_(a.flag("keepdims")) {}
  void infer(shape_context& c) override {
    c.template expect_type<float, double, std::int32_t, std::int64_t>(0);
    std::size_t const axis = c.axis(0, axis_);
    shape out = c.dims(0);
    outer_ = static_cast<std::size_t>(out.size_to(axis));
    n_ = static_cast<std::size_t>(out[axis]);
    inner_ = static_cast<std::size_t>(out.size_from(axis + 1));
    out.set(axis, 1);
    c.expect(n_ != 0 || out.size() == 0, 0, "have elements along the axis");
    if (!keep_) out.erase(axis);
    c.output(0, element_type::int64, out);
  }
  void run(op_context<B>& c) override {
    visit_type<float, double, std::int32_t, std::int64_t>(c.type(0), [&]<class T>(T) {
      locate<B, R>(c.template input<T>(0), c.template output<std::int64_t>(0), outer_, n_, inner_);
    });
  }

 private:
  std::int64_t axis_;
  bool keep_;
  std::size_t outer_ = 0;
  std::size_t n_ = 0;
  std::size_t inner_ = 0;
};

template <backend B>
class top_k_kernel final : public op_kernel<B> {
 public:
  explicit top_k_kernel(op_arguments const& a)
      : k_(a.integer("k")), axis_(a.integer("axis")), is_given_(a.input_count() == 2) {
    if (is_given_ && a.has("k")) a.fail("k", "is given besides the second input");
    if (!is_given_ && !a.has("k")) a.fail("k", "is missing, and there is no second input");
    if (!is_given_ && k_ < 1) a.fail("k", "is less than 1");
  }
  void infer(shape_context& c) override {
    if (is_given_) {
      k_ = c.only_integer(1);
      if (k_ < 1) c.fail("k is " + std::to_string(k_) + ", which is less than 1");
    }
    element_type const type = c.template expect_type<float, double, std::int32_t, std::int64_t>(0);
    std::size_t const axis = c.axis(0, axis_);
    shape out = c.dims(0);
    outer_ = static_cast<std::size_t>(out.size_to(axis));
    n_ = static_cast<std::size_t>(out[axis]);
    inner_ = static_cast<std::size_t>(out.size_from(axis + 1));
    out.set(axis, k_);
    c.output(0, type, out);
    c.output(1, element_type::int64, out);
    if (c.output_count() == 3) c.output(2, element_type::int64, {out.size()});
  }
  void run(op_context<B>& c) override {
    std::int64_t* const flat = c.output_count() == 3 ? c.template output<std::int64_t>(2) : nullptr;
    visit_type<float, double, std::int32_t, std::int64_t>(c.type(0), [&]<class T>(T) {
      top_k<B>(c.template input<T>(0), c.template output<T>(0), c.template output<std::int64_t>(1), flat, outer_, n_,
               inner_, static_cast<std::size_t>(k_));
    });
  }

 private:
  std::int64_t k_;
  std::int64_t axis_;
  bool is_given_;
  std::size_t outer_ = 0;
  std::size_t n_ = 0;
  std::size_t inner_ = 0;
};

namespace detail::caffe2 {

/// Restriction of TopK.
inline shape_check top_k(op_arguments const& a) {
  static_cast<void>(inputs_up_to<1>(a));
  std::int64_t const k = a.integer("k");
  std::int64_t const axis = a.integer("axis");
  if (axis < -1) a.fail("axis", "is " + std::to_string(axis) + ", below -1");
  return [k, axis](shape_context const& c) {
    c.expect(k <= c.dims(0)[c.axis(0, axis)], 0, "have k = ", k, " elements along the axis");
  };
}

}  // namespace detail::caffe2

/// ArgMax, ArgMin, TopK.
template <backend B>
void add_ranking_operators(operators<B>& table) {
  auto const locating = [](std::string_view type, std::string_view text) {
    return op_schema(type)
        .inputs(1)
        .outputs(1)
        .argument("axis", std::int64_t{-1}, "the axis to look along")
        .argument("keepdims", std::int64_t{1}, "whether it stays, of extent 1")
        .checks_first()
        .describe(text);
  };
  table.template add<locate_kernel<B, max_reduction>>(
      locating("ArgMax", "Y (int64) = where along the axis X is largest; the first of equals"));
  table.template add<locate_kernel<B, min_reduction>>(
      locating("ArgMin", "Y (int64) = where along the axis X is smallest; the first of equals"));
  table.template add<top_k_kernel<B>>(
      op_schema("TopK")
          .inputs(1, 2)
          .outputs(2, 3)
          .shape_from(1)
          .argument("k", std::int64_t{0}, "how many, unless the second input says it")
          .argument("axis", std::int64_t{-1}, "the axis to look along")
          .checks_first()
          .in_caffe2(detail::caffe2::top_k)
          .no_doubles_in_caffe2()
          .describe("the k largest along the axis, largest first, their places there and [in X, flat]; 0 and -1 where "
                    "there are fewer"));
}

}  // namespace plait
