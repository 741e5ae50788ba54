// expect: plait: numbered names need text(n, name), name_at(n, index) -> name and find_name(n, text) -> index
#include <cstddef>
#include <string_view>
#include <vector>

#include <plait/net/net_traits.hpp>

struct op {
  std::vector<int> inputs;
  std::vector<int> outputs;
};
struct net {
  std::vector<op> ops;
  std::string_view text(int) const { return "x"; }
  std::size_t name_count() const { return 1; }
  std::size_t name_index(int) const { return 0; }
  int name_at(std::size_t) const { return 0; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::size_t find_name(std::string_view) const { return 1; }
#endif
};
PLAIT_CHECK_NET(net);
