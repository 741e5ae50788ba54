// Text files line by line, and the names LLVM prints into them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <plait/core/errors.hpp>

namespace cfg_conformance {

/// A file that is not what its name says. what() is "path:line: message".
struct file_error : plait::error {
  file_error(std::string file, std::size_t at, std::string_view text)
      : error(file + ':' + std::to_string(at) + ": " + std::string(text)),
        path(std::move(file)),
        line(at),
        message(text) {}

  std::string path;
  std::size_t line;
  std::string message;
};

/// A document in memory. Readers take this, so that tests need no files.
struct document {
  std::string path;
  std::string text;
};

/// Throws plait::io_error.
[[nodiscard]] document load(std::filesystem::path const& file);

/// Walks over the lines of a document, which must outlive it.
class line_reader {
 public:
  explicit line_reader(document const& from) : path_(from.path), rest_(from.text) {}

  /// Goes to the next line; false at the end.
  bool next();
  /// The current line without its line end (also "\r\n").
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::size_t number() const { return number_; }
  [[noreturn]] void fail(std::string_view message) const { throw file_error(std::string(path_), number_, message); }

 private:
  std::string_view path_;
  std::string_view rest_;
  std::string_view line_;
  std::size_t number_ = 0;
};

/// What remains of a line while it is taken apart. Every failure is a file_error at that line.
class line_cursor {
 public:
  explicit line_cursor(line_reader const& lines) : lines_(&lines), rest_(lines.line()) {}

  [[nodiscard]] std::string_view rest() const { return rest_; }
  void skip_blanks();
  /// Skips `text` if it comes next.
  bool accept(std::string_view text);
  /// Skips `text`, which must come next.
  void expect(std::string_view text);
  [[nodiscard]] std::size_t number();
  /// What follows up to `text`, which is skipped, too.
  [[nodiscard]] std::string_view until(std::string_view text);
  /// A local name: %name, %12, %"any\22thing".
  [[nodiscard]] std::string local_name();
  /// Blanks, then the end of the line.
  void end();
  [[noreturn]] void fail(std::string_view message) const { lines_->fail(message); }

 private:
  line_reader const* lines_;
  std::string_view rest_;
};

/// The name itself: without sigil, quotes and escapes. What is no quoted name comes back as it is.
[[nodiscard]] std::string plain_name(std::string_view printed);

/// True for what LLVM writes without quotes, and for the first character of a number (an unnamed value).
[[nodiscard]] constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '$' ||
         c == '.' || c == '_';
}

}  // namespace cfg_conformance
