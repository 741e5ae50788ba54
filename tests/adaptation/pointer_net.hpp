// Foreign pointer IR: instructions in a forward list, whose operands are pointers to values.
#pragma once

#include <deque>
#include <forward_list>
#include <memory>
#include <string>
#include <vector>

#include <plait/net/net_traits.hpp>

namespace ir {

struct Value {
  std::string label;
};

struct Instr {
  std::string opcode;
  std::vector<Value*> operands;
  std::vector<Value*> results;
};

struct Function {
  std::forward_list<Instr*> code;
  std::vector<Value*> parameters;
  std::vector<Value*> returned;
  std::deque<std::unique_ptr<Instr>> instr_pool;
  std::deque<std::unique_ptr<Value>> value_pool;
};

}  // namespace ir

// clang-format off
// [adaptation: foreign pointer IR as a net, at most 7 lines]
template <> struct plait::net_traits<ir::Function> {
  static auto const& ops(ir::Function const& f) { return f.code; }
  static auto const& inputs(ir::Function const&, ir::Instr const* i) { return i->operands; }
  static auto const& outputs(ir::Function const&, ir::Instr const* i) { return i->results; }
  static auto const& external_inputs(ir::Function const& f) { return f.parameters; }
  static auto const& external_outputs(ir::Function const& f) { return f.returned; }
};
// [end]
// clang-format on
