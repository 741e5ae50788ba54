# Finds LLVM's shared library by llvm-config. LLVM's own package wants the C language and the packages of all that it
# depends on.
#
# Imported target: LLVM::core. Variables: LLVMCore_FOUND, LLVMCore_VERSION. Hint: LLVMCore_CONFIG, an llvm-config.
find_program(LLVMCore_CONFIG NAMES llvm-config-14 llvm-config-15 llvm-config-16 llvm-config)
mark_as_advanced(LLVMCore_CONFIG)

set(LLVMCore_INCLUDE_DIR "")
set(LLVMCore_LIBRARY "")
if(LLVMCore_CONFIG)
  function(plait_ask_llvm variable)
    execute_process(COMMAND ${LLVMCore_CONFIG} ${ARGN} OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    set(${variable} "${answer}" PARENT_SCOPE)
  endfunction()
  plait_ask_llvm(LLVMCore_VERSION --version)
  plait_ask_llvm(LLVMCore_INCLUDE_DIR --includedir)
  plait_ask_llvm(LLVMCore_LIBRARY --libfiles --link-shared)
  if(NOT EXISTS "${LLVMCore_INCLUDE_DIR}/llvm/IR/Function.h" OR NOT EXISTS "${LLVMCore_LIBRARY}")
    set(LLVMCore_LIBRARY "")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  LLVMCore
  REQUIRED_VARS LLVMCore_LIBRARY LLVMCore_INCLUDE_DIR
  VERSION_VAR LLVMCore_VERSION)

if(LLVMCore_FOUND AND NOT TARGET LLVM::core)
  add_library(LLVM::core INTERFACE IMPORTED)
  set_target_properties(LLVM::core PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${LLVMCore_INCLUDE_DIR}"
                                              INTERFACE_LINK_LIBRARIES "${LLVMCore_LIBRARY}")
endif()
