// A user-defined dataflow problem, solved over a program: taint analysis.
#include <cstddef>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include <plait/dataflow/problem.hpp>
#include <plait/dataflow/solver.hpp>
#include <plait/graph/static_graph.hpp>
#include <plait/ssa/construction.hpp>
#include <plait/ssa/program_traits.hpp>

namespace {

struct instruction {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct code {
  std::vector<instruction> ops;
};

// Forward, over some path: the blobs that may hold what depends on the secret.
struct taint {
  using value_type = std::set<std::string>;
  static constexpr auto direction = plait::flow_direction::forward;
  std::function<instruction const&(plait::op_index)> instruction_of;

  value_type initial() const { return {}; }
  value_type boundary() const { return {"secret"}; }
  bool join(value_type& into, value_type const& from) const {
    std::size_t const before = into.size();
    into.insert(from.begin(), from.end());
    return into.size() != before;
  }
  void transfer_op(plait::op_index op, value_type& state) const {
    instruction const& i = instruction_of(op);
    bool tainted = false;
    for (std::string const& x : i.inputs) tainted = tainted || state.contains(x);
    for (std::string const& y : i.outputs)
      if (tainted)
        state.insert(y);
      else
        state.erase(y);
  }
};

}  // namespace

int main() {
  // if (c) { y = hash(secret); } else { y = 1; } z = y + x; y = 0;
  plait::static_graph const cfg({{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  std::vector<code> const blocks = {{{{"Branch", {"c"}, {}}}},
                                    {{{"Hash", {"secret"}, {"y"}}}},
                                    {{{"One", {}, {"y"}}}},
                                    {{{"Add", {"y", "x"}, {"z"}}, {"Zero", {}, {"y"}}}}};
  plait::blocks_of const program(cfg, blocks);

  plait::program_snapshot const numbers(program);
  taint const problem{
      [&](plait::op_index op) -> instruction const& { return blocks[numbers.node(op)].ops[numbers.place(op)]; }};
  plait::dataflow_solver<taint> solver;
  solver.compute(numbers.graph(), numbers.code(), problem);
  for (std::string const& name : solver.after(numbers.graph().number(3))) std::cout << name << " may be tainted\n";
  return solver.after(numbers.graph().number(3)) == std::set<std::string>{"secret", "z"} ? 0 : 1;
}
