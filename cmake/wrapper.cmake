# seriatim-cc and seriatim-c++ are the program under other names, by which it knows what to do.
include(GNUInstallDirs)
foreach(name seriatim-cc seriatim-c++)
  add_custom_command(TARGET seriatim_cli POST_BUILD VERBATIM
                     COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE_NAME:seriatim_cli> ${name}
                     WORKING_DIRECTORY $<TARGET_FILE_DIR:seriatim_cli>)
  install(FILES ${CMAKE_BINARY_DIR}/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()

# Where the installed program finds the runtime library, from the folder that it is in itself.
file(RELATIVE_PATH runtime_from_bin /prefix/${CMAKE_INSTALL_BINDIR}
     /prefix/${CMAKE_INSTALL_LIBDIR}/seriatim)
set_source_files_properties(src/session/runtime_files.c PROPERTIES COMPILE_DEFINITIONS
                            SERIATIM_RUNTIME_FROM_BIN="${runtime_from_bin}")
if(TARGET seriatim_rt)
  add_dependencies(seriatim_cli seriatim_rt seriatim_rt_static)
endif()
