# Compiles SOURCE with nvcc and checks what its kernels need, as ptxas reports it: at most MOST registers, and no local
# memory, which values would be spilled to.
#
#   cmake -D NVCC=<nvcc> -D "FLAGS=<flags>" -D SOURCE=<file> -D CUBIN=<output> [-D KERNEL=<regex>] [-D MOST=64]
#         -P check_registers.cmake

cmake_minimum_required(VERSION 3.25)

if(NOT DEFINED MOST)
  set(MOST 64)
endif()

execute_process(COMMAND ${NVCC} ${FLAGS} -arch=sm_90 -Xptxas -v -cubin ${SOURCE} -o ${CUBIN} RESULT_VARIABLE status
                OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "nvcc fails:\n${text}")
endif()

# ptxas info    : Compiling entry function '<name>' for 'sm_90'
# ptxas info    : Function properties for <name>
#     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
# ptxas info    : Used 40 registers, …
set(rest "${text}")
set(count 0)
while(rest MATCHES "Compiling entry function '([^'\n]*)'[^\n]*\n(.*)$")
  set(name ${CMAKE_MATCH_1})
  set(rest "${CMAKE_MATCH_2}")
  if(DEFINED KERNEL AND NOT name MATCHES "${KERNEL}")
    continue()
  endif()
  if(NOT rest MATCHES "^[^\n]*\n *([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads\n[^\n]*Used ([0-9]+) registers")
    message(FATAL_ERROR "ptxas reports otherwise:\n${text}")
  endif()
  math(EXPR count "${count} + 1")
  message("${name}: ${CMAKE_MATCH_4} registers, ${CMAKE_MATCH_1} bytes of stack, ${CMAKE_MATCH_2} spilled")
  if(CMAKE_MATCH_4 GREATER MOST OR CMAKE_MATCH_1 GREATER 0 OR CMAKE_MATCH_2 GREATER 0)
    message(FATAL_ERROR "the kernel needs more than ${MOST} registers, or spills")
  endif()
endwhile()
if(count EQUAL 0)
  message(FATAL_ERROR "there is no such kernel:\n${text}")
endif()
