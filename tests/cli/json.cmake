# --json prints JSON with the content of the tables.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

plait(0 info --json demo_net.pbtxt)
json_is("${OUT}" text format)
json_is("${OUT}" demo name)
json_is("${OUT}" 11 ops)
json_is("${OUT}" 3 op_types FC)
json_length("${OUT}" 8 external_inputs)
json_is("${OUT}" p external_outputs 0)
json_is("${OUT}" 2 nested_nets nets)
json_is("${OUT}" 2 nested_nets ops)

# The ops of one type.
plait(0 info demo_net.pbtxt --type FC --json)
json_length("${OUT}" 3 ops)
json_is("${OUT}" 0 ops 0 op)
json_is("${OUT}" w1 ops 0 inputs 1)
json_is("${OUT}" h ops 0 outputs 0)
plait(0 info demo_net.pbtxt --type FC)
matches("${OUT}" "^op  name +inputs +outputs +arguments\n 0  hidden  x, w1, b1  h\n")
plait(1 info demo_net.pbtxt --type Fc)
matches("${ERR}" "^demo_net.pbtxt: --type: the net has no op of type 'Fc'; did you mean 'FC'")

# The op types that plait runs.
plait(0 ops --json)
string(JSON count LENGTH "${OUT}" op_types)
if(count LESS 200)
  wrong("ops --json lists ${count} op types")
endif()
plait(0 ops LeakyRelu --json)
json_is("${OUT}" LeakyRelu type)
json_is("${OUT}" 1 inputs least)
json_is("${OUT}" 1 inputs most)
json_is("${OUT}" alpha arguments 0 name)
json_is("${OUT}" float arguments 0 type)

plait(0 check --json demo_net.pbtxt)
json_is("${OUT}" 0 warnings)
json_is("${OUT}" 2 notes)
json_is("${OUT}" "dead op" problems 0 kind)
json_is("${OUT}" 7 problems 0 op)
json_is("${OUT}" ReduceFrontMean problems 0 type)

plait(0 ssa --json demo_net.pbtxt)
json_length("${OUT}" 11 ops)
json_is("${OUT}" h ops 1 reads 0 blob)
json_is("${OUT}" 1 ops 1 reads 0 version)
json_is("${OUT}" 2 ops 1 writes 0 version)
json_length("${OUT}" 8 undefined)

plait(0 subgraph --json demo_net.pbtxt --ops 2,3-6)
json_length("${OUT}" 5 ops)
json_is("${OUT}" h inputs 0 blob)
json_is("${OUT}" 2 inputs 0 version)
json_is("${OUT}" mixed outputs 0 blob)

plait(0 prune --json demo_net.pbtxt --dry-run)
json_is("${OUT}" 11 ops_before)
json_length("${OUT}" 2 removed_ops)
json_is("${OUT}" Negative removed_ops 1 type)
json_is("${OUT}" mean removed_ops 1 outputs 0)

plait(0 rename --json demo_net.pbtxt hidden --op 1 --output 0 -o ${WORK}/renamed.pb)
json_is("${OUT}" h from)
json_is("${OUT}" 2 version)
json_is("${OUT}" hidden to)
json_is("${OUT}" output changed 0 what)
json_is("${OUT}" 1 changed 0 op)
json_is("${OUT}" 0 changed 0 slot)

plait(0 export --json demo_net.pbtxt --init demo_init_net.pbtxt --init-output ${WORK}/i --predict-output ${WORK}/p --format
      binary)
json_is("${OUT}" p outputs 0)
json_length("${OUT}" 0 unused_parameters)
foreach(net IN ITEMS i p)
  plait(0 info --json ${WORK}/${net})
  json_is("${OUT}" binary format)
endforeach()

# Problems by kind, an unknown field with its position.
file(WRITE ${WORK}/odd.pbtxt "op { type: \"A\" input: \"u\" output: \"y\" output: \"y\" }\n"
                             "op { type: \"B\" input: \"y\" output: \"x\" color: 3 }\n"
                             "external_input: \"x\" external_input: \"q\" external_input: \"q\"\n"
                             "external_output: \"z\"\n")
plait(0 check --json ${WORK}/odd.pbtxt)
set(odd "${OUT}")
set(kinds "")
string(JSON count LENGTH "${odd}" problems)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON kind GET "${odd}" problems ${i} kind)
  list(APPEND kinds ${kind})
endforeach()
foreach(kind IN ITEMS "unknown field" "undeclared read" "output written twice" "repeated input" "unwritten output"
                      "overwritten input" "unused input")
  if(NOT kind IN_LIST kinds)
    wrong("check does not report: ${kind}; it reports ${kinds}")
  endif()
endforeach()
json_is("${odd}" 2 problems 0 line)
plait(1 check --strict ${WORK}/odd.pbtxt)
matches("${OUT}" "odd\\.pbtxt:2:[0-9]+: warning: [^\n]*color[^\n]*\\[unknown field\\]")
matches("${OUT}" "op 0 \\(A\\) reads 'u'[^\n]*\\[undeclared read\\]")
plait(0 check --strict demo_net.pbtxt)

# Unknown arguments, also in nested nets; nothing is known about op types that plait does not run.
file(WRITE ${WORK}/arguments.pbtxt
     "op { type: \"LeakyRelu\" input: \"x\" output: \"y\" arg { name: \"alpha\" f: 0.1 } arg { name: \"alhpa\" f: 0.2 } }\n"
     "op { type: \"Own\" input: \"y\" output: \"z\" arg { name: \"anything\" i: 1 } }\n"
     "op { type: \"If\" input: \"z\" arg { name: \"then_net\" n {\n"
     "  op { type: \"Relu\" input: \"z\" output: \"w\" arg { name: \"slope\" i: 1 } } } } }\n"
     "external_input: \"x\" external_output: \"w\"\n")
plait(1 check --quiet --strict ${WORK}/arguments.pbtxt)
matches("${OUT}" "warning: op 0 \\(LeakyRelu\\) has an argument 'alhpa', [^\n]* \\[unknown argument\\]")
matches("${OUT}" "op 0 \\(Relu\\) has an argument 'slope'")
if(OUT MATCHES "2 warnings")
  wrong("check --quiet prints a summary")
endif()
plait(1 check --strict ${WORK}/arguments.pbtxt)
matches("${OUT}" "arguments.pbtxt:1:4: warning: op 0 \\(LeakyRelu\\) has an argument 'alhpa', [^\n]*; did you mean 'alpha'")
matches("${OUT}" "arguments.pbtxt: 2 warnings, [0-9]+ notes?\n$")
plait(0 check --json ${WORK}/arguments.pbtxt)
json_is("${OUT}" 2 warnings)

# Names that are not UTF-8, and names that would control a terminal.
file(WRITE ${WORK}/names.pbtxt "op { type: \"A\\377\" input: \"\\033[31mx\\n\" output: \"y\" }\nexternal_output: \"y\"\n")
foreach(command IN ITEMS info ssa check)
  plait(0 ${command} --json ${WORK}/names.pbtxt)
  json_is("${OUT}" "${WORK}/names.pbtxt" file)
  plait(0 ${command} ${WORK}/names.pbtxt)
  string(ASCII 27 escape)
  if(OUT MATCHES "${escape}")
    wrong("plait ${command} lets a name control the terminal")
  endif()
endforeach()
finish()
