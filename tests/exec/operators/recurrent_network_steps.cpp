#include <plait/exec/detail/operators/recurrent_network_steps.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <plait/exec/detail/memory_pool.hpp>

#include <support/check_close.hpp>
#include <support/counted_new.hpp>
#include <support/recurrent_nets.hpp>

namespace {

using B = plait::serial;
using test::op_text;
using test::recurrence;

/// Wrapper of a kernel of the table, which only runs as a whole unless a derived class forwards run_part.
template <class Backend>
class wrapped_kernel : public plait::op_kernel<Backend> {
 public:
  void infer(plait::shape_context& c) override { inner_->infer(c); }
  void prepare(plait::op_context<Backend>& c) override { inner_->prepare(c); }
  void run(plait::op_context<Backend>& c) override { inner_->run(c); }

 protected:
  wrapped_kernel(std::string_view type, plait::op_arguments const& a, plait::nets_of_op<Backend> const& nets)
      : inner_(test::table<Backend>().find(type)->make(a, nets)) {}

  std::unique_ptr<plait::op_kernel<Backend>> inner_;
};
template <class Backend>
struct plain_fc : wrapped_kernel<Backend> {
  plain_fc(plait::op_arguments const& a, plait::nets_of_op<Backend> const& nets)
      : wrapped_kernel<Backend>("FC", a, nets) {}
};
template <class Backend>
struct plain_fc_gradient : wrapped_kernel<Backend> {
  plain_fc_gradient(plait::op_arguments const& a, plait::nets_of_op<Backend> const& nets)
      : wrapped_kernel<Backend>("FCGradient", a, nets) {}
};
template <class Backend>
struct counted_fc_gradient : wrapped_kernel<Backend> {
  counted_fc_gradient(plait::op_arguments const& a, plait::nets_of_op<Backend> const& nets)
      : wrapped_kernel<Backend>("FCGradient", a, nets) {}
  std::size_t pack(plait::op_context<Backend>& c, std::size_t input, void* to) override {
    return this->inner_->pack(c, input, to);
  }
  void patterns(plait::op_context<Backend> const& c, std::vector<plait::op_pattern<Backend>>& to) const override {
    this->inner_->patterns(c, to);
  }
  void run_part(plait::op_context<Backend>& c, plait::op_part const& part) override {
    sums = sums || part.adds_rows != 0;
    this->inner_->run_part(c, part);
  }

  static inline bool sums = false;
};

template <template <class> class Gradient>
plait::operators<B> operators_with(bool plain) {
  plait::operators<B> made = test::table<B>();
  made.add<Gradient>(made.find("FCGradient")->schema);
  if (plain) made.add<plain_fc>(made.find("FC")->schema);
  return made;
}

std::string const axis = "arg { name: \"axis\" i: 2 }";

/// Returns a cell with s_grad in the gradient of x and h_prev in the states: both are one matrix over all steps.
recurrence rows_that_follow() { return test::simple_cell(); }

/// Returns the cell h = tanh(tanh(h_prev) w' + b + x): each step computes the left operand of its product.
recurrence rows_of_steps() {
  recurrence r = test::simple_cell();
  r.step = op_text("Tanh", {"h_prev"}, {"u"}) + op_text("FC", {"u", "w", "b"}, {"s"}, axis) +
           op_text("Sum", {"s", "x_t"}, {"s"}) + op_text("Tanh", {"s"}, {"h"});
  r.backward_step = op_text("TanhGradient", {"h", "h_grad"}, {"s_grad"}) +
                    op_text("FCGradient", {"u", "w", "s_grad"}, {"w_grad", "b_grad", "u_grad"}, axis) +
                    op_text("TanhGradient", {"u", "u_grad"}, {"h_prev_grad"});
  return r;
}

/// Returns the cell h = tanh(h_prev w' + b) + x: no sequence keeps the gradient of the product.
recurrence rows_that_go() {
  recurrence r = test::simple_cell();
  r.step = op_text("FC", {"h_prev", "w", "b"}, {"s"}, axis) + op_text("Tanh", {"s"}, {"v"}) +
           op_text("Sum", {"v", "x_t"}, {"h"});
  r.backward = {{"h_grad", "h_prev_grad", "h_grad"}, {"hs_grad", "hs_grad", "x_grad"}, {1, 0, 0}};
  r.backward_step = op_text("TanhGradient", {"v", "h_grad"}, {"s_grad"}) +
                    op_text("FCGradient", {"h_prev", "w", "s_grad"}, {"w_grad", "b_grad", "h_prev_grad"}, axis);
  return r;
}

struct gradients {
  std::vector<std::vector<double>> all = {};

  gradients(recurrence const& r, plait::operators<B> const& table, std::int64_t steps, std::int64_t n, std::int64_t d) {
    plait::workspace<B> blobs;
    test::feed_some<double>(blobs, "x", {steps, n, d}, 1);
    test::feed_some<double>(blobs, "h0", {1, n, d}, 2);
    test::feed_some<double>(blobs, "w", {d, d}, 3);
    test::feed_some<double>(blobs, "b", {d}, 4);
    test::feed_some<double>(blobs, "all_grad", {steps, n, d}, 5);
    test::feed_some<double>(blobs, "last_grad", {1, n, d}, 6);
    auto plan = plait::compile(plait::read_netdef_text(r.op() + r.gradient_op()), table, blobs);
    for (int run = 0; run != 2; ++run) {
      plan.run();
      for (char const* name : {"all", "x_grad", "w_grad", "b_grad", "h0_grad"})
        all.push_back(blobs.fetch<double>(name));
    }
  }
};

double distance(gradients const& a, gradients const& b) {
  double worst = 0;
  REQUIRE(a.all.size() == b.all.size());
  for (std::size_t i = 0; i != a.all.size(); ++i) {
    REQUIRE(a.all[i].size() == b.all[i].size());
    for (std::size_t k = 0; k != a.all[i].size(); ++k)
      worst = test::larger_error(worst, std::abs(a.all[i][k] - b.all[i][k]) / (1 + std::abs(b.all[i][k])));
  }
  return worst;
}

TEST_CASE("recurrent_steps: deferred gradients of parameters equal those accumulated step by step") {
  auto const plain = operators_with<plain_fc_gradient>(true);
  auto const counted = operators_with<counted_fc_gradient>(false);
  recurrence r;
  SUBCASE("rows of all steps are one matrix") { r = rows_that_follow(); }
  SUBCASE("rows of steps are separate") { r = rows_of_steps(); }
  SUBCASE("rows do not outlive the step") { r = rows_that_go(); }
  r.trains = true;
  for (std::int64_t const steps : {2, 3, 40})
    for (std::int64_t const n : {1, 20, 300}) {
      if (steps * n > 2000) continue;
      CAPTURE(steps);
      CAPTURE(n);
      counted_fc_gradient<B>::sums = false;
      gradients const got(r, counted, steps, n, 5);
      CHECK(counted_fc_gradient<B>::sums);
      CHECK(distance(got, gradients(r, plain, steps, n, 5)) < 1e-12);
    }
}

TEST_CASE("recurrent_steps: a gradient that another op of the step reads is not deferred") {
  recurrence r = rows_that_follow();
  r.trains = true;
  r.backward_step += op_text("Copy", {"w_grad"}, {"seen"});
  counted_fc_gradient<B>::sums = false;
  gradients const got(r, operators_with<counted_fc_gradient>(false), 6, 3, 4);
  CHECK_FALSE(counted_fc_gradient<B>::sums);
  CHECK(distance(got, gradients(r, operators_with<plain_fc_gradient>(true), 6, 3, 4)) < 1e-12);
}

// Returns the peak bytes of a run beyond those that stay in use after it.
std::size_t passing_bytes(plait::plan<B>& plan) {
  auto& pool = plait::memory_pool<B>::shared();
  plan.run();
  pool.reset_peak();
  plan.run();
  return pool.statistics().peak_bytes_in_use - pool.statistics().bytes_in_use;
}

TEST_CASE("recurrent_steps: repeated runs allocate nothing, and inference memory is independent of steps") {
  auto const per_steps = [](bool trains, std::int64_t steps) {
    recurrence r = rows_of_steps();
    r.trains = trains;
    plait::workspace<B> blobs;
    test::feed_some<float>(blobs, "x", {steps, 4, 8}, 1);
    test::feed_some<float>(blobs, "h0", {1, 4, 8}, 2);
    test::feed_some<float>(blobs, "w", {8, 8}, 3);
    test::feed_some<float>(blobs, "b", {8}, 4);
    test::feed_some<float>(blobs, "all_grad", {steps, 4, 8}, 5);
    test::feed_some<float>(blobs, "last_grad", {1, 4, 8}, 6);
    auto plan = plait::compile(plait::read_netdef_text(r.op() + (trains ? r.gradient_op() : std::string())),
                               test::table<B>(), blobs);
    std::size_t const passing = passing_bytes(plan);
    auto const allocated = [] { return plait::memory_pool<B>::shared().statistics().system_allocations; };
    std::size_t const before = allocated();
    auto const run_again = [&] {
      for (int run = 0; run != 3; ++run) plan.run();
    };
    CHECK(test::count_news(run_again) == 0);
    CHECK(allocated() == before);
    return passing;
  };
  std::size_t const few = per_steps(false, 10);
  CHECK(per_steps(false, 100) == few);
  CHECK(per_steps(false, 10'000) == few);
  per_steps(true, 50);
}

}  // namespace
