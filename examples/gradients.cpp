// Reverse-mode differentiation and training of a net: gradient ops, a rule for a user-defined op type, a check by
// finite differences, overwritten values, a loop, second-order gradients.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iostream>
#include <string>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/check_gradient.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/optimizers.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/net_builder.hpp>

namespace {

// ---- a user-defined op (see user_defined_operator.cpp): y = √(x² + epsilon), in float, and in double for the check

template <class B>
struct soft_abs : plait::op_kernel<B> {
  float epsilon;
  explicit soft_abs(plait::op_arguments const& a) : epsilon(a.real("epsilon")) {}
  void infer(plait::shape_context& c) override { c.output(0, c.expect_type<float, double>(0), c.dims(0)); }
  void run(plait::op_context<B>& c) override {
    plait::visit_type<float, double>(c.type(0), [&]<class T>(T) { run_on<T>(c); });
  }
  template <class T>
  void run_on(plait::op_context<B>& c) {
    T const* x = c.template input<T>(0);
    T* y = c.template output<T>(0);
    T const add = epsilon;
    plait::for_each_index<B>(c.size(0), [=] PLAIT_HOST_DEVICE(std::size_t i) { y[i] = std::sqrt(x[i] * x[i] + add); });
  }
};

plait::operators<plait::serial> make_operators() {
  auto table = plait::standard_operators<plait::serial>();
  table.add<soft_abs>(plait::op_schema("SoftAbs").inputs(1).outputs(1).argument("epsilon", 0.1f, "keeps it smooth"));
  return table;
}

plait::gradient_rules make_rules() {
  plait::gradient_rules rules = plait::gradient_rules::standard();
  // dx = dy x / y
  rules.set("SoftAbs", [](plait::gradient_context& c) {
    auto const product = c.temporary("product");
    c.op("Mul", {c.output_gradient(0), c.input(0)}, {product}).own_arguments();
    c.op("Div", {product, c.output(0)}, {c.input_gradient(0)}).own_arguments();
  });
  return rules;
}

bool differentiate_and_train() {
  auto const operators = make_operators();
  auto const rules = make_rules();

  plait::net_builder fit("fit");
  auto [x, target, w, b] = fit.external_inputs("x", "target", "w", "b");
  auto y = fit.op("SoftAbs", fit.fc(x, w, b), "y");
  fit.averaged_loss(fit.squared_l2_distance(y, target), "loss");
  plait::netdef net = fit.take();

  plait::workspace<plait::serial> blobs;
  blobs.feed<float>("x", {-2, -1, 0, 1, 2, 3}, {6, 1});
  blobs.feed<float>("target", {3, 2, 1, 0, 1, 2}, {6, 1});  // |x - 1|
  blobs.feed<float>("w", {0.5f}, {1, 1});
  blobs.feed<float>("b", {-0.2f}, {1});

  auto const check = plait::check_gradient(net, {"loss"}, {"x", "w", "b"}, blobs, rules, operators);
  std::cout << check.text() << '\n';  // 8 elements, 0 off, worst …
  if (!check.ok()) return false;

  auto const gradients = plait::add_gradient_ops(net, {"loss"}, rules, {.only = {"w", "b"}});
  std::cout << "the gradient of w is " << gradients.at("w").values << '\n';  // w_grad

  plait::netdef init;
  auto const parameters = {"w", "b"};
  auto const update = plait::add_sgd(net, gradients, parameters, {.rate = 0.1f, .momentum = 0.8f});
  plait::add_init_ops(init, update);  // momentum and the step counter

  plait::compile(init, operators, blobs, {.fetch = update.state}).run();
  auto step = plait::compile(net, operators, blobs, {.fetch = {"loss"}});
  step.run();
  float const before = blobs.fetch<float>("loss")[0];
  for (int i = 0; i != 200; ++i) step.run();
  float const after = blobs.fetch<float>("loss")[0];
  std::cout << "loss " << before << ", then " << after << '\n';
  return after < 0.1f * before;
}

// A later op overwrites a value that a gradient op needs.
bool overwritten() {
  auto const& rules = plait::gradient_rules::standard();
  plait::netdef net;
  net.add_op("Sqr", {"x"}, {"y"});
  net.add_op("Sin", {"y"}, {"x"});  // Sqr's gradient needs the x before

  std::size_t problems = 0;
  try {
    plait::add_gradient_ops(net, {"x"}, rules);
  } catch (plait::gradient_error const& error) {
    for (plait::gradient_problem const& p : error.problems) std::cout << p.text << '\n';
    problems = error.problems.size();
  }
  plait::add_gradient_ops(net, {"x"}, rules, {.overwritten = plait::overwritten_values::copy});
  return problems == 1 && net.text(net.op[0].type) == "Copy";
}

// Gradient n x^(n - 1) of power = x · x · …, n times.
double gradient_of_loop(double at, std::int64_t times) {
  plait::net_builder n("loop");
  plait::blob_handle const x = n.external_input("x"), power = n.external_input("power");
  plait::blob_handle const i = n.external_input("i"), one = n.external_input("one"), end = n.external_input("end");
  n.while_([&](auto& condition) { return condition.lt(i, end); },
           [&](auto& body) {
             body.mul(power, x, power);
             body.add(i, one, i);
           });
  plait::netdef net = n.take();
  auto const gradients = plait::add_gradient_ops(net, {"power"}, plait::gradient_rules::standard());

  plait::workspace<plait::serial> blobs;
  blobs.feed<double>("x", {at}, {1});
  blobs.feed<double>("power", {1}, {1});
  blobs.feed<std::int64_t>("i", {0}, {1});
  blobs.feed<std::int64_t>("one", {1}, {1});
  blobs.feed<std::int64_t>("end", {times}, {1});
  std::string const result = gradients.at("x").values;
  plait::compile(net, plait::standard_operators<plait::serial>(), blobs, {.fetch = {result}}).run();
  return blobs.fetch<double>(result)[0];
}

double second_derivative_of_tanh(double at) {
  auto const& rules = plait::gradient_rules::standard();
  plait::netdef net;
  net.add_op("Tanh", {"x"}, {"y"});
  auto const first = plait::add_gradient_ops(net, {"y"}, rules);
  auto const second = plait::add_gradient_ops(net, {first.at("x").values}, rules);

  plait::workspace<plait::serial> blobs;
  blobs.feed<double>("x", {at}, {1});
  std::string const result = second.at("x").values;
  plait::compile(net, plait::standard_operators<plait::serial>(), blobs, {.fetch = {result}}).run();
  return blobs.fetch<double>(result)[0];
}

bool is_near(double a, double b) { return std::abs(a - b) < 1e-9; }

}  // namespace

int main() try {
  double const t = std::tanh(0.3);
  return differentiate_and_train() && overwritten() && is_near(gradient_of_loop(1.5, 4), 4 * 1.5 * 1.5 * 1.5) &&
                 is_near(second_derivative_of_tanh(0.3), -2 * t * (1 - t * t))
             ? 0
             : 1;
} catch (plait::error const& problem) {
  std::cerr << problem.what() << '\n';
  return 1;
}
