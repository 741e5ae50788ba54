# Layering check: an include only points down the list of layers, a file has at most 500 lines, in exec/ 400, every header belongs to a
# component, and plait.hpp includes those of its layers.
cmake_minimum_required(VERSION 3.25)

set(layers core graph net ssa dataflow transform netdef gradient exec rnn interop runtime)
set(failed FALSE)

foreach(header IN LISTS UNOWNED)
  message("plait/${header} belongs to no component: add it, or its folder, in cmake/PlaitComponents.cmake")
  set(failed TRUE)
endforeach()

file(READ ${INCLUDE_DIR}/plait.hpp whole)
file(GLOB_RECURSE headers RELATIVE ${INCLUDE_DIR} ${INCLUDE_DIR}/*.hpp)
foreach(header IN LISTS headers)
  # Not file(STRINGS): brackets in the text would disturb the list of lines.
  file(READ ${INCLUDE_DIR}/${header} text)
  string(REGEX MATCHALL "\n" lines "${text}")
  list(LENGTH lines count)
  set(limit 500)
  if(header MATCHES "^exec/")
    set(limit 400)
  endif()
  if(count GREATER limit)
    message("plait/${header} has ${count} lines; ${limit} is the limit, 350 the aim")
    set(failed TRUE)
  endif()
  if(NOT text MATCHES "#pragma once\n")
    message("plait/${header} lacks #pragma once")
    set(failed TRUE)
  endif()

  if(NOT text MATCHES "#include <plait/[a-z_/0-9]+.hpp>" AND NOT header MATCHES "^(core/detail/cxx20|version).hpp$")
    message("plait/${header} includes no header of plait: include plait/core/detail/cxx20.hpp, which refuses older standards")
    set(failed TRUE)
  endif()

  if(header MATCHES "^exec/(detail/)?(kernels|operators)/"
     AND text MATCHES "PLAIT_INDEPENDENT|PLAIT_VECTOR_LOOP|PLAIT_INLINE_CALL|vectorized\\(|for_each_row|for_each_index"
     AND NOT text MATCHES "\nPLAIT_KERNELS_BEGIN\n.*\nPLAIT_KERNELS_END\n")
    message("plait/${header} has kernels and lacks PLAIT_KERNELS_BEGIN and PLAIT_KERNELS_END around them")
    set(failed TRUE)
  endif()

  # TRAP: nvcc 13 drops the designators of such a list if the type depends on template parameters: members before the
  # first omitted one get the values of later ones.
  if(text MATCHES "\n *[a-z_][A-Za-z_.()>-]* = {\\.[a-z_]+ = ")
    message("plait/${header} assigns a list of named members without their type: write 'a = type{.b = c}'")
    set(failed TRUE)
  endif()

  if(header STREQUAL "plait.hpp")
    set(rank 5)
  elseif(header STREQUAL "onnx.hpp")
    set(rank 10)
  else()
    string(REGEX MATCH "^[^/.]+" layer ${header})
    list(FIND layers "${layer}" rank)
    string(FIND "${whole}" "#include <plait/${header}>" found)
    if(rank GREATER -1 AND rank LESS 6 AND found EQUAL -1 AND NOT header MATCHES "/detail/")
      message("plait/plait.hpp lacks plait/${header}")
      set(failed TRUE)
    endif()
  endif()
  string(REGEX MATCHALL "#include [<\"]plait/[^>\"]+" includes "${text}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^.*plait/" "" target "${include}")
    string(REGEX MATCH "^[^/]+" target_layer "${target}")
    list(FIND layers "${target_layer}" target_rank)
    if(target_rank GREATER rank)
      message("plait/${header} includes plait/${target}, a layer above its own")
      set(failed TRUE)
    endif()
  endforeach()
endforeach()

if(failed)
  message(FATAL_ERROR "the headers violate the layering rules")
endif()
