// Minimal program type, for tests of errors at the first call.
#pragma once

#include <string>
#include <vector>

#include <plait/ssa/structured.hpp>

namespace test {

struct smallest_net {
  struct op {
    std::string type;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
  };
  std::vector<op> ops;
};
using smallest_program = plait::structured_program<smallest_net>;

}  // namespace test
