// expect: plait: net_traits<N>::inputs(n, op) is there, but cannot be called like this; wanted: inputs(n, op), a range of the names an op reads
#include <string>
#include <vector>

#include <plait/net/net_traits.hpp>

struct op {
  std::vector<std::string> outputs;
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<std::string> inputs() const { return {}; }
#else
  int inputs = 0;
#endif
};
struct net {
  std::vector<op> ops;
};
PLAIT_CHECK_NET(net);
