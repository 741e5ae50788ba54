#include "text.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <ios>
#include <iterator>

namespace lstm {

namespace {

// Decodes UTF-8 (RFC 3629): rejects surrogates and overlong encodings.
template <class Each>
void for_each_character(std::string_view text, Each each) {
  for (std::size_t at = 0; at != text.size();) {
    auto const lead = static_cast<unsigned char>(text[at]);
    int const ones = std::countl_one(lead);
    std::size_t const length = ones == 0 ? 1 : static_cast<std::size_t>(ones);
    bool right = ones != 1 && ones <= 4 && length <= text.size() - at;
    std::int64_t point = ones == 0 ? lead : lead & (0x7f >> ones);
    for (std::size_t i = 1; right && i != length; ++i) {
      auto const next = static_cast<unsigned char>(text[at + i]);
      right = next >> 6 == 2;
      point = point << 6 | (next & 0x3f);
    }
    constexpr std::int64_t first_of[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!right || point < first_of[length] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
      throw text_error("the text is no UTF-8 at byte " + std::to_string(at));
    each(point, at);
    at += length;
  }
}

std::string encoded(std::int64_t point) {
  auto const last = [&](int shift) { return static_cast<char>(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xc0 | point >> 6), last(0)};
  if (point < 0x10000) return {static_cast<char>(0xe0 | point >> 12), last(6), last(0)};
  return {static_cast<char>(0xf0 | point >> 18), last(12), last(6), last(0)};
}

}  // namespace

std::string read_text(std::filesystem::path const& file) {
  if (std::filesystem::is_directory(file)) throw plait::io_error("is a folder", file.string());
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw plait::io_error("cannot read", file.string());
  return text;
}

vocabulary vocabulary_of(std::string_view text) {
  vocabulary made;
  for_each_character(text, [&](std::int64_t point, std::size_t) {
    auto const at = std::ranges::lower_bound(made, point);
    if (at == made.end() || *at != point) made.insert(at, point);
  });
  return made;
}

std::vector<std::int32_t> encode(std::string_view text, vocabulary const& known) {
  std::vector<std::int32_t> made;
  for_each_character(text, [&](std::int64_t point, std::size_t byte) {
    auto const at = std::ranges::lower_bound(known, point);
    if (at == known.end() || *at != point) {
      char number[16];
      std::snprintf(number, sizeof number, "U+%04llX", static_cast<unsigned long long>(point));
      throw text_error("the vocabulary has no " + std::string(number) + ", which the text has at byte " +
                       std::to_string(byte));
    }
    made.push_back(static_cast<std::int32_t>(at - known.begin()));
  });
  return made;
}

std::string decode(std::int32_t place, vocabulary const& known) {
  return encoded(known.at(static_cast<std::size_t>(place)));
}

}  // namespace lstm
