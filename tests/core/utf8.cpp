#include <plait/core/utf8.hpp>

#include <string_view>

namespace {

using plait::is_utf8;

// Unicode 15, table 3-7: the first and last of each row, and what lies just outside.
static_assert(is_utf8(""));
static_assert(is_utf8(std::string_view("\x00\x7f", 2)));
static_assert(is_utf8("\xc2\x80\xdf\xbf"));
static_assert(is_utf8("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"));
static_assert(is_utf8("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
static_assert(!is_utf8("\x80"));              // nothing before it
static_assert(!is_utf8("\xc1\xbf"));          // overlong
static_assert(!is_utf8("\xe0\x9f\xbf"));      // overlong
static_assert(!is_utf8("\xf0\x8f\xbf\xbf"));  // overlong
static_assert(!is_utf8("\xed\xa0\x80"));      // a surrogate
static_assert(!is_utf8("\xf4\x90\x80\x80"));  // above U+10FFFF
static_assert(!is_utf8("\xf5\x80\x80\x80"));
static_assert(!is_utf8("\xe2\x82"));  // cut off
static_assert(!is_utf8("\xc3("));

}  // namespace
