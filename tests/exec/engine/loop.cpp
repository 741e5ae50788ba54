#include <plait/exec/detail/engine/engine.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>

namespace {

using B = plait::serial;

/// Op with outputs sum = the sum over rows of a b, and twice = 2 a.
struct dot_kernel : plait::op_kernel<B> {
  explicit dot_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override {
    c.expect_type<float>(0);
    c.expect_same_dims(0, 1);
    c.output(0, c.type(0), {1});
    c.output(1, c.type(0), c.dims(0));
  }
  void run(plait::op_context<B>& c) override { run_part(c, {.kind = plait::op_part::kinds::outputs, .outputs = 0b11}); }
  void patterns(plait::op_context<B> const& c, std::vector<plait::op_pattern<B>>& to) const override {
    to.push_back({.kind = plait::pattern_kind::sums, .whole_outputs = 0b01, .rows = c.size(0)});
  }
  void run_part(plait::op_context<B>& c, plait::op_part const& part) override {
    std::size_t const rows = part.adds_rows != 0 ? part.adds_rows : c.size(0);
    if ((part.outputs & 0b01) != 0) {
      float& sum = *c.output<float>(0);
      if (part.adds_rows == 0) sum = 0;
      for (std::size_t i = 0; i != rows; ++i) sum += c.input<float>(0)[i] * c.input<float>(1)[i];
    }
    for (std::size_t i = 0; (part.outputs & 0b10) != 0 && i != rows; ++i)
      c.output<float>(1)[i] = 2 * c.input<float>(0)[i];
  }
};

/// Op y = x w with a w of one element, which it packs as 2 w.
struct scale_kernel : plait::op_kernel<B> {
  explicit scale_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.expect_type<float>(0), c.dims(0)); }
  void run(plait::op_context<B>& c) override {
    auto const* const packed = static_cast<float const*>(c.packed(1));
    float const w = packed != nullptr ? *packed / 2 : *c.input<float>(1);
    for (std::size_t i = 0; i != c.size(0); ++i) c.output<float>(0)[i] = w * c.input<float>(0)[i];
  }
  std::size_t pack(plait::op_context<B>& c, std::size_t input, void* to) override {
    if (input != 1) return 0;
    if (to != nullptr) *static_cast<float*>(to) = 2 * *c.input<float>(1);
    return sizeof(float);
  }
};

struct fixture {
  explicit fixture(std::string const& net) {
    operators.add<dot_kernel>(plait::op_schema("Dot").inputs(2).outputs(2));
    operators.add<scale_kernel>(plait::op_schema("Scale").inputs(2).outputs(1));
    blobs.feed("x", std::vector<float>{1, 2, 3}, {3});
    blobs.feed("w", std::vector<float>{10}, {1});
    blobs.feed("z", std::vector<float>{1, 10, 100}, {3});
    plan.emplace(plait::read_netdef_text(net), operators, blobs, plait::compile_options());
    plan->bind();
  }
  std::uint32_t given(std::string_view name) const {
    for (auto const v : plan->layout().given())
      if (plan->value_name(v) == name) return v;
    return plait::npos;
  }
  std::uint32_t published(std::string_view name) const {
    for (auto const v : plan->layout().published())
      if (plan->value_name(v) == name) return v;
    return plait::npos;
  }
  auto nothing(std::size_t runs) const {
    std::vector<bool> const none(plan->layout().value_count(), false);
    return plait::loop_values{.runs = runs, .same = none, .lasting = none, .summed = none};
  }

  void begin(plait::loop_values const& values) {
    plan->set_loop(values);
    plan->bind();
    plan->begin_loop();
  }

  plait::operators<B> operators;
  plait::workspace<B> blobs;
  std::optional<plait::engine<B>> plan;
};

constexpr char const* dot = R"(op { type: "Dot" input: "x" input: "z" output: "sum" output: "twice" }
                               external_output: "sum" external_output: "twice")";
constexpr char const* scale = R"(op { type: "Scale" input: "x" input: "w" output: "y" } external_output: "y")";

TEST_CASE("loop: sums over rows are accumulated, other outputs are computed in each run") {
  for (bool const lasting : {false, true}) {
    fixture f(dot);
    auto values = f.nothing(3);
    std::uint32_t const sum = f.published("sum");
    values.summed[sum] = true;
    values.lasting[f.given("x")] = values.lasting[f.given("z")] = lasting;
    f.begin(values);
    CHECK(f.plan->accumulates(sum));
    CHECK(f.plan->in_loop());
    float total = 0.5f;
    for (int run = 0; run != 3; ++run) {
      f.plan->write_to(sum, &total, sizeof total);
      f.plan->run({});
      CHECK(f.blobs.fetch<float>("twice") == std::vector<float>{2, 4, 6});
    }
    f.plan->end_loop(true);
    CHECK_FALSE(f.plan->in_loop());
    CHECK(total == 0.5f + 3 * 321);
    f.plan->rebind(f.blobs);
    f.plan->run({});
    CHECK(f.blobs.fetch<float>("sum") == std::vector<float>{321});
  }
}

TEST_CASE("loop: outputs that are no sums, or not marked as summed, are computed in each run") {
  fixture f(dot);
  f.begin(f.nothing(3));
  CHECK_FALSE(f.plan->accumulates(f.published("sum")));
  auto values = f.nothing(3);
  values.summed[f.published("twice")] = true;
  f.begin(values);
  CHECK_FALSE(f.plan->accumulates(f.published("twice")));
  f.plan->run({});
  CHECK(f.blobs.fetch<float>("sum") == std::vector<float>{321});
}

TEST_CASE("loop: a loop-invariant input is packed until the loop ends, if the loop is long enough") {
  fixture f(scale);
  auto const run_with = [&](float w) {
    *f.blobs.get("w").value.data<float>() = w;
    f.plan->run({});
    return f.blobs.fetch<float>("y")[0];
  };
  auto values = f.nothing(3);
  values.same[f.given("w")] = true;
  f.begin(values);
  CHECK(run_with(7) == 7);
  values.runs = 4;
  f.begin(values);
  CHECK(run_with(8) == 7);  // the packed value: w is loop-invariant
  f.plan->end_loop(true);
  CHECK(run_with(9) == 9);
}

TEST_CASE("loop: a change of shapes ends it") {
  fixture f(scale);
  auto values = f.nothing(4);
  values.same[f.given("w")] = true;
  f.begin(values);
  f.plan->run({});
  CHECK(f.plan->in_loop());
  f.blobs.feed("x", std::vector<float>{1, 2}, {2});
  f.plan->run({});
  CHECK_FALSE(f.plan->in_loop());
  CHECK(f.blobs.fetch<float>("y") == std::vector<float>{10, 20});
}

}  // namespace
