// What the two files of plait_device share.
#pragma once

#include <string>
#include <string_view>

#include "running_net.hpp"
#include "sequences.hpp"

namespace bench {

/// How a net is run on the device: its ops started one after the other, or all at once as a CUDA graph.
enum class device_way { plan, graph };

/// Prints where the time goes, op by op, the device waited for after each.
void profile_on_device(sequence_net const& net, int steps);

/// Results are written to `folder` if it is not empty.
void time_on_device(device_way way, sequence_net const& net, std::string const& what, double flops, int steps,
                    std::string const& folder);

}  // namespace bench
