// MPISendTensor and MPIReceiveTensor: a tensor from one rank to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/mpi/collective_kernels.hpp>
#include <plait/exec/detail/operators/mpi/kernel.hpp>
#include <plait/exec/detail/operators/mpi/messages.hpp>
#include <plait/exec/operators.hpp>

namespace plait::detail::mpi {

/// Other rank and tag of a message: from arguments, or from inputs 2 and 3. Absent ones are any rank and any tag.
class message_address {
 public:
  message_address(op_arguments const& a, std::string_view rank)
      : by_inputs_(a.input_count() == 4), rank_(number(a, rank)), tag_(number(a, "tag")) {
    if (a.input_count() == 3) shape_context::fail("a third input needs a fourth, the tag");
    if (!a.flag("raw_buffer")) a.fail("raw_buffer", "is 0: only the elements of tensors can be sent, not whole blobs");
  }

  bool is_complete() const noexcept { return by_inputs_ || (rank_ >= 0 && tag_ >= 0); }
  std::string text() const {
    auto const one = [](std::int64_t number) { return number < 0 ? std::string("any") : std::to_string(number); };
    return by_inputs_ ? std::string() : "rank " + one(rank_) + ", tag " + one(tag_);
  }
  void infer(shape_context const& c) const {
    for (std::size_t i = 2; i < c.input_count(); ++i) {
      c.template expect_type<std::int32_t>(i);
      c.expect(c.dims(i).size() == 1, i, "be one number");
    }
  }
  /// Sets the address of a job. Throws shape_error for ranks that do not exist, and the rank itself.
  template <backend B>
  void set(op_context<B>& c, communicator const& on, message_job& to) const {
    std::int64_t rank = rank_;
    std::int64_t tag = tag_;
    for (std::size_t i = 2; i < c.input_count(); ++i) {
      std::int32_t read = 0;
      B::copy_to_host(&read, c.raw_input(i), sizeof read);
      (i == 2 ? rank : tag) = read;
    }
    if (rank >= on.size()) c.fail("there is no rank " + std::to_string(rank) + " of " + std::to_string(on.size()));
    if (rank == on.rank()) c.fail("rank " + std::to_string(rank) + " is the rank itself");
    to.address(rank < 0 ? MPI_ANY_SOURCE : static_cast<int>(rank), tag < 0 ? MPI_ANY_TAG : static_cast<int>(tag));
  }

 private:
  static std::int64_t number(op_arguments const& a, std::string_view name) {
    std::int64_t const found = a.has(name) ? a.integer(name) : -1;
    if (found > std::numeric_limits<std::int16_t>::max()) a.fail(name, "exceeds 32767");
    return found;
  }

  bool by_inputs_;
  std::int64_t rank_;
  std::int64_t tag_;
};

template <backend B>
class send_kernel final : public mpi_kernel<B> {
 public:
  explicit send_kernel(op_arguments const& a) : address_(a, "dst") {
    if (!address_.is_complete()) a.fail("dst", "and 'tag' are needed, or inputs with them");
  }
  void infer(shape_context& c) override {
    address_.infer(c);
    job_ = std::make_shared<send_job>(this->call_on(c, "MPISendTensor", address_.text()), c.input(1), c.input_name(1));
  }
  void run(op_context<B>& c) override {
    communicator const& on = this->communicator_of(c);
    address_.set(c, on, *job_);
    if (job_->other() < 0 || job_->tag() < 0) c.fail("the inputs name no rank to send to, or no tag");
    B::copy_to_host(job_->bytes.data(), c.raw_input(1), job_->bytes.size());
    on.run(job_, c.run_number());
  }

 private:
  message_address address_;
  std::shared_ptr<send_job> job_;
};

template <backend B>
class receive_kernel final : public mpi_kernel<B> {
 public:
  explicit receive_kernel(op_arguments const& a) : address_(a, "src") {}
  void infer(shape_context& c) override {
    address_.infer(c);
    job_ = std::make_shared<receive_job>(this->call_on(c, "MPIReceiveTensor", address_.text()), c.input(1),
                                         c.input_name(1));
    c.output(0, c.type(1), c.dims(1));
    c.output(1, element_type::int32, {});
    c.output(2, element_type::int32, {});
  }
  void run(op_context<B>& c) override {
    communicator const& on = this->communicator_of(c);
    address_.set(c, on, *job_);
    on.run(job_, c.run_number());
    B::copy_from_host(c.raw_output(0), job_->bytes.data(), job_->bytes.size());
    std::int32_t const from = job_->other();
    std::int32_t const tag = job_->tag();
    B::copy_from_host(c.raw_output(1), &from, sizeof from);
    B::copy_from_host(c.raw_output(2), &tag, sizeof tag);
  }

 private:
  message_address address_;
  std::shared_ptr<receive_job> job_;
};

template <backend B>
void add_message_operators(operators<B>& table) {
  auto const add_arguments = [](op_schema& schema, std::string_view rank, std::string_view text) -> op_schema& {
    return schema.argument(rank, std::int64_t{-1}, text)
        .argument("tag", std::int64_t{-1}, "of the message")
        .argument("raw_buffer", std::int64_t{0}, "must be 1: elements are sent, not blobs");
  };
  auto schema = schema_on_communicator("MPISendTensor");
  schema.inputs(2, 4).outputs(0);
  table.template add<send_kernel<B>>(
      add_arguments(schema, "dst", "the rank to send to")
          .describe("sends X, and waits until it is received; inputs communicator, X, and optionally rank and tag"));
  schema = schema_on_communicator("MPIReceiveTensor");
  schema.inputs(2, 4).outputs(3).in_place(1, 0);
  table.template add<receive_kernel<B>>(
      add_arguments(schema, "src", "the rank to receive from; -1: any")
          .describe(
              "receives a tensor with the type and shape of X; inputs as of MPISendTensor; outputs Y, rank, tag"));
}

}  // namespace plait::detail::mpi
