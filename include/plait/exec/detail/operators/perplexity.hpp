// Perplexity of the probabilities that a model gives to the true labels.
#pragma once

#include <cstddef>

#include <plait/exec/detail/kernels/reduce.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct log_of_element {
  T const* x;
  PLAIT_HOST_DEVICE T operator()(std::size_t, std::size_t i) const { return math::log(x[i]); }
};
// Replaces the sum of logarithms by the perplexity.
template <class T>
struct perplexity_of_sum {
  T* y;
  std::size_t count;
  PLAIT_HOST_DEVICE void operator()(std::size_t) const {
    *y = count == 0 ? T(1) : math::exp(-*y / static_cast<T>(count));
  }
};

}  // namespace detail

template <backend B>
class perplexity_kernel final : public op_kernel<B> {
 public:
  explicit perplexity_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    c.expect(c.dims(0).rank() != 0 && c.dims(0).size() == c.dims(0)[0], 0, "be a vector");
    c.output(0, c.type(0), {});
    c.scratch(row_partials(1, static_cast<std::size_t>(c.dims(0).size())) * size_of(c.type(0)));
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T* const y = c.template output<T>(0);
      std::size_t const count = c.size(0);
      reduce_rows<B, sum_reduction>(1, count, detail::log_of_element<T>{c.template input<T>(0)}, y,
                                    static_cast<T*>(c.scratch()));
      for_each_index<B>(1, detail::perplexity_of_sum<T>{y, count});
    });
  }
};

/// Adds Perplexity: float and double.
template <backend B>
void add_perplexity_operator(operators<B>& table) {
  table.template add<perplexity_kernel<B>>(op_schema("Perplexity")
                                               .inputs(1)
                                               .outputs(1)
                                               .checks_first()
                                               .no_doubles_in_caffe2()
                                               .describe("Y = e^(the mean of -ln X), a scalar; 1 of nothing"));
}

}  // namespace plait

PLAIT_KERNELS_END
