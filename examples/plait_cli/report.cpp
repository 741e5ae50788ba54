#include "report.hpp"

namespace cli {

void file_report::add(plait::text_position at, std::string message) {
  if (at.line == 0) return add(std::move(message));
  placed_.push_back(label_ + ':' + std::to_string(at.line) + ':' + std::to_string(at.column) + ": " + message);
}

void file_report::add(source const& in, std::size_t op, std::string message) {
  if (op < in.op_positions.size())
    add(in.op_positions[op], std::move(message));
  else
    add(std::move(message));
}

std::string file_report::text() const {
  std::string made;
  for (std::string const& line : placed_) made += line + '\n';
  if (plain_.size() == 1) return made + label_ + ": " + plain_.front() + '\n';
  if (!plain_.empty()) made += label_ + ":\n";
  for (std::string const& line : plain_) made += "  " + line + '\n';
  return made;
}

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace cli
