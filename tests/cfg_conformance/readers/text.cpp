#include "text.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <system_error>

namespace cfg_conformance {

document load(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) throw plait::io_error("cannot be opened", file.string());
  document made{file.string(), std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>())};
  if (in.bad()) throw plait::io_error("cannot be read", file.string());
  return made;
}

bool line_reader::next() {
  if (rest_.empty()) return false;
  std::size_t const end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  ++number_;
  return true;
}

void line_cursor::skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

bool line_cursor::accept(std::string_view text) {
  if (!rest_.starts_with(text)) return false;
  rest_.remove_prefix(text.size());
  return true;
}

void line_cursor::expect(std::string_view text) {
  if (!accept(text)) fail("expected '" + std::string(text) + "' before '" + std::string(rest_.substr(0, 40)) + "'");
}

std::size_t line_cursor::number() {
  std::size_t value = 0;
  auto const [end, status] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (status != std::errc()) fail("expected a number before '" + std::string(rest_.substr(0, 40)) + "'");
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  return value;
}

std::string_view line_cursor::until(std::string_view text) {
  std::size_t const at = rest_.find(text);
  if (at == std::string_view::npos) fail("expected '" + std::string(text) + "' in the rest of the line");
  std::string_view const taken = rest_.substr(0, at);
  rest_.remove_prefix(at + text.size());
  return taken;
}

std::string line_cursor::local_name() {
  expect("%");
  std::size_t length = 0;
  if (rest_.starts_with('"')) {
    length = rest_.find('"', 1);
    if (length == std::string_view::npos) fail("a quoted name without its end");
    ++length;
  } else {
    while (length != rest_.size() && is_name_character(rest_[length])) ++length;
    if (length == 0) fail("expected a name before '" + std::string(rest_.substr(0, 40)) + "'");
  }
  std::string name = plain_name(rest_.substr(0, length));
  rest_.remove_prefix(length);
  return name;
}

void line_cursor::end() {
  skip_blanks();
  if (!rest_.empty()) fail("unexpected '" + std::string(rest_.substr(0, 40)) + "'");
}

std::string plain_name(std::string_view printed) {
  if (printed.starts_with('%') || printed.starts_with('@')) printed.remove_prefix(1);
  if (printed.size() < 2 || !printed.starts_with('"') || !printed.ends_with('"')) return std::string(printed);
  std::string_view const quoted = printed.substr(1, printed.size() - 2);
  std::string name;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    unsigned code = 0;
    if (quoted[i] == '\\' && i + 2 < quoted.size() &&
        std::from_chars(quoted.data() + i + 1, quoted.data() + i + 3, code, 16).ptr == quoted.data() + i + 3) {
      name += static_cast<char>(code);
      i += 2;
    } else {
      name += quoted[i];
    }
  }
  // A quoted name of digits differs from the number of an unnamed value.
  bool const number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  return number ? '"' + name + '"' : name;
}

}  // namespace cfg_conformance
