// expect: plait: net_traits<N>::external_inputs(n) is there, but cannot be called with a const net
#include <string>
#include <vector>

#include <plait/net/net_traits.hpp>

struct op {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct net {
  std::vector<op> ops;
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<std::string> external_inputs() const { return {}; }
#else
  std::vector<std::string> external_inputs() { return {}; }
#endif
};
PLAIT_CHECK_NET(net);
