// expect: plait: elements of net_traits<N>::subnets(n, op) must have `net`, which points to a net, `scope`
#include <string>
#include <vector>

#include <plait/ssa/versioning.hpp>

struct op {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct my_net {
  struct inner {
    my_net const* net;
#ifdef PLAIT_COMPILE_FAIL_CONTROL
    plait::subnet_scope scope;
#endif
    std::vector<std::string> locals;
  };
  std::vector<op> ops;
  std::vector<inner> subnets(op const&) const { return {}; }
};
void use(my_net const& n) { (void)plait::get_ssa(n, {.subnets = true}); }
