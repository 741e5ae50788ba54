# Finds oneDNN 2. Its own package config, as Debian has it, requires OpenCL and ends the configuration where that is missing.
#
# Imported target: OneDNN::onednn. Variables: OneDNN_FOUND, OneDNN_VERSION. Hints: ONEDNN_LIBRARY and ONEDNN_INCLUDE_DIR, to
# select another library.
find_path(ONEDNN_INCLUDE_DIR NAMES oneapi/dnnl/dnnl.hpp)
find_library(ONEDNN_LIBRARY NAMES dnnl)
mark_as_advanced(ONEDNN_INCLUDE_DIR ONEDNN_LIBRARY)

set(OneDNN_VERSION "")
if(ONEDNN_INCLUDE_DIR AND EXISTS ${ONEDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h)
  file(STRINGS ${ONEDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h OneDNN_VERSION REGEX "DNNL_VERSION_(MAJOR|MINOR|PATCH) ")
  list(TRANSFORM OneDNN_VERSION REPLACE "[^0-9]" "")
  list(JOIN OneDNN_VERSION "." OneDNN_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OneDNN REQUIRED_VARS ONEDNN_LIBRARY ONEDNN_INCLUDE_DIR VERSION_VAR OneDNN_VERSION
                                  HANDLE_VERSION_RANGE)

if(OneDNN_FOUND AND NOT TARGET OneDNN::onednn)
  add_library(OneDNN::onednn INTERFACE IMPORTED)
  set_target_properties(OneDNN::onednn PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${ONEDNN_INCLUDE_DIR}"
                                                  INTERFACE_LINK_LIBRARIES "${ONEDNN_LIBRARY}")
endif()
