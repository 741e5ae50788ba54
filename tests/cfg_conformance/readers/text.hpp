// Line reader of text files, and the syntax of the names that LLVM prints.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <plait/core/errors.hpp>

namespace cfg_conformance {

/// A malformed file. what() is "path:line: message".
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

/// A document in memory, so that tests of readers need no files.
struct document {
  std::string path;
  std::string text;
};

/// Loads a file. Throws plait::io_error.
[[nodiscard]] document load(std::filesystem::path const& file);

/// Iterates over the lines of a document, which must outlive it.
class line_reader {
 public:
  explicit line_reader(document const& from) : path_(from.path), rest_(from.text) {}

  /// Advances to the next line; returns false at the end.
  bool next();
  /// Returns the current line without its line end (also "\r\n").
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::size_t number() const { return number_; }
  [[noreturn]] void fail(std::string_view message) const { throw file_error(std::string(path_), number_, message); }

 private:
  std::string_view path_;
  std::string_view rest_;
  std::string_view line_;
  std::size_t number_ = 0;
};

/// A cursor in a line that is being parsed. Every failure is a file_error at that line.
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
  /// Returns the text up to `text`, which is skipped, too.
  [[nodiscard]] std::string_view until(std::string_view text);
  /// Reads a local name: %name, %12, %"any\22thing".
  [[nodiscard]] std::string local_name();
  /// Expects blanks, then the end of the line.
  void end();
  [[noreturn]] void fail(std::string_view message) const { lines_->fail(message); }

 private:
  line_reader const* lines_;
  std::string_view rest_;
};

/// Returns the name without sigil, quotes and escapes. Returns text that is not a quoted name unchanged.
[[nodiscard]] std::string plain_name(std::string_view printed);

/// Returns true for characters that LLVM writes without quotes, and for the first character of a number (an unnamed
/// value).
[[nodiscard]] constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '$' ||
         c == '.' || c == '_';
}

}  // namespace cfg_conformance
