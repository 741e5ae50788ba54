# Nets with a recurrence, from files: run forwards, trained for a step, differentiated.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

# The training step of a small model, and the first loss that examples/char_lstm reports.
file(WRITE ${WORK}/ab.txt "abbabaabab")
file(REMOVE ${WORK}/step.pbtxt)
set(model ${CHAR_LSTM} ab.txt --size 3 --streams 2 --window 4 --sample 0 --net step.pbtxt)
execute_process(COMMAND ${model} --steps 0 WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
file(COPY_FILE ${WORK}/step.pbtxt ${WORK}/fresh.pbtxt)
file(COPY_FILE ${WORK}/step.init.pbtxt ${WORK}/fresh.init.pbtxt)
# Its inputs are not overwritten: it refuses outputs with the name of another file, and options that are not numbers.
foreach(wrong IN ITEMS "--losses;ab.txt" "--curve;step.pbtxt" "--losses;one;--curve;./one" "--rate;nan")
  execute_process(COMMAND ${model} --steps 1 ${wrong} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status OUTPUT_QUIET
                  ERROR_QUIET)
  if(status EQUAL 0)
    wrong("char_lstm takes ${wrong}")
  endif()
endforeach()
file(READ ${WORK}/ab.txt kept)
if(NOT kept STREQUAL "abbabaabab")
  wrong("the text is '${kept}'")
endif()
# If the text has no new line, a sample follows its first character.
execute_process(COMMAND ${CHAR_LSTM} ab.txt --size 3 --steps 0 --sample 3 WORKING_DIRECTORY ${WORK}
                OUTPUT_VARIABLE OUT COMMAND_ERROR_IS_FATAL ANY)
matches("${OUT}" "^a[ab][ab][ab]\n$")
execute_process(COMMAND ${model} --steps 1 --losses losses.txt WORKING_DIRECTORY ${WORK} OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
file(READ ${WORK}/losses.txt losses)
string(REGEX MATCH "^1\t([0-9]\\.[0-9][0-9][0-9][0-9])" found "${losses}")
set(loss ${CMAKE_MATCH_1})

# Its first batch: at each time step a character of both streams, and the next one.
function(given name)
  list(JOIN ARGN " ints: " places)
  file(APPEND ${WORK}/fresh.init.pbtxt
       "op { type: \"GivenTensorIntFill\" output: \"${name}\" arg { name: \"shape\" ints: 4 ints: 2 } "
       "arg { name: \"values\" ints: ${places} } }\n")
endfunction()
given(text 0 0 1 0 1 1 0 0)
given(next 1 0 1 1 0 0 1 1)
set(init --init ${WORK}/fresh.init.pbtxt)

# tensors(<folder> <net> <blob>...): runs the net and writes blobs to <folder>/<number>.npy.
function(tensors folder net)
  file(MAKE_DIRECTORY ${WORK}/${folder})
  set(fetch)
  foreach(blob IN LISTS ARGN)
    list(LENGTH fetch at)
    list(APPEND fetch --fetch ${blob}=${WORK}/${folder}/${at}.npy)
  endforeach()
  plait(0 run ${WORK}/${net} ${init} ${fetch})
endfunction()
function(same_tensors one other)
  foreach(at IN ITEMS 0 2 4 6 8 10)
    same_files(${WORK}/${one}/${at}.npy ${WORK}/${other}/${at}.npy)
  endforeach()
endfunction()

set(parameters rnn_layer_0/i2h_w rnn_layer_0/i2h_b rnn_layer_0/gates_t_w rnn_layer_0/gates_t_b logits_w logits_b)
list(TRANSFORM parameters APPEND _grad OUTPUT_VARIABLE gradients)

# A training step: forward, backward and update, as in the program.
plait(0 run ${WORK}/fresh.pbtxt ${init} --fetch loss --fetch optimizer_iteration --fetch rnn_layer_0/hidden_t_all)
matches("${OUT}" "^loss: float32 [a-z]* = ${loss}[0-9]*\noptimizer_iteration: int64 1 = 0\n[^\n]*: float32 4x2x3 = ")
tensors(before fresh.init.pbtxt ${parameters})
tensors(after fresh.pbtxt ${parameters})
tensors(program step.init.pbtxt ${parameters})
same_tensors(after program)
file(SHA256 ${WORK}/before/0.npy before)
file(SHA256 ${WORK}/after/0.npy after)
if(before STREQUAL after)
  wrong("the step has changed nothing")
endif()

# The subgraph of the loss and its gradient, which is that of the step although no parameter is named. The characters,
# from which rows are computed, have none.
plait(0 subgraph ${WORK}/fresh.pbtxt --to loss --extract -o ${WORK}/loss.pbtxt)
plait(0 run ${WORK}/loss.pbtxt ${init} --fetch loss)
matches("${OUT}" "^loss: float32 [a-z]* = ${loss}[0-9]*\n")
plait(0 grad ${WORK}/loss.pbtxt --y loss --append -o ${WORK}/both.pbtxt)
matches("${OUT}" "gradient of 'rnn_layer_0/gates_t_w': rnn_layer_0/gates_t_w_grad\n")
if(OUT MATCHES "gradient of '(text|next)'")
  wrong("characters have a gradient: ${OUT}")
endif()
plait(0 check --strict ${WORK}/both.pbtxt)
tensors(step fresh.pbtxt ${gradients})
tensors(both both.pbtxt ${gradients})
same_tensors(both step)

# The same in other formats, with names, and with only some gradients requested.
foreach(format IN ITEMS pb json)
  plait(0 convert ${WORK}/both.pbtxt -o ${WORK}/both.${format})
  tensors(${format} both.${format} ${gradients})
  same_tensors(${format} both)
endforeach()
string(JOIN "," named ${parameters})
plait(0 grad ${WORK}/loss.pbtxt --y loss --only ${named} --append -o ${WORK}/only.pbtxt --dot ${WORK}/only.dot)
tensors(only only.pbtxt ${gradients})
same_tensors(only both)
file(READ ${WORK}/only.dot picture)
matches("${picture}" "RecurrentNetworkGradient")

# The output of OneHot has a gradient, its indices have none, as in Caffe2.
plait(0 grad ${WORK}/loss.pbtxt --y loss --only place_is)
matches("${ERR}" "gradient of 'place_is': place_is_grad")
plait(0 grad ${WORK}/loss.pbtxt --y loss --only places)
matches("${ERR}" " 0 gradient ops\n")
plait(0 grad ${WORK}/loss.pbtxt --y loss --as-caffe2)
matches("${ERR}" " 6 gradient ops\n")
finish()
