// expect: op_predicate_of
#include <optional>
#include <string>
#include <vector>

#include <plait/dataflow/dead_code.hpp>
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
  plait::dead_code<program> dead;
  dead.compute(p, ssa, [](auto const&, auto) {
#ifdef PLAIT_COMPILE_FAIL_CONTROL
    return true;
#endif
  });
}
