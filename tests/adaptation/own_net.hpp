// User-defined net type: structs with data members of the expected names.
#pragma once

#include <string>
#include <vector>

#include <plait/net/net_traits.hpp>

namespace own {

struct op {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

struct net {
  std::vector<op> ops;
  std::vector<std::string> external_inputs;
};

}  // namespace own

// [adaptation: own net type, at most 0 lines]
// [end]
