// expect: plait: net_traits<N> lacks outputs(n, op), a range of the names an op writes
#include <string>
#include <vector>

#include <plait/net/net_traits.hpp>

struct op {
  std::vector<std::string> inputs;
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<std::string> outputs;
#endif
};
struct net {
  std::vector<op> ops;
};
PLAIT_CHECK_NET(net);
