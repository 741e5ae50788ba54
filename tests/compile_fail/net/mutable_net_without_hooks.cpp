// expect: plait: net_traits<N> lacks set_input(n, op, slot, name)
// expect: plait: net_traits<N> lacks set_output(n, op, slot, name)
// expect: plait: net_traits<N> lacks set_external_input(n, slot, name)
// expect-clang: plait: net_traits<N> lacks erase_ops(n, indices)
// expect-clang: plait: net_traits<N> lacks erase_external_inputs(n, slots)
// expect-clang: plait: net_traits<N> lacks erase_external_outputs(n, slots)
// expect: plait: net_traits<N> lacks add_external_input(n, name)
// expect: plait: net_traits<N> lacks add_external_output(n, name)
// expect: plait: net_traits<N> lacks append_op(n, op_spec)
// expect: plait: net_traits<N> lacks insert_op(n, position, op_spec)
// expect: plait: net_traits<N> lacks adopt_op(n, from, op)
// expect: plait: net_traits<N> lacks set_type(n, op, type)
// expect: plait: net_traits<N> lacks int_argument(n, op, key), std::optional<std::int64_t>
// expect: plait: net_traits<N> lacks string_argument(n, op, key), std::optional<std::string_view>
// expect: plait: net_traits<N> lacks has_argument(n, op, key), bool
// expect: plait: net_traits<N> lacks argument(n, op, key), std::optional<argument_value>
// expect: plait: net_traits<N> lacks set_argument(n, op, argument_spec)
// expect: plait: net_traits<N> lacks erase_argument(n, op, key)
// expect-gcc: plait: net_traits<N> lacks device(n, op), std::optional<device_spec>
// expect-gcc: plait: net_traits<N> lacks set_device(n, op, device), device a std::optional<device_spec>
// expect-gcc: plait: net_traits<N> lacks net_name(n), a std::string_view
// expect-gcc: plait: net_traits<N> lacks inherit(n, op, from, from_op, what)
#include <string>
#include <vector>

#include <plait/net/check_mutable_net.hpp>

#include <net/editable_nets.hpp>

#ifdef PLAIT_COMPILE_FAIL_CONTROL
using net = test::edit_net;
#else
struct net {
  std::vector<plait::op_spec> const& ops() const { return held; }
  std::vector<std::string> external_inputs() const { return {}; }
  std::vector<plait::op_spec> held;
};
#endif
PLAIT_CHECK_MUTABLE_NET(net);
