# Dependency check: fails if a header of HEADERS includes, also indirectly, a file below one of FORBIDDEN
# ("boost/graph/"...). Runs the preprocessor once for all headers, and once per header only to name the offenders.
cmake_minimum_required(VERSION 3.25)

list(TRANSFORM INCLUDE_DIRS PREPEND -I)
list(JOIN FORBIDDEN "|" pattern)

function(forbidden_files result)
  list(TRANSFORM ARGN PREPEND "#include <plait/" OUTPUT_VARIABLE lines)
  list(TRANSFORM lines APPEND ">\n")
  list(JOIN lines "" text)
  file(WRITE ${WORK_DIR}/headers.cpp "${text}")
  execute_process(COMMAND ${COMPILER} -std=c++20 ${INCLUDE_DIRS} -M ${WORK_DIR}/headers.cpp OUTPUT_VARIABLE dependencies
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^ \n]*/include/([^ \n]*/)?(${pattern})[^ \n]*" files "${dependencies}")
  set(${result} "${files}" PARENT_SCOPE)
endfunction()

forbidden_files(files ${HEADERS})
if(files)
  foreach(header IN LISTS HEADERS)
    forbidden_files(files ${header})
    if(files)
      list(LENGTH files count)
      list(GET files 0 first)
      message("plait/${header} pulls in ${count} forbidden files, the first is ${first}")
    endif()
  endforeach()
  message(FATAL_ERROR "a header depends on a third party that its component does not allow")
endif()
