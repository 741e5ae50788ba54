# Prefetch test: checks the assembly of prefetch.cpp, with and without optimisation, since prefetching changes no result.
cmake_minimum_required(VERSION 3.25)

foreach(level IN ITEMS 0 2)
  execute_process(COMMAND ${COMPILER} -std=c++20 -O${level} -I${SOURCE_DIR}/include -S -o -
                          ${SOURCE_DIR}/tests/headers/prefetch.cpp OUTPUT_VARIABLE assembly COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "\n[ \t]+(callq?|jmp|bl?)[ \t]+[^\n]*only_prefetch" calls "${assembly}")
  if(NOT calls)
    message(SEND_ERROR "-O${level}: the call of a function that only prefetches is missing:\n${assembly}")
  endif()
  foreach(instruction IN ITEMS ${READ} ${WRITE})
    if(NOT assembly MATCHES "\n[ \t]+${instruction}[ \t,]")
      message(SEND_ERROR "-O${level}: no ${instruction}:\n${assembly}")
    endif()
  endforeach()
endforeach()
