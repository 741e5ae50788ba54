# Selection by cmake/FindLLVMCore.cmake among mock LLVM installations: numbered ones, one with static libraries only, one
# without llvm-config, and one that is too old.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})

# make(<name> <version> [SHARED] [CONFIG])
function(make name version)
  set(prefix ${WORK}/${name})
  file(WRITE ${prefix}/include/llvm/IR/Function.h "")
  set(libraries ${prefix}/lib/libLLVMCore.a)
  if("SHARED" IN_LIST ARGN)
    set(libraries ${prefix}/lib/libLLVM.so)
  endif()
  file(WRITE ${libraries} "")
  # LLVM's own package, which requires C.
  file(WRITE ${prefix}/lib/cmake/llvm/LLVMConfig.cmake "if(NOT CMAKE_C_COMPILER_LOADED)
  message(FATAL_ERROR \"LLVM's package was loaded without the language C\")
endif()
set(LLVM_INCLUDE_DIRS ${prefix}/include)
function(llvm_map_components_to_libnames out)
  set(\${out} LLVMCore PARENT_SCOPE)
endfunction()
")
  file(WRITE ${prefix}/lib/cmake/llvm/LLVMConfigVersion.cmake "set(PACKAGE_VERSION ${version})
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
")
  if("CONFIG" IN_LIST ARGN)
    file(WRITE ${prefix}/bin/llvm-config "#!/bin/sh
case \"$*\" in
  --version) echo ${version} ;;
  --includedir) echo ${prefix}/include ;;
  --obj-root) echo ${prefix} ;;
  *--link-shared*) case ${libraries} in *.so) echo ${libraries} ;; *) exit 1 ;; esac ;;
  *--system-libs*) echo -lz -lm ;;
  *--libfiles*) echo ${libraries} ;;
esac
")
    file(CHMOD ${prefix}/bin/llvm-config PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endif()
endfunction()
make(old 13.0.1 SHARED CONFIG)
make(first 14.0.6 SHARED CONFIG)
make(last 22.1.8 SHARED CONFIG)
make(static 23.1.1 CONFIG)
make(bare 19.1.7 SHARED)

file(WRITE ${WORK}/project/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(choice LANGUAGES \${LANGUAGES})
list(APPEND CMAKE_MODULE_PATH ${SOURCE_DIR}/cmake)
find_package(LLVMCore 14)
if(LLVMCore_FOUND)
  get_target_property(folder LLVM::core INTERFACE_INCLUDE_DIRECTORIES)
  get_target_property(libraries LLVM::core INTERFACE_LINK_LIBRARIES)
  message(STATUS \"answer: \${LLVMCore_VERSION} \${folder} \${libraries}\")
endif()
message(STATUS \"LLVM_DIR: \${LLVM_DIR}\")
")

# expect(<text> <argument of cmake>...): configuring a project of the languages LANGUAGES must print the text.
set(LANGUAGES NONE)
function(expect text)
  file(REMOVE_RECURSE ${WORK}/build)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK}/project -B ${WORK}/build -DLANGUAGES=${LANGUAGES} ${ARGN}
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${text}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "cmake ${ARGN}: expected '${text}' in: ${output}")
  endif()
endfunction()

set(first "answer: 14.0.6 ${WORK}/first/include ${WORK}/first/lib/libLLVM.so")
set(last "answer: 22.1.8 ${WORK}/last/include ${WORK}/last/lib/libLLVM.so")
foreach(name IN ITEMS first last)
  expect("${${name}}" -DLLVM_DIR=${WORK}/${name}/lib/cmake/llvm)
  expect("LLVM_DIR: ${WORK}/${name}/lib/cmake/llvm" -DLLVM_DIR=${WORK}/${name}/lib/cmake/llvm) # unchanged
  expect("${${name}}" -DLLVM_ROOT=${WORK}/${name})
  expect("${${name}}" -DCMAKE_PREFIX_PATH=${WORK}/${name})
  expect("${${name}}" -DLLVMCore_CONFIG=${WORK}/${name}/bin/llvm-config)
endforeach()
# The first of several that is new enough; CMake's variables take precedence over PATH.
expect("${last}" "-DCMAKE_PREFIX_PATH=${WORK}/old\;${WORK}/last\;${WORK}/first")
set(path "$ENV{PATH}")
set(ENV{PATH} "${WORK}/first/bin:${path}")
expect("${first}")
expect("${last}" -DCMAKE_PREFIX_PATH=${WORK}/last)
set(ENV{PATH} "${WORK}/old/bin:${WORK}/last/bin:${path}")
expect("${last}")
set(ENV{PATH} "${path}")
set(ENV{LLVM_DIR} ${WORK}/first/lib/cmake/llvm)
expect("${first}")
unset(ENV{LLVM_DIR})

expect("answer: 23.1.1 ${WORK}/static/include ${WORK}/static/lib/libLLVMCore.a;-lz;-lm" -DLLVM_ROOT=${WORK}/static)
expect("answer: 14.0.6 ${WORK}/first/include LLVMCore;LLVMAnalysis" -DLLVM_ROOT=${WORK}/first
       "-DLLVMCore_LIBRARY=LLVMCore\;LLVMAnalysis")
# LLVM_DIR is not ignored.
expect("Found unsuitable version \"13.0.1\"" -DLLVM_DIR=${WORK}/old/lib/cmake/llvm)
expect("has no llvm-config beside it, and to be loaded it wants the language C" -DLLVM_ROOT=${WORK}/bare)
set(LANGUAGES C)
expect("answer: 19.1.7 ${WORK}/bare/include LLVMCore" -DLLVM_ROOT=${WORK}/bare)
