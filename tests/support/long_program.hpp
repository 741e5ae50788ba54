// Large programs, for tests of stack depth and linear time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <support/random_program.hpp>

namespace test {

/// Returns a chain of blocks with edges around every third one, and a back edge from the last but one to the second.
/// Each copies one blob and adds to another.
[[nodiscard]] inline net_program long_program(std::size_t count) {
  net_program p{std::vector<struct_net>(count), std::vector<std::vector<int>>(count)};
  p.blocks[0].ops = {{"Const:1", {}, {"one"}}, {"Input", {}, {"sum"}}, {"Const:2", {}, {"x0"}}};
  for (std::size_t b = 1; b != count; ++b) {
    std::string const before = "x" + std::to_string((b - 1) % 7);
    std::string const here = "x" + std::to_string(b % 7);
    p.blocks[b].ops = {{"Copy", {before}, {here}}, {"Add", {"sum", "one"}, {"sum"}}};
  }
  for (std::size_t b = 0; b + 1 != count; ++b) {
    p.targets[b].push_back(static_cast<int>(b + 1));
    if (b % 3 == 1 && b + 2 < count) {
      p.targets[b].push_back(static_cast<int>(b + 2));
      p.blocks[b].ops.push_back({"Branch", {"sum"}, {}});
    }
  }
  p.targets[count - 2].push_back(1);
  p.blocks[count - 2].ops.push_back({"Branch", {"one"}, {}});
  p.blocks[count - 1].ops.push_back({"Output", {"sum"}, {}});
  return p;
}

}  // namespace test
