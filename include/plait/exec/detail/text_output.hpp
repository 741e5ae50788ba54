// Text output of ops such as Print: to the run's observer, else to standard error or a file.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>
#include <utility>

#include <plait/core/errors.hpp>
#include <plait/exec/detail/observer.hpp>

namespace plait::detail {

/// Appends a number with six significant digits, like an unformatted std::ostream in the classic locale.
inline void append_number(std::string& to, double x) {
  char digits[32];
  to.append(digits, std::to_chars(digits, digits + sizeof digits, x, std::chars_format::general, 6).ptr);
}

/// Writes the lines of one op, which are about one blob.
class text_output {
 public:
  text_output() = default;
  /// Writes to a file in the current folder: the name of the blob, with # for /, and a suffix. With an empty suffix,
  /// writes to standard error.
  explicit text_output(std::string suffix) : suffix_(std::move(suffix)) {}

  /// Sets the blob. The first line truncates its file.
  void set_blob(std::string_view name) {
    if (name == blob_) return;
    blob_ = name;
    file_ = {};
  }
  std::string const& blob() const noexcept { return blob_; }

  /// Writes a line, without its end. Throws shape_error if the file cannot be written.
  void write(op_observer* observer, std::string line) {
    if (observer != nullptr && observer->text(blob_, line)) return;
    line += '\n';
    if (suffix_.empty()) {
      std::fwrite(line.data(), 1, line.size(), stderr);
      return;
    }
    std::string name = blob_ + suffix_;
    std::ranges::replace(name, '/', '#');
    if (!file_.is_open()) file_.open(name, std::ios::binary);
    file_ << line << std::flush;
    if (!file_) throw shape_error("plait: the file '" + name + "' cannot be written");
  }

 private:
  std::string suffix_;
  std::string blob_;
  std::ofstream file_;
};

}  // namespace plait::detail
