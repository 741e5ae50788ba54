// NetDef: the data model, readers and writers (text, JSON, binary), its adaptation as a net, and the net builder.
#pragma once

#include <plait/netdef/arguments.hpp>
#include <plait/netdef/detail/saved_model.hpp>
#include <plait/netdef/detail/trained_model.hpp>
#include <plait/netdef/equality.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/netdef/write.hpp>
