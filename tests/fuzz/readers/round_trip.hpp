// What the fuzz targets of the readers do. Compiled once for all of them: it has every reader and writer in it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plait_fuzz {

enum class document { text, json, binary };

/// Reads a net, which must do no harm. One that is accepted must be the same when it is written and read again, in each
/// format that can express it; its own always can. Ends the program if not.
void read(document kind, std::uint8_t const* data, std::size_t size);

}  // namespace plait_fuzz
