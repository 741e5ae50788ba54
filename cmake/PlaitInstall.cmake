# Installation of headers, one export file per component, the package config and plait.pc. All of it is
# architecture-independent, except for the library plait::runtime (PLAIT_BUILD_RUNTIME).
include(CMakePackageConfigHelpers)

set(plait_data_dir ${CMAKE_INSTALL_DATADIR})
if(PLAIT_BUILD_RUNTIME)
  set(plait_data_dir ${CMAKE_INSTALL_LIBDIR})
endif()
set(plait_package_dir ${plait_data_dir}/cmake/plait)
set(plait_pkgconfig_dir ${plait_data_dir}/pkgconfig)

install(DIRECTORY include/plait DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(FILES include/plait.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES scripts/gdb/plait_printers.py DESTINATION ${CMAKE_INSTALL_DATADIR}/plait/gdb)

# Component properties for plaitConfig.cmake.
set(plait_component_table "")
foreach(name IN LISTS plait_components)
  foreach(property IN ITEMS needs finds links)
    string(APPEND plait_component_table "set(plait_${name}_${property} \"${plait_${name}_${property}}\")\n")
  endforeach()
  if(name STREQUAL "plait")
    set(target plait)
  else()
    set(target plait_${name})
  endif()
  install(TARGETS ${target} EXPORT plait-${name})
  install(EXPORT plait-${name} NAMESPACE plait:: DESTINATION ${plait_package_dir} FILE plait-${name}-target.cmake)
endforeach()

if(PLAIT_BUILD_RUNTIME)
  foreach(name IN ITEMS runtime runtime_shared)
    install(TARGETS plait_${name} EXPORT plait-${name} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
                                                       LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT plait-${name} NAMESPACE plait:: DESTINATION ${plait_package_dir} FILE plait-${name}-target.cmake)
    list(APPEND plait_components ${name})
  endforeach()
  # The static library needs what its backends need, the shared one only a program's headers.
  set(plait_runtime_needs "")
  foreach(name IN LISTS plait_runtime_components)
    list(APPEND plait_runtime_needs ${plait_${name}_needs} ${name})
  endforeach()
  list(REMOVE_DUPLICATES plait_runtime_needs)
  string(APPEND plait_component_table "set(plait_runtime_needs \"${plait_runtime_needs}\")\n")
endif()

configure_package_config_file(cmake/plaitConfig.cmake.in ${PROJECT_BINARY_DIR}/plaitConfig.cmake
                              INSTALL_DESTINATION ${plait_package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR
                              NO_CHECK_REQUIRED_COMPONENTS_MACRO)
set(plait_independent ARCH_INDEPENDENT)
if(PLAIT_BUILD_RUNTIME)
  set(plait_independent "")
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plaitConfigVersion.cmake COMPATIBILITY SameMinorVersion
                                 ${plait_independent})
install(FILES ${PROJECT_BINARY_DIR}/plaitConfig.cmake ${PROJECT_BINARY_DIR}/plaitConfigVersion.cmake
              cmake/PlaitFindPackages.cmake cmake/FindProtozero.cmake cmake/FindLLVMCore.cmake
              cmake/FindThrustHeaders.cmake cmake/FindCBLAS.cmake cmake/FindOneDNN.cmake cmake/PlaitRuntime.cmake
        DESTINATION ${plait_package_dir})
install(DIRECTORY cmake/runtime DESTINATION ${plait_package_dir})

# ${pcfiledir} keeps the files right when the installed tree is moved.
if(IS_ABSOLUTE ${plait_data_dir} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(plait_pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${plait_pkgconfig_dir}
             OUTPUT_VARIABLE plait_pc_prefix)
  set(plait_pc_prefix "\${pcfiledir}/${plait_pc_prefix}")
endif()
foreach(folder IN ITEMS includedir libdir)
  string(TOUPPER CMAKE_INSTALL_${folder} variable)
  if(IS_ABSOLUTE ${${variable}})
    set(plait_pc_${folder} ${${variable}})
  else()
    set(plait_pc_${folder} "\${prefix}/${${variable}}")
  endif()
endforeach()
set(plait_pc_files plait)
if(PLAIT_BUILD_RUNTIME)
  list(APPEND plait_pc_files plait-runtime)
endif()
foreach(file IN LISTS plait_pc_files)
  configure_file(cmake/${file}.pc.in ${PROJECT_BINARY_DIR}/${file}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${file}.pc DESTINATION ${plait_pkgconfig_dir})
endforeach()

# plait_install_tool(<target> <folder>): installs a tool, and adds its folder unless another option already builds it.
function(plait_install_tool target folder)
  if(NOT TARGET ${target} AND EXISTS ${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
  if(TARGET ${target})
    install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  else()
    message(FATAL_ERROR "PLAIT_INSTALL_TOOLS: ${folder} defines no target ${target}")
  endif()
endfunction()
