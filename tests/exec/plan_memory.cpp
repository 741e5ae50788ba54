// Errors of plans that run out of memory. The placement of values is tested in plan.cpp.
#include <plait/exec/detail/plan_memory.hpp>

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/host_memory.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/netdef/traits.hpp>

namespace {

struct small : plait::host_memory {
  static constexpr std::string_view name = "small";
  static auto policy() { return plait::serial::policy(); }
  static constexpr unsigned concurrency() { return 1; }
  static std::size_t capacity() { return 100'000; }
};

// Kernel with `count` output floats and `scratch` bytes of scratch memory. If `list` is set, its run throws what the
// standard library throws when an allocation fails.
template <class B>
struct grow_kernel : plait::op_kernel<B> {
  explicit grow_kernel(plait::op_arguments const& a)
      : count(a.integer("count")), scratch(a.integer("scratch")), list(a.integer("list")) {
    if (a.integer("early") != 0) std::vector<double>().reserve(static_cast<std::size_t>(a.integer("early")));
  }
  void infer(plait::shape_context& c) override {
    c.output(0, plait::element_type::float32, {count});
    if (scratch != 0) c.scratch(static_cast<std::size_t>(scratch));
  }
  void run(plait::op_context<B>& c) override {
    if (list == 1) throw std::bad_alloc();
    if (list > 1) std::vector<double>().reserve(static_cast<std::size_t>(list));
    float* const y = c.template output<float>(0);
    for (std::size_t i = 0; i != c.output_size(0); ++i) y[i] = 1;
  }
  std::int64_t count, scratch, list;
};

template <class B>
struct next_kernel : plait::op_kernel<B> {
  explicit next_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<B>& c) override {
    for (std::size_t i = 0; i != c.size(0); ++i) c.template output<float>(0)[i] = c.template input<float>(0)[i] + 1;
  }
};

plait::operators<small> const& table() {
  static auto const made = [] {
    plait::operators<small> t;
    t.add<grow_kernel>(plait::op_schema("Grow")
                           .inputs(0)
                           .outputs(1)
                           .argument("count", std::int64_t{1}, "")
                           .argument("scratch", std::int64_t{0}, "")
                           .argument("list", std::int64_t{0}, "")
                           .argument("early", std::int64_t{0}, ""));
    t.add<next_kernel>(plait::op_schema("Next").inputs(1).outputs(1));
    t.add<next_kernel>(plait::op_schema("NextInPlace").inputs(1).outputs(1).in_place(0, 0));
    return t;
  }();
  return made;
}

struct refusal {
  std::string what;
  std::string blob;
  std::size_t op;
  bool nests_memory_error;
};

refusal refused(plait::netdef const& net, plait::workspace<small>& blobs, std::vector<std::string> fetch) {
  try {
    plait::compile(net, table(), blobs, {.fetch = std::move(fetch)}).run();
  } catch (plait::exec_error const& e) {
    refusal made{e.what(), e.blob, e.op, false};
    try {
      std::rethrow_if_nested(e);
    } catch (plait::memory_error const&) {
      made.nests_memory_error = true;
    } catch (...) {
    }
    return made;
  }
  FAIL("there is memory");
  return {};
}

plait::netdef grown(std::string argument, std::int64_t value) {
  plait::net_builder net("n");
  net.op_n("Grow", {}, {"a"});
  net.op_n("Grow", {}, {"y"}, {{std::move(argument), value}});
  net.op_n("Next", {"y"}, {"z"});
  return net.take();
}

TEST_CASE("plan memory: an error names op, value, shape and size, whether the value is kept or not") {
  for (std::vector<std::string> const& fetch : {std::vector<std::string>{"z"}, {"y", "z"}}) {
    for (std::int64_t const count : {std::int64_t{30'000}, std::int64_t{1} << 58}) {
      plait::workspace<small> blobs;
      refusal const r = refused(grown("count", count), blobs, fetch);
      CHECK(r.op == 1);
      CHECK(r.blob == "y");
      CHECK(r.nests_memory_error);
      CHECK(r.what == "plait: op 1 (Grow): no memory for output 'y', " + std::to_string(count * 4) +
                          " bytes; inputs; outputs y: float32 " + std::to_string(count));
    }
  }
}

TEST_CASE("plan memory: values that do not fit together are refused at the last of them") {
  plait::workspace<small> blobs;
  refusal const r = refused(grown("count", 20'000), blobs, {"y", "z"});
  CHECK(r.op == 2);
  CHECK(r.blob == "z");
}

TEST_CASE("plan memory: scratch memory that does not fit is reported") {
  plait::workspace<small> blobs;
  refusal const r = refused(grown("scratch", 200'000), blobs, {"z"});
  CHECK(r.op == 1);
  CHECK(r.blob.empty());
  CHECK(r.what.find("no memory for the 200000 bytes that it needs besides its outputs") != r.what.npos);
}

TEST_CASE("plan memory: exceptions of the standard library name the op") {
  for (std::int64_t const list : {std::int64_t{1}, std::int64_t{1} << 62}) {
    plait::workspace<small> blobs;
    refusal const r = refused(grown("list", list), blobs, {"z"});
    CHECK(r.op == 1);
    CHECK(r.what.starts_with("plait: op 1 (Grow): no memory for what it asks for; inputs; outputs y: float32 1"));
  }
  plait::workspace<small> blobs;
  CHECK(refused(grown("early", std::int64_t{1} << 62), blobs, {"z"})
            .what.starts_with("plait: op 1 (Grow): no memory for what it asks for"));
}

TEST_CASE("plan memory: a copy of a fed blob that does not fit is reported") {
  std::vector<float> own(32'000, 1.0f);  // memory of the caller, which the pool does not count
  auto const strided = [&] {
    return plait::tensor<small>::adopt(own.data(), {plait::element_type::float32, {16'000}}, {2}, nullptr);
  };
  auto const net = [](char const* type) {
    plait::net_builder made("n");
    made.external_input("x");
    made.op_n(type, {"x"}, {type[4] == '\0' ? "y" : "x"});
    return made.take();
  };
  plait::tensor<small> const full = plait::tensor<small>::uninitialized(plait::element_type::uint8, {60'000});
  for (char const* type : {"Next", "NextInPlace"}) {
    plait::workspace<small> blobs;
    blobs.feed("x", strided());
    refusal const r = refused(net(type), blobs, {});
    CHECK(r.op == 0);
    CHECK(r.blob == "x");
    CHECK(r.what.find("no memory for a copy of 'x', 64000 bytes") != r.what.npos);
  }
}

TEST_CASE("plan memory: a refused plan runs once memory is available") {
  plait::workspace<small> blobs;
  auto full = plait::tensor<small>::uninitialized(plait::element_type::uint8, {60'000});
  plait::netdef const net = grown("count", 10'000);
  auto plan = plait::compile(net, table(), blobs, {.fetch = {"y", "z"}});
  CHECK_THROWS_AS(plan.run(), plait::exec_error);
  full = {};
  plan.run();
  CHECK(blobs.fetch<float>("z") == std::vector<float>(10'000, 2.0f));
}

}  // namespace
