// expect: plait: net_traits<N> lacks inherit(n, op, from, from_op, what), from an N const&, what a plait::inherited const&
#include <net/editable_nets.hpp>

#include <plait/gradient/backward_pass.hpp>

struct own_net : test::struct_net {};

template <>
struct plait::net_traits<own_net> : plait::net_traits<test::struct_net> {
  using op = plait::op_spec;
  static std::vector<op> const& ops(own_net const& n) { return n.ops; }
  static std::vector<op>& ops(own_net& n) { return n.ops; }
  static std::vector<std::string> const& inputs(own_net const&, op const& o) { return o.inputs; }
  static std::vector<std::string> const& outputs(own_net const&, op const& o) { return o.outputs; }
  static std::string const& type(own_net const&, op const& o) { return o.type; }
  static void append_op(own_net& n, op const& o) { n.ops.push_back(o); }
  static void insert_op(own_net&, std::size_t, op const&) {}
  static std::optional<std::int64_t> int_argument(own_net const&, op const&, std::string_view) { return {}; }
  static std::optional<std::string_view> string_argument(own_net const&, op const&, std::string_view) { return {}; }
  static bool has_argument(own_net const&, op const&, std::string_view) { return false; }
  static std::optional<plait::argument_value> argument(own_net const&, op const&, std::string_view) { return {}; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  static void inherit(own_net&, op&, own_net const&, op const&, plait::inherited const&) {}
#endif
};
PLAIT_CHECK_GRADIENT_NET(own_net);
