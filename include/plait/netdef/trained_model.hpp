// Models as pairs of a net and its init net: saved in a folder, or under construction for training.
#pragma once

#include <plait/netdef/detail/saved_model.hpp>
#include <plait/netdef/detail/trained_model.hpp>
