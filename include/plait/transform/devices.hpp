// Device placement: which values live on the host and which on a GPU, and the device options of ops that follow.
#pragma once

#include <plait/transform/detail/blob_devices.hpp>
#include <plait/transform/detail/device_assignment.hpp>
#include <plait/transform/detail/device_inference.hpp>
#include <plait/transform/detail/status_inference.hpp>
