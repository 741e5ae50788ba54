// Protobuf's binary format of NetDefs: read_binary(), write_binary().
#pragma once

#include <plait/netdef/detail/binary_reader.hpp>
#include <plait/netdef/detail/binary_writer.hpp>
