# plait man: groff formats the page without a warning, and it has every subcommand and option. GROFF is the program.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
plait(0 man -o ${WORK}/plait.1)
execute_process(COMMAND ${GROFF} -man -Tutf8 -P-bcou -ww -rLL=100n ${WORK}/plait.1 OUTPUT_VARIABLE page ERROR_VARIABLE err
                RESULT_VARIABLE result)
if(NOT result EQUAL 0 OR NOT err STREQUAL "")
  wrong("groff: status ${result}: ${err}")
endif()
matches("${page}" "plait [^\n]* Inspects, transforms and runs NetDef files")
foreach(command IN ITEMS info check ssa dot view grad convert prune rename share subgraph export run ops diff completion man)
  matches("${page}" "plait ${command} ")
endforeach()
# Options, among them that of an option group, and a character beyond ASCII. How a hyphen looks is the device's choice.
matches("${page}" "runnable\n")
matches("${page}" "o, [^ \n]+output[^ \n]+file FILE\n")
matches("${page}" "from[^ \n]producer\n")
matches("${page}" "ConstantFill, …\\)")
finish()
