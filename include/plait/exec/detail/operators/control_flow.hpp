// Control flow: If and While, which run nested nets.
#pragma once

#include <cstdint>
#include <memory>

#include <plait/exec/detail/engine/engine.hpp>
#include <plait/exec/detail/nets_of_op.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operand_frame.hpp>
#include <plait/exec/detail/run_options.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {
/// Reads the condition. Throws unless it is one bool.
template <backend B>
bool read_condition(void const* data, tensor_spec const& type) {
  if (type.type != element_type::boolean || type.dims.size() != 1)
    op_context<B>::fail("the condition is " + to_string(type) + ", which should be one bool");
  bool holds = false;
  B::copy_to_host(&holds, data, sizeof holds);
  return holds;
}
}  // namespace detail

/// Runs then_net if the condition holds, else else_net if there is one. The nets share the blobs of the enclosing net;
/// a blob that the executed net does not write keeps its value.
template <backend B>
class if_kernel : public op_kernel<B>, public runs_nets<B> {
 public:
  if_kernel(op_arguments const&, nets_of_op<B> const& nets) : frame_(nets), then_(frame_.compile(nets, "then_net")) {
    if (nets.has("else_net")) else_ = frame_.compile(nets, "else_net");
  }
  void infer(shape_context&) override {}
  void run(op_context<B>& c) override {
    bool const holds = detail::read_condition<B>(c.raw_input(0), c.input_spec(0));
    frame_.run(c, [&] {
      if (holds)
        run_nested(*then_, "then_net", c.options());
      else if (else_ != nullptr)
        run_nested(*else_, "else_net", c.options());
    });
  }
  void for_each_net(typename runs_nets<B>::visitor const& visit) const override {
    visit("then_net", *then_, "");
    if (else_ != nullptr) visit("else_net", *else_, "");
  }

 private:
  operand_frame<B> frame_;
  std::unique_ptr<engine<B>> then_;
  std::unique_ptr<engine<B>> else_;
};

/// Runs loop_net while the condition, input 0, holds. loop_net may write it, and so may cond_net, which runs before
/// each test. Obeys the stop token and the iteration limit of run_options.
template <backend B>
class while_kernel : public op_kernel<B>, public runs_nets<B> {
 public:
  while_kernel(op_arguments const&, nets_of_op<B> const& nets)
      : frame_(nets),
        condition_(&frame_.blobs().local(nets.input_names().front())),
        loop_(frame_.compile(nets, "loop_net")) {
    if (nets.has("cond_net")) test_ = frame_.compile(nets, "cond_net");
  }
  void infer(shape_context&) override {}
  void run(op_context<B>& c) override {
    static_cast<void>(detail::read_condition<B>(c.raw_input(0), c.input_spec(0)));
    run_options const& options = c.options();
    frame_.run(c, [&] {
      for (std::uint64_t iterations = 0;; ++iterations) {
        if (options.stop.stop_requested()) throw run_cancelled(0);
        if (test_ != nullptr) run_nested(*test_, "cond_net", options);
        if (!detail::read_condition<B>(condition_->value.raw(), condition_->spec())) break;
        if (iterations == options.iteration_limit) throw iteration_limit_reached(iterations);
        run_nested(*loop_, "loop_net", options);
      }
    });
  }
  void for_each_net(typename runs_nets<B>::visitor const& visit) const override {
    if (test_ != nullptr) visit("cond_net", *test_, "");
    visit("loop_net", *loop_, "");
  }

 private:
  operand_frame<B> frame_;
  blob<B>* condition_;
  std::unique_ptr<engine<B>> loop_;
  std::unique_ptr<engine<B>> test_;
};

/// Adds If, While.
template <backend B>
void add_control_flow_operators(operators<B>& table) {
  table.template add<if_kernel>(
      op_schema("If")
          .inputs(1, npos)
          .outputs(0, npos)
          .results_after_run()
          .requires_first_input_only()
          .side_effects()
          .differs_by_run()
          .required_net_argument("then_net", "run if the condition holds")
          .net_argument("else_net", "run if it does not")
          .without_caffe2_schema()
          .describe("runs one of two nets, as input 0, one bool, says; they share the blobs of the net around"));
  table.template add<while_kernel>(
      op_schema("While")
          .inputs(1, npos)
          .outputs(0, npos)
          .results_after_run()
          .requires_first_input_only()
          .side_effects()
          .differs_by_run()
          .required_net_argument("loop_net", "run as long as the condition holds")
          .net_argument("cond_net", "run before each test of the condition")
          .without_caffe2_schema()
          .describe("runs a net as long as input 0, one bool, holds; nets share the blobs of the net around"));
}

}  // namespace plait
