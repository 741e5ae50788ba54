// Requirements of a run that a net lacks: kernels of op types, and values of inputs.
#pragma once

#include <optional>
#include <string>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/workspace.hpp>

#include "io.hpp"

namespace cli {

/// Returns messages about all ops without a kernel and all unset inputs of a net, or nothing if it lacks neither. An
/// input comes with what is known about its tensor: from the ops that read it and the tensors in the workspace, or from
/// the file value_info.json beside the net; and with an option that supplies it.
std::optional<std::string> missing_text(source const& in, plait::workspace<plait::serial> const& blobs,
                                        std::string const& path, bool with_init);

}  // namespace cli
