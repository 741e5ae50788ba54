// Transpose, and layout conversion between channels first and channels last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <plait/exec/detail/kernels/move_rows.hpp>
#include <plait/exec/detail/kernels/transpose.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/detail/shape_context.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {

/// Base of ops that permute axes: infer of a derived class sets `order` and calls permute.
template <backend B>
struct permuting_kernel : op_kernel<B> {
  void prepare(op_context<B>& c) override { permutation = transposition(c.dims(0), order); }
  void run(op_context<B>& c) override {
    visit_word(c.type(0), [&]<class T>(T) {
      permutation.run<B>(static_cast<T*>(c.raw_output(0)), static_cast<T const*>(c.raw_input(0)));
    });
  }

  void permute(shape_context& c) const {
    shape made;
    for (std::size_t const axis : order) made.push_back(c.dims(0)[axis]);
    c.output(0, c.type(0), made);
  }

  std::vector<std::size_t> order;
  transposition permutation;
};

}  // namespace detail

template <backend B>
struct transpose_kernel : detail::permuting_kernel<B> {
  using detail::permuting_kernel<B>::order;

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
    this->permute(c);
  }

  std::vector<std::int64_t> axes;
};

/// Moves the channels of images of any number of dimensions from axis 1 to the last axis, or back.
template <backend B, bool ToLast>
struct move_channels_kernel : detail::permuting_kernel<B> {
  using detail::permuting_kernel<B>::order;

  explicit move_channels_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.expect_rank(0, 3);
    order.resize(c.dims(0).rank());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::rotate(order.begin() + 1, ToLast ? order.begin() + 2 : order.end() - 1, order.end());
    this->permute(c);
  }
};

namespace detail::caffe2 {

/// Restriction of Transpose.
inline shape_check transpose(op_arguments const& a) {
  for (std::int64_t const axis : a.integers("axes"))
    if (axis < 0) a.fail("axes", "has " + std::to_string(axis) + ", below 0");
  return [](shape_context const& c) { c.expect_type<float, double, std::int32_t, std::int64_t>(0); };
}

}  // namespace detail::caffe2

/// Transpose, NCHW2NHWC, NHWC2NCHW: any element type.
template <backend B>
void add_transpose_operators(operators<B>& table) {
  table.template add<transpose_kernel>(
      op_schema("Transpose")
          .inputs(1)
          .outputs(1)
          .checks_first()
          .argument("axes", std::vector<std::int64_t>(), "which axis of X each axis of Y is; reversed if empty")
          .in_caffe2(detail::caffe2::transpose)
          .describe("Y = X with its axes in another order"));
  table.template add<move_channels_kernel<B, true>>(op_schema("NCHW2NHWC")
                                                        .inputs(1)
                                                        .outputs(1)
                                                        .checks_first()
                                                        .no_doubles_in_caffe2()
                                                        .describe("Y = X with axis 1 as the last"));
  table.template add<move_channels_kernel<B, false>>(op_schema("NHWC2NCHW")
                                                         .inputs(1)
                                                         .outputs(1)
                                                         .checks_first()
                                                         .no_doubles_in_caffe2()
                                                         .describe("Y = X with the last axis as axis 1"));
}

}  // namespace plait
