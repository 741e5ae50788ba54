// Version macros of plait. CMake, pkg-config and the tools read the version from here; nothing else states it.
#pragma once

#define PLAIT_VERSION_MAJOR 0
#define PLAIT_VERSION_MINOR 1
#define PLAIT_VERSION_PATCH 0
