// expect: plait: net_traits<N>::inputs(n, op) is there, but cannot be called with a const net
// expect: plait: net_traits<N>::control_inputs(n, op) is there, but cannot be called like this; wanted: control_inputs(n, op), a range of names; n and op are const
// expect: plait: net_traits<N>::subnets(n, op) is there, but cannot be called like this; wanted: subnets(n, op), a range of the nets inside an op; n and op are const
// expect: plait: net_traits<N>::op_name(n, op) is there, but returns another type; wanted: a std::string_view or a reference to a string
// expect: plait: transforms need ops(n) to be a reference to the net's ops or a view of them
// expect: plait: net_traits<N> lacks set_input(n, op, slot, name)
#include <string>
#include <vector>

#include <plait/net/check_mutable_net.hpp>

#include <net/editable_nets.hpp>

struct op {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
#ifdef PLAIT_COMPILE_FAIL_CONTROL
using net = test::edit_net;
using ir_net = test::edit_net;
#else
struct net {
  std::vector<op> ops() const { return held; }  // what is changed in these is lost
  std::vector<op> held;
  std::vector<std::string> control_inputs() const { return {}; }
  std::vector<net const*> subnets() const { return {}; }
  std::string op_name(op const&) const { return {}; }
};
struct ir_net {
  std::vector<op> code;
};
template <>
struct plait::net_traits<ir_net> {
  static std::vector<::op> const& ops(ir_net const& n) { return n.code; }
  static std::vector<::op>& ops(ir_net& n) { return n.code; }
  static std::vector<std::string>& inputs(ir_net&, ::op& o) { return o.inputs; }
  static std::vector<std::string> const& outputs(ir_net const&, ::op const& o) { return o.outputs; }
};
#endif
PLAIT_CHECK_NET(ir_net);
PLAIT_CHECK_MUTABLE_NET(net);
