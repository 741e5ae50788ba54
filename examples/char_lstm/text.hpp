// Character-level tokenizer: UTF-8 to characters, and characters to indices in a vocabulary.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>

namespace lstm {

/// Thrown for text that is not UTF-8, or has a character that is not in the vocabulary.
struct text_error : plait::error {
  using error::error;
};

/// Reads a file. Throws plait::io_error if it cannot be read.
std::string read_text(std::filesystem::path const& file);

/// Distinct characters in ascending order, as code points.
using vocabulary = std::vector<std::int64_t>;

/// Returns the distinct characters of a text. Throws text_error with the byte where it is not UTF-8.
vocabulary vocabulary_of(std::string_view text);

/// Returns the index of each character in the vocabulary. Throws text_error with an unknown character and its byte.
std::vector<std::int32_t> encode(std::string_view text, vocabulary const& known);

/// Returns a character as UTF-8.
std::string decode(std::int32_t place, vocabulary const& known);

}  // namespace lstm
