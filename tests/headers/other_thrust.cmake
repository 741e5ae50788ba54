# Compiles and runs a program with the Thrust in THRUST.
cmake_minimum_required(VERSION 3.25)

file(MAKE_DIRECTORY ${WORK})
set(folders -I${SOURCE_DIR}/include -I${SOURCE_DIR}/tests)
if(NOT THRUST STREQUAL "/usr/include") # the compiler looks there by itself
  list(PREPEND folders -I${THRUST})
endif()
foreach(folder IN LISTS OTHERS)
  list(APPEND folders -idirafter ${folder})
endforeach()
execute_process(COMMAND ${COMPILER} -std=c++20 -fopenmp -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror ${folders}
                        ${SOURCE_DIR}/tests/headers/other_thrust.cpp ${TBB} -o ${WORK}/program COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/program COMMAND_ERROR_IS_FATAL ANY)
