// get_ssa against a hand-written version, and against its lower bound: hashing each operand's name once.
//
// The net: layers of FC-like ops, one operand in eight in place, names of 8 to 24 characters; ~3 operands an op.
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace {

struct instruction {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct function {
  std::vector<instruction> ops;
  std::vector<std::string> external_inputs;
};

function make_function(std::size_t count) {
  std::mt19937 random(1);
  function f;
  f.external_inputs = {"data"};
  std::string last = "data";
  f.ops.reserve(count);
  for (std::size_t i = 0; i != count; ++i) {
    std::string const scope = "layer_" + std::to_string(i / 8) + "/";
    instruction op{"FC", {last}, {}};
    if (random() % 8 == 0) {
      op.type = "Relu";
      op.outputs = {last};
    } else {
      op.inputs.push_back(scope + "w_" + std::to_string(i % 8));
      f.external_inputs.push_back(op.inputs.back());
      if (i > 16 && random() % 4 == 0) op.inputs.push_back(f.ops[i - 1 - random() % 16].outputs.front());
      op.outputs = {scope + "out_" + std::to_string(i % 8)};
    }
    last = op.outputs.front();
    f.ops.push_back(std::move(op));
  }
  return f;
}

plait::netdef make_netdef(function const& f) {
  plait::netdef n;
  for (std::string const& name : f.external_inputs) n.external_input.push_back(n.intern(name));
  n.op.reserve(f.ops.size());
  for (instruction const& op : f.ops) {
    plait::op_def& made = n.add_op(op.type, {}, {});
    for (std::string const& name : op.inputs) made.input.push_back(n.intern(name));
    for (std::string const& name : op.outputs) made.output.push_back(n.intern(name));
  }
  return n;
}

std::size_t operand_count(function const& f) {
  std::size_t count = 0;
  for (instruction const& op : f.ops) count += op.inputs.size() + op.outputs.size();
  return count;
}

void report(benchmark::State& state, function const& f) {
  auto const operands = static_cast<double>(operand_count(f));
  state.counters["s_per_operand"] =
      benchmark::Counter(operands, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void plait_netdef(benchmark::State& state) {
  function const f = make_function(static_cast<std::size_t>(state.range(0)));
  plait::netdef const n = make_netdef(f);
  for (auto _ : state) benchmark::DoNotOptimize(plait::get_ssa(n));
  report(state, f);
}

// Computes into one result object, whose memory is reused.
void plait_netdef_reused(benchmark::State& state) {
  function const f = make_function(static_cast<std::size_t>(state.range(0)));
  plait::netdef const n = make_netdef(f);
  plait::ssa_form<plait::netdef> form(n);
  for (auto _ : state) {
    form.compute(n, std::vector<std::pair<std::string_view, std::uint32_t>>());
    benchmark::DoNotOptimize(form);
  }
  report(state, f);
}

void plait_strings(benchmark::State& state) {
  function const f = make_function(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(plait::get_ssa(f));
  report(state, f);
}

// A straightforward version: a hash map of versions, vectors of (name, version) per op. No producers, no consumers.
void by_hand(benchmark::State& state) {
  function const f = make_function(static_cast<std::size_t>(state.range(0)));
  using operands = std::vector<std::pair<std::string, int>>;
  for (auto _ : state) {
    std::unordered_map<std::string, int> versions;
    std::vector<std::pair<operands, operands>> ssa;
    for (std::string const& name : f.external_inputs) versions[name] = 0;
    for (instruction const& op : f.ops) {
      operands reads;
      operands writes;
      for (std::string const& name : op.inputs) reads.emplace_back(name, versions[name]);
      for (std::string const& name : op.outputs) ++versions[name];
      for (std::string const& name : op.outputs) writes.emplace_back(name, versions[name]);
      ssa.emplace_back(std::move(reads), std::move(writes));
    }
    benchmark::DoNotOptimize(ssa);
  }
  report(state, f);
}

// The lower bound for nets with string names: interns every name and looks it up at each operand.
void number_names(benchmark::State& state) {
  function const f = make_function(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    boost::unordered_flat_map<std::string_view, std::uint32_t> index;
    std::uint32_t sum = 0;
    auto const number = [&](std::string const& name) {
      sum += index.emplace(name, static_cast<std::uint32_t>(index.size())).first->second;
    };
    for (std::string const& name : f.external_inputs) number(name);
    for (instruction const& op : f.ops) {
      for (std::string const& name : op.inputs) number(name);
      for (std::string const& name : op.outputs) number(name);
    }
    benchmark::DoNotOptimize(sum);
  }
  report(state, f);
}

// Below the lower bound: only looks up every operand's name, in a map that holds them already.
void find_names(benchmark::State& state) {
  function const f = make_function(static_cast<std::size_t>(state.range(0)));
  boost::unordered_flat_map<std::string, std::uint32_t> index;
  auto const add = [&](std::string const& name) { index.emplace(name, static_cast<std::uint32_t>(index.size())); };
  for (std::string const& name : f.external_inputs) add(name);
  for (instruction const& op : f.ops) {
    for (std::string const& name : op.inputs) add(name);
    for (std::string const& name : op.outputs) add(name);
  }
  for (auto _ : state) {
    std::uint32_t sum = 0;
    for (instruction const& op : f.ops) {
      for (std::string const& name : op.inputs) sum += index.find(name)->second;
      for (std::string const& name : op.outputs) sum += index.find(name)->second;
    }
    benchmark::DoNotOptimize(sum);
  }
  report(state, f);
}

// The minimum for any analysis: one walk over the operands of a netdef that adds up their numbers.
void walk_operands(benchmark::State& state) {
  function const f = make_function(static_cast<std::size_t>(state.range(0)));
  plait::netdef const n = make_netdef(f);
  for (auto _ : state) {
    std::uint32_t sum = 0;
    for (plait::op_def const& op : n.op) {
      for (plait::symbol s : op.input) sum += s.id;
      for (plait::symbol s : op.output) sum += s.id;
    }
    benchmark::DoNotOptimize(sum);
  }
  report(state, f);
}

void sizes(benchmark::internal::Benchmark* b) {
  b->RangeMultiplier(10)->Range(1'000, 1'000'000)->Unit(benchmark::kMicrosecond);
}
BENCHMARK(plait_netdef)->Name("get_ssa/plait: netdef")->Apply(sizes);
BENCHMARK(plait_netdef_reused)->Name("get_ssa/plait: netdef into a used form")->Apply(sizes);
BENCHMARK(walk_operands)->Name("get_ssa/only walk over a netdef")->Apply(sizes);
BENCHMARK(plait_strings)->Name("get_ssa/plait: strings")->Apply(sizes);
BENCHMARK(by_hand)->Name("get_ssa/strings by hand")->Apply(sizes);
BENCHMARK(number_names)->Name("get_ssa/only number the names")->Apply(sizes);
BENCHMARK(find_names)->Name("get_ssa/only find the names")->Apply(sizes);

}  // namespace
