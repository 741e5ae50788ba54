// Tensors of cases: {"dtype": …, "shape": […], "data": […]}.
#pragma once

#include <vector>

#include <plait/net/detail/parameter.hpp>

#include "case.hpp"

namespace conformance {

/// Reads a tensor, or a bare string, which is a scalar. Throws malformed_case.
plait::tensor_value tensor_from_json(json const& given, std::string const& name);
json tensor_to_json(plait::tensor_value const& tensor);

/// Rounds doubles to the nine digits of recorded ones.
plait::tensor_value as_recorded(plait::tensor_value tensor);

/// Returns the `params` of a case, in order; none if the key is missing or null.
std::vector<plait::parameter> parameters(case_inputs const& in);

}  // namespace conformance
