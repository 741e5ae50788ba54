// NetDef in protobuf's text format: read_netdef_text(), write_netdef_text(), to_text().
#pragma once

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/detail/text_writer.hpp>
