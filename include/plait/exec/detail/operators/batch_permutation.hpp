// BatchPermutation and its gradient: rows in another order, such as that which DistributeFpnProposals lists.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/move_rows.hpp>
#include <plait/exec/detail/kernels/scatter_axis.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape_context.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {

/// Checks that input `list` has an index for each row of input `rows`.
inline void expect_row_order(shape_context const& c, std::size_t rows, std::size_t list) {
  c.expect_rank(rows, 1);
  c.expect_type<std::int32_t>(list);
  c.expect(c.dims(list) == shape{c.dims(rows)[0]}, list, "have an index for each row of ", c.input_text(rows));
}

}  // namespace detail

/// BatchPermutation: inputs X, indices.
template <backend B>
struct batch_permutation_kernel final : op_kernel<B> {
  explicit batch_permutation_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    detail::expect_row_order(c, 0, 1);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    auto const* const list = c.template input<std::int32_t>(1);
    check_indices<B>(list, c.size(1), c.dims(0)[0]);
    if (c.size(0) == 0) return;
    visit_word(c.type(0), [&]<class T>(T) {
      move_rows<B>(static_cast<T*>(c.raw_output(0)), static_cast<T const*>(c.raw_input(0)), c.size(1),
                   static_cast<std::size_t>(c.dims(0).size_from(1)), listed_row<std::int32_t>{list});
    });
  }
};

/// BatchPermutationGradient: inputs indices, dY.
template <backend B>
struct batch_permutation_gradient_kernel final : op_kernel<B> {
  explicit batch_permutation_gradient_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.expect_type<float, double>(1);
    detail::expect_row_order(c, 1, 0);
    c.output(0, c.type(1), c.dims(1));
  }
  void run(op_context<B>& c) override {
    auto const* const list = c.template input<std::int32_t>(0);
    std::size_t const rows = c.size(0);
    auto const bound = c.dims(0)[0];
    check_indices<B>(list, rows, bound);
    visit_type<float, double>(c.type(1), [&]<class T>(T) {
      scatter_axis<B>(c.template output<T>(0), c.template input<T>(1), listed_place<std::int32_t>{list, 0, bound}, 1,
                      rows, rows, static_cast<std::size_t>(c.dims(1).size_from(1)));
    });
  }
};

/// BatchPermutation: any element type; BatchPermutationGradient: float and double.
template <backend B>
void add_batch_permutation_operators(operators<B>& table) {
  table.template add<batch_permutation_kernel>(op_schema("BatchPermutation")
                                                   .inputs(2)
                                                   .outputs(1)
                                                   .checks_first()
                                                   .no_doubles_in_caffe2()
                                                   .describe("the rows of X in the order that int32 indices list"));
  table.template add<batch_permutation_gradient_kernel>(
      op_schema("BatchPermutationGradient")
          .inputs(2)
          .outputs(1)
          .checks_first()
          .no_doubles_in_caffe2()
          .describe("dX of BatchPermutation (inputs indices, dY); rows that are listed twice are added up"));
}

}  // namespace plait
