// expect: plait: net_traits<N> lacks set_control_input(n, op, slot, name)
// expect: plait: names of N cannot be made from text
// expect: plait: net_traits<N> lacks type(n, op)
#include <vector>

#include <plait/net/check_mutable_net.hpp>

#include <net/editable_nets.hpp>

#ifdef PLAIT_COMPILE_FAIL_CONTROL
using net = test::edit_net;
#else
struct op {
  std::vector<int> inputs;
  std::vector<int> outputs;
};
struct net {
  std::vector<op> ops;
  std::vector<int> control_inputs(op const&) const { return {}; }
};
#endif
PLAIT_CHECK_MUTABLE_NET(net);
