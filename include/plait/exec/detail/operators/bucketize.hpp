// Bucketize: the interval between sorted boundaries in which each element is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/exec/detail/kernels/map.hpp>
#include <plait/exec/detail/kernels/upload_scalars.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace functions {

/// Returns how many of the ascending boundaries are below x; 0 for NaN.
template <class T>
struct bucket_of {
  float const* boundaries;
  std::int32_t count;
  PLAIT_HOST_DEVICE std::int32_t operator()(T x) const {
    std::int32_t first = 0;
    std::int32_t last = count;
    while (first < last) {
      std::int32_t const middle = first + (last - first) / 2;
      if (static_cast<T>(boundaries[middle]) < x)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }
};

}  // namespace functions

template <backend B>
class bucketize_kernel final : public op_kernel<B> {
 public:
  explicit bucketize_kernel(op_arguments const& a) : boundaries_(a.reals("boundaries")) {
    if (!std::ranges::is_sorted(boundaries_)) a.fail("boundaries", "must ascend");
  }
  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    c.output(0, element_type::int32, c.dims(0));
    if constexpr (B::on_device) c.scratch(boundaries_.size() * sizeof(float));
  }
  void run(op_context<B>& c) override {
    float const* list = boundaries_.data();
    if constexpr (B::on_device) {
      auto* const uploaded = static_cast<float*>(c.scratch());
      upload_scalars<B>(uploaded, list, boundaries_.size());
      list = uploaded;
    }
    auto const count = static_cast<std::int32_t>(boundaries_.size());
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      map<B>(c.template input<T>(0), c.template output<std::int32_t>(0), c.size(0),
             functions::bucket_of<T>{list, count});
    });
  }

 private:
  std::vector<float> boundaries_;
};

/// Adds Bucketize: float and double.
template <backend B>
void add_bucketize_operators(operators<B>& table) {
  table.template add<bucketize_kernel>(
      op_schema("Bucketize")
          .inputs(1)
          .outputs(1)
          .rows_independent()
          .checks_first()
          .argument("boundaries", std::vector<float>(), "ascending")
          .no_doubles_in_caffe2()
          .describe("Y = how many boundaries are below X, int32: boundary i - 1 < X <= boundary i gives i"));
}

}  // namespace plait

PLAIT_KERNELS_END
