# Finds LLVM's library for its IR: in the places that CMake searches (LLVM_DIR, LLVM_ROOT, CMAKE_PREFIX_PATH, ...), else by an
# llvm-config (on PATH, the one without a number first, or in the folder of a version, newest first), else by any
# LLVMConfig.cmake that CMake finds.
#
# TRAP: find_package(LLVM) would load LLVM's own package, which requires the language C and the development packages of
# all dependencies of LLVM. If an llvm-config lies beside the package, only its location is used; otherwise it is loaded.
#
# Imported target: LLVM::core. Variables: LLVMCore_FOUND, LLVMCore_VERSION. Hints: LLVMCore_CONFIG, an llvm-config;
# LLVMCore_LIBRARY, the library to link instead of LLVM's shared library (or its static ones, where it has no other): files or
# targets, such as those a project links already. Two copies of LLVM in one program do not work.
set(plait_llvm_components core irreader transformutils)

# plait_ask_llvm(<variable> <llvm-config> <argument>...): sets the output, empty on failure.
function(plait_ask_llvm variable program)
  execute_process(COMMAND ${program} ${ARGN} OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status
                  ERROR_QUIET)
  if(NOT status EQUAL 0)
    set(answer "")
  endif()
  set(${variable} "${answer}" PARENT_SCOPE)
endfunction()

# plait_llvm_package(<folder> <version> <option of find_package>...): finds the first LLVMConfig.cmake of a suitable
# version; if LLVM_DIR is set, of any version.
function(plait_llvm_package folder version)
  set(given "${LLVM_DIR}")
  set(cached $CACHE{LLVM_DIR})
  set(CMAKE_REQUIRE_FIND_PACKAGE_LLVM FALSE)
  set(CMAKE_FIND_PACKAGE_SORT_ORDER NATURAL)
  set(CMAKE_FIND_PACKAGE_SORT_DIRECTION DEC)
  find_package(LLVM 9999 CONFIG QUIET ${ARGN}) # no such version: lists the existing ones and loads none
  unset(LLVM_DIR CACHE)
  if(cached)
    set(LLVM_DIR "${cached}" CACHE PATH "The directory containing a CMake configuration file for LLVM.")
  endif()
  set(${folder} "" PARENT_SCOPE)
  set(${version} "" PARENT_SCOPE)
  foreach(config found IN ZIP_LISTS LLVM_CONSIDERED_CONFIGS LLVM_CONSIDERED_VERSIONS)
    cmake_path(GET config PARENT_PATH place)
    if(found VERSION_GREATER_EQUAL "${LLVMCore_FIND_VERSION}" OR given PATH_EQUAL place)
      file(REAL_PATH ${place} place)
      set(${folder} ${place} PARENT_SCOPE)
      set(${version} ${found} PARENT_SCOPE)
      break()
    endif()
  endforeach()
endfunction()

# plait_llvm_config_beside(<variable> <folder> <version>): finds the llvm-config of the installation of a package.
function(plait_llvm_config_beside variable folder version)
  string(REGEX MATCH "^[0-9]+" major ${version})
  find_program(found NAMES llvm-config llvm-config-${major} llvm-config-64 PATHS ${folder}/../../../bin NO_DEFAULT_PATH
               NO_CACHE)
  if(found)
    plait_ask_llvm(answer ${found} --version)
    if(NOT answer VERSION_EQUAL version)
      set(found "")
    endif()
  endif()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

function(plait_check_llvm_config result program)
  plait_ask_llvm(version ${program} --version)
  if(NOT version OR version VERSION_LESS "${LLVMCore_FIND_VERSION}")
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# plait_find_llvm_config(<variable>): finds an llvm-config without a package.
function(plait_find_llvm_config variable)
  set(names llvm-config)
  set(places "")
  foreach(version RANGE 99 14 -1)
    list(APPEND names llvm-config-${version} llvm-config${version} llvm${version}-config)
    list(APPEND places /usr/lib/llvm-${version}/bin /usr/lib/llvm${version}/bin /usr/lib64/llvm${version}/bin
         /usr/lib/llvm/${version}/bin /usr/local/llvm${version}/bin /opt/homebrew/opt/llvm@${version}/bin)
  endforeach()
  find_program(found NAMES ${names} NAMES_PER_DIR PATHS ${places} VALIDATOR plait_check_llvm_config NO_CACHE)
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

set(LLVMCore_VERSION "")
set(plait_llvm_include_dirs "")
set(plait_llvm_libraries "")
set(plait_llvm_problem "")
set(plait_llvm_config "${LLVMCore_CONFIG}")
set(plait_llvm_dir "")
if(NOT plait_llvm_config)
  plait_llvm_package(plait_llvm_dir LLVMCore_VERSION NO_SYSTEM_ENVIRONMENT_PATH NO_CMAKE_SYSTEM_PATH
                     NO_CMAKE_PACKAGE_REGISTRY NO_CMAKE_SYSTEM_PACKAGE_REGISTRY)
  if(NOT plait_llvm_dir)
    plait_find_llvm_config(plait_llvm_config)
  endif()
  if(NOT plait_llvm_dir AND NOT plait_llvm_config)
    plait_llvm_package(plait_llvm_dir LLVMCore_VERSION)
  endif()
  if(plait_llvm_dir)
    plait_llvm_config_beside(plait_llvm_config ${plait_llvm_dir} ${LLVMCore_VERSION})
  endif()
endif()

if(plait_llvm_config)
  plait_ask_llvm(LLVMCore_VERSION ${plait_llvm_config} --version)
  plait_ask_llvm(plait_llvm_include_dirs ${plait_llvm_config} --includedir)
  plait_ask_llvm(plait_llvm_answer ${plait_llvm_config} --obj-root) # for a build tree of LLVM, headers are in both
  if(EXISTS "${plait_llvm_answer}/include")
    list(APPEND plait_llvm_include_dirs ${plait_llvm_answer}/include)
  endif()
  list(REMOVE_DUPLICATES plait_llvm_include_dirs)
  plait_ask_llvm(plait_llvm_libraries ${plait_llvm_config} --link-shared --libfiles ${plait_llvm_components})
  separate_arguments(plait_llvm_libraries UNIX_COMMAND "${plait_llvm_libraries}")
  foreach(plait_llvm_library IN LISTS plait_llvm_libraries)
    if(NOT EXISTS "${plait_llvm_library}")
      set(plait_llvm_libraries "")
      break()
    endif()
  endforeach()
  if(NOT plait_llvm_libraries)
    plait_ask_llvm(plait_llvm_libraries ${plait_llvm_config} --link-static --libfiles ${plait_llvm_components})
    plait_ask_llvm(plait_llvm_answer ${plait_llvm_config} --link-static --system-libs ${plait_llvm_components})
    separate_arguments(plait_llvm_libraries UNIX_COMMAND "${plait_llvm_libraries} ${plait_llvm_answer}")
  endif()
elseif(plait_llvm_dir AND NOT CMAKE_C_COMPILER_LOADED)
  set(plait_llvm_problem
      "LLVM's package in ${plait_llvm_dir} has no llvm-config beside it, and to be loaded it wants the language C: enable it")
elseif(plait_llvm_dir)
  set(LLVM_DIR ${plait_llvm_dir})
  find_package(LLVM CONFIG QUIET)
  set(plait_llvm_include_dirs ${LLVM_INCLUDE_DIRS})
  if(LLVM_LINK_LLVM_DYLIB)
    set(plait_llvm_libraries LLVM)
  elseif(LLVM_FOUND)
    llvm_map_components_to_libnames(plait_llvm_libraries ${plait_llvm_components})
  endif()
endif()
if(LLVMCore_LIBRARY)
  set(plait_llvm_libraries ${LLVMCore_LIBRARY})
endif()
find_file(plait_llvm_header llvm/IR/Function.h PATHS ${plait_llvm_include_dirs} NO_DEFAULT_PATH NO_CACHE)
if(plait_llvm_include_dirs AND NOT plait_llvm_header)
  set(plait_llvm_problem "LLVM ${LLVMCore_VERSION} has no headers in ${plait_llvm_include_dirs}")
  set(plait_llvm_include_dirs "")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  LLVMCore
  REQUIRED_VARS plait_llvm_include_dirs plait_llvm_libraries
  VERSION_VAR LLVMCore_VERSION REASON_FAILURE_MESSAGE "${plait_llvm_problem}")

if(LLVMCore_FOUND AND NOT TARGET LLVM::core)
  add_library(LLVM::core INTERFACE IMPORTED)
  set_target_properties(LLVM::core PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${plait_llvm_include_dirs}"
                                              INTERFACE_LINK_LIBRARIES "${plait_llvm_libraries}")
endif()
