// Protobuf's text format of NetDefs: read_text(), write_text().
#pragma once

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/detail/text_writer.hpp>
