// The backward pass of an LSTM as a static cell, for the registers that nvcc needs (check_registers.cmake), and its op
// types on the CUDA backend. Compiled only.
#include <cstddef>

#include <plait/exec/backends/cuda/cuda.hpp>
#include <plait/exec/static_cells.hpp>

// A named type: nvcc refuses those of lambdas in kernels.
struct lstm_cell {
  constexpr auto operator()(auto i, auto f, auto o, auto g, auto c) const {
    auto next = sigmoid(f) * c + sigmoid(i) * tanh(g);
    return plait::cell_results{sigmoid(o) * tanh(next), next};
  }
};
static constexpr auto lstm = plait::static_cell(lstm_cell());
using lstm_backward = plait::cell_gradient<plait::static_cell<lstm_cell>>;

template <class Cell, class T>
__global__ void each_element(plait::detail::cell_pass<Cell, T> pass, std::size_t count) {
  std::size_t const i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < count) pass(0, i, i + 1);
}
template __global__ void each_element(plait::detail::cell_pass<lstm_backward, float>, std::size_t);

void add_lstm(plait::operators<plait::cuda>& table) { table.add(plait::static_op<lstm>); }
