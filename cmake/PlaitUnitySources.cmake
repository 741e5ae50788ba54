# plait_unity_sources(<program> <batch> <source variable> [<header>...]): puts up to <batch> test files into one
# translation unit each, after the headers, and the units into the variable instead. What headers instantiate is then
# compiled once for all of them, which is most of what small files of a header-only library cost.
#
# A unit has all includes first, and each file in a namespace of its own, so that files need not know of each other.
# Files that specialise templates of others, have conditions or macros, or include by relative paths, are compiled by
# themselves.
function(plait_unity_sources program batch variable)
  set(units)
  set(joined)
  foreach(source IN LISTS ${variable})
    file(STRINGS ${source} alone REGEX "^(namespace (plait|std|boost)|template <>|extern template|#if|#define|TYPE_TO_STRING|#include \"[.])")
    if(alone)
      list(APPEND units ${source})
    else()
      list(APPEND joined ${source})
    endif()
  endforeach()
  # As many files in each unit, give or take one.
  list(LENGTH joined left)
  math(EXPR count "(${left} + ${batch} - 1) / ${batch}")
  set(number 0)
  while(count GREATER 0)
    math(EXPR size "(${left} + ${count} - 1) / ${count}")
    math(EXPR left "${left} - ${size}")
    math(EXPR count "${count} - 1")
    set(includes ${ARGN})
    list(TRANSFORM includes REPLACE "(.+)" "#include \"\\1\"")
    set(bodies)
    foreach(turn RANGE 1 ${size})
      list(POP_FRONT joined file)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file}) # its includes may change
      file(STRINGS ${file} included REGEX "^#include ")
      list(APPEND includes ${included})
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
      string(MAKE_C_IDENTIFIER ${name} name)
      string(APPEND bodies "\nnamespace unit_${name} {\n#include \"${file}\"\n}\n")
    endforeach()
    list(REMOVE_DUPLICATES includes)
    list(JOIN includes "\n" includes)
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${program}/${number}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${includes}\n${bodies}" @ONLY)
    list(APPEND units ${unit})
    math(EXPR number "${number} + 1")
  endwhile()
  set(${variable} ${units} PARENT_SCOPE)
endfunction()
