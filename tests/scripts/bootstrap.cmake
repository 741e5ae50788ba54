# Without apt, bootstrap lists missing packages, installs nothing and fails; it reports if none is missing.
cmake_minimum_required(VERSION 3.25)

# A PATH with the programs that the script calls, without apt.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/bin)
foreach(name IN ITEMS dirname sed sort id env as ld)
  find_program(found_${name} ${name} REQUIRED)
  file(CREATE_LINK ${found_${name}} ${WORK}/bin/${name} SYMBOLIC)
endforeach()

function(bootstrap expected)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=${WORK}/bin CXX=${COMPILER} LC_ALL=C ${BASH} ${SCRIPT}
                  OUTPUT_VARIABLE out ERROR_VARIABLE out RESULT_VARIABLE status)
  if(NOT status EQUAL expected)
    message(FATAL_ERROR "status ${status} instead of ${expected}: ${out}")
  endif()
  set(OUT "${out}" PARENT_SCOPE)
endfunction()
function(says text)
  string(FIND "${OUT}" "${text}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "'${text}' is missing in: ${OUT}")
  endif()
endfunction()

bootstrap(1)
says("this system has no apt; please install:")
says("  CMake 3.25 or later\n")
says("  Ninja\n")
string(FIND "${OUT}" "Boost" at)
if(NOT at EQUAL -1)
  message(FATAL_ERROR "an installed package is reported as missing: ${OUT}")
endif()

file(CREATE_LINK ${CMAKE_COMMAND} ${WORK}/bin/cmake SYMBOLIC)
file(CREATE_LINK ${MAKE} ${WORK}/bin/ninja SYMBOLIC)
bootstrap(0)
says("this system has no apt; all that is needed is there")

# A compiler that finds no header.
file(WRITE ${WORK}/bin/poor "#!${BASH}\ncase \" $* \" in *' -E '*) exit 1 ;; esac\nexec ${COMPILER} \"$@\"\n")
file(CHMOD ${WORK}/bin/poor PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(COMPILER ${WORK}/bin/poor)
bootstrap(1)
foreach(need IN ITEMS "Boost 1.81" "nlohmann_json 3.11" "protozero 1.7" "doctest 2.4" "CLI11 2.1" "Thrust 1.17" "oneTBB 2021")
  says("  ${need}")
endforeach()
