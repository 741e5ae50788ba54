# One case of compile_fail; CMakeLists.txt describes the files.
cmake_minimum_required(VERSION 3.25)

list(REMOVE_DUPLICATES INCLUDE_DIRS)
list(TRANSFORM INCLUDE_DIRS PREPEND -I)
if(COMPILER_ID MATCHES "Clang")
  set(own clang)
  set(no_source -fno-caret-diagnostics)
  set(quick "")
else()
  set(own gcc)
  set(no_source -fno-diagnostics-show-caret)
  set(quick --param=ggc-min-heapsize=524288 --param=ggc-min-expand=100) # as plait_own
endif()

# no_source: an expected text must be said by the compiler, not stand in a line that it quotes.

# Not file(STRINGS): a bracket in one line would merge it with the next.
file(READ ${SOURCE} rest)
set(count 0)
while(rest MATCHES "// expect(-${own})?: *([^\n]*)\n(.*)$")
  string(STRIP "${CMAKE_MATCH_2}" expected_${count})
  set(rest "${CMAKE_MATCH_3}")
  math(EXPR count "${count} + 1")
endwhile()
if(count EQUAL 0)
  message(FATAL_ERROR "${SOURCE} has no line '// expect: <text>' for ${own}")
endif()

set(ENV{LC_ALL} C)
function(compile result output)
  execute_process(
    COMMAND ${COMPILER} -std=c++20 -fsyntax-only ${quick} ${no_source} -fmessage-length=0 -DPLAIT_CHECKED ${ARGN}
            ${INCLUDE_DIRS} ${SOURCE} RESULT_VARIABLE status ERROR_VARIABLE text OUTPUT_VARIABLE text)
  set(${result} ${status} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

compile(status output -DPLAIT_COMPILE_FAIL_CONTROL)
if(NOT status EQUAL 0)
  message("${output}")
  message(FATAL_ERROR "the control does not compile: the file holds another mistake than the one it is about")
endif()

compile(status output)
if(status EQUAL 0)
  message(FATAL_ERROR "the file compiles; it must not")
endif()
set(failed FALSE)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(FIND "${output}" "${expected_${i}}" at)
  if(at EQUAL -1)
    message("the compiler does not say: ${expected_${i}}")
    set(failed TRUE)
  endif()
endforeach()
if(failed)
  message("${output}")
  message(FATAL_ERROR "the file fails with another message than the one expected")
endif()
