// SSA form of a compiler's IR, adapted in seven lines, as a table.
#include <deque>
#include <iostream>
#include <string>
#include <vector>

#include <plait/ssa/versioning.hpp>

namespace tool {  // the existing compiler, independent of plait
struct Instr {
  std::string opcode;
  std::vector<std::string> operands;
  std::vector<std::string> results;
};
struct Function {
  std::vector<Instr*> instructions;
};
}  // namespace tool

template <>
struct plait::net_traits<tool::Function> {
  static auto const& ops(tool::Function const& f) { return f.instructions; }
  static auto const& inputs(tool::Function const&, tool::Instr const* i) { return i->operands; }
  static auto const& outputs(tool::Function const&, tool::Instr const* i) { return i->results; }
};
PLAIT_CHECK_NET(tool::Function);  // one readable sentence per missing piece

void find_unused(tool::Function const& function) {
  auto const ssa = plait::get_ssa(function);
  for (auto const& op : ssa.ops())
    for (plait::value v : op.writes())
      if (ssa.consumers(v).empty()) std::cout << ssa.name(v) << '.' << v.version << " is never read\n";
}

void print(tool::Function const& function) {
  auto const ssa = plait::get_ssa(function);
  for (auto const& op : ssa.ops()) {
    for (plait::value v : op.writes()) std::cout << ssa.name(v) << '.' << v.version << ' ';
    std::cout << "<-";
    for (plait::value v : op.reads()) std::cout << ' ' << ssa.name(v) << '.' << v.version;
    std::cout << '\n';
  }
}

int main() {
  std::deque<tool::Instr> code = {{"mul", {"x", "w"}, {"y"}}, {"add", {"y", "b"}, {"y"}}, {"relu", {"y"}, {"z"}}};
  tool::Function function;
  for (tool::Instr& i : code) function.instructions.push_back(&i);
  print(function);
  find_unused(function);
}
