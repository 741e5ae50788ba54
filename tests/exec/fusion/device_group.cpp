// Element-wise groups on a device: results have the bits of separate ops, with the fewest kernel launches. With
// PLAIT_TEST_CUDA, tests run on a device; else on an emulated one, which also counts kernels.
#include <plait/exec/detail/fusion/device_group.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/captured_runs.hpp>
#include <support/run_op.hpp>
#if !defined(PLAIT_TEST_CUDA)
#include <support/emulated_device.hpp>
#endif

namespace {

#if defined(PLAIT_TEST_CUDA)
using device = plait::cuda;
#else
using device = test::emulated_device;
#endif
using plait::op_index;
using plait::shape;
using plait::slot;

plait::tensor<device> numbers(plait::element_type type, shape const& dims, std::uint32_t seed) {
  std::mt19937 random(seed);
  plait::tensor<device> made;
  plait::visit_type<float, double, std::int32_t, std::int64_t>(type, [&]<class T>(T) {
    std::vector<T> all(static_cast<std::size_t>(dims.size()));
    for (T& x : all) x = static_cast<T>((static_cast<double>(random() % 64) - 32) / (std::is_integral_v<T> ? 1 : 16));
    made = plait::tensor<device>::from(all, dims);
  });
  return made;
}

struct fed {
  std::string name;
  shape dims;
  plait::element_type type = plait::element_type::float32;
};

/// Returns the number of kernels that a run launches; nullopt on a real device, where they are not counted.
std::optional<std::size_t> kernels_of(plait::plan<device>& plan) {
#if defined(PLAIT_TEST_CUDA)
  static_cast<void>(plan);
  return std::nullopt;
#else
  plan.bind();
  device::recorded_work::begin();
  plan.run_bound();
  auto const made = device::recorded_work::end();
  return made->work.size();
#endif
}

/// Runs a net, which must not overwrite fed blobs, without and with fusion, and compares the fetched blobs. Returns the
/// number of kernels with fusion.
std::optional<std::size_t> compare(std::string_view net, std::vector<fed> const& feeds,
                                   std::vector<std::string> const& fetch) {
  CAPTURE(net);
  auto const read = plait::read_netdef_text(net);
  plait::workspace<device> alone;
  plait::workspace<device> joined;
  auto const feed = [&feeds](plait::workspace<device>& blobs) {
    std::uint32_t seed = 0;
    for (fed const& f : feeds) blobs.feed(f.name, numbers(f.type, f.dims, ++seed));
  };
  feed(alone);
  feed(joined);
  auto one_by_one = plait::compile(read, test::table<device>(), alone, {.fetch = fetch, .parallel = true});
  auto plan = plait::compile(read, test::table<device>(), joined, {.fetch = fetch});
  one_by_one.run();
  for (int run = 0; run != 3; ++run) {
    if (run == 1) feed(joined);  // moves operands; in the third run they stay
    plan.run();
    for (std::string const& name : fetch) {
      CAPTURE(name);
      auto const& wanted = alone.get(name).value;
      auto const& got = joined.get(name).value;
      REQUIRE(got.spec() == wanted.spec());
      std::vector<std::byte> a(wanted.spec().bytes());
      std::vector<std::byte> b(a.size());
      device::copy_to_host(a.data(), wanted.raw(), a.size());
      device::copy_to_host(b.data(), got.raw(), b.size());
      CHECK(a == b);
    }
  }
  return kernels_of(plan);
}

void check_kernels(std::optional<std::size_t> got, std::size_t wanted) {
  if (got) CHECK(*got == wanted);
}

TEST_CASE("device_group: element-wise ops are one kernel") {
  check_kernels(compare(R"(op { type: "Add" input: "x" input: "y" output: "a" }
                           op { type: "Tanh" input: "a" output: "b" }
                           op { type: "Mul" input: "b" input: "x" output: "c" })",
                        {{"x", {7, 3}}, {"y", {7, 3}}}, {"c"}),
                1);
  check_kernels(compare(R"(op { type: "Add" input: "x" input: "y" output: "a" }
                           op { type: "Sub" input: "a" input: "x" output: "a" }
                           op { type: "Sum" input: "x" input: "a" input: "y" output: "c" }
                           op { type: "Mean" input: "x" input: "c" input: "y" input: "a" output: "d" })",
                        {{"x", {1000}}, {"y", {1000}}}, {"a", "d"}),
                1);
}

TEST_CASE("device_group: rows, columns and scalars are broadcast") {
  std::vector<fed> const feeds{{"x", {5, 3}}, {"row", {3}}, {"column", {5, 1}}, {"one", {1}}};
  check_kernels(compare(R"(op { type: "Mul" input: "x" input: "row" output: "a" }
                           op { type: "Add" input: "column" input: "a" output: "b" }
                           op { type: "Sub" input: "one" input: "b" output: "c" }
                           op { type: "Div" input: "c" input: "x" output: "d" })",
                        feeds, {"d"}),
                1);
  // Rows of another width form another group.
  check_kernels(compare(R"(op { type: "Mul" input: "x" input: "row" output: "a" }
                           op { type: "Tanh" input: "a" output: "b" }
                           op { type: "Mul" input: "y" input: "wide" output: "c" }
                           op { type: "Tanh" input: "c" output: "d" })",
                        {{"x", {5, 3}}, {"row", {3}}, {"y", {3, 5}}, {"wide", {5}}}, {"b", "d"}),
                2);
}

TEST_CASE("device_group: members may split and concatenate rows") {
  std::vector<fed> const feeds{{"x", {2, 4, 9}}, {"y", {2, 4, 9}}};
  std::string const cut =
      R"(op { type: "Split" input: "x" output: "a" output: "b" output: "c" arg { name: "axis" i: 2 } }
                             op { type: "Split" input: "y" output: "d" output: "e" output: "f" arg { name: "axis" i: 2 } }
                             op { type: "Add" input: "a" input: "d" output: "g" }
                             op { type: "Sigmoid" input: "g" output: "h" }
                             op { type: "Mul" input: "h" input: "f" output: "i" })";
  check_kernels(compare(cut, feeds, {"i"}), 1);
  check_kernels(compare(cut, feeds, {"i", "b", "g"}), 1);
  std::string const joined = cut + R"(op { type: "Concat" input: "i" input: "b" input: "g" output: "j" output: "extents"
                    arg { name: "axis" i: 2 } })";
  check_kernels(compare(joined, feeds, {"j"}), 1);
  check_kernels(compare(joined, feeds, {"j", "extents"}), 2);
  // A concatenated value is complete only after the group, so its consumer starts another.
  check_kernels(compare(joined + R"(op { type: "Tanh" input: "j" output: "k" })", feeds, {"k"}), 2);
  // A split into unequal pieces needs another kernel.
  check_kernels(compare(R"(op { type: "Split" input: "x" output: "a" output: "b" arg { name: "axis" i: 2 }
                                arg { name: "split" ints: 3 ints: 6 } }
                           op { type: "Tanh" input: "a" output: "c" }
                           op { type: "Mul" input: "c" input: "a" output: "d" })",
                        feeds, {"d"}),
                2);
}

TEST_CASE("device_group: elements may have any type") {
  for (auto const type : {plait::element_type::float32, plait::element_type::float64, plait::element_type::int32,
                          plait::element_type::int64}) {
    bool const wide = plait::size_of(type) == 8;
    // Numbers of eight bytes and booleans do not mix in a group, except that a comparison of such numbers may end it.
    check_kernels(compare(R"(op { type: "Add" input: "x" input: "y" output: "a" }
                             op { type: "LT" input: "a" input: "x" output: "b" }
                             op { type: "Not" input: "b" output: "c" }
                             op { type: "Or" input: "c" input: "b" output: "d" })",
                          {{"x", {33}, type}, {"y", {33}, type}}, {"a", "c", "d"}),
                  wide ? 2 : 1);
  }
}

TEST_CASE("device_group: a thread computes several of many elements, the last one perhaps fewer") {
  auto const rows = static_cast<std::int64_t>(plait::element_program::many_elements) / 7 + 1;
  for (auto const type : {plait::element_type::float32, plait::element_type::float64}) {
    std::vector<fed> const feeds{{"x", {rows, 14}, type},
                                 {"y", {rows, 7}, type},
                                 {"row", {7}, type},
                                 {"column", {rows, 1}, type},
                                 {"one", {1}, type}};
    check_kernels(compare(R"(op { type: "Split" input: "x" output: "a" output: "b" arg { name: "axis" i: 1 } }
                             op { type: "Mul" input: "a" input: "row" output: "c" }
                             op { type: "Sub" input: "column" input: "c" output: "d" }
                             op { type: "Sum" input: "d" input: "y" input: "b" output: "e" }
                             op { type: "Tanh" input: "e" output: "f" }
                             op { type: "Add" input: "f" input: "one" output: "g" }
                             op { type: "Concat" input: "g" input: "y" input: "d" output: "h" output: "extents"
                                  arg { name: "axis" i: 1 } })",
                          feeds, {"e", "h"}),
                  1);
  }
  check_kernels(compare(R"(op { type: "LT" input: "x" input: "y" output: "a" }
                           op { type: "Not" input: "a" output: "b" }
                           op { type: "And" input: "b" input: "a" output: "c" })",
                        {{"x", {rows, 7}}, {"y", {rows, 7}}}, {"b", "c"}),
                1);
}

TEST_CASE("device_group: an op that is independent of the group runs before it") {
  std::vector<fed> const feeds{{"x", {4, 6}}, {"h", {4, 3}}, {"w", {6, 3}}, {"b", {6}}};
  std::string const before =
      R"(op { type: "Split" input: "x" output: "a" output: "b0" arg { name: "axis" i: 1 } }
         op { type: "FC" input: "h" input: "w" input: "b" output: "p" }
         op { type: "Split" input: "p" output: "c" output: "d" arg { name: "axis" i: 1 } }
         op { type: "Add" input: "a" input: "c" output: "e" }
         op { type: "Mul" input: "e" input: "b0" output: "f" })";
  auto const product = compare(R"(op { type: "FC" input: "h" input: "w" input: "b" output: "p" })", feeds, {"p"});
  auto const all = compare(before, feeds, {"f"});
  if (all) CHECK(*all == *product + 1);
  // An op that depends on the group ends it.
  auto const after = compare(R"(op { type: "Mul" input: "h" input: "h" output: "k" }
                                op { type: "Tanh" input: "k" output: "l" }
                                op { type: "FC" input: "l" input: "w" input: "b" output: "p" }
                                op { type: "Mul" input: "p" input: "p" output: "q" }
                                op { type: "Tanh" input: "q" output: "r" })",
                             feeds, {"r"});
  if (after) CHECK(*after == *product + 2);
}

TEST_CASE("device_group: ops that exceed the size of a program form several groups") {
  std::string net;
  for (int i = 0; i != 70; ++i)
    net += "op { type: 'Add' input: 'v" + std::to_string(i) + "' input: 'x' output: 'v" + std::to_string(i + 1) + "' }";
  check_kernels(compare(net, {{"v0", {10}}, {"x", {10}}}, {"v70"}), 3);
}

// ---- groups outside a plan: operands that move ---------------------------------------------------------------------

struct twice_less {
  PLAIT_HOST_DEVICE float operator()(float x, float less) const { return 2 * x - less; }
};

struct line {
  float const* x;
  float const* less;
  float* y;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { y[i] = twice_less()(x[i], less[i]); }
};

struct twice_less_kernel : plait::op_kernel<device> {
  void infer(plait::shape_context&) override {}
  void run(plait::op_context<device>& c) override {
    plait::for_each_index<device>(c.size(0), line{c.input<float>(0), c.input<float>(1), c.output<float>(0)});
  }
  void patterns(plait::op_context<device> const&, std::vector<plait::op_pattern<device>>& to) const override {
    to.push_back({.kind = plait::pattern_kind::elements,
                  .does = plait::device_function::of<device, float, float>(twice_less())});
  }
};

/// Two ops on 100 elements: b = 2 a - more, c = 2 b - more.
struct two_ops {
  plait::tensor<device> memory = numbers(plait::element_type::float32, {1000}, 7);
  twice_less_kernel kernels[2];
  slot a, more, b, c;
  std::vector<slot*> operands{&a, &more, &b, &b, &more, &c};
  std::vector<plait::op_context<device>> contexts{
      plait::op_context<device>({operands.data(), 2}, {operands.data() + 2, 1}),
      plait::op_context<device>({operands.data() + 3, 2}, {operands.data() + 5, 1})};
  std::vector<plait::op_pattern<device>> patterns;

  two_ops(std::size_t at_a, std::size_t at_more, std::size_t at_b, std::size_t at_c) {
    for (slot* s : {&a, &more, &b, &c}) s->type = {plait::element_type::float32, {100}};
    stand(at_a, at_more, at_b, at_c);
  }
  // Values at one address share a storage.
  void stand(std::size_t at_a, std::size_t at_more, std::size_t at_b, std::size_t at_c) {
    auto const stand = [this](slot& s, std::size_t at) {
      s.data = memory.data<float>() + at;
      s.storage = static_cast<std::uint32_t>(at);
    };
    stand(a, at_a);
    stand(more, at_more);
    stand(b, at_b);
    stand(c, at_c);
  }
  plait::fused_groups<device> find() {
    for (std::size_t op = 0; op != 2; ++op) kernels[op].patterns(contexts[op], patterns);
    plait::fused_groups<device> made;
    plait::find_groups<device>(
        0, 2,
        [&](op_index op) {
          return plait::fusion_candidate<device>{
              .kernel = &kernels[op], .context = &contexts[op], .patterns = std::span(patterns).subspan(op, 1)};
        },
        [](slot const&) { return op_index{5}; }, false, {}, {}, made);
    return made;
  }
  std::vector<float> one_by_one() {
    for (std::size_t op = 0; op != 2; ++op) kernels[op].run(contexts[op]);
    return memory.values<float>();
  }
};

TEST_CASE("device_group: operands may move between runs, and outputs may overwrite the same elements of inputs") {
  struct places {
    std::size_t a, more, b, c;
  };
  for (places const p : {places{0, 100, 200, 300}, places{0, 100, 0, 0}, places{0, 100, 0, 300},
                         places{0, 100, 200, 200}, places{0, 100, 200, 100}}) {
    CAPTURE(p.b);
    CAPTURE(p.c);
    two_ops fused(p.a, p.more, p.b, p.c);
    auto const groups = fused.find();
    REQUIRE(groups.size() == 1);
    for (std::size_t const by : {0u, 500u}) {
      two_ops alone(p.a + by, p.more + by, p.b + by, p.c + by);
      fused.memory = numbers(plait::element_type::float32, {1000}, 7);
      fused.stand(p.a + by, p.more + by, p.b + by, p.c + by);
      op_index op = 0;
      groups[0]->run(op);
      CHECK(op == 1);
      auto const made = fused.memory.values<float>();
      auto const wanted = alone.one_by_one();
      for (std::size_t i = 0; i != 100; ++i) CHECK(made[p.c + by + i] == wanted[p.c + by + i]);
    }
  }
}

// ---- random nets ---------------------------------------------------------------------------------------------------

TEST_CASE("device_group: random nets with splits and broadcasts have the bits of separate ops") {
  std::mt19937 random(20'261'126);
  auto const any = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  for (int round = 0; round != 150; ++round) {
    auto const rows = static_cast<std::int64_t>(1 + any(4));
    auto const width = static_cast<std::int64_t>(1 + any(6));
    std::vector<fed> const feeds{{"x", {rows, width}},      {"y", {rows, width}}, {"row", {width}},
                                 {"column", {rows, 1}},     {"one", {1}},         {"wide", {rows, 3 * width}},
                                 {"w", {3 * width, width}}, {"b", {3 * width}}};
    std::vector<std::string> even{"x", "y"};  // rows by width
    std::vector<std::string> wide{"wide"};    // rows by 3 * width
    std::vector<std::string> made;
    std::string net;
    auto const one_of = [&](std::vector<std::string> const& names) { return names[any(names.size())]; };
    auto const op = [&](std::string const& type, std::vector<std::string> const& inputs, std::size_t outputs,
                        std::vector<std::string>& to, std::string const& more = {}) {
      net += "op { type: '" + type + "' ";
      for (std::string const& each : inputs) net += "input: '" + each + "' ";
      for (std::size_t o = 0; o != outputs; ++o) {
        bool const again = outputs == 1 && any(4) == 0 && inputs[0][0] == 'v' && type != "FC" && type != "Concat";
        std::string const name = again ? inputs[0] : "v" + std::to_string(made.size());
        net += "output: '" + name + "' ";
        if (again) continue;
        made.push_back(name);
        to.push_back(name);
      }
      net += more + "}\n";
    };
    for (std::size_t ops = 2 + any(12); ops != 0; --ops) {
      switch (any(9)) {
        case 0:
          op("Tanh", {one_of(even)}, 1, even);
          break;
        case 1:
          op("Add", {one_of(even), "row"}, 1, even);
          break;
        case 2:
          op("Mul", {one_of(even), "column"}, 1, even);
          break;
        case 3:
          op("Sub", {one_of(even), "one"}, 1, even);
          break;
        case 4:
          op("Sum", {one_of(even), one_of(even), one_of(even)}, 1, even);
          break;
        case 5:
          op("Split", {one_of(wide)}, 3, even, "arg { name: 'axis' i: 1 }");
          break;
        case 6:
          op("Concat", {one_of(even), one_of(even), one_of(even)}, 1, wide, "arg { name: 'axis' i: 1 }");
          break;
        case 7:
          op("FC", {one_of(even), "w", "b"}, 1, wide);
          break;
        default:
          op("Mul", {one_of(even), one_of(even)}, 1, even);
      }
    }
    std::vector<std::string> fetch;
    for (std::string const& name : made)
      if (any(3) == 0) fetch.push_back(name);
    if (fetch.empty()) fetch.push_back(made.back());
    CAPTURE(round);
    compare(net, feeds, fetch);
  }
}

}  // namespace
