// Do, CreateScope and HasScope: nets run in separate workspaces, which a stack keeps for gradient ops.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/exec/detail/engine/engine.hpp>
#include <plait/exec/detail/nets_of_op.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operand_frame.hpp>
#include <plait/exec/detail/run_options.hpp>
#include <plait/exec/detail/workspace_stack.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {
/// Bindings of names in the net of a Do to blobs of the enclosing net, with Caffe2's checks.
class do_bindings {
 public:
  struct binding {
    std::string inner;
    std::string outer;
    bool output;
  };

  do_bindings(op_arguments const& a, std::span<std::string const> inputs, std::span<std::string const> outputs) {
    inputs = inputs.first(a.input_count());
    outputs = outputs.first(a.output_count());
    if (inputs.back() != outputs.back())
      fail("the last input is '" + inputs.back() + "', the last output '" + outputs.back() +
           "'; both should be the stack of workspaces");
    expect_unique(inputs, "input");
    expect_unique(outputs, "output");
    std::vector<std::string_view> outer;
    for (std::string const& name : inputs.first(inputs.size() - 1)) outer.push_back(name);
    for (std::string const& name : outputs.first(outputs.size() - 1)) outer.push_back(name);

    auto const& inner = a.texts("inner_blobs");
    auto const& places = a.integers("outer_blobs_idx");
    if (inner.size() != places.size())
      fail("inner_blobs has " + std::to_string(inner.size()) + " names, outer_blobs_idx " +
           std::to_string(places.size()) + " numbers");
    expect_unique(inner, "name in inner_blobs");
    boost::unordered_flat_set<std::string_view> const written(outputs.begin(), outputs.end());
    for (std::size_t i = 0; i != inner.size(); ++i) {
      if (places[i] < 0 || static_cast<std::size_t>(places[i]) >= outer.size())
        fail("outer_blobs_idx has " + std::to_string(places[i]) + " for '" + inner[i] + "', but there are " +
             std::to_string(outer.size()) + " blobs to bind");
      std::string const name(outer[static_cast<std::size_t>(places[i])]);
      all_.push_back({inner[i], name, written.contains(name)});
    }
    std::vector<std::string> bound;
    bound.reserve(all_.size());
    for (binding const& b : all_) bound.push_back(b.outer);
    std::ranges::sort(bound);
    if (auto const twice = std::ranges::adjacent_find(bound); twice != bound.end())
      fail("two names inside stand for '" + *twice + '\'');
    for (std::string_view const name : outer)
      if (!std::ranges::binary_search(bound, name, {}, [](std::string const& s) { return std::string_view(s); }))
        fail("nothing inside stands for '" + std::string(name) + '\'');
  }

  std::vector<binding> const& all() const noexcept { return all_; }

 private:
  [[noreturn]] static void fail(std::string const& why) { throw shape_error("plait: " + why); }
  static void expect_unique(std::span<std::string const> names, std::string_view what) {
    std::vector<std::string_view> sorted(names.begin(), names.end());
    std::ranges::sort(sorted);
    if (auto const twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
      fail("'" + std::string(*twice) + "' is " +
           (what == "input"    ? "an "
            : what == "output" ? "an "
                               : "a ") +
           std::string(what) + " twice");
  }

  std::vector<binding> all_;
};

template <backend B>
std::shared_ptr<workspace_stack<B>> as_stack(std::shared_ptr<blob_object> const& object) {
  return std::dynamic_pointer_cast<workspace_stack<B>>(object);
}
}  // namespace detail

/// Runs a net that sees only the names bound to the op's operands. A forward op pushes a workspace on the stack, which
/// keeps the results of the net (with copy_external_blobs also copies of the final values of bound names); a gradient
/// op pops that workspace and reads them. A name of the gradient that is both bound to an input and copied by the
/// forward op refers to the copy.
template <backend B>
class do_kernel : public op_kernel<B>, public runs_nets<B> {
 public:
  do_kernel(op_arguments const& a, nets_of_op<B> const& nets)
      : frame_(nets),
        gradient_(a.is_gradient() || a.flag("is_gradient_op")),
        copies_(a.flag("copy_external_blobs")),
        reuses_(a.flag("reuse_workspace")) {
    if (gradient_ && reuses_) op_context<B>::fail("a gradient op cannot have reuse_workspace");
    if (copies_ && reuses_) op_context<B>::fail("copy_external_blobs and reuse_workspace exclude each other");
    detail::do_bindings const bindings(a, nets.input_names(), nets.output_names());
    std::vector<std::string> made;
    for (auto const& b : bindings.all()) {
      bound_.push_back({b.inner, &frame_.blobs().local(b.outer), b.output});
      if (b.output) made.push_back(b.inner);
    }
    stack_ = a.input_count() - 1;
    net_ = nets.compile("net", blank_, gradient_ ? &made : nullptr);
  }
  void infer(shape_context&) override {}
  void run(op_context<B>& c) override {
    auto const stack = detail::as_stack<B>(c.object(stack_));
    if (stack == nullptr)
      c.fail("the last input is " + to_string(c.input_spec(stack_)) + ", which should be a stack of workspaces");
    if (gradient_ && stack->empty())
      c.fail("the stack of workspaces is empty: there was no forward run to go back through");
    bool const pushes = !gradient_ && !(reuses_ && !stack->empty());
    for (binding& b : bound_) b.active = !gradient_ || b.output || !stack->holds_copy(b.inner);
    workspace<B>& inside = gradient_ ? stack->pop() : pushes ? stack->push() : stack->top();
    try {
      frame_.run(c, [&] { run_inside(c, inside); });
      if (!gradient_)
        for (binding const& b : bound_) stack->set_copy(b.inner, copies_);
    } catch (...) {  // rolls back the stack
      if (gradient_) stack->put_back();
      if (pushes) static_cast<void>(stack->pop());
      throw;
    }
  }
  void for_each_net(typename runs_nets<B>::visitor const& visit) const override { visit("net", *net_, ""); }

 private:
  struct binding {
    std::string inner;
    blob<B>* outer;
    bool output;
    bool active = false;
  };

  void run_inside(op_context<B>& c, workspace<B>& inside) {
    for (binding const& b : bound_)
      if (b.active) inside.bind(b.inner, *b.outer);
    try {
      net_->rebind(inside);
      run_nested(*net_, "net", c.options());
    } catch (...) {
      release(inside);
      throw;
    }
    release(inside);
    if (copies_ && !gradient_)
      for (binding const& b : bound_) copy(*b.outer, inside.local(b.inner));
  }

  // Unbinds the names: their blobs hold values only while the op runs.
  void release(workspace<B>& inside) {
    for (binding const& b : bound_)
      if (b.active) inside.unbind(b.inner);
  }
  static void copy(blob<B> const& from, blob<B>& to) {
    to.is_set = from.is_set;
    to.object = from.object;
    if (!from.is_set || from.object != nullptr) return;
    tensor_spec const type = from.value.spec();
    if (to.value.spec() != type || to.value.raw() == nullptr || !to.value.is_unique())
      to.value = tensor<B>::uninitialized(type.type, type.dims);
    B::copy(to.value.raw(), from.value.raw(), type.bytes());
  }

  operand_frame<B> frame_;
  bool gradient_;
  bool copies_;
  bool reuses_;
  std::size_t stack_;  // the input that is the stack
  std::vector<binding> bound_;
  workspace<B> blank_;
  std::unique_ptr<engine<B>> net_;
};

template <backend B>
class create_scope_kernel : public op_kernel<B> {
 public:
  explicit create_scope_kernel(op_arguments const&) {}
  void infer(shape_context&) override {}
  void run(op_context<B>& c) override {
    // Reuses the blob's own stack, if it has one: blobs of reused workspaces have one each.
    std::shared_ptr<workspace_stack<B>> stack;
    if (c.input_count() != 0) stack = detail::as_stack<B>(c.object(0));
    if (stack == nullptr) {
      if (last_ == nullptr || last_.use_count() != 1) last_ = std::make_shared<workspace_stack<B>>();
      stack = last_;
    }
    stack->clear();
    c.result(0).object = std::move(stack);
    c.result(0).is_set = true;
  }

 private:
  std::shared_ptr<workspace_stack<B>> last_;
};

template <backend B>
class has_scope_kernel : public op_kernel<B> {
 public:
  explicit has_scope_kernel(op_arguments const&) {}
  void infer(shape_context& c) override { c.output(0, element_type::boolean, {1}); }
  void run(op_context<B>& c) override {
    auto const stack = detail::as_stack<B>(c.object(0));
    if (stack == nullptr)
      c.fail("the input is " + to_string(c.input_spec(0)) + ", which should be a stack of workspaces");
    bool const any = !stack->empty();
    B::copy_from_host(c.template output<bool>(0), &any, sizeof any);
  }
};

/// Adds Do, CreateScope, HasScope.
template <backend B>
void add_scope_operators(operators<B>& table) {
  using list = std::vector<std::string>;
  table.template add<do_kernel>(
      op_schema("Do")
          .inputs(1, npos)
          .outputs(1, npos)
          .results_after_run()
          .requires_last_input_only()
          .side_effects()
          .differs_by_run()
          .required_net_argument("net", "what is run")
          .argument("inner_blobs", list(), "names inside that stand for operands, each one different")
          .argument("outer_blobs_idx", std::vector<std::int64_t>(),
                    "for each of these the operand: a place in the inputs followed by the outputs, stacks left out")
          .argument("copy_external_blobs", std::int64_t{0},
                    "leave copies of the operands in the workspace for the gradient")
          .argument("reuse_workspace", std::int64_t{0}, "run in the workspace on top of the stack, if there is one")
          .argument("saved_fwd_blobs", list(), "of a gradient op: operands of the forward op that it reads")
          .argument("is_gradient_op", std::int64_t{0},
                    "go back through the workspace on top; so does the op's own mark")
          .without_caffe2_schema()
          .describe("runs a net in a workspace of its own on a stack of workspaces, the last input and output"));
  table.template add<create_scope_kernel>(
      op_schema("CreateScope")
          .inputs(0)
          .outputs(1)
          .results_after_run()
          .side_effects()
          .differs_by_run()
          .checks_first()
          .describe("makes a stack of workspaces for Do, or clears the blob's own"));
  table.template add<has_scope_kernel>(op_schema("HasScope")
                                           .inputs(1)
                                           .outputs(1)
                                           .takes_objects()
                                           .side_effects()
                                           .differs_by_run()
                                           .checks_first()
                                           .describe("Y[0] = whether a stack of workspaces holds any"));
}

}  // namespace plait
