// Reader of LLVM assembly, line by line, as far as flow graphs and the variables of functions need it: blocks,
// operations, names. Resolves no types and checks nothing else; needs no LLVM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow_graphs.hpp"
#include "text.hpp"

namespace cfg_conformance {

enum class ll_token_kind {
  word,         ///< keywords, types such as i32, numbers
  local,        ///< %name: a value, a block or a type
  global,       ///< @name
  text,         ///< "…" and c"…"
  mark,         ///< !dbg, !12, #3, $comdat
  punctuation,  ///< a single character
};

struct ll_token {
  ll_token_kind kind = ll_token_kind::punctuation;
  std::string_view text;

  [[nodiscard]] bool is(std::string_view what) const {
    return (kind == ll_token_kind::word || kind == ll_token_kind::punctuation) && text == what;
  }
};

/// An instruction with its continuation lines. Texts refer to the document.
struct ll_instruction {
  std::string result;  ///< plain name; empty: none
  std::string_view opcode;
  std::vector<ll_token> operands;  ///< all that follows the opcode
  std::size_t line = 0;

  [[nodiscard]] bool is_terminator() const;
  /// Returns its target blocks, in order, duplicates included.
  [[nodiscard]] std::vector<std::string> targets() const;
};

struct ll_block {
  std::string label;
  std::vector<ll_instruction> instructions;
};

/// The definition of a function.
struct ll_function {
  std::string name;
  std::size_t line = 0;
  std::vector<ll_block> blocks;

  /// Returns the flow graph. Merges duplicate successors.
  [[nodiscard]] function_graph graph(document const& from) const;
};

/// Reads M.ll, which must outlive the result. Throws file_error.
[[nodiscard]] std::vector<ll_function> read_ll(document const& from);

/// Returns the tokens of one line, without comments. Throws file_error.
[[nodiscard]] std::vector<ll_token> tokens_of(line_reader const& at, std::string_view line);

/// Returns the index after the type that begins at `first`; `first` itself if there is none.
[[nodiscard]] std::size_t end_of_type(std::vector<ll_token> const& tokens, std::size_t first);

/// Returns the index of the next comma outside brackets, or of the end.
[[nodiscard]] std::size_t end_of_operand(std::vector<ll_token> const& tokens, std::size_t first);

}  // namespace cfg_conformance
