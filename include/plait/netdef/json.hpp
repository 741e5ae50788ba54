// NetDef in protobuf's JSON mapping: read_netdef_json(), write_netdef_json(), to_json().
#pragma once

#include <plait/netdef/detail/json_reader.hpp>
#include <plait/netdef/detail/json_writer.hpp>
