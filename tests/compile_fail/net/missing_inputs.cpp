// expect: plait: net_traits<N> lacks inputs(n, op), a range of the names an op reads
#include <string>
#include <vector>

#include <plait/net/net_traits.hpp>

struct op {
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<std::string> inputs;
#endif
  std::vector<std::string> outputs;
};
struct net {
  std::vector<op> ops;
};
PLAIT_CHECK_NET(net);
