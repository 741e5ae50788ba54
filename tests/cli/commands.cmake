# Commands that write nets: the content is right in every format.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

# Text, JSON and binary hold the same net; the format is detected by content, not by suffix.
plait(0 convert demo_net.pbtxt -o ${WORK}/a.pbtxt)
plait(0 convert ${WORK}/a.pbtxt -o ${WORK}/a.json)
plait(0 convert ${WORK}/a.json -o ${WORK}/a.pb)
plait(0 convert --format text ${WORK}/a.pb -o ${WORK}/b.json)
same_files(${WORK}/a.pbtxt ${WORK}/b.json)
plait(0 info --json ${WORK}/b.json)
json_is("${OUT}" text format)
plait(0 info --json ${WORK}/a.pb)
json_is("${OUT}" binary format)
set(INPUT ${WORK}/a.pb)
plait(0 convert - --format json)
file(WRITE ${WORK}/from_stdin.json "${OUT}")
unset(INPUT)
plait(0 convert ${WORK}/from_stdin.json -o ${WORK}/from_stdin.pbtxt)
same_files(${WORK}/a.pbtxt ${WORK}/from_stdin.pbtxt)

# Pruning is idempotent, and reports what it removed on the stream without the net.
plait(0 prune demo_net.pbtxt -o ${WORK}/pruned.pb)
matches("${OUT}" "2 of 11 ops removed")
plait(0 prune ${WORK}/pruned.pb --dry-run)
matches("${OUT}" "0 of 9 ops removed")
plait(0 prune demo_net.pbtxt)
matches("${ERR}" "^demo_net.pbtxt:\n  removed op 7 [^\n]*\n  removed op 8 [^\n]*\n  2 of 11 ops removed\n$")
# With --quiet only results remain.
foreach(command IN ITEMS "prune;demo_net.pbtxt" "share;demo_net.pbtxt" "grad;demo_net.pbtxt;--y;p"
                         "rename;demo_net.pbtxt;raw;--op;0;--output;0")
  plait(0 ${command})
  set(net "${OUT}")
  if(ERR STREQUAL "")
    wrong("plait ${command} says nothing")
  endif()
  plait(0 ${command} --quiet)
  if(NOT OUT STREQUAL net OR NOT ERR STREQUAL "")
    wrong("plait ${command} --quiet says: ${ERR}")
  endif()
endforeach()
plait(0 prune -q demo_net.pbtxt --dry-run)
matches("${OUT}" "2 of 11 ops removed")
file(WRITE ${WORK}/no_outputs.pbtxt "op { type: \"A\" output: \"y\" }\nop { type: \"Print\" input: \"y\" }\n")
plait(0 prune ${WORK}/no_outputs.pbtxt --dry-run)
matches("${ERR}" "declares no external outputs")
matches("${OUT}" "0 of 2 ops removed")
plait(0 prune ${WORK}/no_outputs.pbtxt --dry-run --force)
matches("${OUT}" "0 of 2 ops removed")
plait(0 prune ${WORK}/no_outputs.pbtxt --dry-run --force --sinks)
matches("${OUT}" "2 of 2 ops removed")

# Blobs with disjoint live ranges share a name; a second run changes nothing.
file(WRITE ${WORK}/chain.pbtxt "op { type: \"A\" input: \"x\" output: \"a\" }
op { type: \"B\" input: \"a\" output: \"b\" }
op { type: \"C\" input: \"b\" output: \"c\" }
op { type: \"D\" input: \"c\" output: \"y\" }
external_input: \"x\" external_output: \"y\"\n")
plait(0 share ${WORK}/chain.pbtxt -o ${WORK}/shared.pbtxt)
matches("${OUT}" "'a' is now '__m0_shared'.*'c' is now '__m0_shared'.*2 blobs in place of 3")
plait(0 ssa --json ${WORK}/shared.pbtxt)
json_is("${OUT}" __m0_shared ops 3 reads 0 blob)
plait(0 share --any-order --json ${WORK}/shared.pbtxt -o ${WORK}/again.pbtxt)
json_is("${OUT}" 2 blobs)
json_is("${OUT}" 2 blobs_before)
same_files(${WORK}/shared.pbtxt ${WORK}/again.pbtxt)
plait(0 share --keep a,c --scope s ${WORK}/chain.pbtxt -o ${WORK}/kept.pbtxt)
matches("${OUT}" "1 blob in place of 1")
plait(0 share --reorder --json ${WORK}/chain.pbtxt -o ${WORK}/ordered.pbtxt)
json_is("${OUT}" 3 order 3)
plait(0 share --free ${WORK}/chain.pbtxt -o ${WORK}/freed.pbtxt)
matches("${OUT}" "'a' is freed after op 1.*'b' is freed after op 2.*'c' is freed after op 3")
plait(0 ssa --json ${WORK}/freed.pbtxt)
json_is("${OUT}" Free ops 2 type)
plait(2 share --free --reorder ${WORK}/chain.pbtxt)

# One version is renamed, the other keeps its name: in the writer and in the in-place reader.
plait(0 rename demo_net.pbtxt raw --op 0 --output 0 -o ${WORK}/renamed.pbtxt)
matches("${ERR}" "'h' \\(version 1\\) is now 'raw' in 2 places")
plait(0 ssa --json ${WORK}/renamed.pbtxt)
json_is("${OUT}" raw ops 0 writes 0 blob)
json_is("${OUT}" raw ops 1 reads 0 blob)
json_is("${OUT}" h ops 1 writes 0 blob)
json_is("${OUT}" h ops 2 reads 0 blob)
# A parameter is renamed in both nets, or in neither.
plait(1 rename demo_net.pbtxt weight --op 0 --input 1 --init demo_init_net.pbtxt -o ${WORK}/n.pbtxt)
matches("${ERR}" "--init-output")
plait(0 rename demo_net.pbtxt weight --op 0 --input 1 --init demo_init_net.pbtxt -o ${WORK}/n.pbtxt --init-output
      ${WORK}/i.pbtxt)
plait(0 ssa --json ${WORK}/i.pbtxt)
json_is("${OUT}" weight ops 0 writes 0 blob)
plait(0 ssa --json ${WORK}/n.pbtxt)
json_is("${OUT}" weight external_inputs 2 blob)
# With --from-producer, other readers are renamed, too.
plait(0 rename demo_net.pbtxt hidden --op 2 --input 0 --from-producer -o ${WORK}/n.pbtxt)
plait(0 ssa --json ${WORK}/n.pbtxt)
json_is("${OUT}" hidden ops 4 reads 0 blob)

# A subgraph is extracted as a net.
plait(0 subgraph demo_net.pbtxt --from h --to mixed --extract -o ${WORK}/subgraph.json)
plait(0 check --strict --json ${WORK}/subgraph.json)
json_length("${OUT}" 0 problems)
plait(0 info --json ${WORK}/subgraph.json)
json_is("${OUT}" 5 ops)
json_is("${OUT}" mixed external_outputs 0)

# Init and predict net: what the former writes and what is fed are the inputs that the latter declares.
plait(0 export demo_net.pbtxt --init demo_init_net.pbtxt --init-output ${WORK}/init.pb --predict-output ${WORK}/predict.pb)
matches("${OUT}" "inputs:  x sharpen\noutputs: p\n")
plait(0 info --json ${WORK}/init.pb)
json_is("${OUT}" 6 ops)
json_is("${OUT}" 6 op_types GivenTensorFill)
# An init net without declared outputs defines parameters all the same.
file(WRITE ${WORK}/scale.pbtxt "op { type: \"Mul\" input: \"x\" input: \"w\" output: \"y\" }\n"
     "external_input: \"x\" external_input: \"w\" external_output: \"y\"\n")
file(WRITE ${WORK}/undeclared.pbtxt
     "op { type: \"ConstantFill\" output: \"w\" arg { name: \"shape\" ints: 2 } arg { name: \"value\" f: 3 } }\n")
plait(0 export ${WORK}/scale.pbtxt --init ${WORK}/undeclared.pbtxt --init-output ${WORK}/i.pb --predict-output -)
matches("${ERR}" "inputs:  x\noutputs: y\n")
file(WRITE ${WORK}/from_stdout.pbtxt "${OUT}")
plait(0 info --json ${WORK}/from_stdout.pbtxt)
json_is("${OUT}" 1 ops)
plait(0 info --json ${WORK}/i.pb)
json_is("${OUT}" 1 op_types GivenTensorFill)
plait(0 check --strict ${WORK}/predict.pb)

# Graphviz: versions only on request, clusters for nested nets.
plait(0 dot demo_net.pbtxt)
matches("${OUT}" "^digraph \"demo\" {")
matches("${OUT}" "subgraph cluster_1")
plait(0 dot demo_net.pbtxt --ssa)
matches("${OUT}" "h : 2")
plait(0 dot demo_net.pbtxt --flat)
if(OUT MATCHES "cluster")
  wrong("--flat draws nested nets")
endif()
finish()
