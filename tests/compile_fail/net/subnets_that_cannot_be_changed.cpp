// expect: plait: net_traits<N> lacks mutable_subnets(n, op), a range like subnets(n, op), whose `net` points to an N that can be changed
#include <string>
#include <vector>

#include <plait/net/check_mutable_net.hpp>

#include <net/editable_nets.hpp>

struct ir_net : test::edit_net {};

template <>
struct plait::net_traits<ir_net> : plait::net_traits<test::edit_net> {
  template <class Net>
  struct inner {
    Net* net;
    plait::subnet_scope scope;
    std::vector<std::string> locals;
  };
  static void adopt_op(ir_net& n, ir_net const&, op const& o) { n.ops.push_back(o); }
  static void inherit(ir_net&, op&, ir_net const&, op const&, plait::inherited const&) {}
  static std::vector<inner<ir_net const>> subnets(ir_net const&, op const&) { return {}; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  static std::vector<inner<ir_net>> mutable_subnets(ir_net&, op&) { return {}; }
  static void store_subnet(ir_net&, op&, inner<ir_net> const&) {}
#endif
};
PLAIT_CHECK_MUTABLE_NET(ir_net);
