// Messages about a file, with its path once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>

#include "io.hpp"

namespace cli {

/// Messages about one file. Those with a line and column are lines "FILE:LINE:COLUMN: message", which editors parse. Of
/// the others, a single one is a line "FILE: message", and several are indented below a heading "FILE:".
class file_report {
 public:
  explicit file_report(std::string label) : label_(std::move(label)) {}

  void add(std::string message) { plain_.push_back(std::move(message)); }
  /// Without a line, as in the binary format, the message has no position.
  void add(plait::text_position at, std::string message);
  /// Adds a message about an op, at its position in the file if that is known.
  void add(source const& in, std::size_t op, std::string message);

  bool empty() const { return placed_.empty() && plain_.empty(); }
  /// Returns the lines; each ends with a newline.
  std::string text() const;

 private:
  std::string label_;
  std::vector<std::string> placed_;
  std::vector<std::string> plain_;
};

/// Returns "1 warning" or "2 warnings".
std::string counted(std::size_t count, std::string_view what);

}  // namespace cli
