#include <plait/gradient/detail/backward_seeds.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <net/test_nets.hpp>
#include <support/op_lines.hpp>

#include <plait/gradient/detail/backward_problems.hpp>
#include <plait/gradient/detail/forward_net.hpp>
#include <plait/gradient/detail/gradient_tape.hpp>
#include <plait/gradient/detail/value_names.hpp>

using plait::gradient_seed;
using net = test::edit_net;

namespace {

struct seeding {
  net n = test::net_of<net>({"A: x -> y", "B: y -> z"});
  plait::gradient_options options;
  plait::gradient_tape tape;
  plait::forward_net<net> forward{n};
  plait::backward_problems<net> problems{forward};
  plait::backward_seeds<net> seeds;
  std::vector<std::pair<std::string, plait::gradient_source>> begun;

  explicit seeding(std::vector<gradient_seed> ys, plait::gradient_options how = {})
      : options(std::move(how)), seeds(std::move(ys), forward, tape, options) {
    forward.compute(tape, true);
  }
  void start() {
    seeds.start(problems, [&](plait::value v, plait::gradient_source const& from) {
      CHECK(seeds.contains(forward.form().index(v)));
      begun.emplace_back(forward.text(v.blob), from);
    });
  }
};

}  // namespace

TEST_CASE("backward_seeds: ones are placed with their blob, given gradients add no op") {
  seeding s({"z", {"y", "dy"}, {"x", plait::blob_gradient::sparse("z", "rows")}});
  s.start();
  REQUIRE(s.begun.size() == 3);
  CHECK(s.problems.empty());
  CHECK(s.begun[0].first == "z");
  CHECK(s.begun[0].second.by_op);
  CHECK(s.begun[0].second.op == plait::op_index{1});
  CHECK(s.tape.wish(s.begun[0].second.gradient.values) == "z_autogen_grad");
  CHECK(!s.begun[1].second.by_op);
  CHECK(s.tape.wish(s.begun[1].second.gradient.values) == "dy");
  // z is a blob of the net: its last value counts.
  CHECK(s.begun[2].second.gradient.indices == s.forward.operand(s.forward.last(s.forward.find("z"))));
  CHECK(s.tape.ops().size() == 1);
}

TEST_CASE("backward_seeds: in Caffe2 ones have no device") {
  seeding s({"z"}, {.as_caffe2 = true});
  s.start();
  REQUIRE(s.begun.size() == 1);
  CHECK(s.begun[0].second.op == plait::npos);
}

TEST_CASE("backward_seeds: an unknown blob and two gradients of one blob are problems") {
  seeding s({"nothing", "y", {"y", "dy"}, {"z", "dz"}, {"z", "dz"}});
  s.start();
  REQUIRE(s.problems.list().size() == 2);
  CHECK(s.problems.list()[0].text == "the net has no blob 'nothing' to start from");
  CHECK(s.problems.list()[1].text == "seed 'y' has two different gradients");
  CHECK(s.begun.size() == 2);
}

TEST_CASE("backward_seeds: in Caffe2 a seed that is not in the net has a gradient") {
  seeding s({"nothing", "nothing", {"others", "dothers"}}, {.as_caffe2 = true});
  s.start();
  CHECK(s.problems.empty());
  CHECK(s.begun.empty());
  std::vector<std::pair<std::string, std::string>> gradients;
  s.seeds.for_each_unknown([&](std::string const& blob, plait::gradient_operands g) {
    gradients.emplace_back(blob, s.tape.wish(g.values));
  });
  CHECK(gradients ==
        std::vector<std::pair<std::string, std::string>>{{"nothing", "nothing_autogen_grad"}, {"others", "dothers"}});
  CHECK(s.tape.ops().size() == 1);
}

TEST_CASE("backward_seeds: no gradient gets a reserved name") {
  for (bool const as_caffe2 : {false, true}) {
    CAPTURE(as_caffe2);
    seeding s({{"z", "dz"}}, {.as_caffe2 = as_caffe2});
    s.seeds.reserve_name("taken");
    s.start();
    auto const dz = s.tape.make_value("dz");
    auto const taken = s.tape.make_value("taken");
    std::vector<std::uint32_t> const order = {
        s.tape.add("Grad", 1, std::array{s.begun[0].second.gradient.values}, std::array{dz, taken}, {})};
    plait::value_names names(s.tape, order);
    s.seeds.hold_names(names);
    names.assign();
    CHECK(s.tape.texts[names[dz]] == (as_caffe2 ? "dz" : "dz_1"));
    CHECK(s.tape.texts[names[taken]] == (as_caffe2 ? "taken" : "taken_1"));
  }
}
