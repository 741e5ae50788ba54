# plait_component(<name> ...): one INTERFACE target, plait::<name>; see PlaitComponents.cmake for the arguments.
include(PlaitFindPackages)

set(plait_known_components "")    # every component declared
set(plait_components "")          # those that this build provides

function(plait_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIONAL" "" "HEADERS;LINKS;FINDS;ALLOWS")
  list(APPEND plait_known_components ${name})
  set(plait_known_components ${plait_known_components} PARENT_SCOPE)

  # The closure over other components, in order of declaration, and the packages each of them needs.
  set(needs "")
  foreach(link IN LISTS arg_LINKS)
    if(link MATCHES "^plait::(.+)$")
      list(APPEND needs ${plait_${CMAKE_MATCH_1}_needs} ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES needs)
  foreach(list IN ITEMS HEADERS LINKS FINDS ALLOWS)
    string(TOLOWER ${list} property)
    set(plait_${name}_${property} "${arg_${list}}" PARENT_SCOPE)
  endforeach()
  set(plait_${name}_needs "${needs}" PARENT_SCOPE)

  if(PLAIT_COMPONENTS AND NOT name STREQUAL "plait")
    if(NOT name IN_LIST PLAIT_COMPONENTS)
      return()
    endif()
    set(required TRUE)
  elseif(name STREQUAL "plait" OR (PROJECT_IS_TOP_LEVEL AND NOT arg_OPTIONAL))
    set(required TRUE)
  else()
    set(required FALSE)
  endif()

  # GLOBAL, since the targets that plait links must exist in the directory of whoever links plait.
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)
  plait_find_packages(missing FINDS ${arg_FINDS} TARGETS ${arg_LINKS})
  if(missing)
    list(JOIN missing ", " missing)
    if(required)
      message(FATAL_ERROR "plait::${name} needs ${missing}; scripts/bootstrap.sh installs what plait is built with")
    endif()
    message(STATUS "plait::${name} is left out: it needs ${missing}")
    return()
  endif()

  if(name STREQUAL "plait")
    set(target plait)
  else()
    set(target plait_${name})
  endif()
  add_library(${target} INTERFACE)
  add_library(plait::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(${target} INTERFACE ${arg_LINKS})
  if(name STREQUAL "plait")
    target_compile_features(plait INTERFACE cxx_std_20)
    target_include_directories(
      plait INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endif()
  set(plait_components ${plait_components} ${name} PARENT_SCOPE)
endfunction()
