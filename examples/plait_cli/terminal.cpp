#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <system_error>

namespace cli {

std::size_t output_width() {
  if (char const* given = std::getenv("COLUMNS"); given != nullptr) {
    std::string_view const text = given;
    std::size_t columns = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), columns);
    if (problem == std::errc() && end == text.data() + text.size() && columns != 0) return columns;
  }
  winsize size{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0)
    return size.ws_col;
  return std::numeric_limits<std::size_t>::max();
}

bool shows_colour(int descriptor) {
  char const* const refused = std::getenv("NO_COLOR");
  return (refused == nullptr || *refused == '\0') && isatty(descriptor) != 0;
}

std::string coloured(std::string_view text, colour as, bool enabled) {
  if (!enabled) return std::string(text);
  constexpr std::string_view codes[] = {"1", "33", "31", "2", "32"};
  return "\033[" + std::string(codes[static_cast<std::size_t>(as)]) + 'm' + std::string(text) + "\033[0m";
}

std::string visible(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  for (char c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      shown += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      shown += "\\x";
      shown += digits[byte >> 4];
      shown += digits[byte & 15];
    } else {
      shown += c;
    }
  }
  return shown;
}

namespace {
constexpr bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }
}  // namespace

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

std::string cut(std::string text, std::size_t width) {
  if (text_width(text) <= width) return text;
  std::size_t end = 0;
  for (std::size_t columns = 0; end != text.size(); ++end)
    if (!continues(text[end]) && ++columns >= std::max<std::size_t>(width, 1)) break;
  text.resize(end);
  return text + "…";
}

}  // namespace cli
