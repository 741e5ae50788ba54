// Kernel interface of an op type: a class with shape inference and execution.
//
//   template <class B>
//   struct leaky_relu : plait::op_kernel<B> {
//     float alpha;
//     explicit leaky_relu(plait::op_arguments const& a) : alpha(a.real("alpha")) {}
//     void infer(plait::shape_context& c) override {
//       c.output(0, c.expect_type<float>(0), c.dims(0));
//     }
//     void run(plait::op_context<B>& c) override {
//       auto const* x = c.template input<float>(0);
//       auto* y = c.template output<float>(0);
//       float const slope = alpha;  // nvcc does not accept [alpha = alpha]
//       plait::for_each_index<B>(c.size(0), [=] PLAIT_HOST_DEVICE(std::size_t i) {
//         y[i] = x[i] < 0 ? slope * x[i] : x[i];
//       });
//     }
//   };
//   operators.template add<leaky_relu>(schema);
#pragma once

#include <cstddef>
#include <vector>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/op_context.hpp>
#include <plait/exec/detail/op_pattern.hpp>
#include <plait/exec/detail/shape_context.hpp>
#include <plait/exec/tensor.hpp>

namespace plait {

/// Kernel of one op of a plan. Constructed from op_arguments; the constructor throws for invalid arguments.
template <backend B>
class op_kernel {
 public:
  op_kernel() = default;
  op_kernel(op_kernel const&) = delete;
  op_kernel& operator=(op_kernel const&) = delete;
  virtual ~op_kernel() = default;

  /// Infers the type of every output. Called again whenever the types of inputs have changed, and before each run if
  /// shapes are data-dependent; throws shape_error for inputs on which the op is not defined. For an op with
  /// results_after_run, it is only called for forecasts, also sets output objects and the memory that the op will hold,
  /// and leaves outputs unset whose types only the run determines.
  virtual void infer(shape_context& c) = 0;
  /// Prepares for these types, such as dispatch to a kernel or the choice of a layout. Called after infer.
  virtual void prepare(op_context<B>&) {}
  /// Computes the outputs. Throws, if at all, before it writes anything, unless the schema says otherwise.
  virtual void run(op_context<B>& c) = 0;

  /// Packs a loop-invariant input into `to`, for op_context::packed, and returns the packed size in bytes; without
  /// `to`, only returns the size, from types alone. 0: packing does not pay.
  virtual std::size_t pack(op_context<B>&, std::size_t /*input*/, void* /*to*/) { return 0; }

  /// Appends the patterns by which the op can run in parts (op_part), for fusion with its neighbours; none if it only
  /// runs as a whole. Called after prepare, or for streamed rows after infer; valid until the next call of either.
  virtual void patterns(op_context<B> const&, std::vector<op_pattern<B>>& /*to*/) const {}
  /// Runs a part that a pattern allows, concurrently with others, bit-identical to run(). For rows, the operands of the
  /// context are slices: the rows to compute, of all operands that are not whole. Columns must not throw.
  virtual void run_part(op_context<B>& c, op_part const&) { run(c); }
};

}  // namespace plait
