// User-defined operator for a user-defined IR, on every backend, used like plait's own.
#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/operators/elementwise.hpp>
#include <plait/exec/plan.hpp>

// ---- the IR of a tool: no adaptation is needed, its members have the usual names

struct instruction {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct recipe {
  std::vector<instruction> ops;
};

// ---- the op: y = √(x² + epsilon)

template <class B>
struct soft_abs : plait::op_kernel<B> {
  float epsilon;
  explicit soft_abs(plait::op_arguments const& a) : epsilon(a.real("epsilon")) {
    if (epsilon <= 0) a.fail("epsilon", "must be above zero");
  }
  void infer(plait::shape_context& c) override {
    c.expect_type<float>(0);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(plait::op_context<B>& c) override {
    float const* x = c.template input<float>(0);
    float* y = c.template output<float>(0);
    float const add = epsilon;
    plait::for_each_index<B>(c.size(0), [=] PLAIT_HOST_DEVICE(std::size_t i) { y[i] = std::sqrt(x[i] * x[i] + add); });
  }
};

int main() try {
  using B = plait::serial;
  plait::operators<B> operators;
  plait::add_arithmetic_operators(operators);
  operators.add<soft_abs>(plait::op_schema("SoftAbs")
                              .inputs(1)
                              .outputs(1)
                              .in_place(0, 0)
                              .rows_independent()
                              .argument("epsilon", 0.01f, "what keeps it smooth at zero")
                              .describe("Y = sqrt(X² + epsilon)"));

  recipe const net{{{"Sub", {"a", "b"}, {"d"}}, {"SoftAbs", {"d"}, {"d"}}, {"Add", {"d", "a"}, {"sum"}}}};
  plait::workspace<B> blobs;
  blobs.feed<float>("a", {1, 2, 3}, {3});
  blobs.feed<float>("b", {3, 2, 1}, {3});
  plait::compile(net, operators, blobs, {.fetch = {"sum"}}).run();
  for (float const x : blobs.fetch<float>("sum")) std::cout << x << ' ';
  std::cout << '\n';

  // Errors name the op, its blobs and their shapes.
  blobs.feed<float>("b", {1, 2}, {2});
  try {
    plait::compile(net, operators, blobs).run();
  } catch (plait::exec_error const& problem) {
    std::cout << problem.what() << '\n';
    return problem.op == 0 && problem.type == "Sub" ? 0 : 1;
  }
  return 1;
} catch (plait::error const& problem) {
  std::cerr << problem.what() << '\n';
  return 1;
}
