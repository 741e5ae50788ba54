// expect: plait: net_traits<N>::external_outputs(n) is there, but returns another type; wanted: a range of names
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
  std::vector<std::string> external_outputs;
#else
  std::vector<int> external_outputs;
#endif
};
PLAIT_CHECK_NET(net);
