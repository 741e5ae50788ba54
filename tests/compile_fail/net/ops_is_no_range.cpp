// expect: plait: net_traits<N>::ops(n) is there, but returns another type; wanted: a range of the net's ops
#include <string>
#include <vector>

#include <plait/net/net_traits.hpp>

struct op {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct net {
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<op> ops;
#else
  op ops() const { return {}; }
#endif
};
PLAIT_CHECK_NET(net);
