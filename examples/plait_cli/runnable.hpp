// Checks whether plait runs a net: op types, operand counts and arguments, against the schemas of the op types.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <plait/netdef/model.hpp>

namespace cli {

/// Problem of one op with the op type that it names.
struct op_problem {
  std::string_view kind;            ///< "unknown op type", "operand count", "argument", "unknown argument"
  std::size_t op;                   ///< position in its net
  std::vector<std::size_t> inside;  ///< the ops around that net, outermost first
  std::string type;
  std::string argument;  ///< empty: none in particular
  std::string message;   ///< a sentence that names the op
};

/// Returns the arguments that no op type of plait has, most often misspelt ones, of op types that plait runs.
std::vector<op_problem> unknown_arguments(plait::netdef const& net);

/// Returns the reasons for which plait does not compile a net: all that show in an op by itself, also of nested nets;
/// else the first that only several ops together show. Empty if plait compiles the net.
std::vector<op_problem> runnable_problems(plait::netdef const& net);

/// Returns "there is no op type 'Cnov'; did you mean 'Conv'?" for a type that plait does not run, or nothing.
std::string unknown_type(std::string_view type);

/// Returns the op types that plait runs.
std::vector<std::string> op_types();

}  // namespace cli
