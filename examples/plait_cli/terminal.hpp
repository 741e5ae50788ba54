// Properties of the terminal, and text formatted for it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

/// Returns the maximum width of lines: COLUMNS, else the width of the terminal, else (no terminal) unbounded.
std::size_t output_width();

/// Returns true if a stream of the process (1: output, 2: errors) shows colours: it is a terminal, and NO_COLOR is not
/// set.
bool shows_colour(int descriptor);

enum class colour { bold, yellow, red, dim, green };

/// Returns `text` in a colour if `enabled`, else unchanged.
std::string coloured(std::string_view text, colour as, bool enabled);

/// Escapes control characters, which a file can put into names, as \n or \x1b.
std::string visible(std::string_view text);

/// Returns the number of columns of UTF-8 text, one per character.
std::size_t text_width(std::string_view text);

/// Truncates a text to `width` columns, with … in place of the rest.
std::string cut(std::string text, std::size_t width);

}  // namespace cli
