// expect: plait::static_net: the blobs of a net are all strings, or all of one integer type
#include <plait/net/static_net.hpp>

#ifdef PLAIT_COMPILE_FAIL_CONTROL
constexpr plait::static_net net{plait::op("Relu", {"x"}, {"y"}), plait::op("Relu", {"y"}, {"z"})};
#else
constexpr plait::static_net net{plait::op("Relu", {"x"}, {"y"}), plait::op("Relu", {1}, {2})};
#endif
