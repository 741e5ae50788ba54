// MPIAllreduceBegin and MPIAllreduceEnd: a non-blocking sum of several tensors, as one bucket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/mpi/collective_kernels.hpp>
#include <plait/exec/detail/operators/mpi/communicator.hpp>
#include <plait/exec/detail/operators/mpi/kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait::detail::mpi {

/// Returns the number of elements of tensors of one type, from input 1 on.
template <class Context>
std::size_t bucket_size(Context const& c) {
  std::size_t count = 0;
  for (std::size_t i = 1; i != c.input_count(); ++i) count += static_cast<std::size_t>(c.dims(i).size());
  return count;
}

/// Kernel of MPIAllreduceBegin: copies the inputs into a bucket, and hands it to the progress thread. The output is the
/// number of the request.
template <backend B>
class allreduce_begin_kernel final : public mpi_kernel<B> {
 public:
  explicit allreduce_begin_kernel(op_arguments const& a) : average_(a.flag("average")), ordered_(a.flag("ordered")) {}
  ~allreduce_begin_kernel() override { pending_sums::shared().take(request_); }

  void infer(shape_context& c) override {
    for (std::size_t i = 1; i != c.input_count(); ++i) {
      expect_summable(c, i);
      c.expect_same_type(1, i);
      if (average_) c.template expect_type<float, double, float16, bfloat16>(i);
    }
    auto made = std::make_shared<call>("MPIAllreduceBegin", sum_arguments(average_, ordered_));
    for (std::size_t i = 1; i != c.input_count(); ++i) made->add(c.input_name(i), c.input(i));
    call_ = std::move(made);
    job_ = nullptr;
    c.output(0, element_type::int64, {1});
  }
  void run(op_context<B>& c) override {
    communicator const& on = this->communicator_of(c);
    pending_sums::shared().take(request_);  // one that no MPIAllreduceEnd has waited for
    // A job that is still in use belongs to its request.
    if (job_ == nullptr || job_.use_count() != 1)
      job_ = std::make_shared<sum_job>(call_, sum_type(c.type(1)), bucket_size(c), sum_job::no_root, ordered_);
    std::byte* to = job_->bytes.data();
    for (std::size_t i = 1; i != c.input_count(); ++i) {
      copy_terms<B>(to, c.raw_input(i), c.type(i), c.size(i));
      to += c.size(i) * size_of(job_->type());
    }
    on.begin(job_, c.run_number());
    request_ = pending_sums::shared().add({job_, average_ ? on.size() : 1});
    B::copy_from_host(c.raw_output(0), &request_, sizeof request_);
  }

 private:
  bool average_;
  bool ordered_;
  std::shared_ptr<call const> call_;
  std::shared_ptr<sum_job> job_;
  std::int64_t request_ = 0;
};

/// Kernel of MPIAllreduceEnd: waits for the sums and copies them to the outputs.
template <backend B>
class allreduce_end_kernel final : public mpi_kernel<B> {
 public:
  explicit allreduce_end_kernel(op_arguments const& a) {
    if (a.input_count() != a.output_count() + 1)
      shape_context::fail("there are " + std::to_string(a.input_count() - 1) + " inputs after the request, and " +
                          std::to_string(a.output_count()) + " outputs, which should be as many");
  }
  void infer(shape_context& c) override {
    c.template expect_type<std::int64_t>(0);
    c.expect(c.dims(0).size() == 1, 0, "be a request of MPIAllreduceBegin");
    for (std::size_t i = 1; i != c.input_count(); ++i) {
      c.expect_same_type(1, i);
      c.output(i - 1, c.type(i), c.dims(i));
    }
  }
  void run(op_context<B>& c) override {
    std::int64_t request = 0;
    B::copy_to_host(&request, c.raw_input(0), sizeof request);
    pending_sum const found = pending_sums::shared().take(request);
    if (found.job == nullptr)
      c.fail("request " + std::to_string(request) + " is not pending: it has been ended before");
    progress::shared().wait(*found.job);
    if (sum_type(c.type(1)) != found.job->type() || bucket_size(c) != found.job->count())
      c.fail("the request sums " + std::to_string(found.job->count()) + " elements, " +
             std::string(to_string(found.job->type())) + ", not the inputs after it");
    std::byte* from = found.job->bytes.data();
    for (std::size_t o = 0; o != c.output_count(); ++o) {
      copy_sums<B>(c.raw_output(o), from, c.output_spec(o).type, c.output_size(o), found.divisor);
      from += c.output_size(o) * size_of(found.job->type());
    }
  }
};

template <backend B>
void add_overlap_operators(operators<B>& table) {
  table.template add<allreduce_begin_kernel<B>>(
      schema_on_communicator("MPIAllreduceBegin")
          .inputs(2, npos)
          .outputs(1)
          .argument("average", std::int64_t{0}, "1: MPIAllreduceEnd divides the sums by the number of ranks")
          .argument("ordered", std::int64_t{0}, "1: sum in the order of ranks, whatever the library's algorithm is")
          .without_caffe2_schema()
          .describe("begins to sum tensors of one type over all ranks; inputs communicator, X1, …; output a request"));
  op_schema end("MPIAllreduceEnd");
  end.inputs(2, npos).outputs(1, npos).side_effects().differs_by_run().checks_first().without_caffe2_schema().describe(
      "waits for sums; inputs the request, and tensors with the shapes of the outputs");
  // An output beyond these has memory of its own.
  for (std::size_t i = 0; i != 32; ++i) end.in_place(i + 1, i);
  table.template add<allreduce_end_kernel<B>>(end);
}

}  // namespace plait::detail::mpi
