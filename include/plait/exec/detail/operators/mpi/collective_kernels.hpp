// MPICreateCommonWorld, MPIBroadcast, MPIReduce, MPIAllreduce, MPIAllgather: Caffe2's collective operators.
// MPIAllgatherV: rows, of which each rank may have another number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/nets_of_op.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/mpi/communicator.hpp>
#include <plait/exec/detail/operators/mpi/kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait::detail::mpi {

/// Kernel of MPICreateCommonWorld. All runs return the communicator of the first.
template <backend B>
class create_common_world_kernel final : public op_kernel<B> {
 public:
  create_common_world_kernel(nets_of_op<B> const& nets, limits const& within)
      : job_(std::make_shared<create_job>(described(nets))), limits_(within) {}
  void infer(shape_context&) override {}
  void run(op_context<B>& c) override {
    if (made_ == nullptr) {
      progress& thread = progress::shared();
      static_cast<void>(thread.world());
      job_->begin(c.run_number(), limits_);
      thread.submit(thread.world_channel(), job_);
      thread.wait(*job_);
      made_ = std::make_shared<communicator>(job_->made, limits_);
    }
    c.result(0) = {{}, made_, true};
  }

 private:
  static std::shared_ptr<call const> described(nets_of_op<B> const& nets) {
    auto made = std::make_shared<call>("MPICreateCommonWorld");
    made->add(nets.output_names().empty() ? std::string() : nets.output_names()[0], "a communicator");
    return made;
  }

  std::shared_ptr<create_job> job_;
  limits limits_;
  std::shared_ptr<communicator> made_;
};

template <backend B>
class broadcast_kernel final : public mpi_kernel<B> {
 public:
  explicit broadcast_kernel(op_arguments const& a) : root_(a) {}
  void infer(shape_context& c) override {
    c.expect(c.dims(1).size() > 0, 1, "have elements");
    job_ = std::make_shared<broadcast_job>(this->call_on(c, "MPIBroadcast", root_.text()),
                                           root_.rank(this->size_of_world()));
    job_->bytes.resize(c.input(1).bytes());
    c.output(0, c.type(1), c.dims(1));
  }
  void run(op_context<B>& c) override {
    communicator const& on = this->communicator_of(c);
    bool const is_root = on.rank() == root_.rank(on.size());
    if (is_root) B::copy_to_host(job_->bytes.data(), c.raw_input(1), job_->bytes.size());
    on.run(job_, c.run_number());
    if (!is_root) B::copy_from_host(c.raw_output(0), job_->bytes.data(), job_->bytes.size());
  }

 private:
  root_argument root_;
  std::shared_ptr<broadcast_job> job_;
};

/// Kernel of MPIReduce. The output of other ranks than the root is zero.
template <backend B>
class reduce_kernel final : public mpi_kernel<B> {
 public:
  explicit reduce_kernel(op_arguments const& a) : root_(a) {}
  void infer(shape_context& c) override {
    expect_summable(c, 1);
    job_ =
        std::make_shared<sum_job>(this->call_on(c, "MPIReduce", root_.text()), sum_type(c.type(1)),
                                  static_cast<std::size_t>(c.dims(1).size()), root_.rank(this->size_of_world()), false);
    c.output(0, c.type(1), c.dims(1));
  }
  void run(op_context<B>& c) override {
    communicator const& on = this->communicator_of(c);
    copy_terms<B>(job_->bytes.data(), c.raw_input(1), c.type(1), job_->count());
    on.run(job_, c.run_number());
    if (on.rank() != root_.rank(on.size())) std::memset(job_->bytes.data(), 0, job_->bytes.size());
    copy_sums<B>(c.raw_output(0), job_->bytes.data(), c.output_spec(0).type, job_->count(), 1);
  }

 private:
  root_argument root_;
  std::shared_ptr<sum_job> job_;
};

template <backend B>
class allreduce_kernel final : public mpi_kernel<B> {
 public:
  explicit allreduce_kernel(op_arguments const& a) : average_(a.flag("average")), ordered_(a.flag("ordered")) {}
  void infer(shape_context& c) override {
    expect_summable(c, 1);
    if (average_) c.template expect_type<float, double, float16, bfloat16>(1);
    job_ = std::make_shared<sum_job>(this->call_on(c, "MPIAllreduce", sum_arguments(average_, ordered_)),
                                     sum_type(c.type(1)), static_cast<std::size_t>(c.dims(1).size()), sum_job::no_root,
                                     ordered_);
    c.output(0, c.type(1), c.dims(1));
  }
  void run(op_context<B>& c) override {
    communicator const& on = this->communicator_of(c);
    copy_terms<B>(job_->bytes.data(), c.raw_input(1), c.type(1), job_->count());
    on.run(job_, c.run_number());
    copy_sums<B>(c.raw_output(0), job_->bytes.data(), c.output_spec(0).type, job_->count(), average_ ? on.size() : 1);
  }

 private:
  bool average_;
  bool ordered_;
  std::shared_ptr<sum_job> job_;
};

template <backend B>
class allgather_kernel final : public mpi_kernel<B> {
 public:
  explicit allgather_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    c.expect_rank(1, 1);
    int const ranks = this->size_of_world();
    this->expect_countable(c, 1, ranks);
    job_ = std::make_shared<gather_job>(this->call_on(c, "MPIAllgather"), size_of(c.type(1)),
                                        static_cast<std::size_t>(c.dims(1).size()), ranks);
    shape dims = c.dims(1);
    dims.set(0, dims[0] * ranks);
    c.output(0, c.type(1), dims);
  }
  void run(op_context<B>& c) override {
    communicator const& on = this->communicator_of(c);
    B::copy_to_host(job_->own.data(), c.raw_input(1), job_->own.size());
    on.run(job_, c.run_number());
    B::copy_from_host(c.raw_output(0), job_->all.data(), job_->all.size());
  }

 private:
  std::shared_ptr<gather_job> job_;
};

template <backend B>
class allgather_rows_kernel final : public mpi_kernel<B> {
 public:
  allgather_rows_kernel(op_arguments const& a, nets_of_op<B> const& nets)
      : blob_(nets.input_names().size() < 2 ? std::string() : nets.input_names()[1]), average_(a.flag("average")) {}
  void infer(shape_context& c) override { c.expect_rank(1, 1); }
  void run(op_context<B>& c) override {
    communicator const& on = this->communicator_of(c);
    tensor_spec const& type = c.input_spec(1);
    if (size_of(type.type) == 0 || type.dims.rank() == 0)
      c.fail("input 1 is " + to_string(type) + ", which should be a tensor with rows");
    if (average_ && type.type != element_type::float32 && type.type != element_type::float64)
      c.fail("input 1 is " + to_string(type) + ", which should be of float or double for an average");
    if (job_ == nullptr || type != type_) {
      shape row = type.dims;
      row.erase(0);
      auto what = std::make_shared<call>("MPIAllgatherV");
      what->add(blob_, "rows of " + to_string(tensor_spec{type.type, row}));
      job_ = std::make_shared<gather_rows_job>(std::move(what), size_of(type.type),
                                               static_cast<std::size_t>(row.size()), type.dims[0]);
      type_ = type;
    }
    B::copy_to_host(job_->own.data(), c.raw_input(1), job_->own.size());
    on.run(job_, c.run_number());
    shape dims = type.dims;
    if (average_)
      visit_type<float, double>(type.type, [&]<class T>(T) {
        auto* const all = reinterpret_cast<T*>(job_->all.data());
        for (std::size_t i = 0; i != job_->all.size() / sizeof(T); ++i) all[i] /= static_cast<T>(on.size());
      });
    std::int64_t rows = 0;
    for (std::int64_t const each : job_->rows) rows += each;
    dims.set(0, rows);
    auto all = tensor<B>::uninitialized(type.type, dims);
    B::copy_from_host(all.raw(), job_->all.data(), all.bytes());
    c.result(0) = {std::move(all), nullptr, true};
    if (c.output_count() < 2) return;
    std::vector<std::int32_t> counts;
    for (std::int64_t const each : job_->rows) counts.push_back(static_cast<std::int32_t>(each));
    c.result(1) = {tensor<B>::from(counts, {static_cast<std::int64_t>(counts.size())}), nullptr, true};
  }

 private:
  std::string blob_;
  bool average_;
  tensor_spec type_;
  std::shared_ptr<gather_rows_job> job_;
};

/// Returns the schema of an operator on a communicator.
inline op_schema schema_on_communicator(std::string_view type) {
  op_schema made(type);
  made.takes_objects().side_effects().differs_by_run().checks_first().in_order(0);
  return made;
}

inline op_schema& add_root(op_schema& schema) {
  return schema.argument("root", std::int64_t{0}, "the rank that has the elements, or gets the sum");
}

template <backend B>
void add_collective_operators(operators<B>& table, limits const& within) {
  table.add(op_schema("MPICreateCommonWorld")
                .inputs(0)
                .outputs(1)
                .results_after_run()
                .side_effects()
                .differs_by_run()
                .checks_first()
                .describe("a communicator of all ranks"),
            [within](op_arguments const&, nets_of_op<B> const& nets) -> std::unique_ptr<op_kernel<B>> {
              return std::make_unique<create_common_world_kernel<B>>(nets, within);
            });
  auto schema = schema_on_communicator("MPIBroadcast");
  add_root(schema.inputs(2).outputs(1).updates(1, 0).in_caffe2([](op_arguments const& a) -> shape_check {
    caffe2::expect_in_place(a, {1, 0});
    return {};
  }));
  table.template add<broadcast_kernel<B>>(schema.describe("X of rank `root`; inputs communicator, X"));
  schema = schema_on_communicator("MPIReduce");
  add_root(schema.inputs(2).outputs(1));
  table.template add<reduce_kernel<B>>(
      schema.describe("sum of X over all ranks, on rank `root`, zero elsewhere; inputs communicator, X"));
  table.template add<allreduce_kernel<B>>(
      schema_on_communicator("MPIAllreduce")
          .inputs(2)
          .outputs(1)
          .in_place(1, 0)
          .argument("average", std::int64_t{0}, "1: divide the sum by the number of ranks")
          .ignored_in_caffe2("average")
          .argument("ordered", std::int64_t{0}, "1: sum in the order of ranks, whatever the library's algorithm is")
          .ignored_in_caffe2("ordered")
          .describe("sum of X over all ranks; inputs communicator, X"));
  table.template add<allgather_kernel<B>>(
      schema_on_communicator("MPIAllgather")
          .inputs(2)
          .outputs(1)
          .describe("X of all ranks, concatenated along the first axis; inputs communicator, X"));
  table.template add<allgather_rows_kernel<B>>(
      schema_on_communicator("MPIAllgatherV")
          .inputs(2)
          .outputs(1, 2)
          .results_after_run()
          .argument("average", std::int64_t{0}, "1: divides the elements by the number of ranks")
          .without_caffe2_schema()
          .describe("like MPIAllgather, for X with another number of rows on each rank; outputs Y and the numbers"));
}

}  // namespace plait::detail::mpi
