# Test of a program that trains on several ranks: LAUNCH (mpirun with its flags), TRAIN, OPTIONS.
#
# Losses on one rank are those of one process, on 4 ranks to 1e-5 over 200 steps; only rank 0 prints; a run goes on from a checkpoint
# on another number of ranks; a killed run leaves a whole checkpoint.
cmake_minimum_required(VERSION 3.25)

# train(<status> <ranks> <argument>...): runs the program on ranks, 0: without mpirun; checks the status, sets OUT and ERR.
function(train status ranks)
  set(command ${TRAIN} ${OPTIONS} ${ARGN})
  if(ranks)
    list(PREPEND command ${LAUNCH} -np ${ranks})
    list(APPEND command --distributed)
  endif()
  execute_process(COMMAND ${command} OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE result)
  if((status STREQUAL 0 AND NOT result STREQUAL 0) OR (NOT status STREQUAL 0 AND result STREQUAL 0))
    string(JOIN " " shown ${command})
    message(SEND_ERROR "${shown}: status ${result}, expected ${status}: ${out}${err}")
  endif()
  set(OUT "${out}" PARENT_SCOPE)
  set(ERR "${err}" PARENT_SCOPE)
endfunction()

# in_millionths(<variable> <number>): a number with decimals, without an exponent.
function(in_millionths variable number)
  if(NOT number MATCHES "^([0-9]+)\\.?([0-9]*)$")
    message(FATAL_ERROR "not a loss: ${number}")
  endif()
  set(whole ${CMAKE_MATCH_1})
  string(SUBSTRING "${CMAKE_MATCH_2}000000" 0 6 digits)
  string(REGEX REPLACE "^0+(.)" "\\1" digits ${digits})
  math(EXPR value "${whole} * 1000000 + ${digits}")
  set(${variable} ${value} PARENT_SCOPE)
endfunction()

# same_losses(<file> <file> <first step> <steps>): compares losses from a step on, which are those of all of the second.
function(same_losses whole part first steps)
  file(STRINGS ${whole} expected)
  file(STRINGS ${part} found)
  math(EXPR skipped "${first} - 1")
  list(SUBLIST expected ${skipped} ${steps} expected)
  list(LENGTH found count)
  if(NOT count EQUAL steps)
    message(SEND_ERROR "${part} has ${count} losses, not ${steps}")
  endif()
  foreach(a b IN ZIP_LISTS expected found)
    string(REGEX MATCH "^([0-9]+)\t(.*)$" ignored "${a}")
    set(step ${CMAKE_MATCH_1})
    in_millionths(x "${CMAKE_MATCH_2}")
    string(REGEX MATCH "^([0-9]+)\t(.*)$" ignored "${b}")
    in_millionths(y "${CMAKE_MATCH_2}")
    math(EXPR off "${x} - ${y}")
    if(NOT step EQUAL CMAKE_MATCH_1 OR off GREATER 10 OR off LESS -10)
      message(FATAL_ERROR "step ${step} of ${whole} and ${CMAKE_MATCH_1} of ${part}: ${a} and ${b}")
    endif()
  endforeach()
endfunction()

file(GLOB left_behind *)
if(left_behind)
  file(REMOVE ${left_behind})
endif()

train(0 0 --steps 200 --losses one.txt)
train(0 1 --steps 20 --losses rank.txt)
train(0 0 --steps 20 --losses part.txt)
file(READ rank.txt rank)
file(READ part.txt part)
if(NOT rank STREQUAL part)
  message(SEND_ERROR "one rank has other losses than one process")
endif()
train(0 4 --steps 200 --losses four.txt --curve four.svg)
same_losses(one.txt four.txt 1 200)
string(REGEX MATCHALL "(^|\n)step 200: " ends "${OUT}")
list(LENGTH ends count)
if(NOT count EQUAL 1 OR NOT EXISTS four.svg)
  message(SEND_ERROR "rank 0 alone should report the end: ${OUT}")
endif()

# 80 steps on 4 ranks, with a checkpoint after 60, then on 2, then in one process without MPI.
train(0 4 --steps 80 --net net.pb --save-every 60 --losses part.txt)
same_losses(one.txt part.txt 1 80)
train(0 2 --steps 70 --net net.pb --losses part.txt)
same_losses(one.txt part.txt 81 70)
train(0 0 --steps 50 --net net.pb --losses part.txt)
same_losses(one.txt part.txt 151 50)

# All ranks are killed after a checkpoint was written: it is whole, and training goes on from its step.
file(WRITE kill.sh [[
"$@" > killed.out 2>&1 & mpi=$!
until [ -e killed.pb ] || ! kill -0 $mpi; do sleep 0.02; done
first=$(cksum killed.init.pb)
until [ "$(cksum killed.init.pb)" != "$first" ] || ! kill -0 $mpi; do sleep 0.02; done
kill -0 $mpi || exit 1
pkill -KILL -P $mpi
wait $mpi
exit 0
]])
execute_process(COMMAND sh kill.sh ${LAUNCH} -np 2 ${TRAIN} ${OPTIONS} --distributed --steps 100000000 --net killed.pb
                        --save-every 20 RESULT_VARIABLE result)
if(NOT result STREQUAL 0)
  file(READ killed.out out)
  message(FATAL_ERROR "no checkpoint was written: ${out}")
endif()
train(0 0 --steps 1 --net killed.pb --losses part.txt)
file(READ part.txt line)
if(NOT line MATCHES "^([0-9]+)\t")
  message(FATAL_ERROR "no loss after the checkpoint: ${line}")
endif()
math(EXPR beyond "(${CMAKE_MATCH_1} - 1) % 20")
if(CMAKE_MATCH_1 EQUAL 1 OR NOT beyond EQUAL 0)
  message(SEND_ERROR "the checkpoint is not one of every 20 steps: it goes on with step ${CMAKE_MATCH_1}")
endif()
if(CMAKE_MATCH_1 LESS 200)
  same_losses(one.txt part.txt ${CMAKE_MATCH_1} 1)
endif()

train(1 3 --steps 1)
if(NOT ERR MATCHES "3 ranks cannot divide")
  message(SEND_ERROR "an uneven batch: ${ERR}")
endif()
