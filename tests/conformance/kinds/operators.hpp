// The operators that cases are run with. Compiled in a file of their own, for it takes long.
#pragma once

#include <plait/exec/operators.hpp>
#include <plait/exec/serial.hpp>

namespace conformance {

plait::operators<plait::serial> const& operators();

}  // namespace conformance
