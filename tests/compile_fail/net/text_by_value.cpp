// expect: plait: net_traits<N>::text(n, name) is there, but returns another type; wanted: a std::string_view or a reference to a string
#include <string>
#include <string_view>
#include <vector>

#include <plait/net/net_traits.hpp>

struct op {
  std::vector<int> inputs;
  std::vector<int> outputs;
};
struct net {
  std::vector<op> ops;
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::string_view text(int) const { return {}; }
#else
  std::string text(int) const { return {}; }
#endif
};
PLAIT_CHECK_NET(net);
