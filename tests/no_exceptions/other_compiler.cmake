# Builds PROGRAM of SOURCE with COMPILER and FLAGS, and runs it.
list(TRANSFORM INCLUDES PREPEND -I)
execute_process(COMMAND ${COMPILER} -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Werror -DPLAIT_CHECKED ${FLAGS} ${INCLUDES}
                        ${SOURCE} -o ${PROGRAM} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${COMPILER} cannot build it")
endif()
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the program built by ${COMPILER} fails: ${status}")
endif()
