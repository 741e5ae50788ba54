// Toy operators on floats for every kind of aliasing between inputs and outputs, and their oracle.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace test {

/// y = a + 2 b, element-wise.
template <class B>
struct mix_kernel : plait::op_kernel<B> {
  explicit mix_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override {
    c.expect_type<float>(0);
    c.expect_type<float>(1);
    c.expect_same_dims(0, 1);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(plait::op_context<B>& c) override {
    float const* a = c.template input<float>(0);
    float const* b = c.template input<float>(1);
    float* y = c.template output<float>(0);
    plait::for_each_index<B>(c.size(0), [=] PLAIT_HOST_DEVICE(std::size_t i) { y[i] = a[i] + 2 * b[i]; });
  }
};

/// y = x reversed: never in place.
template <class B>
struct reverse_kernel : plait::op_kernel<B> {
  explicit reverse_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override {
    c.expect_type<float>(0);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(plait::op_context<B>& c) override {
    float const* x = c.template input<float>(0);
    float* y = c.template output<float>(0);
    std::size_t const n = c.size(0);
    plait::for_each_index<B>(n, [=] PLAIT_HOST_DEVICE(std::size_t i) { y[i] = x[n - 1 - i]; });
  }
};

/// y = x, as a view if allowed.
template <class B>
struct same_kernel : plait::op_kernel<B> {
  explicit same_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<B>& c) override {
    if (c.raw_input(0) != c.raw_output(0)) B::copy(c.raw_output(0), c.raw_input(0), c.output_spec(0).bytes());
  }
};

/// Adds the sum of g to the first element of x; the output is x, updated in place.
template <class B>
struct update_kernel : plait::op_kernel<B> {
  explicit update_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<B>& c) override {
    float const* g = c.template input<float>(1);
    float* x = c.template output<float>(0);
    std::size_t const n = c.size(1);
    plait::for_each_index<B>(c.size(0) == 0 ? 0 : 1, [=] PLAIT_HOST_DEVICE(std::size_t) {
      float sum = 0;
      for (std::size_t i = 0; i != n; ++i) sum += g[i];
      x[0] += sum;
    });
  }
};

/// Many inputs, a first and z last: y = a + b reversed + z reversed. Only a may be overwritten.
template <class B>
struct many_kernel : plait::op_kernel<B> {
  explicit many_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override {
    for (std::size_t i = 1; i != c.input_count(); ++i) c.expect_same_dims(0, i);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(plait::op_context<B>& c) override {
    float const* a = c.template input<float>(0);
    float const* b = c.template input<float>(1);
    float const* z = c.template input<float>(c.input_count() - 1);
    float* y = c.template output<float>(0);
    std::size_t const n = c.size(0);
    plait::for_each_index<B>(n, [=] PLAIT_HOST_DEVICE(std::size_t i) { y[i] = a[i] + b[n - 1 - i] + z[n - 1 - i]; });
  }
};

/// Two outputs: x + 1 and x - 1.
template <class B>
struct fork_kernel : plait::op_kernel<B> {
  explicit fork_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override {
    c.output(0, c.type(0), c.dims(0));
    c.output(1, c.type(0), c.dims(0));
  }
  void run(plait::op_context<B>& c) override {
    float const* x = c.template input<float>(0);
    float* a = c.template output<float>(0);
    float* b = c.template output<float>(1);
    plait::for_each_index<B>(c.size(0), [=] PLAIT_HOST_DEVICE(std::size_t i) {
      float const at = x[i];
      a[i] = at + 1;
      b[i] = at - 1;
    });
  }
};

/// Writes half of the output and then throws, if `x` begins with a negative number.
template <class B>
struct break_kernel : plait::op_kernel<B> {
  explicit break_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<B>& c) override {
    float const* x = c.template input<float>(0);
    float* y = c.template output<float>(0);
    float first = 0;
    if (c.size(0) != 0) B::copy_to_host(&first, x, sizeof first);
    std::size_t const count = first < 0 ? c.size(0) / 2 : c.size(0);
    plait::for_each_index<B>(count, [=] PLAIT_HOST_DEVICE(std::size_t i) { y[i] = x[i] * 3; });
    if (first < 0) throw std::domain_error("a negative number");
  }
};

/// y consists of x[0] ones.
template <class B>
struct ones_kernel : plait::op_kernel<B> {
  explicit ones_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override {
    auto const elements = c.elements<float>(0);
    c.expect(!elements.empty() && elements[0] >= 0, 0, "begin with how many ones there are");
    c.output(0, plait::element_type::float32, {static_cast<std::int64_t>(elements[0])});
  }
  void run(plait::op_context<B>& c) override {
    float* y = c.template output<float>(0);
    plait::for_each_index<B>(c.output_size(0), [=] PLAIT_HOST_DEVICE(std::size_t i) { y[i] = 1; });
  }
};

template <class B>
plait::operators<B> toy_operators() {
  using plait::op_schema;
  plait::operators<B> made;
  made.template add<mix_kernel>(op_schema("Mix").inputs(2).outputs(1).in_place(0, 0).in_place(1, 0).checks_first());
  made.template add<reverse_kernel>(op_schema("Reverse").inputs(1).outputs(1));
  made.template add<same_kernel>(op_schema("Same").inputs(1).outputs(1).views(0, 0).in_place(0, 0).checks_first());
  made.template add<update_kernel>(op_schema("Update").inputs(2).outputs(1).updates(0, 0).checks_first());
  made.template add<many_kernel>(op_schema("Many").inputs(2, plait::npos).outputs(1).in_place(0, 0).checks_first());
  made.template add<fork_kernel>(op_schema("Fork").inputs(1).outputs(2).in_place(0, 0).in_place(0, 1).checks_first());
  made.template add<break_kernel>(op_schema("Break").inputs(1).outputs(1).in_place(0, 0));
  made.template add<ones_kernel>(op_schema("Ones").inputs(1).outputs(1).shape_from(0).checks_first());
  return made;
}

/// Returns the outputs of an op for copies of its inputs: the oracle.
inline std::vector<std::vector<float>> run_toy(std::string_view type, std::vector<std::vector<float>> const& in) {
  std::vector<std::vector<float>> out = {in[0]};
  if (type == "Mix")
    for (std::size_t i = 0; i != in[0].size(); ++i) out[0][i] = in[0][i] + 2 * in[1][i];
  if (type == "Many")
    for (std::size_t i = 0, n = in[0].size(); i != n; ++i)
      out[0][i] = in[0][i] + in[1][n - 1 - i] + in.back()[n - 1 - i];
  if (type == "Reverse") out[0].assign(in[0].rbegin(), in[0].rend());
  if (type == "Update")
    for (float const g : in[1]) out[0][0] += g;  // the sum is of small integers
  if (type == "Fork") {
    out.push_back(in[0]);
    for (float& x : out[0]) x += 1;
    for (float& x : out[1]) x -= 1;
  }
  if (type == "Break")
    for (float& x : out[0]) x *= 3;
  if (type == "Ones") out[0].assign(static_cast<std::size_t>(in[0][0]), 1.0f);
  return out;
}

}  // namespace test
