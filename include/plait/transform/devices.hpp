// Device placement: inference of the device of each value, host or GPU, and the device options of ops that follow.
#pragma once

#include <plait/transform/detail/blob_devices.hpp>
#include <plait/transform/detail/device_assignment.hpp>
#include <plait/transform/detail/device_inference.hpp>
#include <plait/transform/detail/status_inference.hpp>
