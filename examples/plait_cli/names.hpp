// Names in options, and suggestions for those that do not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io.hpp"

namespace cli {

/// Returns "; did you mean 'data'? There are 'data', 'label' and 7 more": the existing names, those most similar to
/// `wanted` first.
std::string suggest_names(std::string_view wanted, std::vector<std::string> names);

/// Returns "; did you mean 'Conv'?", or nothing if no name is similar.
std::string did_you_mean(std::string_view wanted, std::vector<std::string> names);

/// Returns the blobs of a net; nested nets count as far as they read and write outer blobs. Throws plait::error.
std::vector<std::string> blob_names(plait::netdef const& net);

/// Throws failure if the net lacks a blob that an option names.
void expect_blobs(source const& in, std::string_view option, std::vector<std::string> const& names);

}  // namespace cli
