// Element-wise groups: members, the elements that each scalar function computes, and plans' results, which do not
// change.
#include <plait/exec/detail/fusion/element_group.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/observer.hpp>
#include <support/op_chain.hpp>
#include <support/run_op.hpp>
#include <support/thread_counts.hpp>

namespace {

using plait::op_index;
using plait::slot;
using test::one_thread;
using test::three_threads;

/// Op y = 2 x + more, where `more` may be a scalar; or y = x - more, declared as a simple_function.
template <class B>
struct doubling : plait::op_kernel<B> {
  bool by_itself = true;
  bool simple = false;
  std::size_t runs = 0;
  std::atomic<std::size_t> elements = 0;
  std::atomic<std::size_t> most = 0;
  mutable bool repeats = false;

  void infer(plait::shape_context&) override {}
  void run(plait::op_context<B>& c) override {
    ++runs;
    double const* const x = c.template input<double>(0);
    double const* const more = c.template input<double>(1);
    double* const y = c.template output<double>(0);
    for (std::size_t i = 0; i != c.output_size(0); ++i) y[i] = made_of(x[i], more[c.size(1) == 1 ? 0 : i]);
  }
  double made_of(double x, double more) const { return simple ? x - more : 2 * x + more; }
  void patterns(plait::op_context<B> const& c, std::vector<plait::op_pattern<B>>& to) const override {
    repeats = c.size(1) == 1;
    if (by_itself) to.push_back({.kind = plait::pattern_kind::elements, .does = function()});
  }
  plait::element_function function() const {
    return {[](void const* self, void* const* operands, std::size_t count) {
              auto& k = *static_cast<doubling*>(const_cast<void*>(self));
              k.elements += count;
              k.most = std::max<std::size_t>(k.most, count);
              auto const* const x = static_cast<double const*>(operands[0]);
              auto const* const more = static_cast<double const*>(operands[1]);
              for (std::size_t i = 0; i != count; ++i)
                static_cast<double*>(operands[2])[i] = k.made_of(x[i], more[k.repeats ? 0 : i]);
            },
            this, simple ? plait::simple_function::subtract : plait::simple_function::none,
            plait::element_type::float64};
  }
};

template <class B>
struct ops : test::op_chain<B, doubling<B>> {
  plait::fused_groups<B> groups;

  explicit ops(std::size_t count, std::size_t elements = 1'500)
      : test::op_chain<B, doubling<B>>(count, {static_cast<std::int64_t>(elements)},
                                       {static_cast<std::int64_t>(elements)}) {}
  bool keeps_all = true;
  /// Returns the last op that reads a value; npos if there is none, or if values are kept.
  op_index last_read(slot const& s) const {
    op_index made = plait::npos;
    for (op_index op = 0; op != this->operands.size() && !keeps_all; ++op)
      if (this->operands[op][0] == &s || this->operands[op][1] == &s) made = op;
    return made;
  }
  void find() {
    groups = test::op_chain<B, doubling<B>>::find(&plait::plan_passes::fuse_elements, false,
                                                  [this](slot const& s) { return last_read(s); });
  }
  /// Runs the groups once and returns their sizes.
  std::vector<std::size_t> run() { return test::run_groups(groups); }
  std::vector<std::size_t> sizes() {
    find();
    return run();
  }
};

using sizes = std::vector<std::size_t>;

TEST_CASE_TEMPLATE("element_group: each element is computed once, block by block", B, one_thread, three_threads) {
  for (std::size_t const elements : {2u, 512u, 513u, 1'500u, 100'000u}) {
    ops<B> c(4, elements);
    ops<B> wanted(4, elements);
    CHECK(c.sizes() == sizes{4});
    wanted.run_in_order();
    CHECK(c.memory == wanted.memory);
    bool const far = c.memory.size() * elements * sizeof(double) >= plait::element_group<B>::far_bytes;
    CHECK(far == (elements == 100'000));
    std::size_t const block = plait::element_group<B>::block_bytes / sizeof(double) / (far ? 2 : 1);
    for (auto const& kernel : c.kernels) {
      CHECK(kernel->runs == 0);
      CHECK(kernel->elements == elements);
      CHECK(kernel->most == std::min(elements, block));
    }
  }
}

TEST_CASE_TEMPLATE("element_group: values that only the group reads are written to memory if buffers run out", B,
                   one_thread, three_threads) {
  for (std::size_t const elements : {2u, 513u, 100'000u})
    for (std::size_t const distance : {0u, 1u, 2u, 3u, 4u}) {
      CAPTURE(elements);
      CAPTURE(distance);
      // Each op reads the result of the op before, and a value that is `distance` ops older.
      auto const wired = [&] {
        ops<B> made(9, elements);
        for (std::size_t op = distance + 2; distance != 0 && op < 9; ++op)
          made.operands[op][1] = &made.slots[op - distance];
        made.keeps_all = false;
        return made;
      };
      ops<B> c = wired();
      ops<B> wanted = wired();
      auto const before = c.memory;
      CHECK(c.sizes() == sizes{9});
      wanted.run_in_order();
      CHECK(c.memory[9] == wanted.memory[9]);
      std::size_t written = 0;
      for (std::size_t v = 1; v != 9; ++v) {
        bool const same = c.memory[v] == before[v];
        written += !same;
        CHECK((same || c.memory[v] == wanted.memory[v]));
      }
      // Live values: the result, its operands, and those in between.
      if (distance + 2 <= plait::element_group<B>::most_buffers)
        CHECK(written == 0);
      else
        CHECK((written != 0 && written != 8));
    }
}

TEST_CASE("element_group: values that ops outside the group read are written to memory") {
  ops<one_thread> c(5);
  ops<one_thread> wanted(5);
  for (ops<one_thread>* each : {&c, &wanted}) {
    each->keeps_all = false;
    each->kernels[3]->by_itself = false;
    each->operands[3][1] = &each->slots[1];
  }
  auto const before = c.memory;
  CHECK(c.sizes() == sizes{3});
  wanted.run_in_order();
  CHECK(c.memory[1] == wanted.memory[1]);
  CHECK(c.memory[2] == before[2]);
  CHECK(c.memory[3] == wanted.memory[3]);
}

TEST_CASE("element_group: an operand of one element is broadcast") {
  ops<one_thread> c(3);
  ops<one_thread> wanted(3);
  c.resize(5, {1});
  wanted.resize(5, {1});
  CHECK(c.sizes() == sizes{3});
  wanted.run_in_order();
  CHECK(c.memory == wanted.memory);
}

TEST_CASE_TEMPLATE("element_group: simple functions that need only the result before form a straight line", B,
                   one_thread, three_threads) {
  // Returns a letter per op: f if its function was called, - if a straight line computed it.
  auto const called = [](std::size_t count, std::size_t elements, auto const& change) {
    auto const made = [&] {
      ops<B> c(count, elements);
      c.keeps_all = false;
      for (auto& kernel : c.kernels) kernel->simple = true;
      change(c);
      return c;
    };
    ops<B> c = made();
    ops<B> wanted = made();
    CHECK(c.sizes() == sizes{count});
    wanted.run_in_order();
    CHECK(c.memory[count] == wanted.memory[count]);
    std::string calls;
    for (auto const& kernel : c.kernels) {
      CHECK(kernel->runs == 0);
      CHECK((kernel->elements == 0 || kernel->elements == elements));
      calls += kernel->elements == 0 ? '-' : 'f';
    }
    return calls;
  };
  for (std::size_t const elements : {2u, 513u, 100'000u}) {
    CAPTURE(elements);
    CHECK(called(4, elements, [](ops<B>&) {}) == "----");
    CHECK(called(4, elements, [](ops<B>& c) { c.keeps_all = true; }) == "ffff");
    CHECK(called(4, elements, [](ops<B>& c) { c.kernels[1]->simple = false; }) == "ff--");
    CHECK(called(5, elements, [](ops<B>& c) { c.kernels[2]->simple = false; }) == "--f--");
    CHECK(called(4, elements, [](ops<B>& c) { std::swap(c.operands[2][0], c.operands[2][1]); }) == "----");
    CHECK(called(4, elements, [](ops<B>& c) { c.operands[2][1] = c.operands[2][0]; }) == "----");  // a new line
    CHECK(called(4, elements, [](ops<B>& c) { c.operands[3][1] = c.operands[1][2]; }) == "----");  // two lines
    CHECK(called(4, elements, [](ops<B>& c) { c.operands[3][1] = c.operands[3][0]; }) == "---f");  // both operands
    CHECK(called(4, elements, [](ops<B>& c) { c.share(3, 0); }) == "----");                        // in place
    CHECK(called(6, elements, [](ops<B>& c) {
            for (std::size_t v = 7; v != 13; ++v) c.resize(v, {1});
          }) == "------");  // two lines
    CHECK(called(17, elements, [](ops<B>&) {}) == std::string(17, '-'));
    CHECK(called(15, elements, [](ops<B>&) {}) == std::string(14, '-') + 'f');
  }
}

TEST_CASE("element_group: ops that do not match end a group, and a single op or element forms none") {
  CHECK(ops<one_thread>(1).sizes().empty());
  CHECK(ops<one_thread>(3, 1).sizes().empty());
  CHECK(ops<one_thread>(3, 0).sizes().empty());
  ops<one_thread> other(5);
  other.kernels[2]->by_itself = false;
  CHECK(other.sizes() == sizes{2, 2});
  CHECK(other.kernels[2]->elements == 0);
  ops<one_thread> shorter(4);  // the third and fourth op have fewer elements
  for (std::size_t const value : {3u, 4u, 7u, 8u}) shorter.resize(value, {700});
  shorter.operands[2][0] = &shorter.slots[7];
  CHECK(shorter.sizes() == sizes{2, 2});
  ops<one_thread> torn(3);  // the last op has an operand that is neither as long nor a scalar
  torn.resize(6, {700});
  CHECK(torn.sizes() == sizes{2});
  std::size_t const most = plait::element_group<one_thread>::most_ops;
  CHECK(ops<one_thread>(most + 3, 4).sizes() == sizes{most, 3});
}

TEST_CASE("element_group: ops may run in place on the same elements of a storage") {
  ops<one_thread> c(3);
  ops<one_thread> wanted(3);
  for (ops<one_thread>* each : {&c, &wanted}) {
    each->share(2, 1);
    each->share(3, 1);
  }
  CHECK(c.sizes() == sizes{3});
  wanted.run_in_order();
  CHECK(c.memory == wanted.memory);
  for (auto const& kernel : c.kernels) CHECK(kernel->runs == 0);
}

TEST_CASE("element_group: an op that writes other elements of a storage ends a group") {
  ops<one_thread> read(3);  // both are only read
  read.share(5, 4);
  CHECK(read.sizes() == sizes{3});
  ops<one_thread> whole(3);  // the first op writes the scalar operand of the last
  whole.share(6, 1);
  whole.slots[6].type.dims = {1};
  CHECK(whole.sizes() == sizes{2});
  ops<one_thread> narrow(3);  // as many elements, of half the size
  narrow.share(6, 1);
  narrow.slots[6].type.type = plait::element_type::float32;
  narrow.find();
  CHECK(test::first_ops(narrow.groups) == std::vector<op_index>{0});
  CHECK(narrow.groups[0]->size() == 2);
}

TEST_CASE("element_group: operands may move between runs") {
  ops<one_thread> c(2);
  CHECK(c.sizes() == sizes{2});
  std::vector<double> const before = c.memory[2];
  std::vector<double> other(1'500, -1);
  std::vector<double> made(1'500);
  c.slots[0].data = other.data();
  c.slots[2].data = made.data();
  CHECK(c.run() == sizes{2});
  CHECK(c.memory[2] == before);
  for (std::size_t i = 0; i != made.size(); ++i)
    CHECK(made[i] == 2 * (-2.0 + 3 + static_cast<double>(i)) + 4 + static_cast<double>(i));
}

/// Observer that counts ops. With an observer, ops run one by one.
struct watcher : plait::op_observer {
  std::size_t ops = 0;
  void after(plait::op_event const&) override { ++ops; }
};

TEST_CASE_TEMPLATE("element_group: a group whose result is unused writes only buffers", B, PLAIT_HOST_BACKENDS) {
  plait::netdef const net = plait::read_netdef_text(R"(op { type: "Sigmoid" input: "x" output: "unused" }
    op { type: "Relu" input: "x" output: "h" } op { type: "Add" input: "h" input: "x" output: "y" }
    external_output: "x")");
  for (std::int64_t const count : {100, 5'000, 1'000'000}) {
    plait::workspace<B> blobs;
    blobs.template feed<float>("x", std::vector<float>(static_cast<std::size_t>(count), 1), {count});
    auto plan = plait::compile(net, test::table<B>(), blobs);
    for (int round = 0; round != 2; ++round) plan.run();
    CHECK(blobs.template fetch<float>("x") == std::vector<float>(static_cast<std::size_t>(count), 1));
  }
}

// All types of element-wise ops next to others, in place and not, with broadcast operands.
TEST_CASE_TEMPLATE("element_group: a plan has the results of its ops run in order", B, PLAIT_HOST_BACKENDS) {
  std::string const net = R"(
    op { type: "Add" input: "a" input: "b" output: "s" } op { type: "Tanh" input: "s" output: "t" }
    op { type: "Mul" input: "t" input: "one" output: "m" } op { type: "Sub" input: "one" input: "m" output: "d" }
    op { type: "Sigmoid" input: "d" output: "d" } op { type: "SigmoidGradient" input: "d" input: "a" output: "g" }
    op { type: "Sqr" input: "g" output: "g" } op { type: "Sqrt" input: "g" output: "r" }
    op { type: "Div" input: "r" input: "b" output: "q" } op { type: "GT" input: "q" input: "a" output: "bigger" }
    op { type: "Not" input: "bigger" output: "not" } op { type: "Where" input: "not" input: "q" input: "t" output: "w" }
    op { type: "Add" input: "w" input: "a" output: "w" } op { type: "Relu" input: "w" output: "y" }
    op { type: "Add" input: "y" input: "y" output: "z" } op { type: "Negative" input: "z" output: "z" }
    op { type: "Sum" input: "z" input: "y" input: "a" input: "s" input: "t" input: "z" output: "z" }
    op { type: "Max" input: "z" input: "b" output: "x" } op { type: "Mean" input: "x" input: "z" input: "a" output: "z" }
    external_output: "y" external_output: "z" external_output: "bigger")";
  auto const check = [&]<class T>(T, std::int64_t count) {
    CAPTURE(count);
    auto const numbers = [&](double by) {
      std::vector<T> made(static_cast<std::size_t>(count));
      for (std::size_t i = 0; i != made.size(); ++i)
        made[i] = static_cast<T>(static_cast<double>(i * 37 % 211) * by - 3.1);
      return test::of<B, T>({count}, made);
    };
    plait::workspace<B> blobs;
    blobs.feed("a", numbers(0.04));
    blobs.feed("b", numbers(0.031));
    blobs.feed("one", test::of<B, T>({}, {T(0.75)}));
    auto plan = plait::compile(plait::read_netdef_text(net), test::table<B>(), blobs);
    auto const fetched = [&] {
      auto all = blobs.template fetch<T>("y");
      for (T const z : blobs.template fetch<T>("z")) all.push_back(z);
      for (bool const b : blobs.template fetch<bool>("bigger")) all.push_back(b ? T(1) : T(0));
      return all;
    };
    watcher seen;
    plan.run({.observer = &seen});
    CHECK(seen.ops == 19);
    auto const wanted = fetched();
    for (int run = 0; run != 2; ++run) {
      plan.run();
      CHECK(fetched() == wanted);
    }
  };
  for (std::int64_t const count : {1, 2, 3, 1'023, 1'024, 1'025, 70'003}) {
    check(float(), count);
    check(double(), count);
  }
}

TEST_CASE_TEMPLATE("element_group: a row is repeated for each row", B, plait::serial, plait::tbb) {
  for (std::int64_t const width : {2, 25, 64, 1'100, 3'000})
    for (std::int64_t const rows : {2, 3, 25, 40}) {  // as many as columns, too
      plait::workspace<B> blobs;
      auto const feed = [&](std::string const& name, plait::shape const& dims) {
        std::vector<float> made(static_cast<std::size_t>(dims.size()));
        for (std::size_t i = 0; i != made.size(); ++i) made[i] = static_cast<float>(i * 37 % 211) * 0.013f - 1.2f;
        blobs.feed(name, made, dims);
      };
      feed("x", {rows, width});
      feed("p", {width});
      feed("q", {1, width});
      feed("column", {rows, 1});
      auto plan = plait::compile(plait::read_netdef_text(R"(
        op { type: "Mul" input: "p" input: "x" output: "a" } op { type: "Add" input: "a" input: "q" output: "b" }
        op { type: "Sigmoid" input: "b" output: "c" } op { type: "Sub" input: "q" input: "c" output: "d" }
        op { type: "Mul" input: "d" input: "column" output: "e" }
        op { type: "Sub" input: "column" input: "p" output: "f" }
        op { type: "Add" input: "e" input: "f" output: "y" } external_output: "y")"),
                                 test::table<B>(), blobs);
      watcher seen;
      plan.run({.observer = &seen});
      auto const wanted = blobs.template fetch<float>("y");
      CHECK(plan.schedule().groups.front().count == 4);
      for (int run = 0; run != 2; ++run) {
        plan.run();
        CHECK(blobs.template fetch<float>("y") == wanted);
      }
      feed("p", {width});
      blobs.template feed<float>("q", std::vector<float>(static_cast<std::size_t>(width), 0.5f), {1, width});
      plan.run();
      auto const changed = blobs.template fetch<float>("y");
      CHECK(changed != wanted);
      plan.run({.observer = &seen});
      CHECK(blobs.template fetch<float>("y") == changed);
    }
}

// Most functions are simple, so that straight lines of all lengths occur, and blobs are written again.
TEST_CASE("element_group: random nets of element-wise ops have the bits of their ops run in order") {
  using backend = plait::serial;
  std::mt19937 random(3);
  auto const below = [&random](std::size_t end) { return random() % end; };
  for (std::size_t round = 0; round != 300; ++round) {
    std::string const two[] = {"Add", "Sub", "Mul", "Div", "Sum", "Max"};
    std::string const one[] = {"Negative", "Relu", "Sigmoid"};
    std::vector<std::string> blobs{"a", "b", "c"};
    std::string net;
    for (std::size_t op = 0, ops = 2 + below(25); op != ops; ++op) {
      std::string const x = below(3) != 0 ? blobs.back() : blobs[below(blobs.size())];
      std::string const y = blobs[below(blobs.size())];
      std::string const out = below(4) == 0 ? blobs[below(blobs.size())] : 't' + std::to_string(op);
      bool const is_unary = below(4) == 0;
      bool const with_one = !is_unary && below(4) == 0;  // Sum and Max do not broadcast
      std::string const type = is_unary ? one[below(3)] : two[below(with_one ? 4 : 6)];
      std::string const other = with_one ? below(2) == 0 ? "one" : "row" : y;
      bool const exchanged = below(2) == 0;
      net += "op { type: '" + type + "' input: '" + (exchanged && !is_unary ? other : x) + '\'';
      if (!is_unary) net += " input: '" + (exchanged ? x : other) + '\'';
      net += " output: '" + out + "' }\n";
      std::erase(blobs, out);
      blobs.push_back(out);
    }
    net += "external_output: '" + blobs.back() + "' external_output: '" + blobs[blobs.size() / 2] + '\'';
    CAPTURE(net);
    auto const results = [&](plait::op_observer* observer) {
      std::size_t const width = 1 + round * 5 % 93;
      std::size_t const count = width * (1 + round * 37 % (1'100 / width + 1));
      plait::workspace<backend> all;
      for (std::string const name : {"a", "b", "c"}) {
        std::vector<float> numbers(count);
        for (std::size_t i = 0; i != count; ++i)
          numbers[i] = static_cast<float>((i * 31 + static_cast<std::size_t>(name[0])) % 97) * 0.05f - 2;
        all.feed(name, numbers, {static_cast<std::int64_t>(count / width), static_cast<std::int64_t>(width)});
        numbers.resize(width);
        all.feed("row", numbers, {static_cast<std::int64_t>(width)});
      }
      all.feed<float>("one", {1.25f}, {});
      auto plan = plait::compile(plait::read_netdef_text(net), test::table<backend>(), all);
      plan.run({.observer = observer});
      auto made = all.fetch<float>(blobs.back());
      for (float const x : all.fetch<float>(blobs[blobs.size() / 2])) made.push_back(x);
      std::vector<std::uint32_t> bits;
      for (float const x : made) bits.push_back(x != x ? 0 : std::bit_cast<std::uint32_t>(x));
      return bits;
    };
    watcher seen;
    CHECK(results(&seen) == results(nullptr));
  }
}

}  // namespace
