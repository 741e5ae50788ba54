// ConvRelu: a convolution with Relu as its epilogue.
#pragma once

#include <utility>
#include <vector>

#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/map.hpp>
#include <plait/exec/detail/operators/activations.hpp>
#include <plait/exec/detail/operators/convolution.hpp>

namespace plait {

/// Kernel of ConvRelu: that of Conv, then Relu. On hosts, GEMM computes Relu as it stores its tiles.
template <backend B>
class convolution_relu_kernel : public convolution_kernel<B> {
 public:
  using convolution_kernel<B>::convolution_kernel;

  void run(op_context<B>& c) override {
    if constexpr (has_epilogues<B>) {
      this->run_part(c, {.kind = op_part::kinds::whole, .relu = true});
    } else {
      convolution_kernel<B>::run(c);
      visit_type<float, double>(c.type(0), [&]<class T>(T) {
        T* const y = c.template output<T>(0);
        map<B, functions::relu<T>>(static_cast<T const*>(y), y, c.output_size(0));
      });
    }
  }
  // A sum that follows would be computed before Relu.
  void patterns(op_context<B> const&, std::vector<op_pattern<B>>&) const override {}
};

/// Adds ConvRelu: float and double.
template <backend B>
void add_convolution_relu_operators(operators<B>& table) {
  op_schema schema("ConvRelu");
  table.template add<convolution_relu_kernel>(
      std::move(detail::describe_convolution(schema).describe("Y = Relu(Conv(X, W, [b]))")));
}

}  // namespace plait
