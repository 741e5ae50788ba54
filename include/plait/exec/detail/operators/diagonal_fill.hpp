// DiagonalFill: one value on the main diagonal, zeros elsewhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/fills.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct diagonal_value {
  T* y;
  std::size_t step;
  T value;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { y[i * step] = value; }
};

}  // namespace detail

/// Kernel of DiagonalFill: matrices, and tensors of more axes of one extent.
template <backend B>
class diagonal_fill_kernel final : public constant_fill_kernel<B> {
 public:
  using constant_fill_kernel<B>::constant_fill_kernel;

  void infer(shape_context& c) override {
    constant_fill_kernel<B>::infer(c);
    shape const& dims = c.output(0).dims;
    std::size_t const rank = dims.rank();
    auto const other = [&](std::int64_t extent) { return extent != dims[0]; };
    if (rank < 2 || (rank > 2 && std::ranges::any_of(dims, other)))
      c.fail("a tensor of " + to_string(dims) + " has no diagonal: it should be a matrix, or have axes of one extent");
    count_ = static_cast<std::size_t>(std::min(dims[0], dims[1]));
    step_ = 1;
    for (std::size_t axis = 1; axis != rank; ++axis) step_ += static_cast<std::size_t>(dims.size_from(axis));
  }
  void run(op_context<B>& c) override {
    this->visit_bits([&]<class Bits>(Bits value) {
      auto* const y = static_cast<Bits*>(c.raw_output(0));
      fill<B>(y, c.output_size(0), Bits{0});
      for_each_index<B>(count_, detail::diagonal_value<Bits>{y, step_, value});
    });
  }

 private:
  std::size_t count_ = 0;
  std::size_t step_ = 1;
};

/// Adds DiagonalFill.
template <backend B>
void add_diagonal_fill_operator(operators<B>& table) {
  table.template add<diagonal_fill_kernel>(
      detail::constant_fill_schema("DiagonalFill", "what every element of the diagonal is")
          .describe("Y: shape, or as X: …, value where all indices are equal, else 0"));
}

}  // namespace plait

PLAIT_KERNELS_END
