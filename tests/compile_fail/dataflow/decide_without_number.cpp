// expect: branch_decider_of
#include <optional>
#include <string>
#include <vector>

#include <plait/dataflow/constant_propagation.hpp>
#include <plait/ssa/structured.hpp>

struct net {
  struct op {
    std::string type;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
  };
  std::vector<op> ops;
};
using program = plait::structured_program<net>;

void find(program const& p, plait::program_ssa<program> const& ssa) {
  plait::constant_propagation<int, program> constants;
  constants.compute(
      p, ssa, [](auto const&, auto, auto, auto) {},
      [](auto const&, auto, auto, auto) {
#ifdef PLAIT_COMPILE_FAIL_CONTROL
        return std::optional<std::size_t>();
#else
        return std::string("left");
#endif
      });
}
