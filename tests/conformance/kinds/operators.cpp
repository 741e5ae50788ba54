#include "operators.hpp"

#include <plait/exec/standard_operators.hpp>

namespace conformance {

plait::operators<plait::serial> const& operators() { return plait::standard_operators<plait::serial>(); }

}  // namespace conformance
