// Cases with `hash_order`: a canonical order for what FORMAT.md leaves unordered in a net.
#pragma once

#include <plait/netdef/model.hpp>

namespace conformance {

/// Returns the net with all that has no defined order in a canonical one: runs of Sum ops, what they add after the
/// first, operands of If, While and Do with the names bound to them, saved_fwd_blobs, the numbers of split gradients.
plait::netdef ordered(plait::netdef const& net);

}  // namespace conformance
