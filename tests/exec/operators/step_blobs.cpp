// Tests of plait/exec/detail/step_blobs.hpp, in this folder because they need operators.
#include <plait/exec/detail/step_blobs.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/text_blob.hpp>
#include <support/recurrent_nets.hpp>

namespace {

using serial = plait::serial;
using test::op_text;

plait::netdef net_of(test::recurrence const& r) { return plait::read_netdef_text(r.op()); }

void run(plait::netdef const& n, plait::workspace<serial>& blobs) {
  test::feed_some<float>(blobs, "x", {3, 2, 2}, 1);
  test::feed_some<float>(blobs, "h0", {1, 2, 2}, 2);
  test::feed_some<float>(blobs, "w", {2, 2}, 3);
  test::feed_some<float>(blobs, "b", {2}, 4);
  plait::compile(n, test::recurrent_operators<serial>(), blobs).run();
}

TEST_CASE("keep_step_blobs: blobs of all steps are kept, with or without a backward pass") {
  test::recurrence r = test::simple_cell();
  for (bool const trains : {false, true}) {
    r.trains = trains;
    plait::netdef n = net_of(r);
    CHECK(plait::keep_step_blobs(n) == 1);
    plait::workspace<serial> blobs;
    run(n, blobs);
    auto const x = blobs.fetch<float>("x");
    auto const all = blobs.fetch<float>("all");
    std::vector<std::string> names = plait::retrieve_step_blobs(n, blobs, {.prefix = "pre"});
    CHECK(names == std::vector<std::string>{"pre_h0", "pre_h_prev0", "pre_s0", "pre_timestep0", "pre_x_t0",  //
                                            "pre_h1", "pre_h_prev1", "pre_s1", "pre_timestep1", "pre_x_t1",  //
                                            "pre_h2", "pre_h_prev2", "pre_s2", "pre_timestep2", "pre_x_t2"});
    CHECK(plait::fetch_text(blobs, "pre_0")->elements() == names);
    for (std::size_t t = 0; t != 3; ++t) {
      std::string const k = std::to_string(t);
      auto const at = static_cast<std::ptrdiff_t>(4 * t);
      CHECK(blobs.fetch<float>("pre_x_t" + k) == std::vector<float>(x.begin() + at, x.begin() + at + 4));
      CHECK(blobs.fetch<float>("pre_h" + k) == std::vector<float>(all.begin() + at, all.begin() + at + 4));
      CHECK(blobs.fetch<float>("pre_h_prev" + k) ==
            (t == 0 ? blobs.fetch<float>("h0") : blobs.fetch<float>("pre_h" + std::to_string(t - 1))));
      CHECK(blobs.fetch<std::int32_t>("pre_timestep" + k) == std::vector<std::int32_t>{static_cast<std::int32_t>(t)});
    }
  }
}

TEST_CASE("retrieve_step_blobs: only blobs that a backward pass reads are kept by default") {
  test::recurrence r = test::simple_cell();
  r.trains = true;
  plait::netdef const n = net_of(r);
  plait::workspace<serial> blobs;
  run(n, blobs);
  CHECK(plait::retrieve_step_blobs(n, blobs) == std::vector<std::string>{"rnn_h0", "rnn_h_prev0", "rnn_timestep0",  //
                                                                         "rnn_h1", "rnn_h_prev1", "rnn_timestep1",  //
                                                                         "rnn_h2", "rnn_h_prev2", "rnn_timestep2"});
  // x_t is missing: steps read linked inputs at the addresses of that run, which may have changed.
}

TEST_CASE("retrieve_step_blobs: as_caffe2 has a timestep for each step with the executor") {
  test::recurrence r = test::simple_cell();
  r.more = test::int_arg("enable_rnn_executor", 1);
  plait::netdef n = net_of(r);
  plait::keep_step_blobs(n);
  plait::workspace<serial> blobs;
  run(n, blobs);
  auto const names = plait::retrieve_step_blobs(n, blobs, {.as_caffe2 = true});
  CHECK(names == std::vector<std::string>{"rnn_h0", "rnn_h_prev0", "rnn_s0", "rnn_timestep_rnnexec_t00", "rnn_x_t0",
                                          "rnn_h1", "rnn_h_prev1", "rnn_s1", "rnn_timestep_rnnexec_t11", "rnn_x_t1",
                                          "rnn_h2", "rnn_h_prev2", "rnn_s2", "rnn_timestep_rnnexec_t22", "rnn_x_t2"});
  auto const all = blobs.fetch<float>("all");
  CHECK(blobs.fetch<float>("rnn_h2") == std::vector<float>(all.begin() + 8, all.end()));
  CHECK(blobs.fetch<std::int32_t>("rnn_timestep_rnnexec_t22") == std::vector<std::int32_t>{2});
}

TEST_CASE("retrieve_step_blobs: as_caffe2 without the executor rotates workspaces, omits recomputed blobs") {
  test::recurrence r = test::simple_cell();
  plait::workspace<serial> blobs;
  SUBCASE("two workspaces in rotation") {
    plait::netdef n = net_of(r);
    plait::keep_step_blobs(n);
    run(n, blobs);
    CHECK(plait::retrieve_step_blobs(n, blobs, {.as_caffe2 = true}) ==
          std::vector<std::string>{"rnn_h1", "rnn_h_prev1", "rnn_s1", "rnn_timestep1", "rnn_x_t1",  //
                                   "rnn_h0", "rnn_h_prev0", "rnn_s0", "rnn_timestep0", "rnn_x_t0"});
    CHECK(blobs.fetch<std::int32_t>("rnn_timestep0") == std::vector<std::int32_t>{2});
  }
  SUBCASE("one workspace per step") {
    r.trains = true;
    r.recompute = {"s"};
    plait::netdef n = net_of(r);
    plait::keep_step_blobs(n);
    run(n, blobs);
    auto const names = plait::retrieve_step_blobs(n, blobs, {.as_caffe2 = true});
    CHECK(names.size() == 12);
    CHECK(std::ranges::find(names, "rnn_s0") == names.end());
    CHECK(plait::fetch_text(blobs, "rnn_1")->elements() == names);
  }
}

TEST_CASE("retrieve_step_blobs: steps that were not kept or not run are reported") {
  plait::netdef const n = net_of(test::simple_cell());
  plait::workspace<serial> blobs;
  auto const problem = [&] {
    try {
      (void)plait::retrieve_step_blobs(n, blobs);
    } catch (plait::net_error const& e) {
      CHECK(e.blob == "ws");
      CHECK(e.op == 0);
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(problem() == "plait: 'ws' holds no step workspaces: the recurrence has not run");
  run(n, blobs);
  CHECK(problem() == "plait: the recurrence of 'ws' has not kept its steps");
  plait::netdef none;
  CHECK(plait::keep_step_blobs(none) == 0);
  CHECK(plait::retrieve_step_blobs(none, blobs).empty());
}

}  // namespace
