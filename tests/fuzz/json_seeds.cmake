# Real nets come as text: these are the same as JSON, to be seeds of that reader.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${TO})
file(MAKE_DIRECTORY ${TO})
file(GLOB nets ${FROM}/*)
foreach(net IN LISTS nets)
  cmake_path(GET net FILENAME name)
  execute_process(COMMAND ${PLAIT} convert ${net} --format json -o ${TO}/${name} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
