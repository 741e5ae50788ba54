#include <plait/exec/detail/plan_series.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/plan.hpp>
#include <plait/exec/serial.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>

namespace {

using B = plait::serial;

/// y = x w, w of one element; sums what is summed.
struct scale_kernel : plait::op_kernel<B> {
  explicit scale_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override {
    c.expect_type<float>(0);
    c.output(0, c.type(0), c.dims(0));
  }
  void run(plait::op_context<B>& c) override {
    for (std::size_t i = 0; i != c.size(0); ++i) {
      float const made = *c.input<float>(1) * c.input<float>(0)[i];
      float& y = c.output<float>(0)[i];
      y = sums_ ? y + made : made;
    }
  }
  bool begin_series(plait::op_context<B>&, plait::run_series const& series) override {
    told = series;
    return sums_ = series.summed[0];
  }
  void end_series(plait::op_context<B>&, bool whole) override {
    ends.push_back(whole);
    sums_ = false;
  }

  static inline std::optional<plait::run_series> told = {};
  static inline std::vector<bool> ends = {};

 private:
  bool sums_ = false;
};

struct fixture {
  fixture() {
    scale_kernel::told.reset();
    scale_kernel::ends.clear();
    blobs.feed("x", std::vector<float>{1, 2, 3}, {3});
    blobs.feed("w", std::vector<float>{10}, {1});
  }
  std::uint32_t given(std::string_view name) const {
    for (auto const v : plan.layout().given())
      if (plan.value_name(v) == name) return v;
    return plait::npos;
  }
  auto nothing(std::size_t runs) const {
    std::vector<bool> const none(plan.layout().value_count(), false);
    return plait::plan<B>::value_series{runs, none, none, none};
  }

  plait::operators<B> operators;
  plait::workspace<B> blobs;
  plait::plan<B> plan = plait::compile(
      plait::read_netdef_text(R"(op { type: "Scale" input: "x" input: "w" output: "y" } external_output: "y")"),
      (operators.add<scale_kernel>(plait::op_schema("Scale").inputs(2).outputs(1)), operators), blobs);
};

TEST_CASE_FIXTURE(fixture, "ops are told what is known of their operands; those of which nothing is known are not") {
  plan.bind();
  CHECK(plan.begin_series(nothing(3)) == std::vector<bool>(plan.layout().value_count(), false));
  CHECK_FALSE(scale_kernel::told.has_value());
  CHECK_FALSE(plan.in_series());

  auto values = nothing(3);
  values.same[given("w")] = true;
  values.lasting[given("x")] = true;
  plan.begin_series(values);
  CHECK(plan.in_series());
  REQUIRE(scale_kernel::told.has_value());
  CHECK(scale_kernel::told->runs == 3);
  CHECK(scale_kernel::told->same == std::vector<bool>{false, true});
  CHECK(scale_kernel::told->lasting == std::vector<bool>{true, true});
  CHECK(scale_kernel::told->summed == std::vector<bool>{false});
  plan.end_series(true);
  CHECK(scale_kernel::ends == std::vector<bool>{true});
  plan.end_series(true);
  CHECK(scale_kernel::ends.size() == 1);
}

TEST_CASE_FIXTURE(fixture, "an op that sums adds to one place") {
  plan.bind();
  auto values = nothing(2);
  std::uint32_t const y = plan.layout().published()[0];
  values.summed[y] = true;
  CHECK(plan.begin_series(values)[y]);
  std::vector<float> sum = {1, 1, 1};
  for (int run = 0; run != 2; ++run) {
    plan.write_to(y, sum.data(), 12);
    plan.run();
  }
  plan.end_series(true);
  CHECK(sum == std::vector<float>{21, 41, 61});
}

TEST_CASE_FIXTURE(fixture, "other shapes end a series") {
  plan.bind();
  auto values = nothing(2);
  values.same[given("w")] = true;
  plan.begin_series(values);
  plan.run();
  CHECK(plan.in_series());
  blobs.feed("x", std::vector<float>{1, 2}, {2});
  plan.bind();
  CHECK_FALSE(plan.in_series());
  CHECK(scale_kernel::ends == std::vector<bool>{true});
}

}  // namespace
