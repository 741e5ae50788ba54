// Gradient seeds in options (--y), and errors of a backward pass.
#pragma once

#include <string>

#include <plait/core/errors.hpp>
#include <plait/gradient/backward_pass.hpp>

#include "io.hpp"

namespace cli {

/// Parses "z" or "z=dz". Throws wrong_usage.
plait::gradient_seed parse_seed(std::string const& text);

/// Returns a failure with a report of all problems, and names similar to seeds that the net lacks.
failure about_gradient(source const& in, plait::gradient_error const& problem);

}  // namespace cli
