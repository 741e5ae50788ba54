# plait diff: equal nets, and each kind of difference, with the exit status of diff(1).
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

# The format does not count, nor the names of nets and ops, nor the order of arguments.
plait(0 convert demo_net.pbtxt -o ${WORK}/demo.pb)
plait(0 diff demo_net.pbtxt ${WORK}/demo.pb)
if(NOT OUT STREQUAL "")
  wrong("equal nets differ: ${OUT}")
endif()
plait(0 diff --json demo_net.pbtxt ${WORK}/demo.pb)
json_is("${OUT}" ON equal)
file(WRITE ${WORK}/one.pbtxt "name: \"a\" op { type: \"A\" name: \"x\" arg { name: \"p\" i: 1 } arg { name: \"q\" i: 2 } }\n")
file(WRITE ${WORK}/other.pbtxt "name: \"b\" op { type: \"A\" engine: \"E\" arg { name: \"q\" i: 2 } arg { name: \"p\" i: 1 } }\n")
plait(0 diff ${WORK}/one.pbtxt ${WORK}/other.pbtxt)
set(INPUT ${WORK}/demo.pb)
plait(0 diff - demo_net.pbtxt)
unset(INPUT)

file(WRITE ${WORK}/before.pbtxt
     "op { type: \"FC\" name: \"fc1\" input: \"x\" input: \"w\" input: \"b\" output: \"h\" }\n"
     "op { type: \"Relu\" input: \"h\" output: \"h\" }\n"
     "op { type: \"Dropout\" input: \"h\" output: \"d\" arg { name: \"ratio\" f: 0.5 } arg { name: \"is_test\" i: 1 } }\n"
     "op { type: \"FC\" input: \"d\" input: \"w2\" input: \"b2\" output: \"y\" }\n"
     "op { type: \"Softmax\" input: \"y\" output: \"p\" }\n"
     "external_input: \"x\" external_input: \"w\" external_input: \"b\" external_output: \"p\"\n")
file(WRITE ${WORK}/after.pbtxt
     "op { type: \"FC\" input: \"x\" input: \"w\" input: \"b\" output: \"h\" }\n"
     "op { type: \"Tanh\" input: \"h\" output: \"h\" }\n"
     "op { type: \"Dropout\" input: \"h\" output: \"d\" arg { name: \"ratio\" f: 0.25 } arg { name: \"seed\" i: 3 } }\n"
     "op { type: \"FC\" input: \"d\" input: \"w3\" input: \"b2\" output: \"y\" device_option { device_type: 1 } }\n"
     "op { type: \"Copy\" input: \"y\" output: \"kept\" }\n"
     "op { type: \"Softmax\" input: \"y\" output: \"p\" }\n"
     "external_input: \"x\" external_input: \"b\" external_input: \"v\" external_output: \"p\"\n")
plait(1 diff ${WORK}/before.pbtxt ${WORK}/after.pbtxt)
string(REPLACE "${WORK}/" "" OUT "${OUT}")
same("${OUT}" diff.txt)
plait(1 diff --json ${WORK}/before.pbtxt ${WORK}/after.pbtxt)
json_is("${OUT}" OFF equal)
json_length("${OUT}" 0 removed_ops)
json_length("${OUT}" 1 added_ops)
json_is("${OUT}" 4 added_ops 0 op)
json_is("${OUT}" Copy added_ops 0 type)
json_length("${OUT}" 3 changed_ops)
json_is("${OUT}" type changed_ops 0 changes 0 what)
json_is("${OUT}" Relu changed_ops 0 changes 0 before)
json_is("${OUT}" Tanh changed_ops 0 changes 0 after)
json_is("${OUT}" is_test changed_ops 1 changes 0 argument)
json_is("${OUT}" 1 changed_ops 1 changes 0 before)
json_is("${OUT}" ratio changed_ops 1 changes 1 argument)
json_is("${OUT}" 0.5 changed_ops 1 changes 1 before)
json_is("${OUT}" 0.25 changed_ops 1 changes 1 after)
json_is("${OUT}" w external_inputs removed 0)
json_is("${OUT}" v external_inputs added 0)
# The other way round the op is removed.
plait(1 diff --json ${WORK}/after.pbtxt ${WORK}/before.pbtxt)
json_is("${OUT}" 4 removed_ops 0 op)
json_length("${OUT}" 0 added_ops)

# Ops inserted in the middle of many equal ones are the only difference.
set(ops "")
foreach(i RANGE 200)
  string(APPEND ops "op { type: \"Relu\" input: \"x\" output: \"x\" }\n")
endforeach()
file(WRITE ${WORK}/long.pbtxt "${ops}")
file(WRITE ${WORK}/longer.pbtxt "${ops}op { type: \"Tanh\" input: \"x\" output: \"y\" }\n${ops}")
plait(1 diff --json ${WORK}/long.pbtxt ${WORK}/longer.pbtxt)
json_length("${OUT}" 202 added_ops)
json_length("${OUT}" 0 changed_ops)

# A difference in a nested net and one in a long argument are named.
file(WRITE ${WORK}/if_a.pbtxt "op { type: \"If\" input: \"c\" arg { name: \"then_net\" n { op { type: \"A\" output: \"y\" } } } }\n")
file(WRITE ${WORK}/if_b.pbtxt "op { type: \"If\" input: \"c\" arg { name: \"then_net\" n { op { type: \"B\" output: \"y\" } } } }\n")
plait(1 diff ${WORK}/if_a.pbtxt ${WORK}/if_b.pbtxt)
matches("${OUT}" "argument 'then_net': n.op.0..type = A\n[^\n]*n.op.0..type = B\n")
# Externals in another order.
file(WRITE ${WORK}/xy.pbtxt "external_input: \"x\" external_input: \"y\"\n")
file(WRITE ${WORK}/yx.pbtxt "external_input: \"y\" external_input: \"x\"\n")
plait(1 diff ${WORK}/xy.pbtxt ${WORK}/yx.pbtxt)
matches("${OUT}" "\n! external inputs in another order\n$")

# Trouble is neither equality nor a difference.
plait(2 diff demo_net.pbtxt ${WORK}/nowhere.pb)
matches("${ERR}" "nowhere.pb: cannot open")
plait(2 diff demo_net.pbtxt)
plait(2 diff - -)
finish()
