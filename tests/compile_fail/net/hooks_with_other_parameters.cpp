// expect: plait: net_traits<N>::erase_ops(n, indices) is there, but cannot be called like this; wanted: erase_ops(n, indices), indices a std::span<std::uint32_t const>
// expect: plait: net_traits<N>::append_op(n, op_spec) is there, but cannot be called like this; wanted: append_op(n, op_spec), a plait::op_spec const&
// expect: plait: net_traits<N>::make_name(n, text) is there, but cannot be called like this; wanted: make_name(n, text), a name_t<N>, text a std::string_view
// expect: plait: net_traits<N>::string_argument(n, op, key) is there, but returns another type; wanted: std::optional<std::string_view>
// expect: plait: net_traits<N>::set_argument(n, op, argument_spec) is there, but cannot be called like this; wanted: set_argument(n, op, argument_spec), a plait::argument_spec const&
// expect: plait: net_traits<N>::mutable_subnets(n, op) is there, but returns another type; wanted: a range like subnets(n, op), whose `net` points to an N that can be changed
#include <cstddef>
#include <optional>
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
  static void store_subnet(ir_net&, op&, inner<ir_net> const&) {}
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  static std::vector<inner<ir_net>> mutable_subnets(ir_net&, op&) { return {}; }
#else
  static std::vector<inner<ir_net const>> mutable_subnets(ir_net&, op&) { return {}; }
  static void erase_ops(ir_net&, std::vector<std::size_t> const&) {}
  static void append_op(ir_net&, std::string const&) {}
  static std::string make_name(ir_net&, std::string& text) { return text; }
  static std::optional<std::string> string_argument(ir_net const&, op const&, std::string_view) { return {}; }
  static void set_argument(ir_net&, plait::argument_spec const&, op&) {}
#endif
};
PLAIT_CHECK_MUTABLE_NET(ir_net);
