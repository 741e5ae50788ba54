// expect: plait: net_traits<N>::type(n, op) is there, but returns another type; wanted: a std::string_view or a reference to a string
#include <string>
#include <string_view>
#include <vector>

#include <plait/net/net_traits.hpp>

struct op {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct net {
  std::vector<op> ops;
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::string_view type(op const&) const { return {}; }
#else
  std::string type(op const&) const { return {}; }
#endif
};
PLAIT_CHECK_NET(net);
