// Names in options, and what to say of one that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io.hpp"

namespace cli {

/// "; did you mean 'data'? There are 'data', 'label' and 7 more": the names there are, those most like `wanted` first.
std::string names_like(std::string_view wanted, std::vector<std::string> names);

/// The blobs of a net; nets inside ops count as far as they read and write blobs around them. Throws plait::error.
std::vector<std::string> blob_names(plait::netdef const& net);

/// Throws failure if the net lacks a blob that an option names.
void expect_blobs(source const& in, std::string_view option, std::vector<std::string> const& names);

}  // namespace cli
