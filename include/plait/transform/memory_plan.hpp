// Memory planning: op scheduling, release and sharing of blobs by live ranges, and an estimate of peak memory.
#pragma once

#include <plait/transform/detail/memory_estimate.hpp>
#include <plait/transform/detail/memory_schedule.hpp>
#include <plait/transform/detail/release_blobs.hpp>
#include <plait/transform/detail/share_blobs.hpp>
#include <plait/transform/detail/share_gradients.hpp>
