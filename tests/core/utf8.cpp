#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <plait/core/detail/utf8.hpp>

namespace {

using plait::is_utf8;

// Unicode 15, table 3-7: the first and last of each row, and the values just outside.
static_assert(is_utf8(""));
static_assert(is_utf8(std::string_view("\x00\x7f", 2)));
static_assert(is_utf8("\xc2\x80\xdf\xbf"));
static_assert(is_utf8("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"));
static_assert(is_utf8("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
static_assert(!is_utf8("\x80"));              // without a lead byte
static_assert(!is_utf8("\xc1\xbf"));          // overlong
static_assert(!is_utf8("\xe0\x9f\xbf"));      // overlong
static_assert(!is_utf8("\xf0\x8f\xbf\xbf"));  // overlong
static_assert(!is_utf8("\xed\xa0\x80"));      // a surrogate
static_assert(!is_utf8("\xf4\x90\x80\x80"));  // above U+10FFFF
static_assert(!is_utf8("\xf5\x80\x80\x80"));
static_assert(!is_utf8("\xe2\x82"));  // cut off
static_assert(!is_utf8("\xc3("));

// Counts strings of three bytes by their code points: ASCII 128, two bytes 1,920, three bytes 65,536 - 2,048 - 2,048
// surrogates.
TEST_CASE("utf8: the number of valid strings of three bytes follows from the code points") {
  std::size_t count = 0;
  for (unsigned a = 0; a != 256; ++a) {
    for (unsigned b = 0; b != 256; ++b) {
      for (unsigned c = 0; c != 256; ++c) {
        char const text[] = {static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)};
        count += is_utf8({text, 3}) ? 1u : 0u;
      }
    }
  }
  CHECK(count == 128u * 128u * 128u + 2u * 128u * 1920u + 61440u);
}

TEST_CASE("printable: printable text is unchanged, all else is escaped") {
  using plait::printable;
  using namespace std::string_view_literals;
  CHECK(printable("") == "");
  CHECK(printable("conv1/\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 'x' \\x41") ==
        "conv1/\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 'x' \\x41");
  CHECK(printable("a\0b\n\t\x1b[31m\x7f"sv) == "a\\x00b\\x0a\\x09\\x1b[31m\\x7f");
  CHECK(printable("\xc2\x85 \xc2\x9f \xc2\xa0") == "\\xc2\\x85 \\xc2\\x9f \xc2\xa0");  // U+0085, U+009F, U+00A0
  CHECK(printable("\x80 \xff") == "\\x80 \\xff");
  CHECK(printable("\xe2\x82") == "\\xe2\\x82");                   // cut off
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");          // a surrogate
  CHECK(printable("\xe2(\xe2\x82\xac") == "\\xe2(\xe2\x82\xac");  // the text after it is unchanged
}

TEST_CASE("printable: the result is UTF-8 without control characters, and idempotent") {
  std::size_t right = 0;
  for (unsigned a = 0; a != 256; ++a) {
    for (unsigned b = 0; b != 256; ++b) {
      char const bytes[] = {static_cast<char>(a), static_cast<char>(b), 'z'};
      std::string const shown = plait::printable({bytes, 3});
      bool const control = std::ranges::any_of(
          shown, [](char c) { return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7F; });
      CAPTURE(shown);
      if (is_utf8(shown) && !control && shown.back() == 'z' && plait::printable(shown) == shown)
        ++right;
      else
        FAIL_CHECK("bytes " << a << " and " << b);
    }
  }
  CHECK(right == 256 * 256);
}

}  // namespace
