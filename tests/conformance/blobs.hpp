// Tensors of cases in the workspace that nets are run in.
#pragma once

#include <string>

#include <plait/exec/workspace.hpp>
#include <plait/net/parameter.hpp>

#include "backend.hpp"

namespace conformance {

/// Throws unsupported_case for a type that is not run.
void feed(plait::workspace<backend>& blobs, std::string const& name, plait::tensor_value const& given);
/// Of a blob that is there. Doubles have the nine digits that recorded ones have.
plait::tensor_value fetch(plait::workspace<backend> const& blobs, std::string const& name);

}  // namespace conformance
