// SSA construction and destruction on a register IR: adapts it, rewrites it into SSA form with new registers, verifies
// it, rewrites it out of SSA form, and runs it before and after.
#include <cstddef>
#include <iostream>
#include <span>
#include <utility>
#include <vector>

#include <plait/ssa/existing_ssa.hpp>
#include <plait/ssa/program_rewrite.hpp>
#include <plait/ssa/verify.hpp>

namespace machine {  // the existing code, independent of plait

using reg = unsigned;
enum class code { load, move, add, subtract, less, jump_if };
struct instruction {
  code what;
  std::vector<reg> from;
  std::vector<reg> to;
  long constant = 0;
};
struct phi {
  reg result;
  std::vector<std::pair<std::size_t, reg>> choices;  // by predecessor
};
struct block {  // has no link to its function and no number
  std::vector<phi> phis = {};
  std::vector<instruction> code = {};  // with two successors, ends with a jump_if: to next[0] unless 0
  std::vector<std::size_t> next = {};
  std::vector<reg> given = {};     // parameters, in the first block
  std::vector<reg> returned = {};  // results, in the exit blocks
};
struct function {
  std::vector<block> blocks;
  reg registers = 0;  // number of registers in use
};

}  // namespace machine

// ---- the adaptation

template <>
struct plait::net_traits<machine::block> {
  using N = machine::block;
  using Op = machine::instruction;
  static auto const& ops(N const& b) { return b.code; }
  static auto& ops(N& b) { return b.code; }
  static auto const& inputs(N const&, Op const& i) { return i.from; }
  static auto const& outputs(N const&, Op const& i) { return i.to; }
  static auto const& external_inputs(N const& b) { return b.given; }
  static auto const& external_outputs(N const& b) { return b.returned; }
  static void set_input(N&, Op& i, std::size_t slot, machine::reg r) { i.from[slot] = r; }
  static void set_output(N&, Op& i, std::size_t slot, machine::reg r) { i.to[slot] = r; }
  static void set_external_input(N& b, std::size_t slot, machine::reg r) { b.given[slot] = r; }
  static void set_external_output(N& b, std::size_t slot, machine::reg r) { b.returned[slot] = r; }
};

template <>
struct plait::graph_traits<machine::function> {
  static auto size(machine::function const& f) { return f.blocks.size(); }
  static std::size_t entry(machine::function const&) { return 0; }
  static auto const& successors(machine::function const& f, std::size_t b) { return f.blocks[b].next; }
};

template <>
struct plait::program_traits<machine::function> {
  using P = machine::function;
  using Argument = plait::phi_argument<std::size_t, machine::reg>;
  static auto const& block(P const& f, std::size_t b) { return f.blocks[b]; }
  static auto& block(P& f, std::size_t b) { return f.blocks[b]; }
  static machine::reg new_name(P& f, machine::reg) { return f.registers++; }
  static auto const& phis(P const& f, std::size_t b) { return f.blocks[b].phis; }
  static machine::reg phi_result(P const&, machine::phi const& p) { return p.result; }
  static std::vector<Argument> phi_arguments(P const&, machine::phi const& p) {
    std::vector<Argument> made;
    for (auto const& [from, value] : p.choices) made.push_back({from, value});
    return made;
  }
  static void insert_phi(P& f, std::size_t b, machine::reg result, std::span<Argument const> arguments) {
    machine::phi& made = f.blocks[b].phis.emplace_back(machine::phi{result, {}});
    for (Argument const& a : arguments) made.choices.emplace_back(a.predecessor.value(), a.name);
  }
  static void erase_phis(P& f, std::size_t b) { f.blocks[b].phis.clear(); }
  static void insert_copy(P& f, std::size_t b, std::size_t place, machine::reg to, machine::reg from) {
    auto& code = f.blocks[b].code;
    code.insert(code.begin() + static_cast<std::ptrdiff_t>(place),
                machine::instruction{machine::code::move, {from}, {to}});
  }
  static std::size_t copy_place(P const& f, std::size_t b) {
    auto const& code = f.blocks[b].code;
    return code.size() - (!code.empty() && code.back().what == machine::code::jump_if ? 1 : 0);
  }
};
PLAIT_CHECK_REWRITABLE_PROGRAM(machine::function);

// ---- the interpreter

std::vector<long> run(machine::function const& f, std::vector<long> const& given) {
  std::vector<long> values(f.registers, 0);
  for (std::size_t i = 0; i != given.size(); ++i) values[f.blocks[0].given[i]] = given[i];
  for (std::size_t at = 0, before = 0;;) {
    machine::block const& block = f.blocks[at];
    std::vector<std::pair<machine::reg, long>> chosen;  // phis are parallel copies
    for (machine::phi const& p : block.phis)
      for (auto const& [from, value] : p.choices)
        if (from == before) chosen.emplace_back(p.result, values[value]);
    for (auto const& [to, value] : chosen) values[to] = value;
    std::size_t way = 0;
    for (machine::instruction const& i : block.code) {
      auto const in = [&](std::size_t slot) { return values[i.from[slot]]; };
      using enum machine::code;
      if (i.what == load) values[i.to[0]] = i.constant;
      if (i.what == move) values[i.to[0]] = in(0);
      if (i.what == add) values[i.to[0]] = in(0) + in(1);
      if (i.what == subtract) values[i.to[0]] = in(0) - in(1);
      if (i.what == less) values[i.to[0]] = in(0) < in(1) ? 1 : 0;
      if (i.what == jump_if) way = in(0) != 0 ? 0 : 1;
    }
    if (block.next.empty()) {
      std::vector<long> made;
      for (machine::reg const r : block.returned) made.push_back(values[r]);
      return made;
    }
    before = std::exchange(at, block.next[way]);
  }
}

// Returns the greatest common divisor of registers 0 and 1 by subtraction, which writes both in the loop.
machine::function greatest_common_divisor() {
  using enum machine::code;
  machine::function f;
  f.blocks.resize(7);
  f.blocks[0] = {{}, {}, {1}, {0, 1}, {}};
  f.blocks[1] = {{}, {{less, {0, 1}, {2}}, {jump_if, {2}, {}}}, {2, 3}, {}, {}};
  f.blocks[2] = {{}, {{subtract, {1, 0}, {1}}}, {1}, {}, {}};
  f.blocks[3] = {{}, {{less, {1, 0}, {2}}, {jump_if, {2}, {}}}, {4, 5}, {}, {}};
  f.blocks[4] = {{}, {{subtract, {0, 1}, {0}}}, {1}, {}, {}};
  f.blocks[5] = {{}, {}, {6}, {}, {}};
  f.blocks[6] = {{}, {}, {}, {}, {0}};
  f.registers = 3;
  return f;
}

int main() {
  machine::function f = greatest_common_divisor();
  std::size_t const phis = plait::rewrite_into_ssa(f);
  std::cout << phis << " phis, " << f.registers << " registers in SSA form\n";
  for (plait::ssa_violation const& v : plait::verify_ssa(plait::existing_ssa<machine::function>(f))) {
    std::cerr << plait::describe(v) << '\n';
    return 1;
  }
  bool same = run(f, {84, 36}) == std::vector<long>{12};
  std::size_t const copies = plait::rewrite_out_of_ssa(f);
  std::cout << copies << " copies out of SSA form; of 84 and 36: " << run(f, {84, 36}).front() << '\n';
  for (long a = 1; a != 20; ++a)
    for (long b = 1; b != 20; ++b) same = same && run(f, {a, b}) == run(greatest_common_divisor(), {a, b});
  return same && phis == 2 && run(f, {84, 36}).front() == 12 ? 0 : 1;
}
