// expect: plait: net_traits<N> lacks append_op(n, op_spec), a plait::op_spec const&
// expect: plait: net_traits<N> lacks insert_op(n, position, op_spec), position a std::size_t, op_spec a plait::op_spec const&
#include <string>
#include <vector>

#include <plait/gradient/backward_pass.hpp>

struct op {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
class net {
 public:
  std::vector<op> const& ops() const { return ops_; }
  std::vector<op>& ops() { return ops_; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  void append_op(plait::op_spec const& o) { ops_.push_back({o.type, o.inputs, o.outputs}); }
  void insert_op(std::size_t at, plait::op_spec const& o) {
    ops_.insert(ops_.begin() + static_cast<std::ptrdiff_t>(at), {o.type, o.inputs, o.outputs});
  }
#endif

 private:
  std::vector<op> ops_;
};
PLAIT_CHECK_GRADIENT_NET(net);
