// Models as pairs of nets: predict and init net in a folder, and a net that is trained.
#pragma once

#include <plait/netdef/detail/saved_model.hpp>
#include <plait/netdef/detail/trained_model.hpp>
