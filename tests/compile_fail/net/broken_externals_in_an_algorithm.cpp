// expect: plait: net_traits<N>::external_inputs(n) is there, but returns another type; wanted: a range of names
#include <string>
#include <vector>

#include <plait/ssa/versioning.hpp>

// A net whose externals are of the wrong type must not be analysed as if it declared none.
struct op {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct net {
  std::vector<op> ops;
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<std::string> external_inputs;
#else
  std::vector<int> external_inputs;
#endif
};
net const given;
auto const ssa = plait::get_ssa(given);
