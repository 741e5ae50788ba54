// Runs the programs of random_program.hpp, and what has been made of them.
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

/// What a run shows to the outside. A run that is cut off shows how it began, as far as both went.
struct run_result {
  std::vector<int> outputs;
  std::vector<int> results;  // of the external outputs of the last block, in their order
  bool finished = false;
  friend bool operator==(run_result const&, run_result const&) = default;
};

/// Whether two runs can be of equal programs that need different numbers of steps.
[[nodiscard]] inline bool agree(run_result const& a, run_result const& b) {
  if (a.finished && b.finished) return a == b;
  bool const a_is_shorter = a.outputs.size() < b.outputs.size();
  if (a.outputs.size() != b.outputs.size() && (a_is_shorter ? a : b).finished) return false;
  auto const differ = std::ranges::mismatch(a.outputs, b.outputs);
  return differ.in1 == a.outputs.end() || differ.in2 == b.outputs.end();
}

/// The values an op makes of those it reads; none for an op that makes none. `input` gives the next of the run.
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

/// Runs a program whose names are strings. Inputs, and the values of external inputs by name, are random by the seed.
/// A blob that nothing has written is 0. See(block, env) is called when a block is entered.
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
