// Text as numbers: UTF-8 to characters, and characters to their places in a vocabulary.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>

namespace lstm {

/// Text that is no UTF-8, or has a character that the vocabulary has not.
struct text_error : plait::error {
  using error::error;
};

/// Throws plait::io_error for a file that cannot be read.
std::string read_text(std::filesystem::path const& file);

/// Different characters in ascending order, as code points.
using vocabulary = std::vector<std::int64_t>;

/// The characters of a text. Throws text_error naming the byte where it is no UTF-8.
vocabulary vocabulary_of(std::string_view text);

/// The place of each character in the vocabulary. Throws text_error naming what is not there, and where.
std::vector<std::int32_t> encode(std::string_view text, vocabulary const& known);

/// One character as UTF-8.
std::string decode(std::int32_t place, vocabulary const& known);

}  // namespace lstm
