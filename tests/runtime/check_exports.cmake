# The shared library exports the symbols in exports.txt, no more and no fewer: a symbol that goes breaks programs linked to
# it, and others would become part of the interface.
#
#   cmake -D NM=<nm> -D LIBRARY=<libplait.so> -P check_exports.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${NM} --dynamic --defined-only ${LIBRARY} OUTPUT_VARIABLE output
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[^\n]* [A-Za-z] ([^\n@]+)[^\n]*" "\\1" symbols "${output}")
string(STRIP "${symbols}" symbols)
string(REPLACE ";" "\\;" symbols "${symbols}")
string(REPLACE "\n" ";" symbols "${symbols}")
list(FILTER symbols EXCLUDE REGEX "^PLAIT_[0-9.]+$") # the version
list(SORT symbols)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/exports.txt expected)
set(unexpected ${symbols})
list(REMOVE_ITEM unexpected ${expected})
set(missing ${expected})
list(REMOVE_ITEM missing ${symbols})
if(unexpected OR missing)
  list(JOIN unexpected "\n  " unexpected)
  list(JOIN missing "\n  " missing)
  message(FATAL_ERROR "exported, and not in exports.txt:\n  ${unexpected}\nmissing:\n  ${missing}")
endif()
