# plait grad: the backward pass alone, appended to the net, as a Graphviz graph; problems.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

plait(0 grad demo_net.pbtxt --y p)
same("${OUT}" grad.pbtxt)
same("${ERR}" grad.txt)

# The format follows the suffix, or is given; the backward net can be read, and is complete.
plait(0 grad demo_net.pbtxt --y p -o ${WORK}/grad.pb)
same("${OUT}" grad.txt)
plait(0 info --json ${WORK}/grad.pb)
json_is("${OUT}" binary format)
json_is("${OUT}" demo_grad name)
plait(0 convert ${WORK}/grad.pb)
same("${OUT}" grad.pbtxt)
plait(0 check --strict ${WORK}/grad.pb)
plait(0 grad demo_net.pbtxt --y p --to json)
string(JSON name GET "${OUT}" name)
if(NOT name STREQUAL "demo_grad")
  wrong("--to json: ${name}")
endif()

# Appended: the ops of the net first, its interface and more.
plait(0 grad demo_net.pbtxt --y p=dp --only w1,b1 --append -o ${WORK}/both.json)
matches("${OUT}" "^demo_net.pbtxt:\n  [0-9]+ gradient ops\n  gradient of 'w1': w1_grad\n  gradient of 'b1': b1_grad\n$")
plait(0 check --strict ${WORK}/both.json)
plait(0 info --json ${WORK}/both.json)
json_is("${OUT}" demo name)
json_length("${OUT}" 9 external_inputs)
json_is("${OUT}" dp external_inputs 8)
json_length("${OUT}" 3 external_outputs)
json_is("${OUT}" p external_outputs 0)
json_is("${OUT}" w1_grad external_outputs 1)
plait(0 ssa --json ${WORK}/both.json)
json_is("${OUT}" If ops 9 type)
json_is("${OUT}" SoftmaxGradient ops 11 type)

# A net with its gradients runs, and these are right: 2 x, summed where it is read twice.
file(WRITE ${WORK}/square.pbtxt "op { type: \"Sqr\" input: \"x\" output: \"y\" }\n"
                                "op { type: \"Sum\" input: \"y\" input: \"x\" output: \"z\" }\nexternal_output: \"z\"\n")
file(WRITE ${WORK}/three.pbtxt
     "op { type: \"ConstantFill\" output: \"x\" arg { name: \"shape\" ints: 2 } arg { name: \"value\" f: 3 } }\n")
plait(0 grad ${WORK}/square.pbtxt --y z --append -o ${WORK}/run.pbtxt)
plait(0 run ${WORK}/run.pbtxt --init ${WORK}/three.pbtxt)
matches("${OUT}" "x_grad: float32 2 = 7 7\n")

# An overwritten value is a problem, or copied, or recomputed.
file(WRITE ${WORK}/over.pbtxt "op { type: \"Sqr\" input: \"x\" output: \"a\" }\nop { type: \"Sqr\" input: \"a\" output: \"y\" }\n"
                              "op { type: \"Sin\" input: \"y\" output: \"a\" }\nexternal_input: \"x\"\n")
plait(1 grad ${WORK}/over.pbtxt --y y)
matches("${ERR}" "over.pbtxt:2:4: op 1 \\(Sqr\\): its gradient needs 'a' at version 1[^\n]*\n$")
plait(0 grad ${WORK}/over.pbtxt --y y --overwritten copy)
matches("${ERR}" "  the net must copy 'a' to 'a_saved' before op 1\n")
plait(0 grad ${WORK}/over.pbtxt --y y --overwritten copy --append)
matches("${OUT}" "type: \"Copy\"")
matches("${ERR}" "  copied 'a' to 'a_saved' before op 1\n")
plait(0 grad ${WORK}/over.pbtxt --y y --overwritten recompute)
matches("${OUT}" "output: \"a_again\"")

# All problems are reported, those of ops at their positions, and nothing is written.
file(WRITE ${WORK}/wrong.pbtxt "op { type: \"Floor\" input: \"x\" output: \"a\" }\nop { type: \"Nope\" input: \"x\" output: \"b\" }\n"
                               "op { type: \"Add\" input: \"a\" input: \"b\" output: \"y\" }\n")
file(REMOVE ${WORK}/out.pbtxt)
plait(1 grad ${WORK}/wrong.pbtxt --y y --y nobody -o ${WORK}/out.pbtxt --dot ${WORK}/out.dot)
string(REPLACE "${WORK}/" "" problems "${ERR}")
same("${problems}" grad_problems.txt)
plait(1 grad demo_net.pbtxt --y p --only w1,hiden,x -o ${WORK}/out.pbtxt)
matches("${ERR}" "demo_net.pbtxt: the net has no blob 'hiden', whose gradient is requested; there are '")
if(NOT OUT STREQUAL "" OR EXISTS ${WORK}/out.pbtxt OR EXISTS ${WORK}/out.dot)
  wrong("a net without a gradient has written something")
endif()
plait(2 grad demo_net.pbtxt --y p=)
matches("${ERR}" "--y expects")
plait(1 grad demo_net.pbtxt --y p --y p=dp)
matches("${ERR}" "seed 'p' has two different gradients")
plait(1 grad ${WORK}/nowhere.pb --y y)
plait(2 grad demo_net.pbtxt)
plait(2 grad demo_net.pbtxt --y p --overwritten guess)
plait(0 grad --help)
matches("${OUT}" "Usage: plait grad")

# Sparse and dense gradients of one table.
file(WRITE ${WORK}/table.pbtxt "op { type: \"Gather\" input: \"t\" input: \"ids\" output: \"rows\" }\n"
                               "op { type: \"SumElements\" input: \"rows\" output: \"a\" }\n"
                               "op { type: \"SumElements\" input: \"t\" output: \"b\" }\n"
                               "op { type: \"Add\" input: \"a\" input: \"b\" output: \"y\" }\n")
plait(0 grad ${WORK}/table.pbtxt --y a)
matches("${ERR}" "  gradient of 't': rows_grad, sparse, rows ids\n")
plait(1 grad ${WORK}/table.pbtxt --y y)
plait(0 grad ${WORK}/table.pbtxt --y y --densify)
matches("${OUT}" "type: \"SparseToDense\"")

# Shapes that broadcast, and Caffe2's rules.
file(WRITE ${WORK}/add.pbtxt "op { type: \"Add\" input: \"x\" input: \"b\" output: \"y\" }\n")
plait(0 grad ${WORK}/add.pbtxt --y y --numpy-broadcasting)
matches("${OUT}" "type: \"SumReduceLike\"")
plait(0 grad ${WORK}/add.pbtxt --y y)
if(OUT MATCHES "SumReduceLike")
  wrong("shapes are taken to broadcast without --numpy-broadcasting")
endif()
file(WRITE ${WORK}/where.pbtxt "op { type: \"Where\" input: \"c\" input: \"a\" input: \"b\" output: \"y\" }\n")
plait(0 grad ${WORK}/where.pbtxt --y y)
plait(1 grad ${WORK}/where.pbtxt --y y --as-caffe2)
matches("${ERR}" "op 0 \\(Where\\): Caffe2 has no gradient of this operator")

# The graph: two clusters; alone on standard output, or beside the net.
plait(0 grad demo_net.pbtxt --y p --dot -)
same("${OUT}" grad.dot)
same("${ERR}" grad.txt)
plait(0 grad demo_net.pbtxt --y p --dot ${WORK}/grad.dot)
same("${OUT}" grad.pbtxt)
same_files(${WORK}/grad.dot ${CMAKE_CURRENT_LIST_DIR}/golden/grad.dot)
finish()
