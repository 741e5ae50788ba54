// expect: plait: the names in inputs and outputs need a common type that is regular (default constructible, copyable, equality comparable) and has a std::hash
#include <cstddef>
#include <functional>
#include <vector>

#include <plait/net/net_traits.hpp>

struct name {
  int id = 0;
  friend bool operator==(name, name) = default;
};
#ifdef PLAIT_COMPILE_FAIL_CONTROL
template <>
struct std::hash<name> {
  std::size_t operator()(name n) const { return static_cast<std::size_t>(n.id); }
};
#endif
struct op {
  std::vector<name> inputs;
  std::vector<name> outputs;
};
struct net {
  std::vector<op> ops;
};
PLAIT_CHECK_NET(net);
