// expect: plait: net_traits<N>::inputs(n, op) is there, but cannot be called with a const net
#include <string>
#include <vector>

#include <plait/net/net_traits.hpp>

struct op {
  std::vector<std::string> outputs;
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<std::string> inputs() const { return {}; }
#else
  std::vector<std::string> inputs() { return {}; }
#endif
};
struct net {
  std::vector<op> ops;
};
PLAIT_CHECK_NET(net);
