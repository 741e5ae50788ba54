// The gradient of TopK.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/scatter_axis.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {
// Detects indices that are neither -1 nor in [0, bound).
struct is_no_place {
  std::int64_t const* list;
  std::int64_t bound;
  PLAIT_HOST_DEVICE bool operator()(std::size_t i) const {
    return static_cast<bool>((list[i] < -1) | (list[i] >= bound));
  }
};
}  // namespace detail

/// Inputs: the gradient of the values, the indices that TopK found, X.
template <backend B>
class top_k_gradient_kernel final : public op_kernel<B> {
 public:
  explicit top_k_gradient_kernel(op_arguments const& a) : at_(a.integer("axis")) {}

  void infer(shape_context& c) override {
    c.expect_type<float, double>(2);
    c.expect_same_type(2, 0);
    c.expect_type<std::int64_t>(1);
    c.expect_same_dims(0, 1);
    axis_ = c.axis(2, at_);
    shape wanted = c.dims(2);
    if (c.dims(0).rank() == wanted.rank()) wanted.set(axis_, c.dims(0)[axis_]);
    c.expect(c.dims(0) == wanted, 0, "be ", c.dims(2), " but for axis ", axis_);
    c.output(0, c.type(2), c.dims(2));
  }

  void run(op_context<B>& c) override {
    shape const& dims = c.dims(2);
    auto const* const places = c.template input<std::int64_t>(1);
    std::size_t const bad = find_index<B>(c.size(1), detail::is_no_place{places, dims[axis_]});
    if (bad != c.size(1))
      c.fail("place " + std::to_string(bad) + " of the list is not in axis " + std::to_string(axis_));
    auto const outer = static_cast<std::size_t>(dims.size_to(axis_));
    auto const inner = static_cast<std::size_t>(dims.size_from(axis_ + 1));
    auto const count = static_cast<std::size_t>(c.dims(0)[axis_]);
    visit_type<float, double>(c.type(2), [&]<class T>(T) {
      scatter_axis<B>(c.template output<T>(0), c.template input<T>(0), own_place<std::int64_t>{places, count, inner},
                      outer, static_cast<std::size_t>(dims[axis_]), count, inner);
    });
  }

 private:
  std::int64_t at_;
  std::size_t axis_ = 0;
};

/// TopKGradient: float and double.
template <backend B>
void add_ranking_gradient_operators(operators<B>& table) {
  table.template add<top_k_gradient_kernel>(
      op_schema("TopKGradient")
          .inputs(3)
          .outputs(1)
          .checks_first()
          .argument("k", std::int64_t{1}, "how many were found")
          .argument("axis", std::int64_t{-1}, "the axis they were looked for along")
          .describe("dX = dY at the places that TopK found, 0 elsewhere (inputs dY, places, X)"));
}

}  // namespace plait

PLAIT_KERNELS_END
