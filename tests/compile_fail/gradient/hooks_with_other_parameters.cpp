// expect: plait: net_traits<N>::insert_op(n, position, op_spec) is there, but cannot be called like this; wanted: insert_op(n, position, op_spec), position a std::size_t, op_spec a plait::op_spec const&
// expect: plait: net_traits<N>::argument(n, op, key) is there, but cannot be called with a const net
// expect: plait: net_traits<N> lacks int_argument(n, op, key), std::optional<std::int64_t>
// expect: plait: net_traits<N>::inherit(n, op, from, from_op, what) is there, but cannot be called like this; wanted: inherit(n, op, from, from_op, what), from an N const&, what a plait::inherited const&
// expect: plait: the rule of an op cannot be called as make(context); wanted: void make(plait::gradient_context& context)
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plait/gradient/backward_pass.hpp>

struct op {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct net {
  std::vector<op> ops;
  void append_op(plait::op_spec const&) {}
  std::optional<std::string_view> string_argument(op const&, std::string_view) const { return {}; }
  bool has_argument(op const&, std::string_view) const { return false; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  void insert_op(std::size_t, plait::op_spec const&) {}
  std::optional<std::int64_t> int_argument(op const&, std::string_view) const { return {}; }
  std::optional<plait::argument_value> argument(op const&, std::string_view) const { return {}; }
  void inherit(op&, net const&, op const&, plait::inherited const&) {}
#else
  void insert_op(plait::op_spec const&, std::size_t) {}
  std::optional<plait::argument_value> argument(op const&, std::string_view) { return {}; }
  void inherit(op&, op const&, net const&, plait::inherited const&) {}
#endif
};
PLAIT_CHECK_GRADIENT_NET(net);

// A rule that modifies a copy of the context has no effect.
#ifdef PLAIT_COMPILE_FAIL_CONTROL
void add_to(plait::gradient_rules& rules) {
  rules.set("Own", [](plait::gradient_context&) {});
}
#else
void add_to(plait::gradient_rules& rules) {
  rules.set("Own", [](plait::gradient_context) {});
}
#endif
