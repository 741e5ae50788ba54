// Common body of the fuzz targets of readers. Compiled once for all of them, since it contains every reader and writer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plait_fuzz {

enum class document { text, json, binary };

/// Reads a net, which must not crash. An accepted net must round-trip in each format that can express it; its own
/// format always can. Aborts otherwise.
void read(document kind, std::uint8_t const* data, std::size_t size);

}  // namespace plait_fuzz
