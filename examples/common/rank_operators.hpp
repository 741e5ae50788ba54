// Operators of a program that may train on several ranks.
#pragma once

#include <plait/exec/backend.hpp>
#include <plait/exec/operators.hpp>

#include "ranks.hpp"

namespace example {

/// Returns the standard operators, and those of MPI where ranks train together. Instantiated for the backends that
/// plait::runtime has.
template <plait::backend B>
plait::operators<B> const& operators_of(ranks const& among);

}  // namespace example
