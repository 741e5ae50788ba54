// Builders of nets with control flow as text, and small operators for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/detail/operators/control_flow.hpp>
#include <plait/exec/detail/operators/do_scopes.hpp>

#include <support/run_op.hpp>
#include <support/toy_operators.hpp>

namespace test {

/// y = scale · x + shift.
template <class B>
struct line_kernel : plait::op_kernel<B> {
  float scale;
  float shift;
  explicit line_kernel(plait::op_arguments const& a) : scale(a.real("scale")), shift(a.real("shift")) {}
  void infer(plait::shape_context& c) override {
    c.expect_type<float>(0);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(plait::op_context<B>& c) override {
    float const* x = c.template input<float>(0);
    float* y = c.template output<float>(0);
    float const a = scale;
    float const b = shift;
    plait::for_each_index<B>(c.size(0), [=] PLAIT_HOST_DEVICE(std::size_t i) { y[i] = a * x[i] + b; });
  }
};

/// Compares the first elements: a < b; output shape {1}.
template <class B>
struct less_kernel : plait::op_kernel<B> {
  explicit less_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override {
    c.expect_type<float>(0);
    c.expect_type<float>(1);
    c.output(0, plait::element_type::boolean, {1});
  }
  void run(plait::op_context<B>& c) override {
    float const* a = c.template input<float>(0);
    float const* b = c.template input<float>(1);
    bool* holds = c.template output<bool>(0);
    bool const any = c.size(0) != 0 && c.size(1) != 0;
    plait::for_each_index<B>(1, [=] PLAIT_HOST_DEVICE(std::size_t) { *holds = any && *a < *b; });
  }
};

/// x followed by its first element.
template <class B>
struct grow_kernel : plait::op_kernel<B> {
  explicit grow_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override {
    c.expect_type<float>(0);
    c.output(0, c.type(0), {c.dims(0).size() + 1});
  }
  void run(plait::op_context<B>& c) override {
    float const* x = c.template input<float>(0);
    float* y = c.template output<float>(0);
    std::size_t const n = c.size(0);
    plait::for_each_index<B>(n + 1, [=] PLAIT_HOST_DEVICE(std::size_t i) {
      y[i] = i < n ? x[i] : n == 0 ? 0.0f : x[0];
    });
  }
};

/// Returns the toy operators, these, and control flow.
template <class B>
plait::operators<B> control_operators() {
  using plait::op_schema;
  plait::operators<B> made = toy_operators<B>();
  made.template add<line_kernel>(op_schema("Line")
                                     .inputs(1)
                                     .outputs(1)
                                     .in_place(0, 0)
                                     .checks_first()
                                     .argument("scale", 1.0f, "factor")
                                     .argument("shift", 0.0f, "summand"));
  made.template add<less_kernel>(op_schema("Less").inputs(2).outputs(1).checks_first());
  made.template add<grow_kernel>(op_schema("Grow").inputs(1).outputs(1).checks_first());
  plait::operators<B> control;
  plait::add_control_flow_operators(control);
  plait::add_scope_operators(control);
  return made.add(noting(control));
}

using names = std::vector<std::string>;

/// Returns "op { … }", with further fields as text.
inline std::string op_text(std::string const& type, names const& inputs, names const& outputs,
                           std::string const& more = {}) {
  std::string text = "op { type: \"" + type + "\"";
  for (std::string const& name : inputs) text += " input: \"" + name + '"';
  for (std::string const& name : outputs) text += " output: \"" + name + '"';
  return text + ' ' + more + " }\n";
}
inline std::string line_text(std::string const& from, std::string const& to, float scale, float shift) {
  return op_text("Line", {from}, {to},
                 "arg { name: \"scale\" f: " + std::to_string(scale) +
                     " } arg { name: \"shift\" f: " + std::to_string(shift) + " }");
}
inline std::string net_arg(std::string const& name, std::string const& ops) {
  return "arg { name: \"" + name + "\" n { " + ops + " } } ";
}
inline std::string int_arg(std::string const& name, std::int64_t value) {
  return "arg { name: \"" + name + "\" i: " + std::to_string(value) + " } ";
}
/// Returns the arguments of a Do: inner names and the outer blobs they are bound to.
inline std::string do_args(std::string const& ops, names const& inner, std::vector<int> const& outer) {
  std::string text = net_arg("net", ops) + "arg { name: \"inner_blobs\"";
  for (std::string const& name : inner) text += " strings: \"" + name + '"';
  text += " } arg { name: \"outer_blobs_idx\"";
  for (int const place : outer) text += " ints: " + std::to_string(place);
  return text + " } ";
}

/// Feeds a bool.
template <class B>
void feed_flag(plait::workspace<B>& blobs, std::string_view name, bool value) {
  blobs.feed(name, plait::tensor<B>::from(std::vector<bool>{value}, {1}));
}

using floats = std::vector<float>;

template <class B>
void feed(plait::workspace<B>& blobs, std::string_view name, floats const& elements) {
  blobs.feed(name, plait::tensor<B>::from(elements, {static_cast<std::int64_t>(elements.size())}));
}
template <class B>
floats numbers(plait::workspace<B> const& blobs, std::string_view name) {
  return blobs.template fetch<float>(name);
}

}  // namespace test
