// What is known of the terminal that standard output goes to.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

/// Columns that a line may have: COLUMNS, else the terminal's width, else (no terminal) without bound.
std::size_t output_width();

/// Whether a stream of the process (1: output, 2: errors) shows colours: a terminal, and NO_COLOR is not set.
bool shows_colour(int descriptor);

enum class colour { bold, yellow, red, dim };

/// `text` in a colour, if there is colour.
std::string coloured(std::string_view text, colour as, bool enabled);

/// Text for a terminal: control characters, which a file can put into names, as \n or \x1b.
std::string visible(std::string_view text);

/// How many columns UTF-8 text takes, a character one each.
std::size_t text_width(std::string_view text);

/// At most `width` columns of a text, with … in place of what was cut off.
std::string cut(std::string text, std::size_t width);

}  // namespace cli
