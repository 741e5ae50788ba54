// expect: renamable_net
#include <string>
#include <vector>

#include <plait/net/mutation.hpp>

struct op {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct net {
  std::vector<op> const& ops() const { return held; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<op>& ops() { return held; }
#endif
  std::vector<op> held;
};
void transform(plait::renamable_net auto&) {}
void use(net& n) { transform(n); }
