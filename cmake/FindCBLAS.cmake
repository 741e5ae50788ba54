# Finds a BLAS with the C interface: preferably OpenBLAS. CMake's FindBLAS does not guarantee cblas.h.
#
# Imported target: CBLAS::cblas. Variable: CBLAS_FOUND. Hints: CBLAS_LIBRARY and CBLAS_INCLUDE_DIR, to select another library.
find_path(CBLAS_INCLUDE_DIR NAMES cblas.h PATH_SUFFIXES openblas)
find_library(CBLAS_LIBRARY NAMES openblas blis cblas)
mark_as_advanced(CBLAS_INCLUDE_DIR CBLAS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CBLAS REQUIRED_VARS CBLAS_LIBRARY CBLAS_INCLUDE_DIR)

if(CBLAS_FOUND AND NOT TARGET CBLAS::cblas)
  add_library(CBLAS::cblas INTERFACE IMPORTED)
  set_target_properties(CBLAS::cblas PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${CBLAS_INCLUDE_DIR}"
                                                INTERFACE_LINK_LIBRARIES "${CBLAS_LIBRARY}")
endif()
