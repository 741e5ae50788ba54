# Library plait::runtime: the operators and plans of some backends, the readers and gradients behind plait/runtime.hpp and
# plait.h, compiled once. Also installed, for projects that build the library themselves:
#
#   find_package(plait REQUIRED COMPONENTS runtime_sources exec_tbb)
#   plait_add_runtime(BACKENDS serial tbb)
#   target_link_libraries(app PRIVATE plait::runtime)
include_guard(GLOBAL)

set(plait_runtime_templates ${CMAKE_CURRENT_LIST_DIR}/runtime)

# plait_operator_units(<variable> <folder> HEADERS <header>... BACKENDS <type>... [SUFFIX <suffix>]): writes translation
# units to the folder that instantiate standard_operators for these backends, types of the headers, and sets the variable to
# them. A unit has up to eight files of one family (plait/exec/operators/), for all of the backends, which share the loops.
function(plait_operator_units variable folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "SUFFIX" "HEADERS;BACKENDS")
  set(suffix ${arg_SUFFIX})
  if(NOT suffix)
    set(suffix cpp)
  endif()
  list(TRANSFORM arg_HEADERS REPLACE "(.+)" "#include <\\1>\n" OUTPUT_VARIABLE backends)
  list(JOIN backends "" backends)
  set(units "")
  set(all "") # declarations of what the units instantiate, for the table
  set(includes "")
  file(GLOB families CONFIGURE_DEPENDS ${plait_include_dir}/plait/exec/operators/*.hpp)
  foreach(family IN LISTS families)
    cmake_path(GET family STEM name)
    string(APPEND includes "#include <plait/exec/operators/${name}.hpp>\n")
    file(STRINGS ${family} headers REGEX "^#include <plait/exec/detail/operators/")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${family})
    list(LENGTH headers count)
    math(EXPR last "${count} - 1")
    math(EXPR size "(${count} + ${last} / 8) / (${last} / 8 + 1)") # of equal units
    foreach(first RANGE 0 ${last} ${size})
      list(SUBLIST headers ${first} ${size} some)
      set(instantiations "")
      set(nets FALSE)
      foreach(header IN LISTS some)
        string(REGEX REPLACE "^#include <(.+)>" "${plait_include_dir}/\\1" file ${header})
        file(STRINGS ${file} adds REGEX "^void add_[a-z0-9_]+\\(operators<B>& table\\)")
        file(STRINGS ${file} runs_nets REGEX "^#include <plait/exec/detail/(engine/|operators/recurrent_network_)")
        if(runs_nets)
          set(nets TRUE)
        endif()
        foreach(add IN LISTS adds)
          string(REGEX REPLACE "^void (add_[a-z0-9_]+).*" "\\1" function ${add})
          foreach(backend IN LISTS arg_BACKENDS)
            string(APPEND instantiations "template void plait::${function}<${backend}>(plait::operators<${backend}>&);\n")
          endforeach()
        endforeach()
      endforeach()
      # What ops that run nets need of plans is in the units of the backends.
      set(engine "")
      if(nets)
        set(engine "#include <plait/runtime/detail/plan_templates.hpp>\n")
        foreach(backend IN LISTS arg_BACKENDS)
          string(APPEND engine "PLAIT_PLAN_TEMPLATES(extern, ${backend})\n")
        endforeach()
      endif()
      list(JOIN some "\n" some)
      string(REGEX REPLACE "template void" "extern template void" declarations "${instantiations}")
      string(APPEND all "${declarations}")
      set(unit ${folder}/${name}_${first}.${suffix})
      file(CONFIGURE OUTPUT ${unit} CONTENT "${backends}${engine}${some}\n\n${instantiations}" @ONLY)
      list(APPEND units ${unit})
    endforeach()
  endforeach()
  foreach(backend IN LISTS arg_BACKENDS)
    string(APPEND all "\ntemplate plait::operators<${backend}> const& plait::standard_operators<${backend}>();\n")
  endforeach()
  set(unit ${folder}/standard_operators.${suffix})
  file(CONFIGURE OUTPUT ${unit} CONTENT
       "${backends}${includes}#include <plait/exec/standard_operators.hpp>\n\n${all}" @ONLY)
  set(${variable} ${units} ${unit} PARENT_SCOPE)
endfunction()

# plait_add_runtime([BACKENDS <backend>...] [LINKS <target>...]): adds the static library plait::runtime and the shared one
# plait::runtime_shared, with these backends of serial, omp, tbb and cuda, serial by default. Both have the same object files;
# the shared one exports the symbols of plait/runtime.hpp and plait.h only. LINKS: targets whose requirements apply to the
# object files, such as warnings. For cuda, the language CUDA must be enabled.
function(plait_add_runtime)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "BACKENDS;LINKS")
  set(backends ${arg_BACKENDS})
  if(NOT backends)
    set(backends serial)
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/plait_runtime)
  set(headers "")
  set(types "")
  if(NOT TARGET plait::runtime_sources)
    message(FATAL_ERROR "plait_add_runtime needs the component plait::runtime_sources")
  endif()
  set(components plait::runtime_sources)
  set(sources "")
  set(names "")
  foreach(backend IN LISTS backends)
    set(link plait::exec_${backend})
    if(backend STREQUAL "serial")
      set(link plait::exec)
    endif()
    if(NOT TARGET ${link})
      message(FATAL_ERROR "plait_add_runtime: the backend ${backend} needs the component ${link}")
    endif()
    list(APPEND components ${link})
    set(type plait::${backend})
    set(header plait/exec/backends/${backend}/${backend}.hpp)
    set(suffix cpp)
    if(backend STREQUAL "cuda")
      set(header plait/exec/backends/cuda/cublas.hpp)
      set(suffix cu)
      plait_operator_units(units ${folder}/cuda HEADERS ${header} BACKENDS ${type} SUFFIX cu)
      list(APPEND sources ${units})
    else()
      list(APPEND headers ${header})
      list(APPEND types ${type})
    endif()
    configure_file(${plait_runtime_templates}/backend.cpp.in ${folder}/${backend}.${suffix} @ONLY)
    list(APPEND sources ${folder}/${backend}.${suffix})
    string(APPEND declarations
           "std::unique_ptr<session_backend> make_${backend}_session(session_model&&, session_options const&);\n")
    string(APPEND factories "    {\"${backend}\", make_${backend}_session},\n")
    string(TOUPPER ${backend} upper)
    list(APPEND names PLAIT_RUNTIME_${upper})
  endforeach()
  if(types)
    plait_operator_units(units ${folder} HEADERS ${headers} BACKENDS ${types})
    list(APPEND sources ${units})
  endif()
  # These have no kernels, and read no header of a backend. Only the readers of NetDefs gain from optimisation.
  foreach(unit IN ITEMS models onnx training sessions)
    configure_file(${plait_runtime_templates}/${unit}.cpp.in ${folder}/${unit}.cpp @ONLY)
    list(PREPEND sources ${folder}/${unit}.cpp)
    set(level $<$<CONFIG:Debug>:-O0>)
    if(NOT unit STREQUAL "models")
      set(level $<IF:$<CONFIG:Debug>,-O0,-O1>)
    endif()
    set_source_files_properties(${folder}/${unit}.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS ${level})
  endforeach()

  add_library(plait_runtime_objects OBJECT ${sources})
  target_link_libraries(plait_runtime_objects PRIVATE ${components} ${arg_LINKS})
  list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>" OUTPUT_VARIABLE precompiled)
  target_precompile_headers(plait_runtime_objects PRIVATE ${precompiled}
                            "$<$<COMPILE_LANGUAGE:CXX>:<plait/exec/operators.hpp$<ANGLE-R>>")
  set_target_properties(plait_runtime_objects PROPERTIES UNITY_BUILD OFF POSITION_INDEPENDENT_CODE ON
                                                         CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  # Unoptimised kernels are too slow even for tests; with GCC -O1 takes twice as long as -Og. Clang warns about each loop
  # marked as independent that -O1 does not vectorise.
  target_compile_options(
    plait_runtime_objects PRIVATE $<$<AND:$<CONFIG:Debug>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:-Og>
                                  "$<$<AND:$<CONFIG:Debug>,$<COMPILE_LANG_AND_ID:CXX,Clang,AppleClang>>:-O1;-Wno-pass-failed>")

  add_library(plait_runtime STATIC $<TARGET_OBJECTS:plait_runtime_objects>)
  add_library(plait_runtime_shared SHARED $<TARGET_OBJECTS:plait_runtime_objects>)
  # For plait/runtime/extern_templates.hpp.
  target_compile_definitions(plait_runtime INTERFACE ${names})
  foreach(library IN ITEMS plait_runtime plait_runtime_shared)
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX)
    string(REPLACE "plait_" "" name ${library})
    add_library(plait::${name} ALIAS ${library})
    set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
    target_compile_features(${library} INTERFACE cxx_std_20)
    target_include_directories(
      ${library} INTERFACE "$<BUILD_INTERFACE:${plait_include_dir}>" $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
  list(TRANSFORM components REPLACE "^plait::" "" OUTPUT_VARIABLE names)
  set(plait_runtime_components ${names} PARENT_SCOPE) # for the install rules
  # The libraries of the backends are needed to link, their headers are not.
  list(TRANSFORM components REPLACE "(.+)" "$<LINK_ONLY:\\1>" OUTPUT_VARIABLE links)
  target_link_libraries(plait_runtime PRIVATE ${links})
  target_link_libraries(plait_runtime_shared PRIVATE ${components} ${arg_LINKS})
  set_target_properties(plait_runtime plait_runtime_shared PROPERTIES OUTPUT_NAME plait)
  set_target_properties(plait_runtime_shared PROPERTIES VERSION ${plait_library_version}
                                                        SOVERSION ${plait_abi_version})
  if(UNIX AND NOT APPLE)
    configure_file(${plait_runtime_templates}/exports.map.in ${folder}/exports.map @ONLY)
    target_link_options(plait_runtime_shared PRIVATE -Wl,--version-script=${folder}/exports.map)
    set_target_properties(plait_runtime_shared PROPERTIES LINK_DEPENDS ${folder}/exports.map)
  endif()
endfunction()

# plait_enable_cuda(): enables the language CUDA in this folder. A macro, as CMake requires. The standard is passed as a
# flag, since CMake 3.25 assumes that C++20 is the default of nvcc 13. Unless CMAKE_CUDA_ARCHITECTURES names devices, code
# is compiled to PTX for all devices that nvcc 13 supports, whose driver assembles it.
macro(plait_enable_cuda)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75-virtual)
  endif()
  set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
  enable_language(CUDA)
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--extended-lambda;--expt-relaxed-constexpr>")
endmacro()

# plait_share_plans(<target> <backend>...): with PLAIT_UNITY, a target that links plait::runtime uses the plans there.
function(plait_share_plans target)
  foreach(backend IN LISTS ARGN)
    set_property(TARGET ${target} APPEND_STRING PROPERTY UNITY_BUILD_CODE_BEFORE_INCLUDE
                 "#include <plait/exec/backends/${backend}/${backend}.hpp>\n")
  endforeach()
  set_property(TARGET ${target} APPEND_STRING PROPERTY UNITY_BUILD_CODE_BEFORE_INCLUDE
               "#include <plait/runtime/extern_templates.hpp>\n")
endfunction()
