// expect: copy_source_of
#include <optional>
#include <string>
#include <vector>

#include <plait/dataflow/copy_propagation.hpp>
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
  plait::copy_propagation<program> copies;
  copies.compute(p, ssa, [](auto const&, auto, std::size_t output) {
#ifdef PLAIT_COMPILE_FAIL_CONTROL
    return std::optional(output);
#else
    return output;  // which of 0 and "no copy" is meant?
#endif
  });
}
