# Errors: broken input and wrong usage give a message with a position on standard error, an exit status, and nothing on
# standard output.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

# refused(<regex> <argument>...)
function(refused regex)
  plait(1 ${ARGN})
  matches("${ERR}" "${regex}")
  if(NOT OUT STREQUAL "")
    wrong("plait ${ARGN} printed: ${OUT}")
  endif()
endfunction()

file(WRITE ${WORK}/broken.pbtxt "name: \"n\"\nop {\n  type: \"Relu\n}\n")
file(WRITE ${WORK}/open.pbtxt "name: \"n\"\nop {\n  type: \"Relu\"\n")
file(WRITE ${WORK}/broken.json "{\n  \"op\": [{\"type\": 3}]\n}\n")
file(WRITE ${WORK}/cut.json "{\"op\": [")
file(WRITE ${WORK}/nonsense "this is no net\n")
file(WRITE ${WORK}/empty "")
# A binary net (name: 4 bytes, op: 9 bytes), cut off in the op.
string(ASCII 10 4 100 101 109 111 18 9 97 98 bytes)
file(WRITE ${WORK}/cut.pb "${bytes}")

set(one_file info check ssa dot view convert prune)
foreach(command IN LISTS one_file)
  refused("^[^\n]*broken\\.pbtxt:3:9: [^\n]+\n$" ${command} ${WORK}/broken.pbtxt)
  refused("^[^\n]*open\\.pbtxt:2:4: [^\n]+\n$" ${command} ${WORK}/open.pbtxt)
  refused("^[^\n]*broken\\.json:2:[0-9]+: [^\n]+\n$" ${command} ${WORK}/broken.json)
  refused("^[^\n]*cut\\.json:1:[0-9]+: [^\n]+\n$" ${command} ${WORK}/cut.json)
  refused("^[^\n]*cut\\.pb: byte [0-9]+: [^\n]+\n$" ${command} ${WORK}/cut.pb)
  refused("^[^\n]*nonsense: ?[^\n]+\n$" ${command} ${WORK}/nonsense)
  refused("nowhere\\.pb: [^\n]+\n$" ${command} ${WORK}/nowhere.pb)
  refused("is a folder" ${command} ${WORK})
  plait(0 ${command} ${WORK}/empty)
  plait(2 ${command})
  plait(2 ${command} demo_net.pbtxt --no-such-option)
  plait(0 ${command} --help)
  matches("${OUT}" "Usage: plait ${command}")
endforeach()
plait(2)
plait(2 no_such_command)
matches("${ERR}" "no subcommand 'no_such_command'")
plait(0 --help)
matches("${OUT}" "Examples:")
matches("${OUT}" "`plait COMMAND --help` shows its options")
foreach(command IN ITEMS info dot ops)
  plait(0 ${command} --help)
  if(OUT MATCHES "COMMAND --help")
    wrong("plait ${command} --help also prints the help of plait: ${OUT}")
  endif()
endforeach()
plait(2 run demo_net.pbtxt --time 0)
matches("${ERR}" "not in range 1 to ")
plait(0 --version)
matches("${OUT}" "^plait ${VERSION}\n$")

# Messages name standard input, too.
set(INPUT ${WORK}/broken.pbtxt)
plait(1 info -)
matches("${ERR}" "^<stdin>:3:9: ")
unset(INPUT)

# Destinations that cannot be written.
refused("is a folder" convert demo_net.pbtxt -o ${WORK})
refused("is a folder" view demo_net.pbtxt -o ${WORK})
refused("cannot be opened for writing" convert demo_net.pbtxt -o ${WORK}/no/such/folder.pb)

# Arguments that do not fit the net. The net is not written.
file(REMOVE ${WORK}/out.pbtxt)
plait(2 rename demo_net.pbtxt new --op 0 --output 0 --init-output ${WORK}/out.pbtxt)
plait(2 rename demo_net.pbtxt new --op 0 --input 1 --init demo_init_net.pbtxt --init-output -)
plait(2 export demo_net.pbtxt --init demo_init_net.pbtxt --init-output - --predict-output -)
refused("has 11 ops, none at 99" rename demo_net.pbtxt new --op 99 --output 0 -o ${WORK}/out.pbtxt)
refused("op 0 [^\n]*7" rename demo_net.pbtxt new --op 0 --input 7 -o ${WORK}/out.pbtxt)
refused("'left' is taken" rename demo_net.pbtxt left --op 0 --output 0 -o ${WORK}/out.pbtxt)
refused("also read by op 4" rename demo_net.pbtxt new --op 2 --input 0 -o ${WORK}/out.pbtxt)
plait(2 rename demo_net.pbtxt new --op 0 -o ${WORK}/out.pbtxt)
plait(2 rename demo_net.pbtxt new --op 0 --input 0 --output 0 -o ${WORK}/out.pbtxt)
plait(2 rename demo_net.pbtxt new --op -1 --input 0 -o ${WORK}/out.pbtxt)
foreach(ops IN ITEMS 99 3- -3 3,,4 5-3 0-99999999999 x 1,2,11)
  refused("--ops: " subgraph demo_net.pbtxt --ops=${ops} --extract -o ${WORK}/out.pbtxt)
endforeach()
refused("demo_net.pbtxt: --to: the net has no blob 'nobody'; there are '" subgraph demo_net.pbtxt --to nobody --extract -o
        ${WORK}/out.pbtxt)
refused("demo_net.pbtxt: --to: the net has no blob 'mixd'; did you mean 'mixed'" subgraph demo_net.pbtxt --to p,mixd)
refused("demo_net.pbtxt: --from: the net has no blob 'nobody'" subgraph demo_net.pbtxt --to p --from h,nobody)
foreach(way IN ITEMS "" "--free" "--reorder" "--any-order")
  refused("demo_net.pbtxt: --keep: the net has no blob 'gat'; did you mean 'gate'" share demo_net.pbtxt --keep mean,gat ${way} -o
          ${WORK}/out.pbtxt)
endforeach()
# Options that would have no effect.
plait(2 subgraph demo_net.pbtxt --to p -o ${WORK}/out.pbtxt)
plait(2 subgraph demo_net.pbtxt --to p --format text)
plait(2 rename demo_net.pbtxt new --op 0 --output 0 --from-producer -o ${WORK}/out.pbtxt)
refused("is an input that the subgraph has overwritten before this read" subgraph demo_net.pbtxt --ops 0,2
        --extract -o ${WORK}/out.pbtxt)
plait(2 subgraph demo_net.pbtxt)
plait(2 subgraph demo_net.pbtxt --ops 1 --to p)
refused("broken.pbtxt:3:9: " export demo_net.pbtxt --init ${WORK}/broken.pbtxt --init-output ${WORK}/out.pbtxt
        --predict-output ${WORK}/out.pbtxt)
refused("demo_net.pbtxt:18:4: " export demo_net.pbtxt --init demo_net.pbtxt --init-output ${WORK}/out.pbtxt --predict-output
        ${WORK}/out.pbtxt)
# A report and a net cannot share standard output; errors about an op have its position in the file.
foreach(arguments IN ITEMS "prune;demo_net.pbtxt" "rename;demo_net.pbtxt;new;--op;0;--output;0"
                           "subgraph;demo_net.pbtxt;--to;p;--extract"
                           "export;demo_net.pbtxt;--init;demo_init_net.pbtxt;--init-output;-;--predict-output;x.pb")
  plait(2 ${arguments} --json)
  matches("${ERR}" "--json needs ")
endforeach()
plait(2 subgraph demo_net.pbtxt "--ops=")
execute_process(COMMAND ${PLAIT} subgraph demo_net.pbtxt --ops "" ERROR_VARIABLE err RESULT_VARIABLE result)
if(NOT result EQUAL 1 OR NOT err MATCHES "--ops: '' is neither a position")
  wrong("no positions: status ${result}: ${err}")
endif()
file(WRITE ${WORK}/places.pbtxt "op { type: \"A\" output: \"a\" }\n  op { type: \"B\" input: \"a\" output: \"b\" }\n"
                                "op { type: \"C\" input: \"a\" output: \"c\" }\n")
refused("places\\.pbtxt:3:4: 'a' is also read by op 2 " rename ${WORK}/places.pbtxt n --op 1 --input 0 -o
        ${WORK}/out.pbtxt)
plait(0 convert ${WORK}/places.pbtxt -o ${WORK}/places.json)
refused("places\\.json:[0-9]+:[0-9]+: 'a' is also read by op 2 " rename ${WORK}/places.json n --op 1 --input 0 -o
        ${WORK}/out.pbtxt)

# A step net that is not a net: commands that need it name its op and position; the others go on.
file(WRITE ${WORK}/step.pbtxt "name: \"n\" external_input: \"x\" external_output: \"h\"\n"
     "op { type: \"Relu\" input: \"x\" output: \"y\" }\n"
     "op { type: \"If\" input: \"y\" arg { name: \"then_net\" n { op { type: \"Split\" input: \"y\" output: \"a\" output: \"a\" } } } }\n"
     "op { type: \"RecurrentNetwork\" input: \"y\" output: \"h\" arg { name: \"step_net\" s: \"op { typ: }\" } }\n")
set(step "argument 'step_net' of op 2 \\(RecurrentNetwork\\) of net 'n' is not a net in text form: 1:")
foreach(command IN ITEMS dot view prune "ssa;--subnets")
  refused("step\\.pbtxt:4:4: ${step}" ${command} ${WORK}/step.pbtxt)
endforeach()
plait(0 ssa ${WORK}/step.pbtxt)
plait(0 info ${WORK}/step.pbtxt)
matches("${OUT}" "unreadable nets +in 1 op")
plait(0 check ${WORK}/step.pbtxt)
matches("${OUT}" "warning: ${step}[^\n]*\\[unreadable net\\]")
matches("${OUT}" "warning: in then_net of op 1 \\(If\\): op 0 \\(Split\\) lists 'a' more than once")
plait(1 check --strict ${WORK}/step.pbtxt)
plait(0 check --json ${WORK}/step.pbtxt)
string(JSON inside GET "${OUT}" problems 1 inside 0)
string(JSON type GET "${OUT}" problems 1 type)
if(NOT inside EQUAL 1 OR NOT type STREQUAL "Split")
  wrong("check --json: ${OUT}")
endif()
if(EXISTS ${WORK}/out.pbtxt)
  wrong("a refused command has written its output")
endif()

# A reader that closes the pipe early ends the output silently.
execute_process(COMMAND ${PLAIT} ssa --json demo_net.pbtxt COMMAND ${CMAKE_COMMAND} -E true ERROR_VARIABLE err
                RESULTS_VARIABLE results)
if(NOT results STREQUAL "0;0" OR NOT err STREQUAL "")
  wrong("a closed pipe: status ${results}: ${err}")
endif()
if(EXISTS /dev/full)
  execute_process(COMMAND ${PLAIT} ssa demo_net.pbtxt OUTPUT_FILE /dev/full ERROR_VARIABLE err RESULT_VARIABLE result)
  if(NOT result EQUAL 1 OR NOT err MATCHES "cannot be written")
    wrong("a full device: status ${result}: ${err}")
  endif()
endif()
finish()
