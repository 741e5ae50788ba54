# Installs plait and moves the result, so that every remaining absolute path breaks the consumers.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${PREFIX} ${PREFIX}.made)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BINARY_DIR} --prefix ${PREFIX}.made OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${PREFIX}.made ${PREFIX})
