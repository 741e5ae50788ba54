// Scanner of protobuf's text format, straight on the source.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/decimal.hpp>
#include <plait/netdef/detail/read_budget.hpp>

namespace plait::detail {

namespace char_class {
inline constexpr std::uint8_t space = 1, word = 2, digit = 4, plain = 8;  // plain: unescaped in a string

inline constexpr std::array<std::uint8_t, 256> table = [] {
  std::array<std::uint8_t, 256> made{};
  for (std::size_t c = 0; c != 256; ++c)
    if (c != '"' && c != '\'' && c != '\\' && c != '\n' && c != '\0') made[c] = plain;
  for (char c : {' ', '\n', '\t', '\r', '\v', '\f'}) made[static_cast<unsigned char>(c)] |= space;
  for (char c = '0'; c <= '9'; ++c) made[static_cast<unsigned char>(c)] |= digit | word;
  for (char c = 'a'; c <= 'z'; ++c) made[static_cast<unsigned char>(c)] |= word;
  for (char c = 'A'; c <= 'Z'; ++c) made[static_cast<unsigned char>(c)] |= word;
  made['_'] |= word;
  return made;
}();

inline bool is(char c, std::uint8_t what) { return (table[static_cast<unsigned char>(c)] & what) != 0; }
}  // namespace char_class

/// Cursor in the source, with functions that read the token there. Each of them leaves `at_` behind what it read.
class text_scanner {
 public:
  text_scanner(std::string_view source, read_limits const& limits)
      : begin_(source.data()), at_(begin_), end_(begin_ + source.size()), locate_(source) {
    if (source.size() > limits.max_bytes) fail(begin_, size_message);
  }

 protected:
  [[noreturn]] void fail(char const* where, std::string_view message) { throw parse_error(position(where), message); }
  text_position position(char const* where) { return locate_(static_cast<std::size_t>(where - begin_)); }

  /// Skips a byte order mark, which is allowed only at the beginning of a document.
  void skip_mark() {
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with("\xEF\xBB\xBF")) at_ += 3;
  }
  bool at_end() const { return at_ == end_; }
  bool looking_at(char c) const { return at_ != end_ && *at_ == c; }
  bool accept(char c) {
    if (!looking_at(c)) return false;
    ++at_;
    return true;
  }

  void skip_space() {
    skip(char_class::space);
    if (looking_at('#')) skip_comments();
  }

  /// Reads an identifier; empty if there is none.
  std::string_view identifier() {
    char const* const start = at_;
    if (at_ == end_ || char_class::is(*at_, char_class::digit)) return {};
    skip(char_class::word);
    return {start, static_cast<std::size_t>(at_ - start)};
  }

  /// Reads a segment of a type URL, up to a dot or slash; empty if there is none.
  std::string_view url_segment() {
    char const* const start = at_;
    while (at_ != end_ && (char_class::is(*at_, char_class::word) || *at_ == '-' || *at_ == '%' || *at_ == '~')) ++at_;
    return {start, static_cast<std::size_t>(at_ - start)};
  }

  /// Reads adjacent string literals as one string, and the white space behind them. The result refers to the source if
  /// it is one literal without escapes, and to `buffer` otherwise.
  std::string_view string(std::string& buffer) {
    std::string_view const first = string_literal(buffer);
    skip_space();
    if (!looking_at('"') && !looking_at('\'')) return first;
    append_strings(first, buffer);
    return buffer;
  }

  /// Reads one quoted string.
  std::string_view string_literal(std::string& buffer) {
    if (at_ == end_ || (*at_ != '"' && *at_ != '\'')) fail(at_, "expected a string");
    char const* const start = at_;
    char const quote = *at_++;
    skip(char_class::plain);
    if (accept(quote)) return {start + 1, static_cast<std::size_t>(at_ - start - 2)};
    at_ = start + 1;
    read_string(start, quote, buffer);
    return buffer;
  }

  template <std::integral T>
    requires(!std::same_as<T, bool>)
  T integer() {
    char const* const start = at_;
    bool const negative = minus();
    if (at_ == end_ || !char_class::is(*at_, char_class::digit)) fail(start, "expected an integer");
    std::uint64_t magnitude = 0;
    if (*at_ != '0') {
      // Nineteen digits fit; more digits take the slow path, which checks for overflow.
      char const* const digits = at_;
      while (at_ != end_ && char_class::is(*at_, char_class::digit))
        magnitude = magnitude * 10 + static_cast<std::uint64_t>(*at_++ - '0');
      if (at_ - digits > 19) parse_magnitude(start, digits, 10, magnitude);
    } else if (++at_ != end_ && (*at_ == 'x' || *at_ == 'X')) {
      parse_magnitude(start, ++at_, 16, magnitude);
    } else if (at_ != end_ && char_class::is(*at_, char_class::digit)) {
      parse_magnitude(start, at_, 8, magnitude);
    }
    end_of_number(start);
    std::uint64_t const most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    if (negative ? (std::is_unsigned_v<T> ? magnitude != 0 : magnitude > most + 1) : magnitude > most)
      fail(start, "the integer is out of range");
    return static_cast<T>(negative ? 0 - magnitude : magnitude);
  }

  template <std::floating_point T>
  T real() {
    char const* const start = at_;
    bool const negative = minus();
    char const* const digits = at_;
    T value{};
    if (std::string_view const word = identifier(); !word.empty()) {
      if (equals_ignoring_case(word, "inf") || equals_ignoring_case(word, "infinity"))
        value = std::numeric_limits<T>::infinity();
      else if (equals_ignoring_case(word, "nan"))
        value = std::numeric_limits<T>::quiet_NaN();
      else
        fail(start, "expected a number");
    } else {
      auto const [stop, problem] = std::from_chars(at_, end_, value);
      if (problem == std::errc::invalid_argument || *digits == '-') fail(start, "expected a number");
      if (problem == std::errc::result_out_of_range) {
        bool const tiny = is_tiny_decimal({digits, static_cast<std::size_t>(stop - digits)});
        value = tiny ? T{0} : std::numeric_limits<T>::infinity();
      }
      // As in protobuf: 010 could be meant as octal.
      if (stop - digits > 1 && *digits == '0' && char_class::is(digits[1], char_class::digit))
        fail(start, "expected a decimal number");
      at_ = stop;
      if (looking_at('f') || looking_at('F')) ++at_;
      end_of_number(start);
    }
    return negative ? -value : value;
  }

  bool boolean() {
    char const* const start = at_;
    if (at_ != end_ && char_class::is(*at_, char_class::digit)) {
      std::uint32_t const value = integer<std::uint32_t>();
      if (value > 1) fail(start, "expected true or false");
      return value == 1;
    }
    std::string_view const word = identifier();
    if (word == "true" || word == "True" || word == "t") return true;
    if (word == "false" || word == "False" || word == "f") return false;
    fail(start, "expected true or false");
  }

  bool minus() {
    if (!accept('-')) return false;
    skip_space();
    return true;
  }

  void end_of_number(char const* start) {
    if (at_ != end_ && (char_class::is(*at_, char_class::word) || *at_ == '.')) fail(start, "malformed number");
  }

  char const* begin_;
  char const* at_;
  char const* end_;

 private:
  static constexpr std::string_view nul_message = "a NUL byte is only allowed as an escape sequence in a string";

  // Moves a local copy of the cursor: the characters may alias a member, which would be stored for each of them.
  void skip(std::uint8_t what) {
    char const* at = at_;
    while (at != end_ && char_class::is(*at, what)) ++at;
    at_ = at;
  }

  // Skips a comment, and all space and comments after it. Not inlined, so that skip_space() is.
  [[gnu::noinline]] void skip_comments() {
    while (looking_at('#')) {
      void const* const newline = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
      char const* const stop = newline == nullptr ? end_ : static_cast<char const*>(newline);
      if (void const* nul = std::memchr(at_, '\0', static_cast<std::size_t>(stop - at_)))
        fail(static_cast<char const*>(nul), nul_message);
      at_ = stop;
      skip(char_class::space);
    }
  }

  // Reads more string literals. Not inlined, so that string() is.
  [[gnu::noinline]] void append_strings(std::string_view first, std::string& buffer) {
    std::string all(first);
    for (; looking_at('"') || looking_at('\''); skip_space()) all.append(string_literal(buffer));
    buffer.swap(all);
  }

  // Reads the string that began at `start`. Not inlined, so that string_literal() is.
  [[gnu::noinline]] void read_string(char const* start, char quote, std::string& buffer) {
    buffer.assign(plain_run(start));
    while (!accept(quote)) {
      if (*at_ == '\\')
        escape(buffer);
      else
        buffer.push_back(*at_++);
      buffer.append(plain_run(start));
    }
  }

  // Reads the unescaped characters of the string that began at `start`, up to a quote or a backslash.
  std::string_view plain_run(char const* start) {
    char const* const from = at_;
    skip(char_class::plain);
    if (at_ == end_ || *at_ == '\n') fail(start, "the string is not terminated on its line");
    if (*at_ == '\0') fail(at_, nul_message);
    return {from, static_cast<std::size_t>(at_ - from)};
  }

  void escape(std::string& out) {
    char const* const start = at_++;
    if (at_ == end_) fail(start, "the escape sequence is not terminated");
    char const c = *at_++;
    constexpr std::string_view letters = "abfnrtv\\?'\"";
    if (std::size_t const known = letters.find(c); known != letters.npos) {
      out.push_back("\a\b\f\n\r\t\v\\?'\""[known]);
    } else if ('0' <= c && c <= '7') {
      --at_;
      std::uint32_t const code = code_digits(8, 1, 3, start);
      if (code > 255) fail(start, "the escape sequence is not a byte");
      out.push_back(static_cast<char>(code));
    } else if (c == 'x') {
      out.push_back(static_cast<char>(code_digits(16, 1, 2, start)));
    } else if (c == 'u' || c == 'U') {
      std::uint32_t code = c == 'u' ? code_digits(16, 4, 4, start) : code_digits(16, 8, 8, start);
      if (c == 'u' && 0xD800 <= code && code < 0xDC00 && end_ - at_ >= 2 && at_[0] == '\\' && at_[1] == 'u') {
        at_ += 2;
        std::uint32_t const low = code_digits(16, 4, 4, start);
        code = 0xDC00 <= low && low < 0xE000 ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : 0xD800;
      }
      append_utf8(out, code, start);
    } else {
      fail(start, "unknown escape sequence");
    }
  }

  std::uint32_t code_digits(int base, int least, int most, char const* start) {
    std::uint32_t code = 0;
    char const* const stop = at_ + std::min<std::ptrdiff_t>(most, end_ - at_);
    auto const [read, problem] = std::from_chars(at_, stop, code, base);
    if (problem != std::errc{} || read - at_ < least) fail(start, "malformed escape sequence");
    at_ = read;
    return code;
  }

  void append_utf8(std::string& out, std::uint32_t code, char const* start) {
    if (code > 0x10FFFF || (0xD800 <= code && code < 0xE000)) fail(start, "the escape sequence is not a character");
    auto const push = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    auto const trail = [&](unsigned shift) { push(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) return push(code);
    if (code < 0x800) return push(0xC0 | (code >> 6)), trail(0);
    if (code < 0x10000) return push(0xE0 | (code >> 12)), trail(6), trail(0);
    push(0xF0 | (code >> 18)), trail(12), trail(6), trail(0);
  }

  void parse_magnitude(char const* start, char const* digits, int base, std::uint64_t& magnitude) {
    auto const [stop, problem] = std::from_chars(digits, end_, magnitude, base);
    if (problem == std::errc::result_out_of_range) fail(start, "the integer is out of range");
    if (problem != std::errc{}) fail(start, "malformed number");
    at_ = stop;
  }

  static bool equals_ignoring_case(std::string_view word, std::string_view lower) {
    return std::ranges::equal(word, lower, [](char a, char b) { return (a | 0x20) == b; });
  }

  text_locator locate_;
};

}  // namespace plait::detail
