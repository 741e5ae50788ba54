// Identity ops, which copy or alias their input; ZeroGradient, which has no output; Free, which releases its inputs.
//
// Aliases are views where memory may be shared, and copy elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Copies unless the output aliases the input. Base of reshaping ops, which override infer.
template <backend B>
class view_kernel : public op_kernel<B> {
 public:
  void run(op_context<B>& c) override {
    if (c.raw_output(0) != c.raw_input(0)) B::copy(c.raw_output(0), c.raw_input(0), c.output_spec(0).bytes());
  }
};

template <backend B>
struct copy_kernel : view_kernel<B> {
  explicit copy_kernel(op_arguments const&) {}
  void infer(shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
};

template <backend B>
struct no_output_kernel : op_kernel<B> {
  explicit no_output_kernel(op_arguments const&) {}
  void infer(shape_context&) override {}
  void run(op_context<B>&) override {}
};

/// Free: unsets its outputs, and computes nothing. As the last reader of its inputs it ends their live ranges.
template <backend B>
struct free_kernel : op_kernel<B> {
  explicit free_kernel(op_arguments const& a) {
    if (a.input_count() != a.output_count())
      shape_context::fail(std::to_string(a.input_count()) + " inputs and " + std::to_string(a.output_count()) +
                          " outputs, which should be as many");
  }
  void infer(shape_context& c) override {
    for (std::size_t o = 0; o != c.output_count(); ++o) c.output_nothing(o);
  }
  void run(op_context<B>&) override {}
};

namespace detail::caffe2 {

/// Restriction of Free: each output has the name of the input at its place.
inline shape_check all_in_place(op_arguments const& a) {
  for (std::size_t o = 0; o != a.output_count(); ++o) expect_in_place(a, {o, o});
  return {};
}

}  // namespace detail::caffe2

/// Copy, Alias, AliasWithName, StopGradient, NegateGradient, EnsureDense; ZeroGradient; Free; and copies between
/// devices, which copy within one as all tensors of a plan are in the memory of one backend: CopyFromCPUInput,
/// CopyCPUToGPU, CopyGPUToCPU, EnsureCPUOutput, CopyOnDeviceLike. Any type and shape.
template <backend B>
void add_view_operators(operators<B>& table) {
  auto const schema = [](std::string_view type) {
    return op_schema(type).inputs(1).outputs(1).in_place(0, 0).rows_independent().checks_first();
  };
  table.template add<copy_kernel>(schema("Copy").describe("Y = X, in memory of its own"));
  for (std::string_view type : {"CopyCPUToGPU", "CopyFromCPUInput", "CopyGPUToCPU", "EnsureCPUOutput"})
    table.template add<copy_kernel>(schema(type).describe("Y = X, in memory of its own"));
  table.template add<copy_kernel>(schema("CopyOnDeviceLike")
                                      .inputs(2)
                                      .rows_independent(1)
                                      .describe("Y = X, in memory of its own where the second input is"));
  table.template add<copy_kernel>(schema("Alias").views(0, 0).describe("Y = X"));
  table.template add<copy_kernel>(
      schema("AliasWithName")
          .views(0, 0)
          .argument("name", std::string(), "what Y, or X if is_backward, is to be called: see fuse_alias_placeholders")
          .argument("is_backward", std::int64_t{0}, "whether the name is X's")
          .without_caffe2_schema()
          .describe("Y = X"));
  table.template add<copy_kernel>(
      schema("StopGradient").views(0, 0).describe("Y = X, through which no gradient flows"));
  table.template add<copy_kernel>(schema("NegateGradient").views(0, 0).describe("Y = X, whose gradient is negated"));
  table.template add<copy_kernel>(schema("EnsureDense")
                                      .views(0, 0)
                                      .in_caffe2(detail::caffe2::least_rank_of_first<1>)
                                      .describe("Y = X, whose gradient is made dense"));
  table.template add<no_output_kernel>(
      op_schema("ZeroGradient").inputs(1).outputs(0).checks_first().describe("does nothing; X's gradient is zero"));
  table.template add<free_kernel>(
      op_schema("Free")
          .inputs(1, npos)
          .outputs(1, npos)
          .takes_objects()
          .checks_first()
          .in_caffe2(detail::caffe2::all_in_place)
          .without_caffe2_schema()
          .describe("Y holds nothing: X's memory serves other blobs, and an op that reads Y is refused"));
}

}  // namespace plait
