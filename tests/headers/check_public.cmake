# Checks that there are at most MOST public headers below INCLUDE_DIR, and that each of them is named in a document that is
# written by hand, or used by an example: README.md, docs/ and examples/ of ROOT.
#
#   cmake -D ROOT=<project> -D INCLUDE_DIR=<project>/include/plait [-D MOST=130] -P check_public.cmake

cmake_minimum_required(VERSION 3.25)

if(NOT DEFINED MOST)
  set(MOST 130)
endif()

file(GLOB_RECURSE headers RELATIVE ${INCLUDE_DIR} ${INCLUDE_DIR}/*.hpp)
list(FILTER headers EXCLUDE REGEX "(^|/)detail/")

# Pages that are generated name all headers, which says nothing.
file(GLOB_RECURSE documents ${ROOT}/docs/*.md)
list(FILTER documents EXCLUDE REGEX "/docs/(reference/(headers|operators)|performance/[^/]*)\\.md$")
list(APPEND documents ${ROOT}/README.md)
file(GLOB_RECURSE examples ${ROOT}/examples/*.cpp ${ROOT}/examples/*.hpp)

set(named "")
foreach(document IN LISTS documents)
  file(READ ${document} text)
  string(REGEX MATCHALL "`[^`\n]*\\.hpp`|<plait/[^>\n]*\\.hpp>" found "${text}")
  list(TRANSFORM found REPLACE "[`<>]" "")
  list(TRANSFORM found REPLACE "^(include/)?plait/" "")
  list(APPEND named ${found})
endforeach()
foreach(example IN LISTS examples)
  file(STRINGS ${example} found REGEX "^#include <plait/")
  list(TRANSFORM found REPLACE "^#include <plait/(.*)>.*" "\\1")
  list(APPEND named ${found})
endforeach()
list(REMOVE_DUPLICATES named)

set(unnamed "")
foreach(header IN LISTS headers)
  if(NOT header IN_LIST named)
    list(APPEND unnamed ${header})
  endif()
endforeach()

list(LENGTH headers count)
list(JOIN unnamed "\n  " lines)
if(unnamed)
  message("No document names these public headers, and no example uses them; name each with its path below include/plait, "
          "such as `graph/loops.hpp`, in docs/:\n  ${lines}")
endif()
if(count GREATER MOST)
  message("There are ${count} public headers, and at most ${MOST} should be: move what only headers include to detail/")
endif()
if(unnamed OR count GREATER MOST)
  message(FATAL_ERROR "public headers are not in order")
endif()
message("${count} public headers, all named")
