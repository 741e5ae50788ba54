# Compiles main.cpp with the flags of pkg-config, as a Makefile would, and runs it.
cmake_minimum_required(VERSION 3.25)

set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${DATA_DIR}/pkgconfig)
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
