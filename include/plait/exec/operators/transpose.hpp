// Transpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/exec/kernels/move_rows.hpp>
#include <plait/exec/kernels/transpose.hpp>
#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/op_schema.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/shape.hpp>

namespace plait {

template <backend B>
struct transpose_kernel : op_kernel<B> {
  explicit transpose_kernel(op_arguments const& a) : axes(a.integers("axes")) {}

  void infer(shape_context& c) override {
    std::size_t const rank = c.dims(0).rank();
    order.clear();
    if (axes.empty())
      for (std::size_t axis = rank; axis-- != 0;) order.push_back(axis);
    else
      for (std::int64_t const axis : axes) order.push_back(c.axis(0, axis));
    std::vector<bool> seen(rank, false);
    bool each = order.size() == rank;
    for (std::size_t const axis : order) {
      each = each && !seen[axis];
      seen[axis] = true;
    }
    c.expect(each, 0, "have each of its axes listed once in argument 'axes'");
    shape made;
    for (std::size_t const axis : order) made.push_back(c.dims(0)[axis]);
    c.output(0, c.type(0), made);
  }
  void prepare(op_context<B>& c) override { permutation = transposition(c.dims(0), order); }
  void run(op_context<B>& c) override {
    visit_word(c.type(0), [&]<class T>(T) {
      permutation.run<B>(static_cast<T*>(c.raw_output(0)), static_cast<T const*>(c.raw_input(0)));
    });
  }

  std::vector<std::int64_t> axes;
  std::vector<std::size_t> order;
  transposition permutation;
};

/// Transpose: any element type.
template <backend B>
void add_transpose_operators(operators<B>& table) {
  table.template add<transpose_kernel>(
      op_schema("Transpose")
          .inputs(1)
          .outputs(1)
          .checks_first()
          .argument("axes", std::vector<std::int64_t>(), "which axis of X each axis of Y is; reversed if empty")
          .describe("Y = X with its axes in another order"));
}

}  // namespace plait
