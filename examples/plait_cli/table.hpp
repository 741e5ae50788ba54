// Text tables that fit the width of the terminal.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace cli {

struct column {
  std::string title;
  bool number = false;    ///< right-aligned
  bool flexible = false;  ///< may be truncated if the table is too wide
};

class table {
 public:
  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

  /// Adds a row; escapes control characters in its cells (see visible() in terminal.hpp).
  void add(std::vector<std::string> cells);

  /// Prints the rows below their titles (no title row if all are empty). Truncates the widest flexible cells of rows
  /// that are wider than `width`.
  void print(std::ostream& out, std::size_t width, bool in_colour) const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace cli
