// SSA optimisation of a toy compiler's pointer IR: adapts it, rewrites it into SSA form, optimises it, rewrites it out
// of SSA form, and runs it before and after.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/dataflow/constant_propagation.hpp>
#include <plait/dataflow/detail/dense_dead_code.hpp>
#include <plait/dataflow/sparse_solver.hpp>
#include <plait/ssa/existing_ssa.hpp>
#include <plait/ssa/program_rewrite.hpp>

namespace toy {  // the existing compiler, independent of plait

struct Variable {
  std::string name;
};
enum class Code { constant, copy, add, multiply, less, print, jump_if };
struct Instr {
  Code code;
  std::vector<Variable*> in;
  std::vector<Variable*> out;
  long constant = 0;
};
struct Block;
struct Phi {
  Variable* result;
  std::vector<std::pair<Block*, Variable*>> choices;
};
struct Function;
struct Block {
  Function* parent;
  std::size_t number;
  std::vector<Phi> phis = {};
  std::vector<std::unique_ptr<Instr>> code = {};  // with two successors, ends with a jump_if: to next[0] unless 0
  std::vector<Block*> next = {};
};
struct Function {
  std::vector<std::unique_ptr<Block>> blocks;
  std::map<std::string, std::unique_ptr<Variable>, std::less<>> variables;
  std::vector<Variable*> parameters;

  Variable* variable(std::string_view name) {
    auto const found = variables.find(name);
    if (found != variables.end()) return found->second.get();
    return (variables[std::string(name)] = std::make_unique<Variable>(Variable{std::string(name)})).get();
  }
  Block* add_block() { return blocks.emplace_back(std::make_unique<Block>(Block{this, blocks.size()})).get(); }
};

}  // namespace toy

// ---- the adaptation: blocks are nets, the function is a flow graph and a program

template <>
struct plait::net_traits<toy::Block> {
  using N = toy::Block;
  using Op = std::unique_ptr<toy::Instr>;
  static auto const& ops(N const& b) { return b.code; }
  static auto& ops(N& b) { return b.code; }
  static auto const& inputs(N const&, Op const& i) { return i->in; }
  static auto const& outputs(N const&, Op const& i) { return i->out; }
  static auto const& external_inputs(N const& b) { return b.parent->parameters; }
  static std::string const& text(N const&, toy::Variable const* v) { return v->name; }
  static toy::Variable* make_name(N& b, std::string_view text) { return b.parent->variable(text); }
  static void set_input(N&, Op& i, std::size_t slot, toy::Variable* v) { i->in[slot] = v; }
  static void set_output(N&, Op& i, std::size_t slot, toy::Variable* v) { i->out[slot] = v; }
  static void set_external_input(N& b, std::size_t slot, toy::Variable* v) { b.parent->parameters[slot] = v; }
};

template <>
struct plait::graph_traits<toy::Function> {
  static auto size(toy::Function const& f) { return f.blocks.size(); }
  static auto index(toy::Function const&, toy::Block const* b) { return b->number; }
  static toy::Block* entry(toy::Function const& f) { return f.blocks.front().get(); }
  static auto const& successors(toy::Function const&, toy::Block const* b) { return b->next; }
};

template <>
struct plait::program_traits<toy::Function> {
  using P = toy::Function;
  using Argument = plait::phi_argument<toy::Block*, toy::Variable*>;
  static toy::Block const& block(P const&, toy::Block const* b) { return *b; }
  static toy::Block& block(P&, toy::Block* b) { return *b; }
  static auto const& phis(P const&, toy::Block const* b) { return b->phis; }
  static toy::Variable* phi_result(P const&, toy::Phi const& phi) { return phi.result; }
  static std::vector<Argument> phi_arguments(P const&, toy::Phi const& phi) {
    std::vector<Argument> made;
    made.reserve(phi.choices.size());
    for (auto const& [from, variable] : phi.choices) made.push_back({from, variable});
    return made;
  }
  static void insert_phi(P&, toy::Block* b, toy::Variable* result, std::span<Argument const> arguments) {
    toy::Phi& phi = b->phis.emplace_back(toy::Phi{result, {}});
    for (Argument const& a : arguments) phi.choices.emplace_back(a.predecessor.value(), a.name);
  }
  static void erase_phis(P&, toy::Block* b) { b->phis.clear(); }
  static void insert_copy(P&, toy::Block* b, std::size_t place, toy::Variable* to, toy::Variable* from) {
    b->code.insert(b->code.begin() + static_cast<std::ptrdiff_t>(place),
                   std::make_unique<toy::Instr>(toy::Instr{toy::Code::copy, {from}, {to}}));
  }
  static std::size_t copy_place(P const&, toy::Block const* b) {
    return b->code.size() - (!b->code.empty() && b->code.back()->code == toy::Code::jump_if ? 1 : 0);
  }
};

PLAIT_CHECK_PROGRAM_WITH_PHIS(toy::Function);

// ---- the passes

std::optional<long> evaluate(toy::Instr const& i, std::span<std::optional<long> const> in) {
  if (!std::ranges::all_of(in, [](auto const& known) { return known.has_value(); })) return std::nullopt;
  switch (i.code) {
    case toy::Code::constant:
      return i.constant;
    case toy::Code::copy:
      return *in[0];
    case toy::Code::add:
      return *in[0] + *in[1];
    case toy::Code::multiply:
      return *in[0] * *in[1];
    case toy::Code::less:
      return *in[0] < *in[1] ? 1 : 0;
    default:
      return std::nullopt;
  }
}

// Returns the instruction with an op index.
toy::Instr& instruction(plait::existing_ssa<toy::Function> const& ssa, plait::op_index op) {
  toy::Block* const block = ssa.graph().node(ssa.form().block_of_op(op));
  return *block->code[ssa.place(op)];
}

// Sparse conditional constant propagation: replaces constant values and removes edges that are never taken.
void fold_constants(toy::Function& f) {
  plait::existing_ssa<toy::Function> const ssa(f);
  auto const& form = ssa.form();
  auto compute = [&](plait::op_index op, auto in, auto out) {
    if (!out.empty()) out[0] = evaluate(instruction(ssa, op), in);
  };
  auto decide = [&](plait::op_index, auto in, auto) -> std::optional<std::size_t> {
    return in[0] ? std::optional<std::size_t>(*in[0] != 0 ? 0 : 1) : std::nullopt;
  };
  plait::constant_problem<long, decltype(compute), decltype(decide)> problem(ssa.graph(), form, compute, decide);
  plait::sparse_solver<plait::constant_state<long>> solver;
  solver.compute(ssa.graph(), form, problem);

  for (plait::op_index op = 0; op != form.op_count(); ++op) {
    if (form.writes(op).empty()) continue;
    if (auto const& known = solver[form.writes(op)[0]].constant)
      instruction(ssa, op) = {toy::Code::constant, {}, instruction(ssa, op).out, *known};
  }
  for (std::uint32_t b = 0; b != ssa.graph().size(); ++b) {
    toy::Block& block = *ssa.graph().node(b);
    for (plait::phi_index const phi : form.phis(b)) {
      auto const& known = solver[form.result(phi)].constant;
      if (!known) continue;
      toy::Variable* const result = f.variable(ssa.name(form.result(phi)));
      std::erase_if(block.phis, [&](toy::Phi const& p) { return p.result == result; });
      block.code.insert(block.code.begin(),
                        std::make_unique<toy::Instr>(toy::Instr{toy::Code::constant, {}, {result}, *known}));
    }
    for (std::size_t way = block.next.size(); way-- != 0;) {
      if (!solver.is_executable(b) || solver.is_edge_executable(b, way)) continue;
      for (toy::Phi& phi : block.next[way]->phis)
        std::erase_if(phi.choices, [&](auto const& choice) { return choice.first == &block; });
      block.next.erase(block.next.begin() + static_cast<std::ptrdiff_t>(way));
      block.code.pop_back();  // the jump_if
    }
  }
}

// Copy propagation: reads of a copy become reads of its source, which has a single definition in SSA form.
void propagate_copies(toy::Function& f) {
  std::map<toy::Variable*, toy::Variable*> source;
  for (auto const& block : f.blocks)
    for (auto const& i : block->code)
      if (i->code == toy::Code::copy) source[i->out[0]] = i->in[0];
  auto const resolve = [&](toy::Variable*& v) {
    for (auto at = source.find(v); at != source.end(); at = source.find(v)) v = at->second;
  };
  for (auto const& block : f.blocks) {
    for (auto const& i : block->code) std::ranges::for_each(i->in, resolve);
    for (toy::Phi& phi : block->phis)
      for (auto& choice : phi.choices) resolve(choice.second);
  }
}

void erase_dead_code(toy::Function& f) {
  plait::existing_ssa<toy::Function> const ssa(f);
  plait::dense_dead_code dead;
  dead.compute(ssa.graph(), ssa.form(), [&](plait::op_index op) {
    toy::Code const code = instruction(ssa, op).code;
    return code == toy::Code::print || code == toy::Code::jump_if;
  });
  for (std::uint32_t b = 0; b != ssa.graph().size(); ++b) {
    toy::Block& block = *ssa.graph().node(b);
    plait::op_index op = ssa.form().first_op[b];
    std::erase_if(block.code, [&](auto const&) { return !dead.is_live_op(op++); });
    plait::phi_index phi = ssa.form().first_phi[b];
    std::erase_if(block.phis, [&](auto const&) { return !dead.is_live_phi(phi++); });
  }
}

struct Run {
  std::vector<long> printed;
  std::size_t steps = 0;
};
Run run(toy::Function const& f, long argument) {
  Run made;
  std::map<toy::Variable const*, long> values = {{f.parameters[0], argument}};
  for (toy::Block const* at = f.blocks.front().get(); at != nullptr;) {
    std::size_t way = 0;
    for (auto const& i : at->code) {
      ++made.steps;
      std::vector<std::optional<long>> in;
      for (toy::Variable const* v : i->in) in.emplace_back(values[v]);
      if (i->code == toy::Code::print) made.printed.push_back(*in[0]);
      if (i->code == toy::Code::jump_if) way = *in[0] != 0 ? 0 : 1;
      if (!i->out.empty()) values[i->out[0]] = evaluate(*i, in).value();
    }
    at = at->next.empty() ? nullptr : at->next[way];
  }
  return made;
}

// Fibonacci numbers up to the n-th, with a flag that is never set and dead code, for the passes to remove.
std::unique_ptr<toy::Function> fibonacci() {
  auto made = std::make_unique<toy::Function>();
  toy::Function& f = *made;
  auto const emit = [&](toy::Block* b, toy::Code code, std::vector<std::string_view> out,
                        std::vector<std::string_view> in, long constant = 0) {
    toy::Instr i{code, {}, {}, constant};
    for (std::string_view name : in) i.in.push_back(f.variable(name));
    for (std::string_view name : out) i.out.push_back(f.variable(name));
    b->code.push_back(std::make_unique<toy::Instr>(std::move(i)));
  };
  f.parameters = {f.variable("n")};
  toy::Block *const entry = f.add_block(), *const head = f.add_block(), *const body = f.add_block(),
                    *const trace = f.add_block(), *const step = f.add_block(), *const done = f.add_block();
  using enum toy::Code;
  emit(entry, constant, {"a"}, {}, 0);
  emit(entry, constant, {"b"}, {}, 1);
  emit(entry, constant, {"i"}, {}, 0);
  emit(entry, constant, {"one"}, {}, 1);
  emit(entry, constant, {"debug"}, {}, 0);
  entry->next = {head};
  emit(head, less, {"more"}, {"i", "n"});
  emit(head, jump_if, {}, {"more"});
  head->next = {body, done};
  emit(body, jump_if, {}, {"debug"});
  body->next = {trace, step};
  emit(trace, print, {}, {"i"});
  emit(trace, copy, {"one"}, {"debug"});
  trace->next = {step};
  emit(step, multiply, {"wasted"}, {"a", "b"});
  emit(step, copy, {"old"}, {"a"});
  emit(step, copy, {"a"}, {"b"});
  emit(step, add, {"b"}, {"old", "b"});
  emit(step, copy, {"two"}, {"one"});
  emit(step, add, {"two"}, {"two", "one"});
  emit(step, add, {"i"}, {"i", "one"});
  emit(step, print, {}, {"two"});
  step->next = {head};
  emit(done, print, {}, {"a"});
  return made;
}

int main() {
  auto const function = fibonacci();
  toy::Function& f = *function;
  Run const before = run(f, 12);

  std::cout << plait::rewrite_into_ssa(f) << " phis in SSA form\n";
  fold_constants(f);
  propagate_copies(f);
  erase_dead_code(f);
  for (plait::ssa_violation const& v : plait::verify_ssa(plait::existing_ssa<toy::Function>(f))) {
    std::cerr << plait::describe(v) << '\n';
    return 1;
  }
  std::cout << plait::rewrite_out_of_ssa(f) << " copies out of SSA form\n";

  Run const after = run(f, 12);
  std::cout << "the 12th Fibonacci number is " << after.printed.back() << ", in " << after.steps << " steps instead of "
            << before.steps << '\n';
  return after.printed == before.printed && after.printed.back() == 144 && after.steps < before.steps ? 0 : 1;
}
