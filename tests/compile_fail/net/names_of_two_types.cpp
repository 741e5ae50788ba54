// expect: plait: the names in inputs and outputs need a common type
#include <string>
#include <vector>

#include <plait/net/net_traits.hpp>

struct op {
  std::vector<std::string> inputs;
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<std::string> outputs;
#else
  std::vector<int> outputs;
#endif
};
struct net {
  std::vector<op> ops;
};
PLAIT_CHECK_NET(net);
