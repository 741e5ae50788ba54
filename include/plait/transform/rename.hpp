// Renaming: one version of a blob (rename_value), or blobs everywhere in a net (rename_blobs).
#pragma once

#include <plait/transform/detail/rename_blobs.hpp>
#include <plait/transform/detail/rename_value.hpp>
