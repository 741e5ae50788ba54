// Interpreter of the programs of random_program.hpp, before and after transforms.
//
//   auto const before = test::interpret(p, seed);
//   … change p …
//   REQUIRE(test::interpret(p, seed) == before);
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/ssa/program_traits.hpp>

namespace test {

/// The observable behaviour of a run. A run that is cut off contains a prefix of it.
struct run_result {
  std::vector<int> outputs;
  std::vector<int> results;  // of the external outputs of the last block, in their order
  bool finished = false;
  friend bool operator==(run_result const&, run_result const&) = default;
};

/// Returns true if two runs may be of equivalent programs that take different numbers of steps.
[[nodiscard]] inline bool agree(run_result const& a, run_result const& b) {
  if (a.finished && b.finished) return a == b;
  bool const a_is_shorter = a.outputs.size() < b.outputs.size();
  if (a.outputs.size() != b.outputs.size() && (a_is_shorter ? a : b).finished) return false;
  auto const differ = std::ranges::mismatch(a.outputs, b.outputs);
  return differ.in1 == a.outputs.end() || differ.in2 == b.outputs.end();
}

/// Returns the outputs of an op; none for an op without outputs. Calls `input` for the next input of the run.
template <class Input>
[[nodiscard]] std::vector<int> execute(std::string_view type, std::vector<int> const& in, Input&& input) {
  if (type.starts_with("Const:")) return {std::stoi(std::string(type.substr(6))) % 16};
  if (type == "Copy") return {in.at(0)};
  if (type == "Add") return {(in.at(0) + in.at(1)) % 16};
  if (type == "Less") return {in.at(0) < in.at(1) ? 1 : 0};
  if (type == "Swap") return {in.at(1), in.at(0)};
  if (type == "Input") return {input()};
  if (type == "Output" || type == "Branch") return {};
  throw std::invalid_argument("test::execute: " + std::string(type));
}

/// Runs a program whose names are strings. Inputs, and the values of external inputs by name, are pseudo-random by the
/// seed. An unset blob is 0. Calls see(block, env) when a block is entered.
template <plait::program P, class See>
run_result interpret(P const& p, unsigned seed, std::size_t most_blocks, See&& see) {
  std::mt19937 random(seed);
  std::map<std::string, int, std::less<>> env;
  plait::node_t<P> at = plait::entry(p);
  for (auto const& name : plait::external_inputs(plait::block(p, at))) {
    unsigned mixed = seed;
    for (char const c : std::string(name)) mixed = (mixed + static_cast<unsigned char>(c)) * 2654435761u;
    env[std::string(name)] = static_cast<int>(mixed >> 28);
  }
  run_result made;
  while (most_blocks-- != 0) {
    see(at, std::as_const(env));
    auto&& net = plait::block(p, at);
    std::size_t way = 0;
    for (auto&& op : plait::ops(net)) {
      std::vector<int> in;
      for (auto const& name : plait::inputs(net, op)) in.push_back(env[std::string(name)]);
      std::string const type(plait::op_type(net, op));
      auto const out = execute(type, in, [&] { return static_cast<int>(random() % 16); });
      if (type == "Output") made.outputs.push_back(in.at(0));
      if (type == "Branch") way = static_cast<std::size_t>(in.at(0));
      std::size_t slot = 0;
      for (auto const& name : plait::outputs(net, op)) env[std::string(name)] = out.at(slot++);
    }
    std::vector<plait::node_t<P>> next;
    for (auto&& to : plait::successors(p, at)) next.push_back(to);
    if (next.empty()) {
      for (auto const& name : plait::external_outputs(net)) made.results.push_back(env[std::string(name)]);
      made.finished = true;
      break;
    }
    at = next[way % next.size()];
  }
  return made;
}
template <plait::program P>
run_result interpret(P const& p, unsigned seed, std::size_t most_blocks = 200) {
  return interpret(p, seed, most_blocks, [](auto const&, auto const&) {});
}

}  // namespace test
