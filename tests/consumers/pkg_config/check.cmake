# Compiles main.cpp, and a program in C with the runtime, with the flags of pkg-config, as a Makefile would, and runs them.
cmake_minimum_required(VERSION 3.25)

set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${PKG_CONFIG_DIR})
execute_process(COMMAND ${PKG_CONFIG} --modversion plait OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PKG_CONFIG} --cflags plait OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT version STREQUAL EXPECTED_VERSION)
  message(FATAL_ERROR "plait.pc states version ${version}, not ${EXPECTED_VERSION}")
endif()

separate_arguments(flags UNIX_COMMAND "${flags}")
list(TRANSFORM INCLUDE_DIRS PREPEND -I)
file(MAKE_DIRECTORY ${WORK_DIR})
execute_process(COMMAND ${COMPILER} -std=c++20 ${flags} ${INCLUDE_DIRS} ${CMAKE_CURRENT_LIST_DIR}/main.cpp -o
                        ${WORK_DIR}/consumer COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK_DIR}/consumer COMMAND_ERROR_IS_FATAL ANY)

if(RUNTIME)
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs plait-runtime OUTPUT_VARIABLE flags
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${PKG_CONFIG} --variable=libdir plait-runtime OUTPUT_VARIABLE folder
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  set(source ${CMAKE_CURRENT_LIST_DIR}/../runtime)
  execute_process(COMMAND ${COMPILER} -x c ${source}/main.c -x none ${flags} -o ${WORK_DIR}/c_consumer
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${folder} ${WORK_DIR}/c_consumer ${source}
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
