// Ops whose output holds what the input holds.
//
// All of them are views where memory may be shared, and copy elsewhere.
#pragma once

#include <cstddef>

#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/op_schema.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Copies unless the output is the input's memory. Base of ops that give the input another shape: they override infer.
template <backend B>
class view_kernel : public op_kernel<B> {
 public:
  void run(op_context<B>& c) final {
    if (c.raw_output(0) != c.raw_input(0)) B::copy(c.raw_output(0), c.raw_input(0), c.output_spec(0).bytes());
  }
};

template <backend B>
struct copy_kernel : view_kernel<B> {
  explicit copy_kernel(op_arguments const&) {}
  void infer(shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
};

/// Copy, Alias, StopGradient, EnsureDense: any type and shape.
template <backend B>
void add_view_operators(operators<B>& table) {
  auto const schema = [](std::string_view type) {
    return op_schema(type).inputs(1).outputs(1).in_place(0, 0).rows_independent().checks_first();
  };
  table.template add<copy_kernel>(schema("Copy").describe("Y = X, in memory of its own"));
  table.template add<copy_kernel>(schema("Alias").views(0, 0).describe("Y = X"));
  table.template add<copy_kernel>(
      schema("StopGradient").views(0, 0).describe("Y = X, through which no gradient flows"));
  table.template add<copy_kernel>(schema("EnsureDense").views(0, 0).describe("Y = X, whose gradient is made dense"));
}

}  // namespace plait
