// expect: plait: net_traits<N>::store_subnet(n, op, subnet) is there, but cannot be called like this; wanted: store_subnet(n, op, subnet), subnet an element of mutable_subnets(n, op), as an lvalue
// expect: plait: net_traits<N> lacks rename_arguments(n, op, names), names a plait::name_map const&, since there is argument_blobs(n, op)
#include <string>
#include <string_view>
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
  static std::vector<inner<ir_net>> mutable_subnets(ir_net&, op&) { return {}; }
  static std::vector<std::string_view> argument_blobs(ir_net const&, op const&) { return {}; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  static void store_subnet(ir_net&, op&, inner<ir_net> const&) {}
  static void rename_arguments(ir_net&, op&, plait::name_map const&) {}
#else
  static void store_subnet(ir_net&, inner<ir_net> const&, op&) {}
#endif
};
PLAIT_CHECK_MUTABLE_NET(ir_net);
