// CreateMutex and AtomicIter: an iteration counter that several nets share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include <plait/exec/detail/blob.hpp>
#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Content of a blob that CreateMutex makes.
class mutex_blob final : public blob_object {
 public:
  std::string_view kind() const override { return "mutex"; }
  std::mutex mutex;
};

template <backend B>
class create_mutex_kernel final : public op_kernel<B> {
 public:
  explicit create_mutex_kernel(op_arguments const&) {}
  void infer(shape_context&) override {}
  void run(op_context<B>& c) override { c.result(0) = {{}, std::make_shared<mutex_blob>(), true}; }
};

/// Kernel of AtomicIter: increments input 1 while it holds the mutex in input 0.
template <backend B>
class atomic_iter_kernel final : public op_kernel<B> {
 public:
  explicit atomic_iter_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    c.template expect_type<std::int64_t>(1);
    c.expect(c.dims(1).size() == 1, 1, "be one number");
    c.output(0, c.type(1), c.dims(1));
  }
  void run(op_context<B>& c) override {
    auto const object = std::dynamic_pointer_cast<mutex_blob>(c.object(0));
    if (object == nullptr) c.fail("input 0 is " + to_string(c.input_spec(0)) + ", which should be a mutex");
    auto const* const from = c.template input<std::int64_t>(1);
    auto* const to = c.template output<std::int64_t>(0);
    std::lock_guard const lock(object->mutex);
    for_each_index<B>(1, [=] PLAIT_HOST_DEVICE(std::size_t) { *to = *from + 1; });
    if constexpr (B::on_device) B::synchronize();
  }
};

namespace detail::caffe2 {

/// Restriction of AtomicIter: the output has the name of input 1.
inline shape_check atomic_iter(op_arguments const& a) {
  expect_in_place(a, {1, 0});
  return {};
}

}  // namespace detail::caffe2

/// Adds CreateMutex, AtomicIter.
template <backend B>
void add_mutex_operators(operators<B>& table) {
  table.template add<create_mutex_kernel<B>>(op_schema("CreateMutex")
                                                 .inputs(0)
                                                 .outputs(1)
                                                 .results_after_run()
                                                 .side_effects()
                                                 .differs_by_run()
                                                 .checks_first()
                                                 .describe("makes a mutex for AtomicIter"));
  table.template add<atomic_iter_kernel<B>>(
      op_schema("AtomicIter")
          .inputs(2)
          .outputs(1)
          .updates(1, 0)
          .takes_objects()
          .side_effects()
          .differs_by_run()
          .checks_first()
          .in_caffe2(detail::caffe2::atomic_iter)
          .describe("iteration: int64 1, counted up by one; inputs mutex, iteration"));
}

}  // namespace plait

PLAIT_KERNELS_END
