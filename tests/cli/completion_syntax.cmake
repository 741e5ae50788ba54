# plait completion: the script for a shell has no syntax errors. SHELL is the program, NAME its name.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
plait(0 completion ${NAME} -o ${WORK}/script)
execute_process(COMMAND ${SHELL} -n ${WORK}/script ERROR_VARIABLE err RESULT_VARIABLE result)
if(NOT result EQUAL 0 OR NOT err STREQUAL "")
  wrong("${NAME} -n: status ${result}: ${err}")
endif()
finish()
