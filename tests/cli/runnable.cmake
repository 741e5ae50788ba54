# plait check --runnable: all reasons for which plait does not run a net.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

plait(0 check --runnable demo_net.pbtxt)
matches("${OUT}" "demo_net.pbtxt: 0 errors, 0 warnings, 2 notes; plait compiles the net\n$")
plait(0 check --runnable --json demo_net.pbtxt)
json_is("${OUT}" ON runnable)
json_is("${OUT}" 0 errors)

file(WRITE ${WORK}/wrong.pbtxt
     "op { type: \"Cnov\" input: \"x\" output: \"a\" }\n"
     "op { type: \"FC\" input: \"x\" input: \"w\" output: \"b\" output: \"c\" }\n"
     "op { type: \"LeakyRelu\" input: \"x\" output: \"d\" arg { name: \"alpha\" s: \"much\" } }\n"
     "op { type: \"Conv\" input: \"x\" input: \"w\" output: \"e\" arg { name: \"kernal\" i: 3 } }\n"
     "op { type: \"If\" input: \"s\" arg { name: \"then_net\" n { op { type: \"Rleu\" input: \"x\" output: \"f\" } } } }\n"
     "external_input: \"x\" external_input: \"w\" external_input: \"s\"\n")
plait(1 check --runnable ${WORK}/wrong.pbtxt)
set(at "wrong.pbtxt")
matches("${OUT}" "${at}:1:4: error: op 0 \\(Cnov\\) is of no type that plait runs; did you mean 'Conv'\\? \\[unknown op type\\]\n")
matches("${OUT}" "${at}:2:4: error: op 1 \\(FC\\) has 2 inputs; its type has 3 \\[operand count\\]\n")
matches("${OUT}" "${at}:2:4: error: op 1 \\(FC\\) has 2 outputs; its type has 1 \\[operand count\\]\n")
matches("${OUT}" "${at}:3:4: error: op 2 \\(LeakyRelu\\) has argument 'alpha', a string, which should be a float \\[argument\\]\n")
matches("${OUT}" "${at}:4:4: error: op 3 \\(Conv\\) is refused: argument 'kernel' is missing \\[argument\\]\n")
matches("${OUT}" "${at}:4:4: warning: op 3 \\(Conv\\) has an argument 'kernal', [^\n]*; did you mean 'kernel'\\? \\[unknown argument\\]\n")
matches("${OUT}" "${at}:5:4: error: in then_net of op 4 \\(If\\): op 0 \\(Rleu\\) is of no type [^\n]*did you mean 'Relu'")
matches("${OUT}" "6 errors, [0-9]+ warnings?, [0-9]+ notes?; plait does not run the net\n$")
plait(1 check --runnable --json ${WORK}/wrong.pbtxt)
json_is("${OUT}" OFF runnable)
json_is("${OUT}" 6 errors)
string(JSON count LENGTH "${OUT}" problems)
math(EXPR last "${count} - 1")
set(found "")
foreach(i RANGE ${last})
  string(JSON level GET "${OUT}" problems ${i} level)
  string(JSON kind GET "${OUT}" problems ${i} kind)
  string(JSON op GET "${OUT}" problems ${i} op)
  if(level STREQUAL "error")
    list(APPEND found "${op} ${kind}")
  endif()
endforeach()
if(NOT found STREQUAL
   "0 unknown op type;1 operand count;1 operand count;2 argument;3 argument;0 unknown op type")
  wrong("check --runnable --json: ${found}")
endif()
# Without --runnable only warnings are left, which are no failure.
plait(0 check ${WORK}/wrong.pbtxt)
if(OUT MATCHES "error:")
  wrong("check without --runnable reports errors: ${OUT}")
endif()

# Op types of a component.
file(WRITE ${WORK}/mpi.pbtxt "op { type: \"MPICreateCommonWorld\" output: \"comm\" }\n")
plait(1 check --runnable ${WORK}/mpi.pbtxt)
matches("${OUT}" "op 0 \\(MPICreateCommonWorld\\) is of no type that plait runs[^\n]* in the component plait::mpi, adds those of MPI")
plait(1 run ${WORK}/mpi.pbtxt)
matches("${ERR}" "op 0 \\(MPICreateCommonWorld\\): there is no op type 'MPICreateCommonWorld'[^\n]* in the component plait::mpi, adds those of MPI")

# In the binary format there are no lines: the path is printed once.
plait(0 convert ${WORK}/wrong.pbtxt -o ${WORK}/wrong.pb)
plait(1 check --runnable ${WORK}/wrong.pb)
string(REGEX MATCHALL "wrong\\.pb" paths "${OUT}")
list(LENGTH paths count)
if(NOT count EQUAL 1)
  wrong("check prints the path ${count} times: ${OUT}")
endif()
matches("${OUT}" "^[^\n]*wrong.pb:\n  [a-z]+: ")
matches("${OUT}" "\n  6 errors, [^\n]*\n$")
finish()
