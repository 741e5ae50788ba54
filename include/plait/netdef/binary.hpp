// NetDef in protobuf's binary wire format: read_netdef_binary(), write_netdef_binary(), to_binary().
#pragma once

#include <plait/netdef/detail/binary_reader.hpp>
#include <plait/netdef/detail/binary_writer.hpp>
