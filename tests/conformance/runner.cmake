# Test of the runner: what counts as passed, failed, decided, unsupported; exit statuses; files that are not cases.
cmake_minimum_required(VERSION 3.25)

set(net "op { type: \\\"Relu\\\" input: \\\"x\\\" output: \\\"y\\\" } external_input: \\\"x\\\" external_output: \\\"y\\\"")
set(dead "op { type: \\\"Relu\\\" input: \\\"x\\\" output: \\\"z\\\" } ${net}")
set(ssa "\"ssa\": [[[[\"x\", 0]], [[\"y\", 1]]]], \"versions\": {\"x\": 0, \"y\": 1}, \"undefined\": [\"x\"]")

# fresh(): empties the folder of cases.
macro(fresh)
  file(REMOVE_RECURSE ${WORK})
endmacro()

# a_case(<file> <the members after kind and name>)
function(a_case file members)
  cmake_path(GET file PARENT_PATH kind)
  cmake_path(GET file STEM name)
  file(WRITE ${WORK}/cases/${file} "{\"kind\": \"${kind}\", \"name\": \"${name}\", ${members}}")
endfunction()

# conformance(<status> <regex> <argument>...): runs the runner with the arguments.
function(conformance status regex)
  execute_process(COMMAND ${RUNNER} ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE result)
  if(NOT result STREQUAL status OR NOT "${out}${err}" MATCHES "${regex}")
    message(SEND_ERROR "${ARGN}: status ${result}, expected ${status}, and in the output ${regex}:\n${out}${err}")
  endif()
endfunction()

# Right and wrong expectations.
fresh()
a_case(ssa/right.json "\"net\": \"${net}\", \"expect\": {${ssa}}")
conformance(0 "ssa +1 +0 +0 +0" ${WORK})
conformance(0 "ssa +1 +0 +0 +0" ${WORK}/cases)
conformance(0 "ssa +1 +0 +0 +0" ${WORK}/cases/ --kinds ssa)
conformance(0 "ssa +1 +0 +0 +0" ${WORK}/cases/ssa)
a_case(ssa/wrong.json "\"net\": \"${net}\", \"expect\": {\"versions\": {\"x\": 0, \"y\": 2}}")
conformance(1 "failed ssa/wrong\n    versions.y: expected 2, got 1\n" ${WORK})
conformance(1 "ssa +1 +1 +0 +0" ${WORK})
a_case(ssa/more.json "\"net\": \"${net}\", \"expect\": {${ssa}, \"more\": 1}")
conformance(1 "more: expected 1, got nothing" ${WORK})

# Refusals: only an error of plait counts, and a case with `error` must be refused.
fresh()
a_case(transform/refused.json
       "\"transform\": \"rename_op_output\", \"args\": {\"op_id\": 1, \"output_id\": 0, \"new_name\": \"n\"}, \"net\": \"${net}\", \"error\": true")
conformance(0 "transform +1 +0 +0 +0" ${WORK})
a_case(transform/accepted.json
       "\"transform\": \"rename_op_output\", \"args\": {\"op_id\": 0, \"output_id\": 0, \"new_name\": \"n\"}, \"net\": \"${net}\", \"error\": true")
conformance(1 "failed transform/accepted\n    should have been refused" ${WORK})
a_case(transform/refuses.json
       "\"transform\": \"rename_op_output\", \"args\": {\"op_id\": 1, \"output_id\": 0, \"new_name\": \"n\"}, \"net\": \"${net}\", \"expect\": {\"net\": \"${net}\"}")
conformance(1 "failed transform/refuses\n    refused: " ${WORK})

# Refused runs: the error names the op and a blob of it.
fresh()
a_case(run/missing.json "\"nets\": [\"${net}\"], \"feeds\": {}, \"error\": true")
conformance(0 "run +1 +0 +0 +0" ${WORK})
# Defects: the recorded result is ignored; that of `decided` counts, and that the net still makes what it reads.
fresh()
a_case(transform/defect.json "\"transform\": \"remove_dead_end_ops\", \"defect\": \"d\", \"net\": \"${dead}\", \"expect\": {\"net\": \"\"}")
conformance(0 "transform +0 +0 +1 +0" ${WORK})
a_case(transform/decided.json
       "\"transform\": \"remove_dead_end_ops\", \"defect\": \"d\", \"net\": \"${dead}\", \"expect\": {\"net\": \"\"}, \"decided\": {\"net\": \"${net}\"}")
conformance(0 "transform +0 +0 +2 +0" ${WORK})
a_case(transform/decided.json
       "\"transform\": \"remove_dead_end_ops\", \"defect\": \"d\", \"net\": \"${dead}\", \"expect\": {\"net\": \"\"}, \"decided\": {\"net\": \"${dead}\"}")
conformance(1 "failed transform/decided" ${WORK})
a_case(transform/decided.json
       "\"transform\": \"remove_dead_end_ops\", \"defect\": \"d\", \"net\": \"${dead}\", \"expect\": {\"net\": \"\"}, \"decided\": null")
conformance(1 "should have been refused" ${WORK})

# The default result of plait is compared with the recorded one, unless an output has another value there.
fresh()
set(in_place "op { type: \\\"Relu\\\" input: \\\"x\\\" output: \\\"x\\\" }")
set(unread "op { type: \\\"Tanh\\\" input: \\\"x\\\" output: \\\"z\\\" }")
a_case(transform/other_value.json
       "\"transform\": \"remove_dead_end_ops\", \"net\": \"${in_place} ${unread} ${net}\", \"expect\": {\"net\": \"${net}\"}")
conformance(0 "passed transform/other_value\n    unmarked defect of the recording: net: external output 'y' gets another value\n"
            ${WORK})
conformance(0 "transform +1 +0 +0 +0" ${WORK})

# Unknown kinds and functions.
fresh()
a_case(ssa/right.json "\"net\": \"${net}\", \"expect\": {${ssa}}")
a_case(juggling/balls.json "\"expect\": {}")
a_case(transform/unheard_of.json "\"transform\": \"unheard_of\", \"net\": \"\", \"expect\": {}")
conformance(1 "unsupported: kind juggling \\(1\\), transform unheard_of \\(1\\)" ${WORK})
conformance(0 "all +1 +0 +0 +2" --allow-unsupported ${WORK})
conformance(0 "ssa +1 +0 +0 +0\n$" --kinds ssa ${WORK})
conformance(1 "transform +0 +0 +0 +1\n$" --kinds=transform ${WORK})

# Files that are not cases fail by name; they do not end the run.
fresh()
a_case(ssa/right.json "\"net\": \"${net}\", \"expect\": {${ssa}}")
file(WRITE ${WORK}/cases/ssa/no_json.json "{\"kind\": ")
file(WRITE ${WORK}/cases/ssa/no_object.json "[]")
file(WRITE ${WORK}/cases/ssa/no_kind.json "{\"net\": \"\", \"expect\": {}}")
file(WRITE ${WORK}/cases/ssa/empty.json "")
a_case(ssa/no_expectation.json "\"net\": \"\"")
a_case(ssa/empty_expectation.json "\"net\": \"\", \"expect\": {}")
a_case(ssa/no_net.json "\"expect\": {}")
a_case(ssa/broken_net.json "\"net\": \"op {\", \"expect\": {}")
a_case(ssa/number_for_net.json "\"net\": 3, \"expect\": {}")
a_case(ssa/no_file.json "\"net_file\": \"nowhere.pb\", \"expect\": {}")
a_case(ssa/versions.json "\"net\": \"\", \"initial_versions\": {\"x\": -1}, \"expect\": {}")
a_case(transform/no_args.json "\"transform\": \"rename_op_output\", \"net\": \"${net}\", \"expect\": {}")
a_case(transform/args.json "\"transform\": \"get_op_ids_in_path\", \"args\": {\"inputs\": 3, \"outputs\": []}, \"net\": \"\", \"expect\": {}")
conformance(1 "ssa +1 +11 +0 +0\ntransform +0 +2 +0 +0\n" ${WORK})
foreach(name IN ITEMS no_json no_object no_kind empty no_expectation empty_expectation no_net broken_net number_for_net no_file versions)
  conformance(1 "${WORK}/cases/ssa/${name}\\.json: " ${WORK})
endforeach()

# Nothing to run.
fresh()
file(MAKE_DIRECTORY ${WORK})
conformance(2 "no cases" ${WORK})
conformance(2 "" ${WORK}/nowhere)
conformance(2 "no folder")
conformance(2 "unknown option" --no-such-option ${WORK})
conformance(2 "on or off" --executor perhaps ${WORK})
conformance(2 "on or off" --executor)
a_case(ssa/right.json "\"net\": \"${net}\", \"expect\": {${ssa}}")
conformance(2 "no cases of these kinds" --kinds transform ${WORK})
conformance(0 "usage" --help)
conformance(0 "ssa\ntransform\n" --list-kinds)
