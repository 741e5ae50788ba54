// ReduceProd: products along axes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/exec/detail/kernels/reduce_axes.hpp>
#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/reductions.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

template <backend B>
class reduce_product_kernel final : public op_kernel<B> {
 public:
  explicit reduce_product_kernel(op_arguments const& a) : listed_(a, 1) {}

  void infer(shape_context& c) override {
    c.template expect_type<float, double, std::int32_t, std::int64_t>(0);
    axis_mask const reduced = listed_.reduced(c, 0);
    axes_ = reduction_axes(c.dims(0), reduced, size_of(c.type(0)));
    c.output(0, c.type(0), detail::shape_without(c.dims(0), reduced, listed_.keeps()));
    c.scratch(axes_.scratch() * size_of(c.type(0)));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double, std::int32_t, std::int64_t>(c.type(0), [&]<class T>(T) {
      reduce_axes<B, product_reduction>(axes_, c.template input<T>(0), as_it_is{}, c.template output<T>(0),
                                        static_cast<T*>(c.scratch()));
    });
  }

 private:
  detail::axes_to_reduce listed_;
  reduction_axes axes_;
};

/// ReduceProd: float, double, int32 and int64.
template <backend B>
void add_reduce_product_operators(operators<B>& table) {
  op_schema schema("ReduceProd");
  schema.inputs(1, 2).outputs(1).shape_from(1).checks_first();
  table.template add<reduce_product_kernel>(detail::describe_axes_to_reduce(schema).describe(
      "Y = the products of X[d0, d1, ...] along axes; 1 of nothing (inputs X, [axes])"));
}

}  // namespace plait
