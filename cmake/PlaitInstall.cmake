# Installation of headers, one export file per component, the package config and plait.pc. All of it is architecture-independent.
include(CMakePackageConfigHelpers)

set(plait_package_dir ${CMAKE_INSTALL_DATADIR}/cmake/plait)
set(plait_pkgconfig_dir ${CMAKE_INSTALL_DATADIR}/pkgconfig)

install(DIRECTORY include/plait DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
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

configure_package_config_file(cmake/plaitConfig.cmake.in ${PROJECT_BINARY_DIR}/plaitConfig.cmake
                              INSTALL_DESTINATION ${plait_package_dir} NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plaitConfigVersion.cmake COMPATIBILITY SameMinorVersion
                                 ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/plaitConfig.cmake ${PROJECT_BINARY_DIR}/plaitConfigVersion.cmake
              cmake/PlaitFindPackages.cmake cmake/FindProtozero.cmake cmake/FindLLVMCore.cmake
              cmake/FindThrustHeaders.cmake cmake/FindCBLAS.cmake
        DESTINATION ${plait_package_dir})

# ${pcfiledir} keeps plait.pc right when the installed tree is moved.
if(IS_ABSOLUTE ${CMAKE_INSTALL_DATADIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(plait_pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${plait_pkgconfig_dir}
             OUTPUT_VARIABLE plait_pc_prefix)
  set(plait_pc_prefix "\${pcfiledir}/${plait_pc_prefix}")
endif()
if(IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(plait_pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
else()
  set(plait_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/plait.pc.in ${PROJECT_BINARY_DIR}/plait.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/plait.pc DESTINATION ${plait_pkgconfig_dir})

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
