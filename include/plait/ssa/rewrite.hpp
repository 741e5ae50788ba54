// SSA renaming of a net in place, a distinct name for every version of a blob: ssa_rewrite for names that are text,
// ssa_renumber for numbers and pointers.
#pragma once

#include <plait/ssa/detail/renumber.hpp>
#include <plait/ssa/detail/rewrite_names.hpp>
