// Text notation of nets, one op per line, for tests that compare many ops: "Mul: a b -> c".
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <net/test_nets.hpp>

namespace test {

using lines = std::vector<std::string>;

inline plait::op_spec op_of(std::string const& line) {
  std::istringstream words(line);
  plait::op_spec op;
  words >> op.type;
  op.type.pop_back();  // the colon
  bool reads = true;
  for (std::string word; words >> word;)
    if (word == "->")
      reads = false;
    else
      (reads ? op.inputs : op.outputs).push_back(word);
  return op;
}

/// Returns the net of these ops, in any IR.
template <class N>
[[nodiscard]] N net_of(lines const& ops) {
  struct_net made;
  for (std::string const& line : ops) made.ops.push_back(op_of(line));
  return make_net<N>(made);
}

[[nodiscard]] inline std::string line_of(plait::op_spec const& op) {
  std::string text = op.type + ':';
  for (std::string const& name : op.inputs) text += ' ' + name;
  text += " ->";
  for (std::string const& name : op.outputs) text += ' ' + name;
  return text;
}

/// Returns the ops of a net as lines.
template <plait::net N>
[[nodiscard]] lines lines_of(N const& n) {
  lines made;
  for (plait::op_spec const& op : describe(n).ops) made.push_back(line_of(op));
  return made;
}

}  // namespace test
