// The version of plait. The one place that states it: CMake, pkg-config and the tools read it from here.
#pragma once

#define PLAIT_VERSION_MAJOR 0
#define PLAIT_VERSION_MINOR 1
#define PLAIT_VERSION_PATCH 0
