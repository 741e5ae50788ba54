// Program types with phis that implement every hook of ssa/program_mutation.hpp, built from those of
// random_program.hpp: structs with string names, and a foreign pointer IR; and types that create new names themselves:
// structs with numbered registers without text, and the pointer IR. interpret_phis runs all of them, with and without
// phis.
//
//   TEST_CASE_TEMPLATE("…", P, PLAIT_PHI_PROGRAMS) { P p = test::make_program<P>(test::random_program(seed)); … }
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/ssa/program_mutation.hpp>

#include <support/interpreter.hpp>
#include <support/random_program.hpp>

namespace test {

/// A net_program with phis, adapted by its members only.
struct phi_program : net_program {
  struct argument {
    std::optional<int> from;
    std::string name;
    friend bool operator==(argument const&, argument const&) = default;
  };
  struct phi {
    std::string result;
    std::vector<argument> arguments;
    friend bool operator==(phi const&, phi const&) = default;
  };
  std::vector<std::vector<phi>> merges;

  phi_program() = default;
  explicit phi_program(net_program from) : net_program(std::move(from)), merges(blocks.size()) {}

  std::vector<phi> const& phis(int n) const { return merges[static_cast<std::size_t>(n)]; }
  static std::string const& phi_result(phi const& p) { return p.result; }
  static auto phi_arguments(phi const& p);
  template <class Argument>
  void insert_phi(int n, std::string const& result, std::span<Argument const> arguments) {
    phi made{result, {}};
    for (Argument const& a : arguments) made.arguments.push_back({a.predecessor, a.name});
    merges[static_cast<std::size_t>(n)].push_back(std::move(made));
  }
  void erase_phis(int n) { merges[static_cast<std::size_t>(n)].clear(); }
  void insert_copy(int n, std::size_t place, std::string const& to, std::string const& from) {
    auto& ops = block(n).ops;
    ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(place), plait::op_spec{"Copy", {from}, {to}});
  }
  std::size_t copy_place(int n) const {
    auto const& ops = block(n).ops;
    return ops.size() - (!ops.empty() && ops.back().type == "Branch" ? 1 : 0);
  }
  void split_edge(int from, std::size_t way) {
    int const made = static_cast<int>(size());
    blocks.emplace_back();
    targets.emplace_back();
    auto& ways = targets[static_cast<std::size_t>(from)];
    int const to = std::exchange(ways[way], made);
    targets.back() = {to};
    auto const before = std::count(ways.begin(), ways.begin() + static_cast<std::ptrdiff_t>(way), to);
    merges.emplace_back();
    for (phi& p : merges[static_cast<std::size_t>(to)]) {
      auto const is_from = [&](argument const& a) { return a.from == from; };
      auto told = std::ranges::find_if(p.arguments, is_from);
      if (told == p.arguments.end()) continue;
      if (std::ranges::count_if(p.arguments, is_from) > 1) {  // one per edge
        for (auto left = before; left != 0; --left) told = std::find_if(told + 1, p.arguments.end(), is_from);
        told->from = made;
      } else if (std::ranges::count(ways, to) == 0) {
        told->from = made;
      } else {
        p.arguments.push_back({made, std::string(told->name)});
      }
    }
  }
};

inline auto phi_program::phi_arguments(phi const& p) {
  std::vector<plait::phi_argument<int, std::string>> made;
  for (argument const& a : p.arguments) made.push_back({a.from, a.name});
  return made;
}

}  // namespace test

// A pointer IR. Phis are instructions, before all others.
namespace mir {

struct Block;
struct Function;

struct Value {
  std::string label;
};
struct Instr {
  std::string opcode;
  std::vector<Value*> operands;
  std::vector<Value*> results;
  std::vector<Block*> sources;  // of a phi; nullptr: the caller
};
struct Block {
  Function* parent;
  std::size_t number;
  std::vector<std::unique_ptr<Instr>> phis;
  std::vector<std::unique_ptr<Instr>> code;
  std::vector<Block*> targets;
};
struct Function {
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<std::unique_ptr<Value>> values;
  std::vector<Value*> parameters;
  std::vector<std::vector<Value*>> returned;  // by block

  Value* value(std::string_view label) {
    for (auto const& v : values)
      if (v->label == label) return v.get();
    return values.emplace_back(std::make_unique<Value>(Value{std::string(label)})).get();
  }
};

}  // namespace mir

template <>
struct plait::net_traits<mir::Block> {
  using N = mir::Block;
  static auto const& ops(N const& n) { return n.code; }
  static auto& ops(N& n) { return n.code; }
  static auto const& inputs(N const&, std::unique_ptr<mir::Instr> const& i) { return i->operands; }
  static auto const& outputs(N const&, std::unique_ptr<mir::Instr> const& i) { return i->results; }
  static auto const& external_inputs(N const& n) { return n.parent->parameters; }
  static auto const& external_outputs(N const& n) { return n.parent->returned[n.number]; }
  static std::string const& type(N const&, std::unique_ptr<mir::Instr> const& i) { return i->opcode; }
  static std::string const& text(N const&, mir::Value const* v) { return v->label; }
  static mir::Value* make_name(N& n, std::string_view text) { return n.parent->value(text); }
  static void set_input(N&, std::unique_ptr<mir::Instr>& i, std::size_t slot, mir::Value* v) { i->operands[slot] = v; }
  static void set_output(N&, std::unique_ptr<mir::Instr>& i, std::size_t slot, mir::Value* v) { i->results[slot] = v; }
  static void set_external_input(N& n, std::size_t slot, mir::Value* v) { n.parent->parameters[slot] = v; }
  static void set_external_output(N& n, std::size_t slot, mir::Value* v) { n.parent->returned[n.number][slot] = v; }
};
template <>
struct plait::graph_traits<mir::Function> {
  static auto size(mir::Function const& f) { return f.blocks.size(); }
  static auto index(mir::Function const&, mir::Block const* b) { return b->number; }
  static mir::Block* entry(mir::Function const& f) { return f.blocks.front().get(); }
  static auto const& successors(mir::Function const&, mir::Block const* b) { return b->targets; }
};
template <>
struct plait::program_traits<mir::Function> {
  using P = mir::Function;
  using argument = plait::phi_argument<mir::Block*, mir::Value*>;
  static mir::Block const& block(P const&, mir::Block const* b) { return *b; }
  static mir::Block& block(P&, mir::Block* b) { return *b; }
  static auto const& phis(P const&, mir::Block const* b) { return b->phis; }
  static mir::Value* phi_result(P const&, std::unique_ptr<mir::Instr> const& phi) { return phi->results[0]; }
  static auto phi_arguments(P const&, std::unique_ptr<mir::Instr> const& phi);
  static void insert_phi(P&, mir::Block* b, mir::Value* result, std::span<argument const> arguments);
  static void erase_phis(P&, mir::Block* b) { b->phis.clear(); }
  static void insert_copy(P&, mir::Block* b, std::size_t place, mir::Value* to, mir::Value* from) {
    b->code.insert(b->code.begin() + static_cast<std::ptrdiff_t>(place),
                   std::make_unique<mir::Instr>(mir::Instr{"Copy", {from}, {to}, {}}));
  }
  static std::size_t copy_place(P const&, mir::Block const* b) {
    return b->code.size() - (!b->code.empty() && b->code.back()->opcode == "Branch" ? 1 : 0);
  }
};
inline auto plait::program_traits<mir::Function>::phi_arguments(P const&, std::unique_ptr<mir::Instr> const& phi) {
  std::vector<argument> made;
  for (std::size_t i = 0; i != phi->operands.size(); ++i)
    made.push_back({phi->sources[i] != nullptr ? std::optional(phi->sources[i]) : std::nullopt, phi->operands[i]});
  return made;
}
inline void plait::program_traits<mir::Function>::insert_phi(P&, mir::Block* b, mir::Value* result,
                                                             std::span<argument const> arguments) {
  auto phi = std::make_unique<mir::Instr>(mir::Instr{"Phi", {}, {result}, {}});
  for (argument const& a : arguments) {
    phi->operands.push_back(a.name);
    phi->sources.push_back(a.predecessor.value_or(nullptr));
  }
  b->phis.push_back(std::move(phi));
}

// An IR like the one above, with a function that creates new values.
namespace mir {
struct Maker : Function {
  Value* fresh(Value const* from) {
    std::string const label = from->label.substr(0, from->label.find('_'));
    return values.emplace_back(std::make_unique<Value>(Value{label + "_v" + std::to_string(values.size())})).get();
  }
};
}  // namespace mir
template <>
struct plait::graph_traits<mir::Maker> : plait::graph_traits<mir::Function> {};
template <>
struct plait::program_traits<mir::Maker> : plait::program_traits<mir::Function> {
  static mir::Value* new_name(mir::Maker& p, mir::Value const* from) { return p.fresh(from); }
};

namespace test {

/// A program with numbered registers, whose blocks have no link to their program. Adapted by members only.
struct numbered_program {
  struct op {
    std::string type;
    std::vector<unsigned> inputs;
    std::vector<unsigned> outputs;
    friend bool operator==(op const&, op const&) = default;
  };
  struct net {
    std::vector<op> ops;
    std::vector<unsigned> external_inputs;
    std::vector<unsigned> external_outputs;
    friend bool operator==(net const&, net const&) = default;
  };
  struct argument {
    std::optional<int> from;
    unsigned name;
    friend bool operator==(argument const&, argument const&) = default;
  };
  struct phi {
    unsigned result;
    std::vector<argument> arguments;
    friend bool operator==(phi const&, phi const&) = default;
  };
  std::vector<net> blocks;
  std::vector<std::vector<int>> targets;
  std::vector<std::vector<phi>> merges;
  std::vector<std::string> origins;  // by register, for interpret_phis only: the name it is a version of

  numbered_program() = default;
  explicit numbered_program(net_program const& from) : targets(from.targets), merges(from.blocks.size()) {
    std::map<std::string, unsigned> numbers;
    auto const registers = [&](std::vector<std::string> const& names) {
      std::vector<unsigned> made;
      for (std::string const& name : names) {
        auto const [at, is_new] = numbers.try_emplace(name, static_cast<unsigned>(origins.size()));
        if (is_new) origins.push_back(name);
        made.push_back(at->second);
      }
      return made;
    };
    for (auto const& block : from.blocks) {
      net& made = blocks.emplace_back();
      for (plait::op_spec const& o : block.ops) made.ops.push_back({o.type, registers(o.inputs), registers(o.outputs)});
      made.external_inputs = registers(block.external_inputs);
      made.external_outputs = registers(block.external_outputs);
    }
  }

  std::size_t size() const { return blocks.size(); }
  int entry() const { return 0; }
  std::vector<int> const& successors(int n) const { return targets[static_cast<std::size_t>(n)]; }
  net const& block(int n) const { return blocks[static_cast<std::size_t>(n)]; }
  net& block(int n) { return blocks[static_cast<std::size_t>(n)]; }
  std::vector<phi> const& phis(int n) const { return merges[static_cast<std::size_t>(n)]; }
  static unsigned phi_result(phi const& p) { return p.result; }
  static auto phi_arguments(phi const& p) {
    std::vector<plait::phi_argument<int, unsigned>> made;
    for (argument const& a : p.arguments) made.push_back({a.from, a.name});
    return made;
  }
  void insert_phi(int n, unsigned result, std::span<plait::phi_argument<int, unsigned> const> arguments) {
    phi made{result, {}};
    for (auto const& a : arguments) made.arguments.push_back({a.predecessor, a.name});
    merges[static_cast<std::size_t>(n)].push_back(std::move(made));
  }
  void erase_phis(int n) { merges[static_cast<std::size_t>(n)].clear(); }
  void insert_copy(int n, std::size_t place, unsigned to, unsigned from) {
    auto& ops = block(n).ops;
    ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(place), op{"Copy", {from}, {to}});
  }
  std::size_t copy_place(int n) const {
    auto const& ops = block(n).ops;
    return ops.size() - (!ops.empty() && ops.back().type == "Branch" ? 1 : 0);
  }
  unsigned new_name(unsigned from) {
    origins.push_back(std::string(origins[from]));
    return static_cast<unsigned>(origins.size() - 1);
  }
  /// Returns a unique name of the register for interpret_phis: its origin, `_` and the number.
  std::string text_of(unsigned name) const { return origins[name] + '_' + std::to_string(name); }
};

}  // namespace test

#define PLAIT_PHI_PROGRAMS ::test::phi_program, ::mir::Function
/// Program types that create new names themselves.
#define PLAIT_NAMING_PROGRAMS ::test::numbered_program, ::mir::Maker

namespace test {

template <class P>
[[nodiscard]] P make_program(net_program const& from) {
  if constexpr (std::is_base_of_v<mir::Function, P>) {
    P made;
    for (std::size_t i = 0; i != from.blocks.size(); ++i)
      made.blocks.push_back(std::make_unique<mir::Block>(mir::Block{nullptr, i, {}, {}, {}}));
    made.returned.resize(from.blocks.size());
    auto const values = [&](std::vector<std::string> const& names) {
      std::vector<mir::Value*> found;
      for (std::string const& name : names) found.push_back(made.value(name));
      return found;
    };
    made.parameters = values(from.blocks[0].external_inputs);
    for (std::size_t i = 0; i != from.blocks.size(); ++i) {
      for (int to : from.targets[i]) made.blocks[i]->targets.push_back(made.blocks[static_cast<std::size_t>(to)].get());
      for (plait::op_spec const& op : from.blocks[i].ops)
        made.blocks[i]->code.push_back(
            std::make_unique<mir::Instr>(mir::Instr{op.type, values(op.inputs), values(op.outputs), {}}));
      made.returned[i] = values(from.blocks[i].external_outputs);
    }
    return made;
  } else {
    return P(from);
  }
}
/// Sets the blocks' pointers to their function. Call it when the function has its final address.
inline void settle(mir::Function& f) {
  for (auto& b : f.blocks) b->parent = &f;
}
inline void settle(phi_program&) {}
inline void settle(numbered_program&) {}

/// Like interpret(), for programs with phis. Names of external inputs may have a suffix: up to the first `_` they
/// determine the value.
template <plait::program_with_phis P>
run_result interpret_phis(P const& p, unsigned seed, std::size_t most_blocks = 200) {
  using traits = plait::program_traits<P>;
  std::mt19937 random(seed);
  std::map<std::string, int, std::less<>> env;
  auto at = plait::entry(p);
  std::optional<plait::node_t<P>> from;
  auto const text = [&](auto const& name) {
    if constexpr (plait::has_text<plait::block_t<P>>)
      return std::string(plait::name_text(plait::block(p, at), name));
    else
      return p.text_of(name);
  };
  for (auto const& name : plait::external_inputs(plait::block(p, at))) {
    unsigned mixed = seed;
    std::string const full = text(name);
    for (char const c : full.substr(0, full.find('_'))) mixed = (mixed + static_cast<unsigned char>(c)) * 2654435761u;
    env[full] = static_cast<int>(mixed >> 28);
  }
  run_result made;
  while (most_blocks-- != 0) {
    auto&& net = plait::block(p, at);
    std::vector<std::pair<std::string, int>> merged;
    for (auto&& phi : traits::phis(p, at))
      for (auto&& a : traits::phi_arguments(p, phi))
        if (a.predecessor == from) {
          merged.emplace_back(text(traits::phi_result(p, phi)), env[text(a.name)]);
          break;
        }
    if (merged.size() != static_cast<std::size_t>(std::ranges::distance(traits::phis(p, at))))
      throw std::logic_error("test::interpret_phis: a phi has no argument");
    for (auto const& [name, v] : merged) env[name] = v;
    std::size_t way = 0;
    for (auto&& op : plait::ops(net)) {
      std::vector<int> in;
      for (auto const& name : plait::inputs(net, op)) in.push_back(env[text(name)]);
      std::string const type(plait::op_type(net, op));
      auto const out = execute(type, in, [&] { return static_cast<int>(random() % 16); });
      if (type == "Output") made.outputs.push_back(in.at(0));
      if (type == "Branch") way = static_cast<std::size_t>(in.at(0));
      std::size_t slot = 0;
      for (auto const& name : plait::outputs(net, op)) env[text(name)] = out.at(slot++);
    }
    std::vector<plait::node_t<P>> next;
    for (auto&& to : plait::successors(p, at)) next.push_back(to);
    if (next.empty()) {
      for (auto const& name : plait::external_outputs(net)) made.results.push_back(env[text(name)]);
      made.finished = true;
      break;
    }
    from = at;
    at = next[way % next.size()];
  }
  return made;
}

}  // namespace test
