// Dominators, loops, SSA construction and liveness on a function of another tool's IR, adapted in five lines for the
// graph and one for the code.
#include <cstddef>
#include <initializer_list>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <plait/dataflow/liveness.hpp>
#include <plait/graph/dominators.hpp>
#include <plait/graph/loops.hpp>
#include <plait/graph/print.hpp>
#include <plait/ssa/construction.hpp>
#include <plait/ssa/print.hpp>

namespace tool {

struct Instr {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct Body {
  std::vector<Instr> ops;
};
struct Block {
  std::string label;
  std::size_t id = 0;
  Body body;
  std::vector<Block*> next;
};
struct Function {
  std::vector<std::unique_ptr<Block>> blocks;
};

}  // namespace tool

template <>
struct plait::graph_traits<tool::Function> {
  static std::size_t size(tool::Function const& f) { return f.blocks.size(); }
  static tool::Block* entry(tool::Function const& f) { return f.blocks.front().get(); }
  static auto const& successors(tool::Function const&, tool::Block const* b) { return b->next; }
  static std::size_t index(tool::Function const&, tool::Block const* b) { return b->id; }
  static std::string const& text(tool::Function const&, tool::Block const* b) { return b->label; }  // optional
};

template <>
struct plait::program_traits<tool::Function> {
  static auto const& block(tool::Function const&, tool::Block const* b) { return b->body; }
};
PLAIT_CHECK_PROGRAM(tool::Function);

namespace {

// i = 0; while (i < n) { if (odd(i)) s = s + i; i = i + 1; } return s;
tool::Function make_function() {
  tool::Function f;
  auto const add = [&](std::string label, std::vector<tool::Instr> code) {
    f.blocks.push_back(
        std::make_unique<tool::Block>(tool::Block{std::move(label), f.blocks.size(), {std::move(code)}, {}}));
    return f.blocks.back().get();
  };
  auto* const start = add("start", {{"Const", {}, {"i"}}, {"Const", {}, {"s"}}});
  auto* const head = add("head", {{"Less", {"i", "n"}, {"c"}}, {"Branch", {"c"}, {}}});
  auto* const body = add("body", {{"Odd", {"i"}, {"c"}}, {"Branch", {"c"}, {}}});
  auto* const sum = add("sum", {{"Add", {"s", "i"}, {"s"}}});
  auto* const step = add("step", {{"Inc", {"i"}, {"i"}}});
  auto* const end = add("end", {{"Return", {"s"}, {}}});
  start->next = {head};
  head->next = {body, end};
  body->next = {sum, step};
  sum->next = {step};
  step->next = {head};
  return f;
}

}  // namespace

int main() {
  tool::Function const f = make_function();

  plait::dominator_tree const tree(f);
  plait::loop_forest const loops(tree);
  for (tool::Block* b : tree.preorder()) {
    auto const above = tree.idom(b);
    std::cout << b->label << ": dominated by " << (above ? (*above)->label : "nothing") << '\n';
    if (auto const loop = loops.innermost(b)) std::cout << "  in the loop of " << loops.header(*loop)->label << '\n';
  }
  std::cout << plait::to_text(f, tree) << plait::to_text(f, loops);

  plait::program_ssa const ssa(f);
  auto const text = [&](plait::value v) { return std::string(ssa.name(v)) + "." + std::to_string(v.version); };
  for (tool::Block* b : ssa.graph().order())
    for (auto const& phi : ssa.phis(b)) {
      std::cout << b->label << ": " << text(phi.result()) << " = phi";
      for (plait::value const v : phi.arguments()) std::cout << ' ' << text(v);
      std::cout << '\n';
    }
  std::cout << plait::to_text(f, ssa);
  for (plait::ssa_use const& use : ssa.undefined_uses())  // n is a parameter without a declaration
    std::cout << "read before it is written: " << text(ssa.reads(use.site.op())[use.slot]) << '\n';

  plait::liveness const live(f);
  std::cout << "live at the end of step:";
  for (auto const& name : live.live_out(f.blocks[4].get())) std::cout << ' ' << name;
  std::cout << '\n';
  return ssa.phi_count() == 3 && loops.size() == 1 ? 0 : 1;
}
