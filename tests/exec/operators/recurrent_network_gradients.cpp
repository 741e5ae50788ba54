#include <plait/exec/detail/operators/recurrent_network_gradients.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <support/recurrent_nets.hpp>

namespace {

using test::op_text;
using test::recurrence;
using test::recurrent_operators;
using serial = plait::serial;

template <class B>
plait::plan<B> plan_of(std::string const& text, plait::workspace<B>& blobs) {
  return plait::compile(plait::read_netdef_text(text), recurrent_operators<B>(), blobs);
}

// Compares gradients of a weighted sum of all outputs with gradients, by all inputs that have one, with differences.
void check_gradients(recurrence r, plait::workspace<serial>& blobs) {
  r.trains = true;
  auto forward = plan_of<serial>(r.op(), blobs);
  auto backward = plan_of<serial>(r.gradient_op(), blobs);
  forward.run();
  std::vector<std::vector<double>> weights;
  for (std::int64_t const output : r.outputs_with_grads) {
    std::string const& name = r.alias_dst[static_cast<std::size_t>(output)];
    plait::shape const dims = blobs.view(name).dims();
    test::feed_some<double>(blobs, name + "_grad", dims, 70 + weights.size());
    weights.push_back(blobs.fetch<double>(name + "_grad"));
  }
  backward.run();
  auto const loss = [&] {
    forward.run();
    double sum = 0;
    for (std::size_t o = 0; o != weights.size(); ++o) {
      auto const values = blobs.fetch<double>(r.alias_dst[static_cast<std::size_t>(r.outputs_with_grads[o])]);
      for (std::size_t i = 0; i != values.size(); ++i) sum += weights[o][i] * values[i];
    }
    return sum;
  };
  std::vector<std::string> inputs;
  for (std::int64_t const i : r.sequences) inputs.push_back(r.inputs[static_cast<std::size_t>(i)]);
  for (std::int64_t const i : r.param) inputs.push_back(r.inputs[static_cast<std::size_t>(i)]);
  for (std::int64_t const i : r.initial) inputs.push_back(r.inputs[static_cast<std::size_t>(i)]);
  for (std::string const& name : inputs) {
    CAPTURE(name);
    plait::tensor<serial> const x = blobs.view(name);
    REQUIRE(blobs.view(name + "_grad").dims() == x.dims());
    auto const got = blobs.fetch<double>(name + "_grad");
    for (std::size_t i = 0; i != got.size(); ++i) {
      double side[2];
      for (int s = 0; s != 2; ++s) {
        plait::tensor<serial> moved = x.clone();
        moved.data<double>()[i] += s == 0 ? 1e-5 : -1e-5;
        blobs.feed(name, moved);
        side[s] = loss();
      }
      CAPTURE(i);
      CHECK(got[i] == doctest::Approx((side[0] - side[1]) / 2e-5).epsilon(1e-6));
    }
    blobs.feed(name, x);
  }
  // Further runs in existing memory give the same bits.
  std::vector<std::vector<double>> before;
  for (std::string const& name : inputs) before.push_back(blobs.fetch<double>(name + "_grad"));
  for (int round = 0; round != 2; ++round) {
    forward.run();
    backward.run();
    for (std::size_t i = 0; i != inputs.size(); ++i) CHECK(blobs.fetch<double>(inputs[i] + "_grad") == before[i]);
  }
}

void feed_simple(plait::workspace<serial>& blobs, std::int64_t steps, std::int64_t n, plait::shape const& h0) {
  test::feed_some<double>(blobs, "x", {steps, n, 3}, 1);
  test::feed_some<double>(blobs, "h0", h0, 2);
  test::feed_some<double>(blobs, "w", {3, 3}, 3);
  test::feed_some<double>(blobs, "b", {3}, 4);
}

TEST_CASE("RecurrentNetworkGradient: agrees with differences for all initial states, outputs and lengths") {
  for (std::int64_t const n : {2, 1, 0})
    for (std::int64_t const steps : {4, 1, 0})
      for (plait::shape const& h0 : {plait::shape{3}, plait::shape{n, 3}, plait::shape{1, n, 3}})
        for (auto const& outputs : {test::numbers_list{0}, test::numbers_list{1}, test::numbers_list{0, 1}}) {
          CAPTURE(n);
          CAPTURE(steps);
          CAPTURE(to_string(h0));
          CAPTURE(outputs.size());
          plait::workspace<serial> blobs;
          feed_simple(blobs, steps, n, h0);
          recurrence r = test::simple_cell();
          r.outputs_with_grads = outputs;
          check_gradients(r, blobs);
        }
}

TEST_CASE("RecurrentNetworkGradient: step nets as text, default names and recomputed values work") {
  plait::workspace<serial> blobs;
  feed_simple(blobs, 4, 2, {2, 3});
  recurrence r = test::simple_cell();
  SUBCASE("text") { r.as_text = true; }
  SUBCASE("default names of parameter gradients") { r.param_grads = {}; }
  SUBCASE("recomputed") {
    // TanhGradient reads a recomputed value of the step net.
    std::string const axis = "arg { name: \"axis\" i: 2 }";
    std::string const made = op_text("FC", {"h_prev", "w", "b"}, {"s"}, axis) + op_text("Sum", {"s", "x_t"}, {"u"}) +
                             op_text("Tanh", {"u"}, {"v"});
    r.step = made + op_text("Sum", {"v", "h_prev"}, {"h"});
    r.backward_step = made + op_text("TanhGradient", {"v", "h_grad"}, {"s_grad"}) +
                      op_text("FCGradient", {"h_prev", "w", "s_grad"}, {"w_grad", "b_grad", "part"}, axis) +
                      op_text("Sum", {"part", "h_grad"}, {"h_prev_grad"});
    r.recompute = {"s", "u", "v"};
  }
  SUBCASE("the gradient of the output is changed in place") {
    r.backward_step = op_text("TanhGradient", {"h", "h_grad"}, {"h_grad"}) +
                      op_text("FCGradient", {"h_prev", "w", "h_grad"}, {"w_grad", "b_grad", "h_prev_grad"},
                              "arg { name: \"axis\" i: 2 }") +
                      op_text("Sum", {"h_grad"}, {"s_grad"});
  }
  check_gradients(r, blobs);
}

TEST_CASE("RecurrentNetworkGradient: blobs to recompute are unset after the forward run") {
  plait::workspace<serial> blobs;
  feed_simple(blobs, 2, 2, {2, 3});
  recurrence r = test::simple_cell();
  r.trains = true;
  r.recompute = {"s"};
  plan_of<serial>(r.op(), blobs).run();
  auto const kept = std::dynamic_pointer_cast<plait::step_values<serial>>(blobs.find("ws")->object);
  REQUIRE(kept != nullptr);
  CHECK_FALSE(kept->at("s", 0).is_set);
  CHECK(kept->at("h", 0).is_set);
}

TEST_CASE("RecurrentNetworkGradient: an input, a state and a parameter may share one gradient") {
  plait::workspace<serial> blobs;
  test::feed_some<double>(blobs, "x", {4, 2, 3}, 1);
  test::feed_some<double>(blobs, "h0", {2, 3}, 2);
  test::feed_some<double>(blobs, "p", {1, 2, 3}, 3);
  recurrence r{{"x", "h0", "p"},
               {"hs"},
               {1},
               {"hs", "hs"},
               {"all", "last"},
               {1, -1},
               {{"h_prev", "h", "x_t"}, {"hs", "hs", "x"}, {0, 1, 0}},
               op_text("Sum", {"x_t", "h_prev", "p"}, {"h"})};
  r.outputs_with_grads = {0, 1};
  r.param = {2};
  SUBCASE("passed on by a net without ops") {
    r.backward = {{"h_grad", "h_grad", "h_grad"}, {"hs_grad", "hs_grad", "x_grad"}, {1, 0, 0}};
    r.param_grads = {"h_grad"};
  }
  SUBCASE("computed by one op") {
    r.step = op_text("Sum", {"x_t", "h_prev", "p"}, {"s"}) + op_text("Tanh", {"s"}, {"h"});
    r.backward = {{"h_grad", "s_grad", "s_grad"}, {"hs_grad", "hs_grad", "x_grad"}, {1, 0, 0}};
    r.backward_step = op_text("TanhGradient", {"h", "h_grad"}, {"s_grad"});
    r.param_grads = {"s_grad"};
  }
  SUBCASE("one blob is two states") {
    r.states = {"hs", "ks"};
    r.initial = {1, 1};
    r.alias_src = {"hs", "ks"};
    r.alias_offset = {1, -1};
    r.forward = {{"h_prev", "k_prev", "h", "h", "x_t"}, {"hs", "ks", "hs", "ks", "x"}, {0, 0, 1, 1, 0}};
    r.step = op_text("Sum", {"x_t", "h_prev", "p"}, {"s"}) + op_text("Tanh", {"s"}, {"u"}) +
             op_text("Sum", {"u", "k_prev"}, {"h"});
    r.backward = {{"h_grad", "h_grad", "u_grad", "h_grad", "u_grad"},
                  {"hs_grad", "ks_grad", "hs_grad", "ks_grad", "x_grad"},
                  {1, 1, 0, 0, 0}};
    r.backward_step = op_text("TanhGradient", {"u", "h_grad"}, {"u_grad"});
    r.param_grads = {"u_grad"};
    // The states have separate initial values, so that both have a gradient.
    r.inputs.push_back("k0");
    r.initial = {1, 3};
    test::feed_some<double>(blobs, "k0", {2, 3}, 9);
  }
  check_gradients(r, blobs);
}

TEST_CASE("RecurrentNetworkGradient: sequences may differ in length, or have no gradient") {
  plait::workspace<serial> blobs;
  test::feed_some<double>(blobs, "x", {3, 2, 3}, 1);
  test::feed_some<double>(blobs, "ids", {3, 1}, 2);
  test::feed_some<double>(blobs, "z", {5, 2, 3}, 3);
  test::feed_some<double>(blobs, "h0", {2, 3}, 4);
  recurrence r{{"x", "ids", "z", "h0"},
               {"hs"},
               {3},
               {"hs", "hs"},
               {"all", "last"},
               {1, -1},
               {{"h_prev", "h", "x_t", "z_t", "id"}, {"hs", "hs", "x", "z", "ids"}, {0, 1, 0, 1, 0}},
               op_text("Sum", {"x_t", "z_t", "h_prev"}, {"s"}) + op_text("Tanh", {"s"}, {"h"}) +
                   op_text("Copy", {"id"}, {"unused"})};
  r.sequences = {2, 0};
  r.backward = {{"h_grad", "s_grad", "s_grad", "s_grad"}, {"hs_grad", "hs_grad", "x_grad", "z_grad"}, {1, 0, 0, 1}};
  r.backward_step = op_text("TanhGradient", {"h", "h_grad"}, {"s_grad"});
  r.outputs_with_grads = {0, 1};
  check_gradients(r, blobs);
  SUBCASE("a sequence that is too short") {
    test::feed_some<double>(blobs, "z", {3, 2, 3}, 3);
    CHECK_THROWS_AS(plan_of<serial>(r.op(), blobs).run(), plait::exec_error);
  }
}

TEST_CASE("RecurrentNetworkGradient: a blob of two places has the value after the step, in either order of links") {
  std::string const axis = "arg { name: \"axis\" i: 2 }";
  std::vector<double> wanted;
  for (test::numbers_list const& places : {test::numbers_list{0, 1, 0}, test::numbers_list{1, 0, 0}}) {
    recurrence r = test::simple_cell();
    r.step = op_text("FC", {"h", "w", "b"}, {"s"}, axis) + op_text("Sum", {"s", "x_t"}, {"s"}) +
             op_text("Tanh", {"s"}, {"h"});
    r.forward = {{"h", "h", "x_t"}, {"hs", "hs", "x"}, places};
    r.backward = {{"g", "g_prev", "s_grad"}, {"hs_grad", "hs_grad", "x_grad"}, {1, 0, 0}};
    r.backward_step = op_text("TanhGradient", {"h", "g"}, {"s_grad"}) +
                      op_text("FCTransposed", {"s_grad", "w", "none"}, {"g_prev"}, axis);
    r.param = {};
    r.param_grads = {};
    plait::workspace<serial> blobs;
    feed_simple(blobs, 4, 2, {1, 2, 3});
    blobs.feed<double>("none", {0, 0, 0}, {3});
    check_gradients(r, blobs);
    if (wanted.empty()) wanted = blobs.fetch<double>("x_grad");
    CHECK(blobs.fetch<double>("x_grad") == wanted);
  }
}

TEST_CASE("RecurrentNetworkGradient: the gradient of a broadcast integer state is zero") {
  recurrence r = test::simple_cell();
  r.trains = true;
  r.inputs.push_back("c0");
  r.states.push_back("cs");
  r.initial.push_back(4);
  r.forward.internal.insert(r.forward.internal.end(), {"c_prev", "c"});
  r.forward.external.insert(r.forward.external.end(), {"cs", "cs"});
  r.forward.offset.insert(r.forward.offset.end(), {0, 1});
  r.step += op_text("Add", {"c_prev", "c_prev"}, {"c"});
  plait::workspace<serial> blobs;
  feed_simple(blobs, 3, 2, {1, 2, 3});
  test::feed_some<double>(blobs, "all_grad", {3, 2, 3}, 7);
  test::feed_some<double>(blobs, "last_grad", {1, 2, 3}, 8);
  blobs.feed<std::int32_t>("c0", {1, 2, 3}, {3});
  plan_of<serial>(r.op() + r.gradient_op(), blobs).run();
  CHECK(blobs.fetch<std::int32_t>("c0_grad") == std::vector<std::int32_t>{0, 0, 0});
}

TEST_CASE("RecurrentNetworkGradient: needs no backward step net if gradients are only passed on") {
  plait::workspace<serial> blobs;
  test::feed_some<double>(blobs, "x", {4, 2, 3}, 1);
  test::feed_some<double>(blobs, "h0", {3}, 2);
  recurrence r{{"x", "h0"},
               {"hs"},
               {1},
               {"hs"},
               {"all"},
               {1},
               {{"h_prev", "h", "x_t"}, {"hs", "hs", "x"}, {0, 1, 0}},
               op_text("Sum", {"x_t", "h_prev"}, {"h"})};
  r.backward = {{"h_grad", "h_grad", "h_grad"}, {"hs_grad", "hs_grad", "x_grad"}, {1, 0, 0}};
  r.outputs_with_grads = {0};
  r.no_backward_step = true;
  check_gradients(r, blobs);
}

TEST_CASE("RecurrentNetworkGradient: finds blobs that a memory planner has renamed") {
  plait::workspace<serial> blobs;
  feed_simple(blobs, 3, 2, {2, 3});
  test::feed_some<double>(blobs, "all_grad", {3, 2, 3}, 5);
  recurrence r = test::simple_cell();
  r.outputs_with_grads = {0};
  r.trains = true;
  plan_of<serial>(r.op() + r.gradient_op(), blobs).run();
  auto const fetch = [&](plait::workspace<serial>& from, std::string const& name) { return from.fetch<double>(name); };
  // The sequence is 'y' now, its gradient 'y2'; in the steps s_grad and h_prev_grad share their blobs with others.
  recurrence renamed = r;
  renamed.inputs[0] = "y";
  renamed.backward_step =
      op_text("TanhGradient", {"h", "h_grad"}, {"__m0"}) +
      op_text("FCGradient", {"h_prev", "w", "__m0"}, {"__m1", "b_grad", "__m2"}, "arg { name: \"axis\" i: 2 }");
  renamed.more = test::text_arg("x.rename", "y") + test::text_arg("x_grad.rename", "y2") +
                 test::text_arg("s_grad.rename", "__m0") + test::text_arg("w_grad.rename", "__m1") +
                 test::text_arg("h_prev_grad.rename", "__m2") + test::text_arg("hs_grad.rename", "__m3");
  std::string gradient = renamed.gradient_op();
  SUBCASE("the argument names the input gradient") { gradient.replace(gradient.find("\"y_grad\""), 8, "\"y2\""); }
  SUBCASE("the original input names its gradient") {
    renamed.more.replace(renamed.more.find(test::text_arg("x_grad.rename", "y2")),
                         test::text_arg("x_grad.rename", "y2").size(), "");
    gradient = renamed.gradient_op();
    gradient.replace(gradient.find("\"y_grad\""), 8, "\"y2\"");
  }
  plait::workspace<serial> others;
  for (char const* name : {"h0", "w", "b", "all_grad"}) others.feed(name, blobs.view(name));
  others.feed("y", blobs.view("x"));
  plan_of<serial>(renamed.op() + gradient, others).run();
  CHECK(fetch(others, "all") == fetch(blobs, "all"));
  CHECK(fetch(others, "y2") == fetch(blobs, "x_grad"));
  for (char const* name : {"w_grad", "b_grad", "h0_grad"}) CHECK(fetch(others, name) == fetch(blobs, name));
}

TEST_CASE("RecurrentNetworkGradient: agrees with differences for windows over previous steps") {
  plait::workspace<serial> blobs;
  test::feed_some<double>(blobs, "x", {5, 1, 2}, 1);
  test::feed_some<double>(blobs, "h0", {2, 1, 2}, 2);
  recurrence r{{"x", "h0"},
               {"hs"},
               {1},
               {"hs", "hs"},
               {"all", "tail"},
               {2, -3},
               {{"past", "h", "x_t"}, {"hs", "hs", "x"}, {0, 2, 0}, {2, 1, 1}},
               op_text("Fold", {"past"}, {"p"}) + op_text("Sum", {"p", "x_t"}, {"s"}) + op_text("Tanh", {"s"}, {"h"})};
  r.backward = {{"h_grad", "past_grad", "s_grad"}, {"hs_grad", "hs_grad", "x_grad"}, {2, 0, 0}, {1, 2, 1}};
  r.backward_step =
      op_text("TanhGradient", {"h", "h_grad"}, {"s_grad"}) + op_text("FoldGradient", {"past", "s_grad"}, {"past_grad"});
  r.outputs_with_grads = {0, 1};
  check_gradients(r, blobs);
}

TEST_CASE_TEMPLATE("RecurrentNetworkGradient: an LSTM has the same gradients on all backends, in float and double", B,
                   PLAIT_HOST_BACKENDS) {
  std::string const axis = "arg { name: \"axis\" i: 2 }";
  recurrence r{{"x", "h0", "c0", "w", "b", "lens"},
               {"hs", "cs"},
               {1, 2},
               {"hs", "hs", "cs", "cs"},
               {"h_all", "h_last", "c_all", "c_last"},
               {1, -1, 1, -1},
               {{"h_prev", "h", "c_prev", "c", "x_t"}, {"hs", "hs", "cs", "cs", "x"}, {0, 1, 0, 1, 0}},
               op_text("FC", {"h_prev", "w", "b"}, {"g"}, axis) + op_text("Sum", {"g", "x_t"}, {"g"}) +
                   op_text("LSTMUnit", {"h_prev", "c_prev", "g", "lens", "timestep"}, {"h", "c"})};
  r.backward = {{"h_grad", "h_prev_grad", "c_grad", "c_prev_grad", "g_grad"},
                {"hs_grad", "hs_grad", "cs_grad", "cs_grad", "x_grad"},
                {1, 0, 1, 0, 0}};
  r.backward_step =
      op_text("LSTMUnitGradient", {"h_prev", "c_prev", "g", "lens", "timestep", "h", "c", "h_grad", "c_grad"},
              {"h_prev_grad", "c_prev_grad", "g_grad"}) +
      op_text("FCGradient", {"h_prev", "w", "g_grad"}, {"w_grad", "b_grad", "part"}, axis) +
      op_text("Sum", {"h_prev_grad", "part"}, {"h_prev_grad"});
  r.outputs_with_grads = {0, 3};
  r.param = {3, 4};
  auto const feed = [&]<class T, class C>(plait::workspace<C>& blobs, T) {
    test::feed_some<T>(blobs, "x", {4, 3, 8}, 1);
    test::feed_some<T>(blobs, "h0", {2}, 2);
    test::feed_some<T>(blobs, "c0", {1, 3, 2}, 3);
    test::feed_some<T>(blobs, "w", {8, 2}, 4);
    test::feed_some<T>(blobs, "b", {8}, 5);
    blobs.feed("lens", std::vector<std::int32_t>{4, 0, 2}, {3});
    test::feed_some<T>(blobs, "h_all_grad", {4, 3, 2}, 6);
    test::feed_some<T>(blobs, "c_last_grad", {1, 3, 2}, 7);
  };
  {
    plait::workspace<serial> blobs;
    feed(blobs, 0.0);
    check_gradients(r, blobs);
  }
  r.trains = true;
  plait::workspace<serial> wide;
  feed(wide, 0.0);
  plan_of<serial>(r.op() + r.gradient_op(), wide).run();
  plait::workspace<serial> plain;
  feed(plain, 0.0f);
  plan_of<serial>(r.op() + r.gradient_op(), plain).run();
  plait::workspace<B> blobs;
  feed(blobs, 0.0f);
  plan_of<B>(r.op() + r.gradient_op(), blobs).run();
  for (char const* name : {"x_grad", "w_grad", "b_grad", "h0_grad", "c0_grad"}) {
    CAPTURE(name);
    auto const got = blobs.template fetch<float>(name);
    if (!B::on_device) CHECK(got == plain.fetch<float>(name));
    auto const expected = wide.fetch<double>(name);
    for (std::size_t i = 0; i != got.size(); ++i) CHECK(std::abs(got[i] - expected[i]) < 1e-5);
  }
}

template <class Change>
std::string refusal(Change&& change) {
  recurrence r = test::simple_cell();
  r.trains = true;
  plait::workspace<serial> blobs;
  feed_simple(blobs, 3, 2, {2, 3});
  test::feed_some<double>(blobs, "all_grad", {3, 2, 3}, 5);
  test::feed_some<double>(blobs, "last_grad", {1, 2, 3}, 6);
  auto forward = plan_of<serial>(r.op(), blobs);
  forward.run();
  change(r, blobs);
  try {
    plan_of<serial>(r.gradient_op(), blobs).run();
  } catch (plait::exec_error const& e) {
    CHECK(e.op == 0);
    CHECK(e.type == "RecurrentNetworkGradient");
    return e.what();
  }
  return "nothing was thrown";
}

TEST_CASE("RecurrentNetworkGradient: links, names and inputs that do not fit are refused") {
  using blobs_t = plait::workspace<serial>;
  auto const says = [](std::string const& message, std::string_view part) {
    CAPTURE(message);
    CAPTURE(part);
    CHECK(message.find(part) != std::string::npos);
  };
  says(refusal([](recurrence& r, blobs_t&) { r.param_grads = {"w_grad"}; }), "'param_grads' has 1 names, 'param' 2");
  says(refusal([](recurrence& r, blobs_t&) {
         r.param_grads = {"w_grad", "else"};
       }),
       "param_grads has 'else', which the backward step net does not make");
  says(refusal([](recurrence& r, blobs_t&) { r.backward.external[0] = "zs_grad"; }),
       "'zs_grad', which is the gradient of neither a state nor a sequence");
  says(refusal([](recurrence& r, blobs_t&) { r.backward.offset[1] = 2; }), "leaves 'hs_grad' of 4 places at step 2");
  says(refusal([](recurrence& r, blobs_t&) {
         r.backward.window = {1, 2, 1};
       }),
       "reaches through a window the place of");
  says(refusal([](recurrence& r, blobs_t&) { r.backward_step = op_text("Tanh", {"nowhere"}, {"s_grad"}); }),
       "param_grads has 'w_grad'");
  says(refusal([](recurrence& r, blobs_t&) { r.backward_step += op_text("Tanh", {"nowhere"}, {"unused"}); }),
       "nowhere");
  says(refusal([](recurrence&, blobs_t& b) { b.feed("ws", b.view("x")); }),
       "the last input is float64 3x2x3, which should be a list of step workspaces");
  says(refusal([](recurrence&, blobs_t& b) { test::feed_some<double>(b, "x", {3}, 1); }),
       "the sequence is float64 3, which should be one of steps of rows");
  says(refusal([](recurrence&, blobs_t& b) {
         test::feed_some<double>(b, "x", {2, 2, 3}, 1);
       }),
       "the forward run has kept 3 steps of 2");
  says(refusal([](recurrence&, blobs_t& b) {
         test::feed_some<double>(b, "all_grad", {2, 2, 3}, 1);
       }),
       "gradient 'all_grad' is float64 2x2x3, which should be float64 3x2x3");
  says(refusal([](recurrence&, blobs_t& b) {
         test::feed_some<double>(b, "all_grad", {2, 3, 3}, 1);
       }),
       "gradient 'all_grad' is float64 2x3x3, which should be float64 3x2x3");
  says(refusal([](recurrence& r, blobs_t& b) {
         r.trains = false;
         plan_of<serial>(r.op(), b).run();
         r.trains = true;
       }),
       "the forward run has kept 0 steps of 3");
}

TEST_CASE("RecurrentNetworkGradient: operands and arguments that do not fit are refused") {
  plait::workspace<serial> blobs;
  feed_simple(blobs, 3, 2, {2, 3});
  recurrence r = test::simple_cell();
  r.trains = true;
  plan_of<serial>(r.op(), blobs).run();
  std::string const op = r.gradient_op();
  auto const refused = [&](std::string const& text, std::string const& why) {
    CAPTURE(why);
    CHECK_THROWS_WITH_AS(plan_of<serial>(text, blobs), doctest::Contains(why.c_str()), plait::exec_error);
  };
  auto const with = [&](std::string const& part, std::string const& other) {
    std::string made = op;
    REQUIRE(made.find(part) != std::string::npos);
    return made.replace(made.find(part), part.size(), other);
  };
  refused(op_text("RecurrentNetworkGradient", {"x", "ws"}, {"x_grad"}, r.arguments()),
          "2 inputs are no 2 gradients, inputs and 3 outputs of a RecurrentNetwork");
  refused(with("output: \"b_grad\"", ""),
          "3 outputs where there should be 4: of the sequences, the parameters and the initial states");
  refused(with("\"param\" ints: 2 ints: 3", "\"param\" ints: 2 ints: 4"),
          "argument 'param' has 4, but there are 4 inputs");
  refused(with("\"initial_recurrent_state_ids\" ints: 1", "\"initial_recurrent_state_ids\" ints: 5"),
          "argument 'initial_recurrent_state_ids' has 5, but there are 4 inputs");
  refused(with("arg { name: \"param\"", "arg { name: \"sequences\" ints: 6 } arg { name: \"param\""),
          "argument 'sequences' has 6, but there are 4 inputs");
  refused(with("\"outputs_with_grads\" ints: 0 ints: 1", "\"outputs_with_grads\" ints: 0 ints: 2"),
          "outputs_with_grads has 2 of 2 outputs");
  refused(with("\"outputs_with_grads\" ints: 0 ints: 1", "\"outputs_with_grads\" ints: 0 ints: -1"),
          "outputs_with_grads has -1 of 2 outputs");
  refused(with("\"alias_dst\" strings: \"all\" strings: \"last\"", "\"alias_dst\" strings: \"all\" strings: \"end\""),
          "'last' has a gradient, but is not in alias_dst");
  refused(with("\"link_external\" strings: \"hs\" strings: \"hs\" strings: \"x\"",
               "\"link_external\" strings: \"hs\" strings: \"hs\" strings: \"y\""),
          "link_external has 'y', which is neither a state nor an input");
  for (char const* argument : {"backward_alias_src", "param_gradient"})
    refused(with("arg { name: \"param\"", test::strings_arg(argument, {"a"}) + "arg { name: \"param\""),
            "argument '" + std::string(argument) + "' is of the form that RecurrentNetwork had in 2016");
}

TEST_CASE("RecurrentNetworkGradient: gradients that cannot be added are refused") {
  plait::workspace<serial> blobs;
  recurrence r{{"x", "h0"}, {"hs"}, {1}, {"hs"}, {"all"}, {1}, {{"h_prev", "h", "x_t"}, {"hs", "hs", "x"}, {0, 1, 0}},
               ""};
  r.trains = r.no_backward_step = true;
  r.outputs_with_grads = {0};
  r.backward = {{"h_grad", "h_grad", "h_grad"}, {"hs_grad", "hs_grad", "x_grad"}, {1, 0, 0}};
  SUBCASE("integer gradients") {
    r.step = op_text("Sum", {"h_prev", "x_t"}, {"h"});
    for (char const* name : {"x", "all_grad"})
      blobs.feed(name, plait::tensor<serial>::from(std::vector<std::int32_t>{1, 2}, {2, 1, 1}));
    blobs.feed("h0", plait::tensor<serial>::from(std::vector<std::int32_t>{3}, {1, 1, 1}));
    plan_of<serial>(r.op(), blobs).run();
    CHECK_THROWS_WITH_AS(plan_of<serial>(r.gradient_op(), blobs).run(),
                         doctest::Contains("gradients of int32 cannot be added"), plait::exec_error);
  }
  SUBCASE("the sum for two states of different widths") {
    r.inputs = {"x", "h0", "z0"};
    r.states = {"hs", "zs"};
    r.initial = {1, 2};
    r.forward = {{"h_prev", "h", "z", "x_t"}, {"hs", "hs", "zs", "x"}, {0, 1, 1, 0}};
    r.step = op_text("Sum", {"h_prev", "x_t"}, {"h"}) +
             op_text("Concat", {"h", "x_t"}, {"z", "dims"}, "arg { name: \"axis\" i: 2 }");
    r.backward = {{"g", "g", "g", "g"}, {"hs_grad", "zs_grad", "hs_grad", "x_grad"}, {1, 1, 0, 0}};
    test::feed_some<double>(blobs, "x", {2, 1, 1}, 1);
    test::feed_some<double>(blobs, "h0", {1}, 2);
    test::feed_some<double>(blobs, "z0", {2}, 3);
    test::feed_some<double>(blobs, "all_grad", {2, 1, 1}, 4);
    plan_of<serial>(r.op(), blobs).run();
    CHECK_THROWS_WITH_AS(plan_of<serial>(r.gradient_op(), blobs).run(),
                         doctest::Contains("'g' is linked to sequences of different steps"), plait::exec_error);
  }
}

}  // namespace
