#include <plait/exec/detail/operators/recurrent_links.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <support/recurrent_nets.hpp>

namespace {

using test::op_text;
using test::recurrence;
using serial = plait::serial;

std::string link_text(std::string const& internal, std::string const& external, std::int64_t offset,
                      std::int64_t window = 1) {
  return op_text("rnn_internal_apply_link", {"timestep", external}, {internal, external},
                 test::int_arg("offset", offset) + test::int_arg("window", window));
}
std::string accumulate_text(std::string const& from, std::string const& to, std::int64_t offset) {
  return op_text("rnn_internal_accumulate_gradient_input", {"timestep", from, to}, {to},
                 test::int_arg("offset", offset));
}

template <class B>
void run(std::string const& text, plait::workspace<B>& blobs) {
  plait::compile(plait::read_netdef_text(text), test::recurrent_operators<B>(), blobs).run();
}

TEST_CASE_TEMPLATE("rnn_internal ops: links read places, and accumulation adds to them", B, PLAIT_HOST_BACKENDS) {
  plait::workspace<B> blobs;
  blobs.feed("timestep", std::vector<std::int32_t>{2}, {1});
  blobs.feed("s", std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {5, 1, 2});
  blobs.feed("e", std::vector<float>{10, 20, 30, 40, 50, 60}, {3, 2, 1});
  SUBCASE("links") {
    run(link_text("a", "s", 1) + link_text("b", "s", 0, 3) + link_text("none", "s", 3, 0), blobs);
    CHECK(blobs.template fetch<float>("a") == std::vector<float>{6, 7});
    CHECK(blobs.view("a").dims() == plait::shape{1, 1, 2});
    CHECK(blobs.template fetch<float>("b") == std::vector<float>{4, 5, 6, 7, 8, 9});
    CHECK(blobs.view("b").dims() == plait::shape{3, 1, 2});
    CHECK(blobs.view("none").dims() == plait::shape{0, 1, 2});
    CHECK(blobs.template fetch<float>("s") == std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  }
  SUBCASE("sums") {
    run(accumulate_text("e", "s", 1) + accumulate_text("e", "s", 2), blobs);
    CHECK(blobs.template fetch<float>("s") == std::vector<float>{0, 1, 2, 3, 4, 5, 56, 67, 58, 69});
  }
  SUBCASE("wrong operands are refused") {
    std::int64_t const most = std::numeric_limits<std::int64_t>::max();
    for (std::string const& text :
         {link_text("a", "s", 3), link_text("a", "s", 0, 4), link_text("a", "s", -1), link_text("a", "s", 0, -1),
          accumulate_text("e", "s", 3), accumulate_text("s", "e", 1), link_text("a", "s", most - 1, 2),
          link_text("a", "s", 1, most), accumulate_text("e", "s", most),
          op_text("rnn_internal_apply_link", {"timestep", "s"}, {"a", "s"}, test::int_arg("window", 1)),
          op_text("rnn_internal_apply_link", {"e", "s"}, {"a", "s"},
                  test::int_arg("offset", 0) + test::int_arg("window", 1))}) {
      CAPTURE(text);
      CHECK_THROWS_AS(run(text, blobs), plait::exec_error);
      CHECK(blobs.template fetch<float>("s") == std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    }
    blobs.feed("timestep", std::vector<std::int32_t>{-1}, {1});
    CHECK_THROWS_AS(run(link_text("a", "s", 0), blobs), plait::exec_error);
  }
}

// Returns the outputs and gradients of two runs of a recurrence.
std::vector<std::vector<double>> results(recurrence const& r) {
  plait::workspace<serial> blobs;
  test::feed_some<double>(blobs, "x", {4, 2, 3}, 1);
  test::feed_some<double>(blobs, "h0", {2, 3}, 2);
  test::feed_some<double>(blobs, "w", {3, 3}, 3);
  test::feed_some<double>(blobs, "b", {3}, 4);
  test::feed_some<double>(blobs, "all_grad", {4, 2, 3}, 5);
  auto plan =
      plait::compile(plait::read_netdef_text(r.op() + r.gradient_op()), test::recurrent_operators<serial>(), blobs);
  std::vector<std::vector<double>> made;
  for (int round = 0; round != 2; ++round) {
    plan.run();
    for (char const* name : {"all", "last", "x_grad", "w_grad", "b_grad", "h0_grad"})
      made.push_back(blobs.fetch<double>(name));
  }
  return made;
}

TEST_CASE("recurrent_links: links may be ops of the step nets instead of arguments") {
  recurrence r = test::simple_cell();
  r.trains = true;
  r.outputs_with_grads = {0};
  auto const expected = results(r);
  std::string const forward = link_text("h_prev", "hs", 0) + link_text("h", "hs", 1) + link_text("x_t", "x", 0);
  std::string const backward =
      link_text("h_grad", "hs_grad", 1) + link_text("h_prev_grad", "hs_grad", 0) + link_text("s_grad", "x_grad", 0);
  SUBCASE("forward, besides the arguments") { r.step = forward + r.step; }
  SUBCASE("forward, without the arguments") {
    r.step = forward + r.step;
    r.forward = {{}, {}, {}};
  }
  SUBCASE("backward, besides the arguments") { r.backward_step = backward + r.backward_step; }
  SUBCASE("backward, some as arguments") {
    r.backward_step = backward + r.backward_step;
    r.backward = {{"s_grad"}, {"x_grad"}, {0}};
  }
  SUBCASE("both") {
    r.step = forward + r.step;
    r.backward_step = backward + r.backward_step;
  }
  // Sums over the steps may be accumulated in another order.
  auto const got = results(r);
  REQUIRE(got.size() == expected.size());
  for (std::size_t k = 0; k != got.size(); ++k) {
    REQUIRE(got[k].size() == expected[k].size());
    for (std::size_t i = 0; i != got[k].size(); ++i) CHECK(std::abs(got[k][i] - expected[k][i]) < 1e-13);
  }
}

TEST_CASE("recurrent_links: a backward step net may add the gradient of an output itself") {
  recurrence r = test::simple_cell();
  r.trains = true;
  r.outputs_with_grads = {0};
  recurrence const plain = r;
  // The op adds all_grad, and the step net adds it once more, as if it were twice as large.
  r.backward_step = accumulate_text("all_grad", "hs_grad", 1) + link_text("h_grad", "hs_grad", 1) + r.backward_step;
  auto const got = results(r);
  plait::workspace<serial> blobs;
  test::feed_some<double>(blobs, "x", {4, 2, 3}, 1);
  test::feed_some<double>(blobs, "h0", {2, 3}, 2);
  test::feed_some<double>(blobs, "w", {3, 3}, 3);
  test::feed_some<double>(blobs, "b", {3}, 4);
  auto gradient = test::some_numbers<double>(24, 5);
  for (double& number : gradient) number *= 2;
  blobs.feed("all_grad", gradient, {4, 2, 3});
  run(plain.op() + plain.gradient_op(), blobs);
  auto const expected = blobs.fetch<double>("w_grad");
  REQUIRE(got[3].size() == expected.size());
  for (std::size_t i = 0; i != expected.size(); ++i) CHECK(got[3][i] == doctest::Approx(expected[i]).epsilon(1e-12));
}

TEST_CASE("recurrent_links: a link op of neither a state nor an input is refused") {
  recurrence r = test::simple_cell();
  r.step = link_text("q", "elsewhere", 0) + r.step;
  plait::workspace<serial> blobs;
  try {
    run(r.op(), blobs);
    FAIL("accepted");
  } catch (plait::exec_error const& e) {
    CHECK(std::string(e.what()).find("'elsewhere', which is neither a state nor an input") != std::string::npos);
  }
}

}  // namespace
