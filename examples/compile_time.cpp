// SSA form as a constant expression: static_asserts test generic code at no run time.
#include <plait/graph/static_graph.hpp>
#include <plait/net/static_net.hpp>
#include <plait/ssa/versioning.hpp>

constexpr auto net = plait::static_net{
    plait::op("Mul", {"x", "w"}, {"y"}), plait::op("Add", {"y", "b"}, {"y"}),  // in place
};
static_assert(plait::get_ssa(net).version("y") == 2);
static_assert(plait::get_ssa(net).undefined().size() == 3);  // x, w and b

int main() { return 0; }
