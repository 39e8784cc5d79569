# Shell completion: the scripts in src/cli/completion become C, into which the program writes what is
# in its tables. What it prints is installed.
include(GNUInstallDirs)
set(COMPLETION_SOURCES "")
foreach(shell bash zsh)
  set(script src/cli/completion/seriatim.${shell})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/completion-${shell}.c)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${script} -DNAME=${shell}_script -DHEADER=cli/completion/completion.h
            -DOUTPUT=${source} -P cmake/embed-text.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/${script} ${PROJECT_SOURCE_DIR}/cmake/embed-text.cmake
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    VERBATIM)
  list(APPEND COMPLETION_SOURCES ${source})
endforeach()
target_sources(seriatim_commands PRIVATE ${COMPLETION_SOURCES})

set(COMPLETION_DIR ${CMAKE_BINARY_DIR}/completion)
file(MAKE_DIRECTORY ${COMPLETION_DIR})
foreach(shell bash zsh)
  add_custom_command(OUTPUT ${COMPLETION_DIR}/${shell}
                     COMMAND ${CMAKE_COMMAND} -E env --unset=SERIATIM_OPTIONS
                             $<TARGET_FILE:seriatim_cli> completion -o ${COMPLETION_DIR}/${shell} ${shell}
                     DEPENDS seriatim_cli VERBATIM)
endforeach()
add_custom_target(completion_scripts ALL DEPENDS ${COMPLETION_DIR}/bash ${COMPLETION_DIR}/zsh)

# bash looks for a file with the name of the command.
set(bash_dir ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
foreach(name seriatim seriatim-cc seriatim-c++)
  install(FILES ${COMPLETION_DIR}/bash DESTINATION ${bash_dir} RENAME ${name})
endforeach()
install(FILES ${COMPLETION_DIR}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
        RENAME _seriatim)
