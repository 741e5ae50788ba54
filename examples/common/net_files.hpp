// Nets in files that are always whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <plait/netdef/model.hpp>

namespace example {

/// <name>.<what>.<suffix>: a file that belongs to <name>.<suffix>.
std::filesystem::path beside(std::filesystem::path const& file, std::string_view what);

/// A file that is there is replaced when its successor is complete. .pb and .json are the formats of those names,
/// everything else is text. Throws plait::io_error.
void replace_net(std::filesystem::path const& file, plait::netdef const& net);

/// Throws plait::io_error for what is missing or no net.
plait::netdef read_net(std::filesystem::path const& file);

}  // namespace example
