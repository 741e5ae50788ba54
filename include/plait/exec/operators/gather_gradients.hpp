// The gradient of BatchGather; that of Gather is sparse, and needs no op.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/exec/kernels/index_checks.hpp>
#include <plait/exec/kernels/scatter_axis.hpp>
#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/op_schema.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/operators/gather.hpp>
#include <plait/exec/shape.hpp>

namespace plait {

/// Inputs X, indices, dY.
template <backend B>
class batch_gather_gradient_kernel final : public op_kernel<B> {
 public:
  explicit batch_gather_gradient_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.expect_type<float, double>(0);
    c.expect_same_type(0, 2);
    shape const gathered = detail::gathered_shape(c, 1);
    c.expect(c.dims(2) == gathered, 2, "be " + to_string(gathered) + ", as what was gathered is");
    c.output(0, c.type(0), c.dims(0));
  }

  void run(op_context<B>& c) override {
    shape const& dims = c.dims(0);
    visit_type<std::int32_t, std::int64_t>(c.type(1), [&]<class I>(I) {
      I const* const list = c.template input<I>(1);
      check_indices<B>(list, c.size(1), dims[1]);
      visit_type<float, double>(c.type(0), [&]<class T>(T) {
        scatter_axis<B>(c.template output<T>(0), c.template input<T>(2), common_place<I>{list},
                        static_cast<std::size_t>(dims[0]), static_cast<std::size_t>(dims[1]), c.size(1),
                        static_cast<std::size_t>(dims.size_from(2)));
      });
    });
  }
};

/// BatchGatherGradient: float and double.
template <backend B>
void add_gather_gradient_operators(operators<B>& table) {
  table.template add<batch_gather_gradient_kernel>(op_schema("BatchGatherGradient")
                                                       .inputs(3)
                                                       .outputs(1)
                                                       .checks_first()
                                                       .describe("dX = the sums of dY by the places of X's second axis "
                                                                 "that they were gathered from (inputs X, indices, "
                                                                 "dY)"));
}

}  // namespace plait
