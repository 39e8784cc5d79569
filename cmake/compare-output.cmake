# cmake -DPROGRAM=... -DEXPECTED=... -P compare-output.cmake
# Runs the program, which must succeed and print exactly what the file holds.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE output RESULT_VARIABLE status)
file(READ ${EXPECTED} expected)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with status ${status}")
endif()
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} printed:\n${output}\nbut ${EXPECTED} holds:\n${expected}")
endif()
