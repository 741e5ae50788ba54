// JSON of NetDefs, by protobuf's mapping: read_json(), write_json().
#pragma once

#include <plait/netdef/detail/json_reader.hpp>
#include <plait/netdef/detail/json_writer.hpp>
