# GDB shows the variables of PROGRAM with the pretty-printers PRINTERS as expected.txt says.
#
#   cmake -D GDB=<gdb> -D PROGRAM=<program> -D PRINTERS=<plait_printers.py> -P check.cmake
cmake_minimum_required(VERSION 3.25)

file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/expected.txt expected ENCODING UTF-8)
set(commands "")
foreach(line IN LISTS expected)
  string(REGEX MATCH "^[^:]*" name "${line}")
  list(APPEND commands -ex "echo ${name}:\\040" -ex "output ${name}" -ex "echo \\n")
endforeach()
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C.UTF-8 ${GDB} --nx --batch -iex "set auto-load safe-path /" -ex "set width 0"
          -ex "source ${PRINTERS}" -ex "break stop" -ex run -ex up ${commands} ${PROGRAM}
  OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE result)
if(err MATCHES "ptrace|not permitted|Couldn't get registers|Python\\\" language is not supported|Python scripting is not supported")
  message("skipped: gdb cannot run a program here, or has no Python: ${err}")
  return()
endif()
if(NOT result EQUAL 0)
  message(SEND_ERROR "gdb fails: ${err}")
endif()
set(missing "")
foreach(line IN LISTS expected)
  string(FIND "${out}" "\n${line}\n" found)
  if(found EQUAL -1)
    string(APPEND missing "  ${line}\n")
  endif()
endforeach()
if(missing OR err MATCHES "Python Exception")
  message(FATAL_ERROR "gdb does not show\n${missing}but\n${out}\n${err}")
endif()
