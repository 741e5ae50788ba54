# Flags of plait's own tests, examples, tools and benchmarks. Their folders call link_libraries(plait_own), which every
# target in them, or below them, inherits. Never part of an exported target.
add_library(plait_own INTERFACE)
target_link_libraries(plait_own INTERFACE plait::plait)
set_target_properties(plait_own PROPERTIES INTERFACE_COMPILE_FEATURES cxx_std_20)

# nvcc does not accept the flags of the host compiler.
function(plait_own_options)
  target_compile_options(plait_own INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${ARGN}>")
endfunction()
plait_own_options(-Wall -Wextra -Wpedantic -Wconversion)
if(NOT PLAIT_UNITY)
  plait_own_options(-Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Files that are compiled as one shadow each other's names; -Wshadow of headers is a test (headers/other_compiler).
  plait_own_options(-Wshadow=local)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105651: false alarms inside std::string's operator+ at -O2 and above.
  plait_own_options(-Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  # False alarms at -O3: GCC 13 believes that the rank of an inlined shape can exceed its limit.
  plait_own_options(-Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # With enough memory, GCC's garbage collection, which takes up to a tenth of its time, is disabled. One late collection is
  # worse than many: it leaves a free list of pages that each later large allocation walks from the beginning (a third of
  # the time of the largest unit, with GCC 12).
  cmake_host_system_information(RESULT plait_memory QUERY TOTAL_PHYSICAL_MEMORY) # MiB
  set(plait_heap 524288)
  if(plait_memory GREATER 20000)
    set(plait_heap 8000000)
  endif()
  plait_own_options(--param=ggc-min-heapsize=${plait_heap} --param=ggc-min-expand=100)
endif()
if(PLAIT_WERROR)
  plait_own_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND NOT APPLE)
  find_program(PLAIT_LLD ld.lld) # links in a fifth of the time of GNU ld
  mark_as_advanced(PLAIT_LLD)
  if(PLAIT_LLD)
    target_link_options(plait_own INTERFACE -fuse-ld=lld)
  endif()
endif()
if(PLAIT_SANITIZE)
  set(plait_sanitize -fsanitize=${PLAIT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  plait_own_options(${plait_sanitize})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # False alarms: in code instrumented by sanitizers, GCC 12 reports reads of the inactive members of variants and optionals.
    plait_own_options(-Wno-maybe-uninitialized)
  endif()
  target_link_options(plait_own INTERFACE ${plait_sanitize})
endif()

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_CXX_EXTENSIONS OFF)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()
endif()

if(PLAIT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(PLAIT_CCACHE_PROGRAM ccache)
  mark_as_advanced(PLAIT_CCACHE_PROGRAM)
  if(PLAIT_CCACHE_PROGRAM)
    # Sloppiness: without it ccache caches no file with a precompiled header. Depend mode: ccache reads the includes from the
    # compiler, so that a cache miss needs no second preprocessing.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_DEPEND=true
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${PLAIT_CCACHE_PROGRAM})
  endif()
endif()

# plait_share_runtime(<target>...): links the targets to plait::runtime. With PLAIT_UNITY, they use its instantiations, and
# what most of its users include is compiled once for all of them, with assertions.
function(plait_share_runtime)
  set(backends ${PLAIT_RUNTIME_BACKENDS})
  list(REMOVE_ITEM backends cuda)
  set(headers "")
  set(links plait::runtime)
  foreach(backend IN LISTS backends)
    list(APPEND headers <plait/exec/backends/${backend}/${backend}.hpp>)
    if(NOT backend STREQUAL "serial")
      list(APPEND links plait::exec_${backend}) # its flags: a precompiled header is valid for those that compiled it
    endif()
  endforeach()
  if(PLAIT_UNITY AND NOT TARGET plait_shared_header)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/shared_header.cpp CONTENT "")
    add_library(plait_shared_header OBJECT ${PROJECT_BINARY_DIR}/shared_header.cpp)
    target_link_libraries(plait_shared_header PRIVATE plait_own plait::exec plait::onnx ${links})
    target_compile_definitions(plait_shared_header PRIVATE PLAIT_CHECKED)
    target_precompile_headers(
      plait_shared_header PRIVATE ${headers} <plait/gradient.hpp> <plait/runtime/extern_templates.hpp>
      <plait/interop/onnx/read.hpp> <plait/netdef/read.hpp> <plait/netdef/write.hpp> <plait/rnn/recurrent_layers.hpp>)
  endif()
  foreach(target IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE plait::exec ${links})
    if(PLAIT_UNITY)
      target_compile_definitions(${target} PRIVATE PLAIT_CHECKED)
      target_precompile_headers(${target} REUSE_FROM plait_shared_header)
    endif()
  endforeach()
endfunction()
