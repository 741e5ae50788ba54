// Gradient of BatchGather, and of Gather along axes other than 0; that of gathered rows is sparse and needs no op.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/scatter_axis.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/gather.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Kernel of BatchGatherGradient, with inputs X, indices, dY.
template <backend B>
class batch_gather_gradient_kernel final : public op_kernel<B> {
 public:
  explicit batch_gather_gradient_kernel(op_arguments const& a)
      : axis_(a.integer("axis")), matched_(a.flag("match_outer")), wraps_(a.flag("wrap_indices")) {}

  void infer(shape_context& c) override {
    c.expect_type<float, double>(0);
    c.expect_same_type(0, 2);
    at_ = detail::gathered_axis(c, axis_, matched_);
    c.expect(c.dims(2) == at_.gathered, 2, "be ", at_.gathered, ", as what was gathered is");
    c.output(0, c.type(0), c.dims(0));
  }

  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(1), [&]<class I>(I) {
      I const* const list = c.template input<I>(1);
      check_indices<B>(list, c.size(1), at_.bound, wraps_ ? -at_.bound : 0);
      visit_type<float, double>(c.type(0), [&]<class T>(T) {
        scatter_axis<B>(c.template output<T>(0), c.template input<T>(2), listed_place<I>{list, at_.stride, at_.bound},
                        at_.blocks, static_cast<std::size_t>(at_.bound), at_.count, at_.width);
      });
    });
  }

 private:
  std::int64_t axis_;
  bool matched_;
  bool wraps_;
  detail::gathered_axis at_;
};

/// Adds BatchGatherGradient: float and double.
template <backend B>
void add_gather_gradient_operators(operators<B>& table) {
  auto schema = op_schema("BatchGatherGradient")
                    .inputs(3)
                    .outputs(1)
                    .checks_first()
                    .argument("axis", std::int64_t{1}, "of X; counted from the end if negative")
                    .ignored_in_caffe2("axis")
                    .describe(
                        "dX = the sums of dY by the places of X's axis that they were gathered from (inputs X, "
                        "indices, dY)");
  table.template add<batch_gather_gradient_kernel>(detail::describe_gather(schema));
}

}  // namespace plait
