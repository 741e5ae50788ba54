# Runs a test case of failures.cpp on several ranks, of which SURVIVORS must report success, and none failure.
#
#   cmake -D COMMAND=<command> -D SURVIVORS=<number> -P survivors.cmake

execute_process(COMMAND ${COMMAND} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
message("${output}")
if(output MATCHES "(^|\n)skipped: ")
  return()
endif()
string(REGEX MATCHALL "Status: SUCCESS!" succeeded "${output}")
list(LENGTH succeeded count)
if(NOT count EQUAL SURVIVORS OR output MATCHES "Status: FAILURE!|test cases: +0 \\|")
  message(FATAL_ERROR "${count} ranks report success, and not ${SURVIVORS}; mpirun: ${result}")
endif()
