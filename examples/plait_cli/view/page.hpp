// The page of `plait view`, which view/embed.cmake embeds into the program.
#pragma once

#include <string>

namespace cli {

/// Returns the page with its scripts; @title@ and @data@ are to be replaced.
std::string view_page();

}  // namespace cli
