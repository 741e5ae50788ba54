// Tables that fit the terminal.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace cli {

struct column {
  std::string title;
  bool number = false;    ///< right-aligned
  bool flexible = false;  ///< may be cut where the table is too wide
};

class table {
 public:
  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

  /// Adds a row; the cells are made visible (see terminal.hpp).
  void add(std::vector<std::string> cells);

  /// Prints the rows below their titles (none where all titles are empty). Rows wider than `width` lose the ends of the
  /// widest flexible cells.
  void print(std::ostream& out, std::size_t width, bool in_colour) const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace cli
