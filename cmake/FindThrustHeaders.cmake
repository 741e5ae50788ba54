# Finds the headers of Thrust: 1.17, Debian's version, or that of CCCL 3 and later (CUDA 13).
#
# Imported target: Thrust::headers. Variables: ThrustHeaders_FOUND, ThrustHeaders_VERSION. Choice: PLAIT_THRUST, a folder
# that holds thrust/version.h; empty: the system's, else a CUDA toolkit's.
set(PLAIT_THRUST "" CACHE PATH "The folder that holds thrust/version.h; empty: the system's, else that of a CUDA toolkit")

set(ThrustHeaders_usual /usr/include /usr/local/include /usr/local/cuda/include/cccl /usr/local/cuda/include)
set(ThrustHeaders_hints ${ThrustHeaders_usual})
if(PLAIT_THRUST)
  set(ThrustHeaders_hints ${PLAIT_THRUST})
endif()
if(NOT "${PLAIT_THRUST}" STREQUAL "${ThrustHeaders_chosen}")  # changed since the last configuration
  unset(ThrustHeaders_INCLUDE_DIR CACHE)
endif()
set(ThrustHeaders_chosen "${PLAIT_THRUST}" CACHE INTERNAL "")
find_path(ThrustHeaders_INCLUDE_DIR thrust/version.h PATHS ${ThrustHeaders_hints} NO_DEFAULT_PATH)
mark_as_advanced(ThrustHeaders_INCLUDE_DIR)
if(ThrustHeaders_INCLUDE_DIR)
  file(STRINGS ${ThrustHeaders_INCLUDE_DIR}/thrust/version.h ThrustHeaders_line REGEX "#define THRUST_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+" ThrustHeaders_number "${ThrustHeaders_line}")
  if(ThrustHeaders_number)
    math(EXPR ThrustHeaders_major "${ThrustHeaders_number} / 100000")
    math(EXPR ThrustHeaders_minor "${ThrustHeaders_number} / 100 % 1000")
    set(ThrustHeaders_VERSION ${ThrustHeaders_major}.${ThrustHeaders_minor})
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  ThrustHeaders
  REQUIRED_VARS ThrustHeaders_INCLUDE_DIR
  VERSION_VAR ThrustHeaders_VERSION)

if(ThrustHeaders_FOUND AND NOT TARGET Thrust::headers)
  add_library(Thrust::headers INTERFACE IMPORTED)
  if(NOT ThrustHeaders_INCLUDE_DIR STREQUAL "/usr/include")  # the compiler looks there by itself
    set_target_properties(Thrust::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${ThrustHeaders_INCLUDE_DIR}")
  endif()
  message(STATUS "Thrust ${ThrustHeaders_VERSION}: ${ThrustHeaders_INCLUDE_DIR}")
endif()
