// Interface between the two files of plait_device.
#pragma once

#include <string>
#include <string_view>

#include "running_net.hpp"
#include "sequences.hpp"

namespace bench {

/// Launch mode on the device: the ops one by one, or all at once as a CUDA graph.
enum class device_way { plan, graph };

/// Prints the time by op, with a synchronisation of the device after each.
void profile_on_device(sequence_net const& net, int steps);

/// Writes results to `folder` if it is not empty.
void time_on_device(device_way way, sequence_net const& net, std::string const& what, double flops, int steps,
                    std::string const& folder);

}  // namespace bench
