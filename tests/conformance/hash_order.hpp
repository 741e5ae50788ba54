// Cases with `hash_order`: what in a net may stand in another order (FORMAT.md).
#pragma once

#include <plait/netdef/model.hpp>

namespace conformance {

/// The net with everything that has no order of its own put into one: runs of Sum ops, what they add after the first,
/// operands of If, While and Do with the names bound to them, saved_fwd_blobs, the numbers of split gradients.
plait::netdef ordered(plait::netdef const& net);

}  // namespace conformance
