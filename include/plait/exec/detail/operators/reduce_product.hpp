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
  explicit reduce_product_kernel(op_arguments const& a) : names_(a.integers("axes")), keep_(a.flag("keepdims")) {}

  void infer(shape_context& c) override {
    c.template expect_type<float, double, std::int32_t, std::int64_t>(0);
    axis_mask const reduced = detail::named_axes(c, 0, names_);
    axes_ = reduction_axes(c.dims(0), reduced, size_of(c.type(0)));
    c.output(0, c.type(0), detail::shape_without(c.dims(0), reduced, keep_));
    c.scratch(axes_.scratch() * size_of(c.type(0)));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double, std::int32_t, std::int64_t>(c.type(0), [&]<class T>(T) {
      reduce_axes<B, product_reduction>(axes_, c.template input<T>(0), as_it_is{}, c.template output<T>(0),
                                        static_cast<T*>(c.scratch()));
    });
  }

 private:
  std::vector<std::int64_t> names_;
  bool keep_;
  reduction_axes axes_;
};

/// ReduceProd: float, double, int32 and int64.
template <backend B>
void add_reduce_product_operators(operators<B>& table) {
  table.template add<reduce_product_kernel>(
      op_schema("ReduceProd")
          .inputs(1)
          .outputs(1)
          .argument("axes", std::vector<std::int64_t>(), "the axes to reduce; all if there are none")
          .argument("keepdims", std::int64_t{1}, "whether they stay, of extent 1")
          .checks_first()
          .describe("Y = the products of X[d0, d1, ...] along axes; 1 of nothing"));
}

}  // namespace plait
