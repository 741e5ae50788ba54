# Finds protozero, a header-only protobuf reader and writer, which ships no CMake package on most systems.
#
# Imported target: protozero::protozero. Variables: Protozero_FOUND, Protozero_VERSION. Hint: Protozero_ROOT.
find_path(Protozero_INCLUDE_DIR protozero/version.hpp)
mark_as_advanced(Protozero_INCLUDE_DIR)

if(Protozero_INCLUDE_DIR)
  file(STRINGS ${Protozero_INCLUDE_DIR}/protozero/version.hpp protozero_version REGEX "define PROTOZERO_VERSION_STRING")
  string(REGEX REPLACE ".*\"([0-9.]+)\".*" "\\1" Protozero_VERSION "${protozero_version}")
  unset(protozero_version)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Protozero
  REQUIRED_VARS Protozero_INCLUDE_DIR
  VERSION_VAR Protozero_VERSION)

if(Protozero_FOUND AND NOT TARGET protozero::protozero)
  add_library(protozero::protozero INTERFACE IMPORTED)
  set_target_properties(protozero::protozero PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${Protozero_INCLUDE_DIR})
endif()
