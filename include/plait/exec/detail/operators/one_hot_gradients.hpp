// The gradient of MakeTwoClass.
#pragma once

#include <cstddef>

#include <plait/exec/detail/operators/one_hot.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct two_class_gradient {
  T const* from;
  T* to;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { to[i] = from[2 * i + 1] - from[2 * i]; }
};

}  // namespace detail

template <backend B>
struct make_two_class_gradient_kernel : op_kernel<B> {
  explicit make_two_class_gradient_kernel(op_arguments const&) {}

  void infer(shape_context& c) override {
    c.expect_type<float, double>(0);
    c.expect_rank(0, 1);
    shape made = c.dims(0);
    c.expect(made[made.rank() - 1] == 2, 0, "have a last axis of 2");
    made.erase(made.rank() - 1);
    c.output(0, c.type(0), made);
  }
  void run(op_context<B>& c) override {
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      for_each_index<B>(c.output_size(0),
                        detail::two_class_gradient<T>{c.template input<T>(0), c.template output<T>(0)});
    });
  }
};

/// MakeTwoClassGradient: float and double.
template <backend B>
void add_one_hot_gradient_operators(operators<B>& table) {
  table.template add<make_two_class_gradient_kernel>(op_schema("MakeTwoClassGradient")
                                                         .inputs(1)
                                                         .outputs(1)
                                                         .rows_independent()
                                                         .checks_first()
                                                         .describe("dX = dY[..., 1] - dY[..., 0]; input dY: …×2"));
}

}  // namespace plait

PLAIT_KERNELS_END
