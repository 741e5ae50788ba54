#include <plait/exec/plan.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <plait/exec/backends/tbb/detail/parallel.hpp>

#include <support/run_op.hpp>
#include <support/toy_operators.hpp>

namespace {

using values = std::map<std::string, std::vector<float>>;

struct toy_op {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct toy_net {
  std::vector<toy_op> ops;
  std::set<std::string> given;
  std::vector<std::string> fetch;
};

toy_net random_net(unsigned seed, std::size_t ops) {
  std::mt19937 random(seed);
  toy_net made;
  std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  std::set<std::string> written;
  auto const name = [&] { return names[random() % names.size()]; };
  auto const read = [&] {
    std::string const n = name();
    if (!written.contains(n)) made.given.insert(n);
    return n;
  };
  for (std::size_t i = 0; i != ops; ++i) {
    static char const* const types[] = {"Mix", "Mix", "Reverse", "Same", "Same", "Update", "Fork", "Many"};
    toy_op op{types[random() % 8], {}, {}};
    op.inputs.push_back(read());
    if (op.type == "Mix" || op.type == "Update") op.inputs.push_back(read());
    if (op.type == "Many")
      for (std::size_t more = 1 + random() % 20; more != 0; --more) op.inputs.push_back(read());
    op.outputs.push_back(random() % 2 == 0 ? op.inputs[random() % op.inputs.size()] : name());
    if (op.type == "Fork") op.outputs.push_back(name());
    written.insert(op.outputs.begin(), op.outputs.end());
    made.ops.push_back(op);
  }
  for (std::string const& n : written)
    if (random() % 2 == 0) made.fetch.push_back(n);
  if (made.fetch.empty()) made.fetch.push_back(*written.begin());
  return made;
}

plait::netdef to_netdef(toy_net const& n) {
  plait::netdef made;
  for (std::string const& name : n.given) made.external_input.push_back(made.intern(name));
  for (toy_op const& op : n.ops) {
    auto& o = made.add_op(op.type, {}, {});
    for (auto const& name : op.inputs) o.input.push_back(made.intern(name));
    for (auto const& name : op.outputs) o.output.push_back(made.intern(name));
  }
  return made;
}

// Runs every op on copies: the reference semantics of the net.
void interpret(toy_net const& n, values& blobs) {
  for (toy_op const& op : n.ops) {
    std::vector<std::vector<float>> in;
    for (auto const& name : op.inputs) in.push_back(blobs.at(name));
    auto const out = test::run_toy(op.type, in);
    for (std::size_t o = 0; o != op.outputs.size(); ++o) blobs[op.outputs[o]] = out[o];
  }
}

// Returns small integers, so that sums are exact in any order for a few runs.
std::vector<float> numbers(std::mt19937& random, std::size_t count) {
  std::vector<float> made(count);
  for (float& x : made) x = static_cast<float>(random() % 3);
  return made;
}

template <class B, class Run>
void check_random_nets(bool parallel, unsigned count, Run run) {
  auto const table = test::toy_operators<B>();
  for (unsigned seed = 0; seed != count; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed + 1000);
    toy_net const n = random_net(seed, 1 + seed % 9);
    auto const net = to_netdef(n);
    plait::workspace<B> blobs;
    values expected;
    std::size_t size = 3;
    auto const feed = [&](std::string const& name) {
      expected[name] = numbers(random, size);
      blobs.feed(name, expected[name], {static_cast<std::int64_t>(size)});
    };
    for (auto const& name : n.given) feed(name);
    auto plan = plait::compile(net, table, blobs, {.fetch = n.fetch, .parallel = parallel});
    for (int round = 0; round != 6; ++round) {
      CAPTURE(round);
      if (round == 2)
        for (auto const& name : n.given) feed(name);  // the same shapes
      if (round == 3) {
        size = 5;  // other shapes: memory is planned again
        for (auto const& name : n.given) feed(name);
      }
      if (round == 5 && !n.given.empty()) feed(*n.given.begin());
      run(plan);
      interpret(n, expected);
      for (auto const& name : n.fetch) REQUIRE(blobs.template fetch<float>(name) == expected[name]);
      for (auto const& name : n.given) REQUIRE(blobs.template fetch<float>(name) == expected[name]);
    }
  }
}

TEST_CASE_TEMPLATE("plan: random nets equal an oracle however values share memory", B, plait::serial, plait::omp) {
  check_random_nets<B>(false, 3000, [](auto& plan) { plan.run(); });
}

TEST_CASE("parallel_executor: random nets equal an oracle") {
  check_random_nets<plait::tbb>(true, 1500, [](auto& plan) { plait::parallel_executor(plan).run(); });
  check_random_nets<plait::serial>(true, 300, [](auto& plan) { plait::parallel_executor(plan).run(); });
}

using B = plait::serial;
auto const table = test::toy_operators<B>();

TEST_CASE("plan: intermediate values reuse memory") {
  plait::netdef n;
  std::string last = "x";
  for (int i = 0; i != 50; ++i) {
    std::string const next = "v" + std::to_string(i);
    n.add_op("Reverse", {last}, {next});
    last = next;
  }
  plait::workspace<B> blobs;
  blobs.feed<float>("x", {1, 2, 3, 4}, {4});
  auto plan = plait::compile(n, table, blobs, {.fetch = {last}});
  plan.run();
  CHECK(blobs.fetch<float>(last) == std::vector<float>{1, 2, 3, 4});
  CHECK(plan.memory().intermediate == 2 * 16);
  CHECK(plan.memory().kept == 16);

  plait::netdef in_place;
  last = "x";
  for (int i = 0; i != 50; ++i) {
    std::string const next = "v" + std::to_string(i);
    in_place.add_op("Mix", {last, "x"}, {next});
    last = next;
  }
  auto chain = plait::compile(in_place, table, blobs, {.fetch = {last}});
  chain.run();
  CHECK(blobs.fetch<float>(last)[0] == 101);
  CHECK(chain.memory().intermediate == 0);
  CHECK(blobs.fetch<float>("x")[0] == 1);
}

TEST_CASE("plan: runs after the first allocate nothing") {
  plait::netdef n;
  n.add_op("Mix", {"x", "y"}, {"z"});
  n.add_op("Reverse", {"z"}, {"w"});
  n.add_op("Update", {"p", "w"}, {"p"});
  n.external_output = {n.intern("w")};
  plait::workspace<B> blobs;
  blobs.feed<float>("x", {1, 2}, {2});
  blobs.feed<float>("y", {3, 4}, {2});
  blobs.feed<float>("p", {0}, {1});
  auto plan = plait::compile(n, table, blobs);
  plan.run();
  auto const& pool = plait::memory_pool<B>::shared();
  auto const before = pool.statistics();
  for (int i = 0; i != 1000; ++i) plan.run();
  CHECK(pool.statistics().system_allocations == before.system_allocations);
  CHECK(pool.statistics().bytes_in_use == before.bytes_in_use);
  CHECK(blobs.fetch<float>("p")[0] == 1001 * (7 + 10));
}

TEST_CASE("plan: errors of a net name op and blob") {
  auto table = test::toy_operators<B>();
  table.add<test::same_kernel>(
      plait::op_schema("Sized").inputs(1).outputs(1).required_argument<std::int64_t>("size", ""));
  plait::workspace<B> blobs;
  auto const refused = [&](std::string_view text) -> plait::exec_error {
    try {
      auto plan = plait::compile(plait::read_netdef_text(text), table, blobs, {.as_declared = true});
      plan.run();
    } catch (plait::exec_error const& e) {
      return e;
    }
    return {"nothing was refused", 999, ""};
  };
  blobs.feed<float>("x", {1, 2}, {2});
  blobs.feed<float>("y", {1, 2, 3}, {3});
  auto const unknown = refused(R"(op { type: "Same" input: "x" output: "a" }
                                  op { type: "Nope" name: "n" input: "a" input: "x" output: "b" })");
  CHECK(unknown.op == 1);
  CHECK(unknown.type == "Nope");
  CHECK(unknown.name == "n");
  CHECK(std::string(unknown.what()) ==
        "plait: op 1 (Nope 'n'): there is no such op type in the table of operators; inputs a, x; outputs b");
  CHECK(
      std::string(refused(R"(op { type: "MPICreateCommonWorld" output: "comm" })").what()) ==
      "plait: op 0 (MPICreateCommonWorld): there is no such op type in the table of operators; add_mpi_operators() of "
      "plait/exec/mpi.hpp, in the component plait::mpi, adds those of MPI; inputs; outputs comm");
  auto const operands = refused(R"(op { type: "Mix" input: "x" output: "a" })");
  CHECK(std::string(operands.what()) == "plait: op 0 (Mix): 1 inputs where there should be 2; inputs x; outputs a");
  auto const argument = refused(R"(op { type: "Sized" name: "s" input: "x" output: "a" })");
  CHECK(argument.name == "s");
  CHECK(std::string(argument.what()) == "plait: op 0 (Sized 's'): argument 'size' is missing; inputs x; outputs a");
  auto const missing = refused(R"(op { type: "Same" input: "x" output: "a" }
                                   op { type: "Mix" name: "m" input: "a" input: "gone" output: "b" })");
  CHECK(missing.op == 1);
  CHECK(missing.name == "m");
  CHECK(missing.blob == "gone");
  CHECK(std::string(missing.what()) ==
        "plait: op 1 (Mix 'm'): the workspace has no blob 'gone'; inputs a, gone; outputs b");
  auto const other_given = refused(R"(op { type: "Mix" input: "gone" input: "x" output: "b" })");
  CHECK(std::string(other_given.what()) ==
        "plait: op 0 (Mix): the workspace has no blob 'gone'; inputs gone, x: float32 2; outputs b");
  auto const shapes = refused(R"(op { type: "Mix" input: "x" input: "y" output: "b" })");
  CHECK(std::string(shapes.what()) ==
        "plait: op 0 (Mix): inputs 0 'x' and 1 'y' are float32 2 and float32 3, of different shapes; inputs x: float32 "
        "2, y: "
        "float32 3; outputs b");
  auto const undeclared = refused(R"(op { type: "Same" input: "x" output: "a" }
                                     op { type: "Mix" input: "a" input: "y" output: "b" } external_input: "x")");
  CHECK(undeclared.op == 1);
  CHECK(undeclared.blob == "y");
  try {
    static_cast<void>(
        plait::compile(plait::read_netdef_text(R"(op { type: "Same" input: "x" output: "a" } external_output: "b")"),
                       table, blobs, {.as_declared = true}));
    FAIL("nothing makes the output");
  } catch (plait::net_error const& e) {
    CHECK(e.blob == "b");
  }
  CHECK_THROWS_AS(static_cast<void>(plait::compile(plait::netdef(), table, blobs, {.fetch = {"no"}})),
                  plait::net_error);
}

TEST_CASE("plan: missing blobs may be fed later, with other shapes") {
  auto const n = plait::read_netdef_text(R"(op { type: "Mix" input: "x" input: "y" output: "b" })");
  plait::workspace<B> blobs;
  blobs.feed<float>("x", {1, 2}, {2});
  blobs.feed<float>("y", {1, 2}, {2});
  auto plan = plait::compile(n, table, blobs);
  plan.run();
  CHECK(blobs.view("b").dims() == plait::shape{2});
  blobs.reset();
  blobs.feed<float>("y", {1, 2, 3}, {3});
  CHECK_THROWS_AS(plan.run(), plait::exec_error);
  blobs.feed<float>("x", {1, 2, 3}, {3});
  plan.run();
  CHECK(blobs.view("b").dims() == plait::shape{3});
}

// Kernel that does not infer its second output.
template <class B>
struct forgetful : plait::op_kernel<B> {
  explicit forgetful(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<B>&) override {}
};

TEST_CASE("plan: a kernel that does not infer an output is not run") {
  auto with = table;
  with.add<forgetful>(plait::op_schema("Forget").inputs(1).outputs(2));
  plait::workspace<B> blobs;
  blobs.feed<float>("x", {1, 2}, {2});
  auto plan = plait::compile(plait::read_netdef_text(R"(op { type: "Forget" input: "x" output: "a" output: "b" })"),
                             with, blobs);
  try {
    plan.run();
    FAIL("it was run");
  } catch (plait::exec_error const& e) {
    CHECK(std::string(e.what()) ==
          "plait: op 0 (Forget): infer of the kernel gives output 1 no type; inputs x: float32 2; outputs a, b");
  }
}

int constructions = 0;
int inferences = 0;

// Counts constructions, and shape inferences.
template <class Backend>
struct counting_kernel : test::same_kernel<Backend> {
  explicit counting_kernel(plait::op_arguments const& a) : test::same_kernel<Backend>(a) { ++constructions; }
  void infer(plait::shape_context& c) override {
    ++inferences;
    test::same_kernel<Backend>::infer(c);
  }
};

TEST_CASE("plan: kernels are constructed once, and shapes inferred only when they change") {
  auto with = test::toy_operators<B>();
  with.add<counting_kernel>(plait::op_schema("Count").inputs(1).outputs(1));
  constructions = 0;
  inferences = 0;
  plait::workspace<B> blobs;
  auto plan = plait::compile(plait::read_netdef_text(R"(op { type: "Count" input: "x" output: "y" })"), with, blobs);
  for (int run = 0; run != 10; ++run) {
    blobs.feed("x", std::vector<float>{1, static_cast<float>(run)}, {2});
    plan.run();
    REQUIRE(blobs.fetch<float>("y") == std::vector<float>{1, static_cast<float>(run)});
  }
  CHECK(constructions == 1);
  CHECK(inferences == 1);
  blobs.feed<float>("x", {1, 2, 3}, {3});
  plan.run();
  CHECK(constructions == 1);
  CHECK(inferences == 2);
}

// Throws an object that is no std::exception.
template <class Backend>
struct throwing_kernel : test::same_kernel<Backend> {
  using test::same_kernel<Backend>::same_kernel;
  void run(plait::op_context<Backend>&) override { throw 42; }
};

TEST_CASE("plan: any exception of a kernel is nested in an error with op, blobs and shapes") {
  auto with = test::toy_operators<plait::tbb>();
  with.add<throwing_kernel>(plait::op_schema("Throw").inputs(1).outputs(1));
  auto const net = plait::read_netdef_text(R"(op { type: "Same" input: "x" output: "a" }
                                              op { type: "Throw" name: "t" input: "a" output: "b" })");
  for (bool const parallel : {false, true}) {
    CAPTURE(parallel);
    plait::workspace<plait::tbb> blobs;
    blobs.feed<float>("x", {1, 2}, {2});
    auto plan = plait::compile(net, with, blobs, {.parallel = parallel});
    try {
      if (parallel)
        plait::parallel_executor(plan).run();
      else
        plan.run();
      FAIL("it was thrown");
    } catch (plait::exec_error const& e) {
      CHECK(e.op == 1);
      CHECK(e.type == "Throw");
      CHECK(e.name == "t");
      CHECK(std::string(e.what()) ==
            "plait: op 1 (Throw 't'): the kernel threw something that is no std::exception; inputs a: float32 2; "
            "outputs b: float32 2");
      CHECK_THROWS_AS(std::rethrow_if_nested(e), int);
    }
  }
}

TEST_CASE("plan: an error shows no outdated shape of an output") {
  auto const n = plait::read_netdef_text(R"(op { type: "Mix" input: "x" input: "y" output: "b" })");
  plait::workspace<B> blobs;
  blobs.feed<float>("x", {1, 2}, {2});
  blobs.feed<float>("y", {1, 2}, {2});
  auto plan = plait::compile(n, table, blobs);
  plan.run();
  blobs.feed<float>("y", {1, 2, 3}, {3});
  try {
    plan.run();
    FAIL("the shapes differ");
  } catch (plait::exec_error const& e) {
    CHECK(std::string(e.what()).ends_with("; inputs x: float32 2, y: float32 3; outputs b"));
  }
}

TEST_CASE("plan: a fed blob is rolled back if an op throws half-way through an update in place") {
  plait::netdef n;
  n.add_op("Mix", {"y", "y"}, {"y"});
  n.add_op("Break", {"x"}, {"x"});
  plait::workspace<B> blobs;
  blobs.feed<float>("x", {-1, 2, 3, 4}, {4});
  blobs.feed<float>("y", {1}, {1});
  auto plan = plait::compile(n, table, blobs);
  bool thrown = false;
  try {
    plan.run();
  } catch (plait::exec_error const& e) {
    thrown = true;
    CHECK(e.op == 1);
    CHECK_THROWS_AS(std::rethrow_if_nested(e), std::domain_error);
  }
  CHECK(thrown);
  CHECK(blobs.fetch<float>("x") == std::vector<float>{-1, 2, 3, 4});
  CHECK(blobs.fetch<float>("y")[0] == 3);  // the previous op has run
  blobs.feed<float>("x", {1, 2, 3, 4}, {4});
  plan.run();
  CHECK(blobs.fetch<float>("x") == std::vector<float>{3, 6, 9, 12});
}

TEST_CASE("plan: shapes that depend on elements are inferred in every run") {
  plait::netdef n;
  n.add_op("Same", {"count"}, {"k"});
  n.add_op("Ones", {"k"}, {"ones"});
  n.add_op("Mix", {"ones", "ones"}, {"threes"});
  n.add_op("Ones", {"threes"}, {"more"});
  n.add_op("Reverse", {"more"}, {"last"});
  for (bool const parallel : {false, true}) {
    plait::workspace<B> blobs;
    blobs.feed<float>("count", {2}, {1});
    auto plan = plait::compile(n, table, blobs, {.parallel = parallel});
    for (float const count : {2.0f, 2.0f, 5.0f, 1.0f, 4.0f}) {
      blobs.feed<float>("count", {count}, {1});
      if (parallel)
        plait::parallel_executor(plan).run();
      else
        plan.run();
      CHECK(blobs.fetch<float>("threes") == std::vector<float>(static_cast<std::size_t>(count), 3.0f));
      CHECK(blobs.fetch<float>("last") == std::vector<float>(3, 1.0f));
    }
    blobs.feed<float>("count", {-1}, {1});
    CHECK_THROWS_AS(plan.run(), plait::exec_error);
    CHECK(blobs.fetch<float>("last").size() == 3);
  }
}

TEST_CASE("plan: a stop token stops a run before an op") {
  plait::netdef n;
  n.add_op("Same", {"x"}, {"y"});
  plait::workspace<B> blobs;
  blobs.feed<float>("x", {1}, {1});
  auto plan = plait::compile(n, table, blobs);
  std::stop_source stop;
  plan.run({.stop = stop.get_token()});
  stop.request_stop();
  CHECK_THROWS_AS(plan.run({.stop = stop.get_token()}), plait::run_cancelled);
  auto parallel = plait::compile(n, table, blobs, {.parallel = true});
  CHECK_THROWS_AS(plait::parallel_executor(parallel).run({.stop = stop.get_token()}), plait::run_cancelled);
}

// Object that counts the failed runs of plans that use it.
struct failure_counter : plait::blob_object {
  std::string_view kind() const override { return "counter"; }
  void run_failed() noexcept override { ++failed; }
  int failed = 0;
};

// Kernel that takes an object and makes another.
template <class Backend>
struct object_kernel : plait::op_kernel<Backend> {
  explicit object_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context&) override {}
  void run(plait::op_context<Backend>& c) override { c.result(0) = {{}, made, true}; }
  inline static std::shared_ptr<failure_counter> made;
};

TEST_CASE("plan: objects learn that a run has failed") {
  auto own = table;
  own.add<object_kernel>(plait::op_schema("Object").inputs(1).outputs(1).takes_objects().results_after_run());
  plait::netdef n;
  n.add_op("Object", {"given"}, {"made"});
  n.add_op("Mix", {"x", "z"}, {"w"});
  for (bool const parallel : {false, true}) {
    CAPTURE(parallel);
    plait::workspace<B> blobs;
    auto const given = std::make_shared<failure_counter>();
    auto const made = object_kernel<B>::made = std::make_shared<failure_counter>();
    blobs.get("given") = {{}, given, true};
    blobs.feed<float>("x", {1}, {1});
    auto plan = plait::compile(n, own, blobs, {.parallel = parallel});
    auto const run = [&] { parallel ? plait::parallel_executor(plan).run() : plan.run(); };
    CHECK_THROWS_AS(run(), plait::exec_error);  // z is unset: no op has run
    CHECK(given->failed > 0);
    CHECK(made->failed == 0);
    given->failed = 0;
    blobs.feed<float>("z", {1, 2}, {2});
    CHECK_THROWS_AS(run(), plait::exec_error);
    CHECK(given->failed > 0);
    given->failed = made->failed = 0;
    blobs.feed<float>("z", {1}, {1});
    run();
    run();
    CHECK(given->failed == 0);
    CHECK(made->failed == 0);
    blobs.feed<float>("z", {1, 2}, {2});
    CHECK_THROWS_AS(run(), plait::exec_error);
    CHECK(given->failed > 0);
    CHECK(made->failed > 0);
    object_kernel<B>::made = nullptr;
  }
}

TEST_CASE("plan: a fed tensor with any strides is read in the order of its indices") {
  plait::netdef n;
  n.add_op("Reverse", {"x"}, {"y"});
  plait::workspace<B> blobs;
  auto const whole = plait::tensor<B>::from<float>(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  blobs.feed("x", whole.transpose(std::vector<std::size_t>{1, 0}));
  auto plan = plait::compile(n, table, blobs);
  plan.run();
  CHECK(blobs.fetch<float>("y") == std::vector<float>{6, 3, 5, 2, 4, 1});
  CHECK(blobs.view("y").dims() == plait::shape{3, 2});
}

}  // namespace
