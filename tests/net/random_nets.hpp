// Random nets in neutral form: few blobs, so that in-place ops, overwritten inputs, duplicates and undeclared reads are
// common.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <net/editable_nets.hpp>

namespace test {

[[nodiscard]] inline struct_net random_small_net(std::mt19937& random, std::size_t max_ops = 12) {
  std::size_t const blobs = 1 + random() % 8;
  auto const blob = [&] { return "b" + std::to_string(random() % blobs); };
  auto const some = [&](std::size_t most) {
    std::vector<std::string> names;
    for (std::size_t n = random() % (most + 1); n != 0; --n) names.push_back(blob());
    return names;
  };
  struct_net made;
  if (random() % 3 != 0) made.external_inputs = some(4);
  for (std::size_t n = random() % (max_ops + 1); n != 0; --n) {
    plait::op_spec op{"T" + std::to_string(random() % 5), some(4), some(3)};
    if (random() % 4 == 0 && !op.inputs.empty()) op.outputs.insert(op.outputs.begin(), op.inputs.front());  // in place
    if (random() % 8 == 0 && !op.outputs.empty()) op.outputs.push_back(op.outputs.front());  // one output twice
    made.ops.push_back(std::move(op));
  }
  if (random() % 2 == 0) made.external_outputs = some(3);
  return made;
}

}  // namespace test
